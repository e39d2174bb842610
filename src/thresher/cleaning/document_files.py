"""Cleaned documents as the records of files: JSON lines, compressed or not, and Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import pyarrow as pa
import pyarrow.parquet as pq
from isal import igzip

from thresher.cleaning.output_formats import (
    GZIP,
    PARQUET,
    ZSTD,
    OutputFormat,
    opened_output,
)
from thresher.pages.plain import without_invalid
from thresher.scorers.languages import UNKNOWN, language_of
from thresher.scoring.cutting import CleanedDocument

Metadata = Mapping[str, str | int | None]
Row = dict[str, Any]
Record = bytes | Row
"""A line of JSON, or a row of Parquet."""

METADATA = ("file", "offset", "bytes", "encoding", "words")
"""The members of `metadata`, in their order."""

# Characters of a text that tell its language; more would only take longer.
_SAMPLE = 2000
# Bytes of a zstd frame and of a row group, before compression.
_FRAME_BYTES, _GROUP_BYTES = 2**20, 16 * 2**20
# Line ends and controls that JSON leaves as they are, but that some readers of lines take for ends.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")
_SCHEMA = [(name, pa.string()) for name in ("id", "url", "title", "contents", "language")]
_METADATA_TYPE = pa.struct([(name, pa.string() if name in ("file", "encoding") else pa.int64()) for name in METADATA])


class DocumentFile(Protocol):
    """An open file of documents."""

    def write(self, record: Record) -> None:
        """Add a record."""
        ...

    def finish(self) -> None:
        """Write what is left; the file below stays open."""
        ...

    def abandon(self) -> None:
        """Write nothing more, after an error."""
        ...


@dataclass(frozen=True)
class Rendering:
    """How documents become records of a format. Picklable, for workers.

    `metadata`: whether the member `metadata` is wanted; `valid`: whether invalid characters are left out.
    """

    format: OutputFormat
    metadata: bool = False
    valid: bool = False

    def record(self, document: CleanedDocument, metadata: Metadata) -> Record:
        """Return a document's record; `metadata` are the values of `METADATA`."""
        if self.valid:
            valid = without_invalid(document.text).split("\n")
            document = replace(document, text="\n".join(filter(None, valid)), title=without_invalid(document.title))
        row = members(document, metadata if self.metadata else None)
        return row if self.format.kind == PARQUET else json_line(row)

    def open(self, out: BinaryIO) -> DocumentFile:
        """Begin a file in the open file `out`."""
        if self.format.kind == PARQUET:
            return _ParquetFile(out, self.metadata)
        if self.format.compression == GZIP:
            return _GzipFile(out)
        return _ZstdFile(out) if self.format.compression == ZSTD else _PlainFile(out)


def members(document: CleanedDocument, metadata: Metadata | None = None) -> Row:
    """Return a document as the members of a JSON line: `url`, `title`, `language` only if known."""
    language = language_of(document.text[:_SAMPLE]) if document.text else UNKNOWN
    row: Row = {
        "id": document.id,
        "url": document.url,
        "title": document.title or None,
        "contents": document.text,
        "language": None if language == UNKNOWN else language,
        "metadata": dict(metadata) if metadata is not None else None,
    }
    return {name: value for name, value in row.items() if value is not None}


def json_line(row: Row) -> bytes:
    """Return a row as a line of JSON in UTF-8 that every reader of lines takes for one."""
    text = json.dumps(row, ensure_ascii=False)
    if not text.isascii() or "\x7f" in text:
        text = _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode("utf-8", "replace") + b"\n"


@contextmanager
def documents_writer(path: Path, rendering: Rendering) -> Iterator[Callable[[Record], None]]:
    """Give the function that adds a record to a file, which appears when the block succeeds."""
    with opened_output(path) as out:
        file = rendering.open(out)
        try:
            yield file.write
        except BaseException:
            file.abandon()
            raise
        file.finish()


class _AbandonedQuietly:
    def abandon(self) -> None:
        pass


class _PlainFile(_AbandonedQuietly):
    def __init__(self, out: BinaryIO) -> None:
        self._write: Callable[[bytes], object] = out.write

    def write(self, record: Record) -> None:
        self._write(cast(bytes, record))

    def finish(self) -> None:
        pass


class _GzipFile(_AbandonedQuietly):
    def __init__(self, out: BinaryIO) -> None:
        # No name and no time: the same documents give the same bytes.
        self._packer: Any = igzip.IGzipFile(  # type: ignore[no-untyped-call]
            filename="", fileobj=out, mode="wb", mtime=0
        )

    def write(self, record: Record) -> None:
        self._packer.write(record)

    def finish(self) -> None:
        self._packer.close()


class _ZstdFile(_AbandonedQuietly):
    """Frames of a mebibyte: a reader needs no more memory."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting = bytearray()

    def write(self, record: Record) -> None:
        self._waiting += cast(bytes, record)
        if len(self._waiting) >= _FRAME_BYTES:
            self.finish()

    def finish(self) -> None:
        self._out.write(pa.compress(bytes(self._waiting), codec="zstd", asbytes=True))
        self._waiting.clear()


class _ParquetFile:
    """Row groups of 16 MiB before compression."""

    def __init__(self, out: BinaryIO, metadata: bool) -> None:
        self._schema = pa.schema([*_SCHEMA, *([("metadata", _METADATA_TYPE)] if metadata else [])])
        self._writer = pq.ParquetWriter(out, self._schema, compression="zstd", write_page_checksum=True)
        self._rows: list[Row] = []
        self._size = 0

    def write(self, record: Record) -> None:
        row = cast(Row, record)
        self._rows.append(row)
        self._size += len(row["contents"])
        if self._size >= _GROUP_BYTES:
            self._flush()

    def finish(self) -> None:
        if self._rows:
            self._flush()
        self._writer.close()

    def abandon(self) -> None:
        # It would otherwise end the file when it is collected.
        self._writer.is_open = False

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._size = [], 0
