"""A measurement and its bar, the scorers that are measured together, and works timed in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher import Page, Scorer, scorers


@dataclass(frozen=True)
class Measurement:
    """What was measured: its name, what came out in words, and as a number that is held against the bar, if there is one.

    The bar is the highest value allowed, or the lowest if `least`; `unit` stands behind it in print.
    """

    name: str
    outcome: str = ""
    value: float = 0.0
    bar: float | None = None
    unit: str = ""
    least: bool = False

    @property
    def misses(self) -> bool:
        """Whether the value is on the wrong side of the bar."""
        return self.bar is not None and (self.value < self.bar if self.least else self.value > self.bar)

    def line(self) -> str:
        """Return the measurement in one line."""
        line = f"{self.name}: {self.outcome}" if self.outcome else self.name
        if self.bar is None:
            return line
        side = "within" if not self.misses else "BELOW" if self.least else "ABOVE"
        return f"{line}, {side} the bar of {self.bar:g}{self.unit}"


def all_scorers() -> tuple[Scorer, ...]:
    """Return every scorer that needs neither another text of a page, such as an extractor's, nor other pages."""
    every = [kind() for kind in scorers().values()]
    return tuple(scorer for scorer in every if not scorer.required_texts and not scorer.needs_collection)


def ratio(name: str, ours: float, theirs: float, bar: float | None = None) -> Measurement:
    """Return seconds of ours by seconds of theirs: below 1 is faster."""
    value = ours / theirs
    return Measurement(name, f"{ours:.3f} s / {theirs:.3f} s = {value:.2f}", value, bar)


def interleaved(functions: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Call the functions in turn, `rounds` times, and return the fewest seconds that each took.

    Taking turns spreads what else the machine does over all of them; the best of several rounds leaves most
    of it out.
    """
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            began = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - began)
    return best


def interleaved_by_page(
    functions: Mapping[str, Callable[[Page], Any]], pages: Sequence[Page], rounds: int
) -> dict[str, float]:
    """Call the functions with all pages in turn, `rounds` times, and return the seconds of each over all pages.

    Of each page the fewest count. A page takes milliseconds, so that what else the machine does is left out, and of long
    functions as much as of short ones.
    """
    fewest = {name: [float("inf")] * len(pages) for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            for number, page in enumerate(pages):
                began = time.perf_counter()
                function(page)
                fewest[name][number] = min(fewest[name][number], time.perf_counter() - began)
    return {name: sum(seconds) for name, seconds in fewest.items()}
