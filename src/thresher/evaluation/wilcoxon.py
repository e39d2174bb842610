"""The Wilcoxon signed-rank test, with its exact distribution also where there are ties."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EXACT_LIMIT = 500
"""Up to so many differing pairs the distribution is exact; beyond, the normal approximation serves."""

TOLERANCE = 1e-9
"""Differences below it are zero and sizes within it are tied: noise of floating-point arithmetic."""


@dataclass(frozen=True)
class SignedRanks:
    """What the test finds: pairs by sign, two-sided p in (0, 1], effect in [-1, 1], whether p is exact."""

    wins: int
    ties: int
    losses: int
    p: float
    effect: float
    exact: bool


def signed_ranks(differences: Sequence[float] | NDArray[np.float64]) -> SignedRanks:
    """Test whether paired differences are symmetric about zero, two-sided.

    Zeros are dropped (Wilcoxon 1945); the sizes of the others are ranked, ties with their mean rank. Under
    the hypothesis every rank is positive or negative with probability 1/2, so the distribution of the sum of
    the positive ranks follows from the ranks themselves, tied or not: p = min(1, 2·min(P(T ≤ t), P(T ≥ t))).
    Beyond `EXACT_LIMIT` pairs it is normal with mean Σr/2 and variance Σr²/4, which is the usual correction
    for ties.

    The effect size is the matched-pairs rank-biserial correlation (Kerby 2014): the sum of positive ranks
    less the sum of negative ranks, over the sum of all.

    Args:
        differences: finite.

    Returns:
        With no differing pair: p = 1 and effect = 0.
    """
    values = np.asarray(differences, dtype=np.float64)
    values_left = values[np.abs(values) >= TOLERANCE]
    n = len(values_left)
    positive = values_left > 0
    wins = int(positive.sum())
    if n == 0:
        return SignedRanks(0, len(values), 0, 1.0, 0.0, True)
    ranks = _doubled_ranks(np.abs(values_left))
    total = int(ranks.sum())
    observed = int(ranks[positive].sum())
    exact = n <= EXACT_LIMIT
    p = _exact_p(ranks, observed) if exact else _normal_p(ranks, observed)
    return SignedRanks(wins, len(values) - n, n - wins, p, (2 * observed - total) / total, exact)


def _doubled_ranks(sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank from 1, ties with their mean rank; doubled, so that the mean of two ranks is an integer."""
    order = np.argsort(sizes, kind="stable")
    group = np.concatenate(([0], np.cumsum(np.diff(sizes[order]) > TOLERANCE)))
    last = np.cumsum(np.bincount(group))
    first = np.concatenate(([1], last[:-1] + 1))
    ranks = np.empty(len(sizes), dtype=np.int64)
    ranks[order] = (first + last)[group]
    return ranks


def _exact_p(ranks: NDArray[np.int64], observed: int) -> float:
    distribution = np.zeros(int(ranks.sum()) + 1)
    distribution[0] = 1.0
    top = 0
    for rank in ranks.tolist():
        # The right side is computed in full before it is stored.
        distribution[rank : top + rank + 1] = distribution[rank : top + rank + 1] + distribution[: top + 1]
        top += rank
        distribution[: top + 1] *= 0.5
    below = float(distribution[: observed + 1].sum())
    above = float(distribution[observed:].sum())
    return min(1.0, 2.0 * min(below, above))


def _normal_p(ranks: NDArray[np.int64], observed: int) -> float:
    z = (observed - ranks.sum() / 2) / math.sqrt(float((ranks.astype(np.float64) ** 2).sum()) / 4)
    # The smallest positive double keeps p above 0 where the tail underflows.
    return max(math.erfc(abs(z) / math.sqrt(2)), 5e-324)
