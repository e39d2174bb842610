"""Progress on standard error: bars on a terminal that has a width, elsewhere a line every ten seconds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, TypeVar

from thresher.base.errors import escape_controls

Item = TypeVar("Item")


SECONDS = 10.0
"""Between two lines."""
BYTES = "MB"
"""The unit of what is counted in bytes."""


class Progress:
    """A bar, or lines, that count `unit`s (`BYTES`: bytes, shown in megabytes). A context manager."""

    def __init__(self, label: str, total: int | None, unit: str) -> None:
        self._label, self._total, self._unit = escape_controls(label), total, unit
        self._count = self._told = 0
        self._last = monotonic()
        self._bar: Any = None
        if sys.stderr.isatty() and _columns():
            # With all that it imports, it would take a good part of a short command's time.
            from tqdm import tqdm

            scaled = {"unit": "B", "unit_scale": True} if unit == BYTES else {"unit": f" {unit}"}
            self._bar = tqdm(total=total, desc=self._label, leave=False, dynamic_ncols=True, **scaled)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def expect(self, total: int) -> None:
        """Set what there is to count, where that is known better as the work goes on."""
        self._total = total
        if self._bar is not None:
            self._bar.total = total

    def advance(self, count: int = 1) -> None:
        """Count `count` more units."""
        self._count += count
        if self._bar is not None:
            self._bar.update(count)
        elif (passed := monotonic() - self._last) >= SECONDS:
            of = f" of {self._shown(self._total)}" if self._total is not None else ""
            rate = self._shown((self._count - self._told) / passed if passed else 0.0)
            told = f"{self._label}: {self._shown(self._count)}{of} {self._unit}, {rate} a second"
            print(told, file=sys.stderr, flush=True)
            self._last, self._told = monotonic(), self._count

    def _shown(self, count: float) -> str:
        if self._unit == BYTES:
            return f"{count / 1e6:,.1f}" if count >= 1e6 or not count else f"{count / 1e6:.2g}"
        return f"{count:,.0f}" if count >= 10 or count == int(count) else f"{count:.2g}"


def _columns() -> int:
    """Return the width of the terminal; 0 where it has none, as in some containers."""
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
