"""Measurements and their bars, the list of all scorers, and functions timed in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher import Page, Scorer, scorers


@dataclass(frozen=True)
class Measurement:
    """A measurement: its name, its outcome in words, its value, and the bar that the value must not miss, if it has one.

    The bar is the highest allowed value, or the lowest if `least`. `line` prints `unit` behind it.
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
    """Return every scorer that needs neither other pages nor another text of the page, such as an extractor's."""
    every = [kind() for kind in scorers().values()]
    return tuple(scorer for scorer in every if not scorer.required_texts and not scorer.needs_collection)


def ratio(name: str, ours: float, theirs: float, bar: float | None = None) -> Measurement:
    """Return the seconds of ours divided by the seconds of theirs: ours is faster below 1."""
    value = ours / theirs
    return Measurement(name, f"{ours:.3f} s / {theirs:.3f} s = {value:.2f}", value, bar)


def interleaved(functions: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Call the functions in turn, `rounds` times, and return the fewest seconds of each.

    The turns spread other work of the machine over all functions; the fastest round leaves out most of it.
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

    For each page the fastest round counts. A page takes milliseconds, so the fastest round leaves out other work of the
    machine, for long functions as well as for short ones.
    """
    fewest = {name: [float("inf")] * len(pages) for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            for number, page in enumerate(pages):
                began = time.perf_counter()
                function(page)
                fewest[name][number] = min(fewest[name][number], time.perf_counter() - began)
    return {name: sum(seconds) for name, seconds in fewest.items()}
