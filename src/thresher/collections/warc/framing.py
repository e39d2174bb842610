"""Records in a WARC stream: their headers, and their ends, which may differ from the headers' lengths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

# Enough for the blank lines after a record and the first fields of the next one, among them a long address.
LOOK = 1 << 12

# Bytes kept of an oversized record, to identify it.
HEAD_BYTES = 1 << 16

_STEP = 1 << 16
_LEAST_SKIPPED = 1 << 25
_MOST_INFLATED = 200
_START = re.compile(rb"[\r\n]{0,64}(WARC/\d)")
_MARK = re.compile(rb"WARC/\d\.\d{1,3}[ \t]{0,9}\r?\n[\w-]{1,100}[ \t]{0,9}:")
# A record that begins within a line, because the record before it breaks off there; pages that show this write &lt; for <.
_FIELDS = rb"\n(?:[\w-]{1,100}[ \t]{0,9}:[^\n]*\n)*?"
_TYPE_FIELD = re.compile(_FIELDS + rb"WARC-Type[ \t]{0,9}:", re.IGNORECASE)
_ID_FIELD = re.compile(_FIELDS + rb"WARC-Record-ID[ \t]{0,9}:[ \t]{0,9}<", re.IGNORECASE)
_LINE = re.compile(rb"([A-Za-z0-9_-]+)[ \t]*:[ \t]*(.*)")
_FIELD = re.compile(rb"(?i:WARC-|Content-)[\w-]{1,100}[ \t]*:")
_LENGTH = re.compile(rb"\d{1,18}")
_NEWLINES = re.compile(rb"[\r\n]*")
_CARRIAGE_RETURN = 13
_LINE_FEED = 10
_BREAKS_OFF = "the header of the record breaks off"


def start_of_record(data: bytes, at: int = 0) -> int:
    """Return the offset of the record that begins at `at`, after any line ends; -1 if none."""
    match = _START.match(data, at)
    if match is None:
        return -1
    return match.start(1)


def find_mark(data: bytes, at: int, end: int) -> int:
    """Return the first position in [`at`, `end`) that looks like the beginning of a record; -1 if there is none.

    A mark is a version line and a field line, which is rare within pages. A mark within a line needs a record's type and id.
    """
    mark = data.find(b"WARC/", at, end + 4)
    while mark >= 0:
        begins_line = mark == 0 or data[mark - 1] == _LINE_FEED
        if _MARK.match(data, mark) and (begins_line or _has_type_and_id(data, mark)):
            return mark
        mark = data.find(b"WARC/", mark + 1, end + 4)
    return -1


def _has_type_and_id(data: bytes, mark: int) -> bool:
    """Return whether the fields below a version line, as far as they are searched, have a record's type and its id."""
    version_end = data.find(b"\n", mark)
    return all(field.match(data, version_end, mark + LOOK) for field in (_TYPE_FIELD, _ID_FIELD))


class EmptyLine(NamedTuple):
    """An empty line: where the line before it ends, and where the line after it begins."""

    before: int
    after: int


def find_empty_line(data: bytes, at: int, end: int) -> EmptyLine | None:
    """Return the first empty line, with any line ends."""
    before = data.find(b"\n\r\n", at, end)
    after = before + len(b"\n\r\n")
    last_byte = end
    if before >= 0:
        last_byte = before
    line_feeds = data.find(b"\n\n", at, last_byte)
    if line_feeds >= 0:
        before, after = line_feeds, line_feeds + len(b"\n\n")
    if before < 0:
        return None
    if before > at and data[before - 1] == _CARRIAGE_RETURN:
        before -= 1
    return EmptyLine(before, after)


class Feed(Protocol):
    """The source of a window's bytes.

    `problem`, at its end: why the last bytes may be incomplete; None if nothing is missing. `inflation`: decompressed bytes
    per compressed byte, recently. `read` returns at most a MiB or so, nothing at the end; after `abandon`, it gives the end.
    """

    @property
    def problem(self) -> str | None: ...  # noqa: D102
    @property
    def inflation(self) -> float: ...  # noqa: D102
    def read(self) -> bytes: ...  # noqa: D102
    def abandon(self) -> None: ...  # noqa: D102


