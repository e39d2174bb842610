"""Pruning with query views: in each document, the terms by which queries of a log found it come first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thresher.arms.arm import KEEP_ABOVE, Arm, ShareArm
from thresher.arms.dcp import DocumentCentric
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Flags, Floats, Postings
from thresher.arms.query_logs import LOG, QueryLogs
from thresher.arms.random_postings import Random
from thresher.arms.term_scores import MODEL
from thresher.arms.top_documents import best_documents
from thresher.arms.two_proportions import TwoProportions
from thresher.errors import ConfigError
from thresher.pages.plain import Ints
from thresher.scorers.base import Parameter, Value

_ALL = "all"
_BASES: dict[str, type[Arm]] = {kind.name: kind for kind in (DocumentCentric, TwoProportions, Random)}


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
        place = np.searchsorted(self.keys, keys)
        found: Flags = np.append(self.keys, -self.terms - 1)[place] == keys
        return found


class QueryViews(ShareArm):
    """Keeps of each document of n different terms the ⌈λ·n⌉ best: first those with a view, then the others, both in the
    order of the arm `base`. The posting (t,d) has a view if a query of the log has the term t and d among its k best results
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
        Parameter("base", str, DocumentCentric.name, "the arm that orders terms of a document", tuple(_BASES)),
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
                f"the arm {self.name!r} has no query log",
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
        # In the base's order: how many views are before each place.
        viewed, place = fitted.of(postings), first + ranks
        ahead = np.zeros(len(place) + 1, dtype=np.int64)
        ahead[place + 1] = viewed
        ahead = np.cumsum(ahead)
        before = ahead[place] - ahead[first]
        better: Floats = np.where(viewed, before, ahead[after] - ahead[first] + ranks - before) / (after - first)
        return better
