"""Parquet files: one document per row, with the same columns as JSON lines have members."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from thresher.base.errors import needs_extra
from thresher.collections.interface import ReadOptions
from thresher.collections.json_lines import source_of
from thresher.collections.sources import Part, Reading, Source, Span

MAGIC = b"PAR1"
"""The first and the last bytes of a file."""

# Rows at a time, and bytes of a column chunk: row groups may be larger than memory.
_ROWS = 32
_BUFFER = 2**20
_MOST_SHOWN = 200


@dataclass(frozen=True)
class ParquetRows:
    """Parquet; `options.fields` names the columns, with dots for members of structs.

    A page or text may be a string, or bytes of any encoding. The offset of a document is that of its row group.
    """

    name: ClassVar[str] = "parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    def can_split(self, path: Path) -> bool:
        """Return whether the file can be read: row groups are read one by one, never by the parent process."""
        return os.access(path, os.R_OK)

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents of the row groups that begin in a range. See `FileKind.read`.

        The rows of a damaged row group are lost. All rows are lost if the end of the file is damaged, where groups are listed.
        """
        size = part.path.stat().st_size
        fields = options.fields
        try:
            file = _opened(part.path)
        except ValueError as error:
            if part.begin or not size:
                return Span(None, size)
            yield Source("", part.name, size, 0, problem=str(error))
            return Span(0, size)
        with closing(file):
            starts = _starts(file, size)
            chosen = [number for number, start in enumerate(starts) if part.begin <= start < part.end]
            columns: list[str] | None = None
            if not options.with_members:
                names = chain(fields.id, fields.html, fields.text, fields.url)
                top_names = dict.fromkeys(name.partition(".")[0] for name in names)
                columns = [name for name in top_names if name in file.schema_arrow.names]
            for number in chosen:
                try:
                    for row in _rows(file, number, columns):
                        yield source_of(row, part.name, starts[number], 0, options, "row")
                except ValueError as error:
                    yield Source("", part.name, 0, starts[number], problem=str(error))
        after = next((start for start in starts if start >= part.end), size)
        if not chosen:
            return Span(None, after)
        return Span(starts[chosen[0]], after)


def rows_of(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, with some of its columns or all; a `ValueError` at the first damage."""
    with closing(_opened(path)) as file:
        for number in range(file.metadata.num_row_groups):
            yield from _rows(file, number, columns)


def _opened(path: Path) -> Any:
    with needs_extra("parquet", "it is Parquet, which needs pyarrow", str(path)):
        import pyarrow.parquet as pq
    try:
        return pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True)
    except Exception as error:
        raise _damage(error) from error


def _rows(file: Any, group: int, columns: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    try:
        for batch in file.iter_batches(_ROWS, row_groups=[group], columns=columns, use_threads=False):
            yield from batch.to_pylist()
    except Exception as error:
        raise _damage(error) from error


def _damage(error: Exception) -> Exception:
    """Return the error for a damaged file, given Arrow's error, which may be of any class."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno):
        return error
    lines = str(error).strip().splitlines() or [type(error).__name__]
    message = "".join(character if character.isprintable() else "?" for character in lines[0][:_MOST_SHOWN])
    return ValueError(f"the Parquet file is damaged ({message.strip(' .')})")


def _starts(file: Any, size: int) -> list[int]:
    """Return the offset of each row group: the first page of all its columns, but never before the preceding group."""
    starts: list[int] = []
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        pages = [size - 1]
        for index in range(group.num_columns):
            column = group.column(index)
            pages.append(column.data_page_offset)
            if column.dictionary_page_offset:
                pages.append(column.dictionary_page_offset)
        before = starts[-1] if starts else 0
        starts.append(max(min(pages), 0, before))
    return starts
