"""Corrections of p-values for the number of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from thresher.base.defaults import BENJAMINI_HOCHBERG, HOLM

METHOD_NAMES = {HOLM: "Holm", BENJAMINI_HOCHBERG: "Benjamini-Hochberg"}
"""The methods as sentences name them."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method (Holm 1979), in the same order.

    The k-th smallest of m p-values is multiplied by m - k + 1, made at least as large as the p-value before it, and at
    most 1. The probability of any error is kept at the level.
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(_ascending(p_values)):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by the step-up method of Benjamini & Hochberg (1995), in the same order.

    The k-th smallest of m p-values is multiplied by m / k and made at most as large as the p-value after it. The false
    discovery rate, the expected share of errors among the differences that are called significant, is kept at the
    level.
    """
    adjusted = [1.0] * len(p_values)
    smallest = 1.0
    count = len(p_values)
    ascending = _ascending(p_values)
    for rank in range(count, 0, -1):
        index = ascending[rank - 1]
        smallest = min(smallest, p_values[index] * count / rank)
        adjusted[index] = smallest
    return adjusted


def _ascending(p_values: Sequence[float]) -> list[int]:
    """Return the places of the p-values, the smallest first."""
    return sorted(range(len(p_values)), key=p_values.__getitem__)


METHODS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {HOLM: holm, BENJAMINI_HOCHBERG: benjamini_hochberg}
"""The methods by name."""
