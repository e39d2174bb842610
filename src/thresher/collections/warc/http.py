"""HTTP responses as crawlers stored them: the header, perhaps damaged, and the chunks of the body."""

from __future__ import annotations

import re
from typing import NamedTuple

from thresher.collections.warc.window import find_empty_line

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")
_MARKUP = re.compile(rb"\n[ \t]*<")
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_CHARSET = re.compile(r"charset[ \t]*=[ \t]*[\"']?[ \t]*([^\s;\"',]+)", re.IGNORECASE)

MOST_HEADER = 1 << 16


class Response(NamedTuple):
    """The header of a response. `status` is None if it has none; `body` is where the body begins in the block."""

    status: int | None
    content_type: str
    encodings: tuple[str, ...]
    chunked: bool
    body: int


def parse_response(block: bytes) -> Response:
    """Return what the header of an HTTP response says; of a block without one: nothing, and that its body begins at once.

    The header ends at the first empty line, of whatever line ends, or where a line begins with `<`, which no field does.
    """
    if not block.startswith(b"HTTP/"):
        return Response(None, "", (), False, 0)
    end, body = find_empty_line(block, 0, MOST_HEADER) or (min(len(block), MOST_HEADER),) * 2
    markup = _MARKUP.search(block, 0, end)
    if markup:
        end, body = markup.start(), markup.start() + 1
    status = _STATUS.match(block)
    header = block[:end]
    folded = header.lower()
    encodings = [
        name.strip().lower() for value in _values(header, folded, b"content-encoding") for name in value.split(",")
    ]
    chunked = any("chunked" in value.lower() for value in _values(header, folded, b"transfer-encoding"))
    content_type = _last_type(_values(header, folded, b"content-type"))
    number = int(status.group(1)) if status else None
    return Response(number, content_type, tuple(filter(None, encodings)), chunked, body)


def _last_type(values: list[str]) -> str:
    """Return the last type; with the charset of one before that is the same and has one.

    Source: Fetch, "extract a MIME type".
    """
    kinds = [value for value in values if value]
    if not kinds:
        return ""
    same = [kind for kind in kinds if media_type(kind) == media_type(kinds[-1]) and charset(kind)]
    return same[-1] if same else kinds[-1]


def _values(header: bytes, folded: bytes, name: bytes) -> list[str]:
    """Return the values of all fields called `name`; `folded` is the header in lower case."""
    values = []
    at = folded.find(b"\n" + name)
    while at >= 0:
        end = folded.find(b"\n", at + 1)
        field, _, value = header[at + 1 : end if end >= 0 else len(header)].partition(b":")
        if field.strip().lower() == name:
            values.append(value.strip().decode("latin-1"))
        at = folded.find(b"\n" + name, at + 1)
    return values


def media_type(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].partition(",")[0].strip().lower()


def charset(content_type: str) -> str | None:
    """Return the charset that a content type names.

    >>> charset('text/html; charset="UTF-8"')
    'UTF-8'
    """
    match = _CHARSET.search(content_type)
    return match.group(1) if match else None


def join_chunks(body: bytes) -> bytes:
    """Return a chunked body's content; up to where the chunks break; or `body` as it is if it is not chunked after all."""
    pieces: list[bytes] = []
    at = 0
    while match := _CHUNK.match(body, at):
        size = int(match.group(1), 16)
        begin = match.end()
        at = begin + size
        pieces.append(body[begin:at])
        if size == 0 or at >= len(body) or body[at : at + 2] == b"\r":
            break
        at += 2 if body.startswith(b"\r\n", at) else body.startswith(b"\n", at)
        if at == begin + size:
            # Not a chunk's end: of a first one, that it was none; of a later one, that its length is wrong.
            if len(pieces) == 1:
                return body
            break
    return b"".join(pieces) if pieces else body
