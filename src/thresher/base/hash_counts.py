"""Counting 64-bit hashes, more than memory holds: partitions on disk, by the upper bits, are counted one by one.

Among n different texts two have the same hash with a probability of about n² / 2^65: 0.0003 for 100 million texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints

Hashes = npt.NDArray[np.uint64]

BYTES = 8
_PARTITION_BITS = 6
_PARTITIONS = 1 << _PARTITION_BITS
_BITS = np.uint64(8 * BYTES - _PARTITION_BITS)
_HASHES = "hashes"
_COUNTS = "counts"


def hash64(text: str) -> int:
    """Return the hash of a text: unsigned, 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=BYTES).digest())


@dataclass(frozen=True)
class HashCounts:
    """The counts of hashes; files of `folder` hold the hashes that were counted more than once."""

    folder: Path

    def of(self, hashes: Hashes) -> Ints:
        """Return the count of each hash; all must have been counted."""
        if not len(self._repeated):
            return np.ones(len(hashes), dtype=np.int64)
        # Ascending, so that the files are read from their beginning to their end.
        distinct, indices = np.unique(hashes, return_inverse=True)
        places = np.minimum(np.searchsorted(self._repeated, distinct), len(self._repeated) - 1)
        counts = np.where(self._repeated[places] == distinct, self._counts[places], 1).astype(np.int64)
        return counts[indices]

    @cached_property
    def _repeated(self) -> Hashes:
        return _mapped(self.folder / _HASHES, np.uint64)

    @cached_property
    def _counts(self) -> npt.NDArray[np.uint32]:
        return _mapped(self.folder / _COUNTS, np.uint32)


def count_hashes(batches: Iterable[Hashes], folder: Path) -> HashCounts:
    """Count hashes into the new folder `folder`; memory holds one of its 64 partitions at a time."""
    folder.mkdir(parents=True)
    paths = [folder / f"part-{number:02}" for number in range(_PARTITIONS)]
    with ExitStack() as files:
        parts = [files.enter_context(path.open("wb")) for path in paths]
        for hashes in batches:
            ordered = np.sort(hashes)
            ends = np.searchsorted(ordered >> _BITS, np.arange(1, _PARTITIONS + 1, dtype=np.uint64))
            for part, piece in zip(parts, np.split(ordered, ends[:-1]), strict=True):
                part.write(piece.tobytes())
    # The upper bits rise with the partitions, so that all hashes are ascending.
    with (folder / _HASHES).open("wb") as repeated, (folder / _COUNTS).open("wb") as numbers:
        for path in paths:
            values, counts = np.unique(np.fromfile(path, dtype=np.uint64), return_counts=True)
            repeated.write(values[counts > 1].tobytes())
            numbers.write(counts[counts > 1].astype(np.uint32).tobytes())
            path.unlink()
    return HashCounts(folder)


def _mapped(path: Path, kind: type[np.generic]) -> npt.NDArray[Any]:
    """Return the numbers in a file; the system reads them at first use. An empty file cannot be mapped."""
    if not path.stat().st_size:
        return np.zeros(0, dtype=kind)
    return np.memmap(path, dtype=kind, mode="r")
