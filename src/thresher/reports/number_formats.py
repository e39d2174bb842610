"""Makes formats of a column's numbers: the decimals that fit all of them, and the side that they are aligned to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from thresher.reports.formatting import (
    decimals_for,
    fixed,
    megabytes,
    significant_digits,
)

Align = Literal["left", "right"]
Number = Callable[[float], str]
"""Returns a number as text."""


@dataclass(frozen=True)
class Format:
    """A format of a column's numbers; a column shows texts as they are.

    Args:
        fit: takes all numbers of a column and returns the function that shows one of them.
        beside_bounds: shows a number that has its bounds behind it.
        align: the side that the column is aligned to.
    """

    fit: Callable[[Sequence[float]], Number]
    beside_bounds: Number
    align: Align = "right"


def single(show: Number, align: Align = "right") -> Format:
    """Return a format that shows every number by itself."""

    def fit(numbers: Sequence[float]) -> Number:  # noqa: ARG001, the numbers of the column do not matter
        return show

    return Format(fit, show, align)


def decimals(count: int) -> Format:
    """Return a format with `count` decimals."""
    return single(partial(fixed, decimals=count))


def fitted(digits: int, scale: float, beside_bounds: Number) -> Format:
    """Return a format of numbers times `scale`, with the decimals that the column's smallest needs for `digits` digits."""

    def fit(numbers: Sequence[float]) -> Number:
        count = decimals_for([number * scale for number in numbers], digits)
        return lambda number: fixed(number * scale, count)

    return Format(fit, beside_bounds)


def milliseconds_text(seconds: float) -> str:
    """Return seconds as milliseconds with three significant digits."""
    return significant_digits(1e3 * seconds)


def megabytes_text(count: float) -> str:
    """Return bytes as megabytes with three significant digits."""
    return significant_digits(megabytes(count))