class Window:
    """Buffered bytes: `data` from index `at` on; `offset` is the offset of `data[0]` in the stream."""

    def __init__(self, feed: Feed, offset: int = 0) -> None:
        self.data = b""
        self.at = 0
        self.offset = offset
        self.ended = False
        self._feed = feed

    @property
    def problem(self) -> str | None:
        """Once all has been read: why the last bytes may be incomplete; else None."""
        if not self.ended:
            return None
        return self._feed.problem

    @property
    def position(self) -> int:
        """The offset of `at` in the stream."""
        return self.offset + self.at

    def fill(self, size: int) -> int:
        """Buffer `size` bytes, or the rest of the stream; return how many there are."""
        have = len(self.data) - self.at
        if have >= size or self.ended:
            return have
        # The byte before `at` stays: a mark must follow a line end.
        keep = max(self.at - 1, 0)
        pieces = [self.data[keep:]]
        while have < size:
            piece = self._feed.read()
            if not piece:
                self.ended = True
                break
            pieces.append(piece)
            have += len(piece)
        self.data = b"".join(pieces)
        self.offset += keep
        self.at -= keep
        return have

    def find_mark(self, most: int) -> int:
        """Return the distance to the next mark, at most `most` bytes ahead, or -1. All bytes stay buffered."""
        begin = 0
        size = _STEP
        while True:
            seen = min(self._searchable(self.fill(min(size, most) + 1 + LOOK)), most + 1)
            mark = find_mark(self.data, self.at + begin, self.at + seen)
            if mark >= 0:
                return mark - self.at
            if self.ended or seen > most:
                return -1
            begin = seen
            size *= 2

    def skip_to_mark(self, most: int | None = None) -> int:
        """Move to the next mark, at most `most` bytes ahead, or to the end; return the number of bytes skipped.

        A stream that inflates more than text can, such as a bomb, is abandoned.
        """
        begin = self.position
        while True:
            have = self.fill(1 << 20)
            mark = find_mark(self.data, self.at, len(self.data))
            target = mark
            if mark < 0:
                target = self.at + self._searchable(have)
            if most is not None and self.offset + target >= begin + most:
                target = begin + most - self.offset
                mark = target
            self.at = target
            passed = self.position - begin
            if mark >= 0 or self.ended:
                return passed
            if passed > _LEAST_SKIPPED and self._feed.inflation > _MOST_INFLATED:
                self._feed.abandon()

    def _searchable(self, have: int) -> int:
        """Return the number of buffered bytes that can be searched for marks: the last bytes need the bytes after them."""
        if self.ended:
            return have
        return have - LOOK


@dataclass(frozen=True, slots=True)
class Record:
    """A record, or bytes outside any record, with a problem and no fields.

    `position`: its offset in the stream. `fields`: the first value of each field, by lower-case name. `block`: the bytes
    after the header, only the first 64 KiB if their number, `size`, is over the limit. `whole`: `size` is exact.
    """

    position: int
    size: int
    fields: dict[bytes, bytes] = field(default_factory=dict)
    block: bytes = b""
    whole: bool = True
    problem: str | None = None

    def text(self, name: bytes) -> str:
        """Return the value of a field, empty if it is missing."""
        return self.fields.get(name, b"").decode("utf-8", "replace")


def read_records(window: Window, limit: int, end: int | None = None) -> Iterator[Record]:
    """Yield the records that begin before `end`.

    A record whose length is missing or wrong ends where the next record begins, or with the stream. A length is right if it
    leads to the end of the stream, to a record (perhaps after empty lines) or to an empty line. If the stream ends with a
    problem, an incomplete last record has that problem. Only the head is kept of a block larger than `limit`. A wrong length
    above the limit is noticed if a record begins before the length's end.
    """
    while True:
        window.fill(LOOK)
        begin = start_of_record(window.data, window.at)
        if begin < 0:
            yield from _junk(window)
            if window.at >= len(window.data):
                return
            begin = window.at
        window.at = begin
        if end is not None and window.position >= end:
            return
        yield _record(window, limit)


def _junk(window: Window) -> Iterator[Record]:
    window.at = _skip_newlines(window)
    position = window.position
    window.fill(LOOK)
    head = window.data[window.at : window.at + 6]
    size = window.skip_to_mark()
    if size:
        problem = "a byte that is no WARC record"
        if size > 1:
            problem = f"{size:,} bytes that are no WARC record"
        # The file may end within the first bytes of a record.
        if size == len(head) and b"WARC/".startswith(head) and window.problem:
            problem = window.problem
        yield Record(position, size, problem=problem)


def _skip_newlines(window: Window) -> int:
    while True:
        window.at = _after_newlines(window.data, window.at, len(window.data))
        if window.at < len(window.data) or not window.fill(LOOK):
            return window.at


def _after_newlines(data: bytes, at: int, end: int) -> int:
    match = _NEWLINES.match(data, at, end)
    if match is None:
        return at
    return match.end()


