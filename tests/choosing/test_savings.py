"""What an index saves: worked by hand, and read off lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from experiments import built, noise, row
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.machine import Power
from thresher.base.numbers import Interval
from thresher.base.repeats import BreakEven, MeasuredTime, Payoff
from thresher.experiments.choosing.savings import Basis, Savings, TimeLine, Timings, savings
from thresher.experiments.table import Built, Cost, Row, VariantTable

# 100 postings: 10 s to build and 4 ms a query; each posting less saves 0.05 s of building and 0.03 ms a query.
POWER = Power(85.0, "configured")


def query(seconds: float, measurable: bool = True) -> MeasuredTime:
    """Return the time of a query, whose baseline's takes 4 ms, with intervals of a tenth of what is saved."""
    saved, ratio = 0.004 - seconds, seconds / 0.004
    bounds = sorted((0.9 * saved, 1.1 * saved))
    one = Interval(seconds, seconds, seconds)
    return MeasuredTime(one, one, Interval(ratio, ratio, ratio), one, Interval(saved, *bounds), measurable)


def timed(clean: float, index: float, of_query: MeasuredTime) -> Built:
    made = replace(built(0.5), clean=Cost(clean, clean, 1.0), index=Cost(index, index, 1.0))
    return replace(made, query=of_query, indexing=None)


def sized(name: str, size: int, made: Built | None = None) -> Row:
    """Return a row with so many postings, and as many bytes if it was built."""
    of_size = row(name, size / 100, made)
    return replace(of_size, bytes=size if made else None, index=replace(of_size.index, postings=size))


RUNS = {
    "none": sized("none", 100, timed(1.0, 10.0, query(0.004))),
    "words@9": sized("words@9", 50, timed(3.0, 7.5, query(0.0025))),
    "words@2": sized("words@2", 80, timed(3.0, 9.0, query(0.0034))),
    "words@3": sized("words@3", 70, timed(3.0, 8.5, query(0.0031))),
}


def table(*rows: Row, runs: Mapping[str, Row] = RUNS) -> VariantTable:
    every = (*runs.values(), *rows)
    values = np.zeros((1, len(every), 2))
    return VariantTable("qld", ("AP",), ("1", "2"), every, values, values[0], (), values[:, :, :0])


def saved(of: VariantTable, name: str, queries: int = 1_000_000, power: Power = POWER) -> Savings:
    return savings(of, of.position[name], Timings.of(of, (noise("qld"),)), queries, power)


def test_a_variant_that_was_timed() -> None:
    result = saved(table(), "words@9")
    assert (result.queries, result.basis, result.indexes) == (1_000_000, Basis.MEASURED, 4)
    assert (result.bytes, result.share) == (50, 0.5)
    assert result.query_seconds == Interval(*(pytest.approx(seconds) for seconds in (1500, 1350, 1650)))
    assert result.extra_seconds == pytest.approx(2.0 - 2.5)
    # Eq. 9: 1500.5 s less, of 85 W, at 0.341 kg a kWh.
    assert result.co2_kg == Interval(
        *(pytest.approx((seconds + 0.5) / 3600 * 85 / 1000 * 0.341) for seconds in (1500, 1350, 1650))
    )
    assert result.break_even is not None
    assert result.break_even.queries == Interval(0, 0, 0)


def test_cleaning_counts_on_every_machine() -> None:
    fifteen = replace(POWER, machines=15)
    for power in (POWER, fifteen):
        result = saved(table(), "words@9", power=power)
        before = 2.0 * power.machines - 2.5
        assert result.extra_seconds == pytest.approx(-0.5)
        assert result.co2_kg is not None
        assert result.co2_kg.value == pytest.approx((1500 - before) / 3600 * 85 / 1000 * 0.341)
    assert saved(table(), "words@9").co2_break_even is None
    after = saved(table(), "words@9", power=fifteen).co2_break_even
    assert after is not None
    assert after.queries is not None
    assert after.queries.value == pytest.approx(27.5 / 0.0015)


@pytest.mark.parametrize(("cleaning", "queries"), [(2 * 2700, 164_335), (2700, 72_457)])
def test_break_even_of_the_perplexity_papers_table_4(cleaning: float, queries: int) -> None:
    # Bigrams of the BNC at 8,000: 45 minutes each of tag removal and perplexity on 15 machines of 170 W; 01:01:42 in place of
    # 03:24:23 to index. The 10,000 searches are of 50 queries each: 64:11:40 in place of 125:25:00.
    before, after = 451_500 / 500_000, 231_100 / 500_000
    of_query = replace(query(0.004), saved=Interval(before - after, before - after, before - after))
    runs = {
        "none": sized("none", 100, timed(0.0, 12_263.0, query(0.004))),
        "words@9": sized("words@9", 50, timed(cleaning, 3702.0, of_query)),
    }
    result = saved(table(runs=runs), "words@9", power=Power(170.0, "configured", machines=15))
    assert result.break_even == BreakEven(Payoff.AT_ONCE, Interval(0, 0, 0))
    assert result.co2_break_even is not None
    assert result.co2_break_even.queries is not None
    assert round(result.co2_break_even.queries.value) == queries


