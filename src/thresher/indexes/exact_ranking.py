"""Ranking by query likelihood with Dirichlet smoothing as published, with exact document lengths, over Lucene's postings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from thresher.base.numbers import Floats
from thresher.indexes.analysis import analyse
from thresher.indexes.document_ids import DocumentIds
from thresher.indexes.jvm import java_class
from thresher.indexes.original_statistics import OriginalStatistics
from thresher.indexes.posting_lists import ExactLengths, Numbers, PostingList, PostingLists
from thresher.indexes.work import CONTENTS, QueryWork

_TIES = 10
"""Scores that agree to this many decimals are ties, since sums may differ in their last bits."""


class RankedDocuments(NamedTuple):
    """The ids of documents, best first, and their scores."""

    ids: list[str]
    scores: list[float]


class ScoredDocuments(NamedTuple):
    """The numbers of documents, ascending, and their scores."""

    numbers: Numbers
    scores: Floats


def dirichlet_scores(
    query: Mapping[str, int],
    postings: Mapping[str, PostingList],
    lengths: Numbers,
    tokens: int,
    mu: float,
    lost: Mapping[str, int] = MappingProxyType({}),
) -> ScoredDocuments:
    """Score the documents with a query term.

    Args:
        query: c(w,q) of the query's terms.
        postings: of each query term that occurs.
        lengths: |d| by document number.
        tokens: of the whole collection.
        mu: the smoothing parameter µ, above 0.
        lost: tokens of a term that the collection has beyond its postings.
    """
    matching = [postings[term].documents for term in query if term in postings]
    if not matching:
        return ScoredDocuments(np.zeros(0, dtype=np.int32), np.zeros(0))
    documents = _union(matching, len(lengths))
    matched = np.zeros(len(documents))
    for term, times in query.items():
        if term not in postings:
            continue
        posting = postings[term]
        share = (posting.tf.sum(dtype=np.int64) + lost.get(term, 0)) / tokens
        matched[np.searchsorted(documents, posting.documents)] += times * np.log1p(posting.tf / (mu * share))
    query_length = sum(query.values())
    return ScoredDocuments(documents, matched - query_length * np.log1p(lengths[documents] / mu))


def _union(lists: Sequence[Numbers], documents: int) -> Numbers:
    """Return the numbers that are in any of the lists, ascending, among the numbers below `documents`."""
    is_listed = np.zeros(documents, dtype=np.bool_)
    for numbers in lists:
        is_listed[numbers] = True
    return np.flatnonzero(is_listed).astype(np.int32)


class _ReadQuery(NamedTuple):
    """The counts of a query's terms, and the postings of the terms that occur."""

    counts: Counter[str]
    postings: dict[str, PostingList]


class ExactRanking:
    """Ranks by `dirichlet_scores` over the postings of a Lucene index.

    Args:
        reader: the open index (a Java object).
        analyzer: of queries and documents (a Java object).
        mu: the smoothing parameter µ, above 0.
        depth: the most hits.
        lengths: the file of exact document lengths.
        original: for a pruned index that is ranked with the statistics of the unpruned collection.
    """

    def __init__(
        self,
        reader: Any,
        analyzer: Any,
        mu: float,
        depth: int,
        lengths: Path,
        original: OriginalStatistics | None = None,
    ) -> None:
        self._lengths = ExactLengths(lengths).by_number
        self._analyzer = analyzer
        self._mu = mu
        self._depth = depth
        terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
        self._tokens: int = terms.getSumTotalTermFreq() if terms is not None else 0
        self._original = original
        self._ids = DocumentIds(reader)
        self._lists = PostingLists(reader)

    def rank(self, query: str) -> RankedDocuments:
        """Return the best documents; ties by ascending id."""
        read = self._read(query)
        lost: dict[str, int] = {}
        if self._original:
            for term in read.postings:
                lost[term] = self._original.removed(term).cf
        documents, scores = dirichlet_scores(read.counts, read.postings, self._lengths, self._tokens, self._mu, lost)
        scores = np.round(scores, _TIES)
        if len(scores) > self._depth:
            worst = np.partition(scores, len(scores) - self._depth)[len(scores) - self._depth]
            among_best = scores >= worst
            documents = documents[among_best]
            scores = scores[among_best]
        ids = self._ids.of(documents)
        best = RankedDocuments([], [])
        for negated_score, identifier in sorted(zip((-scores).tolist(), ids, strict=True))[: self._depth]:
            best.ids.append(identifier)
            best.scores.append(-negated_score)
        return best

    def search(self, query: str) -> None:
        """Search and drop the hits."""
        self.rank(query)

    def forget(self) -> None:
        """Do nothing: no hits are left in Java."""

    def work(self, query: str) -> QueryWork:
        """Return the work of a query."""
        documents = [posting.documents for posting in self._read(query).postings.values()]
        if not documents:
            return QueryWork(0, 0)
        return QueryWork(sum(map(len, documents)), len(_union(documents, len(self._lengths))))

    def _read(self, query: str) -> _ReadQuery:
        counts = Counter(analyse(self._analyzer, query))
        postings: dict[str, PostingList] = {}
        for term in counts:
            posting = self._lists.of(term)
            if posting is not None:
                postings[term] = posting
        return _ReadQuery(counts, postings)
