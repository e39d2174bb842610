"""WARC files made on the spot: sound ones, and the ways in which they break."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastwarc.stream_io import BrotliWriter, ZstdWriter
from file_ranges import read_range

from thresher.collections.interface import ReadOptions
from thresher.collections.sources import Source, Span
from thresher.collections.warc import Warc

MIB = 2**20


def http(body: bytes = b"<p>text", *fields: str, status: str = "200 OK", end: str = "\r\n") -> bytes:
    """An HTTP response; of HTML if no field says otherwise."""
    lines = [f"HTTP/1.1 {status}", *(fields or ("Content-Type: text/html",))]
    return end.join((*lines, "", "")).encode() + body


def record(block: bytes, *fields: str, kind: str = "response", number: int = 1, length: object = None) -> bytes:
    """A record with the id `number`; a field given replaces the one of that name, and is left out if it has no value."""
    lines = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{number}>",
        "WARC-Target-URI": f"http://x/{number}",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block) if length is None else length),
    }
    for line in fields:
        name, _, value = line.partition(": ")
        lines[name] = value
    header = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return b"WARC/1.0\r\n" + header.encode() + b"\r\n" + block + b"\r\n\r\n"


def zstd(content: bytes, dictionary: bytes | None = None) -> bytes:
    """A zstd frame; behind the frame of the dictionary if there is one."""
    packed = io.BytesIO()
    with ZstdWriter(packed, dictionary=dictionary) as writer:
        # It takes what it likes of a large piece.
        for at in range(0, len(content), MIB):
            assert writer.write(content[at : at + MIB]) == len(content[at : at + MIB])
    return packed.getvalue()


def brotli(content: bytes) -> bytes:
    """A brotli stream."""
    packed = io.BytesIO()
    with BrotliWriter(packed) as writer:
        writer.write(content)
    return packed.getvalue()


def pack(records: Sequence[bytes], suffix: str) -> bytes:
    """A file of that suffix with a member or frame a record."""
    if suffix.endswith(".gz"):
        return b"".join(gzip.compress(each, mtime=0) for each in records)
    return b"".join(zstd(each) if suffix.endswith(".zst") else each for each in records)


def read(
    path: Path, begin: int = 0, end: int | None = None, *, exact: bool = True, most: int = 16 * MIB
) -> tuple[list[Source], Span]:
    """What a range of a file gives; all of it by default."""
    end = path.stat().st_size if end is None else end
    return read_range(Warc(), path, begin, end, ReadOptions(max_bytes=most), exact)


def read_bytes(tmp_path: Path, content: bytes, name: str = "a.warc", **options: Any) -> list[Source]:
    """What a file with this content gives."""
    path = tmp_path / name
    path.write_bytes(content)
    return read(path, **options)[0]


def told(sources: Sequence[Source]) -> list[tuple[str, bytes | None, str | None]]:
    """Ids with bytes or problems."""
    return [(source.id, source.content, source.problem) for source in sources]
