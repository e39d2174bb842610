"""Cleaned documents as the records of files: JSON lines, text, WARC, Parquet, compressed or not, in shards or not."""

from __future__ import annotations

import io
import json
import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count, takewhile
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self, cast

import pyarrow as pa
import pyarrow.parquet as pq
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType
from isal import igzip

from thresher import __version__
from thresher.cleaning.output_formats import (
    GZIP,
    PARQUET,
    TEXT,
    WARC,
    ZSTD,
    OutputFormat,
    opened_output,
    shard_name,
)
from thresher.files import scratch_folder, user_error
from thresher.pages.plain import without_invalid
from thresher.scorers.languages import UNKNOWN, language_of
from thresher.scoring.cutting import CleanedDocument

_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class WarcRecords:
    """Makes the records of a WARC 1.1 file, each compressed by itself.

    The same documents and `date` give the same bytes.

    Attributes:
        cleaner: the cleaner's name, for the first record.
        version: Thresher's.
        date: the time of writing, in all records; UTC if it has no zone.
        compression: `gz` for one gzip member a record, `zst` for one zstd frame, else empty.
    """

    cleaner: str
    version: str
    date: datetime
    compression: str = ""

    def about(self, name: str) -> bytes:
        """Return the first record of the file called `name`, of type `warcinfo`."""
        fields = {"software": f"thresher {self.version}", "format": "WARC File Format 1.1", "cleaner": self.cleaner}
        block = "".join(f"{key}: {_sound(value)}\r\n" for key, value in fields.items()).encode()
        record = self._record(WarcRecordType.warcinfo, "application/warc-fields", block, {"WARC-Filename": name})
        return self._packed(record)

    def document(self, document_id: str, text: str, url: str | None = None, refers_to: str | None = None) -> bytes:
        """Return the record of a document.

        Args:
            document_id: its id, for `WARC-TREC-ID`.
            text: the cleaned text; lone surrogates become `?`.
            url: its URL.
            refers_to: the `WARC-Record-ID` of the original record, with or without brackets and `urn:uuid:`.
        """
        fields = {"WARC-TREC-ID": document_id}
        if url:
            fields["WARC-Target-URI"] = url
        if refers_to:
            bare = refers_to.strip("<>")
            fields["WARC-Refers-To"] = f"<{bare if ':' in bare else f'urn:uuid:{bare}'}>"
        return self._packed(self._record(WarcRecordType.conversion, _TEXT, text.encode("utf-8", "replace"), fields))

    def _record(self, kind: WarcRecordType, content_type: str, block: bytes, fields: dict[str, str]) -> WarcRecord:
        name = "\n".join((str(int(kind)), fields.get("WARC-TREC-ID", ""), block.decode("utf-8", "replace")))
        record = WarcRecord()
        # FastWARC would otherwise draw a random id, and set the current time.
        record.init_headers(kind, f"uuid:{uuid.uuid5(uuid.NAMESPACE_URL, _sound(name))}".encode())
        date = (self.date if self.date.tzinfo else self.date.replace(tzinfo=UTC)).astimezone(UTC)
        shown = date.strftime("%Y-%m-%dT%H:%M:%SZ")
        for field, value in {"WARC-Date": shown, **fields, "Content-Type": content_type}.items():
            record.headers[field] = _sound(" ".join(value.split()))
        record.set_bytes_content(block)
        return record

    def _packed(self, record: WarcRecord) -> bytes:
        buffer = io.BytesIO()
        if self.compression == "gz":
            with GzipWriter(buffer) as writer:
                record.write(writer)
                writer.finish()
            return buffer.getvalue()
        record.write(buffer)
        plain = buffer.getvalue()
        packed: bytes = pa.compress(plain, codec="zstd", asbytes=True) if self.compression == "zst" else plain
        return packed


def _sound(value: str) -> str:
    """Return `value` with `?` for lone surrogates."""
    return value.encode("utf-8", "replace").decode("utf-8")


Metadata = Mapping[str, str | int | None]
Row = dict[str, Any]
Record = tuple[int, bytes | Row]
"""Bytes before compression, and a record: bytes, or a row of Parquet."""

METADATA = ("file", "offset", "bytes", "encoding", "words")
"""The members of `metadata`, in their order."""

# Characters of a text that tell its language; more would only take longer.
_SAMPLE = 2000
# Bytes of a zstd frame and of a row group, before compression.
_FRAME_BYTES, _GROUP_BYTES = 2**20, 16 * 2**20
# Line ends and controls that JSON leaves as they are, but that some readers of lines take for ends.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_SCHEMA = [(name, pa.string()) for name in ("id", "url", "title", "contents", "language")]
_METADATA_TYPE = pa.struct([(name, pa.string() if name in ("file", "encoding") else pa.int64()) for name in METADATA])


