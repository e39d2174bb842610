"""What a choice saves: worked by hand, and read off lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from choosing_samples import evidence
from hypothesis import given
from hypothesis import strategies as st

from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import Basis, Decision, SizeKind
from thresher.choosing.savings import Timed, TimeLine, Timings, savings
from thresher.costs import Interval, MeasuredTime, Power

WORDS, NONE = ("words",), ()
# 100 bytes: 10 s to build and 4 ms a query; each byte less saves 0.05 s of building and 0.03 ms a query.
TWIN = Interval(1.0, 0.98, 1.02)
GRAMS = Power(85.0, "configured").grams


def query(seconds: float, measurable: bool = True) -> MeasuredTime:
    """Return the time of a query, whose baseline's takes 4 ms, with intervals of a tenth of what is saved."""
    saved, ratio = 0.004 - seconds, seconds / 0.004
    bounds = sorted((0.9 * saved, 1.1 * saved))
    one = Interval(seconds, seconds, seconds)
    return MeasuredTime(one, one, Interval(ratio, ratio, ratio), one, Interval(saved, *bounds), measurable)


RUNS = (
    Timed("none", NONE, 100, 1.0, 10.0, query(0.004)),
    Timed("words@9", WORDS, 50, 3.0, 7.5, query(0.0025)),
    Timed("words@2", WORDS, 80, 3.0, 9.0, query(0.0034)),
    Timed("words@3", WORDS, 70, 3.0, 8.5, query(0.0031)),
)


TIMINGS = Timings(RUNS, TWIN)


@pytest.fixture(scope="module")
def decision() -> Decision:
    return decide(evidence(), Terms(resamples=50))


def test_a_variant_that_was_run(decision: Decision) -> None:
    result = savings(decision, decision.variants[1], WORDS, TIMINGS, 1_000_000, GRAMS)
    assert (result.retrieval, result.variant, result.queries, result.basis, result.indexes) == (
        "qld",
        "words@9",
        1_000_000,
        Basis.MEASURED,
        4,
    )
    assert (result.bytes, result.share) == (50.0, 0.5)
    assert result.query_seconds == Interval(*(pytest.approx(seconds) for seconds in (1500, 1350, 1650)))
    assert result.extra_seconds == pytest.approx(2.0 - 2.5)
    # Eq. 9: 1500.5 s less, of 85 W, at 0.341 kg a kWh.
    assert result.co2_kg == Interval(
        *(pytest.approx((seconds + 0.5) / 3600 * 85 / 1000 * 0.341) for seconds in (1500, 1350, 1650))
    )
    assert result.break_even is not None
    assert result.break_even.queries == Interval(0, 0, 0)


def test_a_difference_within_noise_saves_nothing(decision: Decision) -> None:
    runs = (RUNS[0], replace(RUNS[1], query=query(0.0025, measurable=False)))
    result = savings(decision, decision.variants[1], WORDS, Timings(runs, TWIN), 1_000_000, GRAMS)
    assert (result.basis, result.query_seconds, result.co2_kg) == (Basis.NOT_MEASURABLE, None, None)
    assert (result.bytes, result.extra_seconds) == (50.0, pytest.approx(-0.5))
    assert result.break_even is not None
    assert result.break_even.queries is None


def test_a_cutoff_that_was_not_run_is_read_off_lines(decision: Decision) -> None:
    result = savings(decision, decision.variants[0], WORDS, TIMINGS, 1000, GRAMS)
    assert (result.variant, result.basis) == ("words@30", Basis.ESTIMATED)
    assert result.query_seconds is not None
    assert result.query_seconds.value == pytest.approx(1000 * 80 * 0.00003)
    assert result.extra_seconds == pytest.approx(2.0 - 80 * 0.05)
    few = savings(decision, decision.variants[0], WORDS, Timings(RUNS[:2], TWIN), 1000, GRAMS)
    assert (few.basis, few.bytes, few.query_seconds, few.extra_seconds, few.co2_kg, few.break_even) == (
        Basis.NOT_RUN,
        80.0,
        None,
        None,
        None,
        None,
    )


