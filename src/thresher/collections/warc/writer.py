"""Cleaned documents as WARC: one `conversion` record of plain text each, as in WET files."""

from __future__ import annotations

import io
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

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
