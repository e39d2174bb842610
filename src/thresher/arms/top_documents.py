"""The best documents of many queries, found in one pass over the postings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.arms.postings import TIES, CollectionStatistics, DocumentPostings, Flags, Floats, Postings, ranges
from thresher.arms.query_logs import LoggedQuery
from thresher.arms.term_scores import term_scores
from thresher.pages.plain import Ints
from thresher.scorers.base import Value

_CELLS = 1 << 20
"""Scores, queries times documents, computed at a time."""


@dataclass(frozen=True)
class RankedQuery:
    """The terms of a query that the collection has, by their numbers, and its best documents' ids, best first."""

    terms: tuple[int, ...]
    documents: tuple[str, ...]


def best_documents(
    postings: Postings, queries: Sequence[LoggedQuery], k: int, model: Value, conjunctive: bool
) -> list[RankedQuery]:
    """Return the up to `k` best documents of each different query that has a term of the collection.

    The score of a document is the sum over the query's terms of their times in it and max(A(t,d), 0), as Lucene has it but
    with exact document lengths. Scores that agree to 10 decimals are ties, which the smaller document id wins. Memory
    grows with queries times `k`, and with the terms.

    Args:
        postings: of the collection.
        queries: of the log; equal ones are ranked once.
        k: results of a query.
        model: scores postings, A(t,d), as for `term_scores`.
        conjunctive: whether a result must have all terms of the query; else it must have one.
    """
    statistics = postings.statistics
    asked = _Asked(queries, statistics, conjunctive)
    found: list[list[tuple[float, str]]] = [[] for _ in range(asked.count)]
    worst = np.full(asked.count, -np.inf)
    for block in postings.blocks():
        for query, candidates in _candidates(block, statistics, asked, worst, model):
            best = sorted([*found[query], *candidates])[:k]
            found[query] = best
            if len(best) == k:
                worst[query] = -best[-1][0]
    return [
        RankedQuery(tuple(terms), tuple(id_ for _, id_ in best))
        for terms, best in zip(asked.terms(), found, strict=True)
    ]


class _Asked:
    """The different queries that may have results, as pairs of a query and a term, one query after the other.

    Terms of a query are in the order of their hashes, so that sums do not depend on how terms are numbered.
    """

    def __init__(self, queries: Sequence[LoggedQuery], statistics: CollectionStatistics, conjunctive: bool) -> None:
        wanted = np.array([*{term for query in queries for term in query}], dtype=np.uint64)
        numbers = zip(wanted.tolist(), statistics.numbers(wanted).tolist(), strict=True)
        known = {term: number for term, number in numbers if number >= 0}
        different = dict.fromkeys(tuple(sorted(query.items())) for query in queries)
        held = [
            [(known[term], times) for term, times in query if term in known]
            for query in different
            if not conjunctive or all(term in known for term, _ in query)
        ]
        held = [pairs for pairs in held if pairs]
        self.count = len(held)
        self.sizes: Ints = np.array([len(pairs) for pairs in held], dtype=np.int64)
        self.term: Ints = np.array([term for pairs in held for term, _ in pairs], dtype=np.int64)
        self.times: Floats = np.array([times for pairs in held for _, times in pairs], dtype=np.float64)
        self.bounds: Ints = np.concatenate(([0], np.cumsum(self.sizes)))
        self.least: Ints = self.sizes if conjunctive else np.ones(self.count, dtype=np.int64)
        """The fewest terms that a result has."""
        self.any: Flags = np.zeros(len(statistics.hashes), dtype=np.bool_)
        self.any[self.term] = True

    def terms(self) -> Iterator[list[int]]:
        """Give the terms of each query."""
        for first, after in zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True):
            yield self.term[first:after].tolist()


def _candidates(
    block: DocumentPostings, statistics: CollectionStatistics, asked: _Asked, worst: Floats, model: Value
) -> Iterator[tuple[int, list[tuple[float, str]]]]:
    """Give the documents of a block whose scores are at least a query's worst, for each query that has some.

    A document is its score, negated, and its id.
    """
    hits = np.flatnonzero(asked.any[block.term])
    hits = hits[np.argsort(block.term[hits], kind="stable")]
    scores = np.maximum(term_scores(block, statistics, model), 0)[hits]
    terms, documents, size = block.term[hits], block.document[hits], len(block.ids)
    first = np.searchsorted(terms, asked.term)
    counts = np.searchsorted(terms, asked.term, side="right") - first
    step = max(_CELLS // max(size, 1), 1)
    for start in range(0, asked.count, step):
        inside = np.arange(start, min(start + step, asked.count))
        pairs = slice(asked.bounds[inside[0]], asked.bounds[inside[-1] + 1])
        query = np.repeat(np.arange(len(inside)), asked.sizes[inside])
        rows = np.repeat(np.arange(len(query)), counts[pairs])
        place = ranges(first[pairs], counts[pairs])
        cell = query[rows] * size + documents[place]
        shape = (len(inside), size)
        matched = np.bincount(cell, minlength=len(inside) * size).reshape(shape)
        weights = scores[place] * asked.times[pairs][rows]
        sums = np.bincount(cell, weights=weights, minlength=len(inside) * size).reshape(shape).round(TIES)
        may = (matched >= asked.least[inside, None]) & (sums >= worst[inside, None])
        of_query, row = np.nonzero(may)
        ends = np.searchsorted(of_query, np.arange(len(inside) + 1))
        for number in np.unique(of_query).tolist():
            part = row[ends[number] : ends[number + 1]]
            ids = (block.ids[index] for index in part.tolist())
            yield start + number, [*zip((-sums[number, part]).tolist(), ids, strict=True)]
