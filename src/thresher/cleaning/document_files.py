"""Cleaned documents as the records of files: JSON lines, compressed or not, and Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
from isal import igzip

from thresher.cleaning.output_formats import GZIP, PARQUET, ZSTD, OutputFormat, opened_output
from thresher.pages.plain import without_invalid
from thresher.scorers.languages import UNKNOWN, language_of
from thresher.scoring.cutting import CleanedDocument

Metadata = Mapping[str, str | int | None]
Row = dict[str, Any]
Record = bytes | Row
"""A line of JSON, or a row of Parquet."""
Write = Callable[[Record], object]

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


@dataclass(frozen=True)
class Rendering:
    """Makes documents records of a format. Picklable, for workers.

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

    def writer(self, out: BinaryIO) -> AbstractContextManager[Write]:
        """Yield the function that adds a record to the open file `out`; after an error nothing more is written."""
        if self.format.kind == PARQUET:
            return _parquet(out, self.metadata)
        if self.format.compression == GZIP:
            return _gzip(out)
        return _zstd(out) if self.format.compression == ZSTD else nullcontext(cast(Write, out.write))


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
def documents_writer(path: Path, rendering: Rendering) -> Iterator[Write]:
    """Yield the function that adds a record to a file, which appears when the block succeeds."""
    with opened_output(path) as out, rendering.writer(out) as write:
        yield write


@contextmanager
def _gzip(out: BinaryIO) -> Iterator[Write]:
    # No name and no time: the same documents give the same bytes.
    packer: Any = igzip.IGzipFile(filename="", fileobj=out, mode="wb", mtime=0)  # type: ignore[no-untyped-call]
    yield packer.write
    packer.close()


@contextmanager
def _zstd(out: BinaryIO) -> Iterator[Write]:
    """Write frames of a mebibyte: a reader needs no more memory."""
    waiting = bytearray()

    def flush() -> None:
        out.write(pa.compress(bytes(waiting), codec="zstd", asbytes=True))
        waiting.clear()

    def write(record: Record) -> None:
        waiting.extend(cast(bytes, record))
        if len(waiting) >= _FRAME_BYTES:
            flush()

    yield write
    flush()


@contextmanager
def _parquet(out: BinaryIO, metadata: bool) -> Iterator[Write]:
    """Write row groups of 16 MiB before compression."""
    schema = pa.schema([*_SCHEMA, *([("metadata", _METADATA_TYPE)] if metadata else [])])
    writer = pq.ParquetWriter(out, schema, compression="zstd", write_page_checksum=True)
    rows: list[Row] = []
    size = 0

    def flush() -> None:
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        rows.clear()

    def write(record: Record) -> None:
        nonlocal size
        row = cast(Row, record)
        rows.append(row)
        size += len(row["contents"])
        if size >= _GROUP_BYTES:
            flush()
            size = 0

    try:
        yield write
    except BaseException:
        # It would otherwise end the file when it is collected.
        writer.is_open = False
        raise
    if rows:
        flush()
    writer.close()
