"""Tables of named columns, each in one file of NumPy's format `.npz`: a ZIP archive of arrays, compressed, with checksums.

`numpy.load` opens the file: `NAME.numbers` is a column of numbers; `NAME.values` with `NAME.offsets` are lists of numbers,
and `NAME.utf8` with `NAME.offsets` are texts. The texts or lists of a column are stored in order, without separators.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]

DAMAGE = (BadZipFile, zlib.error, struct.error, EOFError, KeyError, ValueError, NotImplementedError, RuntimeError)
"""The errors of reading a table from damaged bytes, besides `OSError` and `MemoryError`."""

_ABOUT = "about"
_NUMBERS = "numbers"
_VALUES = "values"
_UTF8 = "utf8"
_OFFSETS = "offsets"
# The fastest level of deflate: higher levels take several times as long and save a fifth of the bytes.
_LEVEL = 1


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of texts.

    Attributes:
        utf8: the bytes of all texts in order.
        offsets: the offset where each text begins, and where the last text ends; shape (rows + 1,).
    """

    utf8: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Return a column of these texts."""
        encoded = [text.encode() for text in texts]
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), _offsets(encoded))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> str:
        return self.utf8[self.offsets[row] : self.offsets[row + 1]].tobytes().decode()

    def tolist(self) -> list[str]:
        """Return all texts."""
        data = self.utf8.tobytes()
        return [data[begin:end].decode() for begin, end in pairwise(self.offsets.tolist())]


@dataclass(frozen=True, eq=False)
class Lists:
    """A column of lists of numbers.

    Attributes:
        values: the numbers of all lists in order.
        offsets: the offset where each list begins, and where the last list ends; shape (rows + 1,).
    """

    values: Numbers
    offsets: npt.NDArray[np.int64]

    @classmethod
    def of(cls, lists: Sequence[Sequence[Any] | Numbers], kind: type[np.generic]) -> Lists:
        """Return a column of these lists, as numbers of a kind."""
        arrays = [np.asarray(values, dtype=kind) for values in lists]
        return cls(np.concatenate([np.zeros(0, dtype=kind), *arrays]), _offsets(arrays))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Numbers:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def tolist(self) -> list[list[Any]]:
        """Return all lists."""
        return [self[row].tolist() for row in range(len(self))]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The length of each list; shape (rows,)."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """The row of each value."""
        return np.repeat(np.arange(len(self)), self.lengths)


Column = Texts | Lists | Numbers


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length. A column that is missing raises `KeyError`."""

    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def texts(self, name: str) -> Texts:
        """Return a column of texts."""
        column = self.columns[name]
        if not isinstance(column, Texts):
            raise KeyError(name)
        return column

    def lists(self, name: str) -> Lists:
        """Return a column of lists."""
        column = self.columns[name]
        if not isinstance(column, Lists):
            raise KeyError(name)
        return column

    def numbers(self, name: str) -> Numbers:
        """Return a column of numbers."""
        column = self.columns[name]
        if not isinstance(column, np.ndarray):
            raise KeyError(name)
        return column


def write_table(path: Path, table: Table, about: str) -> None:
    """Write a table, with a text about it. Equal tables give equal bytes."""
    with ZipFile(path, "w") as archive:
        _add(archive, _ABOUT, about.encode())
        for name, column in table.columns.items():
            for part, array in _parts(column).items():
                data = io.BytesIO()
                np.lib.format.write_array(data, array, allow_pickle=False)
                _add(archive, f"{name}.{part}.npy", data.getvalue())


def read_about(path: Path) -> str:
    """Return the text about the table in a file.

    Raises:
        OSError: the file cannot be read.
        Exception: one of `DAMAGE`.
    """
    with ZipFile(path) as archive:
        return archive.read(_ABOUT).decode()


def read_column_names(path: Path) -> set[str]:
    """Return the names of the columns of the table in a file; errors as in `read_about`."""
    with ZipFile(path) as archive:
        return {name.removesuffix(".npy").rpartition(".")[0] for name in archive.namelist() if name != _ABOUT}


def read_table(path: Path, columns: Collection[str] | None = None, optional: Collection[str] = ()) -> Table:
    """Read the columns of these names, or all; the other columns are not decompressed. Optional columns may be missing.

    Raises:
        OSError: the file cannot be read.
        Exception: one of `DAMAGE`; a column that is missing is `KeyError`.
    """
    with ZipFile(path) as archive:
        parts: dict[str, set[str]] = {}
        for member in archive.namelist():
            if member != _ABOUT:
                name, _, part = member.removesuffix(".npy").rpartition(".")
                parts.setdefault(name, set()).add(part)
        names = parts if columns is None else [name for name in columns if name in parts or name not in optional]
        return Table({name: _read_column(archive, name, parts[name]) for name in names})


def _parts(column: Column) -> dict[str, Numbers]:
    if isinstance(column, Texts):
        return {_UTF8: column.utf8, _OFFSETS: column.offsets}
    if isinstance(column, Lists):
        return {_VALUES: column.values, _OFFSETS: column.offsets}
    return {_NUMBERS: column}


def _read_column(archive: ZipFile, name: str, parts: set[str]) -> Column:
    if parts == {_UTF8, _OFFSETS}:
        return Texts(_read_array(archive, name, _UTF8), _read_array(archive, name, _OFFSETS))
    if parts == {_VALUES, _OFFSETS}:
        return Lists(_read_array(archive, name, _VALUES), _read_array(archive, name, _OFFSETS))
    if parts == {_NUMBERS}:
        return _read_array(archive, name, _NUMBERS)
    raise KeyError(name)


def _read_array(archive: ZipFile, name: str, part: str) -> Numbers:
    # The member is read to its end first: only there its checksum is compared.
    data = io.BytesIO(archive.read(f"{name}.{part}.npy"))
    array: Numbers = np.lib.format.read_array(data, allow_pickle=False)
    return array


def _add(archive: ZipFile, name: str, data: bytes) -> None:
    # A new `ZipInfo` has the first day of 1980 as its time.
    archive.writestr(ZipInfo(name), data, ZIP_DEFLATED, _LEVEL)


def _offsets(parts: Sequence[Any]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return offsets
