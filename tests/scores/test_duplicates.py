"""Ids that come again: against a dictionary, whatever is where, and with digests that tell little apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import assert_names
from troublesome import Trouble, whole

from thresher.base.errors import StateError
from thresher.base.repeats import Times
from thresher.base.tables import Table
from thresher.pages import read_text_page
from thresher.scores import score_pass
from thresher.scores import store as store_module
from thresher.scores.score_pass import fail_duplicates
from thresher.scores.store import (
    EMPTIED,
    FAILED,
    SCORED,
    PageScores,
    ScoringCost,
    ShardReport,
    count,
    read_cost,
    read_report,
    shard_path,
    write_shard,
    written_shards,
)

SPENT = ScoringCost({"pages": 0.25}, Times(2.0, 1.75, 99.5))
TEXTS = {SCORED: "some words, and then two more\nthe second block", EMPTIED: ""}
SCORER = Trouble()
Entry = tuple[str, str]


def page(document_id: str, status: str, file: str, offset: int | None) -> PageScores:
    if status == FAILED:
        return PageScores(document_id, FAILED, "broken before", file, offset, bytes=9)
    segments = read_text_page(TEXTS[status])
    return PageScores(
        document_id,
        status,
        "" if segments.text else "the page holds no text",
        file,
        offset,
        f"http://x/{file}",
        "utf-8",
        "meta",
        3,
        9,
        segments,
        {SCORER.canonical_name: SCORER.score(segments)},
    )


def put(folder: Path, groups: Sequence[Sequence[PageScores]]) -> list[bytes]:
    """Write a store of these shards, and return their bytes."""
    folder.mkdir(exist_ok=True)
    for path in written_shards(folder):
        path.unlink()
    for number, pages in enumerate(groups):
        words = sum(int(page.segments.words_in_sentences.sum()) for page in pages if page.segments)
        report = ShardReport(len(pages), **count(pages), words=words, bytes=9 * len(pages), begin=1, first=2, after=3)
        path = shard_path(folder, replace(whole(()), number=number))
        write_shard(path, pages, [SCORER.canonical_name], report, SPENT)
    return [path.read_bytes() for path in written_shards(folder)]


def checked(groups: Sequence[Sequence[PageScores]]) -> list[list[PageScores]]:
    """What must be in the store: of the pages of an id the first that did not fail, and all others failed."""
    first: dict[str, str] = {}
    result = []
    for pages in groups:
        result.append([])
        for entry in pages:
            if entry.status != FAILED and entry.id in first:
                reason = f"the document id occurs twice, first in {first[entry.id]}"
                entry = PageScores(entry.id, FAILED, reason, entry.file, entry.offset, entry.url, bytes=entry.bytes)
            elif entry.status != FAILED:
                first[entry.id] = entry.file if entry.offset is None else f"{entry.file} at byte {entry.offset}"
            result[-1].append(entry)
    return result


IDS = st.sampled_from(["a", "b", "c", "é", "e\u0301", "a/b", ""]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=2
)
GROUPS = st.lists(
    st.lists(st.tuples(IDS, st.sampled_from([SCORED, SCORED, EMPTIED, FAILED])), max_size=6), max_size=4
).map(
    lambda groups: [
        [page(*entry, f"f{number}", row or None) for row, entry in enumerate(group)]
        for number, group in enumerate(groups)
    ]
)


def few(table: Table) -> npt.NDArray[np.uint64]:
    """Two digests for all ids there are."""
    return np.array([len(document_id) % 2 for document_id in table.texts("id").tolist()], dtype=np.uint64)


def one(table: Table) -> npt.NDArray[np.uint64]:
    return np.full(len(table), 2**64 - 1, dtype=np.uint64)


@pytest.mark.slow
@pytest.mark.parametrize(
    "digests",
    [score_pass._digests, few, one],
)
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups=GROUPS)
def test_the_first_page_of_an_id_stays_and_all_others_have_failed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    digests: Callable[[Table], npt.NDArray[np.uint64]],
    groups: list[list[PageScores]],
) -> None:
    """As if these had failed when they were scored, byte for byte."""
    monkeypatch.setattr(score_pass, "_digests", digests)
    expected = put(tmp_path / "expected", checked(groups))
    put(tmp_path / "store", groups)
    fail_duplicates(tmp_path / "store")
    paths = written_shards(tmp_path / "store")
    assert [read_report(path) for path in paths] == [
        read_report(path) for path in written_shards(tmp_path / "expected")
    ]
    assert [path.read_bytes() for path in paths] == expected
    assert all(read_cost(path) == SPENT for path in paths)
    for path in paths:
        report = read_report(path)
        assert report.documents == report.scored + report.emptied + report.failed
    # Twice is the same as once.
    fail_duplicates(tmp_path / "store")
    assert [path.read_bytes() for path in paths] == expected


def test_shards_without_duplicates_are_not_touched(tmp_path: Path) -> None:
    groups = [[page("a", SCORED, "f", 0)], [], [page("b", SCORED, "f", 1)], [page("a", SCORED, "g", 0)]]
    put(tmp_path, groups)
    before = [path.stat().st_ino for path in written_shards(tmp_path)]
    fail_duplicates(tmp_path)
    after = [path.stat().st_ino for path in written_shards(tmp_path)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, True, True, False]


def test_a_pass_that_was_ended_half_way_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [[page(name, SCORED, f"f{number}", 0) for name in "abc"] for number in range(4)]
    expected = put(tmp_path / "expected", checked(groups))
    store = tmp_path / "store"
    put(store, groups)
    written = []

    def write(path: Path, *rest: object) -> None:
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(path)
        real(path, *rest)  # type: ignore[arg-type]

    real = store_module.write_columns
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "write_columns", write)
        with pytest.raises(KeyboardInterrupt):
            fail_duplicates(store)
    done = [path.read_bytes() == content for path, content in zip(written_shards(store), expected, strict=True)]
    assert done == [True, True, True, False]
    fail_duplicates(store)
    assert [path.read_bytes() for path in written_shards(store)] == expected


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    put(tmp_path, [[page("a", SCORED, "f", 0)], [page("a", SCORED, "f", 1)]])
    path = written_shards(tmp_path)[1]
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(StateError) as caught:
        fail_duplicates(tmp_path)
    assert_names(caught.value, f"{path}: ", "scores is damaged", "Fix: ", "and run again")


def test_an_empty_store(tmp_path: Path) -> None:
    fail_duplicates(tmp_path)
    put(tmp_path, [[], []])
    fail_duplicates(tmp_path)
    assert [read_report(path).documents for path in written_shards(tmp_path)] == [0, 0]
