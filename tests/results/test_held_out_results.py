"""What is chosen on the training topics and tested on held-out ones: table, CSV, sentences, page, JSON and back."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_samples import BASELINE, JUSTEXT, NDCG, WORDS, comparison, large, small
from scipy.stats import wilcoxon

from thresher.errors import InputError
from thresher.reports.compared_runs import COMPARED
from thresher.reports.further_tables import chosen_csv, chosen_table
from thresher.reports.html import render_report
from thresher.reports.report_files import write_all
from thresher.reports.summary import summary
from thresher.reports.text_tables import render_text
from thresher.results.experiment_results import RESULTS, Results, VariantResult, read_results
from thresher.results.selection import with_chosen

FILES = {"results.json", "results.csv", "per_topic.csv", "table.md", "table.tex", "report.html"}
HELD_OUT_FILES = {"results.held-out.csv", "per_topic.held-out.csv", "chosen.csv"}


def there(row: VariantResult, value: float, **changes: Any) -> VariantResult:
    """The row on the held-out topics, with a value of the main measure and a comparison of it."""
    return replace(row, measures={"P@10": 0.3, NDCG: value}, comparisons={NDCG: comparison(NDCG, **changes)})


def sample() -> Results:
    """Of the cutoffs 11 and 20, 20 is the better one on the training topics, and 11 on the held-out ones."""
    better = replace(
        WORDS, variant="words@20", cutoff=20.0, measures={**WORDS.measures, NDCG: 0.52}, index_bytes=1_000_000
    )
    rows = (BASELINE, WORDS, better, JUSTEXT)
    others = (
        replace(BASELINE, measures={"P@10": 0.3, NDCG: 0.25}),
        there(WORDS, 0.375, difference=0.125, wins=4, ties=0, losses=0, p_holm=0.5),
        there(better, 0.3, difference=0.05, wins=2, ties=1, losses=1, p_holm=0.04),
        there(JUSTEXT, 0.2, difference=-0.05, wins=1, ties=0, losses=3, p_holm=0.06),
    )
    return with_chosen(
        replace(small(), rows=rows, held_out=replace(small(), topics=4, rows=others, methods=(), notices=()))
    )


def test_the_chosen_and_the_single_cleaners_are_tested_as_one_family() -> None:
    chosen, single = sample().chosen
    assert (chosen.sweep, chosen.variant) == ("words", "words@20")
    assert (chosen.training, chosen.held_out, chosen.baseline) == (0.52, 0.3, 0.25)
    assert chosen.best is not None
    assert (chosen.best.variant, chosen.best.mean, chosen.optimism) == ("words@11", 0.375, pytest.approx(0.075))
    assert (single.sweep, single.variant, single.best, single.optimism) == (None, "justext", None, None)
    # p is 0.01 and 0.015: the samples have a quarter of what they call corrected.
    assert [item.comparison.p_holm for item in (chosen, single)] == [0.02, 0.02]
    free = with_chosen(replace(sample(), correction="none"))
    assert [(item.comparison.p, item.comparison.p_holm) for item in free.chosen] == [(0.01, None), (0.015, None)]
    table = chosen_table(free)
    assert table is not None
    assert "p not corrected for the number of tests, α = 0.05" in table.caption
    assert [row[[column.header for column in table.columns].index("p")].text for row in table.rows] == [
        "0.0100",
        "0.0150",
    ]
    assert with_chosen(small()) == small()
    assert with_chosen(replace(sample(), rows=(BASELINE,))).chosen == ()


def test_of_equal_cutoffs_the_smallest_index_is_chosen() -> None:
    results = sample()
    equal = [replace(row, measures={**row.measures, NDCG: 0.52}) for row in results.rows[1:3]]
    chosen, _ = with_chosen(replace(results, rows=(BASELINE, *equal, JUSTEXT))).chosen
    assert chosen.variant == "words@20"
    equal[0] = replace(equal[0], index_bytes=999_999)
    chosen, _ = with_chosen(replace(results, rows=(BASELINE, *equal, JUSTEXT))).chosen
    assert (chosen.variant, chosen.optimism) == ("words@11", 0)
    assert chosen.best is not None
    assert (chosen.best.variant, chosen.best.comparison.difference) == ("words@11", 0.125)


@pytest.mark.parametrize("retrievals", [("qld",), ("qld", "bm25")])
def test_a_large_experiment_against_scipy(retrievals: tuple[str, ...]) -> None:
    results = with_chosen(replace(large(30, retrievals), held_out=large(25, retrievals, seed=8)))
    assert results.held_out is not None
    values: dict[tuple[str, str], list[float]] = {}
    for value in results.held_out.per_topic:
        if value.measure == NDCG:
            values.setdefault((value.retrieval, value.variant), []).append(value.value)
    found = results.chosen
    assert len(found) == len(retrievals) * (3 + 7)
    p_values = []
    for item in found:
        key = (item.retrieval, item.variant)
        baseline = values[key[0], "none"]
        differences = [value - base for value, base in zip(values[key], baseline, strict=True)]
        expected = wilcoxon([value for value in differences if value], method="exact")
        assert item.comparison.p == pytest.approx(expected.pvalue), key
        assert item.comparison.difference == pytest.approx(sum(differences) / 25)
        p_values.append(item.comparison.p)
        if item.sweep:
            rows = [row for row in results.rows if (row.sweep, row.retrieval) == (item.sweep, key[0])]
            best = max(rows, key=lambda row: (row.measures[NDCG], -row.index_bytes))
            means = [sum(values[key[0], row.variant]) / 25 for row in rows]
            assert (item.variant, item.training) == (best.variant, best.measures[NDCG])
            assert item.held_out == pytest.approx(sum(values[key]) / 25)
            assert item.baseline == pytest.approx(sum(baseline) / 25)
            assert item.optimism == pytest.approx(max(means) - sum(values[key]) / 25)
    ranks = sorted(p_values)
    for item in found:
        steps = [p * (len(ranks) - place) for place, p in enumerate(ranks) if p <= item.comparison.p]
        assert item.comparison.p_holm == pytest.approx(min(1.0, max(steps)))


def test_the_table_as_text() -> None:
    table = chosen_table(sample())
    assert table is not None
    assert [line.split() for line in render_text(table).splitlines()[3:5]] == [
        "words@20 0.5200 0.3000†+ 0.2500 +0.0500 +0.0400 to +0.0600 2/1/1 0.0200 words@11 +0.1250 0.0750".split(),
        "justext 0.4000 0.2000†− 0.2500 −0.0500 −0.0600 to −0.0400 1/0/3 0.0200 – – –".split(),
    ]
    assert table.caption == (
        "nDCG(dcg='exp-log2')@10. Of each sweep the cutoff of the best mean over the 8 training topics, of equals that with "
        "the smallest index, and the single cleaners, tested on 4 held-out topics, which had no part in the choice. "
        "Difference, 95 % interval and p against the baseline on the held-out topics. Two-sided Wilcoxon signed-rank test, "
        "Holm correction over 2 rows, α = 0.05: †+ is significantly better, †− significantly worse. Optimism: what the best "
        "cutoff on the held-out topics would have promised beyond the chosen one."
    )
    assert chosen_table(small()) is None


def test_csv_has_every_number() -> None:
    chosen, single = csv.DictReader(chosen_csv(sample()).splitlines())
    expected = {
        "retrieval": "qld",
        "sweep": "words",
        "chosen": "words@20",
        "measure": NDCG,
        "training": "0.52",
        "held_out": "0.3",
        "held_out difference": "0.05",
        "held_out p": "0.01",
        "held_out p_holm": "0.02",
        "held_out W": "2",
        "best": "words@11",
        "best held_out": "0.375",
        "best difference": "0.125",
        "best p_holm": "0.5",
    }
    assert {name: chosen[name] for name in expected} == expected
    assert float(chosen["optimism"]) == pytest.approx(0.075)
    assert {name for name, value in single.items() if not value} == {
        "sweep",
        "best",
        "best held_out",
        "optimism",
        *(f"best {column.name}" for column in COMPARED if column.exact),
    }


def test_no_choice_of_a_sweep_is_summed_up() -> None:
    assert summary(sample()) == summary(replace(sample(), held_out=None, chosen=()))


def test_json_and_back() -> None:
    results = sample()
    assert RESULTS.parse(RESULTS.text(results), "results") == results
    assert RESULTS.parse(RESULTS.text(small()), "results").held_out is None


@pytest.mark.parametrize(
    ("held_out", "message"),
    [
        (7, "results: held_out: it should be a mapping."),
        ({}, "results: held_out.experiment: it is missing."),
        ({"topics": "4", "per_topic": 3}, "results: held_out.topics: it should be a whole number."),
        ({"topics": 4, "per_topic": [["a"]]}, "results: held_out.per_topic[0][1]: it is missing."),
    ],
)
def test_damaged_json(held_out: Any, message: str) -> None:
    written = json.loads(RESULTS.text(sample()))
    inner: Mapping[str, Any] = written["held_out"]
    changed = {**inner, **held_out} if isinstance(held_out, dict) and "topics" in held_out else held_out
    with pytest.raises(InputError) as caught:
        RESULTS.parse(json.dumps({**written, "held_out": changed}), "results")
    assert str(caught.value).startswith(message)


def test_a_row_that_is_missing_there() -> None:
    results = sample()
    assert results.held_out is not None
    short = replace(results, held_out=replace(results.held_out, rows=results.held_out.rows[:3]))
    with pytest.raises(InputError) as caught:
        with_chosen(short)
    assert str(caught.value) == (
        "results.held_out: justext with qld has no nDCG(dcg='exp-log2')@10 on the held-out topics. "
        "Fix: run the experiment again."
    )


def test_files(tmp_path: Path) -> None:
    write_all(sample(), tmp_path / "with")
    write_all(replace(sample(), held_out=None, chosen=()), tmp_path / "without")
    assert {path.name for path in (tmp_path / "without").iterdir()} == FILES
    assert {path.name for path in (tmp_path / "with").iterdir()} == FILES | HELD_OUT_FILES
    assert read_results(tmp_path / "with") == sample()
    for name in ("results.csv", "per_topic.csv"):
        assert (tmp_path / "with" / name).read_bytes() == (tmp_path / "without" / name).read_bytes()
    for name in ("table.md", "table.tex"):
        assert (tmp_path / "with" / name).read_text().startswith((tmp_path / "without" / name).read_text() + "\n")
    rows = list(csv.DictReader((tmp_path / "with" / "results.held-out.csv").read_text().splitlines()))
    assert [(row["variant"], row[NDCG]) for row in rows] == [
        ("none", "0.25"),
        ("words@11", "0.375"),
        ("words@20", "0.3"),
        ("justext", "0.2"),
    ]
    markdown = (tmp_path / "with" / "table.md").read_text()
    assert markdown.count("\n| --- |") == 3
    assert (
        "\n| words@20 | 0.5200 | 0.3000†+ | 0.2500 | +0.0500 | +0.0400 to +0.0600 | 2/1/1 | 0.0200 | words@11 |"
        in markdown
    )
    assert (tmp_path / "with" / "table.tex").read_text().count(r"\begin{table*}") == 3


def test_the_page_has_a_section_of_its_own() -> None:
    page = render_report(sample())
    section = page.split('<details class="answer" id="held-out">')[1].split("</details>")[0]
    assert section.count("<table") == 2
    assert 'id="held-out"' not in render_report(small())
