"""The postings of one query at some steps, and the best documents that they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher.exploring.similarity import Counts, Floats, Similarity, Singles
from thresher.pages.plain import Ints

Flags = npt.NDArray[np.bool_]

FOUND = 1e-300
"""Added to the score of a term that a document has: it may be 0, and no 32-bit score notices so little."""

_MANY = 2
"""More documents, as a multiple of the depth, are bounded before they are scored."""

# Rounding does less to a score, as a part of what it is summed up from; `qld(exact)` rounds to 1e-10.
_SLACK, _SMALL = 2e-6, 1e-3


@dataclass(frozen=True)
class Query:
    """How often a query has each term, by the term's number, and of how many tokens it is (some may be of no document)."""

    counts: Mapping[int, int]
    size: int

    @property
    def terms(self) -> Ints:
        """The terms' numbers."""
        return np.array([*self.counts], dtype=np.int64)

    @property
    def boosts(self) -> Floats:
        """How often it has each of the terms."""
        return np.array([*self.counts.values()], dtype=np.float64)


@dataclass(frozen=True)
class Postings:
    """Pairs of a term and a document, in the order of terms, at some steps.

    Args:
        scoring: at these steps, by the query's terms.
        query: its boosts and size count.
        lengths: of documents at each step; shape (steps, documents).
        times: how often each pair's document has its term at each step; shape (steps, pairs).
        term, document: of each pair, as columns of `scoring` and `lengths`.
    """

    scoring: Similarity
    query: Query
    lengths: Counts
    times: Counts
    term: Ints
    document: Ints

    def at(self, steps: slice) -> Postings:
        """Return those at some of the steps."""
        return replace(self, scoring=self.scoring.rows(steps), lengths=self.lengths[steps], times=self.times[steps])

    def able(self, depth: int) -> tuple[Postings, Ints]:
        """Return those of documents that may be among the `depth` best at any step, and which documents these are."""
        size = self.lengths.shape[1]
        if len(self.times) == 1 or size <= _MANY * depth:
            return self, np.arange(size)
        highest, lowest = self.scoring.highest(), self.scoring.lowest()
        first, last = slice(0, 1), slice(-1, None)
        shortest, longest = highest.by_length(self.lengths[first]), lowest.by_length(self.lengths[last])
        most = replace(self, scoring=highest, lengths=self.lengths[first], times=self.times[last]).sums(shortest)
        least = replace(self, scoring=lowest, lengths=self.lengths[last], times=self.times[first]).sums(longest)
        may = reaching(highest, most[0], least[0], (shortest[0], longest[0]), self.query, depth)
        documents = np.flatnonzero(may)
        place = np.cumsum(may) - 1
        pairs = np.flatnonzero(may[self.document])
        return (
            replace(
                self,
                lengths=self.lengths[:, documents],
                times=self.times[:, pairs],
                term=self.term[pairs],
                document=place[self.document[pairs]],
            ),
            documents,
        )

    def sums(self, by_length: Floats | Singles) -> Floats:
        """Return documents' scores added up over terms, 0 for those without any; shape (steps, documents)."""
        steps, documents = self.lengths.shape
        scores = self.scoring.scores(self.times, self.term, self.query.boosts, by_length[:, self.document])
        scores += FOUND
        np.copyto(scores, 0, where=self.times == 0)
        places = np.arange(steps)[:, None] * documents + self.document
        sums = np.bincount(places.ravel(), scores.ravel(), steps * documents)
        # Counts of nothing are whole numbers.
        return sums.astype(np.float64, copy=False).reshape(steps, documents)

    def best(self, depth: int) -> Iterator[tuple[Ints, Floats]]:
        """Give for each step the places of the `depth` best documents, best first, of equal ones the first, and scores."""
        by_length = self.scoring.by_length(self.lengths)
        sums = self.sums(by_length)
        found = sums > 0
        scores = self.scoring.whole(sums, by_length, self.query.size)
        if self.scoring.single:
            # The bits of such floats rise with them: one number holds the score and, below it, the place.
            keys = scores.astype(np.float32).view(np.uint32).astype(np.uint64)
            keys = (~keys << np.uint64(32)) | np.arange(scores.shape[1], dtype=np.uint64)
            np.copyto(keys, np.iinfo(np.uint64).max, where=~found)
            keys.sort(axis=1)
            order = (keys[:, :depth] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        else:
            order = np.argsort(np.where(found, -scores, np.inf), axis=1, kind="stable")[:, :depth]
        counts = np.minimum(np.count_nonzero(found, axis=1), depth)
        for row, (places, count) in enumerate(zip(order, counts.tolist(), strict=True)):
            yield places[:count], scores[row, places[:count]]


def reaching(
    scoring: Similarity,
    most: Floats,
    least: Floats,
    by_length: tuple[Floats | Singles, Floats | Singles],
    query: Query,
    depth: int,
) -> Flags:
    """Return which documents may be among the `depth` best, by what they score at most and at least.

    As many as `depth` score at least the threshold, at every step; none of those that stay below it at every step is among
    the best.

    Args:
        scoring: gives whole scores.
        most, least: sums over terms; 0 for documents that are not found at any step, or not at all of them.
        by_length: of the shortest and the longest lengths of the documents, by `Similarity.by_length`.
        query: the query.
        depth: how many are the best.
    """
    found = np.flatnonzero(least)
    may: Flags = most > 0
    if len(found) >= depth:
        reached = scoring.whole(least[found], by_length[1][found], query.size)
        slack = _SLACK * (float(most.max()) + scoring.ceiling(query.boosts) + _SMALL)
        threshold = np.partition(reached, len(found) - depth)[len(found) - depth] - slack
        may &= scoring.whole(most, by_length[0], query.size) >= threshold
    return may
