"""Which documents may be among the best at any of some steps: only these need scores at each of them.

Bounds come from the monotony of the similarities (see `thresher.exploring.similarity`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.exploring.matching import Block, Kept, Query
from thresher.exploring.similarity import Floats, Similarity, Singles
from thresher.pages.plain import Ints

Flags = npt.NDArray[np.bool_]

FOUND = 1e-300
"""Added to the score of a term in a document, which may be 0: it is lost in any 32-bit score."""

# Above the rounding error of a score, relative to what it is summed from; `qld(exact)` rounds to 1e-10.
_SLACK, _SMALL = 2e-6, 1e-3


def reaching(
    scoring: Similarity,
    most: Floats,
    least: Floats,
    by_length: tuple[Floats | Singles, Floats | Singles],
    query: Query,
    depth: int,
    reached: float = -np.inf,
) -> Flags:
    """Return which documents may be among the `depth` best, given bounds of their scores.

    `depth` documents score at least the threshold at every step, so none that stays below it at every step is among the best.
    Documents of other parts of the collection may set it.

    Args:
        scoring: gives whole scores.
        most, least: bounds of sums over terms; 0 for documents that match at no step, or not at every step.
        by_length: see `Similarity.by_length`, of the shortest and the longest length of each document.
        query: the query.
        depth: of the ranking.
        reached: what `depth` other documents score at least at every step.
    """
    always = np.flatnonzero(least)
    may: Flags = most > 0
    if len(always) >= depth:
        sure = scoring.whole(least[always], by_length[1][always], query.size)
        reached = max(reached, float(np.partition(sure, len(always) - depth)[len(always) - depth]))
    if reached > -np.inf:
        slack = _SLACK * (float(most.max(initial=0)) + scoring.ceiling(query.boosts) + _SMALL)
        may &= scoring.whole(most, by_length[0], query.size) >= reached - slack
    return may


class Bounds:
    """Bounds of documents' scores at the steps of a block, by term; those of terms in several queries are computed once.

    Args:
        kept: the pairs of the block.
        block: some steps.
        scoring: at these steps.
        queries: all that will be ranked.
    """

    def __init__(self, kept: Kept, block: Block, scoring: Similarity, queries: Sequence[Query]) -> None:
        self._kept = kept
        self._highest, self._lowest = scoring.highest(), scoring.lowest()
        self._by_length = (
            self._highest.by_length(block.lengths[:1])[0],
            self._lowest.by_length(block.lengths[-1:])[0],
        )
        self._times = block.after, block.times
        self._asked = Counter((term, boost) for query in queries for term, boost in query.counts.items())
        self._known: dict[tuple[int, int], tuple[Floats, Floats]] = {}
        # Sums by document, 0 between two queries: a query touches its postings and no more.
        self._most, self._least = (np.zeros(len(lengths)) for lengths in self._by_length)

    def candidates(self, query: Query, depth: int, reached: float) -> Ints:
        """Return the documents that may be among the `depth` best at any step; `reached` as for `reaching`."""
        fresh = []
        for term, boost in query.counts.items():
            documents = self._kept.documents(term)
            highest, lowest = self._of(term, boost)
            fresh.append(documents[self._most[documents] == 0])
            self._most[documents] += highest
            self._least[documents] += lowest
        touched = np.concatenate(fresh)
        most, least = self._most[touched], self._least[touched]
        self._most[touched] = self._least[touched] = 0
        shortest, longest = (by_length[touched] for by_length in self._by_length)
        scoring = self._highest.columns(query.terms)
        return touched[reaching(scoring, most, least, (shortest, longest), query, depth, reached)]

    def _of(self, term: int, boost: int) -> tuple[Floats, Floats]:
        known = self._known.get((term, boost))
        if known is None:
            known = self._scores(self._highest, 0, term, boost), self._scores(self._lowest, 1, term, boost)
            if self._asked[term, boost] > 1:
                self._known[term, boost] = known
        return known

    def _scores(self, scoring: Similarity, side: int, term: int, boost: int) -> Floats:
        """Return the scores of a term's pairs; 0 where tf is 0."""
        times = self._times[side][self._kept.pairs(term)]
        column, boosts = np.zeros(len(times), dtype=np.int64), np.array([boost], dtype=np.float64)
        by_length = self._by_length[side][self._kept.documents(term)]
        scores: Floats = scoring.columns(np.array([term])).scores(times[None], column, boosts, by_length[None])[0]
        scores += FOUND
        np.copyto(scores, 0, where=times == 0)
        return scores
