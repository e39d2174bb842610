"""Progress on standard error: bars on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from thresher.errors import visible

Item = TypeVar("Item")


SECONDS = 10.0
"""Between two lines."""


class Progress:
    """A bar, or lines, that count `unit`s. A context manager."""

    def __init__(self, label: str, total: int | None, unit: str) -> None:
        self._label, self._total, self._unit = visible(label), total, unit
        self._count, self._last = 0, time.monotonic()
        self._bar: Any = None
        if sys.stderr.isatty():
            # With all that it imports, it would take a good part of a short command's time.
            from tqdm import tqdm

            self._bar = tqdm(total=total, desc=self._label, unit=f" {unit}", leave=False, dynamic_ncols=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, count: int = 1) -> None:
        """Count `count` more units."""
        self._count += count
        if self._bar is not None:
            self._bar.update(count)
        elif time.monotonic() - self._last >= SECONDS:
            self._last = time.monotonic()
            of = f" of {self._total:,}" if self._total is not None else ""
            print(f"{self._label}: {self._count:,}{of} {self._unit}", file=sys.stderr, flush=True)


def progress(items: Iterable[Item], label: str, total: int | None, unit: str) -> Iterator[Item]:
    """Pass `items` through and show the progress."""
    with Progress(label, total, unit) as bar:
        for item in items:
            yield item
            bar.advance()
