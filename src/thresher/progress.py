"""Progress bars on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


class Progress:
    """A bar that counts `unit`s. A context manager."""

    def __init__(self, label: str, total: int | None, unit: str) -> None:
        self._bar = tqdm(
            total=total,
            desc=label,
            unit=f" {unit}",
            leave=False,
            disable=not sys.stderr.isatty(),
            dynamic_ncols=True,
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def advance(self, count: int = 1) -> None:
        """Count `count` more units."""
        self._bar.update(count)


def progress(items: Iterable[Item], label: str, total: int | None, unit: str) -> Iterator[Item]:
    """Pass `items` through and show the progress."""
    with Progress(label, total, unit) as bar:
        for item in items:
            yield item
            bar.advance()
