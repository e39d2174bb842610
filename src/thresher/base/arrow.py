"""PyArrow, of the extra `parquet`, imported where it is first used; and the tables of shards, which work without it.

`import thresher.base.arrow as pa` has the names of PyArrow. Columns are built from buffers, which is faster than from lists.
Without PyArrow a table has as much of its interface as shards need, and its file is JSON and the arrays behind it, in zstd.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import MissingDependencyError, ThresherError, needs_extra
from thresher.base.streams import open_stream, zstd_frame

# This module, whose other names are PyArrow's.
pa: Any = sys.modules[__name__]
_ABOUT = b"thresher"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    with needs_extra("parquet", "Parquet needs pyarrow, which is not installed"):
        arrow = import_module("pyarrow")
        found = import_module(f"pyarrow.{name}") if name in ("compute", "parquet") else getattr(arrow, name)
    return globals().setdefault(name, found)


@cache
def is_installed() -> bool:
    """Return whether PyArrow is: without it, nothing is Parquet."""
    with suppress(MissingDependencyError):
        return bool(pa.parquet)
    return False


class _Cell(NamedTuple):
    values: Any

    def as_py(self) -> Any:
        return self.values


class _Column(list[Any]):
    def __getitem__(self, row: Any) -> Any:
        return _Cell(super().__getitem__(row))

    def to_pylist(self) -> list[Any]:
        return [*self]


@dataclass(frozen=True)
class _Table:
    columns: Mapping[str, _Column]

    def __getitem__(self, name: str) -> _Column:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def column_names(self) -> list[str]:
        return [*self.columns]


Kind = Callable[[Sequence[Any]], Any] | type[np.generic]
"""What makes Arrow's column of values, or the type of the numbers in lists."""


def table_of(columns: Mapping[str, tuple[Kind, Sequence[Any]]]) -> Any:
    """Return a table of columns, by name, of which one is `id`."""
    if not is_installed():
        return _Table({name: _plain(*column) for name, column in columns.items()})
    arrays = (list_array(values, kind) if isinstance(kind, type) else kind(values) for kind, values in columns.values())
    return pa.table(dict(zip(columns, arrays, strict=True)))


def _plain(kind: Kind, values: Sequence[Any]) -> _Column:
    return _Column(np.asarray(value, dtype=kind) for value in values) if isinstance(kind, type) else _Column(values)


def write_table(path: Path, table: Any, about: str) -> None:
    """Write a table, with a text about it."""
    if is_installed():
        table = table.replace_schema_metadata({_ABOUT: about})
        pa.parquet.write_table(table, path, compression="zstd", compression_level=3, write_page_checksum=True)
        return
    head, arrays = [], []
    for name, column in table.columns.items():
        kind, values = "", column.to_pylist()
        if values and isinstance(values[0], np.ndarray):
            flat, values = np.concatenate(values), [*map(len, values)]
            kind = flat.dtype.str
            arrays.append(flat.tobytes())
        head.append([name, kind, values])
    path.write_bytes(zstd_frame(b"".join([json.dumps([about, head]).encode(), b"\n", *arrays])))


def read_about(path: Path) -> Any:
    """Return the text about a table in a file."""
    return pa.parquet.read_schema(path).metadata[_ABOUT] if is_installed() else _read(path)[0]


def read_table(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Read some columns of a table, or all."""
    if is_installed():
        table = read_parquet(path, columns)
        # No checksum covers the types of columns, by which texts may become bytes.
        if any(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) for kind in table.schema.types):
            raise pa.ArrowInvalid("a column of texts has another type")
        return table
    _, table = _read(path)
    return _Table({name: table[name] for name in columns or table})


def _read(path: Path) -> tuple[str, dict[str, _Column]]:
    with open_stream(path) as stream:
        head, _, data = stream.read().partition(b"\n")
    about, columns = json.loads(head)
    table, at = {}, 0
    for name, kind, values in columns:
        if kind:
            *ends, size = np.cumsum(values).tolist()
            flat = np.frombuffer(data, kind, size, at)
            at += flat.nbytes
            values = np.split(flat, ends)
        table[name] = _Column(values)
    return about, table


def ending() -> str:
    """Return how the names of tables' files end."""
    return ".parquet" if is_installed() else ".table"


def damage() -> tuple[type[Exception], ...]:
    """Return the errors of reading a table, or a record in it, that is damaged."""
    return (OSError, KeyError, TypeError, ThresherError, pa.ArrowException if is_installed() else ValueError)


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Read some columns of a Parquet file that Thresher wrote, or all."""
    names = None if columns is None else list(columns)
    with pa.parquet.ParquetFile(path, pre_buffer=True, page_checksum_verification=True) as file:
        table = file.read(columns=names)
    return table if names is None else table.select(names)


def number_array(values: npt.NDArray[Any], known: npt.NDArray[np.bool_] | None = None) -> Any:
    """Return numbers or truth values as Arrow has them; those that are not `known` are null."""
    bits = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [_validity(known), pa.py_buffer(np.ascontiguousarray(bits))]
    )


def optional_numbers(values: Sequence[float | None], kind: type[np.generic] = np.int64) -> Any:
    """Return numbers or truth values; None is null."""
    known = np.array([value is not None for value in values], dtype=np.bool_)
    return number_array(np.array([value or 0 for value in values], dtype=kind), known)


def text_array(values: Sequence[str | None], large: bool = False) -> Any:
    """Return texts as UTF-8, with offsets of 64 bits if they are `large`; None is null."""
    parts = [(value or "").encode() for value in values]
    offsets = np.zeros(len(parts) + 1, dtype=np.int64 if large else np.int32)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    known = np.array([value is not None for value in values], dtype=np.bool_)
    buffers = [_validity(known), pa.py_buffer(offsets), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.large_string() if large else pa.string(), len(parts), buffers)


def name_array(values: Sequence[str]) -> Any:
    """Return texts of which many are alike, each of which is stored once."""
    names = {name: number for number, name in enumerate(dict.fromkeys(values))}
    numbers = np.array([names[value] for value in values], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(number_array(numbers), text_array([*names]))


def list_array(values: Sequence[Any], kind: type[np.generic]) -> Any:
    """Return lists of numbers or truth values."""
    offsets = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    flat = np.concatenate([np.zeros(0, kind), *(np.asarray(value, dtype=kind) for value in values)])
    return pa.ListArray.from_arrays(number_array(offsets), number_array(flat))


def numpy_array(array: Any) -> npt.NDArray[Any]:
    """Return numbers or truth values, none of them null, as NumPy has them: read-only, if Arrow has them."""
    if not isinstance(array, np.ndarray) and pa.types.is_boolean(array.type):
        return np.from_dlpack(array.cast(pa.uint8())).view(np.bool_)
    return np.from_dlpack(array)


def flat_lists(column: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return where each list of a column begins and the last one ends, and their numbers one after the other."""
    if isinstance(column, _Column):
        return np.cumsum([0, *map(len, column)]), np.concatenate([np.zeros(0, np.bool_), *column])
    column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0)
    return numpy_array(column.offsets), numpy_array(column.values)


def _validity(known: npt.NDArray[np.bool_] | None) -> Any:
    return None if known is None or known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
