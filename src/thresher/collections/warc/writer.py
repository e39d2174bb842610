"""Cleaned documents as WARC: one `conversion` record of plain text each, as in WET files."""

from __future__ import annotations

import io
import uuid
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from thresher.files import atomic_path, user_error

_TEXT = "text/plain; charset=utf-8"


class WarcWriter:
    """Writes a WARC 1.1 file: `.warc.gz` with one gzip member per record, else plain.

    A context manager: the file appears when the block succeeds. The same documents and `date` give the same bytes.

    Args:
        path: the file.
        cleaner: the cleaner's name, for the first record.
        version: Thresher's.
        date: the time of writing, in all records; UTC if it has no zone.

    Raises:
        ThresherError: if the file cannot be written.
    """

    def __init__(self, path: Path, cleaner: str, version: str, date: datetime) -> None:
        self._path = path
        self._date = (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._gzip = path.name.lower().endswith(".gz")
        fields = {"software": f"thresher {version}", "format": "WARC File Format 1.1", "cleaner": cleaner}
        self._about = "".join(f"{name}: {_sound(value)}\r\n" for name, value in fields.items()).encode()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            temporary = stack.enter_context(atomic_path(self._path))
            self._file = stack.enter_context(temporary.open("wb"))
            about = {"WARC-Filename": self._path.name}
            self._write(WarcRecordType.warcinfo, "application/warc-fields", self._about, about)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def write(self, document_id: str, text: str, url: str | None = None, refers_to: str | None = None) -> None:
        """Add a document.

        Args:
            document_id: its id, for `WARC-TREC-ID`.
            text: the cleaned text; lone surrogates become `?`.
            url: its URL.
            refers_to: the `WARC-Record-ID` of the original record, with or without brackets and `urn:uuid:`.

        Raises:
            ThresherError: if the disk is full.
        """
        fields = {"WARC-TREC-ID": document_id}
        if url:
            fields["WARC-Target-URI"] = url
        if refers_to:
            bare = refers_to.strip("<>")
            fields["WARC-Refers-To"] = f"<{bare if ':' in bare else f'urn:uuid:{bare}'}>"
        self._write(WarcRecordType.conversion, _TEXT, text.encode("utf-8", "replace"), fields)

    def _write(self, kind: WarcRecordType, content_type: str, block: bytes, fields: dict[str, str]) -> None:
        name = "\n".join((str(int(kind)), fields.get("WARC-TREC-ID", ""), block.decode("utf-8", "replace")))
        record = WarcRecord()
        # FastWARC would otherwise draw a random id, and set the current time.
        record.init_headers(kind, f"uuid:{uuid.uuid5(uuid.NAMESPACE_URL, _sound(name))}".encode())
        for field, value in {"WARC-Date": self._date, **fields, "Content-Type": content_type}.items():
            record.headers[field] = _sound(" ".join(value.split()))
        record.set_bytes_content(block)
        try:
            self._file.write(_packed(record, self._gzip))
        except OSError as error:
            raise user_error(error, self._path) from error


def _sound(value: str) -> str:
    """Return `value` with `?` for lone surrogates."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _packed(record: WarcRecord, gzip: bool) -> bytes:
    buffer = io.BytesIO()
    if gzip:
        with GzipWriter(buffer) as writer:
            record.write(writer)
            writer.finish()
    else:
        record.write(buffer)
    return buffer.getvalue()
