"""The bootstrap of the farthest deviation: against all resamples written out, and scipy's bootstrap of one mean."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from thresher.evaluation import non_inferiority as extremes
from thresher.evaluation.non_inferiority import Root, critical_values


def skewed(seed: int, rows: int, topics: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    return np.round(0.02 - generator.gamma(0.5, 0.1, (rows, topics)), 2)


def deviations_of_all_resamples(rows: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    topics = rows.shape[1]
    result = []
    for places in itertools.product(range(topics), repeat=topics):
        resample = rows[:, places]
        error = np.sqrt((resample.var(axis=1) + floor**2) / topics)
        result.append((resample.mean(axis=1) - rows.mean(axis=1)) / error)
    return np.array(result)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_against_all_resamples(seed: int, alpha: float) -> None:
    rows = skewed(seed, 3, 5)
    every = deviations_of_all_resamples(rows, 0.01)
    least, most = critical_values(Root.of(rows, 0.01), alpha, seed, 40_000)
    # The distribution has steps; a quantile is where it passes 1 - alpha, to the noise of 40,000 draws.
    largest, smallest = every.max(axis=1), every.min(axis=1)
    assert (largest < most - 1e-9).mean() < 1 - alpha + 0.01
    assert (largest <= most + 1e-9).mean() > 1 - alpha - 0.01
    assert (smallest < least - 1e-9).mean() < alpha + 0.01
    assert (smallest <= least + 1e-9).mean() > alpha - 0.01


def test_one_row_is_the_bootstrap_t_of_scipy() -> None:
    row, floor = skewed(4, 1, 50)[0], 0.01

    def deviation(sample: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return (sample.mean(axis=axis) - row.mean()) / np.sqrt((sample.var(axis=axis) + floor**2) / 50)

    rng = np.random.default_rng(5)
    drawn = scipy.stats.bootstrap((row,), deviation, n_resamples=20_000, method="percentile", rng=rng)
    least, most = critical_values(Root.of(row[None], floor), 0.05, 6, 20_000)
    expected = np.quantile(drawn.bootstrap_distribution, [0.05, 0.95])
    assert [least, most] == pytest.approx(expected, abs=0.06)
    # Losses are skewed, so the lower bound lies farther off than the upper.
    assert most > 1.9 > 1.5 > -least


def test_with_a_large_floor_it_is_the_basic_bootstrap_of_scipy() -> None:
    row = skewed(7, 1, 40)
    root = Root.of(row, 1e4)
    least, most = critical_values(root, 0.05, 8, 20_000)
    rng = np.random.default_rng(9)
    basic = scipy.stats.bootstrap(
        (row[0],), np.mean, n_resamples=20_000, method="basic", confidence_level=0.9, rng=rng
    ).confidence_interval
    result = root.means[0] - np.array([most, least]) * root.errors[0]
    assert result == pytest.approx([basic.low, basic.high], abs=0.1 * row.std() / 40**0.5)


def test_rows_that_say_the_same_cost_nothing() -> None:
    row = skewed(10, 1, 30)
    alone = critical_values(Root.of(row, 0.01), 0.05, 1, 2000)
    assert critical_values(Root.of(np.repeat(row, 7, axis=0) + 0.25, 0.01), 0.05, 1, 2000) == pytest.approx(alone)


def test_independent_rows_cost_what_sidak_says() -> None:
    rows = np.random.default_rng(11).normal(size=(10, 400))
    least, most = critical_values(Root.of(rows, 0.01), 0.05, 1, 20_000)
    sidak = scipy.stats.norm.ppf(0.95**0.1)
    assert most == pytest.approx(sidak, abs=0.1)
    assert least == pytest.approx(-sidak, abs=0.1)


def test_blocks_bound_the_memory_and_not_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Root.of(skewed(12, 4, 30), 0.01)
    whole = critical_values(root, 0.05, 1, 1000)
    monkeypatch.setattr(extremes, "BLOCK", 38 * 7)
    assert critical_values(root, 0.05, 1, 1000) == pytest.approx(whole, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 5), st.integers(1, 20), st.integers(1, 60))
def test_the_quantiles_err_to_the_side_of_wider_bounds(seed: int, rows: int, topics: int, resamples: int) -> None:
    root = Root.of(skewed(seed, rows, topics), 0.01)
    narrow, wide = critical_values(root, 0.2, seed, resamples), critical_values(root, 0.1, seed, resamples)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
