"""Student's t for whole degrees of freedom, by finite series (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""

from __future__ import annotations

import math
from functools import cache


def t_tail(t: float, df: int) -> float:
    """Return P(T >= t); tails below 1e-15 are 0."""
    if t < 0:
        return 1 - t_tail(-t, df)
    angle = math.atan(t / math.sqrt(df))
    cosine, sine = math.cos(angle), math.sin(angle)
    term, total = (cosine, 0.0) if df % 2 else (1.0, 0.0)
    for step in range(3 if df % 2 else 2, df + 1, 2):
        total += term
        term *= (step - 1) / step * cosine**2
    central = 2 / math.pi * (angle + sine * total) if df % 2 else sine * total
    return max(0.0, (1 - central) / 2)


@cache
def t_quantile(level: float, df: int) -> float:
    """Return the t with P(T >= t) = level, for a level in (0, 0.5]."""
    low, high = 0.0, 1.0
    while t_tail(high, df) > level:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, df) > level else (low, middle)
    return high
