"""The list of failed pages: against the pages that were written, with whatever is in their names."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import assert_names
from troublesome import whole

from thresher.base.errors import InputError, StateError
from thresher.pages import read_text_page
from thresher.scores.lost_pages import Failure, failures, write_failures
from thresher.scores.store import (
    EMPTIED,
    FAILED,
    NO_COST,
    SCORED,
    PageScores,
    ShardReport,
    count,
    shard_path,
    write_shard,
    written_shards,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ["a b", '"', "\n", "\u2028", "é"]
)
PAGES = st.lists(
    st.builds(
        PageScores,
        TEXT,
        st.sampled_from([SCORED, EMPTIED, FAILED, FAILED]),
        TEXT,
        TEXT,
        st.none() | st.integers(0, 2**50),
        st.none() | TEXT,
    ),
    max_size=6,
)


def put(folder: Path, *groups: list[PageScores]) -> None:
    """Write a store of these shards and no others."""
    for path in written_shards(folder):
        path.unlink()
    for number, pages in enumerate(groups):
        report = ShardReport(len(pages), **count(pages), words=0, bytes=0, begin=None, first=None, after=0)
        path = shard_path(folder, replace(whole(()), number=number))
        pages = [replace(page, segments=read_text_page("") if page.status != FAILED else None) for page in pages]
        write_shard(path, pages, [], report, NO_COST)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PAGES, min_size=1, max_size=4))
def test_every_failed_page_is_listed_in_order(tmp_path: Path, groups: list[list[PageScores]]) -> None:
    put(tmp_path, *groups)
    expected = [
        Failure(page.file, page.offset, page.id, page.reason)
        for pages in groups
        for page in pages
        if page.status == FAILED
    ]
    assert list(failures(tmp_path)) == expected
    write_failures(tmp_path, tmp_path / "failures.jsonl")
    lines = (tmp_path / "failures.jsonl").read_bytes().decode().split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == [asdict(failure) for failure in expected]
    assert all([*json.loads(line)] == ["file", "offset", "id", "reason"] for line in lines)


def test_names_for_messages() -> None:
    assert Failure("f.warc", 7, "d", "why").name == "d"
    assert Failure("f.warc", 7, "", "why").name == "f.warc at byte 7"
    assert Failure("f.warc", 0, "", "why").name == "f.warc at byte 0"
    assert Failure("f.html", None, "", "why").name == "f.html"


def test_a_missing_store_has_no_list(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="there are no scores"):
        write_failures(tmp_path / "no store", tmp_path / "new" / "failures.jsonl")
    assert not (tmp_path / "new" / "failures.jsonl").exists()


def test_a_list_is_whole_or_what_it_was(tmp_path: Path) -> None:
    put(tmp_path, [PageScores("a", FAILED, "why", "f")], [PageScores("b", FAILED, "why", "f")])
    out = tmp_path / "failures.jsonl"
    out.write_text("before\n")
    first, second = written_shards(tmp_path)
    second.write_bytes(second.read_bytes()[:40])
    with pytest.raises(StateError) as caught:
        write_failures(tmp_path, out)
    assert_names(caught.value, f"{second}: ", "scores is damaged", "Fix: ", "and run again")
    assert out.read_text() == "before\n"
    second.unlink()
    write_failures(tmp_path, out)
    assert out.read_text() == '{"file": "f", "offset": null, "id": "a", "reason": "why"}\n'
    with pytest.raises(InputError) as unwritable:
        write_failures(tmp_path, first / "failures.jsonl")
    assert_names(unwritable.value, f"{first / 'failures.jsonl'}: ", "(Not a directory)", "Fix: ", "and the disk")
