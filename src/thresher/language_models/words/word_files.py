"""Arrays and words in files: mapped into memory when read, so that what is not needed costs no memory."""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.pages.plain import Ints

BLOCK = 1 << 18
"""The approximate number of entries in memory at once."""


def blocks(size: int) -> Iterator[slice]:
    """Cut a range of `size` entries into blocks that fit into memory."""
    for begin in range(0, size, BLOCK):
        yield slice(begin, min(begin + BLOCK, size))


def read_array(path: Path) -> Ints:
    """Map a file of 64-bit integers into memory."""
    if path.stat().st_size == 0:
        return np.zeros(0, dtype=np.int64)
    return np.memmap(path, dtype=np.int64, mode="r")


def scratch_array(folder: Path, size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of zeros in a file without a name; all of it is written now.

    Raises:
        OSError: if the disk is full, of which writing to the array would die.
    """
    if not size:
        return np.zeros(0, dtype=kind)
    with tempfile.TemporaryFile(dir=folder) as file:
        for at in blocks(size):
            np.zeros(at.stop - at.start, dtype=kind).tofile(file)
        return np.memmap(file, dtype=kind, shape=(size,))


class WordWriter:
    """Writes words, block by block, to two files that `read_words` maps: `.text`, and `.ends` with 64-bit ends in it."""

    def __init__(self, path: Path) -> None:
        with ExitStack() as files:
            self._text = files.enter_context(path.with_suffix(".text").open("wb"))
            self._ends = files.enter_context(path.with_suffix(".ends").open("wb"))
            self._files = files.pop_all()
        self._end = 0
        np.zeros(1, dtype=np.int64).tofile(self._ends)

    def __enter__(self) -> WordWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def write(self, words: Any) -> None:
        """Append an Arrow array of words, large binary or string."""
        if len(words):
            _, ends, text = words.buffers()
            ends = np.frombuffer(ends, dtype=np.int64)[words.offset : words.offset + len(words) + 1]
            self._text.write(memoryview(text)[ends[0] : ends[-1]])
            (ends[1:] + (self._end - ends[0])).tofile(self._ends)
            self._end += int(ends[-1] - ends[0])


def read_words(path: Path, kind: Any = None) -> Any:
    """Map what a `WordWriter` wrote as an Arrow array of `kind`; large binary by default."""
    ends = pa.py_buffer(read_array(path.with_suffix(".ends")))
    text = path.with_suffix(".text")
    content = pa.py_buffer(np.memmap(text, dtype=np.uint8, mode="r") if text.stat().st_size else b"")
    return pa.Array.from_buffers(kind or pa.large_binary(), len(ends) // 8 - 1, [None, ends, content])


def common_ranges(runs: Sequence[Any], key: Callable[[Any], Any]) -> Iterator[tuple[slice, ...]]:
    """Cut ascending runs of distinct keys at the same keys into ranges of about `BLOCK` entries of all runs together.

    Args:
        runs: arrays of NumPy or Arrow.
        key: makes an entry comparable.

    Yields:
        the slice of each run.
    """
    step = max(1, BLOCK // max(1, len(runs)))
    sizes = [len(run) for run in runs]
    begins = [0] * len(runs)
    while begins != sizes:
        ends = [min(begin + step, size) for begin, size in zip(begins, sizes, strict=True)]
        # Up to the lowest of the last keys nothing can follow in any run.
        cut_short = [key(run[end - 1]) for run, end, size in zip(runs, ends, sizes, strict=True) if end < size]
        if cut_short:
            last = min(cut_short)
            ends = [bisect_right(run, last, *at, key=key) for run, *at in zip(runs, begins, ends, strict=True)]
        yield tuple(map(slice, begins, ends))
        begins = ends
