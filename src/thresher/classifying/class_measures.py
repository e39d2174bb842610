"""F1 by class with intervals, and paired tests of two classifications of the same pages."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.cleaneval.results import MeanInterval
from thresher.defaults import ALPHA
from thresher.evaluation.significance import SEED

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RESAMPLES = 2000


@dataclass(frozen=True)
class PairedClasses:
    """A classification against that of the uncleaned pages.

    Attributes:
        difference: of macro F1, with the interval of the paired bootstrap.
        gained, lost: pages that it alone has right, or the other alone.
        p: of McNemar's exact test, two-sided.
        p_holm: by Holm's correction over all cleaners.
    """

    difference: MeanInterval
    gained: int
    lost: int
    p: float
    p_holm: float


def f1_by_class(tables: npt.NDArray[Any]) -> Doubles:
    """Return F1 = 2 TP / (actual + predicted) of each class; 0 for one that neither occurs nor is predicted.

    Args:
        tables: of counts by actual and predicted class; shape (…, classes, classes).

    Returns:
        shape (…, classes).
    """
    right = np.diagonal(tables, axis1=-2, axis2=-1).astype(np.float64)
    both = tables.sum(axis=-1) + tables.sum(axis=-2)
    found: Doubles = np.divide(2 * right, both, out=np.zeros_like(right), where=both > 0)
    return found


def confusion(labels: Ints, predicted: Ints, classes: int) -> Ints:
    """Return the number of pages by actual and predicted class; shape (classes, classes)."""
    return np.bincount(labels * classes + predicted, minlength=classes * classes).reshape(classes, classes)


def f1_intervals(table: Ints) -> tuple[list[MeanInterval], MeanInterval]:
    """Return F1 of each class and their mean (macro F1), with 95 % intervals of the percentile bootstrap over pages.

    Drawing pages with replacement is drawing counts of the table from a multinomial distribution (Efron 1979).
    """
    cells = table.ravel()
    drawn = np.random.default_rng(SEED).multinomial(cells.sum(), cells / cells.sum(), size=RESAMPLES)
    sampled = f1_by_class(drawn.reshape(RESAMPLES, *table.shape))
    found = f1_by_class(table)
    by_class = [_interval(float(value), column) for value, column in zip(found, sampled.T, strict=True)]
    return by_class, _interval(float(found.mean()), sampled.mean(axis=1))


def paired_difference(labels: Ints, predicted: Ints, baseline: Ints, classes: int) -> MeanInterval:
    """Return the difference of macro F1 from the baseline's, with the 95 % interval of the paired bootstrap over pages."""
    cube = np.bincount((labels * classes + predicted) * classes + baseline, minlength=classes**3)
    drawn = np.random.default_rng(SEED).multinomial(cube.sum(), cube / cube.sum(), size=RESAMPLES)

    def difference(counts: Ints) -> Doubles:
        shaped = counts.reshape(-1, classes, classes, classes)
        own, other = f1_by_class(shaped.sum(axis=3)), f1_by_class(shaped.sum(axis=2))
        result: Doubles = own.mean(axis=1) - other.mean(axis=1)
        return result

    return _interval(float(difference(cube)[0]), difference(drawn))


def mcnemar(gained: int, lost: int) -> float:
    """Return the two-sided p of McNemar's test (1947), exact: by a binomial distribution over the pages that differ.

    >>> mcnemar(1, 5), mcnemar(0, 0)
    (0.21875, 1.0)
    """
    differing = gained + lost
    tail: int = sum(comb(differing, count) for count in range(min(gained, lost) + 1))
    return min(1.0, 2 * tail / (1 << differing))


def _interval(value: float, sampled: Doubles) -> MeanInterval:
    low, high = np.quantile(sampled, (ALPHA / 2, 1 - ALPHA / 2))
    return MeanInterval(value, float(low), float(high))
