"""Formats of a column's numbers: the decimals that fit all of them, and the side that they are aligned to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from thresher.reports.formatting import (
    MEASURE_DECIMALS,
    change_text,
    decimals_for,
    fixed,
    measure_text,
    megabytes,
    p_text,
    percent,
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


def _fitted(digits: int, scale: float, beside_bounds: Number) -> Format:
    """Return a format of numbers times `scale`, with the decimals that the column's smallest needs for `digits` digits."""

    def fit(numbers: Sequence[float]) -> Number:
        count = decimals_for([number * scale for number in numbers], digits)
        return lambda number: fixed(number * scale, count)

    return Format(fit, beside_bounds)


def _milliseconds(seconds: float) -> str:
    return significant_digits(1e3 * seconds)


def _megabytes(count: float) -> str:
    return significant_digits(megabytes(count))


TEXT = single(measure_text, "left")
COUNT = decimals(0)
VALUE = decimals(MEASURE_DECIMALS)
RATIO = Format(VALUE.fit, partial(fixed, decimals=3))
FIGURE = single(significant_digits)
"""Three significant digits."""
DIFFERENCE = single(change_text)
PERCENT = single(percent)
"""Of a share: 0.4321 is 43.2."""
P = single(p_text)
MEGABYTES = _fitted(3, 1e-6, _megabytes)
"""Of bytes, in units of 10⁶."""
SECONDS = _fitted(2, 1.0, significant_digits)
MILLISECONDS = _fitted(3, 1e3, _milliseconds)
"""Of seconds."""
