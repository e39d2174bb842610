"""Shapley values against their definition: the mean over all orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.experiments.explaining.causes import shapley


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.floats(-9, 9), min_size=2**n, max_size=2**n)))
def test_parts_are_the_mean_over_all_orders(values: list[float]) -> None:
    players = len(values).bit_length() - 1

    def value(group: frozenset[int]) -> float:
        return values[sum(1 << one for one in group)]

    orders = [*permutations(range(players))]
    expected = [0.0] * players
    for order in orders:
        for place, player in enumerate(order):
            before = frozenset(order[:place])
            expected[player] += (value(before | {player}) - value(before)) / len(orders)
    parts = shapley(players, lambda group: np.array([value(group)]))
    assert [float(part[0]) for part in parts] == pytest.approx(expected, abs=1e-12)
    assert sum(float(part[0]) for part in parts) == pytest.approx(values[-1] - values[0], abs=1e-12)


def test_the_gloves_of_shapley() -> None:
    # One left glove and two right ones: a pair is worth 1.
    def value(group: frozenset[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array([float(0 in group and len(group) > 1)])

    assert [float(part[0]) for part in shapley(3, value)] == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_what_changes_nothing_has_no_part_at_all() -> None:
    parts = shapley(3, lambda group: np.array([0.1 if 0 in group else 0.7, 1e9]))
    assert parts[0].tolist() == pytest.approx([-0.6, 0])
    assert parts[1].tolist() == parts[2].tolist() == [0, 0]
