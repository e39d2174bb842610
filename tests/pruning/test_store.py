"""The score store: what goes in comes out, and damage is found."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from troublesome import Trouble

from thresher.collections.html_folder import HtmlFolder
from thresher.errors import InputError, StateError
from thresher.pages import PageOptions, read_text_page
from thresher.pruning.page_scores import EMPTIED, FAILED, SCORED, PageScores, score_page
from thresher.pruning.store import (
    ShardReport,
    count,
    document_ids,
    failed_pages,
    read_report,
    read_shard,
    shard_path,
    shards,
    write_shard,
)
from thresher.pruning.worker import Limits, Shard, score_shard
from thresher.scorers.density import Density
from thresher.scorers.perplexity import Perplexity
from thresher.scorers.words import Words

REPORT = ShardReport(3, 2, 1, 0, 1, 7, 70, {"pages": 0.25, "trouble(q=0.5)": 1.5}, 2.0, 1.75, 99.5)


def test_real_pages_come_out_as_they_were_scored(tmp_path: Path, shared_data: Path) -> None:
    sources = tuple(HtmlFolder(shared_data / "cleaning" / "dragnet-300" / "input").sources())[:60]
    scorers = (Words(), Density(), Perplexity(), Trouble())
    for scorer in scorers:
        scorer.prepare()
    report = score_shard(Shard(0, sources, {}), tmp_path, scorers, PageOptions(), Limits())
    rows = pq.read_table(shard_path(tmp_path, 0)).to_pylist()
    words = 0
    for source, row in zip(sources, rows, strict=True):
        page = score_page(source.page(), scorers)
        assert page.segments is not None
        assert (row["id"], row["status"], row["reason"], row["url"]) == (source.id, page.status, page.reason, None)
        assert (row["encoding"], row["encoding_source"]) == (page.encoding, page.encoding_source)
        assert (row["replaced"], row["bytes"]) == (page.replaced, source.size)
        assert row["text"] == page.segments.text
        assert row["block_ends"] == page.segments.block_ends.tolist()
        assert row["sentence_ends"] == page.segments.sentence_ends.tolist()
        assert row["levels"] == page.segments.levels.tolist()
        assert row["words"] == page.segments.words_in_sentences.tolist()
        for scorer in scorers:
            stored = np.array(row[f"score:{scorer.canonical_name}"], dtype=np.float32)
            assert stored.tobytes() == scorer.score(page.segments).astype(np.float32).tobytes()
        words += len([word for word in page.segments.text.split() if any(map(str.isalnum, word))])
    assert (report.words, report.documents, report.peak_mib > 10) == (words, 60, True)


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=4).map("\n".join)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        pages.append(PageScores(f"d{number}", status, text, url, "utf-8", "bom", number, 7, segments, scores))
    path = tmp_path / "shard-000000.parquet"
    write_shard(path, pages, ["trouble(q=0.5)"], REPORT)
    assert read_report(path) == REPORT
    table = read_shard(path, ["id", "status", "reason", "url", "text", "sentence_ends", "score:trouble(q=0.5)"])
    for page, row in zip(pages, table.to_pylist(), strict=True):
        assert (row["id"], row["status"], row["reason"], row["url"]) == (page.id, page.status, page.reason, page.url)
        assert row["text"] == (page.segments.text if page.segments else "")
        assert row["sentence_ends"] == (page.segments.sentence_ends.tolist() if page.segments else [])
        scores = page.scores.get("trouble(q=0.5)", np.zeros(0, np.float32))
        assert np.array(row["score:trouble(q=0.5)"], dtype=np.float32).tobytes() == scores.tobytes()
    assert list(failed_pages(tmp_path)) == [(page.id, page.reason) for page in pages if page.status == FAILED]
    assert document_ids(tmp_path) == {page.id for page in pages}
    assert sum(count(pages).values()) == len(pages)


def small(path: Path, text: str = "hello there") -> None:
    page = PageScores("d", SCORED, segments=read_text_page(text), scores={"s": np.ones(1, np.float32)})
    write_shard(path, [page], ["s"], REPORT)


def damaged(path: Path) -> str:
    return f"{path}: the shard of scores is damaged. Fix: delete the file and run again."


@pytest.mark.parametrize("keep", [0, 3, 100, -9])
def test_a_clipped_shard_is_damaged(tmp_path: Path, keep: int) -> None:
    path = shard_path(tmp_path, 0)
    small(path)
    path.write_bytes(path.read_bytes()[:keep])
    for read in (lambda: read_report(path), lambda: read_shard(path, ["text"])):
        with pytest.raises(StateError) as caught:
            read()
        assert str(caught.value) == damaged(path)


def test_a_changed_bit_is_never_read_as_another_text(tmp_path: Path) -> None:
    path = shard_path(tmp_path, 0)
    text = " ".join(map(str, range(3000)))
    small(path, text)
    whole = path.read_bytes()
    generator = random.Random(5)
    found = 0
    for _ in range(150):
        broken = bytearray(whole)
        broken[generator.randrange(len(whole))] ^= 1 << generator.randrange(8)
        path.write_bytes(broken)
        try:
            texts = read_shard(path, ["text"])["text"].to_pylist()
        except StateError:
            found += 1
        else:
            assert texts == [text]
    assert found > 50


def test_a_shard_without_a_column_or_a_report_is_damaged(tmp_path: Path) -> None:
    path = shard_path(tmp_path, 0)
    small(path)
    with pytest.raises(StateError) as caught:
        read_shard(path, ["text", "score:other"])
    assert str(caught.value) == damaged(path)
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    with pytest.raises(StateError) as caught:
        read_report(path)
    assert str(caught.value) == damaged(path)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    for read in (lambda: read_report(tmp_path / "x"), lambda: read_shard(tmp_path / "x", ["text"])):
        with pytest.raises(InputError) as caught:
            read()
        assert str(caught.value) == f"{tmp_path / 'x'}: there is no such file or folder. Fix: check the path."


def test_shards_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 0, 123456):
        small(shard_path(tmp_path, number))
    (tmp_path / ".shard-000001.parquet.77.tmp").touch()
    (tmp_path / "shard-000001.place").touch()
    assert [path.name for path in shards(tmp_path)] == [
        "shard-000000.parquet",
        "shard-000002.parquet",
        "shard-000010.parquet",
        "shard-123456.parquet",
    ]


def test_the_same_pages_give_the_same_bytes(tmp_path: Path) -> None:
    small(tmp_path / "a")
    small(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    write_shard(tmp_path / "a", [], ["s"], replace(REPORT, documents=0))
    assert pq.read_table(tmp_path / "a").num_rows == 0
