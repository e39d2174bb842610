"""Student's t against SciPy's own tests, and the paper's figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats

from thresher.cleaneval.t_test import Interval, TTest, mean_interval, paired_t_test

SHARES = st.floats(0, 1).map(lambda value: round(value, 6))
PAIRS = st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=60)


@given(PAIRS)
def test_it_is_scipys(pairs: list[tuple[float, float]]) -> None:
    values, baseline = [left for left, _ in pairs], [right for _, right in pairs]
    differences = np.subtract(values, baseline)
    assume(differences.std() > 1e-6)
    assume(differences.mean() == 0 or abs(differences.mean()) > 1e-8)
    found, expected = paired_t_test(values, baseline), stats.ttest_rel(values, baseline)
    interval = expected.confidence_interval(0.95)
    assert (found.t, found.df) == (pytest.approx(float(expected.statistic), rel=1e-9, abs=1e-9), expected.df)
    assert found.p == pytest.approx(float(expected.pvalue), rel=1e-9)
    assert found.difference.low == pytest.approx(float(interval.low), abs=1e-10)
    assert found.difference.high == pytest.approx(float(interval.high), abs=1e-10)
    opposite = paired_t_test(baseline, values)
    assert (opposite.t, opposite.p) == (pytest.approx(-found.t), pytest.approx(found.p))


@given(st.lists(SHARES, min_size=2, max_size=60), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_interval_is_scipys(values: list[float], alpha: float) -> None:
    assume(np.std(values) > 1e-6)
    found = mean_interval(values, alpha=alpha)
    low, high = stats.t.interval(1 - alpha, len(values) - 1, np.mean(values), stats.sem(values))
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-10), pytest.approx(high, abs=1e-10))
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)


def test_the_papers_p_values_follow_from_its_t() -> None:
    # NCleaner, section 4, 158 texts: t = 1.976, p = .0499; t = 9.0557, p = 5.055e-16.
    for t, p in ((1.976, 0.0499), (9.0557, 5.055e-16)):
        # Two values around a mean have the mean's t by choice of their distance: here 79 of each.
        spread = math.sqrt(157) / t
        found = paired_t_test([1 + spread, 1 - spread] * 79, [0.0] * 158)
        assert (found.df, found.t) == (157, pytest.approx(t))
        assert found.p == pytest.approx(p, rel=2e-3)


def test_differences_that_are_all_equal() -> None:
    assert paired_t_test([0.5, 0.7, 0.1], [0.5, 0.7, 0.1]) == TTest(Interval(0, 0, 0), 0, 2, 1)
    assert paired_t_test([0.5, 0.75], [0.25, 0.5]) == TTest(Interval(0.25, 0.25, 0.25), math.inf, 1, 0)
    assert paired_t_test([0.25, 0.5], [0.5, 0.75]) == TTest(Interval(-0.25, -0.25, -0.25), -math.inf, 1, 0)
    # 0.3 - 0.2 and 0.2 - 0.1 are not the same double.
    assert paired_t_test([0.3, 0.2], [0.2, 0.1]).p == 0
    assert paired_t_test([0.1 + 0.2, 0.5], [0.3, 0.5]) == TTest(Interval(0, 0, 0), 0, 1, 1)
    assert mean_interval([0.5] * 4) == Interval(0.5, 0.5, 0.5)


def test_one_pair_and_two_opposite_ones() -> None:
    assert paired_t_test([0.5], [0.25]) == TTest(Interval(0.25, -math.inf, math.inf), 0, 0, 1)
    assert mean_interval([0.25]) == Interval(0.25, -math.inf, math.inf)
    found = paired_t_test([1.0, 0.0], [0.0, 1.0])
    quantile = float(special.stdtrit(1, 0.975))
    assert (found.t, found.df, found.p) == (0, 1, 1)
    assert found.difference.high == pytest.approx(quantile * math.sqrt(2) / math.sqrt(2))


@pytest.mark.parametrize("values", [[], [math.nan], [0.1, math.inf]])
def test_what_cannot_be_tested(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"^finite values are needed, at least one$"):
        paired_t_test(values, [0.0] * len(values))
    with pytest.raises(ValueError, match=r"^finite values are needed, at least one$"):
        mean_interval(values)


def test_as_many_as_the_baseline_has() -> None:
    with pytest.raises(ValueError, match=r"^2 values cannot be paired with 1$"):
        paired_t_test([0.1, 0.2], [0.1])
