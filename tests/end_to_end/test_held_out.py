"""Cutoffs chosen on some topics and tested on others, against trec_eval's library and SciPy over the run files."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
import pytrec_eval
import yaml
from commands import Done
from lxml import html as lxml_html
from messages import assert_names
from report_pages import body_rows
from scipy.stats import PermutationMethod, wilcoxon
from small_web import PAGES, Finished, stamps, tree
from test_against_others import judged, retrieved, tsv_topics

from thresher.base.files import file_digest

Call = Callable[..., Done]
Values = dict[str, dict[str, float]]
SEED = 1
NDCG = "nDCG(dcg='exp-log2')@10"
HELD_OUT = 'topics = "others.tsv"\nqrels = "others.txt"'
VARIANTS = ("none", "words@5", "words@20", "words@40", "density@8", "perplexity(lm=books)@8000")


def write_others(folder: Path) -> None:
    """Topics of other words under the same ids, one of them without a judgment, and qrels for them."""
    topics = tsv_topics(folder / "topics.tsv")
    queries = [
        f"{query} {other.split()[0]}" for query, other in zip(topics.values(), reversed(topics.values()), strict=True)
    ]
    (folder / "others.tsv").write_text(
        "".join(f"{number}\t{query}\n" for number, query in enumerate(queries[:11], start=1))
    )
    # By chance, so that what is best here is not what was best there. Topic 11 is judged under a number that no topic has.
    rng = random.Random(SEED)
    lines = ["3 0 nowhere/3 2\n"]
    for topic in (*map(str, range(1, 11)), "x", "12"):
        pages = rng.sample(range(PAGES), 25)
        lines += [f"{topic} 0 part{page % 3}/page{page:02} {rng.choice((0, 0, 1, 2))}\n" for page in pages]
    (folder / "others.txt").write_text("".join(lines))


def file_name(variant: str) -> str:
    return variant.replace("(", "_").replace(")", "_")


def per_topic(folder: Path, qrels: Path, suffix: str, topics: list[str]) -> dict[str, Values]:
    """Value by topic by measure by variant; nDCG with the gains 2^grade - 1 in place of grades."""
    grades = judged(qrels)
    gains = {topic: {document: 2**grade - 1 for document, grade in found.items()} for topic, found in grades.items()}
    found: dict[str, Values] = {}
    for variant in VARIANTS:
        run = retrieved(folder / "runs" / f"{file_name(variant)}{suffix}.trec")
        plain: Any = pytrec_eval.RelevanceEvaluator(grades, {"P.5,10", "map"}).evaluate(run)
        other: Any = pytrec_eval.RelevanceEvaluator(gains, {"ndcg_cut.10"}).evaluate(run)
        found[variant] = {
            "P@5": {topic: plain.get(topic, {}).get("P_5", 0.0) for topic in topics},
            "P@10": {topic: plain.get(topic, {}).get("P_10", 0.0) for topic in topics},
            "AP": {topic: plain.get(topic, {}).get("map", 0.0) for topic in topics},
            NDCG: {topic: other.get(topic, {}).get("ndcg_cut_10", 0.0) for topic in topics},
        }
    return found


def exact_p(differences: list[float]) -> float:
    """Wilcoxon's test over all signs of the differences that are not zero."""
    left = [difference for difference in differences if abs(difference) > 1e-9]
    if len(left) < 2:  # SciPy wants two; with one, both signs are as far out
        return 1.0
    found: Any = wilcoxon([round(value, 12) for value in left], method=PermutationMethod(n_resamples=10**6))
    return float(found.pvalue)


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture
def tested(copy: Finished, call: Call) -> tuple[Finished, Done]:
    """The finished experiment, run again with held-out topics."""
    write_others(copy.web.folder)
    copy.web.write(held_out=HELD_OUT)
    return copy, call("run", copy.file.name, cwd=copy.web.folder)


