"""The collection at the steps of a sweep: its statistics, and its documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.experiments.exploring.counts import StepCounts, add_counts
from thresher.experiments.exploring.matching import Matches, Query
from thresher.experiments.exploring.similarity import StepStatistics
from thresher.indexes.pruning.postings import Numbers

_AT_ONCE = 1 << 20
"""Occurrences that are summed at a time; summing takes many times their memory."""


@dataclass(frozen=True)
class SweepStatistics:
    """Statistics of a collection at each step of a sweep.

    Args:
        sweep: the number of the sweep.
        counts: counts of all documents.
        cf, df: collection and document frequency of each query term; shapes (steps, terms).
        fixed: statistics to rank by at every step, as one step; None to rank by the statistics of each step.
    """

    sweep: int
    counts: StepCounts
    cf: Ints
    df: Ints
    fixed: StepStatistics | None = None

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.cf)

    def plus(self, other: SweepStatistics) -> SweepStatistics:
        """Return the statistics of this chunk of a collection and another chunk together."""
        counts = add_counts([self.counts, other.counts], self.steps)
        return SweepStatistics(self.sweep, counts, self.cf + other.cf, self.df + other.df, self.fixed)

    def changing(self) -> Ints:
        """Return the first step and all other steps that add a token."""
        adds = self.counts.tokens[: self.steps] > 0
        adds[:1] = True
        return np.flatnonzero(adds)

    def at(self, steps: Ints) -> StepStatistics:
        """Return the statistics to rank by at some steps."""
        if self.fixed is not None:
            return self.fixed.repeated(len(steps))
        documents = np.cumsum(self.counts.with_tokens)
        tokens = np.cumsum(self.counts.tokens)
        return StepStatistics(documents[steps], tokens[steps], self.cf[steps], self.df[steps])

    def query_postings(self, queries: Sequence[Query]) -> Ints:
        """Return the postings of each query's terms at each step, Σ df; shape (steps, queries), at least one query."""
        return np.stack([self.df[:, query.terms].sum(axis=1) for query in queries], axis=1)


def sweep_statistics(matches: Matches, sweep: int, counts: StepCounts, fixed: StepStatistics | None) -> SweepStatistics:
    """Return the statistics of a sweep, given by its number, in a chunk of a collection; `counts` are of all documents."""
    steps = len(counts.tokens) - 1
    terms = len(matches.pair_bounds) - 1
    term_of_pair = np.repeat(np.arange(terms, dtype=np.int32), np.diff(matches.pair_bounds))
    step_of_occurrence = matches.sentence_steps[sweep][matches.occurrence_sentence]
    first_occurrences = np.flatnonzero(np.diff(matches.occurrence_pair, prepend=np.int32(-1)))
    first_steps = step_of_occurrence
    if len(first_occurrences):
        first_steps = np.minimum.reduceat(step_of_occurrence, first_occurrences)
    term_of_occurrence = term_of_pair[matches.occurrence_pair]
    cf = _sums_by_step(step_of_occurrence, term_of_occurrence, matches.occurrence_tf, (steps, terms))
    df = _sums_by_step(first_steps, term_of_pair, np.ones(len(term_of_pair), dtype=np.int32), (steps, terms))
    return SweepStatistics(sweep, counts, cf, df, fixed)


def _sums_by_step(step: npt.NDArray[np.uint16], term: Numbers, weights: Numbers, shape: tuple[int, int]) -> Ints:
    """Return the sum of weights of each term up to each step; `shape` is (steps, terms)."""
    steps, terms = shape
    sums = np.zeros((steps + 1) * terms, dtype=np.int64)
    for begin in range(0, len(step), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        keys = step[part] * np.int64(terms) + term[part]
        sums += np.bincount(keys, weights[part], len(sums)).astype(np.int64)
    return np.cumsum(sums.reshape(steps + 1, terms)[:steps], axis=0)


@dataclass(frozen=True)
class Block:
    """A chunk of a collection at consecutive steps of a sweep, without the steps that add no token.

    Args:
        steps: the numbers of the steps; shape (steps,).
        lengths: the number of tokens of the documents at each step; shape (steps, documents).
        tf: the frequency of each pair's term at each step; shape (steps, pairs).
    """

    steps: Ints
    lengths: Numbers
    tf: Numbers


def blocks(matches: Matches, sweep: int, steps: Ints, rows: int) -> Iterator[Block]:
    """Walk a chunk of a collection through steps of a sweep and give its documents, `rows` steps at a time.

    Args:
        matches: the matches of the chunk.
        sweep: the number of the sweep.
        steps: ascending; between the first and the last of them, every step that adds a token.
        rows: the most steps of a block.
    """
    sentences = _by_step(matches.sentence_steps[sweep], steps)
    occurrences = _by_step(matches.sentence_steps[sweep][matches.occurrence_sentence], steps)
    lengths = np.zeros(len(matches.numbers), dtype=np.int32)
    tf = np.zeros(len(matches.pair_document), dtype=np.int32)
    for begin in range(0, len(steps), rows):
        positions = range(begin, min(begin + rows, len(steps)))
        block = Block(
            steps=steps[begin : positions.stop],
            lengths=np.empty((len(positions), len(lengths)), dtype=np.int32),
            tf=np.empty((len(positions), len(tf)), dtype=np.int32),
        )
        for row, position in enumerate(positions):
            new_sentences = sentences.at(position)
            np.add.at(lengths, matches.sentence_document[new_sentences], matches.sentence_tokens[new_sentences])
            block.lengths[row] = lengths
            new_occurrences = occurrences.at(position)
            np.add.at(tf, matches.occurrence_pair[new_occurrences], matches.occurrence_tf[new_occurrences])
            block.tf[row] = tf
        yield block


@dataclass(frozen=True)
class _ByStep:
    """Indices of sentences or occurrences, ordered by the step at which they come in."""

    order: Ints
    bounds: Ints

    def at(self, position: int) -> Ints:
        """Return the sentences or occurrences that come in at a step, given by its position among the steps."""
        return self.order[self.bounds[position] : self.bounds[position + 1]]


def _by_step(step: npt.NDArray[np.uint16], steps: Ints) -> _ByStep:
    """Order by step; sentences or occurrences before the first of `steps` come in at the first."""
    positions = np.searchsorted(steps, step).astype(np.uint16)
    # A stable sort of 16 bits takes linear time.
    order = np.argsort(positions, kind="stable")
    counts = np.bincount(positions, minlength=len(steps))
    return _ByStep(order, np.concatenate(([0], np.cumsum(counts))))
