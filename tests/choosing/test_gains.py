"""Whether an index is better: how often that is said where none is, and what it takes."""

from __future__ import annotations

import numpy as np
import pytest
from choosing_samples import DCP, PAGES, problem_of, reordered, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.base.numbers import Floats
from thresher.experiments.choosing.gains import best_gain
from thresher.experiments.table import VariantTable

SHARES = tuple(share / 100 for share in range(95, 5, -5))


def noisy(seed: int, topics: int, gains: Floats, spread: float = 0.15) -> VariantTable:
    """A sweep of 18 sizes with these gains, whose values share most of their noise."""
    dice = np.random.default_rng(seed)
    base = dice.beta(4, 4, topics)
    noise = 0.7 * dice.normal(0, spread, topics) + 0.7 * dice.normal(0, spread, (len(SHARES), topics))
    return table_of(base, {DCP: dict(zip(SHARES, base + gains[:, None] + noise, strict=True))})


@pytest.mark.slow
def test_the_best_of_what_is_no_better_is_seldom_called_better() -> None:
    found = 0
    for seed in range(40):
        table = noisy(seed, 60, np.zeros(len(SHARES)))
        found += best_gain(problem_of(table)) is not None
    assert found <= 5


def test_a_gain_is_shown_and_the_smallest_of_the_best_taken() -> None:
    gains = np.where(np.array(SHARES) < 0.4, -0.2, 0.1)
    table = noisy(1, 150, gains, spread=0.1)
    problem = problem_of(table)
    better = best_gain(problem)
    assert better is not None
    assert 0.4 <= table.shares[better.variant] <= 0.9
    difference = table.values[0, better.variant] - table.values[0, 0]
    assert 0 < better.bounds[0] < difference.mean() < 0.15
    # All the same: the smallest.
    flat = np.random.default_rng(2).beta(4, 4, 60)
    same = table_of(flat, {DCP: dict.fromkeys(SHARES, flat + 0.05)})
    better = best_gain(problem_of(same))
    assert better is not None
    assert same.shares[better.variant] == min(SHARES)
    assert better.bounds == (pytest.approx(0.05), pytest.approx(0.05))


def test_what_stands_in_the_way() -> None:
    base = np.random.default_rng(5).beta(4, 4, 60)
    better = {DCP: {0.5: base + 0.1}}

    def shown(table: VariantTable, **criteria: object) -> bool:
        return best_gain(problem_of(table, **criteria)) is not None

    assert shown(table_of(base, better))
    # Pages that can never be found.
    assert not shown(table_of(base, better, {"none|dcp@0.5": PAGES // 50}))
    assert shown(table_of(base, better, {"none|dcp@0.5": PAGES // 50}), emptied=0.1)
    # A loss in another deciding measure.
    loses = np.stack((base + 0.1, 0.9 * base))
    assert not shown(table_of(np.stack((base, base)), {DCP: {0.5: loses}}))
    # Too few topics, or none to choose from.
    assert not shown(table_of(base[:24], {DCP: {0.5: base[:24] + 0.1}}))
    assert not shown(table_of(base, {}))
    # No topic differs, or all lose.
    assert not shown(table_of(base, {DCP: {0.5: base}}))
    assert not shown(table_of(base, {DCP: {0.5: base - 0.01}}))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 100), st.randoms(use_true_random=False))
def test_orders_do_not_matter(seed: int, dice: object) -> None:
    table = noisy(seed, 60, 0.1 * np.array(SHARES))
    topics, rows = list(range(60)), list(range(len(SHARES)))
    for order in (topics, rows):
        dice.shuffle(order)  # type: ignore[attr-defined]
    other = reordered(table, topics, rows)
    one, two = (best_gain(problem_of(of)) for of in (table, other))
    assert (one is None) == (two is None)
    if one and two:
        assert table.rows[one.variant].name == other.rows[two.variant].name
        assert one.bounds == two.bounds
