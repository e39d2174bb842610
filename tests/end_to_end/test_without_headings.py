"""Variants that keep title and headings are compared again without any, as an experiment of its own would do."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from commands import Done
from small_web import Web

from thresher.results.experiment_results import read_results

KEPT = ("words(headings=keep)@20", "density@4+words(headings=keep)@p40")
DROPPED = ("words(headings=drop)@20", "density@4+words(headings=drop)@p40")
ALL = "words(headings=drop)@0"


def test_twins_are_what_an_experiment_on_them_would_find(web: Web, call: Callable[..., Done]) -> None:
    names = [*KEPT, DROPPED[0]]
    web.write(sweep="", cleaners=f"names = {json.dumps(names)}", evaluation="without_headings = true")
    done = call("run", "web.toml", cwd=web.folder)
    assert (done.code, done.errors) == (0, [])
    assert "indexing and searching 3 variants without title and headings" in done.err.splitlines()
    folder = web.folder / "results" / "web"
    results = read_results(folder)
    assert [row.variant for row in results.rows] == ["none", *names]
    assert results.twins == dict(zip(("none", *KEPT), (ALL, *DROPPED), strict=True))
    found = results.without_headings
    assert found is not None
    assert [(row.variant, row.is_baseline) for row in found.rows] == [(name, name == ALL) for name in (ALL, *DROPPED)]
    assert found.rows[0].words_kept < results.rows[0].words_kept
    # Their own correction: the main table knows nothing of them.
    comparisons = [one for row in results.rows for one in row.comparisons.values()]
    least = min(comparisons, key=lambda one: one.p)
    assert least.p_holm == pytest.approx(min(1, least.p * len(comparisons)))
    every = f"names = {json.dumps([*names, ALL, DROPPED[1]])}"
    web.write("apart", sweep="", cleaners=every)
    assert call("run", "apart.toml", cwd=web.folder).code == 0
    apart = read_results(web.folder / "results" / "apart")
    assert (apart.twins, apart.without_headings) == ({}, None)
    assert not (web.folder / "results" / "apart" / "results.without-headings.csv").exists()
    expected = {row.variant: row for row in apart.rows}
    assert [row.measures for row in results.rows] == [expected[row.variant].measures for row in results.rows]
    with (folder / "results.without-headings.csv").open(encoding="utf-8", newline="") as table:
        written = {row["variant"]: row for row in csv.DictReader(table)}
    for row in found.rows:
        same = expected[row.variant]
        assert (row.measures, row.words_kept, row.emptied) == (same.measures, same.words_kept, same.emptied)
        assert (row.index_bytes_by_type, row.statistics) == (same.index_bytes_by_type, same.statistics)
        assert float(written[row.variant]["AP"]) == row.measures["AP"]
        if not row.is_baseline:
            difference = row.measures["AP"] - found.rows[0].measures["AP"]
            assert row.comparisons["AP"].difference == pytest.approx(difference)
    # A second run finds everything done.
    again = call("run", "web.toml", cwd=web.folder)
    assert again.code == 0
    assert replace(read_results(folder), per_topic=()) == replace(results, per_topic=())