def test_a_difference_within_noise_saves_nothing() -> None:
    runs = {"none": RUNS["none"], "words@9": sized("words@9", 50, timed(3.0, 7.5, query(0.0025, measurable=False)))}
    result = saved(table(runs=runs), "words@9")
    assert (result.basis, result.query_seconds, result.co2_kg) == (Basis.NOT_MEASURABLE, None, None)
    assert (result.bytes, result.extra_seconds) == (50, pytest.approx(-0.5))
    assert result.break_even is not None
    assert result.break_even.queries is None


def test_indexing_within_noise_takes_what_the_baseline_takes() -> None:
    both = {name: replace(of, built=replace(of.built, indexing=query(0.004))) for name, of in RUNS.items() if of.built}
    alike = replace(both["words@9"], built=replace(both["words@9"].built, indexing=query(0.003, measurable=False)))
    result = saved(table(runs={**both, "words@9": alike}), "words@9")
    assert result.extra_seconds == pytest.approx(2.0)


def test_a_cutoff_that_was_not_run_is_read_off_lines() -> None:
    explored = sized("words@30", 20)
    result = saved(table(explored), "words@30", 1000)
    assert result.basis is Basis.ESTIMATED
    assert result.query_seconds is not None
    assert result.query_seconds.value == pytest.approx(1000 * 80 * 0.00003)
    assert result.extra_seconds == pytest.approx(2.0 - 80 * 0.05)
    few = table(explored, runs={name: RUNS[name] for name in ("none", "words@9")})
    size = int(few.index_bytes[2])
    assert saved(few, "words@30") == Savings(1_000_000, 100 - size, 1 - size / 100, Basis.NOT_RUN, 2)


def test_a_line_with_a_wide_spread_or_a_small_difference_saves_nothing() -> None:
    assert saved(table(sized("words@30", 99)), "words@30").basis is Basis.NOT_MEASURABLE
    scattered = {
        **RUNS,
        "words@2": sized("words@2", 80, timed(3.0, 9.0, query(0.0012))),
        "words@3": sized("words@3", 70, timed(3.0, 8.5, query(0.0056))),
    }
    assert saved(table(sized("words@30", 60), runs=scattered), "words@30").basis is Basis.NOT_MEASURABLE


def test_without_times() -> None:
    other = saved(table(sized("density@9", 30)), "density@9")
    assert (other.query_seconds, other.break_even) == (None, None)
    known = table()
    assert Timings.of(known, (noise("bm25"),)) == Timings.of(known, ()) == Timings()
    assert savings(known, 1, Timings(), 1000, POWER) == Savings(1000, 50, 0.5, Basis.NOT_RUN, 0)


def test_losses_are_negative_and_short_times_have_no_co2() -> None:
    slow = {"none": RUNS["none"], "words@9": sized("words@9", 50, timed(3.0, 7.5, query(0.0065)))}
    result = saved(table(runs=slow), "words@9")
    assert result.query_seconds is not None
    assert result.co2_kg is not None
    assert result.query_seconds.value == pytest.approx(-2500)
    assert result.co2_kg.value == pytest.approx(-2499.5 / 3600 * 85 / 1000 * 0.341)
    assert saved(table(), "words@9", 300).co2_kg is None


@given(st.floats(0, 10), st.floats(0, 1e-3), st.lists(st.integers(1, 10**9), min_size=2, max_size=9, unique=True))
def test_a_line_is_found_again(fixed: float, slope: float, sizes: list[int]) -> None:
    line = TimeLine.through(sizes, [fixed + slope * size for size in sizes])
    # Subnormal numbers have too few digits.
    near = 1e-6 * (fixed + slope * max(sizes)) + 1e-300
    for size in (*sizes, 0):
        assert line.at(size) == pytest.approx(fixed + slope * size, rel=1e-4, abs=near)


def test_times_never_fall_with_size() -> None:
    line = TimeLine.through([10, 20, 30], [3.0, 2.0, 1.0])
    assert (line.fixed, line.per_posting) == (pytest.approx(2.0), 0.0)
    line = TimeLine.through([10, 20, 30], [0.0, 1.0, 2.0])
    # Not below 0 where there are no postings: least squares through the origin.
    assert line.fixed == 0
    assert line.per_posting == pytest.approx(np.dot([10, 20, 30], [0, 1, 2]) / np.dot([10, 20, 30], [10, 20, 30]))
