"""Bounds that hold for thousands of variants together, so that any may be taken by hand: the balanced bootstrap."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from thresher.evaluation.significance import RESAMPLES, SEED

Floats = NDArray[np.float64]

FEWEST = 60
"""With fewer topics the bounds are approximate: they erred in 9 of 100 samples of 36 topics, in 5 of 100 of 60."""
_ROWS = 256
"""Rows of a block; bounds the memory, not the result."""


def balanced_bounds(
    rows: Floats, floor: float, alpha: float, seed: int = SEED, resamples: int = RESAMPLES
) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the means of rows [row, topic]; all lower ones hold together, and so do all upper ones.

    Deviations of resampled means are studentised (the bootstrap-t: Efron 1982; Hall 1988), and each row has its own quantile
    of them (Beran 1988). The level of these is the largest at which at most the share `alpha` of the resamples has any row
    beyond its quantile: the smallest p decides, not the largest t (Westfall & Young 1993), so that rows that differ in few
    topics do not widen the bounds of all others.

    Args:
        rows: at least one row and one topic; the order of topics decides which are drawn.
        floor: added in squares to standard deviations, so that a row that differs in few topics has a finite bound; above 0.
        alpha: the share of resamples.
        seed: of the resamples.
        resamples: how many.
    """
    topics = rows.shape[1]
    means = rows.mean(axis=1)
    centred = rows - means[:, None]
    errors = np.sqrt(((centred**2).mean(axis=1) + floor**2) / topics)
    counts = _counts(topics, seed, resamples)
    ranks = math.floor(alpha * resamples)
    upper, lower = _Tails(len(rows), resamples, ranks), _Tails(len(rows), resamples, ranks)
    for start in range(0, len(rows), _ROWS):
        part = slice(start, start + _ROWS)
        deviations = _deviations(centred[part].astype(np.float32), counts, floor)
        upper.add(part, deviations)
        lower.add(part, np.negative(deviations, out=deviations))
    normal = NormalDist().inv_cdf(1 - alpha)
    low = means - np.maximum(upper.quantiles(), normal) * errors
    high = means + np.maximum(lower.quantiles(), normal) * errors
    return low, high


def _counts(topics: int, seed: int, resamples: int) -> NDArray[np.float32]:
    """Return how often each topic was drawn, as a share of the draws; shape (topics, resamples)."""
    drawn = np.random.default_rng(seed).integers(0, topics, size=(resamples, topics))
    drawn += topics * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * topics).reshape(resamples, topics)
    return np.ascontiguousarray((counts / topics).astype(np.float32).T)


def _deviations(centred: NDArray[np.float32], counts: NDArray[np.float32], floor: float) -> NDArray[np.float32]:
    strays, spread = centred @ counts, np.square(centred) @ counts
    spread -= np.square(strays)
    np.maximum(spread, 0, out=spread)
    spread += np.float32(floor**2)
    spread /= np.float32(len(counts))
    deviations: NDArray[np.float32] = np.divide(strays, np.sqrt(spread, out=spread), out=strays)
    return deviations


class _Tails:
    """The largest deviations of each row, and of each resample its best rank in any row."""

    def __init__(self, rows: int, resamples: int, ranks: int) -> None:
        self._largest = np.empty((rows, ranks + 1))
        self._best = np.full(resamples, resamples)

    def add(self, part: slice, deviations: NDArray[np.float32]) -> None:
        ranks = self._largest.shape[1]
        top = np.argpartition(deviations, -ranks, axis=1)[:, -ranks:]
        values = np.take_along_axis(deviations, top, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        self._largest[part] = np.take_along_axis(values, order, axis=1)
        top = np.take_along_axis(top, order, axis=1)
        np.minimum.at(self._best, top.ravel(), np.tile(np.arange(ranks), len(top)))

    def quantiles(self) -> Floats:
        """Return of each row the deviation that as many of its resamples exceed as all rows together may allow."""
        ranks = self._largest.shape[1] - 1
        beyond = np.searchsorted(np.sort(self._best), np.arange(ranks + 1), side="left")  # with a rank below 0, 1, 2, …
        exceed = int(np.flatnonzero(beyond <= ranks)[-1])
        return self._largest[:, exceed]
