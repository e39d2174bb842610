"""`thresher explore`: what it says of a cutoff is what `thresher run` measures on an index built at that cutoff."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from small_web import Done, Finished, Web

from thresher.exploring.record_files import read_exploration

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
        found = explored[variant]
        for measure in exploration.measures:
            assert float(found[measure]) == pytest.approx(float(row[measure]), abs=1e-12), (variant, measure)
        assert (found["words_kept"], found["words_total"]) == (row["words_kept"], row["words_total"])
        assert int(found["documents"]) == int(row["indexed"])
    # Every cutoff that makes a difference: the words of blocks.
    words = exploration.curve("words")
    assert words.cutoffs == tuple(sorted(words.cutoffs or (), reverse=True))
    assert len(words.cleaners) > 30
    assert [line for line in done.out.splitlines() if line.startswith("words@")]
    assert done.out.splitlines()[-1] == f"all cutoffs: {copy.results / 'explored.csv'}"
    # Six indexes are too few to say anything of sizes.
    assert exploration.size_errors is None
    assert {row["index_bytes_estimated"] for row in explored.values()} == {""}


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
