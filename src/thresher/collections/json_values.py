"""The objects of an array in JSON, or a sequence of objects, read from a stream in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from thresher.base.streams import open_stream

_FIRST_BYTES = 4096
_PIECE = 2**16
_BLANK = b" \t\r\n,"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A string, up to its end or the end of the piece; or a bracket.
_INSIDE = rb'(?:[^"\\]+|\\.)*'
_TOKEN = re.compile(rb'"(?P<inside>' + _INSIDE + rb')(?P<end>"?)|[{}\[\]]', re.DOTALL)
_REST_OF_STRING = re.compile(_INSIDE, re.DOTALL)
_TEXT_BETWEEN = "there is text that is no object"
_CLIPPED = "the file ends within an object"
_NOT_CLOSED = "the array is not closed"


@dataclass(frozen=True, slots=True)
class JsonValue:
    """An object or array: its offset and size in bytes, and its bytes, None if it is too large.

    A value with a `problem` is neither.
    """

    offset: int
    size: int
    content: bytes | None = None
    problem: str = ""


def is_array(start: bytes) -> bool:
    """Return whether a file with these first bytes holds one array of objects."""
    return bool(re.match(rb"\[\s*(?:[{\]]|\Z)", start.removeprefix(_BYTE_ORDER_MARK).lstrip()))


def holds_values(path: Path) -> bool:
    """Return whether a file holds an array, or objects over several lines, so that its lines are no records."""
    start = b""
    with suppress(OSError), open_stream(path) as stream:
        start = stream.read(_FIRST_BYTES)
    first_line = start.removeprefix(_BYTE_ORDER_MARK).lstrip().partition(b"\n")[0]
    return is_array(start) or first_line.strip() == b"{"


def json_values(stream: BinaryIO, limit: int) -> Iterator[JsonValue]:
    """Yield the objects of an array or of a sequence; no object has more than `limit` bytes in memory."""
    splitter = _Splitter(limit)
    while piece := stream.read(_PIECE):
        yield from splitter.split(piece)
    yield from splitter.rest()


class _Splitter:
    """Splits a text in JSON into values, piece by piece."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._position = 0
        self._depth = 0
        # The depth at which values stand: 1 within an array.
        self._base = 0
        self._is_first = True
        self._in_string = False
        # Whether the piece before ended in a backslash.
        self._is_escaped = False
        # The offset of the value that has begun.
        self._begin: int | None = None
        self._kept = bytearray()
        self._size = 0

    def split(self, piece: bytes) -> Iterator[JsonValue]:
        """Yield the values that end in a piece."""
        rest_begin = 0
        for token in _TOKEN.finditer(piece, self._string_end(piece)):
            position = token.start()
            if token[0][:1] == b'"':
                self._in_string = not token["end"]
                self._is_escaped = self._in_string and token.end() < len(piece)
                continue
            if token[0] in b"{[":
                if self._opens_value(token[0]):
                    yield from self._between(piece[rest_begin:position], self._position + rest_begin)
                    self._begin, rest_begin = self._position + position, position
            else:
                self._depth = max(self._depth - 1, 0)
                if self._begin is not None and self._depth == self._base:
                    self._keep(piece[rest_begin : position + 1])
                    yield self._value(self._begin)
                    rest_begin = position + 1
        if self._begin is None:
            yield from self._between(piece[rest_begin:], self._position + rest_begin)
        else:
            self._keep(piece[rest_begin:])
        self._position += len(piece)

    def rest(self) -> Iterator[JsonValue]:
        """Yield a problem if the text ends too early."""
        if self._begin is not None:
            yield JsonValue(self._begin, self._size, problem=_CLIPPED)
        elif self._depth:
            yield JsonValue(self._position, 0, problem=_NOT_CLOSED)

    def _string_end(self, piece: bytes) -> int:
        """Return where the string ends that the piece before began; 0 without one."""
        if not self._in_string:
            return 0
        rest = _REST_OF_STRING.match(piece, int(self._is_escaped))
        end = rest.end() if rest else 0
        self._in_string = end >= len(piece) or piece[end : end + 1] != b'"'
        self._is_escaped = self._in_string and end < len(piece)
        return len(piece) if self._in_string else end + 1

    def _opens_value(self, token: bytes) -> bool:
        opens_array = self._is_first and token == b"["
        self._is_first = False
        if opens_array:
            self._base = 1
        opens = not opens_array and self._begin is None
        self._depth += 1
        return opens

    def _keep(self, text: bytes) -> None:
        self._size += len(text)
        if self._size <= self._limit:
            self._kept += text
        else:
            self._kept.clear()

    def _value(self, begin: int) -> JsonValue:
        content = bytes(self._kept) if self._size <= self._limit else None
        value = JsonValue(begin, self._size, content)
        self._begin, self._size = None, 0
        self._kept.clear()
        return value

    def _between(self, text: bytes, offset: int) -> Iterator[JsonValue]:
        """Yield a problem for text between values: only commas, white space and the array's brackets belong there."""
        stripped = text.removeprefix(_BYTE_ORDER_MARK).strip(_BLANK + b"[]")
        if stripped:
            yield JsonValue(offset, len(text), problem=_TEXT_BETWEEN)
