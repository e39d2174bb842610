"""Rules that choose a cutoff from size and per-topic values: knee, Pareto front, smallest without loss, highest mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.evaluation.non_inferiority import Margin, non_inferiority, smallest_non_inferior
from thresher.evaluation.significance import ALPHA, RESAMPLES, SEED
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


@dataclass(frozen=True)
class HeldOutChoice:
    """What was chosen on training topics, what would have been on held-out ones: places among the candidates.

    `optimism` is what choosing on the held-out topics themselves would have promised beyond what the choice is worth there:
    the mean of `best` less that of `chosen`, over the held-out topics. Where nothing is better there it is 0, and `best` is
    `chosen`.
    """

    chosen: int
    best: int
    optimism: float


def best_candidate(means: Sequence[float], sizes: Sequence[float]) -> int:
    """Return the place of the highest mean; of equal ones that of the smallest size, then the first.

    Args:
        means: of a measure, one a candidate, at least one; minus infinity for a candidate that has no value.
        sizes: what each costs, such as the bytes of its index.
    """
    most = max(means)
    equals = [place for place, mean in enumerate(means) if mean >= most - TOLERANCE]
    return min(equals, key=lambda place: sizes[place])


def choose(training: Sequence[float], held_out: Sequence[float], sizes: Sequence[float]) -> HeldOutChoice:
    """Choose a candidate by its mean over training topics, and look at what it is worth on held-out ones.

    Args:
        training: mean of a measure over the training topics, one a candidate, at least one.
        held_out: mean over the held-out topics, of the same candidates, which have no part in the choice.
        sizes: what each costs.
    """
    chosen, best = best_candidate(training, sizes), best_candidate(held_out, sizes)
    if held_out[chosen] >= max(held_out) - TOLERANCE:
        return HeldOutChoice(chosen, chosen, 0.0)
    return HeldOutChoice(chosen, best, held_out[best] - held_out[chosen])


Rule: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], int | None]
"""From values [cutoff, topic] and the baseline's [topic] to the place of a cutoff; None is to stay with the baseline."""


def highest_mean(sizes: Sequence[float]) -> Rule:
    """Choose the highest mean; of equal ones the smallest size (see `best_candidate`). It never stays with the baseline."""

    def rule(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> int | None:
        del baseline
        return best_candidate(values.mean(axis=1).tolist(), sizes)

    return rule


def at_knee(sizes: Sequence[float], baseline_size: float) -> Rule:
    """Choose the knee of mean against size, the baseline being one of the points; None if there is no knee (see `knee`)."""

    def rule(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> int | None:
        means = [*values.mean(axis=1).tolist(), float(baseline.mean())]
        place = knee(list(zip([*sizes, baseline_size], means, strict=True)))
        return None if place == len(sizes) else place

    return rule


def smallest_without_loss(
    sizes: Sequence[float],
    margin: Margin,
    *,
    below: float = math.inf,
    alpha: float = ALPHA,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Rule:
    """Choose the smallest index that is non-inferior at the margin, if it is below a size, such as the baseline's; else None.

    See `non_inferiority`. With fewer topics than `thresher.evaluation.non_inferiority.MINIMUM`, be it in a fold's training,
    that is always so, and with a relative margin where the baseline finds nothing.
    """

    def rule(values: NDArray[np.float64], baseline: NDArray[np.float64]) -> int | None:
        if margin.relative and baseline.mean() <= TOLERANCE:
            return None
        found = non_inferiority(values, baseline, margin, alpha=alpha, seed=seed, resamples=resamples)
        return smallest_non_inferior(found.tests, sizes, below)

    return rule


def outcome(place: int | None, values: NDArray[np.float64], baseline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values by topic of what a rule chose: a cutoff's, or for None the baseline's."""
    return baseline if place is None else values[place]
