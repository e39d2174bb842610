"""PyArrow, of the extra `parquet`, imported where it is first used: for Parquet files and data frames.

`import thresher.base.arrow as pa` has the names of PyArrow. Columns are built from buffers, which is faster than from lists.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import needs_extra

# This module: all its other names come from PyArrow.
pa: Any = sys.modules[__name__]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    with needs_extra("parquet", "Parquet needs pyarrow, which is not installed"):
        arrow = import_module("pyarrow")
        attribute = import_module(f"pyarrow.{name}") if name in ("compute", "parquet") else getattr(arrow, name)
    return globals().setdefault(name, attribute)


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Read some columns of a Parquet file that Thresher wrote, or all."""
    names = None if columns is None else list(columns)
    with pa.parquet.ParquetFile(path, pre_buffer=True, page_checksum_verification=True) as file:
        table = file.read(columns=names)
    return table if names is None else table.select(names)


def number_array(values: npt.NDArray[Any], is_valid: npt.NDArray[np.bool_] | None = None) -> Any:
    """Return numbers or truth values as Arrow has them; values that are not valid are null."""
    bits = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [_validity(is_valid), pa.py_buffer(np.ascontiguousarray(bits))]
    )


def optional_numbers(values: Sequence[float | None], kind: type[np.generic] = np.int64) -> Any:
    """Return numbers or truth values; None is null."""
    is_valid = np.array([value is not None for value in values], dtype=np.bool_)
    return number_array(np.array([value or 0 for value in values], dtype=kind), is_valid)


def text_array(values: Sequence[str | None], large: bool = False) -> Any:
    """Return texts as UTF-8, with offsets of 64 bits if they are `large`; None is null."""
    parts = [(value or "").encode() for value in values]
    offsets = np.zeros(len(parts) + 1, dtype=np.int64 if large else np.int32)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    is_valid = np.array([value is not None for value in values], dtype=np.bool_)
    buffers = [_validity(is_valid), pa.py_buffer(offsets), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.large_string() if large else pa.string(), len(parts), buffers)


def numpy_array(array: Any) -> npt.NDArray[Any]:
    """Return numbers or truth values, none of them null, as NumPy has them: read-only, if Arrow has them."""
    if not isinstance(array, np.ndarray) and pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)


class FlatLists(NamedTuple):
    """The offset where each list of a column begins and the last list ends, and the numbers of all lists in order."""

    offsets: npt.NDArray[Any]
    numbers: npt.NDArray[Any]


def flat_lists(column: Any) -> FlatLists:
    """Return the lists of a column of numbers."""
    column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0)
    return FlatLists(numpy_array(column.offsets), numpy_array(column.values))


def _validity(is_valid: npt.NDArray[np.bool_] | None) -> Any:
    if is_valid is None or is_valid.all():
        return None
    return pa.py_buffer(np.packbits(is_valid, bitorder="little"))
