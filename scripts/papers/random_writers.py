"""How many words blocks have: the random writers of Kohlschütter et al. (2010), section 5.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

Doubles = npt.NDArray[np.float64]
_STARTS = (0.02, 0.1, 0.3, 0.6)


@dataclass(frozen=True)
class WriterFit:
    """A distribution fitted to the shares of blocks by words.

    Attributes:
        parameters: P_T(N) for one state; P_N(S), P_S(N), P_L(N) for short and long text, P_S(N) being the larger; in [0, 1].
        r2: the coefficient of determination, adjusted by the number of parameters; NaN with too few numbers of words.
        rmse: the root of the squared error by its degrees of freedom.
    """

    parameters: tuple[float, ...]
    r2: float
    rmse: float


def word_shares(words: npt.NDArray[Any]) -> Doubles:
    """Return the share of blocks that have 1, 2, … words, of those that have any; shape (most words,)."""
    counts = np.bincount(words[words > 0].astype(np.int64))[1:]
    shares: Doubles = counts / max(int(counts.sum()), 1)
    return shares


def one_state(parameters: Doubles, words: Doubles) -> Doubles:
    """Return Pr(Y = x) = (1 - p)^(x - 1) p, the 1-displaced geometric distribution (Eq. 2), of each number of words."""
    p = float(parameters[0])
    shares: Doubles = (1 - p) ** (words - 1) * p
    return shares


def two_states(parameters: Doubles, words: Doubles) -> Doubles:
    """Return P_N(S) (1 - p_S)^(x - 1) p_S + P_N(L) (1 - p_L)^(x - 1) p_L (Eq. 3) of each number of words."""
    short, p_short, p_long = parameters
    shares: Doubles = short * one_state(np.array([p_short]), words) + (1 - short) * one_state(np.array([p_long]), words)
    return shares


def fit_one_state(shares: Doubles) -> WriterFit:
    """Fit Eq. 2 by least squares to the shares of blocks by words; see `word_shares`."""
    return _fit(one_state, [(start,) for start in _STARTS], shares)


def fit_two_states(shares: Doubles) -> WriterFit:
    """Fit Eq. 3 by least squares to the shares of blocks by words; see `word_shares`."""
    starts = [(0.5, high, low) for high, low in product(_STARTS, _STARTS) if high > low]
    fit = _fit(two_states, starts, shares)
    short, p_short, p_long = fit.parameters
    return fit if p_short >= p_long else WriterFit((1 - short, p_long, p_short), fit.r2, fit.rmse)


def _fit(
    model: Callable[[Doubles, Doubles], Doubles], starts: Sequence[tuple[float, ...]], shares: Doubles
) -> WriterFit:
    """Return the best of the fits from all starts. Standard errors use n - m degrees of freedom, as in curve fitting."""
    words = np.arange(1, len(shares) + 1, dtype=np.float64)
    fits = [
        least_squares(lambda own: model(own, words) - shares, start, bounds=(0, 1), xtol=1e-12, ftol=1e-12, gtol=1e-12)
        for start in starts
    ]
    best = min(fits, key=lambda fit: fit.cost)
    squares, free = 2 * float(best.cost), len(shares) - len(best.x)
    total = float(((shares - shares.mean()) ** 2).sum())
    parameters = tuple(float(value) for value in best.x)
    if free <= 0 or not total:
        return WriterFit(parameters, float("nan"), float("nan"))
    return WriterFit(parameters, 1 - squares * (len(shares) - 1) / (total * free), (squares / free) ** 0.5)
