"""Rankings at every step of a family: the steps one after the other, each adding what it lets in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from thresher.exploring.partial import Partial
from thresher.exploring.similarity import Floats, Similarity, State, similarity
from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints

Numbers = npt.NDArray[np.int32]

NONE = -1
"""Stands where a ranking has ended."""

_FOUND = 1e-300


@dataclass(frozen=True)
class Query:
    """How often a query has each term, by the term's number, and of how many tokens it is (some may be of no document)."""

    counts: Mapping[int, int]
    size: int


@dataclass(frozen=True)
class Rankings:
    """The best documents of each topic, best first, as places among the partial result's ids, then `NONE`.

    Shapes are (topics, depth). `scores` are those of the similarity, before any rounding; equal ones are ranked by id.
    """

    documents: Ints
    scores: Floats


class Matches:
    """The pairs of a query term and a document that has it in its whole text, by term and then by the document's id."""

    def __init__(self, counted: Partial, terms: int) -> None:
        self.counted = counted
        size = max(len(counted.ids), 1)
        pairs, places = np.unique(
            counted.term * np.int64(size) + counted.document[counted.sentence], return_inverse=True
        )
        self.pair_of_occurrence: Numbers = places.astype(np.int32)
        # Places of 64 bits, which numpy would make of smaller ones each time.
        self.document: Ints = pairs % size
        bounds = np.searchsorted(pairs, np.arange(terms + 1) * np.int64(size)).tolist()
        self.parts = [slice(first, after) for first, after in pairwise(bounds)]


def rankings(
    matches: Matches, queries: Sequence[Query], family: int, model: RetrievalModel, depth: int
) -> Iterator[Rankings | None]:
    """Give what is found at each step of the family with that number; None where it is as at the step before."""
    counted = matches.counted
    counts, steps = counted.counts[family], counted.steps[family]
    size = len(counts.tokens) - 1
    sentences, sentence_bounds = _by_step(steps, size)
    occurrences, bounds = _by_step(steps[counted.sentence], size)
    lengths = np.zeros(len(counted.ids), dtype=np.int64)
    times = np.zeros(len(matches.document), dtype=np.int64)
    tokens, documents = np.cumsum(counts.tokens), np.cumsum(counts.with_tokens)
    for step in range(size):
        if step and not counts.tokens[step]:
            yield None
            continue
        new = sentences[sentence_bounds[step] : sentence_bounds[step + 1]]
        np.add.at(lengths, counted.document[new], counted.tokens[new])
        new = occurrences[bounds[step] : bounds[step + 1]]
        np.add.at(times, matches.pair_of_occurrence[new], counted.times[new])
        state = State(int(documents[step]), int(tokens[step]), lengths)
        yield _Snapshot(matches, times, similarity(model, state), len(lengths)).rank(queries, depth)


class _Snapshot:
    """All that can be searched at one step."""

    def __init__(self, matches: Matches, times: Ints, scoring: Similarity, documents: int) -> None:
        self._matches, self._times, self._scoring = matches, times, scoring
        self._sums = np.zeros(documents)
        self._known: dict[tuple[int, int], Floats | None] = {}

    def rank(self, queries: Sequence[Query], depth: int) -> Rankings:
        found = np.full((len(queries), depth), NONE, dtype=np.int64)
        best = np.zeros((len(queries), depth))
        for number, query in enumerate(queries):
            self._sums[:] = 0
            for term, boost in query.counts.items():
                scores = self._term(term, boost)
                if scores is not None:
                    np.add.at(self._sums, self._matches.document[self._matches.parts[term]], scores)
            documents = np.flatnonzero(self._sums)
            whole = self._scoring.whole(self._sums[documents], documents, query.size)
            order = _best(whole, depth)
            found[number, : len(order)] = documents[order]
            best[number, : len(order)] = whole[order]
        return Rankings(found, best)

    def _term(self, term: int, boost: int) -> Floats | None:
        """Return the scores of a term's pairs, 0 where the document has not got it yet; None if no document has."""
        if (term, boost) not in self._known:
            part = self._matches.parts[term]
            times = self._times[part]
            has = times > 0
            holders = int(np.count_nonzero(has))
            scores = None
            if holders:
                scores = self._scoring.term(self._matches.document[part], times, int(times.sum()), holders, boost)
                # A document that has the term and scores 0 is found too; no 32-bit score notices so little.
                scores += _FOUND
                scores[~has] = 0
            self._known[term, boost] = scores
        return self._known[term, boost]


def _best(scores: Floats, depth: int) -> Ints:
    """Return the places of the highest scores, highest first; of equal ones the first."""
    if len(scores) <= depth:
        return np.argsort(-scores, kind="stable")
    worst = np.partition(scores, len(scores) - depth)[len(scores) - depth]
    kept = np.flatnonzero(scores >= worst)
    best: Ints = kept[np.argsort(-scores[kept], kind="stable")[:depth]]
    return best


def _by_step(steps: npt.NDArray[np.uint16], size: int) -> tuple[Ints, Ints]:
    """Return the places of `steps` by step, and where each step's begin, with the end of the last."""
    order = np.argsort(steps, kind="stable")
    return order, np.searchsorted(steps[order], np.arange(size + 1))
