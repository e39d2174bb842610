"""Bounds of many rows together, by the balanced bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from thresher.base.numbers import Floats
from thresher.evaluation.non_inferiority import balanced_bounds


def skewed(seed: int, rows: int, topics: int) -> Floats:
    dice = np.random.default_rng(seed)
    return 0.02 - dice.gamma(0.5, 0.1, (rows, topics))


def test_one_row_has_the_bootstrap_t_of_scipy() -> None:
    row, floor = skewed(4, 1, 50), 0.01

    def deviation(sample: Floats, axis: int) -> Floats:
        return (sample.mean(axis=axis) - row.mean()) / np.sqrt((sample.var(axis=axis) + floor**2) / 50)

    rng = np.random.default_rng(5)
    drawn = scipy.stats.bootstrap((row[0],), deviation, n_resamples=20_000, method="percentile", rng=rng)
    least, most = np.quantile(drawn.bootstrap_distribution, [0.05, 0.95])
    error = np.sqrt((row.var() + floor**2) / 50)
    low, high = balanced_bounds(row, floor, 0.05, resamples=20_000)
    assert (row.mean() - low) / error == pytest.approx([most], abs=0.06)
    # Losses are skewed, so the upper bound is nearer; but it is no nearer than a normal one.
    assert (high - row.mean()) / error == pytest.approx([max(-least, scipy.stats.norm.ppf(0.95))], abs=0.06)


def test_independent_rows_cost_what_sidak_says() -> None:
    rows = np.random.default_rng(11).normal(size=(10, 400))
    low, high = balanced_bounds(rows, 0.01, 0.05, resamples=20_000)
    width = scipy.stats.norm.ppf(0.95**0.1) / 20 * rows.std(axis=1)
    assert rows.mean(axis=1) - low == pytest.approx(width, rel=0.1)
    assert high - rows.mean(axis=1) == pytest.approx(width, rel=0.1)


def test_a_row_that_differs_in_few_topics_does_not_widen_the_others() -> None:
    rows = np.random.default_rng(12).normal(size=(20, 100))
    sparse = np.zeros((20, 100))
    sparse[:, :3] = -0.3
    both = np.concatenate((rows, sparse + 1e-3 * rows))
    alone, together = balanced_bounds(rows, 0.01, 0.05)[0], balanced_bounds(both, 0.01, 0.05)[0][:20]
    assert np.max((rows.mean(axis=1) - together) / (rows.mean(axis=1) - alone)) < 1.35


def test_blocks_and_repeated_rows_change_nothing() -> None:
    rows = skewed(13, 300, 30)
    low, high = balanced_bounds(rows, 0.01, 0.05, resamples=1000)
    again = balanced_bounds(np.concatenate((rows, rows)), 0.01, 0.05, resamples=1000)
    assert again[0][:300] == pytest.approx(low, abs=1e-6)
    assert again[1][300:] == pytest.approx(high, abs=1e-6)


def test_they_hold_together() -> None:
    dice = np.random.default_rng(14)
    wrong = 0
    for _ in range(100):
        shared = dice.normal(size=80)
        rows = 0.8 * shared + 0.6 * dice.normal(size=(30, 80))
        low, high = balanced_bounds(rows, 0.01, 0.1, resamples=500)
        wrong += bool((low > 0).any())
        assert (low < rows.mean(axis=1)).all()
        assert (high > rows.mean(axis=1)).all()
    assert wrong / 100 < 0.2
