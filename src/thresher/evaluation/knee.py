"""Where a curve of gain against cost bends: beyond it, more cost buys little."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.evaluation.pareto import pareto_front
from thresher.evaluation.wilcoxon import TOLERANCE


def knee(points: Sequence[tuple[float, float]]) -> int | None:
    """Find the knee of the Pareto front of (cost, gain) points.

    The front's costs and gains are each brought to [0, 1], so that units do not matter; its cheapest point is then (0, 0) and
    its dearest (1, 1). The knee is the point farthest above the chord between them, which is the one with the largest
    gain - cost: the definition of Kneedle (Satopää, Albrecht, Irwin & Raghavan 2011) without its smoothing, for there are few
    points, and without its sensitivity, for the curve is whole.

    Args:
        points: finite; lower costs and higher gains are better. See `pareto_front`.

    Returns:
        The place in `points`; of equally distant ones the cheapest, then the first. None if the front has fewer than three
        different points, or none above the chord (a straight line, or a curve that bends the other way): there is no knee.
    """
    front = sorted(pareto_front(points), key=lambda place: (points[place][0], place))
    if not front:
        return None
    (least, low), (most, high) = points[front[0]], points[front[-1]]
    if most <= least or high <= low:
        return None
    heights = [(points[place][1] - low) / (high - low) - (points[place][0] - least) / (most - least) for place in front]
    top = max(heights)
    if top <= TOLERANCE:
        return None
    return next(place for place, height in zip(front, heights, strict=True) if height >= top - TOLERANCE)
