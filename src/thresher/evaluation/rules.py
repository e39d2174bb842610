"""Rules that pick a variant by size and per-topic values: knee, Pareto front, smallest without loss, highest mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.evaluation.non_inferiority import (
    Margin,
    NonInferiority,
    non_inferior_in_all,
    non_inferiority,
    smallest_non_inferior,
)
from thresher.evaluation.significance import TOLERANCE


def knee(points: Sequence[tuple[float, float]]) -> int | None:
    """Return the knee of the Pareto front of (cost, gain) points.

    Costs and gains of the front are each scaled to [0, 1], so that its cheapest point is (0, 0) and its costliest (1, 1). The
    knee is the point farthest above the chord between them, the one with the largest gain - cost: the definition of Kneedle
    (Satopää, Albrecht, Irwin & Raghavan 2011) without smoothing, as there are few points, and without sensitivity, as the
    curve is complete.

    Args:
        points: finite; lower costs and higher gains are better. See `pareto_front`.

    Returns:
        An index into `points`; of equally distant ones the cheapest, then the first. None without a knee: if the front has
        fewer than three different points, or none above the chord.
    """
    front = sorted(pareto_front(points), key=lambda index: (points[index][0], index))
    if not front:
        return None
    (least, low), (most, high) = points[front[0]], points[front[-1]]
    if most <= least or high <= low:
        return None
    heights = [(points[i][1] - low) / (high - low) - (points[i][0] - least) / (most - least) for i in front]
    top = max(heights)
    if top <= TOLERANCE:
        return None
    return next(index for index, height in zip(front, heights, strict=True) if height >= top - TOLERANCE)


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


@dataclass(frozen=True)
class HeldOutChoice:
    """The index of the variant that training topics choose, and of the one that held-out topics would have.

    `optimism` is the mean of `best` less that of `chosen` over the held-out topics. Where nothing is better it is 0, and
    `best` is `chosen`.
    """

    chosen: int
    best: int
    optimism: float


def best_variant(means: Sequence[float], sizes: Sequence[float]) -> int:
    """Return the index of the highest mean; of equal ones that of the smallest size, then the first.

    Args:
        means: of a measure, at least one; minus infinity for a variant without a value.
        sizes: what each costs, such as the bytes of its index.
    """
    most = max(means)
    equals = [index for index, mean in enumerate(means) if mean >= most - TOLERANCE]
    return min(equals, key=sizes.__getitem__)


def choose(training: Sequence[float], held_out: Sequence[float], sizes: Sequence[float]) -> HeldOutChoice:
    """Choose a variant by its mean over training topics, and compare it with the best one on held-out topics.

    Args:
        training: mean of a measure over the training topics by variant, at least one.
        held_out: the same over the held-out topics, which have no part in the choice.
        sizes: what each costs.
    """
    chosen, best = best_variant(training, sizes), best_variant(held_out, sizes)
    if held_out[chosen] >= max(held_out) - TOLERANCE:
        return HeldOutChoice(chosen, chosen, 0.0)
    return HeldOutChoice(chosen, best, held_out[best] - held_out[chosen])


Rule: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], int | None]
"""From values [variant, topic] and the baseline's [topic] to the index of a variant; None to stay with the baseline.

A rule that looks at several measures takes [measure, variant, topic] and [measure, topic], the main one first.
"""


Judge: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64], Margin], NonInferiority]
"""From values [variant, topic], the baseline's [topic] and a margin to the variants' tests."""


def highest_mean(sizes: Sequence[float]) -> Rule:
    """Choose the highest mean; of equal ones the smallest size (see `best_variant`). It never stays with the baseline."""

    def rule(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> int | None:
        del baseline
        return best_variant(values.mean(axis=1).tolist(), sizes)

    return rule


def at_knee(sizes: Sequence[float], baseline_size: float) -> Rule:
    """Choose the knee of mean against size, the baseline being one of the points; None if there is no knee (see `knee`)."""

    def rule(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> int | None:
        means = [*values.mean(axis=1).tolist(), float(baseline.mean())]
        index = knee(list(zip([*sizes, baseline_size], means, strict=True)))
        return None if index == len(sizes) else index

    return rule


def smallest_without_loss(
    sizes: Sequence[float],
    margin: Margin,
    *,
    below: float = math.inf,
    allowed: Sequence[bool] | None = None,
    judge: Judge = non_inferiority,
) -> Rule:
    """Choose the smallest index that is non-inferior at the margin, if it is below a size, such as the baseline's; else None.

    See `non_inferiority`; with several measures it is non-inferior in all of them, see `non_inferior_in_all`. None with fewer
    topics than `thresher.evaluation.non_inferiority.MINIMUM`, in a fold's training too, and with a relative margin where a
    baseline's mean is 0.

    Args:
        sizes: of the variants.
        margin: the accepted loss, in every measure.
        below: what the size must be less than.
        allowed: of each variant, whether it may be chosen; None for all.
        judge: tests the variants by one measure, as `non_inferiority` does.
    """

    def rule(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> int | None:
        measures = [*zip(values.reshape(-1, *values.shape[-2:]), baseline.reshape(-1, baseline.shape[-1]), strict=True)]
        if margin.relative and any(base.mean() <= TOLERANCE for _, base in measures):
            return None
        tests = [judge(of_one, base, margin).tests for of_one, base in measures]
        shown = non_inferior_in_all(tests)
        may = shown if allowed is None else [one and other for one, other in zip(shown, allowed, strict=True)]
        return smallest_non_inferior(tests[0], sizes, below, may)

    return rule


def outcome(choice: int | None, values: NDArray[np.float64], baseline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values by topic, of the main measure, of what a rule picked: a variant's, or for None the baseline's."""
    return main_values(baseline, 1) if choice is None else main_values(values, 2)[choice]


def main_values(values: NDArray[np.float64], dimensions: int) -> NDArray[np.float64]:
    """Return the values of the first of several measures; `dimensions` are those of one measure's values."""
    return values if values.ndim == dimensions else values[0]
