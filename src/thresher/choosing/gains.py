"""Whether some index is better than another, where thousands could be taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.choosing.walks import Sample
from thresher.evaluation.cross_validation import INFLATION, Splits, held_out_values, training_splits
from thresher.evaluation.non_inferiority import MINIMUM, Floats, ImaginaryTopic, lower_bounds
from thresher.evaluation.significance import TOLERANCE

ALPHA = 0.05
"""Of each question about gains, whatever alpha recommendations have."""
NEAR = 0.95
"""Share of the best score that a smaller index must have to be taken instead."""


@dataclass(frozen=True)
class Better:
    """An index that is shown to be better than a reference.

    Args:
        index: what the rule picks on all topics.
        mean, reference: means over the topics in the main measure, each topic with what was picked without it, and with the
            reference.
        low: lower bound of their difference, of confidence 1 − `ALPHA`.
    """

    index: int
    mean: float
    reference: float
    low: float


def better_than(sample: Sample, reference: int, among: Sequence[int]) -> Better | None:
    """Return the index that gains most over a reference, where a gain is shown.

    A rule picks on nine tenths of the topics, and is judged on the last tenth; so all tried variants are paid for. The gain is
    shown if the held-out values are higher than the reference's in the main measure and lose less than the margin against the
    baseline in the others: by Student's t, with variances that allow for overlapping trainings. With an imaginary topic that
    loses everything, they must lose less than the margin in all.

    Args:
        sample: what to test on.
        reference: the baseline, or what is recommended.
        among: candidates, in an order that does not depend on that of the table.
    """
    allowed = [index for index in among if sample.keeps_pages[index]]
    if sample.topics < MINIMUM or not allowed:
        return None
    differences = sample.values[0, allowed] - sample.values[0, reference]
    sizes = sample.table.sizes[allowed].tolist()

    def rule(splits: Splits) -> list[int | None]:
        return [None if pick is None else allowed[pick] for pick in _picks(differences, sizes, splits)]

    (index,) = rule(np.ones((1, sample.topics), dtype=np.bool_))
    if index is None:
        return None
    values = held_out_values(sample.values, sample.values[:, reference], rule, training_splits(sample.topics))
    difference = values[:1] - sample.values[:1, reference]
    tested = np.stack([sample.terms.margin.tested(*pair) for pair in zip(values, sample.baseline, strict=True)])
    bounds = lower_bounds(np.concatenate((difference, tested[1:])), ALPHA, INFLATION)
    imaginary = ImaginaryTopic(sample.topics)
    safe = [
        imaginary.lower_bounds(of[None], lost, ALPHA)[0] for of, lost in zip(tested, sample.lost.tolist(), strict=True)
    ]
    if min(*bounds.tolist(), *safe) <= TOLERANCE:
        return None
    return Better(index, float(values[0].mean()), float(sample.values[0, reference].mean()), float(bounds[0]))


def _picks(differences: Floats, sizes: Sequence[int], splits: Splits) -> list[int | None]:
    """Return for each split the smallest index whose score is nearly the best; None where no score is above 0.

    The score is the mean difference less its standard error: gains that many topics share go before those of a few.
    """
    training = splits.T.astype(np.float64)
    counts = splits.sum(axis=1)
    means = differences @ training / counts
    variances = np.maximum(differences**2 @ training / counts - means**2, 0) / np.maximum(counts - 1, 1)
    picks: list[int | None] = []
    for score in (means - np.sqrt(variances)).T:
        best = float(score.max())
        near = np.flatnonzero(score >= NEAR * best - TOLERANCE).tolist() if best > TOLERANCE else []
        picks.append(min(near, key=lambda index: (sizes[index], -score[index], index), default=None))
    return picks
