"""Student's t distribution, by SciPy, which the extra `evaluate` installs."""

from __future__ import annotations

from functools import cache
from typing import Any

from thresher.base.errors import needs_extra


@cache
def _special() -> Any:
    with needs_extra("evaluate", "the package scipy is missing"):
        # Late: cleaning does without.
        import scipy.special
    return scipy.special


def check_installed() -> None:
    """Raise a `MissingDependencyError` if SciPy is not installed; long work asks before it begins."""
    _special()


def t_tail(t: float, df: int) -> float:
    """Return P(T >= t) for `df` degrees of freedom."""
    return float(_special().stdtr(df, -t))


def t_quantile(level: float, df: int) -> float:
    """Return the t with P(T >= t) = level, for a level in (0, 0.5] and `df` degrees of freedom."""
    return -float(_special().stdtrit(df, level))
