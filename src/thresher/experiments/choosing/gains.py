"""The index that gains most over the baseline, judged on topics that had no part in picking it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.base.numbers import Floats
from thresher.evaluation.non_inferiority import MINIMUM, ImaginaryTopic, lower_bounds
from thresher.evaluation.significance import SEED, TOLERANCE
from thresher.experiments.choosing.problem import ChoiceProblem

Splits: TypeAlias = NDArray[np.bool_]
"""Whether each topic trains; shape (splits, topics)."""
Rule: TypeAlias = Callable[[Splits], Sequence[int | None]]
"""From splits to the variant that is picked on the training topics of each; None to stay with the baseline."""

GAIN_ALPHA = 0.05
"""The level of the test for a gain, whatever alpha the criteria have."""
NEAR_BEST = 0.95
"""Share of the best score that a smaller index must have to be picked instead."""
FOLDS = 10
REPEATS = 100
"""With so many repeats the random folds hardly matter."""
INFLATION = 1 + FOLDS / (FOLDS - 1)
"""Factor of the variance of a mean of held-out differences, as training folds overlap (Nadeau & Bengio 2003).

Without it, Student's t at level .05 calls the best of 2,700 variants better in 7 to 17 of 100 samples where none is; with it,
in 2 to 5.
"""


@dataclass(frozen=True)
class ShownGain:
    """A variant that is shown to be better than the baseline.

    Args:
        variant: the rule's pick on all topics.
        mean: of the main measure over the topics, each with the variant that was picked without it.
        baseline: the baseline's mean.
        low: lower bound of the difference, of confidence 1 − `GAIN_ALPHA`.
    """

    variant: int
    mean: float
    baseline: float
    low: float


def best_gain(problem: ChoiceProblem) -> ShownGain | None:
    """Return the smaller index that gains most over the baseline; None where no gain is shown.

    A rule picks on nine tenths of the topics and is judged on the last tenth, so that all tried variants are paid for. A gain
    is shown if the held-out values are higher than the baseline's in the main measure and lose less than the margin in the
    other measures, by Student's t with variances that allow for overlapping training folds. With an imaginary topic that
    loses everything, the held-out values must lose less than the margin in all measures.
    """
    candidates = _smaller_variants(problem)
    if problem.topics < MINIMUM or not candidates:
        return None
    differences = problem.values[0, candidates] - problem.values[0, 0]
    sizes = problem.table.sizes[candidates].tolist()

    def rule(splits: Splits) -> list[int | None]:
        return [None if place is None else candidates[place] for place in _picks(differences, sizes, splits)]

    all_topics = np.ones((1, problem.topics), dtype=np.bool_)
    variant = rule(all_topics)[0]
    if variant is None:
        return None
    values = held_out_values(problem.values, problem.baseline, rule, training_splits(problem.topics))
    low = _lower_bound(problem, values)
    if low is None:
        return None
    return ShownGain(variant, float(values[0].mean()), float(problem.baseline[0].mean()), low)


def _smaller_variants(problem: ChoiceProblem) -> list[int]:
    """Return the variants that are smaller than the baseline and keep enough pages, by name."""
    table = problem.table
    smaller = [
        index for index in table.candidates if table.sizes[index] < table.sizes[0] and problem.keeps_pages[index]
    ]
    return sorted(smaller, key=lambda index: table.rows[index].name)


def _lower_bound(problem: ChoiceProblem, values: Floats) -> float | None:
    """Return the lower bound of the gain in the main measure; None if a gain is not shown.

    Args:
        problem: the choice.
        values: held-out values; shape (measures, topics).
    """
    difference = values[:1] - problem.baseline[:1]
    tested = np.stack([problem.criteria.margin.tested(*pair) for pair in zip(values, problem.baseline, strict=True)])
    bounds = lower_bounds(np.concatenate((difference, tested[1:])), GAIN_ALPHA, INFLATION)
    if bounds.min() <= TOLERANCE:
        return None
    imaginary = ImaginaryTopic(problem.topics)
    for statistics, total_loss in zip(tested, problem.total_loss, strict=True):
        if imaginary.lower_bounds(statistics[None], total_loss, GAIN_ALPHA)[0] <= TOLERANCE:
            return None
    return float(bounds[0])


def _picks(differences: Floats, sizes: Sequence[int], splits: Splits) -> list[int | None]:
    """Return for each split the smallest variant whose score is nearly the best; None where no score is above 0.

    The score is the mean difference less its standard error: gains that many topics share go before gains of a few topics.

    Args:
        differences: from the baseline; shape (variants, topics).
        sizes: postings by variant.
        splits: the training topics.
    """
    training = splits.T.astype(np.float64)
    counts = splits.sum(axis=1)
    means = differences @ training / counts
    variances = np.maximum(differences**2 @ training / counts - means**2, 0) / np.maximum(counts - 1, 1)
    scores = means - np.sqrt(variances)
    return [_smallest_near_best(scores[:, split], sizes) for split in range(len(splits))]


def _smallest_near_best(scores: Floats, sizes: Sequence[int]) -> int | None:
    best = float(scores.max())
    if best <= TOLERANCE:
        return None
    near_best = np.flatnonzero(scores >= NEAR_BEST * best - TOLERANCE).tolist()
    return min(near_best, key=lambda index: (sizes[index], -scores[index], index))


def training_splits(topics: int, repeats: int = REPEATS, seed: int = SEED) -> Splits:
    """Return the training folds of a repeated cross-validation: each repeat holds every topic out once.

    There are `FOLDS` folds, or one a topic if there are fewer topics; they differ by at most one topic in size.
    """
    generator = np.random.default_rng(seed)
    folds = min(FOLDS, topics)
    splits = np.ones((repeats, folds, topics), dtype=np.bool_)
    for repeat in range(repeats):
        for fold, held_out in enumerate(np.array_split(generator.permutation(topics), folds)):
            splits[repeat, fold, held_out] = False
    return splits.reshape(-1, topics)


def held_out_values(values: Floats, baseline: Floats, rule: Rule, splits: Splits) -> Floats:
    """Return each topic's values with the variants that were picked without it, mean over repeats; shape (measures, topics).

    The whole procedure of picking runs in every fold: no part of it may see the topics that judge it (Stone 1974).

    Args:
        values: shape (measures, variants, topics).
        baseline: the values where nothing is picked; shape (measures, topics).
        rule: picks a variant on the training topics of each split.
        splits: the training topics.
    """
    total = np.zeros_like(baseline)
    for training, variant in zip(splits, rule(splits), strict=True):
        held_out = ~training
        picked = baseline if variant is None else values[:, variant]
        total[:, held_out] += picked[:, held_out]
    means: Floats = total / (~splits).sum(axis=0)
    return means
