"""The page that a worker is reading: a small file beside the part's output names it if the worker ends."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from thresher.collections.sources import PageError
from thresher.scores.limits import alarm

ENDING = ".page"
_LINE_BYTES = 160
_SHORTEST = 1e-3
"""Seconds that a page gets after a helper if its own time is over; 0 would stop the clock."""
_TIMES_TO_PASS = 4
"""The factor of the time for a refused page, which is only read, to reach the next page."""


@dataclass(frozen=True)
class PageAtWork:
    """The page at work, as the file records it.

    Attributes:
        page: number of the page in its part, from 0; None between pages.
        helper: number of the helper at work on the page; None for none.
        begun: when the page or the helper was begun, in seconds since 1970.
        suspect: number of the page at which an earlier worker of a cluster ended; None for none.
    """

    page: int | None = None
    helper: int | None = None
    begun: float = 0.0
    suspect: int | None = None


def read_page_at_work(path: Path) -> PageAtWork:
    """Return the last work of a worker; a record without a page if the file is missing."""
    try:
        return PageAtWork(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return PageAtWork()


class PageClock:
    """Gives each page and each helper of a process its time, and writes which of them is at work.

    Args:
        handle: descriptor of the file.
        seconds: the time of a page.
        suspect: as in `PageAtWork`.
    """

    def __init__(self, handle: int, seconds: float, suspect: int | None) -> None:
        self.crashed_helpers: Mapping[int, str] = {}
        self._handle = handle
        self._seconds = seconds
        self._suspect = suspect
        self._page: int | None = None
        self.write(page=None)

    @contextmanager
    def page(self, number: int, crashed_helpers: Mapping[int, str], is_refused: bool) -> Iterator[None]:
        """Work on a page, or pass a refused one. `crashed_helpers` are the reasons not to use helpers, by their number."""
        self.crashed_helpers = crashed_helpers
        self.write(page=number)
        seconds = self._seconds
        if is_refused:
            seconds *= _TIMES_TO_PASS
        with alarm(seconds):
            yield

    @contextmanager
    def helper(self, number: int) -> Iterator[None]:
        """Give a helper the whole time of a page."""
        remaining_seconds, _ = signal.setitimer(signal.ITIMER_REAL, self._seconds)
        self.write(self._page, helper=number)
        try:
            yield
        finally:
            self.write(self._page)
            signal.setitimer(signal.ITIMER_REAL, max(remaining_seconds, _SHORTEST))

    def write(self, page: int | None, helper: int | None = None) -> None:
        """Write which page and which helper is at work."""
        self._page = page
        content = {"page": page, "helper": helper, "begun": time.time(), "suspect": self._suspect}
        os.pwrite(self._handle, json.dumps(content).ljust(_LINE_BYTES).encode(), 0)


@dataclass
class _Process:
    """The clock of this process, while it processes a part."""

    clock: PageClock | None = None


_process = _Process()


@contextmanager
def page_clock(path: Path, seconds: float, suspect: int | None) -> Iterator[PageClock]:
    """Keep the file of a part while this process works on it."""
    # A single call, since Dask may run the part on another worker, too, which removes the file.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        _process.clock = PageClock(handle, seconds, suspect)
        yield _process.clock
    finally:
        _process.clock = None
        os.close(handle)


@contextmanager
def guarded(helper: int) -> Iterator[None]:
    """Give a helper, by its number, the whole time of a page. If it ends the process, the page is done again without it.

    Without a pass over a collection, nothing is guarded.

    Raises:
        PageError: the helper ended its process at this page before.
    """
    clock = _process.clock
    if clock is None:
        yield
        return
    if helper in clock.crashed_helpers:
        raise PageError(clock.crashed_helpers[helper], "leave the page out")
    with clock.helper(helper):
        yield
