"""`thresher explore`: what it says of a cutoff is what `thresher run` measures on an index built at that cutoff."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done
from small_web import Finished, Web
from test_held_out import HELD_OUT, write_others

from thresher.experiments.config import load_experiment
from thresher.experiments.inputs import score_experiment
from thresher.experiments.stages import evidence_key
from thresher.exploring.exploration import read_exploration

Call = Callable[..., Done]


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["variant"]: row for row in csv.DictReader(lines)}


def test_explored_cutoffs_are_as_measured_ones(copy: Finished, call: Call) -> None:
    before = {path: path.stat().st_mtime_ns for path in (copy.results / "scores").iterdir()}
    done = call("explore", copy.file.name, cwd=copy.web.folder)
    assert done.code == 0
    # The scores are those of the run.
    assert {path: path.stat().st_mtime_ns for path in (copy.results / "scores").iterdir()} == before
    measured, explored = rows(copy.results / "results.csv"), rows(copy.results / "explored.csv")
    exploration = read_exploration(copy.results)
    assert measured.keys() <= explored.keys()
    for variant, row in measured.items():
        result = explored[variant]
        for measure in exploration.measures:
            assert float(result[measure]) == pytest.approx(float(row[measure]), abs=1e-12), (variant, measure)
        assert (result["words_kept"], result["words_total"]) == (row["words_kept"], row["words_total"])
        assert int(result["documents"]) == int(row["indexed"])
        assert float(result["query_postings"]) == pytest.approx(float(row["query_postings"]))
    # Every cutoff that makes a difference: the words of blocks.
    words = exploration.sweep("words")
    assert words.cutoffs == tuple(sorted(words.cutoffs or (), reverse=True))
    assert len(words.variants) > 30
    assert [line for line in done.out.splitlines() if line.startswith("words@")]
    assert done.out.splitlines()[-1] == f"all cutoffs: {copy.results / 'explored.csv'}"
    # Six indexes are too few to say anything of sizes.
    assert exploration.size_errors is None
    assert {row["index_bytes_estimated"] for row in explored.values()} == {""}


def test_floors_and_quotas_are_explored_as_measured(web: Web, call: Call) -> None:
    quotas = '[[sweep]]\nscorer = "density"\ncutoffs = ["doc25", "doc60"]'
    web.write(
        sweep='scorer = "words(headings=keep,floor=25)"\ncutoffs = [8, 30, 50]\n' + quotas,
        cleaners='names = ["words(floor=70)@60", "words@60", "bte(floor=90)+perplexity(lm=books,floor=20)@100"]',
    )
    assert call("run", "web.toml", cwd=web.folder).code == 0
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    results = web.folder / "results" / "web"
    measured, explored = rows(results / "results.csv"), rows(results / "explored.csv")
    exploration = read_exploration(results)
    for variant, row in measured.items():
        result = explored[variant]
        for measure in exploration.measures:
            assert float(result[measure]) == pytest.approx(float(row[measure]), abs=1e-12), (variant, measure)
        assert result["words_kept"] == row["words_kept"]
        assert int(result["documents"]) == int(row["indexed"])
    swept = exploration.sweep("words(headings=keep,floor=25)")
    assert len(swept.variants) > 30
    assert {size.documents for size in swept.sizes} == {exploration.documents}
    assert [*swept.words] == sorted(swept.words)
    assert min(swept.words) >= 25 * exploration.documents
    assert int(measured["words@60"]["emptied"]) > 0
    density = exploration.sweep("density@doc")
    assert density.cutoffs == tuple(map(float, range(1, 101)))
    assert {"density@doc25", "density@doc60"} <= measured.keys() & set(density.variants)
    assert {size.documents for size in density.sizes} == {exploration.documents}
    assert density.words[-1] == exploration.words
    assert all(
        words >= share / 100 * exploration.words for share, words in zip(density.cutoffs, density.words, strict=True)
    )
    done = call("choose", "web.toml", "--scorer", "density@doc", "--repeats", "1", "--folds", "2", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    assert {name for name in rows(results / "choice.csv") if name != "none"} == set(density.variants)
    assert int(measured["words(floor=70)@60"]["words_kept"]) >= 70 * exploration.documents


def test_sizes_are_estimated_from_the_indexes_of_the_run(web: Web, call: Call) -> None:
    web.write(sweep='scorer = "words"\ncutoffs = [2, 3, 5, 8, 12, 16, 20, 25, 30]', cleaners="")
    assert call("run", "web.toml", cwd=web.folder).code == 0
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    results = web.folder / "results" / "web"
    measured, explored = rows(results / "results.csv"), rows(results / "explored.csv")
    errors = read_exploration(results).size_errors
    assert errors is not None
    assert errors.indexes >= 8
    for variant, row in measured.items():
        known = int(row["index_bytes"])
        assert abs(int(explored[variant]["index_bytes_estimated"]) - known) < 0.1 * known, variant


def test_exploring_alone_scores_and_builds_no_index(web: Web, call: Call) -> None:
    web.write()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    assert not (web.folder / "indexes").exists()
    written = sorted(path.name for path in (web.folder / "results" / "web").iterdir())
    assert written == [".lock", "explored.csv", "explored.json", "failures.jsonl", "scores"]
    web.write(collection='path = "elsewhere"')
    done = call("explore", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (
        2,
        ["error: web.toml:5: there is no elsewhere. Fix: correct the path, which is relative to the experiment file."],
    )


def test_held_out_topics_are_as_measured(copy: Finished, call: Call) -> None:
    write_others(copy.web.folder)
    copy.web.write(held_out=HELD_OUT)
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    assert call("explore", copy.file.name, cwd=copy.web.folder).code == 0
    explored, exploration = rows(copy.results / "explored.csv"), read_exploration(copy.results)
    assert exploration.topics == tuple(map(str, range(1, 13)))
    assert exploration.held_out == tuple(map(str, range(1, 11)))
    names = list(explored["none"])
    assert names[names.index("cutoff") + 1 : names.index("words_kept")] == [
        *exploration.measures,
        *(f"held_out {measure}" for measure in exploration.measures),
    ]
    for prefix, file in (("", "results.csv"), ("held_out ", "results.held-out.csv")):
        for variant, row in rows(copy.results / file).items():
            for measure in exploration.measures:
                result = float(explored[variant][f"{prefix}{measure}"])
                assert result == pytest.approx(float(row[measure]), abs=1e-12), (variant, measure)
    with (copy.results / "per_topic.held-out.csv").open(encoding="utf-8", newline="") as lines:
        measured = {
            (row["variant"], row["measure"], row["topic"]): float(row["value"]) for row in csv.DictReader(lines)
        }
    for variant in ("none", "words@5", "density@8"):
        sweep = next(some for some in exploration.sweeps if variant in some.variants)
        assert sweep.held_out is not None
        for place, measure in enumerate(exploration.measures):
            values = sweep.held_out[0, place, sweep.variants.index(variant)]
            expected = [measured[variant, measure, topic] for topic in exploration.held_out]
            assert values == pytest.approx(expected, abs=1e-9)


def test_the_key_tells_what_the_values_rest_on(web: Web, call: Call) -> None:
    """Other cutoffs and workers leave it as it is, all else changes it."""
    write_others(web.folder)

    def key(**tables: str) -> str:
        experiment = load_experiment(web.write(**tables))
        return evidence_key(experiment, score_experiment(experiment, web.folder / "scored", True, lambda _: None))

    plain = key()
    assert call("explore", "web.toml", cwd=web.folder).code == 0
    assert read_exploration(web.folder / "results" / "web").key == plain
    assert key(sweep='scorer = "words"\ncutoffs = [7]', run="workers = 1", costs="tdp_watts = 20") == plain
    others = [
        key(cleaners='names = ["density@8"]'),
        key(held_out=HELD_OUT),
        key(topics='path = "others.tsv"'),
        key(qrels='path = "others.txt"'),
        key(retrieval='models = ["qld", "bm25"]\ndepth = 40'),
        key(retrieval='models = ["qld"]\ndepth = 41'),
        key(evaluation='measures = ["AP"]'),
        key(index="stopwords = false"),
    ]
    assert len({plain, *others}) == 9
    (web.folder / "pages" / "part0" / "page00.html").write_text("<p>another page</p>")
    assert key() not in {plain, *others}
