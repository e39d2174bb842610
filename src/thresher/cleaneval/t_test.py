"""Student's t: the paired test of two cleaners over pages, and the interval of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from thresher.evaluation.significance import ALPHA
from thresher.evaluation.wilcoxon import TOLERANCE


@dataclass(frozen=True)
class Interval:
    """A mean and the bounds of its confidence interval; without bounds (infinite) for a single value."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class TTest:
    """A paired t-test: the mean difference with its interval, t, the degrees of freedom and the two-sided p."""

    difference: Interval
    t: float
    df: int
    p: float


def paired_t_test(values: Sequence[float], baseline: Sequence[float], *, alpha: float = ALPHA) -> TTest:
    """Test whether the mean of paired differences is zero (Student 1908; NCleaner, section 4, over pages).

    t = mean/(s/√n) with s the standard deviation of the sample, and df = n - 1. Where all differences are equal, s is 0 and
    the interval is the mean itself: t = 0 and p = 1 if they are all zero, else t is infinite with the mean's sign and p = 0.
    One pair says nothing of the spread: t = 0, p = 1.

    Args:
        values: one a page, finite.
        baseline: the baseline's, in the same order of pages.
        alpha: the interval holds 1 - alpha.

    Raises:
        ValueError: if there are no values, not the same number of both, or any is not finite.
    """
    if len(values) != len(baseline):
        raise ValueError(f"{len(values)} values cannot be paired with {len(baseline)}")
    differences = _finite(values) - _finite(baseline)
    df = len(differences) - 1
    interval = mean_interval(differences, alpha=alpha)
    error = _standard_error(differences)
    if interval.mean == 0 or not df:
        return TTest(interval, 0.0, df, 1.0)
    t = interval.mean / error if error else math.copysign(math.inf, interval.mean)
    return TTest(interval, t, df, min(1.0, 2 * float(stdtr(df, -abs(t)))))


def mean_interval(values: Sequence[float] | NDArray[np.float64], *, alpha: float = ALPHA) -> Interval:
    """Return the mean and mean ± t·s/√n, t the 1 - alpha/2 quantile of Student's distribution with n - 1 degrees.

    Means and deviations below `TOLERANCE` are noise of floating-point arithmetic and count as 0.

    Raises:
        ValueError: if there are no values or any is not finite.
    """
    found = _finite(values)
    mean = float(found.mean())
    mean = mean if abs(mean) >= TOLERANCE else 0.0
    if len(found) == 1:
        return Interval(mean, -math.inf, math.inf)
    half = float(stdtrit(len(found) - 1, 1 - alpha / 2)) * _standard_error(found)
    return Interval(mean, mean - half, mean + half)


def _standard_error(values: NDArray[np.float64]) -> float:
    if len(values) == 1:
        return 0.0
    deviation = float(values.std(ddof=1))
    return deviation / math.sqrt(len(values)) if deviation >= TOLERANCE else 0.0


def _finite(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    if not len(found) or not np.isfinite(found).all():
        raise ValueError("finite values are needed, at least one")
    return found
