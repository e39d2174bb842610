"""`thresher measure`: times are taken anew, and everything else stays as it is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from commands import Done
from messages import assert_names
from small_web import Finished, Web

import thresher.base.progress
from thresher.experiments import measuring
from thresher.experiments.results import read_results

Call = Callable[..., Done]


def stamps(folder: Path) -> dict[str, int]:
    """Return when the files of a folder were last written."""
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def test_only_times_are_new(copy: Finished, call: Call) -> None:
    folder = copy.web.folder
    before = read_results(copy.results)
    assert call("choose", copy.file.name, cwd=folder).code == 0
    kept = [folder / "indexes", copy.results / "runs", copy.results / "scores"]
    written = [stamps(path) for path in kept]
    done = call("measure", copy.file.name, "--seconds", "0.2", cwd=folder)
    assert done.code == 0, done.err
    runs = {path for path in written[1] if path.endswith(".trec")}
    again = [stamps(path) for path in kept]
    assert (again[0], again[2]) == (written[0], written[2])
    assert {path: again[1][path] for path in runs} == {path: written[1][path] for path in runs}

    after = read_results(copy.results)
    assert after.facts.noise != before.facts.noise
    for old, new in zip(before.tables[0].rows, after.tables[0].rows, strict=True):
        assert old.built is not None
        assert new.built is not None
        assert new.built.query != old.built.query
        changed = {name: getattr(new.built, name) for name in ("query", "indexing", "break_even", "footprints")}
        assert replace(old.built, **changed) == new.built
        assert replace(old, built=None) == replace(new, built=None)


def test_what_is_measured_is_recorded(finished: Finished) -> None:
    results = read_results(finished.results)
    baseline, *variants = results.tables[0].rows
    (queries,) = results.facts.noise
    assert (queries.retrieval, queries.rounds >= queries.restarts >= 1) == ("qld", True)
    assert baseline.built is not None
    time = baseline.built.query
    assert time is not None
    assert (time.ratio.value, time.saved.value, time.measurable) == (1.0, 0.0, False)
    for row in (baseline, *variants):
        built = row.built
        assert built is not None
        assert built.query is not None
        assert built.query.wall.value > 0
        # Indexes are built too seldom in a tenth of a second to time them more than once.
        assert built.indexing is None
        works = ["tag removal", "scoring", "indexing", "10,000 searches", "1,000,000 searches"]
        assert [one.work for one in built.footprints] == works
        point = built.break_even
        assert point is None or point.queries is None or built.query.measurable
        assert row.index.postings <= row.index.tokens
        assert built.work is not None
        assert built.work.documents <= built.work.postings
    for row in variants:
        assert row.index.postings < baseline.index.postings
        assert row.built is not None
        assert row.built.work.postings < baseline.built.work.postings


@pytest.mark.slow
def test_indexing_is_repeated_where_there_is_time(web: Web, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    # Time for all, and as little as possible to do with it.
    monkeypatch.setattr(measuring, "RESTARTS", 2)
    monkeypatch.setattr(measuring, "CHECKED", 2)
    monkeypatch.setattr(measuring, "FEWEST_BUILDS", 2)
    monkeypatch.setattr(measuring, "WIDTH", 1e9)
    monkeypatch.setattr(thresher.base.progress, "SECONDS", 0)
    file = web.write(sweep="", cleaners='names = ["words@20"]', measure="seconds = 1000")
    done = call("run", file.name, cwd=web.folder)
    assert done.code == 0
    # How long it may take, and how much there is to do.
    assert_names(done.err, "timing qld", "1,000 s", "10 of 10 rounds")
    assert "--seconds 0" in done.err
    assert re.search(r"timing indexing .* 6 of 6", done.err)
    results = read_results(web.folder / "results" / "web")
    queries, indexing = results.facts.noise
    assert (queries.retrieval, queries.restarts, queries.rounds) == ("qld", 2, 6)
    assert (indexing.retrieval, indexing.restarts, indexing.rounds) == ("", 2, 2)
    for row in results.tables[0].rows:
        assert row.built is not None
        assert row.built.indexing is not None
        assert 0 <= row.built.indexing.wall.low < row.built.indexing.wall.value < row.built.indexing.wall.high
    assert list((web.folder / "indexes" / "web").glob(".*.tmp")) == []
    assert list((web.folder / "results" / "web").glob(".*.tmp")) == []


def test_times_are_not_measured_twice(copy: Finished, call: Call) -> None:
    before = read_results(copy.results)
    assert call("run", copy.file.name, cwd=copy.web.folder).code == 0
    after = read_results(copy.results)
    assert (after.facts, after.tables[0].rows) == (before.facts, before.tables[0].rows)


def test_what_stands_in_the_way(copy: Finished, call: Call) -> None:
    folder, record = copy.web.folder, copy.results / "stages" / "measure.json"
    recorded = json.loads(record.read_text())
    copy.web.write(file="timeless.toml", measure="seconds = 0")
    done = call("measure", "timeless.toml", cwd=folder)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "measures no times" in done.err
    done = call("measure", copy.file.name, "--seconds", "nan", cwd=folder)
    assert (done.code, "--seconds" in done.err, "nan is not a number" in done.err) == (2, True, True)
    copy.web.write(name="new", file="new.toml")
    done = call("measure", "new.toml", "--seconds", "1", cwd=folder)
    assert (done.code, "has not been run" in done.err, "`thresher run`" in done.err) == (5, True, True)
    shutil.rmtree(folder / "indexes" / "web" / "words@20")
    done = call("measure", copy.file.name, cwd=folder)
    assert (done.code, "the index of words@20 is missing" in done.err) == (5, True)
    assert json.loads(record.read_text()) == recorded
