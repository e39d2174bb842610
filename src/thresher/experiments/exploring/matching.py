"""Occurrences of the queries' terms, and the statistics of the collection at each step of a sweep."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from heapq import merge
from itertools import pairwise, repeat
from pathlib import Path
from typing import TypeVar

import joblib
import numpy as np
import numpy.typing as npt

import thresher.base.arrow as pa
from thresher.base.numbers import Floats, Ints
from thresher.experiments.exploring.counting import HashedTerms, StepCounts, StoreCounts, add_counts, add_vocabularies
from thresher.experiments.exploring.similarity import States
from thresher.indexes.jvm import shrink_heap
from thresher.indexes.pruning.postings import Numbers, ranges


@dataclass(frozen=True)
class Query:
    """tf in the query by term number, and the query's number of tokens (some may be in no document)."""

    counts: Mapping[int, int]
    size: int

    @property
    def terms(self) -> Ints:
        """The terms' numbers."""
        return np.array([*self.counts], dtype=np.int64)

    @property
    def boosts(self) -> Floats:
        """tf of each of the terms in the query."""
        return np.array([*self.counts.values()], dtype=np.float64)


_AT_ONCE = 1 << 20
"""Occurrences summed at a time; it takes many times their memory."""


class Matches:
    """The pairs of a query term and a document with it in its whole text, by term, then by document id.

    `document` is the document of each pair; `slices` has the slice of each term's pairs, of so many `terms`; `numbers` has the
    number of each document in the whole collection, of which `counted` may be a chunk: numbers ascend with ids.
    """

    def __init__(self, counted: StoreCounts, terms: int) -> None:
        self.numbers: Numbers = np.arange(len(counted.ids), dtype=np.int32)
        size = max(len(counted.ids), 1)
        keys = counted.term * np.int64(size) + counted.document[counted.sentence]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        begins = np.diff(keys, prepend=-1) != 0
        pairs = keys[begins]
        # Occurrences are in the order of their pairs.
        self.pair_of_occurrence: Numbers = np.cumsum(begins, dtype=np.int32) - np.int32(1)
        self.counted = replace(
            counted, sentence=counted.sentence[order], term=counted.term[order], times=counted.times[order]
        )
        # Indices of 64 bits: numpy would convert smaller ones each time.
        self.document: Ints = pairs % size
        bounds = np.searchsorted(pairs, np.arange(terms + 1) * np.int64(size)).tolist()
        self.slices = [slice(first, after) for first, after in pairwise(bounds)]

    def statistics(self, sweep: int) -> SweepStatistics:
        """Return the statistics of a sweep, by its number."""
        counts = self.counted.counts[sweep]
        size = len(counts.tokens) - 1
        step = self.counted.steps[sweep][self.counted.sentence]
        begins = np.flatnonzero(np.diff(self.pair_of_occurrence, prepend=np.int32(-1)))
        first = np.minimum.reduceat(step, begins) if len(begins) else step
        lengths = [pairs.stop - pairs.start for pairs in self.slices]
        term_of_pair = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        return SweepStatistics(
            counts,
            _summed(len(lengths), size, step, self.counted.term, self.counted.times),
            _summed(len(lengths), size, first, term_of_pair),
        )


@dataclass(frozen=True)
class SweepStatistics:
    """Statistics of a collection at each step of a sweep.

    Args:
        counts: of all documents.
        cf, df: of each query term; shapes (steps, terms).
        fixed: statistics to rank by at every step, as one step; None for those of each step.
    """

    counts: StepCounts
    cf: Ints
    df: Ints
    fixed: States | None = None

    def plus(self, other: SweepStatistics) -> SweepStatistics:
        """Return those of this chunk of a collection and another one together."""
        counts = add_counts([self.counts, other.counts], len(self.counts.tokens) - 1)
        return SweepStatistics(counts, self.cf + other.cf, self.df + other.df, self.fixed)

    def changing(self) -> Ints:
        """Return the first step and all others that add a token."""
        changing = np.flatnonzero(self.counts.tokens[:-1])
        return changing if changing[:1].tolist() == [0] else np.concatenate(([0], changing))[: len(self.cf)]

    def states(self, steps: Ints) -> States:
        """Return the statistics to rank by at some steps."""
        if self.fixed is not None:
            return self.fixed.repeated(len(steps))
        documents, tokens = np.cumsum(self.counts.with_tokens), np.cumsum(self.counts.tokens)
        return States(documents[steps], tokens[steps], self.cf[steps], self.df[steps])


