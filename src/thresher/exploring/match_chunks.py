"""Where the queries' terms occur in a collection of any size, chunk by chunk, and its statistics at each step."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from heapq import merge
from itertools import repeat
from pathlib import Path
from typing import TypeVar

import joblib
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.exploring.counting import HashedTerms, StoreCounts, add_vocabularies
from thresher.exploring.matching import Matches, SweepStatistics
from thresher.exploring.similarity import States
from thresher.lucene.jvm import shrink_heap

_PIECE = 1 << 16

_Kind = TypeVar("_Kind", bound=np.generic)


class MatchChunks:
    """The matches of a collection by chunk: a single one in memory, several in files, which are read one at a time.

    A chunk is some neighbouring shards of the store, counted together.

    `statistics`, by sweep, and `vocabulary` are of the whole collection; `pairs` is how many documents have each query term in
    their whole text.

    Args:
        terms: how many query terms there are.
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