@pytest.mark.slow
def test_held_out_topics_by_trec_eval_and_scipy(tested: tuple[Finished, Done]) -> None:
    copy, done = tested
    assert done.code == 0, done.err
    folder, results = copy.web.folder, copy.results
    training = per_topic(results, folder / "qrels.txt", "", [str(number) for number in range(1, 13)])
    evaluated = [str(number) for number in range(1, 11)]
    held_out = per_topic(results, folder / "others.txt", ".held-out", evaluated)

    rows = read(results / "results.csv")
    assert [row["variant"] for row in rows] == list(VARIANTS)
    for row in rows:
        for measure, values in held_out[row["variant"]].items():
            assert float(row[f"held_out {measure}"]) == pytest.approx(mean(values.values()), abs=1e-9), row["variant"]
            if row["variant"] != "none":
                pairs = zip(values.values(), held_out["none"][measure].values(), strict=True)
                differences = [value - baseline for value, baseline in pairs]
                assert float(row[f"held_out {measure} difference"]) == pytest.approx(mean(differences), abs=1e-9)
                assert float(row[f"held_out {measure} p"]) == pytest.approx(exact_p(differences))
                assert int(row[f"held_out {measure} W"]) == sum(difference > 1e-9 for difference in differences)
    written = {
        (row["variant"], row["measure"], row["topic"]): float(row["value"])
        for row in read(results / "per_topic.csv")
        if row["held_out"] == "1"
    }
    assert {topic for _, _, topic in written} == set(evaluated)
    for variant, measures in held_out.items():
        for measure, values in measures.items():
            for topic, value in values.items():
                assert written[variant, measure, topic] == pytest.approx(value, abs=1e-9)

    sizes = {row["variant"]: int(row["postings"]) for row in read(results / "results.csv")}
    mean_of = {
        name: {variant: mean(found[variant][NDCG].values()) for variant in VARIANTS}
        for name, found in (("training", training), ("held-out", held_out))
    }
    chosen, *single = read(results / "chosen.csv")
    sweep = VARIANTS[1:4]
    best = {name: max(sweep, key=lambda variant: (means[variant], -sizes[variant])) for name, means in mean_of.items()}
    assert best["training"] != best["held-out"]
    assert (chosen["sweep"], chosen["chosen"], chosen["best_variant"]) == ("words", best["training"], best["held-out"])
    there = mean_of["held-out"]
    assert float(chosen["optimism"]) == pytest.approx(there[best["held-out"]] - there[best["training"]], abs=1e-9)
    assert [row["chosen"] for row in single] == ["density@8", "perplexity(lm=books)@8000"]
    p_values = []
    for row in (chosen, *single):
        variant = row["chosen"]
        assert float(row["training"]) == pytest.approx(mean_of["training"][variant], abs=1e-9)
        assert float(row["held_out"]) == pytest.approx(there[variant], abs=1e-9)
        differences = [held_out[variant][NDCG][topic] - held_out["none"][NDCG][topic] for topic in evaluated]
        p_values.append(exact_p(differences))
        assert float(row["held_out p"]) == pytest.approx(p_values[-1])
        assert float(row["held_out ci_low"]) <= mean(differences) <= float(row["held_out ci_high"])
    assert min(float(row["held_out p_corrected"]) for row in (chosen, *single)) == pytest.approx(
        min(1, 3 * min(p_values))
    )


def test_what_is_told_of_them(tested: tuple[Finished, Done], call: Call) -> None:
    copy, done = tested
    folder, results = copy.web.folder, copy.results
    # What is best of a sweep is in tables alone: it is no recommendation.
    assert "words@5 has" not in done.out
    unjudged, unknown, missing = [line for line in done.out.splitlines() if line.startswith("- Held-out topics: ")]
    assert_names(unjudged, "1 topic without judgments", ": 11.")
    assert_names(unknown, "judgments of 2 topics", "not used", ": x, 12.")
    assert_names(missing, "1 judged page", ": nowhere/3.")
    page = lxml_html.parse(str(results / "report.html")).getroot()
    shown = {row[0]: row for row in body_rows(page.xpath("//details[@id='variants']//table")[0])}
    for row in read(results / "results.csv"):
        assert f"{float(row[f'held_out {NDCG}']):.4f}" in shown[row["variant"]]
    manifest = json.loads((results / "manifest.json").read_text())
    assert manifest["held_out_topics"] == [str(number) for number in range(1, 11)]
    assert manifest["inputs"]["held-out topics"] == file_digest(folder / "others.tsv")
    assert manifest["inputs"]["held-out qrels"] == file_digest(folder / "others.txt")
    assert manifest["variants"]["words@5 qld held-out"]["run"] == "words@5.held-out.trec"
    beside = yaml.safe_load((results / "runs" / "words@5.held-out.yaml").read_text())
    assert beside["data"]["test collection"]["topics"] == "others.tsv"
    assert beside["data"]["test collection"]["qrels"] == "others.txt"
    beside = yaml.safe_load((results / "runs" / "words@5.yaml").read_text())
    assert beside["data"]["test collection"]["topics"] == "topics.tsv"

    before = tree(results)
    again = call("report", results, cwd=folder)
    assert again.out == done.out
    assert tree(results) == before


