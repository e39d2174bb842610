"""A stream of bytes seen through a window that moves forward, and the marks in it where WARC records begin."""

from __future__ import annotations

import re
from typing import Protocol

# Enough to see the blank lines behind a record and the first lines of the next one.
LOOK = 512

_STEP = 1 << 16
_LEAST_SKIPPED = 1 << 25
_MOST_INFLATED = 200
_START = re.compile(rb"[\r\n]{0,64}(WARC/\d)")
_MARK = re.compile(rb"WARC/\d\.\d{1,3}[ \t]{0,9}\r?\n[\w-]{1,100}[ \t]{0,9}:")


def start_of_record(data: bytes, at: int = 0) -> int:
    """Return where a record begins at `at` or behind the line ends that are there; -1 if none does."""
    match = _START.match(data, at)
    return match.start(1) if match else -1


def find_mark(data: bytes, at: int, end: int) -> int:
    """Return where at `at` or later, below `end`, a line begins that looks like the first of a record; -1 if none does.

    A version alone in a line, and a line with a field under it: pages seldom hold that.
    """
    found = data.find(b"WARC/", at, end + 4)
    while found >= 0 and not ((found == 0 or data[found - 1] == 10) and _MARK.match(data, found)):
        found = data.find(b"WARC/", found + 1, end + 4)
    return found


def find_empty_line(data: bytes, at: int, end: int) -> tuple[int, int] | None:
    """Return where the line before the first empty line ends, and where the line behind it begins; line ends of any kind."""
    crlf = data.find(b"\n\r\n", at, end)
    lf = data.find(b"\n\n", at, end if crlf < 0 else crlf)
    found, behind = (lf, lf + 2) if lf >= 0 else (crlf, crlf + 3)
    if found < 0:
        return None
    return found - (found > at and data[found - 1] == 13), behind


class Feed(Protocol):
    """Where a window's bytes come from."""

    @property
    def problem(self) -> str | None:
        """At its end: why what comes last may not be whole; None if nothing is missing."""
        ...

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB or so; none at the end."""
        ...

    @property
    def inflation(self) -> float:
        """How many bytes came of one in the compressed file, of late."""
        ...

    def abandon(self) -> None:
        """Read no more of this: the next `read` gives the end."""
        ...


class Window:
    """Bytes at hand: `data` from index `at` on; `offset` is the place of `data[0]` in the stream."""

    def __init__(self, feed: Feed, offset: int = 0) -> None:
        self.data = b""
        self.at = 0
        self.offset = offset
        self.ended = False
        self._feed = feed

    @property
    def problem(self) -> str | None:
        """Why what comes last may not be whole, once all has been read; else None."""
        return self._feed.problem if self.ended else None

    @property
    def position(self) -> int:
        """The place of `at` in the stream."""
        return self.offset + self.at

    def fill(self, size: int) -> int:
        """Have `size` bytes at hand, or what the stream still has; return how many there are."""
        have = len(self.data) - self.at
        if have >= size or self.ended:
            return have
        # The byte before `at` stays: whether it ends a line tells whether a mark is one.
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
        """Return how far ahead the next mark is, if that is at most `most` bytes; -1 if there is none. All stays at hand."""
        begin, size = 0, _STEP
        while True:
            have = self.fill(min(size, most) + 1 + LOOK)
            seen = min(have if self.ended else have - LOOK, most + 1)
            found = find_mark(self.data, self.at + begin, self.at + seen)
            if found >= 0:
                return found - self.at
            if self.ended or seen > most:
                return -1
            begin, size = seen, size * 2

    def skip_to_mark(self, most: int | None = None) -> int:
        """Move to the next mark, at most `most` bytes ahead, or to the end; return how many bytes were passed over.

        A stream that swells as text never does, such as a bomb, is abandoned.
        """
        begin = self.position
        stop = None if most is None else begin + most
        while True:
            have = self.fill(1 << 20)
            found = find_mark(self.data, self.at, len(self.data))
            target = found if found >= 0 else self.at + (have if self.ended else have - LOOK)
            if stop is not None and self.offset + target >= stop:
                target = stop - self.offset
                found = target
            self.at = target
            passed = self.position - begin
            if found >= 0 or self.ended:
                return passed
            if passed > _LEAST_SKIPPED and self._feed.inflation > _MOST_INFLATED:
                self._feed.abandon()
