"""Which documents of the whole collection may be among the best for a query at any step of a block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.exploring.matches import Block, Matches, blocks
from thresher.exploring.postings import FOUND, Flags, Postings, Query, reaching
from thresher.exploring.similarity import Floats, Similarity, similarity
from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints


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


NONE = -1
"""Stands where a ranking has ended."""

_ROWS, _FINE = 16, 8
"""Steps that share their candidates, in the whole collection and among those of all of them."""

_FEW = 4
"""Of fewer pairs, as a multiple of the depth, all are scored: to bound them would take as long."""


@dataclass(frozen=True)
class Rankings:
    """The best documents of each topic, best first, as places among the partial result's ids, then `NONE`.

    Shapes are (topics, depth). `scores` are those of the similarity, before any rounding; equal ones are ranked by id.
    """

    documents: Ints
    scores: Floats


def rankings(
    matches: Matches,
    queries: Sequence[Query],
    family: int,
    model: RetrievalModel,
    depth: int,
    turn: tuple[int, int] = (0, 1),
) -> Iterator[tuple[int, Rankings]]:
    """Give the steps of the family with that number at which anything is found that was not before, and what is found there.

    Args:
        matches: which documents have which terms.
        queries: by the numbers of terms.
        family: the family's number.
        model: how documents are ranked.
        depth: the most documents of a ranking.
        turn: which part of the steps to rank, of how many parts that are about the same work; those of all parts are all.
    """
    for block in blocks(matches, family, _ROWS, turn):
        search = _Search(matches, block, model, queries, depth)
        documents = np.full((len(block.steps), len(queries), depth), NONE, dtype=np.int64)
        scores = np.zeros(documents.shape)
        for topic, query in enumerate(queries):
            for row, (found, values) in enumerate(search.rank(query)):
                documents[row, topic, : len(found)] = found
                scores[row, topic, : len(found)] = values
        for row, step in enumerate(block.steps.tolist()):
            yield step, Rankings(documents[row], scores[row])


class _Search:
    """All that can be searched at the steps of one block."""

    def __init__(
        self, matches: Matches, block: Block, model: RetrievalModel, queries: Sequence[Query], depth: int
    ) -> None:
        self._matches, self._block, self._depth = matches, block, depth
        self._scoring = similarity(model, block.states)
        self._bounds = Bounds(matches, block, self._scoring, queries)
        starts = [*(part.start for part in matches.parts), len(block.times)]
        self._added = np.searchsorted(block.added[0], starts)
        self._place = np.full(len(matches.document), NONE, dtype=np.int32)
        self._held = np.zeros(block.lengths.shape[1], dtype=np.bool_)
        self._local = np.zeros(block.lengths.shape[1], dtype=np.int64)

    def rank(self, query: Query) -> Iterator[tuple[Ints, Floats]]:
        """Give the best documents at each step, and their scores."""
        terms = query.terms
        kept = [np.flatnonzero(there) + first for first, there in self._chosen(query)]
        pairs = np.concatenate([np.zeros(0, dtype=np.int64), *kept])
        term = np.repeat(np.arange(len(terms)), [len(some) for some in kept])
        documents = self._matches.document[pairs]
        self._held[documents] = True
        listed = np.flatnonzero(self._held)
        self._held[listed] = False
        self._local[listed] = np.arange(len(listed))
        postings = Postings(
            self._scoring.columns(terms),
            query,
            self._block.lengths[:, listed],
            self._times(pairs, terms),
            term,
            self._local[documents],
        )
        for first in range(0, len(self._block.steps), _FINE):
            some, places = postings.at(slice(first, first + _FINE)).able(self._depth)
            for found, scores in some.best(self._depth):
                yield listed[places[found]], scores

    def _chosen(self, query: Query) -> Iterator[tuple[int, Flags]]:
        """Give for each term where its pairs begin, and which of them are to be scored."""
        parts = [self._matches.parts[term] for term in query.counts]
        few = sum(part.stop - part.start for part in parts) <= _FEW * self._depth
        candidates = None if few else self._bounds.candidates(query, self._depth)
        for part in parts:
            there = self._block.after[part] > 0
            if candidates is not None:
                there &= candidates[self._matches.document[part]]
            yield part.start, there

    def _times(self, pairs: Ints, terms: Ints) -> Ints:
        """Return how often some pairs of some terms are there at each step; shape (steps, pairs)."""
        times = np.zeros((len(self._block.steps), len(pairs)), dtype=np.int64)
        times[0] = self._block.times[pairs]
        self._place[pairs] = np.arange(len(pairs))
        chosen = [np.arange(self._added[term], self._added[term + 1]) for term in terms.tolist()]
        every = np.concatenate([np.zeros(0, dtype=np.int64), *chosen])
        pair, row, counts = self._block.added
        place = self._place[pair[every]]
        self._place[pairs] = NONE
        held = np.flatnonzero(place != NONE)
        np.add.at(times, (row[every[held]], place[held]), counts[every[held]])
        return np.cumsum(times, axis=0, out=times)
