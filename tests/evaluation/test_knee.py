"""The knee of a front of gain against cost."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.evaluation.rules import knee, pareto_front


@pytest.mark.parametrize(
    ("points", "place"),
    [
        # 5 - 1/(x + 0.1), the example of the Kneedle paper, at ten points: its knee is at x = 0.22.
        ([(x / 9, 5 - 1 / (x / 9 + 0.1)) for x in range(10)], 2),
        ([(0, 0), (1, 8), (10, 10)], 1),
        # The order of points does not matter, and those that are dominated do not count.
        ([(10, 10), (2, 7), (0, 0), (5, 7), (1, 8), (11, 9)], 4),
        ([(0, 0), (1, 8), (1, 8), (10, 10)], 1),
        # Two at the same distance: the cheaper.
        ([(0, 0), (5, 8), (2, 5), (10, 10)], 2),
        # No knee.
        ([], None),
        ([(1, 1)], None),
        ([(1, 1), (2, 2)], None),
        ([(1, 1), (2, 2), (2, 2), (1, 1)], None),
        ([(1, 1), (2, 2), (3, 3), (4, 4)], None),
        ([(0.1, 0.1), (0.2, 0.2), (0.30000000000000004, 0.3)], None),
        ([(0, 0), (9, 2), (10, 10)], None),
        ([(1, 5), (2, 4), (3, 3)], None),
    ],
)
def test_by_hand(points: list[tuple[float, float]], place: int | None) -> None:
    assert knee(points) == place


POINTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=15)


def distance(point: tuple[float, float], first: tuple[float, float], last: tuple[float, float]) -> float:
    """How far a point is above the chord of the normalised curve, by the formula for a point and a line."""
    x, y = ((value - low) / (high - low) for value, low, high in zip(point, first, last, strict=True))
    return (y - x) / math.sqrt(2)


@given(POINTS)
def test_it_is_the_farthest_from_the_chord(points: list[tuple[int, int]]) -> None:
    front = sorted({points[place] for place in pareto_front(points)})
    result = knee(points)
    if len(front) < 3:
        assert result is None
        return
    distances = [distance(point, front[0], front[-1]) for point in front]
    if result is None:
        assert max(distances) < 1e-9
    else:
        assert distances[front.index(points[result])] == pytest.approx(max(distances))
        assert result == points.index(points[result])
        assert points[result] not in (front[0], front[-1])


@given(POINTS, st.integers(-50, 50), st.integers(1, 1000), st.integers(1, 1000))
def test_units_do_not_matter(points: list[tuple[int, int]], shift: int, cost_unit: int, gain_unit: int) -> None:
    assert knee([(cost_unit * cost + shift, gain_unit * gain - shift) for cost, gain in points]) == knee(points)
