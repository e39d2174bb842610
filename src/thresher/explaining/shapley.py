"""Shapley values: the one way to share out a difference that is exact, symmetric and gives nothing to what changes nothing.

L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II, 1953: the part of player i of n is

    Σ_{S without i} |S|! (n - |S| - 1)! / n! · (v(S + i) - v(S))

which is the mean, over all n! orders in which the players come, of what i adds when it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def shapley(players: int, value: Callable[[frozenset[int]], Floats]) -> list[Floats]:
    """Return the parts of players 0 to n - 1; they add up to the value of all less the value of none.

    Args:
        players: n; there are 2^n values.
        value: of each set of players, an array of any shape, always the same; called once for each.
    """
    every = [frozenset(one for one in range(players) if number >> one & 1) for number in range(1 << players)]
    values = {group: value(group) for group in every}
    parts = []
    for player in range(players):
        part = np.zeros_like(values[frozenset()])
        for group in every:
            if player not in group:
                orders = factorial(len(group)) * factorial(players - len(group) - 1)
                part += orders / factorial(players) * (values[group | {player}] - values[group])
        parts.append(part)
    return parts
