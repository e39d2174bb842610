"""What evaluation reads and gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """An information need: its id and the query text that is searched."""

    id: str
    query: str


@dataclass(frozen=True)
class Comparison:
    """One measure of one variant against the baseline, over the same topics.

    `difference` is the mean of (variant - baseline); `effect` the matched-pairs rank-biserial correlation in
    [-1, 1]; `ci_low` and `ci_high` bound `difference`; `differing` is the number of topics whose values
    differ; `note` says in words what the numbers cannot (such as "no topic differs").
    """

    measure: str
    difference: float
    wins: int
    ties: int
    losses: int
    differing: int
    p: float
    p_holm: float
    effect: float
    ci_low: float
    ci_high: float
    note: str = ""
