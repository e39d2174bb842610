"""Which points are worth choosing when one wants to spend less and gain more."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Find the points that no other point dominates.

    A point dominates another if it costs no more and gains no less, and is better in one of the two. Equal
    points do not dominate each other, so they are on the front together.

    Args:
        points: (cost, gain) pairs of finite numbers; lower costs and higher gains are better.

    Returns:
        Indices into `points`, ascending.
    """
    front: list[int] = []
    best = float("-inf")
    cost_of_best = float("-inf")
    for index in sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1])):
        cost, gain = points[index]
        if gain > best:
            best, cost_of_best = gain, cost
            front.append(index)
        elif gain == best and cost == cost_of_best:
            front.append(index)
    return sorted(front)
