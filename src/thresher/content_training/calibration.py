"""Probabilities of sums of leaves: how often blocks with such a sum are content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.content_models.model import Calibration

KNOTS = 60
BINS = 10

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CalibrationBin:
    """Blocks whose probability is from `low` to `high`: their weight's share, mean probability and share of content."""

    low: float
    high: float
    weight: float
    predicted: float
    observed: float


def calibrate(sums: npt.NDArray[np.int64], labels: Doubles, weights: Doubles, knots: int = KNOTS) -> Calibration:
    """Return the probability of each sum: means of labels in bins of equal weight, made monotone.

    Isotonic regression by pooling adjacent violators (Ayer et al. 1955), as Zadrozny and Elkan (KDD 2002) calibrate
    classifiers, here over bins, and linear between their mean sums.

    Args:
        sums, labels, weights: of blocks; shape (blocks,).
        knots: the most bins.
    """
    order = np.argsort(sums, kind="stable")
    sums, labels, weights = sums[order], labels[order], weights[order]
    mass = np.cumsum(weights)
    bins = np.minimum((mass / mass[-1] * knots).astype(np.int64), knots - 1)
    # Equal sums are in one bin.
    bins = bins[np.searchsorted(sums, sums)]
    pooled: list[list[float]] = []
    for one in np.unique(bins):
        inside = bins == one
        weight = float(weights[inside].sum())
        pooled.append([weight, float(weights[inside] @ labels[inside]), float(weights[inside] @ sums[inside])])
        while len(pooled) > 1 and pooled[-2][1] / pooled[-2][0] >= pooled[-1][1] / pooled[-1][0]:
            last = pooled.pop()
            pooled[-1] = [before + after for before, after in zip(pooled[-1], last, strict=True)]
    knots_at = np.rint([at / weight for weight, _, at in pooled]).astype(np.int64)
    shares = np.clip([share / weight for weight, share, _ in pooled], 0, 1)
    keep = np.diff(knots_at, prepend=knots_at[0] - 1) > 0
    return Calibration(knots_at[keep], np.round(shares[keep], 6))


def calibration_bins(
    probabilities: Doubles, labels: Doubles, weights: Doubles, bins: int = BINS
) -> list[CalibrationBin]:
    """Return a reliability diagram's bins, without empty ones (DeGroot and Fienberg 1983)."""
    which = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    total = float(weights.sum())
    rows = []
    for one in np.unique(which).tolist():
        inside = which == one
        weight = float(weights[inside].sum())
        rows.append(
            CalibrationBin(
                one / bins,
                (one + 1) / bins,
                weight / total,
                float(weights[inside] @ probabilities[inside]) / weight,
                float(weights[inside] @ labels[inside]) / weight,
            )
        )
    return rows


def calibration_error(bins: Sequence[CalibrationBin]) -> float:
    """Return the expected calibration error (Naeini et al., AAAI 2015): the bins' mean distance, by weight; range 0 to 1."""
    return sum(row.weight * abs(row.predicted - row.observed) for row in bins)
