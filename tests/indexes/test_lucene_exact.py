from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.indexes.analysis import Analysis, RetrievalModel, analyse, text_analyzer
from thresher.indexes.exact_ranking import ExactRanking, dirichlet_scores
from thresher.indexes.indexing import IndexOptions, build_index, open_index
from thresher.indexes.posting_lists import PostingList
from thresher.indexes.searching import Searcher

Documents = list[tuple[str, str]]


def _formula(query: list[str], documents: dict[str, list[str]], mu: float) -> dict[str, float]:
    """The published formula over token lists, term by term; documents with no query word have no score."""
    collection = Counter(token for tokens in documents.values() for token in tokens)
    total = sum(collection.values())
    scores = {}
    for identifier, tokens in documents.items():
        counts = Counter(tokens)
        if any(word in counts for word in query):
            scores[identifier] = sum(
                times * math.log(1 + counts[word] / (mu * collection[word] / total))
                for word, times in Counter(query).items()
                if word in counts
            ) + len(query) * math.log(mu / (mu + len(tokens)))
    return scores


def test_a_worked_example(tmp_path: Path) -> None:
    documents = [("d1", "apple apple pear"), ("d2", "apple plum plum plum plum"), ("d3", "fig fig")]
    build_index(documents, tmp_path / "index", IndexOptions(lengths=True))
    # 10 tokens; p(apple) = 3/10 and p(fig) = 2/10; with mu = 10, mu * p is 3 and 2. The query has 3 tokens:
    # apple, fig # and kiwi, which no document has.
    expected = {
        "d3": math.log(1 + 2 / 2) + 3 * math.log(10 / 12),
        "d1": math.log(1 + 2 / 3) + 3 * math.log(10 / 13),
        "d2": math.log(1 + 1 / 3) + 3 * math.log(10 / 15),
    }
    with Searcher(tmp_path / "index", RetrievalModel("qld", exact=True, mu=10)) as searcher:
        hits = searcher.search("apple fig kiwi")
    assert [identifier for identifier, _ in hits] == ["d3", "d1", "d2"]
    assert dict(hits) == pytest.approx(expected, abs=1e-6)
    # Lucene leaves kiwi, and the length of d3 and d1 for the word they lack, out of the count.
    with Searcher(tmp_path / "index", RetrievalModel("qld", mu=10)) as searcher:
        assert dict(searcher.search("apple fig kiwi")) != pytest.approx(expected, abs=0.1)


def test_a_query_word_twice_counts_twice(tmp_path: Path) -> None:
    build_index([("d", "apple pear"), ("e", "pear")], tmp_path / "index", IndexOptions(lengths=True))
    with Searcher(tmp_path / "index", RetrievalModel("qld", exact=True, mu=3)) as searcher:
        hits = searcher.search("apple apple")
    assert hits == [("d", round(2 * math.log(1 + 1 / 1) + 2 * math.log(3 / 5), 6))]


def test_words_beyond_the_basic_plane(tmp_path: Path) -> None:
    build_index([("d", "😀 pear"), ("e", "pear")], tmp_path / "index", IndexOptions(lengths=True))
    with Searcher(tmp_path / "index", RetrievalModel("qld", exact=True, mu=3)) as searcher:
        assert searcher.search("😀") == [("d", round(math.log(1 + 1 / 1) + math.log(3 / 5), 6))]


@pytest.mark.parametrize("mu", [2000.0, 37.5])
def test_scores_are_those_of_the_formula(documents: Documents, index: Path, queries: list[str], mu: float) -> None:
    analyzer = text_analyzer(Analysis())
    tokens = {identifier: analyse(analyzer, text) for identifier, text in documents}
    with open_index(index) as reader:
        ranking = ExactRanking(reader, analyzer, mu, 10**6, index / "lengths.npy")
        for query in queries:
            expected = _formula(analyse(analyzer, query), tokens, mu)
            ids, scores = ranking.rank(query)
            assert len(ids) == len(expected)
            # Scores are rounded to ten decimals to make ties of equal documents.
            assert dict(zip(ids, scores, strict=True)) == pytest.approx(expected, rel=1e-9, abs=6e-11)
            assert ids == sorted(expected, key=lambda identifier: (-round(expected[identifier], 9), identifier))


def test_a_depth_cuts_the_same_ranking(index: Path, queries: list[str]) -> None:
    model = RetrievalModel("qld", exact=True)
    with Searcher(index, model, 10**6) as deep, Searcher(index, model, 10) as shallow:
        for query in queries:
            whole = [identifier for identifier, _ in deep.search(query)]
            assert [identifier for identifier, _ in shallow.search(query)] == whole[:10]


TEXTS = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), min_size=1, max_size=8)


@given(TEXTS, st.lists(st.sampled_from("abcxyz"), min_size=1, max_size=5), st.floats(0.1, 1e5))
def test_numpy_and_the_formula_agree(texts: list[list[str]], query: list[str], mu: float) -> None:
    tokens = {str(number): text for number, text in enumerate(texts)}
    postings = {
        word: PostingList(
            np.array([number for number, text in enumerate(texts) if word in text], dtype=np.int32),
            np.array([text.count(word) for text in texts if word in text], dtype=np.int32),
        )
        for word in {word for text in texts for word in text}
    }
    lengths = np.array([len(text) for text in texts], dtype=np.int32)
    numbers, scores = dirichlet_scores(Counter(query), postings, lengths, int(lengths.sum()), mu)
    expected = _formula(query, tokens, mu)
    assert [str(number) for number in numbers] == list(expected)
    assert scores.tolist() == pytest.approx(list(expected.values()), rel=1e-9, abs=1e-12)
