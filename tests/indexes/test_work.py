"""Counts of work against counting by hand and by brute force."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import IndexOptions, build_index, open_index
from thresher.indexes.searching import Searcher
from thresher.indexes.work import IndexStatistics, QueryWork, index_statistics, mean_work

# Stems and stop words leave these words as they are.
PAGES = {
    "a": "red red blue",
    "b": "blue green",
    "c": "green green green",
    "d": "black",
}
OPTIONS = IndexOptions(stemmer="none", lengths=True)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work") / "index"
    report = build_index(PAGES.items(), folder, OPTIONS)
    assert report.statistics == IndexStatistics(documents=4, tokens=9, postings=6, vocabulary=4)
    return folder


def test_counts_of_an_index(index: Path, tmp_path: Path) -> None:
    terms = [Counter(text.split()) for text in PAGES.values()]
    with open_index(index) as reader:
        assert index_statistics(reader) == IndexStatistics(
            len(terms), sum(sum(counts.values()) for counts in terms), sum(map(len, terms)), len(set().union(*terms))
        )
    assert build_index([("x", "")], tmp_path / "empty", OPTIONS).statistics == IndexStatistics(0, 0, 0, 0)


@pytest.mark.parametrize("model", ["qld", "bm25", "qld(exact)"])
def test_work_of_queries(index: Path, model: str) -> None:
    with Searcher(index, parse_retrieval(model), 10) as searcher:
        # Postings of red and blue are a, and a, b; a is scored once. A repeated word is read once.
        assert searcher.ranking.work("red blue") == QueryWork(3, 2)
        assert searcher.ranking.work("green green") == QueryWork(2, 2)
        assert searcher.ranking.work("purple") == QueryWork(0, 0)
        assert searcher.ranking.work("the") == QueryWork(0, 0)
        assert searcher.work(["red blue", "purple"]) == QueryWork(1.5, 1.0, (3, 0), (2, 0))
        assert searcher.work([]) == QueryWork(0, 0)


def test_lucene_scores_fewer_documents_where_it_can_skip(tmp_path: Path) -> None:
    # Beyond 1,000 hits Lucene leaves out what cannot be among the best; a thousand more pages hold the word once.
    pages = ((str(number), "word " * (50 if number < 1200 else 1) + "other " * (number % 7)) for number in range(5000))
    build_index(pages, tmp_path / "index", OPTIONS)
    with Searcher(tmp_path / "index", parse_retrieval("bm25"), 10) as searcher:
        work = searcher.ranking.work("word")
    assert work.postings == 5000
    assert 1000 < work.documents < 5000


def test_the_mean_of_work() -> None:
    work = mean_work([QueryWork(3, 2), QueryWork(0, 1), QueryWork(6, 6)])
    assert work == QueryWork(3, 3, (3, 0, 6), (2, 1, 6))
    assert work.of([2, 0]) == QueryWork(4.5, 4, (6, 3), (6, 2))
    assert mean_work([]) == QueryWork(0, 0)
