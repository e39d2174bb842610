"""Distributions fitted to blocks' words and text densities: Kohlschütter et al. (2010), sections 5.1 and 5.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares
from scipy.special import betaln

Doubles = npt.NDArray[np.float64]
_STARTS = (0.02, 0.1, 0.3, 0.6)
_MIXTURE_STARTS = [
    (0.4, low, 10.0, 0.4, high, 20.0, 0.2, middle, 0.1)
    for low, high, middle in product((0.08, 0.2), (0.5, 0.7, 0.8), (0.3, 0.5))
]


@dataclass(frozen=True)
class WriterFit:
    """A distribution fitted to the shares of blocks by words, or of words by density.

    Attributes:
        parameters: P_T(N) for one state; P_N(S), P_S(N), P_L(N) for short and long text, with P_S(N) >= P_L(N), in [0, 1];
            or the parameters of `three_parts`.
        r2: the coefficient of determination, adjusted for the number of parameters; NaN for too few shares.
        rmse: the root of the squared error over its degrees of freedom.
    """

    parameters: tuple[float, ...]
    r2: float
    rmse: float


def word_shares(words: npt.NDArray[Any]) -> Doubles:
    """Return the shares of blocks with 1, 2, … words among the blocks with words; shape (most words,)."""
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


def density_shares(densities: npt.NDArray[Any], words: npt.NDArray[Any]) -> Doubles:
    """Return the shares of words in blocks of density 0, 1, … (rounded), up to the highest density; shape (densities,)."""
    counts = np.trim_zeros(np.bincount(np.rint(densities).astype(np.int64), words), "b")
    shares: Doubles = counts / max(float(counts.sum()), 1.0)
    return shares


def three_parts(parameters: Doubles, densities: Doubles) -> Doubles:
    """Return the shares of words by density, 0, 1, … (section 5.1): two beta distributions and a normal distribution.

    Densities are mapped to the middles of equal parts of [0, 1]. Parameters: weight, mean and sum of the exponents α + β of
    each beta distribution, template text first; weight, mean and standard deviation of the normal distribution.
    """
    parts = len(densities)
    x = (densities + 0.5) / parts
    # The formula of the density, since SciPy's `pdf` is ten times as slow.
    shares = np.zeros(parts)
    for weight, mean, size in parameters[:6].reshape(2, 3):
        alpha, other = mean * size, (1 - mean) * size
        shares += weight * np.exp((alpha - 1) * np.log(x) + (other - 1) * np.log1p(-x) - betaln(alpha, other))
    weight, mean, deviation = parameters[6:]
    shares += weight * np.exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * (2 * np.pi) ** 0.5)
    return shares / parts


def fit_three_parts(shares: Doubles) -> WriterFit:
    """Fit two beta distributions and a normal distribution by least squares to the shares of words by density."""
    low = [0, 0.01, 2, 0, 0.01, 2, 0, 0, 0.02]
    high = [1, 0.99, 500, 1, 0.99, 500, 1, 1, 0.5]
    fit = _fit(three_parts, _MIXTURE_STARTS, shares, first=0, bounds=(low, high))
    first, second, normal = fit.parameters[:3], fit.parameters[3:6], fit.parameters[6:]
    return fit if first[1] <= second[1] else WriterFit((*second, *first, *normal), fit.r2, fit.rmse)


def _fit(
    model: Callable[[Doubles, Doubles], Doubles],
    starts: Sequence[tuple[float, ...]],
    shares: Doubles,
    first: int = 1,
    bounds: tuple[Any, Any] = (0, 1),
) -> WriterFit:
    """Return the best of the fits from all starts. The first share belongs to the number `first`.

    Errors have n - m degrees of freedom, as in curve fitting.
    """
    words = np.arange(first, first + len(shares), dtype=np.float64)
    fits = [
        least_squares(lambda own: model(own, words) - shares, start, bounds=bounds, xtol=1e-12, ftol=1e-12, gtol=1e-12)
        for start in starts
    ]
    best = min(fits, key=lambda fit: fit.cost)
    squares, free = 2 * float(best.cost), len(shares) - len(best.x)
    total = float(((shares - shares.mean()) ** 2).sum())
    parameters = tuple(float(value) for value in best.x)
    if free <= 0 or not total:
        return WriterFit(parameters, float("nan"), float("nan"))
    return WriterFit(parameters, 1 - squares * (len(shares) - 1) / (total * free), (squares / free) ** 0.5)
