"""The best index: the smallest index with a shown gain over no cleaning whose mean is within the margin of the highest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.base.numbers import Floats
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.significance import SEED, TOLERANCE
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import order_of_testing

RESAMPLES = 10_000
"""The number of resamples for the critical value."""


@dataclass(frozen=True)
class BoundedVariant:
    """A variant with the bounds of its differences from the baseline.

    Args:
        variant: the variant.
        bounds: by deciding measure, the lower bound of the difference. The bounds of all variants hold together, with
            confidence 1 − alpha.
    """

    variant: int
    bounds: tuple[float, ...]


def best_gain(problem: ChoiceProblem) -> BoundedVariant | None:
    """Return the best index; None where no gain is shown.

    Every index in the families' orders of testing is a candidate, if it leaves enough pages with text. The gain of a
    candidate is shown if the lower bound of its difference is above 0 in the main measure, and above the negative
    margin in the other deciding measures. Among the indexes with a shown gain, the answer is the smallest whose mean is
    within the margin of their highest mean.
    """
    candidates = _candidates(problem)
    if problem.topics < MINIMUM or not candidates:
        return None
    differences = problem.values[:, candidates] - problem.values[:, :1]
    bounds = simultaneous_bounds(differences, problem.criteria.alpha)
    # The main measure must gain; the other measures must not lose their margin.
    thresholds = -np.array(problem.margins)
    thresholds[0] = 0.0
    has_gain = np.all(bounds > thresholds[:, None] + TOLERANCE, axis=0)
    if not has_gain.any():
        return None
    gaining = np.array(candidates)[has_gain]
    means = problem.table.mean(problem.measures[0])[gaining]
    near_best = gaining[means >= means.max() - problem.margins[0] - TOLERANCE]
    best = problem.smallest(near_best.tolist())
    assert best is not None
    return BoundedVariant(best, tuple(bounds[:, candidates.index(best)].tolist()))


def _candidates(problem: ChoiceProblem) -> list[int]:
    """Return the variants that the families test and that leave enough pages with text, by name."""
    variants: set[int] = set()
    for family in problem.criteria.families:
        variants.update(order_of_testing(problem.table, family))
    keeping_pages: list[int] = []
    for variant in variants:
        if problem.keeps_pages[variant]:
            keeping_pages.append(variant)
    return sorted(keeping_pages, key=lambda variant: problem.table.rows[variant].name)


def simultaneous_bounds(differences: Floats, alpha: float) -> Floats:
    """Return lower bounds of mean differences that hold together, by measure, with confidence 1 − alpha.

    mean − c·s/√n, where c is the (1 − alpha) quantile of the largest t of all variants if the sign of each topic's
    differences is drawn at random: the randomisation test (Smucker et al. 2007) with the largest statistic (Westfall &
    Young 1993). All variants share the signs of a topic, so that similar variants widen the bounds little.

    Args:
        differences: the differences from the baseline; shape (measures, variants, topics).
        alpha: the probability that any bound of a measure is too high, if the differences are symmetric about their means.

    Returns:
        shape (measures, variants).
    """
    topics = differences.shape[-1]
    means = differences.mean(axis=-1)
    spreads = differences.std(axis=-1, ddof=1)
    bounds: Floats = np.empty(means.shape)
    for measure, differences_in_measure in enumerate(differences):
        critical = critical_t(differences_in_measure, alpha)
        bounds[measure] = means[measure] - critical * spreads[measure] / math.sqrt(topics)
    return bounds


def critical_t(differences: Floats, alpha: float) -> float:
    """Return the (1 − alpha) quantile of the largest t of all variants under random signs of the topics.

    Random signs leave Σd² unchanged. A sum is enough for t = u·√((n − 1)/(n − u²)), where u = Σd/√Σd².

    Args:
        differences: shape (variants, topics).
        alpha: the level.
    """
    topics = differences.shape[-1]
    lengths = np.sqrt((differences**2).sum(axis=-1, keepdims=True))
    directions = np.divide(differences, lengths, out=np.zeros_like(differences), where=lengths > TOLERANCE)
    generator = np.random.default_rng(SEED)
    signs = generator.choice((-1.0, 1.0), size=(RESAMPLES, topics))
    largest = (signs @ directions.T).max(axis=1)
    u = min(float(np.quantile(largest, 1 - alpha)), math.sqrt(topics - TOLERANCE))
    return u * math.sqrt((topics - 1) / (topics - u**2))
