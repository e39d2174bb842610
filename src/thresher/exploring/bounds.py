"""Which documents of the whole collection may be among the best for a query at any step of a block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from thresher.exploring.matches import Block, Matches
from thresher.exploring.postings import FOUND, Flags, Query, reaching
from thresher.exploring.similarity import Floats, Similarity


class Bounds:
    """What documents score at most and at least at the steps of a block, by each term; terms of several queries count once.

    Args:
        matches: the pairs of terms and documents.
        block: some steps.
        scoring: at these steps.
        queries: all that will be asked.
    """

    def __init__(self, matches: Matches, block: Block, scoring: Similarity, queries: Sequence[Query]) -> None:
        self._matches = matches
        self._highest, self._lowest = scoring.highest(), scoring.lowest()
        self._by_length = (
            self._highest.by_length(block.lengths[:1])[0],
            self._lowest.by_length(block.lengths[-1:])[0],
        )
        self._times = block.after, block.times
        self._asked = Counter((term, boost) for query in queries for term, boost in query.counts.items())
        self._known: dict[tuple[int, int], tuple[Floats, Floats]] = {}

    def candidates(self, query: Query, depth: int) -> Flags:
        """Return which documents may be among the `depth` best at any step."""
        most, least = (np.zeros(len(lengths)) for lengths in self._by_length)
        for term, boost in query.counts.items():
            highest, lowest = self._of(term, boost)
            documents = self._matches.document[self._matches.parts[term]]
            np.add.at(most, documents, highest)
            np.add.at(least, documents, lowest)
        return reaching(self._highest.columns(query.terms), most, least, self._by_length, query, depth)

    def _of(self, term: int, boost: int) -> tuple[Floats, Floats]:
        known = self._known.get((term, boost))
        if known is None:
            known = self._scores(self._highest, 0, term, boost), self._scores(self._lowest, 1, term, boost)
            if self._asked[term, boost] > 1:
                self._known[term, boost] = known
        return known

    def _scores(self, scoring: Similarity, side: int, term: int, boost: int) -> Floats:
        """Return what the documents of a term's pairs score by it; 0 where they do not have it."""
        part = self._matches.parts[term]
        documents, times = self._matches.document[part], self._times[side][part]
        column, boosts = np.zeros(len(documents), dtype=np.int64), np.array([boost], dtype=np.float64)
        by_length = self._by_length[side][documents]
        scores: Floats = scoring.columns(np.array([term])).scores(times[None], column, boosts, by_length[None])[0]
        scores += FOUND
        np.copyto(scores, 0, where=times == 0)
        return scores
