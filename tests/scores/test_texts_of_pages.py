"""Other texts of pages: stored as they were made, and lost for themselves alone."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from shard_rows import rows_of
from worker_processes import workers_alive

from thresher.base.errors import StateError
from thresher.base.processes import Backend
from thresher.cleaners.cleaner import parse_cleaner
from thresher.collections import open_collection
from thresher.scores.cutting import cleaned_documents
from thresher.scores.limits import Limits
from thresher.scores.lost_pages import failures, write_failures
from thresher.scores.removed import explained_pages
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_report, read_shard, shards, text_store

PAGE = "<title>T</title><ul><li>menu</ul><p>first line of {0}<p>second line of {0}<p>third line of {0}"
NAMES = ("extractor(first-lines)", "extractor(broken)", "extractor(first-lines)+words@5", "words@2")
REASONS = {
    "hang": "took longer than 1 s",
    "kill": "ended its worker (exit code -9)",
    "raise": "ValueError: no such ? thing",
}


def scored(folder: Path, store: Path, limit: float = 1, kinds: bool = True) -> None:
    scorers = [scorer for name in NAMES for scorer in parse_cleaner(name).scorers]
    plan = ScorePlan(open_collection(folder), tuple(scorers), limits=Limits(limit, 16), kinds=kinds)
    score_collection(plan, store, Backend(workers=1))


def texts(store: Path, name: str) -> dict[str, str]:
    return {page.id: page.text for page in cleaned_documents(store, parse_cleaner(name))}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "hang", "kill", "raise", "z"):
        (folder / f"{name}.html").write_text(PAGE.format(name))
    return folder


def test_what_an_extractor_does_to_a_page_costs_its_text_alone(
    plugin: Path, pages: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "scores"
    scored(pages, store)
    assert capfd.readouterr() == ("", "")
    assert workers_alive() == []
    every = ["a", "hang", "kill", "raise", "z"]
    assert texts(store, "extractor(first-lines)") == {n: f"first line of {n}\nsecond line of {n}" for n in every}
    assert texts(store, "extractor(broken)") == {name: "" if name in REASONS else "a?b\nc d" for name in every}
    assert texts(store, "extractor(first-lines)+words@5") == dict.fromkeys(every, "")
    three = ("first", "second", "third")
    assert texts(store, "words@2") == {n: "\n".join(f"{place} line of {n}" for place in three) for n in every}
    assert list(failures(store)) == list(failures(store, "extractor(first-lines)")) == []
    write_failures(store, tmp_path / "failures.jsonl", ["extractor(broken)", "extractor(first-lines)"])
    listed = map(json.loads, (tmp_path / "failures.jsonl").read_text().splitlines())
    expected = {name: f"extractor(broken): {reason}" for name, reason in REASONS.items()}
    assert {line["id"]: line["reason"] for line in listed} == expected
    reports = [read_report(path) for path in shards(text_store(store, "extractor(broken)"))]
    assert [(one.documents, one.scored, one.emptied, one.failed, one.words) for one in reports] == [(5, 2, 3, 0, 6)]


def test_texts_are_the_same_bytes_again_and_stored_only_where_they_are_cut(
    plugin: Path, pages: Path, tmp_path: Path
) -> None:
    for path in pages.glob("[hkr]*"):
        path.unlink()
    # A page with the id of another one fails in every text.
    (pages / "a.htm").write_text(PAGE.format("again"))
    for name in ("one", "two"):
        scored(pages, tmp_path / name, 30)
    paths = [path.relative_to(tmp_path / "one") for path in sorted((tmp_path / "one").rglob("*.npz"))]
    assert len(paths) == 3
    for path in paths:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()
        table = read_shard(tmp_path / "one" / path, ["id", "status"])
        assert table.texts("status").tolist() == ["scored", "failed", "scored"]
    with_texts = read_shard(shards(tmp_path / "one")[0])
    plan = ScorePlan(open_collection(pages), tuple(parse_cleaner("words@2").scorers))
    score_collection(plan, tmp_path / "alone", Backend(workers=1))
    alone = read_shard(shards(tmp_path / "alone")[0])
    assert not (tmp_path / "alone" / "texts").exists()
    assert [{name: row[name] for name in alone.columns} for row in rows_of(with_texts)] == rows_of(alone)


def test_what_an_extractor_removes_is_explained_by_the_pages_own_blocks(
    plugin: Path, pages: Path, tmp_path: Path
) -> None:
    for path in pages.glob("[!a]*"):
        path.unlink()
    scored(pages, tmp_path / "scores", 30)
    name = "extractor(first-lines)+words@5"
    (page,) = explained_pages(tmp_path / "scores", parse_cleaner(name))
    assert [
        (segment.block, segment.text, [one.cut.name for one in segment.dropped_by]) for segment in page.segments
    ] == [
        (0, "T", ["extractor(first-lines)"]),
        (1, "menu", ["extractor(first-lines)"]),
        (4, "third line of a", ["extractor(first-lines)"]),
        (5, "first line of a", [name]),
        (6, "second line of a", [name]),
    ]
    assert [kind.value for kind in page.kinds] == ["title", "list", "text", "text", "text", "text", "text"]
    # As `clean` scores, which tells nobody of kinds.
    scored(pages, tmp_path / "without", 30, kinds=False)
    (untold,) = explained_pages(tmp_path / "without", parse_cleaner(name))
    assert (untold.segments, untold.kinds) == (page.segments, ())
    with pytest.raises(StateError, match="made otherwise"):
        scored(pages, tmp_path / "without", 30)
    assert dataclasses.asdict(page)["id"] == "a"
