"""Two ways of doing the same work, timed in one run and put side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ratio:
    """Seconds of ours and of theirs, best of several rounds; `bar` is the highest ratio allowed."""

    name: str
    ours: float
    theirs: float
    bar: float | None = None

    @property
    def ratio(self) -> float:
        """Ours divided by theirs: below 1 is faster."""
        return self.ours / self.theirs

    def line(self) -> str:
        """Return the measurement in one line."""
        line = f"{self.name}: {self.ours:.3f} s / {self.theirs:.3f} s = {self.ratio:.2f}"
        if self.bar is None:
            return line
        return f"{line}, {'within' if self.ratio <= self.bar else 'ABOVE'} the bar of {self.bar:g}"


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