@dataclass(frozen=True)
class Block:
    """Consecutive steps of a sweep, without those that add no token.

    Args:
        steps: their numbers, shape (rows,).
        states: of the collection at each.
        lengths: of the matching documents at each; shape (rows, documents).
        times, after: tf of each pair at the first and at the last step; shape (pairs,).
        added: what the steps after the first add: pairs, ascending; the row; how many occurrences.
    """

    steps: Ints
    states: States
    lengths: Numbers
    times: Numbers
    after: Numbers
    added: tuple[Ints, Ints, Numbers]


def blocks(
    matches: Matches, statistics: SweepStatistics, sweep: int, rows: int, turn: tuple[int, int] = (0, 1)
) -> Iterator[Block]:
    """Give the steps of a sweep, named by its number, in blocks; a block is valid until the next is asked for.

    Args:
        matches: of the collection, or a chunk of it; `statistics` are of the sweep in the whole collection.
        rows: the most steps of a block.
        turn: (index, number of turns) of the blocks to give: each turn has consecutive ones.
    """
    counted, chosen = matches.counted, statistics.changing()
    steps, document, tokens = counted.steps[sweep], counted.document, counted.tokens
    sentence, occurring, pair = counted.sentence, counted.times, matches.pair_of_occurrence
    number = -(-len(chosen) // rows)
    mine = chosen[turn[0] * number // turn[1] * rows : (turn[0] + 1) * number // turn[1] * rows]
    if not len(mine):
        return
    # The position of each step among these: 0 for what is there at the first, their number for what comes later or never.
    position = np.searchsorted(mine, np.arange(len(statistics.cf) + 1)).astype(np.uint16)
    of_sentence = position[steps]
    of_occurrence = of_sentence[sentence]
    sentences, sentence_bounds = _by_block(of_sentence, len(mine), rows)
    occurrences, bounds = _by_block(of_occurrence, len(mine), rows)
    lengths = np.zeros(len(matches.numbers), dtype=np.int32)
    times = np.zeros(len(matches.document), dtype=np.int32)
    for number, first in enumerate(range(0, len(mine), rows)):
        chosen_steps = mine[first : first + rows]
        new = sentences[sentence_bounds[number] : sentence_bounds[number + 1]]
        held = np.zeros((len(chosen_steps), len(lengths)), dtype=np.int32)
        held[0] = lengths
        entries = (of_sentence[new].astype(np.int64) - first) * len(lengths) + document[new]
        np.add.at(held.ravel(), entries, tokens[new])
        _add_up_steps(held)
        new = occurrences[bounds[number] : bounds[number + 1]]
        pairs, row, more = pair[new].astype(np.int64), of_occurrence[new].astype(np.int64) - first, occurring[new]
        after = times.copy()
        np.add.at(after, pairs, more)
        at_first = row == 0
        np.add.at(times, pairs[at_first], more[at_first])
        later = ~at_first
        yield Block(
            chosen_steps, statistics.states(chosen_steps), held, times, after, (pairs[later], row[later], more[later])
        )
        lengths, times = held[-1].copy(), after


def _add_up_steps(added: Numbers) -> None:
    """Add to each step what those before it added; shape (steps, ...). NumPy's `cumsum` takes over ten times as long."""
    for before, step in pairwise(added):
        step += before


def query_postings(statistics: SweepStatistics, queries: Sequence[Query]) -> Ints:
    """Return the postings of each query's terms at each step, Σ df; shape (steps, queries); `queries` are at least one."""
    return np.stack([statistics.df[:, query.terms].sum(axis=1) for query in queries], axis=1)


def _summed(terms: int, size: int, step: npt.NDArray[np.uint16], term: Numbers, weights: Numbers | None = None) -> Ints:
    """Return how much of each term is there at each of `size` steps; shape (steps, terms)."""
    sums = np.zeros((size + 1) * terms, dtype=np.int64)
    for begin in range(0, len(step), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        keys = step[some] * np.int64(terms) + term[some]
        added = np.bincount(keys, None if weights is None else weights[some], len(sums))
        sums += added.astype(np.int64)
    return np.cumsum(sums.reshape(size + 1, terms)[:size], axis=0)


def _by_block(positions: npt.NDArray[np.uint16], size: int, rows: int) -> tuple[Numbers, Ints]:
    """Return the indices of `positions` below `size`, ordered by block of `rows` positions and otherwise as they are, and
    where those of each block begin, with the end of the last.
    """
    chosen = np.flatnonzero(positions < size).astype(np.int32)
    block = positions[chosen] // np.uint16(rows)
    # A stable sort of 16 bits takes linear time.
    order = chosen[np.argsort(block, kind="stable")]
    return order, np.concatenate(([0], np.cumsum(np.bincount(block, minlength=-(-size // rows)))))


class Kept:
    """The pairs of a block that occur at any of its steps, by term, then by document id."""

    def __init__(self, matches: Matches, block: Block) -> None:
        self._block = block
        self._pairs = np.flatnonzero(block.after)
        self._documents = np.take(matches.document, self._pairs)
        starts = [*(pairs.start for pairs in matches.slices), len(block.after)]
        bounds = np.searchsorted(self._pairs, starts).tolist()
        self._slices = [slice(first, after) for first, after in pairwise(bounds)]
        # Where what is added to each pair begins, among all that is added.
        self._added = np.zeros(len(block.after) + 1, dtype=np.int64)
        np.cumsum(np.bincount(block.added[0], minlength=len(block.after)), out=self._added[1:])

    def pairs(self, term: int) -> Ints:
        """Return the numbers of a term's pairs, ascending."""
        return self._pairs[self._slices[term]]

    def documents(self, term: int) -> Ints:
        """Return the document of each of a term's pairs."""
        return self._documents[self._slices[term]]

    def count(self, query: Query) -> int:
        """Return how many pairs the terms of a query have."""
        return sum(self._slices[term].stop - self._slices[term].start for term in query.counts)

    def times(self, pairs: Ints) -> Numbers:
        """Return tf of some pairs, in any order, at each step; shape (steps, pairs)."""
        times = np.zeros((len(self._block.steps), len(pairs)), dtype=np.int32)
        times[0] = self._block.times[pairs]
        counts = self._added[pairs + 1] - self._added[pairs]
        entries = ranges(self._added[pairs], counts)
        _, row, added = self._block.added
        np.add.at(times.ravel(), row[entries] * len(pairs) + np.repeat(np.arange(len(pairs)), counts), added[entries])
        _add_up_steps(times)
        return times


_PIECE = 1 << 16

_Kind = TypeVar("_Kind", bound=np.generic)


class MatchChunks:
    """The matches of a collection by chunk: a single one in memory, several in files, which are read one at a time.

    A chunk is some neighbouring shards of the store, counted together. `statistics`, by sweep, and `vocabulary` are of the
    whole collection; `pairs` is how many documents have each of the `terms` query terms in their whole text.

    Args:
        chunks: counts of each chunk, at least one; their documents are numbered over all chunks, by id.
        folder: for the files of several chunks.
        fixed: statistics to rank by at every step, as one step; None for those of each step.
    """

    def __init__(
        self, terms: int, chunks: Iterable[StoreCounts], folder: Path | None = None, fixed: States | None = None
    ) -> None:
        self._chunks: list[Matches | Path] = []
        self.pairs = np.zeros(terms, dtype=np.int64)
        self.statistics: list[SweepStatistics] = []
        self._vocabularies: list[HashedTerms] = []
        for counted in chunks:
            self._add(counted, fixed)
            # Not while the next chunk is counted.
            del counted
            if folder is not None and len(self._chunks) > 1:
                self.write(folder)
        (self.vocabulary,) = self._vocabularies
        if len(self._chunks) > 1:
            _number([path for path in self._chunks if isinstance(path, Path)])

    def _add(self, counted: StoreCounts, fixed: States | None) -> None:
        matches = Matches(counted, len(self.pairs))
        self.pairs += [pairs.stop - pairs.start for pairs in matches.slices]
        every = [replace(matches.statistics(sweep), fixed=fixed) for sweep in range(len(counted.counts))]
        pairs = zip(self.statistics, every, strict=True)
        self.statistics = [one.plus(other) for one, other in pairs] if self._chunks else every
        self._vocabularies = [add_vocabularies([*self._vocabularies, counted.vocabulary], len(every))]
        self._chunks.append(matches)

    def __len__(self) -> int:
        """Return how many chunks there are."""
        return len(self._chunks)

    def __iter__(self) -> Iterator[Matches]:
        """Give the chunks, one after the other."""
        return map(_read, self._chunks)

    def write(self, folder: Path) -> None:
        """Write to files what is in memory, so that workers can read it and memory is free."""
        self._chunks = [_written(chunk, folder / f"chunk-{index:06}") for index, chunk in enumerate(self._chunks)]
        _give_back()

    def numbers(self, wanted: Iterable[str]) -> dict[str, int]:
        """Return the numbers of documents by id, of those that have a query term."""
        found: dict[str, int] = {}
        chosen = {identifier.encode() for identifier in wanted}
        for chunk in self._chunks:
            held = _read(chunk).numbers
            wanted_ids = ((index, identifier) for index, identifier in enumerate(_ids(chunk)) if identifier in chosen)
            found |= {identifier.decode(): int(held[index]) for index, identifier in wanted_ids}
        return found


def _written(chunk: Matches | Path, path: Path) -> Path:
    """Write a chunk to files, unless it was; return where it is."""
    if isinstance(chunk, Path):
        return chunk
    counted = chunk.counted
    _ids_of(path).write_bytes("".join(f"{identifier}\n" for identifier in counted.ids).encode())
    np.save(_numbers_of(path), chunk.numbers)
    chunk.counted = replace(counted, ids=(), term=counted.term[:0], counts=())
    joblib.dump(chunk, path)
    return path


def _give_back() -> None:
    """Return free memory to the system: Java, Arrow and C would keep as much as they ever had, which workers need."""
    shrink_heap()
    pa.default_memory_pool().release_unused()
    # GNU's C library alone has it.
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _read(chunk: Matches | Path) -> Matches:
    if isinstance(chunk, Matches):
        return chunk
    # Workers on one machine share the mapped files.
    matches: Matches = joblib.load(chunk, mmap_mode="r")
    matches.document = _plain(matches.document)
    matches.pair_of_occurrence = _plain(matches.pair_of_occurrence)
    matches.numbers = _plain(np.load(_numbers_of(chunk), mmap_mode="r"))
    counted = matches.counted
    matches.counted = replace(
        counted,
        document=_plain(counted.document),
        tokens=_plain(counted.tokens),
        steps=tuple(map(_plain, counted.steps)),
        sentence=_plain(counted.sentence),
        times=_plain(counted.times),
    )
    return matches


def _plain(array: npt.NDArray[_Kind]) -> npt.NDArray[_Kind]:
    """Return a mapped array as an `ndarray` whose dtype is NumPy's own object: with a copy of it, as unpickled arrays have,
    `ufunc.at` takes thirty times as long.
    """
    return np.asarray(array).view(array.dtype.type)


def _ids(chunk: Matches | Path) -> Iterator[bytes]:
    """Give the ids of a chunk in UTF-8, ascending; the file is open only while it is read."""
    if isinstance(chunk, Matches):
        yield from (identifier.encode() for identifier in chunk.counted.ids)
        return
    begin = 0
    while True:
        with _ids_of(chunk).open("rb") as lines:
            lines.seek(begin)
            piece = lines.readlines(_PIECE)
        if not piece:
            return
        begin += sum(map(len, piece))
        yield from (line[:-1] for line in piece)


def _number(chunks: Sequence[Path]) -> None:
    """Number the documents of several chunks by id, and write the numbers."""
    numbers = [np.load(_numbers_of(path), mmap_mode="r+") for path in chunks]
    numbered = [0] * len(chunks)
    # Bytes of UTF-8, as Lucene compares ids.
    every = merge(*(zip(_ids(path), repeat(index), strict=False) for index, path in enumerate(chunks)))
    for number, (_, index) in enumerate(every):
        numbers[index][numbered[index]] = number
        numbered[index] += 1


def _ids_of(chunk: Path) -> Path:
    return chunk.with_name(f"{chunk.name}.ids")


def _numbers_of(chunk: Path) -> Path:
    return chunk.with_name(f"{chunk.name}.npy")
