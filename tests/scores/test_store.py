"""The score store: what goes in comes out, and damage is found."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import Message, assert_names
from troublesome import Listed, Trouble, whole

from thresher.base.errors import InputError, StateError
from thresher.base.repeats import Times
from thresher.base.tables import Table, Texts, write_table
from thresher.cleaners.cleaner import parse_cleaner
from thresher.cleaners.scorers.perplexity import Perplexity
from thresher.cleaners.scorers.shallow_features import Density, Words
from thresher.collections import documents, open_collection
from thresher.experiments.measuring import warm_up_indexing
from thresher.indexes.indexing import IndexOptions
from thresher.pages import read_text_page
from thresher.scores.crash_log import PartTask
from thresher.scores.cutting import cleaned_documents
from thresher.scores.lost_pages import Failure, failures
from thresher.scores.parts import process_part
from thresher.scores.score_work import ScoreWork
from thresher.scores.scoring import score_page
from thresher.scores.store import (
    EMPTIED,
    FAILED,
    SCORED,
    PageScores,
    ScoringCost,
    ShardReport,
    count,
    first_document,
    missing_documents,
    read_cost,
    read_report,
    read_shard,
    shard_path,
    shards,
    write_shard,
)

REPORT = ShardReport(2, 1, 0, 1, 7, 70, None, 12, 95)
SPENT = ScoringCost({"pages": 0.25, "trouble(q=0.5)": 1.5}, Times(2.0, 1.75, 99.5))
PART = whole(())


@pytest.mark.slow
def test_real_pages_come_out_as_they_were_scored(tmp_path: Path, shared_data: Path) -> None:
    sources = tuple(documents(open_collection(shared_data / "cleaning" / "dragnet-300" / "input")))[::15]
    scorers = (Words(), Density(), Perplexity(), Trouble())
    for scorer in scorers:
        scorer.prepare()
    path = shard_path(tmp_path, PART)
    assert process_part(PartTask(whole(sources)), ScoreWork(Listed(()), tmp_path, scorers=scorers)) == 20
    report = read_report(path)
    table = read_shard(path)
    words = 0
    for row, source in enumerate(sources):
        page = score_page(source.page(), scorers)
        assert page.segments is not None
        texts = [table.texts(name)[row] for name in ("id", "status", "reason", "url", "encoding", "encoding_source")]
        assert texts == [source.id, page.status, page.reason, "", page.encoding, page.encoding_source]
        assert [table.numbers(name)[row] for name in ("replaced", "bytes")] == [page.replaced, source.size]
        assert table.texts("text")[row] == page.segments.text
        assert table.lists("block_ends")[row].tolist() == page.segments.block_ends.tolist()
        assert table.lists("sentence_ends")[row].tolist() == page.segments.sentence_ends.tolist()
        assert table.lists("levels")[row].tolist() == page.segments.levels.tolist()
        assert table.lists("words")[row].tolist() == page.segments.words_in_sentences.tolist()
        for scorer in scorers:
            stored = table.lists(f"score:{scorer.canonical_name}")[row]
            assert stored.tobytes() == scorer.score(page.segments).astype(np.float32).tobytes()
        words += len([word for word in page.segments.text.split() if any(map(str.isalnum, word))])
    assert (report.words, report.documents, read_cost(path).times.peak > 10) == (words, 20, True)


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=4).map("\n".join)


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=5), st.randoms())
def test_any_pages_come_out_as_they_went_in(
    tmp_path: Path, texts: list[tuple[str, bool]], generator: random.Random
) -> None:
    pages = []
    for number, (text, failed) in enumerate(texts):
        segments = None if failed else read_text_page(text)
        scores = {}
        if segments is not None:
            values = [generator.choice([generator.random() * 1e5, np.inf, 0.0]) for _ in segments.block_ends]
            scores = {"trouble(q=0.5)": np.array(values, dtype=np.float32)}
        status = FAILED if failed else SCORED if segments and segments.text else EMPTIED
        url = text or None
        pages.append(
            PageScores(
                f"d{number}",
                status,
                text,
                "f",
                number,
                url,
                "utf-8",
                "bom",
                number,
                7,
                segments,
                scores,
            )
        )
    path = tmp_path / "shard-000000.npz"
    write_shard(path, pages, ["trouble(q=0.5)"], REPORT, SPENT)
    assert read_report(path) == REPORT
    assert read_cost(path) == SPENT
    table = read_shard(path, ["id", "status", "reason", "url", "text", "sentence_ends", "score:trouble(q=0.5)"])
    assert len(table) == len(pages)
    for row, page in enumerate(pages):
        found = [table.texts(name)[row] for name in ("id", "status", "reason", "url", "text")]
        text = page.segments.text if page.segments else ""
        assert found == [page.id, page.status, page.reason, page.url or "", text]
        ends = page.segments.sentence_ends.tolist() if page.segments else []
        assert table.lists("sentence_ends")[row].tolist() == ends
        scores = page.scores.get("trouble(q=0.5)", np.zeros(0, np.float32))
        assert table.lists("score:trouble(q=0.5)")[row].tobytes() == scores.tobytes()
    assert list(failures(tmp_path)) == [
        Failure("f", page.offset, page.id, page.reason) for page in pages if page.status == FAILED
    ]
    assert missing_documents(tmp_path, {"e", *(page.id for page in pages)}) == {"e"}
    assert not pages or first_document(tmp_path) == "d0"
    assert sum(count(pages).values()) == len(pages)


def small(path: Path, text: str = "hello there", spent: ScoringCost = SPENT) -> None:
    page = PageScores("d", SCORED, segments=read_text_page(text), scores={"s": np.ones(1, np.float32)})
    write_shard(path, [page], ["s"], REPORT, spent)


def damaged(path: Path) -> Message:
    return Message(f"{path}: ", "shard of scores is damaged", "Fix: ", "delete the file", "run again")


@pytest.mark.parametrize("keep", [0, 3, 100, -9])
def test_a_clipped_shard_is_damaged(tmp_path: Path, keep: int) -> None:
    path = shard_path(tmp_path, PART)
    small(path)
    path.write_bytes(path.read_bytes()[:keep])
    for read in (lambda: read_report(path), lambda: read_shard(path, ["text"])):
        with pytest.raises(StateError) as caught:
            read()
        assert str(caught.value) == damaged(path)


def test_a_changed_bit_is_never_read_as_another_text(tmp_path: Path) -> None:
    path = shard_path(tmp_path, PART)
    text = " ".join(map(str, range(3000)))
    small(path, text)
    whole = path.read_bytes()
    generator = random.Random(5)
    result = 0
    for _ in range(150):
        broken = bytearray(whole)
        broken[generator.randrange(len(whole))] ^= 1 << generator.randrange(8)
        path.write_bytes(broken)
        try:
            texts = read_shard(path, ["text"]).texts("text").tolist()
        except StateError:
            result += 1
        else:
            assert texts == [text]
    assert result > 50


def test_a_shard_without_a_column_is_damaged(tmp_path: Path) -> None:
    path = shard_path(tmp_path, PART)
    small(path)
    with pytest.raises(StateError) as caught:
        read_shard(path, ["text", "score:other"])
    assert str(caught.value) == damaged(path)


def test_a_shard_without_a_report_is_damaged(tmp_path: Path) -> None:
    path = shard_path(tmp_path, PART)
    write_table(path, Table({"id": Texts.of(["d"])}), "")
    with pytest.raises(StateError) as caught:
        read_report(path)
    assert str(caught.value) == damaged(path)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    for read in (lambda: read_report(tmp_path / "x"), lambda: read_shard(tmp_path / "x", ["text"])):
        with pytest.raises(InputError) as caught:
            read()
        assert_names(caught.value, f"{tmp_path / 'x'}: ", "file or folder", "Fix: ", "check the path")


def test_shards_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for file, number in ((10, 0), (2, 11), (0, 0), (2, 9), (2, 1_000_000), (2, 999_999), (123456, 654321), (2, 0)):
        small(shard_path(tmp_path, replace(PART, file=file, number=number)))
    (tmp_path / ".shard-000001-000000.npz.77.tmp").touch()
    (tmp_path / "shard-000001-000000.page").touch()
    assert [path.name for path in shards(tmp_path)] == [
        "shard-000000-000000.npz",
        "shard-000002-000000.npz",
        "shard-000002-000009.npz",
        "shard-000002-000011.npz",
        "shard-000002-999999.npz",
        "shard-000002-1000000.npz",
        "shard-000010-000000.npz",
        "shard-123456-654321.npz",
    ]


def test_the_same_pages_give_the_same_bytes(tmp_path: Path) -> None:
    """However long they took."""
    small(tmp_path / "a")
    small(tmp_path / "b", spent=ScoringCost({}, Times(1.0, 1.0, 1.0)))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert read_cost(tmp_path / "a") == SPENT != read_cost(tmp_path / "b")
    write_shard(tmp_path / "a", [], ["s"], replace(REPORT, documents=0), SPENT)
    assert len(read_shard(tmp_path / "a")) == 0


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"seconds": {}}', b"\xff"])
def test_times_that_are_missing_or_damaged(tmp_path: Path, content: bytes | None) -> None:
    path = shard_path(tmp_path, PART)
    small(path)
    times = path.with_suffix(".times.json")
    times.unlink()
    if content is not None:
        times.write_bytes(content)
    with pytest.raises(StateError) as caught:
        read_cost(path)
    assert (caught.value.where, caught.value.fix) == (str(path), "delete the file and run again")


def test_documents_of_a_store(tmp_path: Path) -> None:
    """Pages without an id are passed over; failed ones are there."""
    for number, ids in enumerate((["", "b"], [], ["a", "", "c"])):
        pages = [PageScores(document_id, FAILED, "why") for document_id in ids]
        write_shard(shard_path(tmp_path, replace(PART, number=number)), pages, [], REPORT, SPENT)
    assert first_document(tmp_path) == "b"
    assert missing_documents(tmp_path, ["a", "b", "c", "d", "e"]) == {"d", "e"}
    assert missing_documents(tmp_path, []) == set()


@pytest.mark.parametrize("cleaner", ["none", "words@2", "words@p50", "extractor(justext)"])
def test_a_missing_store_is_no_empty_collection(tmp_path: Path, cleaner: str) -> None:
    """An index of no documents would be built of it."""
    with pytest.raises(StateError, match="there are no scores"):
        next(cleaned_documents(tmp_path / "scores", parse_cleaner(cleaner)))
    with pytest.raises(StateError, match="there are no scores"):
        warm_up_indexing(tmp_path / "scores", IndexOptions())
    assert list(tmp_path.iterdir()) == []
