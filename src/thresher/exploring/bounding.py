"""Which documents may be among the best at any of some steps: only these need scores at each of them.

Bounds come from the monotony of the similarities (see `thresher.exploring.similarity`). A document's score is at most what its
terms give it at most, and a document without the rarer terms at most what the others give at all: so most postings of frequent
terms are left out one by one (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.exploring.matching import Block, Kept, Query
from thresher.exploring.similarity import Floats, Similarity
from thresher.pages.plain import Ints
from thresher.pruning_methods.postings import Numbers

Flags = npt.NDArray[np.bool_]

FOUND = 1e-300
"""Added to the score of a term in a document, which may be 0: it is lost in any 32-bit score."""

# Above the rounding error of a score, relative to what it is summed from; `qld(exact)` rounds to 1e-10.
_SLACK, _SMALL = 2e-6, 1e-3


@dataclass(frozen=True)
class Contenders:
    """Documents that may be among the best, ascending, and their pairs of each of the query's terms, in its order."""

    documents: Ints
    pairs: Sequence[Ints]


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
        self._by_shortest = self._highest.by_length(block.lengths[:1])[0]
        self._by_longest = self._lowest.by_length(block.lengths[-1:])[0]
        self._first, self._last = block.times, block.after
        self._asked = Counter((term, boost) for query in queries for term, boost in query.counts.items())
        self._known: dict[tuple[int, int], Floats] = {}
        # By document, 0 between two queries: a query touches its postings and no more.
        self._sums = np.zeros(len(self._by_shortest))
        self._may = np.zeros(len(self._by_shortest), dtype=np.bool_)

    def contenders(self, query: Query, depth: int, reached: float, likely: Ints | None) -> Contenders:
        """Return the documents that may be among the `depth` best at any step.

        Args:
            query: the query.
            depth: of the ranking.
            reached: what `depth` documents of other chunks of the collection score at least at every step; minus infinity if
                there are none.
            likely: documents that may well be among the best, best of all those of neighbouring steps, if known.
        """
        if reached == -np.inf and likely is not None:
            reached = self._reached(query, depth, likely)
        if reached == -np.inf:
            reached = self._reached(query, depth, None)
        highest = self._highest.columns(query.terms)
        every = [self._kept.documents(term) for term in query.counts]
        bounds = [self._at_most(term, boost) for term, boost in query.counts.items()]
        ceilings = np.array([bound.max(initial=0) for bound in bounds])
        slack = _SLACK * (float(ceilings.sum()) + highest.ceiling(query.boosts) + _SMALL)
        needed = highest.sums_reaching(reached - slack, self._by_shortest, query.size)
        rest = float(ceilings.sum())
        for index in np.argsort(-ceilings, kind="stable").tolist():
            # Of documents without the terms before.
            rest -= ceilings[index]
            documents = every[index]
            limits = needed if isinstance(needed, float) else needed[documents]
            self._may[documents[bounds[index] >= limits - rest - slack]] = True
        chosen = [np.flatnonzero(np.take(self._may, documents)) for documents in every]
        for documents, bound, some in zip(every, bounds, chosen, strict=True):
            self._sums[documents[some]] += bound[some]
        touched = np.flatnonzero(self._may)
        limits = needed if isinstance(needed, float) else needed[touched]
        self._may[touched] = self._sums[touched] >= limits
        self._sums[touched] = 0
        touched = touched[self._may[touched]]
        pairs = [
            self._kept.pairs(term)[some[self._may[documents[some]]]]
            for term, documents, some in zip(query.counts, every, chosen, strict=True)
        ]
        self._may[touched] = False
        return Contenders(touched, pairs)

    def _reached(self, query: Query, depth: int, likely: Ints | None) -> float:
        """Return what `depth` documents, of those that are likely if any are, score at least at every step; minus infinity if
        fewer match at every step.
        """
        if likely is not None:
            self._may[likely] = True
        for term, boost in query.counts.items():
            documents, pairs = self._kept.documents(term), self._kept.pairs(term)
            if likely is not None:
                some = np.flatnonzero(np.take(self._may, documents))
                documents, pairs = documents[some], pairs[some]
            times = self._first[pairs]
            scores = _scores(self._lowest, term, boost, times, self._by_longest[documents])
            scores += FOUND
            np.copyto(scores, 0, where=times == 0)
            self._sums[documents] += scores
        if likely is not None:
            self._may[likely] = False
        always = np.flatnonzero(self._sums) if likely is None else likely[self._sums[likely] > 0]
        sure = self._lowest.columns(query.terms).whole(self._sums[always], self._by_longest, always, query.size)
        self._sums[always] = 0
        return float(np.partition(sure, len(sure) - depth)[len(sure) - depth]) if len(sure) >= depth else -np.inf

    def _at_most(self, term: int, boost: int) -> Floats:
        """Return the most that a term gives its documents."""
        known = self._known.get((term, boost))
        if known is None:
            times, documents = np.take(self._last, self._kept.pairs(term)), self._kept.documents(term)
            known = _scores(self._highest, term, boost, times, np.take(self._by_shortest, documents))
            if self._asked[term, boost] > 1:
                self._known[term, boost] = known
        return known


def _scores(scoring: Similarity, term: int, boost: int, times: Numbers, by_length: Floats) -> Floats:
    """Return the scores of a term's pairs; undefined where tf is 0."""
    column, boosts = np.zeros(len(times), dtype=np.int64), np.array([boost], dtype=np.float64)
    scores: Floats = scoring.columns(np.array([term])).scores(times[None], column, boosts, by_length[None])[0]
    return scores