@pytest.mark.slow
def test_exploring_tests_what_was_run_by_the_tests_of_the_file(tested: tuple[Finished, Done], call: Call) -> None:
    """As running again does, which tests anew anyway."""
    copy, _ = tested
    before = built_rows(copy.results)
    copy.web.write(held_out=HELD_OUT, evaluation='test = "t"\ncorrection = "bh"\nalpha = 0.2\nseed = 3')
    assert call("explore", copy.file.name, cwd=copy.web.folder).code == 0
    explored = built_rows(copy.results)
    report = (copy.results / "report.html").read_text(encoding="utf-8")
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    assert explored == built_rows(copy.results)
    for name in (f"{NDCG} p", f"held_out {NDCG} p", f"{NDCG} ci_low"):
        assert [row[name] for row in explored] != [row[name] for row in before]
        assert [row["variant"] for row in explored] == [row["variant"] for row in before]
    assert "Benjamini" in report
    assert "Wilcoxon" not in report


def built_rows(results: Path) -> list[dict[str, str]]:
    """Return what `results.csv` says of built variants and their effectiveness, in the order of their names."""
    measures = ("P@5", "P@10", "AP", NDCG)
    rows = [row for row in read(results / "results.csv") if row["bytes"]]
    return [
        {
            name: value
            for name, value in row.items()
            if name == "variant" or any(measure in name for measure in measures)
        }
        for row in sorted(rows, key=lambda row: row["variant"])
    ]


def without_held_out(row: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in row.items() if not key.startswith("held_out")}


@pytest.mark.slow
def test_they_change_nothing_else(copy: Finished, call: Call) -> None:
    files, indexes, kept = tree(copy.results), stamps(copy.indexes), stamps(copy.results)
    write_others(copy.web.folder)
    copy.web.write(held_out=HELD_OUT)
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    now = tree(copy.results)
    assert [name for name in files if name.endswith(".trec") and now[name] != files[name]] == []
    for name in ("results.csv", "per_topic.csv"):
        lines = [row for row in csv.DictReader(now[name].decode().splitlines()) if row.get("held_out", "0") == "0"]
        assert [without_held_out(row) for row in lines] == [
            without_held_out(row) for row in csv.DictReader(files[name].decode().splitlines())
        ]
    assert stamps(copy.indexes) == indexes
    untouched = {name for name in kept if name.startswith(("scores/", "stages/")) or name.endswith(".trec")}
    assert {name: stamp for name, stamp in stamps(copy.results).items() if name in untouched} == {
        name: kept[name] for name in untouched
    }
    new = {name for name in set(now) - set(files) if name.startswith("runs/")}
    assert new == {f"runs/{file_name(variant)}.held-out{end}" for variant in VARIANTS for end in (".trec", ".yaml")}

    # Other qrels search nothing again, other held-out topics only for themselves.
    kept = stamps(copy.results)
    others = copy.web.folder / "others.tsv"
    others.write_text("".join(others.read_text().splitlines(True)[:5]))
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    changed = {
        name for name, stamp in stamps(copy.results).items() if kept.get(name) != stamp and name.endswith(".trec")
    }
    assert changed == {name for name in new if name.endswith(".trec")}
