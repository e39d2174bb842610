"""A stream of bytes seen through a window that moves forward, and the marks at which WARC records begin."""

from __future__ import annotations

import re
from typing import Protocol

# Enough for the blank lines after a record and the first lines of the next one.
LOOK = 512

_STEP = 1 << 16
_LEAST_SKIPPED = 1 << 25
_MOST_INFLATED = 200
_START = re.compile(rb"[\r\n]{0,64}(WARC/\d)")
_MARK = re.compile(rb"WARC/\d\.\d{1,3}[ \t]{0,9}\r?\n[\w-]{1,100}[ \t]{0,9}:")


def start_of_record(data: bytes, at: int = 0) -> int:
    """Return the offset of the record that begins at `at`, after any line ends; -1 if none."""
    match = _START.match(data, at)
    return match.start(1) if match else -1


def find_mark(data: bytes, at: int, end: int) -> int:
    """Return the first position in [`at`, `end`) that looks like the beginning of a record; -1 if none does.

    A mark is a version line followed by a field line, which is rare within pages.
    """
    mark = data.find(b"WARC/", at, end + 4)
    while mark >= 0 and not ((mark == 0 or data[mark - 1] == 10) and _MARK.match(data, mark)):
        mark = data.find(b"WARC/", mark + 1, end + 4)
    return mark


def find_empty_line(data: bytes, at: int, end: int) -> tuple[int, int] | None:
    """Return where the line before the first empty line ends, and where the line after it begins; with any line ends."""
    crlf = data.find(b"\n\r\n", at, end)
    lf = data.find(b"\n\n", at, end if crlf < 0 else crlf)
    line_end, after = (lf, lf + 2) if lf >= 0 else (crlf, crlf + 3)
    if line_end < 0:
        return None
    return line_end - (line_end > at and data[line_end - 1] == 13), after


class Feed(Protocol):
    """The source of a window's bytes.

    `problem`, at its end: why the last bytes may be incomplete; None if nothing is missing. `inflation`: decompressed bytes a
    compressed byte, recently. `read` returns at most a MiB or so, nothing at the end; after `abandon`, it gives the end.
    """

    @property
    def problem(self) -> str | None: ...  # noqa: D102
    @property
    def inflation(self) -> float: ...  # noqa: D102
    def read(self) -> bytes: ...  # noqa: D102
    def abandon(self) -> None: ...  # noqa: D102


class Window:
    """Buffered bytes: `data` from index `at` on; `offset` is that of `data[0]` in the stream."""

    def __init__(self, feed: Feed, offset: int = 0) -> None:
        self.data = b""
        self.at = 0
        self.offset = offset
        self.ended = False
        self._feed = feed

    @property
    def problem(self) -> str | None:
        """Once all has been read: why the last bytes may be incomplete; else None."""
        return self._feed.problem if self.ended else None

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
        begin, size = 0, _STEP
        while True:
            have = self.fill(min(size, most) + 1 + LOOK)
            seen = min(have if self.ended else have - LOOK, most + 1)
            mark = find_mark(self.data, self.at + begin, self.at + seen)
            if mark >= 0:
                return mark - self.at
            if self.ended or seen > most:
                return -1
            begin, size = seen, size * 2

    def skip_to_mark(self, most: int | None = None) -> int:
        """Move to the next mark, at most `most` bytes ahead, or to the end; return the number of bytes skipped.

        A stream that inflates more than text can, such as a bomb, is abandoned.
        """
        begin = self.position
        stop = None if most is None else begin + most
        while True:
            have = self.fill(1 << 20)
            mark = find_mark(self.data, self.at, len(self.data))
            target = mark if mark >= 0 else self.at + (have if self.ended else have - LOOK)
            if stop is not None and self.offset + target >= stop:
                target = stop - self.offset
                mark = target
            self.at = target
            passed = self.position - begin
            if mark >= 0 or self.ended:
                return passed
            if passed > _LEAST_SKIPPED and self._feed.inflation > _MOST_INFLATED:
                self._feed.abandon()
