"""The layout of plots for papers, in points of print: axes with round numbers, and places for all names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from thresher.reports.chart_data import ChartPoint
from thresher.reports.charts import roomy
from thresher.reports.label_places import Box, Name, Obstacles, Place, PlacedName, Segment, placed_names
from thresher.reports.table import spread
from thresher.reports.text_widths import ems

FONT = 8.0
"""Points."""
ABOVE = 6.0
BELOW = 29.0
BESIDE = 8.0
"""Points around the area of a plot; below it are numbers and a title."""
_LINE = 1.15 * FONT
_REACH = 2.5
"""Points from the middle of a mark to its ends."""
_TICKS = 5
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_FLATTEST = 0.7
_TALLEST = 1.6
_TALLER = 0.1
"""Heights over widths that are tried until all names have room."""
_MOST_ANCHORS = 12
_MOST_DOTS = 15
_SHARES_OF_A_LINE = (0, 0.25, 0.5, 0.75, 1)
"""Places along the line of the margin, as shares of the plot's width, that its name may stand beside."""


@dataclass(frozen=True)
class Curve:
    """The points of a sweep, the smallest index first, or one variant alone."""

    name: str
    points: tuple[ChartPoint, ...]

    @property
    def line(self) -> tuple[ChartPoint, ...]:
        """The points that its line joins."""
        return tuple(point for point in self.points if point.on_line)

    @property
    def dots(self) -> tuple[ChartPoint, ...]:
        """The points that are marked; a curve of many points has no marks."""
        if len(self.points) > _MOST_DOTS:
            return ()
        return self.points


@dataclass(frozen=True)
class PlottedVariants:
    """The points and labels of a plot.

    Args:
        baseline: the baseline; its name is for people.
        curves: sweeps and single variants.
        margin: the mean that loses the accepted margin; None for none.
        recommended: the recommended variant; None for none.
        size, measure: the titles of the axes.
    """

    baseline: Curve
    curves: tuple[Curve, ...]
    margin: float | None
    recommended: ChartPoint | None
    size: str
    measure: str

    @property
    def points(self) -> list[ChartPoint]:
        """All points."""
        points = list(self.baseline.points)
        for curve in self.curves:
            points += curve.points
        if self.recommended:
            points.append(self.recommended)
        return points

    @property
    def levels(self) -> list[float]:
        """The means that have a line: the baseline's, and the margin."""
        levels = [self.baseline.points[0].mean]
        if self.margin is not None:
            levels.append(self.margin)
        return levels


@dataclass(frozen=True)
class Axis:
    """An axis with its ends and numbers; `length` is in points of print."""

    title: str
    low: float
    high: float
    length: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return how far a value is from the low end, in points of print."""
        return (value - self.low) / (self.high - self.low) * self.length

    def value(self, distance: float) -> float:
        """Return the value at so many points of print from the low end."""
        return self.low + distance / self.length * (self.high - self.low)

    @property
    def decimals(self) -> int:
        """The decimals of its numbers."""
        for decimals in range(4):
            if all(math.isclose(tick, round(tick, decimals)) for tick in self.ticks):
                return decimals
        return 4

    @property
    def widest(self) -> float:
        """The width of its widest number, in points of print."""
        widest = 0.0
        for tick in self.ticks:
            widest = max(widest, ems(f"{tick:.{self.decimals}f}"))
        return FONT * widest


@dataclass(frozen=True)
class Layout:
    """The axes, the names in their places, and the marks that names must not cover."""

    x: Axis
    y: Axis
    names: tuple[PlacedName, ...]
    obstacles: Obstacles

    @property
    def left(self) -> float:
        """The room for the numbers and the title of the vertical axis."""
        return left_of(self.y)


def layout_of(plotted: PlottedVariants, width: float) -> Layout | None:
    """Return the flattest layout of a width, in points of print, that has room for all names; None if no layout has
    room.
    """
    share = _FLATTEST
    while share <= _TALLEST:
        y = _mean_axis(plotted, round(share * width))
        x = _size_axis(plotted, width - left_of(y) - BESIDE)
        obstacles = _obstacles(plotted, x, y)
        placed = placed_names(_names(plotted, x, y), obstacles)
        if placed is not None:
            return Layout(x, y, tuple(placed), obstacles)
        share += _TALLER
    return None


def left_of(y: Axis) -> float:
    """Return the room for the numbers and the title of a vertical axis."""
    return y.widest + FONT + 12


def _mean_axis(plotted: PlottedVariants, height: float) -> Axis:
    means = [point.mean for point in plotted.points]
    low, high = roomy(means + plotted.levels, 0.08)
    return Axis(plotted.measure, low, high, height - ABOVE - BELOW, _ticks(low, high))


def _size_axis(plotted: PlottedVariants, length: float) -> Axis:
    left, right = roomy([point.share for point in plotted.points])
    left = max(left, 0.0)
    return Axis(plotted.size, left, right, length, _ticks(left, right))


def _ticks(low: float, high: float) -> tuple[float, ...]:
    """Return round numbers between two, at most one more than `_TICKS`."""
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    for multiple in _STEPS:
        step = power * multiple
        if step * _TICKS >= high - low:
            break
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return tuple(round(step * number, 10) for number in range(first, last + 1))


def _place(x: Axis, y: Axis, point: ChartPoint) -> Place:
    return Place(x.at(point.share), y.length - y.at(point.mean))


def _obstacles(plotted: PlottedVariants, x: Axis, y: Axis) -> Obstacles:
    marked = list(plotted.baseline.points)
    for curve in plotted.curves:
        marked += curve.dots
    if plotted.recommended:
        marked.append(plotted.recommended)
    boxes = [Box.around(_place(x, y, point), _REACH) for point in marked]
    lines: list[Segment] = []
    for level in plotted.levels:
        middle = y.length - y.at(level)
        lines.append(Segment(Place(0, middle), Place(x.length, middle)))
    for curve in plotted.curves:
        for begin, end in pairwise(curve.line):
            lines.append(Segment(_place(x, y, begin), _place(x, y, end)))
    return Obstacles(Box(1, 0, x.length + BESIDE, y.length - 1), boxes, lines)


def _names(plotted: PlottedVariants, x: Axis, y: Axis) -> list[Name]:
    """Return the names of the baseline, curves, margin and recommended variant, with the places of their points."""
    names: list[Name] = []
    curves = [plotted.baseline]
    curves += plotted.curves
    for curve in curves:
        places = [_place(x, y, point) for point in curve.points]
        names.append(_name(curve.name, places))
    if plotted.margin is not None:
        middle = y.length - y.at(plotted.margin)
        along_the_line = [Place(share * x.length, middle) for share in _SHARES_OF_A_LINE]
        names.append(_name("margin", along_the_line))
    if plotted.recommended:
        names.append(_name("recommended", [_place(x, y, plotted.recommended)]))
    return names


def _name(text: str, places: Sequence[Place]) -> Name:
    """Return the name of a curve's places; it may stand beside the ends, or beside others."""
    spaced = [places[index] for index in spread(len(places), _MOST_ANCHORS)]
    ends_first = [spaced[0], spaced[-1]]
    ends_first += spaced
    return Name(text, FONT * ems(text), _LINE, tuple(dict.fromkeys(ends_first)))
