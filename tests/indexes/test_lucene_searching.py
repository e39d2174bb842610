from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import assert_names

from thresher.base.errors import ConfigError, InputError, StateError
from thresher.indexes.analysis import Analysis, RetrievalModel, parse_retrieval, text_analyzer
from thresher.indexes.indexing import IndexOptions, build_index, open_index
from thresher.indexes.jvm import java_class
from thresher.indexes.searching import LuceneRanking, Searcher, strictly_decreasing
from thresher.indexes.work import QueryWork

Documents = list[tuple[str, str]]


def _simple_searcher(index: Path, model: RetrievalModel) -> Any:
    searcher = java_class("io.anserini.search.SimpleSearcher")(str(index))
    if model.family == "qld":
        searcher.set_qld(model.mu)
    else:
        searcher.set_bm25(model.k1, model.b)
    return searcher


def _lowered_by_anserini(scores: list[float]) -> list[float]:
    """Anserini's rule for ties: a score within 1e-4 of the one before loses 1e-6 for each so far."""
    lowered: list[np.float32] = []
    ties = 0
    for score in map(np.float32, scores):
        ties = ties + 1 if lowered and lowered[-1] - score <= np.float32(1e-4) else 0
        lowered.append(score - np.float32(1e-6) * np.float32(ties))
    return [float(score) for score in lowered]


@pytest.mark.parametrize("depth", [1, 7, 1000])
@pytest.mark.parametrize("name", ["qld", "qld(mu=50)", "bm25", "bm25(b=0.9,k1=2)", "bm25(b=0,k1=0)"])
def test_hits_are_those_of_simple_searcher(index: Path, queries: list[str], name: str, depth: int) -> None:
    model = parse_retrieval(name)
    theirs = _simple_searcher(index, model)
    analyzer = text_analyzer(Analysis())
    counts = []
    with open_index(index) as reader, Searcher(index, model, depth) as searcher:
        ranking = LuceneRanking(reader, analyzer, model, depth)
        for query in queries:
            expected = theirs.search(query, depth)
            ids, scores = ranking.rank(query)
            assert ids == [hit.docid for hit in expected]
            assert _lowered_by_anserini(scores) == [hit.score for hit in expected]
            hits = searcher.search(query)
            assert [identifier for identifier, _ in hits] == ids
            assert [score for _, score in hits] == strictly_decreasing(scores)
            counts.append(len(hits))
    theirs.close()
    assert sum(counts) > (500 if depth == 1000 else 6 * depth)


@pytest.mark.parametrize("name", ["qld", "bm25", "qld(exact)"])
def test_scores_decrease_strictly_in_print_and_32_bits(index: Path, queries: list[str], name: str) -> None:
    with Searcher(index, parse_retrieval(name)) as searcher:
        for query in queries:
            read = [np.float32(f"{score:.6f}") for _, score in searcher.search(query)]
            assert all(before > after for before, after in itertools.pairwise(read))


@pytest.mark.parametrize("name", ["qld", "bm25", "qld(exact)"])
def test_equal_documents_are_ranked_by_id(tmp_path: Path, name: str) -> None:
    ids = ["b", "B", "a/9", "a/10", "é", "z", "日本", "😀", "10", "9"]
    documents = [(identifier, "some words here") for identifier in ids] + [("other", "nothing")]
    build_index(documents, tmp_path / "index", IndexOptions(lengths=True))
    with Searcher(tmp_path / "index", parse_retrieval(name)) as searcher:
        assert [identifier for identifier, _ in searcher.search("words")] == sorted(ids)
    with Searcher(tmp_path / "index", parse_retrieval(name), depth=3) as searcher:
        assert [identifier for identifier, _ in searcher.search("words")] == sorted(ids)[:3]


@pytest.mark.parametrize("name", ["qld", "bm25", "qld(exact)"])
@pytest.mark.parametrize("query", ["", "   ", "the of and", "zzznowhere", "\0", "?!", "\ud800"])
def test_queries_without_index_words_have_no_hits(index: Path, name: str, query: str) -> None:
    with Searcher(index, parse_retrieval(name)) as searcher:
        assert searcher.search(query) == []
        assert searcher.work([query]) == QueryWork(0, 0, (0,), (0,))


@pytest.mark.parametrize("name", ["qld", "bm25", "qld(exact)"])
@pytest.mark.parametrize("query", ["encoding\0", "\ud800 encoding", "encoding \U0001f600", "encoding?!"])
def test_strange_signs_in_a_query_do_no_work(index: Path, name: str, query: str) -> None:
    with Searcher(index, parse_retrieval(name)) as searcher:
        assert searcher.work([query]) == searcher.work(["encoding"]) != QueryWork(0, 0, (0,), (0,))