def test_a_line_with_a_wide_spread_or_a_small_difference_saves_nothing() -> None:
    basis, saved = TIMINGS.saved_per_query("words@30", 20)
    assert basis is Basis.ESTIMATED
    assert saved is not None
    assert saved.high - saved.low == pytest.approx(0, abs=1e-9)
    assert TIMINGS.saved_per_query("words@30", 99) == (Basis.NOT_MEASURABLE, None)
    scattered = (*RUNS[:2], replace(RUNS[2], query=query(0.0012)), replace(RUNS[3], query=query(0.0056)))
    assert Timings(scattered, TWIN).saved_per_query("words@30", 60) == (Basis.NOT_MEASURABLE, None)


def test_a_scorer_that_was_not_run_has_no_times(decision: Decision) -> None:
    result = savings(decision, decision.variants[3], ("density",), TIMINGS, 1000, GRAMS)
    assert (result.bytes, result.query_seconds, result.break_even) == (70.0, None, None)
    assert savings(decision, decision.variants[1], WORDS, Timings(), 1000, GRAMS).basis is Basis.NOT_RUN


def test_postings_are_no_bytes() -> None:
    decision = decide(replace(evidence(), size_kind=SizeKind.POSTINGS), Terms(resamples=50))
    result = savings(decision, decision.variants[0], WORDS, TIMINGS, 1000, GRAMS)
    assert (result.bytes, result.share, result.query_seconds) == (None, 0.8, None)
    # What was run has bytes and times all the same.
    run = (RUNS[0], replace(RUNS[1], bytes=40))
    result = savings(decision, decision.variants[1], WORDS, Timings(run, TWIN), 1000, GRAMS)
    assert (result.bytes, result.share) == (60, 0.6)
    assert result.query_seconds is not None
    assert result.query_seconds.value == pytest.approx(1.5)


def test_losses_are_negative_and_short_times_have_no_co2(decision: Decision) -> None:
    slow = (RUNS[0], Timed("words@9", WORDS, 50, 3.0, 7.5, query(0.0065)))
    result = savings(decision, decision.variants[1], WORDS, Timings(slow, TWIN), 1_000_000, GRAMS)
    assert result.query_seconds is not None
    assert result.co2_kg is not None
    assert result.query_seconds.value == pytest.approx(-2500)
    assert result.co2_kg.value == pytest.approx(-2499.5 / 3600 * 85 / 1000 * 0.341)
    assert savings(decision, decision.variants[1], WORDS, TIMINGS, 300, GRAMS).co2_kg is None


@given(st.floats(0, 10), st.floats(0, 1e-3), st.lists(st.integers(1, 10**9), min_size=2, max_size=9, unique=True))
def test_a_line_is_found_again(fixed: float, slope: float, sizes: list[int]) -> None:
    line = TimeLine.through(sizes, [fixed + slope * size for size in sizes])
    # Subnormal numbers have too few digits.
    near = 1e-6 * (fixed + slope * max(sizes)) + 1e-300
    for size in (*sizes, 0):
        assert line.at(size) == pytest.approx(fixed + slope * size, rel=1e-4, abs=near)


def test_times_never_fall_with_size() -> None:
    line = TimeLine.through([10, 20, 30], [3.0, 2.0, 1.0])
    assert (line.fixed, line.per_byte) == (pytest.approx(2.0), 0.0)
    line = TimeLine.through([10, 20, 30], [0.0, 1.0, 2.0])
    # Not below 0 where there are no bytes: least squares through the origin.
    assert line.fixed == 0
    assert line.per_byte == pytest.approx(np.dot([10, 20, 30], [0, 1, 2]) / np.dot([10, 20, 30], [10, 20, 30]))