def _record(window: Window, limit: int) -> Record:
    position = window.position
    fields, problem = _header(window)
    if problem:
        return Record(position, window.position - position, fields, whole=False, problem=problem)
    length: int | None = None
    if match := _LENGTH.fullmatch(fields.get(b"content-length", b"")):
        length = int(match.group())
    if length is not None and length <= limit:
        window.fill(length + LOOK)
        if _ends(window, window.at + length):
            window.at += length
            return Record(position, length, fields, window.data[window.at - length : window.at])
    ahead = window.find_mark(limit)
    have = len(window.data) - window.at
    if ahead < 0 and not (window.ended and have <= limit):
        return _too_large(window, position, fields, limit, length)
    size = ahead
    if ahead < 0:
        size = have
    block = window.data[window.at : window.at + size]
    window.at += size
    if ahead < 0 and length is not None and length > size and window.problem:
        problem = f"{window.problem}, after {size:,} of {length:,} bytes of the record"
        return Record(position, size, fields, block, False, problem)
    for line_ends in (b"\r\n\r\n", b"\n\n"):
        if block.endswith(line_ends):
            block = block.removesuffix(line_ends)
            break
    return Record(position, len(block), fields, block)


def _too_large(window: Window, position: int, fields: dict[bytes, bytes], limit: int, length: int | None) -> Record:
    head = window.data[window.at : window.at + HEAD_BYTES]
    if length is None or length <= limit:
        return Record(position, window.skip_to_mark(), fields, head, whole=False)
    window.skip_to_mark(length)
    return Record(position, length, fields, head)


def _ends(window: Window, end: int) -> bool:
    # The decision must not depend on the buffer's size: it uses LOOK bytes after the end, or all bytes up to the stream's end.
    data = window.data
    if end > len(data):
        return False
    behind = _after_newlines(data, end, end + LOOK // 2)
    if behind == end + LOOK // 2 or (window.ended and behind == len(data)):
        return True
    return start_of_record(data, behind) >= 0 or data.startswith(b"\r\n\r\n", end)


class _Header(NamedTuple):
    """The fields of a record's header, and its problem; None if it is whole."""

    fields: dict[bytes, bytes]
    problem: str | None


def _header(window: Window) -> _Header:
    """Read a header and move past it. A header that breaks off or has no end is a problem, and ends at the next mark."""
    fields: dict[bytes, bytes] = {}
    if not find_empty_line(window.data, window.at, window.at + HEAD_BYTES):
        window.fill(HEAD_BYTES + LOOK)
    begin = at = window.at
    end = begin + HEAD_BYTES
    while True:
        blank = find_empty_line(window.data, at, end)
        if not blank and not window.ended and len(window.data) < end:
            window.fill(end - begin + LOOK)
            at, end, begin = at - begin + window.at, end - begin + window.at, window.at
            continue
        stop = min(end, len(window.data))
        if blank:
            stop = blank.before
        mark = find_mark(window.data, begin + 5, stop)
        if mark >= 0 or not blank:
            problem = _broken_header(window, mark, stop, end)
            # Even the id is uncertain: a better id, or the rest of this id, may be missing.
            return _Header({}, problem)
        _read_fields(window.data[at:stop], fields)
        at = blank.after
        # Some headers in ClueWeb09 contain an empty line.
        if b"content-length" not in fields and at + LOOK > len(window.data) and not window.ended:
            window.at = begin
            window.fill(at - begin + HEAD_BYTES)
            at, end, begin = at - begin + window.at, end - begin + window.at, window.at
        if b"content-length" in fields or not _FIELD.match(window.data, at):
            window.at = at
            return _Header(fields, None)


def _broken_header(window: Window, mark: int, stop: int, end: int) -> str:
    """Move past a header that breaks off at a `mark` (-1: at `stop`, which is `end` if it is too long); return the problem."""
    if mark >= 0:
        window.at = mark
        return _BREAKS_OFF
    window.at = stop
    # Must not depend on whether the stream is known to end after `end`.
    if stop < end and window.problem:
        return window.problem
    window.skip_to_mark()
    return _BREAKS_OFF


def _read_fields(header: bytes, fields: dict[bytes, bytes]) -> None:
    last = b""
    lines = header.split(b"\n")
    if b"\r" in header:
        lines = header.splitlines()
    for line in lines:
        match = _LINE.match(line)
        if match:
            last = match.group(1).lower()
            if last in fields:
                last = b""
            else:
                fields[last] = match.group(2).strip()
        elif last:
            # Folded, or broken by a line end within the value.
            space = b""
            if line.startswith((b" ", b"\t")):
                space = b" "
            fields[last] = (fields[last] + space + line.strip()).strip()
