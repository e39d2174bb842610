"""The names of a chart's marks, placed where they lie on no point, no line and no other name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from thresher.reports.chart_data import ChartPoint
from thresher.reports.label_places import Box, Name, Obstacles, Place, PlacedName, Segment, placed_names
from thresher.reports.text_widths import ems

FONT_SIZE = 12.0
"""Pixels of the letters."""
LINE_HEIGHT = 1.4 * FONT_SIZE
BESIDE_AREA = 75.0
"""Pixels beside the area of a chart, rather too many: a wider area moves names apart, never together."""
_SHARES_OF_A_LINE = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Places along a level, as shares of the chart's width, that its name may stand beside."""


class PlaceValues(NamedTuple):
    """The index size (%) and the mean at a place of a chart."""

    share: float
    mean: float


@dataclass(frozen=True)
class Area:
    """The area of a chart: the ends of its axes, and its size in pixels."""

    shares: tuple[float, float]
    means: tuple[float, float]
    width: float
    height: float

    def place(self, share: float, mean: float) -> Place:
        """Return the pixels of an index size (%) and a mean, to the right and downwards from the upper left corner."""
        low, high = self.shares
        bottom, top = self.means
        return Place(self.width * (share - low) / (high - low), self.height * (top - mean) / (top - bottom))

    def values(self, place: Place) -> PlaceValues:
        """Return the values at a place."""
        low, high = self.shares
        bottom, top = self.means
        share = low + place.x / self.width * (high - low)
        mean = top - place.y / self.height * (top - bottom)
        return PlaceValues(share, mean)


class Marks:
    """The drawing of a chart: its points and lines, which names must not cover."""

    def __init__(self, area: Area) -> None:
        """Begin without marks."""
        self.area = area
        self._points: list[Box] = []
        self._lines: list[Segment] = []

    def add_points(self, points: Iterable[ChartPoint], size: float) -> None:
        """Add marks of a size: half their side or diameter, in pixels."""
        for point in points:
            self._points.append(Box.around(self.area.place(point.share, point.mean), size))

    def add_line(self, points: Sequence[ChartPoint]) -> None:
        """Add straight lines from each point to the next."""
        places = [self.area.place(point.share, point.mean) for point in points]
        self._lines += [Segment(begin, end) for begin, end in pairwise(places)]

    def add_steps(self, points: Sequence[ChartPoint]) -> None:
        """Add a line of steps through points: across to the next one, then up or down to it."""
        for point, following in pairwise(points):
            corner = self.area.place(following.share, point.mean)
            self._lines.append(Segment(self.area.place(point.share, point.mean), corner))
            self._lines.append(Segment(corner, self.area.place(following.share, following.mean)))

    def add_level(self, mean: float) -> None:
        """Add a line across the chart."""
        low, high = self.area.shares
        self._lines.append(Segment(self.area.place(low, mean), self.area.place(high, mean)))

    def add_bound(self, point: ChartPoint, bound: float, end: float) -> None:
        """Add a line from a point down to a bound, with a line across at its end that reaches `end` pixels to both sides."""
        below = self.area.place(point.share, bound)
        self._lines.append(Segment(self.area.place(point.share, point.mean), below))
        self._lines.append(Segment(Place(below.x - end, below.y), Place(below.x + end, below.y)))

    def name_of_point(self, text: str, point: ChartPoint, size: float) -> Name:
        """Return a name that stands beside a point's mark of a size."""
        return _name(text, self.edges(point, size))

    def name_of_level(self, text: str, mean: float, beside: Sequence[Place] = ()) -> Name:
        """Return a name that stands at one of the places `beside`, or anywhere along a line across the chart."""
        along = [Place(share * self.area.width, self.area.place(0, mean).y) for share in _SHARES_OF_A_LINE]
        return _name(text, [*beside, *along])

    def edges(self, point: ChartPoint, size: float) -> list[Place]:
        """Return the middles of the sides of a point's mark."""
        x, y = self.area.place(point.share, point.mean)
        return [Place(x + size, y), Place(x - size, y), Place(x, y - size), Place(x, y + size)]

    def placed(self, names: Iterable[Name]) -> Iterator[PlacedName]:
        """Give the names that have room, in their places; if names meet, the first of them has its place first."""
        whole = Box(1, 0, self.area.width, self.area.height)
        obstacles = Obstacles(whole, self._points, self._lines)
        for name in names:
            yield from placed_names([name], obstacles) or ()


def _name(text: str, anchors: Sequence[Place]) -> Name:
    return Name(text, FONT_SIZE * ems(text), LINE_HEIGHT, tuple(anchors))
