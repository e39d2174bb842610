"""64-bit numbers in place of words and terms, for whole shards at once.

A word b_1 ... b_n of bytes is the polynomial Σ (b_i + 1) · M^i modulo 2^64, which the sums from a buffer's begin give for
every part of it by one subtraction (Karp and Rabin, "Efficient randomized pattern-matching algorithms", 1987), and then
mixed so that all bits depend on all others (the finaliser of Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", 2014). Of n different words two share a number with a probability of about n² / 2^65.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.pages.plain import Ints

Bytes = npt.NDArray[np.uint8]
Hashes = npt.NDArray[np.uint64]

_MULTIPLIER = 0x9E3779B97F4A7C15
_INVERSE = pow(_MULTIPLIER, -1, 2**64)
_PIECE = 1 << 16


def hash_parts(data: Bytes, starts: Ints, ends: Ints) -> Hashes:
    """Return a number for each part of `data`: the same for the same bytes, wherever they stand.

    Args:
        data: bytes.
        starts: where the parts begin, rising.
        ends: where they end.
    """
    hashes = np.zeros(len(starts), dtype=np.uint64)
    # Some of the bytes at a time: their sums take eight times the room, which should be near.
    pieces = np.flatnonzero(np.diff(starts // _PIECE, prepend=-1))
    for first, after in pairwise([*pieces, len(starts)]):
        part = slice(first, after)
        begin = starts[first]
        hashes[part] = _hash_piece(data[begin : ends[part].max()], starts[part] - begin, ends[part] - begin)
    return hashes


def hash_texts(texts: list[str]) -> Hashes:
    """Return the number of each text, that of its bytes in UTF-8."""
    column = pa.array(texts, pa.large_string())
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[: len(texts) + 1]
    held = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return hash_parts(held, ends[:-1], ends[1:])


def _hash_piece(data: Bytes, starts: Ints, ends: Ints) -> Hashes:
    sums = np.zeros(len(data) + 1, dtype=np.uint64)
    np.cumsum((data + np.uint64(1)) * _powers(_MULTIPLIER, len(data)), out=sums[1:])
    mixed = (sums[ends] - sums[starts]) * _powers(_INVERSE, len(data) + 1)[starts]
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


_known: dict[int, Hashes] = {}


def _powers(base: int, size: int) -> Hashes:
    """Return base^0 to base^(size - 1) modulo 2^64."""
    known = _known.get(base)
    if known is None or len(known) < size:
        factors = np.full(max(size, _PIECE), base, dtype=np.uint64)
        factors[0] = 1
        known = _known[base] = np.cumprod(factors)
    return known[:size]
