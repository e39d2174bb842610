"""Rankings at every step of a family: the steps one after the other, each adding what it lets in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.exploring.partial import Partial
from thresher.exploring.similarity import Floats, Similarity, State, similarity
from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints

Query = Mapping[int, int]
"""How often a query has each term, by the term's number."""


@dataclass(frozen=True)
class Ranked:
    """The best documents, best first, as places among the partial result's ids, and their scores before any rounding."""

    documents: Ints
    scores: Floats


class Postings:
    """The pairs of a query term and a document that has it in its whole text, by term and then by document."""

    def __init__(self, counted: Partial, terms: int) -> None:
        self.counted = counted
        size = max(len(counted.ids), 1)
        keys = counted.term * np.int64(size) + counted.document[counted.sentence]
        pairs, places = np.unique(keys, return_inverse=True)
        self.pair_of_occurrence: npt.NDArray[np.int32] = places.astype(np.int32)
        self.documents: npt.NDArray[np.int32] = (pairs % size).astype(np.int32)
        self.bounds: Ints = np.searchsorted(pairs, np.arange(terms + 1) * np.int64(size))


class Snapshot:
    """All that can be searched at one step."""

    def __init__(self, postings: Postings, times: Ints, state: State, model: RetrievalModel) -> None:
        self._postings, self._times = postings, times
        self._similarity: Similarity = similarity(model, state)
        self._known: dict[tuple[int, int], tuple[Ints, Floats]] = {}
        self._sums = np.zeros(len(state.lengths))
        self._has = np.zeros(len(state.lengths), dtype=np.bool_)

    def rank(self, query: Query, size: int, depth: int) -> Ranked:
        """Return the best `depth` documents for a query of `size` tokens; equal scores by ascending id."""
        for term, boost in query.items():
            documents, scores = self._term(term, boost)
            self._sums[documents] += scores
            self._has[documents] = True
        found = np.flatnonzero(self._has)
        scores = self._similarity.whole(self._sums[found], found, size)
        self._sums[found] = 0
        self._has[found] = False
        if len(found) > depth:
            worst = np.partition(scores, len(scores) - depth)[len(scores) - depth]
            best = np.flatnonzero(scores >= worst)
            found, scores = found[best], scores[best]
        order = np.argsort(-scores, kind="stable")[:depth]
        return Ranked(found[order], scores[order])

    def _term(self, term: int, boost: int) -> tuple[Ints, Floats]:
        known = self._known.get((term, boost))
        if known is None:
            part = slice(self._postings.bounds[term], self._postings.bounds[term + 1])
            there = np.flatnonzero(self._times[part])
            documents = self._postings.documents[part][there].astype(np.int64)
            times = self._times[part][there]
            scores = self._similarity.term(documents, times, boost) if len(there) else np.zeros(0)
            known = self._known[term, boost] = documents, scores
        return known


def snapshots(postings: Postings, family: int, model: RetrievalModel) -> Iterator[Snapshot | None]:
    """Give what can be searched at each step of the family with that number; None where it is as at the step before."""
    counted = postings.counted
    counts = counted.counts[family]
    steps = counted.steps[family]
    size = len(counts.tokens) - 1
    sentences, sentence_bounds = _by_step(steps, size)
    occurrences, bounds = _by_step(steps[counted.sentence], size)
    lengths = np.zeros(len(counted.ids), dtype=np.int64)
    times = np.zeros(len(postings.documents), dtype=np.int64)
    tokens, documents = np.cumsum(counts.tokens), np.cumsum(counts.with_tokens)
    for step in range(size):
        if step and not counts.tokens[step]:
            yield None
            continue
        new = sentences[sentence_bounds[step] : sentence_bounds[step + 1]]
        np.add.at(lengths, counted.document[new], counted.tokens[new])
        new = occurrences[bounds[step] : bounds[step + 1]]
        np.add.at(times, postings.pair_of_occurrence[new], counted.times[new])
        yield Snapshot(postings, times, State(int(documents[step]), int(tokens[step]), lengths), model)


def _by_step(steps: npt.NDArray[np.uint16], size: int) -> tuple[Ints, Ints]:
    """Return the places of `steps` by step, and where each step's begin, with the end of the last."""
    order = np.argsort(steps, kind="stable")
    return order, np.searchsorted(steps[order], np.arange(size + 1))
