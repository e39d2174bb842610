"""Progress on standard error: bars on a terminal that has a width, elsewhere a line every ten seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any, TypeVar

from thresher.base.errors import escape_controls

Item = TypeVar("Item")


SECONDS = 10.0
"""Between two lines."""
BYTES = "MB"
"""The unit of bytes."""


class Progress:
    """A bar, or lines, that count `unit`s (`BYTES`: bytes, shown in megabytes); a context manager.

    Progress that cannot be printed, such as on a terminal that is closed meanwhile, is dropped.
    """

    def __init__(self, label: str, total: int | None, unit: str) -> None:
        self._label = escape_controls(label)
        self._total = total
        self._unit = unit
        self._count = 0
        self._shown_count = 0
        self._last = monotonic()
        self._bar: Any = None
        if _columns():
            # Its import would take a good part of a short command's time.
            from tqdm import tqdm

            scaled = unit == BYTES
            self._bar = tqdm(
                total=total,
                desc=self._label,
                leave=False,
                dynamic_ncols=True,
                unit="B" if scaled else f" {unit}",
                unit_scale=scaled,
            )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            with suppress(OSError):
                self._bar.close()

    def expect(self, total: int) -> None:
        """Replace the total by a better estimate."""
        self._total = total
        if self._bar is not None:
            self._bar.total = total

    def advance(self, count: int = 1) -> None:
        """Count `count` more units."""
        self._count += count
        if self._bar is not None:
            with suppress(OSError):
                self._bar.update(count)
            return
        seconds = monotonic() - self._last
        if seconds >= SECONDS:
            self._print_line(seconds)
            self._last = monotonic()
            self._shown_count = self._count

    def _print_line(self, seconds: float) -> None:
        if sys.stderr is None:
            return
        counted = self._text(self._count)
        if self._total is not None:
            counted += f" of {self._text(self._total)}"
        rate = 0.0
        if seconds:
            rate = (self._count - self._shown_count) / seconds
        line = f"{self._label}: {counted} {self._unit}, {self._text(rate)} a second"
        if rate and self._total is not None and self._total > self._count:
            line += f", {timedelta(seconds=round((self._total - self._count) / rate))} left"
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)

    def _text(self, count: float) -> str:
        if self._unit == BYTES and (count >= 1e6 or not count):
            return f"{count / 1e6:,.1f}"
        if self._unit == BYTES:
            return f"{count / 1e6:.2g}"
        if count >= 10 or count == int(count):
            return f"{count:,.0f}"
        return f"{count:.2g}"


def _columns() -> int:
    """Return the width of the terminal; 0 where it has none, as in some containers, and where there is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return 0
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 0


def progress(items: Iterable[Item], label: str, total: int | None, unit: str) -> Iterator[Item]:
    """Pass `items` through and show the progress."""
    with Progress(label, total, unit) as bar:
        for item in items:
            yield item
            bar.advance()