def test_hits_that_are_forgotten_are_not_in_the_next_search(index: Path) -> None:
    with Searcher(index, parse_retrieval("qld")) as searcher:
        expected = searcher.search("list")
        searcher.ranking.search("encoding")
        searcher.ranking.forget()
        assert searcher.search("list") == expected


def test_queries_are_analysed_as_the_documents_were(tmp_path: Path) -> None:
    documents = [("running", "running the race"), ("run", "run a race")]
    build_index(documents, tmp_path / "porter", IndexOptions())
    build_index(documents, tmp_path / "plain", IndexOptions(stemmer="none", stopwords=False))
    with Searcher(tmp_path / "porter", RetrievalModel("bm25")) as searcher:
        assert {identifier for identifier, _ in searcher.search("running")} == {"run", "running"}
        assert searcher.search("the") == []
    with Searcher(tmp_path / "plain", RetrievalModel("bm25")) as searcher:
        assert [identifier for identifier, _ in searcher.search("running")] == ["running"]
        assert [identifier for identifier, _ in searcher.search("the")] == ["running"]


def test_an_index_of_anserini_can_be_searched(
    documents: Documents, index_collection: Callable[..., None], index: Path, tmp_path: Path
) -> None:
    index_collection(documents, tmp_path / "theirs")
    with Searcher(tmp_path / "theirs", RetrievalModel("qld")) as theirs:
        expected = theirs.search("list of strings")
    with Searcher(index, RetrievalModel("qld")) as ours:
        assert ours.search("list of strings") == expected


@pytest.mark.parametrize("name", ["qld", "qld(exact)"])
def test_topics_are_searched_and_timed(index: Path, queries: list[str], name: str) -> None:
    topics = [*((f"t{number}", query) for number, query in enumerate(queries)), ("empty", "the")]
    with Searcher(index, parse_retrieval(name), depth=50) as searcher:
        report = searcher.search_topics(topics, warm_up=2)
        assert report.hits == {identifier: searcher.search(query) for identifier, query in topics}
        assert list(report.hits) == [identifier for identifier, _ in topics]
        assert report.hits["empty"] == []
        assert len(report.latencies_ms) == len(topics)
        assert min(report.latencies_ms) > 0
        assert searcher.search_topics([], warm_up=0).hits == {}


def test_a_topic_that_occurs_twice(index: Path) -> None:
    with Searcher(index, RetrievalModel("qld")) as searcher, pytest.raises(InputError) as caught:
        searcher.search_topics([("201", "a"), ("202", "b"), ("201", "c")])
    assert_names(caught.value, "'201'", "Fix: ", "its own id")


def test_two_searchers_at_once(index: Path) -> None:
    with Searcher(index, RetrievalModel("qld"), 5) as one, Searcher(index, RetrievalModel("bm25"), 5) as two:
        first, second = one.search("encoding"), two.search("encoding")
        assert one.search("encoding") == first
        assert two.search("encoding") == second
        assert first != second


def test_a_folder_without_an_index(tmp_path: Path) -> None:
    for folder, what in ((tmp_path, "no Lucene index"), (tmp_path / "missing", "no such folder")):
        with pytest.raises(InputError) as caught, Searcher(folder, RetrievalModel("qld")):
            pass
        assert_names(caught.value, f"{folder}: ", what, "Fix: ", "build the index first", "check the path")
        # Lucene would make it.
        assert not (tmp_path / "missing").exists()


def test_a_damaged_index(documents: Documents, tmp_path: Path) -> None:
    build_index(documents, tmp_path / "index", IndexOptions())
    file = tmp_path / "index" / "_0.fnm"
    file.write_bytes(file.read_bytes()[:-9] + bytes(9))
    with pytest.raises(InputError) as caught, Searcher(tmp_path / "index", RetrievalModel("qld")):
        pass
    what = "damaged or of another version"
    assert_names(caught.value, f"{tmp_path / 'index'}: ", what, "Fix: ", "build the index again")


def test_exact_lengths_that_are_missing(tmp_path: Path) -> None:
    build_index([("a", "x")], tmp_path / "index", IndexOptions())
    with (
        pytest.raises(StateError) as caught,
        Searcher(tmp_path / "index", RetrievalModel("qld", exact=True)),
    ):
        pass
    where, lengths = f"{tmp_path / 'index' / 'lengths.npy'}: ", "exact document lengths"
    assert_names(caught.value, where, lengths, "qld(exact)", "Fix: ", "build the index again", lengths)


def test_a_depth_without_hits(index: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        Searcher(index, RetrievalModel("qld"), depth=0)
    assert_names(caught.value, "0", "Fix: ", "1")


def test_a_searcher_is_used_in_its_block(index: Path) -> None:
    searcher = Searcher(index, RetrievalModel("qld"))
    with pytest.raises(RuntimeError):
        searcher.search("encoding")
    with searcher:
        assert searcher.search("encoding")
    with pytest.raises(RuntimeError):
        searcher.search("encoding")
