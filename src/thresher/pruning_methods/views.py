"""Pruning with query views: in each document, the terms of logged queries that retrieved it come first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thresher.errors import ConfigError
from thresher.pages.plain import Ints
from thresher.pruning_methods.document_terms import DocumentCentric, Random, TwoProportions
from thresher.pruning_methods.method import KEEP_ABOVE, LOG, LoggedQuery, PruningMethod, QueryLogs, ShareMethod
from thresher.pruning_methods.postings import (
    MODEL,
    TIES,
    CollectionStatistics,
    DocumentPostings,
    Flags,
    Floats,
    Postings,
    ranges,
    term_scores,
)
from thresher.scorers.base import Parameter, Value

_CELLS = 1 << 20
"""Scores, queries times documents, computed at a time."""
_ALL = "all"
_BASES: dict[str, type[PruningMethod]] = {kind.name: kind for kind in (DocumentCentric, TwoProportions, Random)}


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
        position = ranges(first[pairs], counts[pairs])
        cell = query[rows] * size + documents[position]
        shape = (len(inside), size)
        matched = np.bincount(cell, minlength=len(inside) * size).reshape(shape)
        weights = scores[position] * asked.times[pairs][rows]
        sums = np.bincount(cell, weights=weights, minlength=len(inside) * size).reshape(shape).round(TIES)
        may = (matched >= asked.least[inside, None]) & (sums >= worst[inside, None])
        of_query, row = np.nonzero(may)
        ends = np.searchsorted(of_query, np.arange(len(inside) + 1))
        for number in np.unique(of_query).tolist():
            part = row[ends[number] : ends[number + 1]]
            ids = (block.ids[index] for index in part.tolist())
            yield start + number, [*zip((-sums[number, part]).tolist(), ids, strict=True)]


@dataclass(frozen=True)
class FoundViews:
    """The views of a collection.

    Args:
        number: of each document that has some, by its id.
        keys: of each view, the document's number times `terms` plus the term's number; ascending.
        terms: of the collection.
    """

    number: dict[str, int]
    keys: Ints
    terms: int

    def of(self, postings: DocumentPostings) -> Flags:
        """Return which postings have a view."""
        numbers = np.array([self.number.get(id_, -1) for id_ in postings.ids], dtype=np.int64)[postings.document]
        # Those of documents without a number are below 0, as no view is.
        keys = numbers * self.terms + postings.term
        index = np.searchsorted(self.keys, keys)
        found: Flags = np.append(self.keys, -self.terms - 1)[index] == keys
        return found


class QueryViews(ShareMethod):
    """Keeps of each document of n different terms the ⌈λ·n⌉ best: first those with a view, then the others, both in the
    order of the method `base`. The posting (t,d) has a view if a query of the log has the term t and d among its k best results
    in the unpruned collection: the query view of d is the union of such queries.
    """

    name = "views"
    unit = "share of each document's terms"
    source = (
        "Altingovde, Ozcan, Ulusoy: Static Index Pruning in Web Search Engines: Combining Term and Document Popularities "
        "with Query Views, ACM TOIS 30(1), 2012 (query views); the order within a document is this project's"
    )
    parameters = (
        LOG,
        Parameter("k", int, 10, "results of a query that it gives views to", low=1),
        MODEL,
        Parameter("match", str, _ALL, "the query's terms that a result must have", (_ALL, "any")),
        Parameter("base", str, DocumentCentric.name, "the method that orders terms of a document", tuple(_BASES)),
    )
    example: ClassVar[Mapping[str, Value]] = {LOG.name: "queries.tsv"}

    @property
    def log(self) -> str:
        """The path of the query log."""
        return str(self.values[LOG.name])

    def check(self, where: str) -> None:
        """Check that there is a log.

        Raises:
            ConfigError: if not.
        """
        if not self.log:
            what, fix = (
                f"the method {self.name!r} has no query log",
                f"name one: {type(self)(**self.example).canonical_name}",
            )
            raise ConfigError(what, fix, where)

    def fit(self, postings: Postings, logs: QueryLogs | None = None) -> FoundViews:
        """Return all views; none without a log. Memory grows with the log's queries times k, and the collection's terms."""
        queries = (logs or {})[self.log] if self.log else ()
        k, conjunctive = int(self.values["k"]), self.values["match"] == _ALL
        ranked = best_documents(postings, queries, k, self.values["model"], conjunctive)
        terms = len(postings.statistics.df)
        number: dict[str, int] = {}
        keys = [np.zeros(0, dtype=np.int64)]
        for query in ranked:
            numbers = [number.setdefault(id_, len(number)) for id_ in query.documents]
            keys.append(np.add.outer(np.array(numbers, dtype=np.int64) * terms, query.terms).ravel())
        return FoundViews(number, np.unique(np.concatenate(keys)), terms)

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: FoundViews) -> Floats:
        """Return the share of the document's terms that are better."""
        base = _BASES[str(self.values["base"])]()
        numbers = base.scores(postings, statistics, None)
        ranks = postings.rank(numbers if base.keep == KEEP_ABOVE else -numbers, statistics.hashes)
        first, after = (bounds[postings.document] for bounds in (postings.bounds[:-1], postings.bounds[1:]))
        # In the base's order: how many views precede each rank.
        viewed, index = fitted.of(postings), first + ranks
        ahead = np.zeros(len(index) + 1, dtype=np.int64)
        ahead[index + 1] = viewed
        ahead = np.cumsum(ahead)
        before = ahead[index] - ahead[first]
        better: Floats = np.where(viewed, before, ahead[after] - ahead[first] + ranks - before) / (after - first)
        return better
