"""Places for the names of points and curves in a chart: beside them, and on no point, curve or other name.

Coordinates are points of print, to the right and downwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_DISTANCES = (4.0, 6.0, 10.0, 16.0, 24.0, 34.0, 46.0, 60.0)
_LINED = 8.0
"""A name that is farther from its point has a line to it."""
_ANGLES = tuple(math.pi * step / 8 for step in (0, 15, 1, 14, 2, 4, 12, 8, 9, 7, 10, 6, 13, 3, 11, 5))
"""The directions of names from their points, the best first: to the right, then slightly above."""
_SIDE = 0.35
"""Cosines and sines up to this one put the middle of a name's side at its place, instead of its corner."""


class Place(NamedTuple):
    """A place."""

    x: float
    y: float


class Segment(NamedTuple):
    """A straight line between two places."""

    begin: Place
    end: Place

    def crosses(self, other: Segment) -> bool:
        """Return whether the lines have a place in common."""
        other_has_ends_on_both_sides = _side(self, other.begin) * _side(self, other.end) < 0
        this_has_ends_on_both_sides = _side(other, self.begin) * _side(other, self.end) < 0
        if other_has_ends_on_both_sides and this_has_ends_on_both_sides:
            return True
        return self.has(other.begin) or self.has(other.end) or other.has(self.begin) or other.has(self.end)

    def has(self, place: Place) -> bool:
        """Return whether a place is on the line."""
        return _side(self, place) == 0 and _is_within(self, place)


def _side(line: Segment, place: Place) -> float:
    """Return a number whose sign says on which side of a line a place is; 0 on it."""
    (x, y), (to_x, to_y) = line
    return (to_x - x) * (place.y - y) - (to_y - y) * (place.x - x)


def _is_within(line: Segment, place: Place) -> bool:
    (x, y), (to_x, to_y) = line
    return min(x, to_x) <= place.x <= max(x, to_x) and min(y, to_y) <= place.y <= max(y, to_y)


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, place: Place, reach: float) -> Box:
        """Return the square that reaches so far to each side of a place."""
        return cls(place.x - reach, place.y - reach, place.x + reach, place.y + reach)

    @property
    def middle(self) -> Place:
        """The middle."""
        return Place((self.left + self.right) / 2, (self.top + self.bottom) / 2)

    def overlaps(self, other: Box) -> bool:
        """Return whether the boxes have an area in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def is_in(self, other: Box) -> bool:
        """Return whether the other box holds this one."""
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )

    def holds(self, place: Place) -> bool:
        """Return whether a place is inside or on the edge."""
        return self.left <= place.x <= self.right and self.top <= place.y <= self.bottom

    def meets(self, line: Segment) -> bool:
        """Return whether a line passes through."""
        (x, y), (to_x, to_y) = line
        if (
            max(x, to_x) < self.left
            or min(x, to_x) > self.right
            or max(y, to_y) < self.top
            or min(y, to_y) > self.bottom
        ):
            return False
        if self.holds(line.begin) or self.holds(line.end):
            return True
        upper_left = Place(self.left, self.top)
        upper_right = Place(self.right, self.top)
        lower_right = Place(self.right, self.bottom)
        lower_left = Place(self.left, self.bottom)
        sides = (
            Segment(upper_left, upper_right),
            Segment(upper_right, lower_right),
            Segment(lower_right, lower_left),
            Segment(lower_left, upper_left),
        )
        return any(map(line.crosses, sides))


@dataclass(frozen=True)
class Name:
    """A name with its size; `anchors` are the points that it may stand beside, the best first."""

    text: str
    width: float
    height: float
    anchors: tuple[Place, ...]


@dataclass(frozen=True)
class PlacedName:
    """A name in its place.

    Args:
        name: the name.
        box: the place of the name, rather too wide.
        line: the line to its point; None if the point is beside it.
        side: the alignment of the name in the box: 0 for left, 1 for right, 0.5 for the middle.
    """

    name: Name
    box: Box
    line: Segment | None
    side: float


@dataclass
class Obstacles:
    """The parts of a chart that names must not cover.

    Args:
        area: the chart, which holds all names.
        points: the marks of points.
        lines: curves and rules.
        names: the names that have a place already.
    """

    area: Box
    points: Sequence[Box]
    lines: Sequence[Segment]
    names: list[PlacedName] = field(default_factory=list)

    def allow(self, placed: PlacedName, over_curves: bool = False) -> bool:
        """Return whether a name lies on nothing, and its line neither; the line may pass `over_curves`."""
        box = placed.box
        if not box.is_in(self.area) or any(map(box.overlaps, self.points)) or any(map(box.meets, self.lines)):
            return False
        for other in self.names:
            if box.overlaps(other.box) or (other.line and box.meets(other.line)):
                return False
        return placed.line is None or self._allow_line(placed.line, over_curves)

    def _allow_line(self, line: Segment, over_curves: bool) -> bool:
        if not over_curves and any(map(line.crosses, self.lines)):
            return False
        for other in self.names:
            if other.box.meets(line) or (other.line and line.crosses(other.line)):
                return False
        return not any(point.meets(line) for point in self.points)


def placed_names(names: Sequence[Name], obstacles: Obstacles) -> list[PlacedName] | None:
    """Return each name in the nearest free place, in the order of `names`; None if a name has no place. The names with
    the fewest possible points are placed first.
    """
    places: dict[int, PlacedName] = {}
    for number in sorted(range(len(names)), key=lambda number: (len(names[number].anchors), number)):
        placed = _first_allowed(names[number], obstacles)
        if placed is None:
            return None
        obstacles.names.append(placed)
        places[number] = placed
    return [places[number] for number in range(len(names))]


def _first_allowed(name: Name, obstacles: Obstacles) -> PlacedName | None:
    """Return a name in the nearest free place; without a free place, in the nearest place whose line crosses only
    curves.
    """
    for over_curves in (False, True):
        for placed in _candidates(name):
            if obstacles.allow(placed, over_curves):
                return placed
    return None


def _candidates(name: Name) -> Iterator[PlacedName]:
    for distance in _DISTANCES:
        for anchor in name.anchors:
            for angle in _ANGLES:
                yield _candidate(name, anchor, distance, angle)


def _candidate(name: Name, anchor: Place, distance: float, angle: float) -> PlacedName:
    """Return a name whose side or corner is at a distance from its point, in a direction."""
    across = math.cos(angle)
    down = math.sin(angle)
    end = Place(anchor.x + distance * across, anchor.y + distance * down)
    left = end.x - _shift(across) * name.width
    top = end.y - _shift(down) * name.height
    line = None
    if distance > _LINED:
        begin = Place(anchor.x + _DISTANCES[0] * across, anchor.y + _DISTANCES[0] * down)
        line = Segment(begin, end)
    return PlacedName(name, Box(left, top, left + name.width, top + name.height), line, _shift(across))


def _shift(direction: float) -> float:
    """Return the share of a name's length that lies before its place, by the direction along it."""
    if abs(direction) <= _SIDE:
        return 0.5
    return 0.0 if direction > 0 else 1.0
