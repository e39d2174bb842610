"""Where the queries' terms occur in a collection of any size, part by part, and what the whole collection has at each step."""

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


class MatchParts:
    """The matches of the parts of a collection: of a single part in memory, of several in files, which are read one at a time.

    `statistics`, by sweep, and `vocabulary` are of the whole collection; `pairs` is how many documents have each query term in
    their whole text.

    Args:
        terms: how many query terms there are.
        parts: counts of each part, at least one; their documents are numbered over all parts, by id.
        folder: for the files of several parts.
        fixed: statistics to rank by at every step, as one step; None for those of each step.
    """

    def __init__(
        self, terms: int, parts: Iterable[StoreCounts], folder: Path | None = None, fixed: States | None = None
    ) -> None:
        self._parts: list[Matches | Path] = []
        self.pairs = np.zeros(terms, dtype=np.int64)
        self.statistics: list[SweepStatistics] = []
        self._vocabularies: list[HashedTerms] = []
        for counted in parts:
            self._add(counted, fixed)
            # Not while the next part is counted.
            del counted
            if folder is not None and len(self._parts) > 1:
                self.write(folder)
        (self.vocabulary,) = self._vocabularies
        if len(self._parts) > 1:
            _number([path for path in self._parts if isinstance(path, Path)])

    def _add(self, counted: StoreCounts, fixed: States | None) -> None:
        matches = Matches(counted, len(self.pairs))
        self.pairs += [part.stop - part.start for part in matches.parts]
        every = [replace(matches.statistics(sweep), fixed=fixed) for sweep in range(len(counted.counts))]
        pairs = zip(self.statistics, every, strict=True)
        self.statistics = [one.plus(other) for one, other in pairs] if self._parts else every
        self._vocabularies = [add_vocabularies([*self._vocabularies, counted.vocabulary], len(every))]
        self._parts.append(matches)

    def __len__(self) -> int:
        """Return how many parts there are."""
        return len(self._parts)

    def __iter__(self) -> Iterator[Matches]:
        """Give the parts, one after the other."""
        return map(_read, self._parts)

    def write(self, folder: Path) -> None:
        """Write to files what is in memory, so that workers can read it and memory is free."""
        self._parts = [_written(part, folder / f"part-{place:06}") for place, part in enumerate(self._parts)]
        _give_back()

    def numbers(self, wanted: Iterable[str]) -> dict[str, int]:
        """Return the numbers of documents by id, of those that have a query term."""
        found: dict[str, int] = {}
        chosen = {identifier.encode() for identifier in wanted}
        for part in self._parts:
            held = _read(part).numbers
            places = ((place, identifier) for place, identifier in enumerate(_ids(part)) if identifier in chosen)
            found |= {identifier.decode(): int(held[place]) for place, identifier in places}
        return found


def _written(part: Matches | Path, path: Path) -> Path:
    """Write a part to files, unless it was; return where it is."""
    if isinstance(part, Path):
        return part
    counted = part.counted
    _ids_of(path).write_bytes("".join(f"{identifier}\n" for identifier in counted.ids).encode())
    np.save(_numbers_of(path), part.numbers)
    part.counted = replace(counted, ids=(), term=counted.term[:0], counts=())
    joblib.dump(part, path)
    return path


def _give_back() -> None:
    """Return free memory to the system: Java, Arrow and C would keep as much as they ever had, which workers need."""
    shrink_heap()
    pa.default_memory_pool().release_unused()
    # GNU's C library alone has it.
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _read(part: Matches | Path) -> Matches:
    if isinstance(part, Matches):
        return part
    # Workers on one machine share the mapped files.
    matches: Matches = joblib.load(part, mmap_mode="r")
    matches.document = _plain(matches.document)
    matches.pair_of_occurrence = _plain(matches.pair_of_occurrence)
    matches.numbers = _plain(np.load(_numbers_of(part), mmap_mode="r"))
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


def _ids(part: Matches | Path) -> Iterator[bytes]:
    """Give the ids of a part in UTF-8, ascending; the file is open only while it is read."""
    if isinstance(part, Matches):
        yield from (identifier.encode() for identifier in part.counted.ids)
        return
    begin = 0
    while True:
        with _ids_of(part).open("rb") as lines:
            lines.seek(begin)
            piece = lines.readlines(_PIECE)
        if not piece:
            return
        begin += sum(map(len, piece))
        yield from (line[:-1] for line in piece)


def _number(parts: Sequence[Path]) -> None:
    """Number the documents of several parts by id, and write the numbers."""
    numbers = [np.load(_numbers_of(path), mmap_mode="r+") for path in parts]
    numbered = [0] * len(parts)
    # Bytes of UTF-8, as Lucene compares ids.
    every = merge(*(zip(_ids(path), repeat(place), strict=False) for place, path in enumerate(parts)))
    for number, (_, place) in enumerate(every):
        numbers[place][numbered[place]] = number
        numbered[place] += 1


def _ids_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.ids")


def _numbers_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.npy")
