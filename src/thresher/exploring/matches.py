"""Which documents have which query terms, and what each step of a family adds to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from thresher.exploring.partial import Partial
from thresher.exploring.similarity import States
from thresher.pages.plain import Ints

Numbers = npt.NDArray[np.int32]

_AT_ONCE = 1 << 20
"""Occurrences that are summed up at a time, which take many times their room."""


class Matches:
    """The pairs of a query term and a document that has it in its whole text, by term and then by the document's id.

    `document` is that of each pair; the pairs of a term are a slice, of `parts`.
    """

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

    def forget(self) -> None:
        """Let go of all that is by document, to make room for workers that have it from a file; counts stay."""
        none = np.zeros(0, dtype=np.int32)
        self.counted = replace(
            self.counted, ids=(), document=none, tokens=none, steps=(), sentence=none, term=none, times=none
        )
        self.pair_of_occurrence, self.document = none, none.astype(np.int64)


@dataclass(frozen=True)
class Block:
    """Some steps of a family, one after the other; only those that add tokens are listed.

    Args:
        steps: their numbers, shape (rows,).
        states: of the collection at each of them.
        lengths: of the matching documents at each; shape (rows, documents).
        times, after: how often each pair's document has its term at the first and at the last of them; shape (pairs,).
        added: what the others add to that: pairs, rising; the row; how many.
    """

    steps: Ints
    states: States
    lengths: Numbers
    times: Numbers
    after: Numbers
    added: tuple[Ints, Ints, Numbers]


def blocks(matches: Matches, family: int, rows: int, turn: tuple[int, int] = (0, 1)) -> Iterator[Block]:
    """Give the steps of the family with that number, at most so many at a time; a block holds until the next is asked for.

    Args:
        matches: which documents have which terms.
        family: the family's number.
        rows: the most steps of a block.
        turn: the first block to give, and how many further on the next one is.
    """
    counted = matches.counted
    counts, steps = counted.counts[family], counted.steps[family]
    size = len(counts.tokens) - 1
    chosen = np.flatnonzero(counts.tokens[:size])
    chosen = chosen if size and counts.tokens[0] else np.concatenate(([0], chosen))[:size]
    occurrences, holders = _by_term(matches, steps, size)
    tokens, documents = np.cumsum(counts.tokens), np.cumsum(counts.with_tokens)
    sentences, sentence_bounds = _by_step(steps, size)
    order, bounds = _by_step(steps[counted.sentence], size)
    lengths = np.zeros(len(counted.ids), dtype=np.int32)
    times = np.zeros(len(matches.document), dtype=np.int32)
    reached = 0
    for first in range(turn[0] * rows, len(chosen), turn[1] * rows):
        part = chosen[first : first + rows]
        # What came in before, and at the first of the steps.
        new = sentences[sentence_bounds[reached] : sentence_bounds[part[0] + 1]]
        np.add.at(lengths, counted.document[new], counted.tokens[new])
        new = order[bounds[reached] : bounds[part[0] + 1]]
        np.add.at(times, matches.pair_of_occurrence[new], counted.times[new])
        reached = part[-1] + 1
        new = sentences[sentence_bounds[part[0] + 1] : sentence_bounds[reached]]
        held = np.zeros((len(part), len(lengths)), dtype=np.int32)
        held[0] = lengths
        np.add.at(held, (np.searchsorted(part, steps[new]), counted.document[new]), counted.tokens[new])
        np.cumsum(held, axis=0, out=held)
        new = order[bounds[part[0] + 1] : bounds[reached]]
        new = new[np.argsort(matches.pair_of_occurrence[new], kind="stable")]
        pairs = matches.pair_of_occurrence[new].astype(np.int64)
        added = (pairs, np.searchsorted(part, steps[counted.sentence[new]]), counted.times[new])
        after = times.copy()
        np.add.at(after, pairs, added[2])
        states = States(documents[part], tokens[part], occurrences[part], holders[part])
        yield Block(part, states, held, times, after, added)
        lengths, times = held[-1].copy(), after


def _by_term(matches: Matches, steps: npt.NDArray[np.uint16], size: int) -> tuple[Ints, Ints]:
    """Return how often each term occurs and how many documents have it, at each step; shapes (steps, terms)."""
    counted, terms = matches.counted, len(matches.parts)
    step = steps[counted.sentence]
    first = np.full(len(matches.document), size, dtype=np.uint16)
    np.minimum.at(first, matches.pair_of_occurrence, step)
    term_of_pair = np.repeat(np.arange(terms, dtype=np.int32), [part.stop - part.start for part in matches.parts])

    def sums(step: npt.NDArray[np.uint16], term: Numbers, weights: Numbers | None) -> Ints:
        found = np.zeros((size + 1) * terms, dtype=np.int64)
        for begin in range(0, len(step), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            sum_of_some = np.bincount(
                step[some] * np.int64(terms) + term[some], None if weights is None else weights[some], len(found)
            )
            found += sum_of_some.astype(np.int64)
        return np.cumsum(found.reshape(size + 1, terms)[:size], axis=0)

    return sums(step, counted.term, counted.times), sums(first, term_of_pair, None)


def _by_step(steps: npt.NDArray[np.uint16], size: int) -> tuple[Numbers, Ints]:
    """Return the places of `steps` by step, and where each step's begin, with the end of the last."""
    order = np.argsort(steps, kind="stable").astype(np.int32)
    return order, np.concatenate(([0], np.cumsum(np.bincount(steps, minlength=size + 1))))[: size + 1]
