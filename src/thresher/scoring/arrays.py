"""Numbers and texts as Arrow has them, built from their buffers: faster than from lists of Python's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def number_array(values: npt.NDArray[Any], known: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Return numbers or truth values as Arrow has them; those that are not `known` are null."""
    bits = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [_validity(known), pa.py_buffer(np.ascontiguousarray(bits))]
    )


def optional_numbers(values: Sequence[int | None]) -> pa.Array:
    """Return 64-bit integers; None is null."""
    known = np.array([value is not None for value in values], dtype=np.bool_)
    return number_array(np.array([value or 0 for value in values], dtype=np.int64), known)


def text_array(values: Sequence[str | None], large: bool = False) -> pa.Array:
    """Return texts as UTF-8, with offsets of 64 bits if they are `large`; None is null."""
    parts = [(value or "").encode() for value in values]
    offsets = np.zeros(len(parts) + 1, dtype=np.int64 if large else np.int32)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    known = np.array([value is not None for value in values], dtype=np.bool_)
    buffers = [_validity(known), pa.py_buffer(offsets), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.large_string() if large else pa.string(), len(parts), buffers)


def name_array(values: Sequence[str]) -> pa.DictionaryArray:
    """Return texts of which many are alike, each of which is stored once."""
    names = {name: number for number, name in enumerate(dict.fromkeys(values))}
    numbers = np.array([names[value] for value in values], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(number_array(numbers), text_array([*names]))


def list_array(values: Sequence[Any], kind: type[np.generic]) -> pa.ListArray:
    """Return lists of numbers or truth values."""
    offsets = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    flat = np.concatenate([np.zeros(0, kind), *(np.asarray(value, dtype=kind) for value in values)])
    return pa.ListArray.from_arrays(number_array(offsets), number_array(flat))


def numpy_array(array: pa.Array) -> npt.NDArray[Any]:
    """Return numbers or truth values, none of them null, as NumPy has them: read-only."""
    if pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)


def _validity(known: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    return None if known is None or known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
