"""The points worth choosing among."""

from __future__ import annotations

import math
from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Find the points that no other point dominates.

    A point dominates another if it costs no more and gains no less, and is better in one of the two. Equal points do not
    dominate each other, so they are on the front together.

    Args:
        points: (cost, gain) pairs of finite numbers; lower costs and higher gains are better.

    Returns:
        Indices into `points`, ascending.
    """
    front: list[int] = []
    last = (-math.inf, -math.inf)
    for index in sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1])):
        if points[index][1] > last[1] or points[index] == last:
            last = points[index]
            front.append(index)
    return sorted(front)
