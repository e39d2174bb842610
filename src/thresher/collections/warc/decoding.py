"""Content encodings of HTTP: gzip, deflate, br and zstd undone, within a bound."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator, Sequence

from fastwarc.stream_io import BrotliReader, ZstdReader

_PIECE = 1 << 16
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"


class TooLargeError(Exception):
    """What a body decodes to is larger than allowed."""


class BrokenEncodingError(Exception):
    """A body that is encoded, of which nothing can be decoded."""


def decode(body: bytes, encodings: Sequence[str], most: int) -> bytes:
    """Undo content encodings.

    A body that is not encoded as claimed is taken as it is; one that is gzip without a claim is unpacked; one that
    breaks off gives what comes before.

    Args:
        body: what was sent.
        encodings: their names in lower case, in the order in which they were applied; unknown ones count as none.
        most: the bytes that may come out.

    Raises:
        TooLargeError: if more would.
        BrokenEncodingError: if the body is encoded and nothing comes out; its text is the name of the encoding.
    """
    for name in reversed(encodings):
        body = _undo(body, name, most)
    return _undo(body, "gzip", most) if body.startswith(_GZIP) else body


def is_binary(body: bytes) -> bool:
    """Return whether the beginning of `body` holds control characters that no text does."""
    return _CONTROL.search(body, 0, 512) is not None and body[:2] not in (b"\xff\xfe", b"\xfe\xff")


def _undo(body: bytes, name: str, most: int) -> bytes:
    pieces = _pieces(body, name)
    if pieces is None:
        return body
    found = []
    size = 0
    try:
        for piece in pieces:
            size += len(piece)
            if size > most:
                raise TooLargeError
            found.append(piece)
    except (zlib.error, OSError, EOFError) as error:
        if not size:
            raise BrokenEncodingError(name) from error
    return b"".join(found)


def _pieces(body: bytes, name: str) -> Iterator[bytes] | None:
    """Start to decode; None if the body is not encoded so."""
    if name in ("gzip", "x-gzip"):
        return _inflate(body, 31) if body.startswith(_GZIP) else None
    if name == "zstd":
        return _read(ZstdReader(io.BytesIO(body))) if body.startswith(_ZSTD) else None
    # RFC 9110 says zlib for deflate; some servers send it raw.
    if name == "deflate" and len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0:
        return _inflate(body, 15)
    # Nothing marks these streams: text that is not encoded can decode to a few bytes of nonsense.
    if not body or (not is_binary(body) and body[:1] in b" \r\n\t<"):
        return None
    if name == "deflate":
        return _inflate(body, -15)
    return _read(BrotliReader(io.BytesIO(body))) if name == "br" else None


def _inflate(body: bytes, bits: int) -> Iterator[bytes]:
    while body:
        inflater = zlib.decompressobj(bits)
        while not inflater.eof:
            piece = inflater.decompress(body, _PIECE)
            body = inflater.unconsumed_tail
            yield piece
            if not body and not piece:
                raise EOFError
        # A gzip stream may have several members; what follows the last is ignored.
        body = inflater.unused_data if bits == 31 and inflater.unused_data.startswith(_GZIP) else b""


def _read(reader: BrotliReader | ZstdReader) -> Iterator[bytes]:
    while piece := reader.read(_PIECE):
        yield piece