class DocumentFile(Protocol):
    """An open file of documents."""

    def write(self, record: bytes | Row) -> None:
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

    `cleaner` and `date` are for WARC; `metadata`: whether the member `metadata` is wanted; `valid`: whether invalid characters
    are left out.
    """

    format: OutputFormat
    cleaner: str
    date: datetime
    metadata: bool = False
    valid: bool = False

    def record(self, document: CleanedDocument, metadata: Metadata) -> Record | None:
        """Return a document's record; None for a document without text in a file of plain text.

        Args:
            document: the document.
            metadata: the values of `METADATA`.
        """
        if self.valid:
            valid = without_invalid(document.text).split("\n")
            document = replace(document, text="\n".join(filter(None, valid)), title=without_invalid(document.title))
        if self.format.kind == TEXT:
            packed = _CONTROLS.sub(" ", document.text).encode("utf-8", "replace") + b"\n\n" if document.text else b""
            return (len(packed), packed) if packed else None
        if self.format.kind == WARC:
            packed = self._warc.document(document.id, document.text, document.url)
            return len(document.text.encode("utf-8", "replace")), packed
        row = members(document, metadata if self.metadata else None)
        if self.format.kind == PARQUET:
            return len(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")), row
        line = json_line(row)
        return len(line), line

    def open(self, out: BinaryIO, name: str) -> DocumentFile:
        """Begin a file called `name` in the open file `out`."""
        if self.format.kind == PARQUET:
            return _ParquetFile(out, self.metadata)
        if self.format.kind == WARC:
            out.write(self._warc.about(name))
            return _PlainFile(out)
        if self.format.compression == GZIP:
            return _GzipFile(out)
        return _ZstdFile(out) if self.format.compression == ZSTD else _PlainFile(out)

    @property
    def _warc(self) -> WarcRecords:
        return WarcRecords(self.cleaner, __version__, self.date, self.format.compression)


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


class DocumentsWriter:
    """Writes records into one file, or into shards of a size. A context manager.

    A single file appears when the block succeeds. Shards appear then too, one after another; those that an earlier command
    left go before.

    Args:
        path: the output.
        rendering: how files are begun.
        shard_size: as in `thresher.cleaning.output_formats.Output`.
    """

    def __init__(self, path: Path, rendering: Rendering, shard_size: int = 0) -> None:
        self._path = path
        self._rendering = rendering
        self._limit = shard_size
        self._size = 0
        self._shards: list[Path] = []
        self._open: ExitStack | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if self._limit:
                self._folder = stack.enter_context(scratch_folder(self._path))
            self._stack = stack.pop_all()
        try:
            self._begin()
        except BaseException:
            self._stack.close()
            raise
        return self

    def write(self, record: Record) -> None:
        """Add a record."""
        size, content = record
        if self._limit and self._size and self._size + size > self._limit:
            self._end(None, None, None)
            self._begin()
        self._size += size
        self._file.write(content)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            self._end(kind, error, trace)
            if self._limit and kind is None:
                self._put_in_place()

    def _begin(self) -> None:
        path = self._path
        if self._limit:
            final = shard_name(path, len(self._shards))
            self._shards.append(final)
            path = self._folder / final.name
        with ExitStack() as stack:
            out = stack.enter_context(opened_output(path))
            self._file = self._rendering.open(out, path.name)
            self._size = 0
            self._open = stack.pop_all()

    def _end(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        stack, self._open = self._open, None
        if stack is None:
            return
        if kind is not None:
            self._file.abandon()
            stack.__exit__(kind, error, trace)
            return
        with stack:
            self._file.finish()

    def _put_in_place(self) -> None:
        try:
            old = [*takewhile(Path.exists, (shard_name(self._path, number) for number in count()))]
            # A kill leaves the first ones.
            for shard in reversed(old):
                shard.unlink()
            for shard in self._shards:
                (self._folder / shard.name).replace(shard)
        except OSError as error:
            raise user_error(error, self._path) from error


class _AbandonedQuietly:
    def abandon(self) -> None:
        pass


class _PlainFile(_AbandonedQuietly):
    def __init__(self, out: BinaryIO) -> None:
        self._write: Callable[[bytes], object] = out.write

    def write(self, record: bytes | Row) -> None:
        self._write(cast(bytes, record))

    def finish(self) -> None:
        pass


class _GzipFile(_AbandonedQuietly):
    def __init__(self, out: BinaryIO) -> None:
        # No name and no time: the same documents give the same bytes.
        self._packer: Any = igzip.IGzipFile(  # type: ignore[no-untyped-call]
            filename="", fileobj=out, mode="wb", mtime=0
        )

    def write(self, record: bytes | Row) -> None:
        self._packer.write(record)

    def finish(self) -> None:
        self._packer.close()


class _ZstdFile(_AbandonedQuietly):
    """Frames of a mebibyte: a reader needs no more memory."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting = bytearray()

    def write(self, record: bytes | Row) -> None:
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

    def write(self, record: bytes | Row) -> None:
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
