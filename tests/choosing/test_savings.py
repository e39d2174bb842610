"""What a choice saves: worked by hand, and read off lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from choosing_samples import evidence
from hypothesis import given
from hypothesis import strategies as st

from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import Decision, SizeKind
from thresher.choosing.savings import Timed, TimeLine, query_line, savings
from thresher.costs import co2_grams

WORDS, NONE = ("words",), ()
# 100 bytes: 10 s to build and 4 ms a query; each byte less saves 0.05 s of building and 0.03 ms a query.
RUNS = (
    Timed("none", NONE, 100, 1.0, 10.0, 0.004),
    Timed("words@9", WORDS, 50, 3.0, 7.5, 0.0025),
    Timed("words@2", WORDS, 80, 3.0, 9.0, 0.0034),
)
GRAMS = partial(co2_grams, watts=85.0, intensity=0.341)


@pytest.fixture(scope="module")
def decision() -> Decision:
    return decide(evidence(), Terms(resamples=50))


def test_a_variant_that_was_run(decision: Decision) -> None:
    found = savings(decision, decision.variants[1], WORDS, RUNS, 1_000_000, GRAMS)
    assert (found.retrieval, found.variant, found.queries, found.measured, found.indexes) == (
        "qld",
        "words@9",
        1_000_000,
        True,
        3,
    )
    assert (found.bytes, found.share) == (50.0, 0.5)
    assert found.query_seconds == pytest.approx(1500)
    assert found.extra_seconds == pytest.approx(2.0 - 2.5)
    # Eq. 9: 1500.5 s less, of 85 W, at 0.341 kg a kWh.
    assert found.co2_kg == pytest.approx(1500.5 / 3600 * 85 / 1000 * 0.341)
    assert found.break_even is not None
    assert found.break_even.queries == 0


def test_a_cutoff_that_was_not_run_is_read_off_lines(decision: Decision) -> None:
    found = savings(decision, decision.variants[0], WORDS, RUNS, 1000, GRAMS)
    assert (found.variant, found.measured) == ("words@30", False)
    assert found.query_seconds == pytest.approx(1000 * 80 * 0.00003)
    assert found.extra_seconds == pytest.approx(2.0 - 80 * 0.05)
    few = savings(decision, decision.variants[0], WORDS, RUNS[:2], 1000, GRAMS)
    assert (few.bytes, few.query_seconds, few.extra_seconds, few.co2_kg, few.break_even) == (
        80.0,
        None,
        None,
        None,
        None,
    )


def test_a_scorer_that_was_not_run_has_no_times(decision: Decision) -> None:
    found = savings(decision, decision.variants[3], ("density",), RUNS, 1000, GRAMS)
    assert (found.bytes, found.query_seconds, found.break_even) == (70.0, None, None)


def test_postings_are_no_bytes() -> None:
    decision = decide(replace(evidence(), size_kind=SizeKind.POSTINGS), Terms(resamples=50))
    found = savings(decision, decision.variants[0], WORDS, RUNS, 1000, GRAMS)
    assert (found.bytes, found.share, found.query_seconds) == (None, 0.8, None)
    # What was run has bytes and times all the same.
    run = (RUNS[0], replace(RUNS[1], bytes=40))
    found = savings(decision, decision.variants[1], WORDS, run, 1000, GRAMS)
    assert (found.bytes, found.share, found.query_seconds) == (60, 0.6, pytest.approx(1.5))


def test_losses_are_negative_and_short_times_have_no_co2(decision: Decision) -> None:
    slow = (RUNS[0], Timed("words@9", WORDS, 50, 3.0, 7.5, 0.0065))
    found = savings(decision, decision.variants[1], WORDS, slow, 1_000_000, GRAMS)
    assert found.query_seconds == pytest.approx(-2500)
    assert found.co2_kg == pytest.approx(-2499.5 / 3600 * 85 / 1000 * 0.341)
    assert savings(decision, decision.variants[1], WORDS, RUNS, 300, GRAMS).co2_kg is None


@given(st.floats(0, 10), st.floats(0, 1e-3), st.lists(st.integers(1, 10**9), min_size=2, max_size=9, unique=True))
def test_a_line_is_found_again(fixed: float, slope: float, sizes: list[int]) -> None:
    line = TimeLine.through(sizes, [fixed + slope * size for size in sizes])
    for size in (*sizes, 0):
        assert line.at(size) == pytest.approx(fixed + slope * size, rel=1e-4, abs=1e-6 * (fixed + slope * max(sizes)))


def test_times_never_fall_with_size() -> None:
    line = TimeLine.through([10, 20, 30], [3.0, 2.0, 1.0])
    assert (line.fixed, line.per_byte) == (pytest.approx(2.0), 0.0)
    line = TimeLine.through([10, 20, 30], [0.0, 1.0, 2.0])
    # Not below 0 where there are no bytes: least squares through the origin.
    assert line.fixed == 0
    assert line.per_byte == pytest.approx(np.dot([10, 20, 30], [0, 1, 2]) / np.dot([10, 20, 30], [10, 20, 30]))


def test_a_line_needs_three_indexes() -> None:
    assert query_line(RUNS[:2]) is None
    line = query_line(RUNS)
    assert line is not None
    assert (line.fixed, line.per_byte) == (pytest.approx(0.001), pytest.approx(0.00003))
