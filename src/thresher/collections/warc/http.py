"""HTTP responses as crawlers stored them: headers, chunks and content encodings, in bounded memory."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fastwarc.stream_io import BrotliReader, ZstdReader

from thresher.collections.warc.framing import find_empty_line

MOST_HEADER = 1 << 16
# The most headers of one record: crawlers follow a redirect some twenty times.
_MOST_HEADERS = 32
_PIECE = 1 << 16
# The status stands behind the protocol, which need not be HTTP (ICY), nor be there at all.
_STATUS = re.compile(rb"(?:HTTP/\d(?:\.\d)?|[!-9;-~]{0,30}?)[ \t]*(\d{3})(?!\d)", re.IGNORECASE)
_HTTP = re.compile(rb"HTTP/", re.IGNORECASE)
_NEXT_RESPONSE = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]*\d{3}(?!\d)", re.IGNORECASE)
_OTHER_STATUS_LINE = re.compile(rb"[!-9;-~]{0,30}[ \t]*\d{3}(?!\d)[^\n<]{0,200}\n")
_FIELDS = re.compile(rb"(?::?[\w-]{1,100}[ \t]{0,9}:[^\n]*(?:\n[ \t][^\n]*)*(?:\n|\Z))+(?=\r?\n|<|\Z)")
# Fields that tell the header of a response from a text that begins with words and colons.
_OF_RESPONSE = re.compile(
    rb"^(?::status|content-(?:type|length|encoding)|transfer-encoding|server|set-cookie|last-modified|cache-control|etag|status"
    rb"|x-powered-by)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
# HTTP/2 has the status in a field `:status`.
_STATUS_FIELD = re.compile(rb"\n:?status[ \t]*:[ \t]*(\d{3})")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_LINE_ENDS = re.compile(rb"[\r\n]*")
_MARKUP = re.compile(rb"\n[ \t]*<")
_CHUNK = re.compile(rb"[ \t\r\n]{0,64}0*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_CHARSET = re.compile(r"charset[ \t]*[=:][ \t]*[\"']?[ \t]*([^\s;\"',]+)", re.IGNORECASE)
_TEXT = "text/plain"
_MEDIA_TYPE = re.compile(r"[;,\s\"']")
_QUOTES = " \t\"'"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
# zlib's codes of formats: a gzip member, zlib's own format, or bare deflate.
_AS_GZIP = 31
_AS_ZLIB = 15
_AS_DEFLATE = -15


class TooLargeError(Exception):
    """A decoded body is larger than allowed."""


class BrokenEncodingError(Exception):
    """Nothing of an encoded body can be decoded."""


def decode(body: bytes, encodings: Sequence[str], most: int) -> bytes:
    """Undo content encodings.

    A body that is not encoded as declared is returned unchanged; undeclared gzip is decoded; a damaged body is decoded up to
    the damage. Encodings are in lower case, in the order of their application; unknown encodings are ignored.
    """
    for name in reversed(encodings):
        body = _undo(body, name, most)
    if body.startswith(_GZIP):
        return _undo(body, "gzip", most)
    return body


def is_binary(body: bytes) -> bool:
    """Return whether the first bytes hold control characters that do not occur in text."""
    return _CONTROL.search(body, 0, 512) is not None and body[:2] not in (b"\xff\xfe", b"\xfe\xff")


def _undo(body: bytes, name: str, most: int) -> bytes:
    pieces = _pieces(body, name)
    if pieces is None:
        return body
    decoded = []
    size = 0
    try:
        for piece in pieces:
            size += len(piece)
            if size > most:
                raise TooLargeError
            decoded.append(piece)
    except (zlib.error, OSError, EOFError) as error:
        if not size:
            raise BrokenEncodingError(name) from error
    return b"".join(decoded)


def _pieces(body: bytes, name: str) -> Iterator[bytes] | None:
    """Return an iterator over the decoded pieces; None if the body is not in this encoding."""
    if name in ("gzip", "x-gzip"):
        if body.startswith(_GZIP):
            return _inflate(body, _AS_GZIP)
        return None
    if name == "zstd":
        if body.startswith(_ZSTD):
            return _read(ZstdReader(io.BytesIO(body)))
        return None
    # RFC 9110: deflate is in zlib's format; some servers send it raw.
    if name == "deflate" and _begins_zlib(body):
        return _inflate(body, _AS_ZLIB)
    # These streams have no magic number: unencoded text may decode to a few bytes of nonsense.
    if not body or (not is_binary(body) and body[:1] in b" \r\n\t<"):
        return None
    if name == "deflate":
        return _inflate(body, _AS_DEFLATE)
    if name == "br":
        return _read(BrotliReader(io.BytesIO(body)))
    return None


def _begins_zlib(body: bytes) -> bool:
    """Return whether bytes begin with zlib's header (RFC 1950): the method 8, and a multiple of 31 in all."""
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _inflate(body: bytes, bits: int) -> Iterator[bytes]:
    while body:
        inflater = zlib.decompressobj(bits)
        while not inflater.eof:
            piece = inflater.decompress(body, _PIECE)
            body = inflater.unconsumed_tail
            yield piece
            if not body and not piece:
                raise EOFError
        body = inflater.unused_data
        # A gzip stream may have several members; bytes after the last are ignored.
        if bits != _AS_GZIP or not body.startswith(_GZIP):
            return


