"""Rules that choose a cutoff from per-topic values: the same rule for all topics, for a fold's and for another topic set's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.evaluation.choosing import best_candidate
from thresher.evaluation.knee import knee
from thresher.evaluation.non_inferiority import Margin, non_inferiority, smallest_non_inferior
from thresher.evaluation.significance import ALPHA, RESAMPLES, SEED
from thresher.evaluation.wilcoxon import TOLERANCE

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
        return smallest_non_inferior(found.cutoffs, sizes, below)

    return rule


def outcome(place: int | None, values: NDArray[np.float64], baseline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values by topic of what a rule chose: a cutoff's, or for None the baseline's."""
    return baseline if place is None else values[place]