def _read(reader: BrotliReader | ZstdReader) -> Iterator[bytes]:
    while piece := reader.read(_PIECE):
        yield piece


class Response(NamedTuple):
    """The header of a response. `status` is None if missing; `body` is the body's offset in the block."""

    status: int | None
    content_type: str
    encodings: tuple[str, ...]
    chunked: bool
    body: int


def parse_response(block: bytes) -> Response:
    """Parse the header of an HTTP response; a block without one is all body.

    If there are several headers, the last header counts: interim responses (1xx), proxies' answers and redirects may stand
    before it. Only a plain text may begin like a header.
    """
    response = _parse_header(block, 0)
    for _ in range(_MOST_HEADERS):
        is_text = media_type(response.content_type) == _TEXT
        if is_text or not response.body or not _NEXT_RESPONSE.match(block, response.body):
            break
        response = _parse_header(block, response.body)
    return response


def _parse_header(block: bytes, at: int) -> Response:
    """Parse the header at an offset of the block; without a header, all bytes from there on are the body.

    The header ends at the first empty line, with any line ends, or before a line that begins with `<`, as no field does.
    """
    begin = _after_line_ends(block, at)
    if not _begins_header(block, begin):
        return Response(None, "", (), False, at)
    end = body = min(len(block), begin + MOST_HEADER)
    if blank := find_empty_line(block, begin, end):
        end, body = blank
    if markup := _MARKUP.search(block, begin, end):
        end = markup.start()
        body = end + 1
    # The first line is a field if there is no status line, and values may go on in the next line.
    header = _FOLD.sub(b" ", b"\n" + block[begin:end])
    folded = header.lower()
    status: int | None = None
    if match := _STATUS.match(block, begin) or _STATUS_FIELD.search(folded):
        status = int(match.group(1))
    encodings: list[str] = []
    for value in _values(header, folded, b"content-encoding"):
        encodings += [name.strip().lower() for name in value.split(",") if name.strip()]
    chunked = any("chunked" in value.lower() for value in _values(header, folded, b"transfer-encoding"))
    content_type = _last_type(_values(header, folded, b"content-type"))
    return Response(status, content_type, tuple(encodings), chunked, body)


def _after_line_ends(block: bytes, at: int) -> int:
    match = _LINE_ENDS.match(block, at)
    return match.end() if match else at


def _begins_header(block: bytes, at: int) -> bool:
    """Return whether a header begins at an offset: a status line, of any protocol if fields follow, or fields alone."""
    if _HTTP.match(block, at):
        return True
    if status_line := _OTHER_STATUS_LINE.match(block, at):
        at = status_line.end()
    fields = _FIELDS.match(block, at, at + MOST_HEADER)
    return fields is not None and _OF_RESPONSE.search(fields[0]) is not None


def _last_type(values: list[str]) -> str:
    """Return the last content type, or the last content type with a charset and the same media type.

    Source: Fetch, "extract a MIME type".
    """
    types = [value for value in values if value]
    if not types:
        return ""
    last = types[-1]
    for content_type in reversed(types):
        if media_type(content_type) == media_type(last) and charset(content_type):
            return content_type
    return last


def _values(header: bytes, folded: bytes, name: bytes) -> list[str]:
    """Return the values of all fields `name`; `folded` is the header in lower case."""
    values = []
    at = folded.find(b"\n" + name)
    while at >= 0:
        line, _, _ = header[at + 1 :].partition(b"\n")
        field, _, value = line.partition(b":")
        if field.strip().lower() == name:
            values.append(value.strip().decode("latin-1"))
        at = folded.find(b"\n" + name, at + 1)
    return values


def media_type(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    >>> media_type("'text/html' charset=utf-8")
    'text/html'
    """
    return _MEDIA_TYPE.split(content_type.strip(_QUOTES), maxsplit=1)[0].lower()


def charset(content_type: str) -> str | None:
    """Return the charset that a content type names.

    >>> charset('text/html; charset="UTF-8"')
    'UTF-8'
    """
    match = _CHARSET.search(content_type)
    if match is None:
        return None
    return match.group(1)


def join_chunks(body: bytes) -> bytes:
    """Return the content of a chunked body, up to any damage; `body` itself if it is not chunked."""
    pieces: list[bytes] = []
    at = 0
    while match := _CHUNK.match(body, at):
        size = int(match.group(1), 16)
        begin = match.end()
        at = begin + size
        pieces.append(body[begin:at])
        if size == 0 or at >= len(body) or body[at : at + 2] == b"\r":
            break
        if body.startswith(b"\r\n", at):
            at += 2
        elif body.startswith(b"\n", at):
            at += 1
        else:
            # No chunk ends here: either the body is not chunked, or the length of a later chunk is wrong.
            if len(pieces) == 1:
                return body
            break
    if not pieces:
        return body
    return b"".join(pieces)
