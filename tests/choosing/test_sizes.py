"""Sizes as people write them, and the best index within a size."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from choosing_samples import DCP, MEASURES, SECOND, problem_of, table_of

from thresher.base.errors import ConfigError
from thresher.base.machine import Power
from thresher.experiments.choosing.deciding import choose_variants
from thresher.experiments.choosing.savings import Timings, savings
from thresher.experiments.choosing.sizes import best_within, parse_size
from thresher.experiments.choosing.testing_order import fixed_sequences, smallest_accepted
from thresher.experiments.table import VariantTable


@pytest.mark.parametrize(
    ("asked", "size"),
    [
        ("4M", 4_000_000),
        ("4 MB", 4_000_000),
        ("500k", 500_000),
        ("1.5gb", 1_500_000_000),
        ("4000000", 4_000_000),
        (4_000_000, 4_000_000),
        ("1 MiB", 2**20),
        ("2 B", 2),
    ],
)
def test_sizes_are_read(asked: str | int, size: int) -> None:
    assert parse_size(asked) == size


@pytest.mark.parametrize("asked", ["", "M", "4 X", "-4M", "0", "4M of disk", "50%"])
def test_what_is_no_size(asked: str) -> None:
    with pytest.raises(ConfigError, match="is not a size"):
        parse_size(asked)


BASE = np.random.default_rng(3).beta(4, 4, 60)
NOISE = np.random.default_rng(4).normal(0, 0.02, 60)
TABLE = table_of(BASE, {DCP: {0.9: BASE + 0.05 + NOISE, 0.5: BASE + 0.02 + NOISE, 0.2: BASE - 0.1 + NOISE}})


@pytest.mark.parametrize("share", [0.9, 0.5, 0.2])
def test_the_best_within_a_size_has_the_highest_mean(share: float) -> None:
    problem = problem_of(TABLE)
    (variant,) = np.flatnonzero(np.isclose(TABLE.shares, share))
    best = best_within(problem, int(TABLE.index_bytes[variant]))
    assert best is not None
    assert best.variant == variant
    difference = float((problem.values[0, variant] - problem.values[0, 0]).mean())
    assert best.bounds[0] < difference


def test_no_cleaning_may_be_the_best_within_a_size() -> None:
    worse = table_of(BASE, {DCP: {0.5: BASE - 0.1 + NOISE}})
    best = best_within(problem_of(worse), int(worse.index_bytes[0]))
    assert best is not None
    assert (best.variant, best.bounds) == (0, ())
    assert best_within(problem_of(worse), 1) is None


def with_bytes(table: VariantTable, **sizes: int) -> VariantTable:
    """Return the table with other bytes of the variants with these places, such as `v1=300_000`."""
    rows = [replace(row, bytes=sizes.get(f"v{place}", row.bytes)) for place, row in enumerate(table.rows)]
    return table.with_rows(rows)


def test_the_smallest_index_has_the_fewest_bytes_though_another_has_fewer_postings() -> None:
    table = table_of(BASE, {DCP: {0.5: BASE + 0.001 * NOISE}, SECOND: {0.45: BASE + 0.001 * NOISE}})
    found = []
    for sizes in ({}, {"v1": 150_000}, {"v1": 180_000, "v2": 180_000}):
        problem = problem_of(with_bytes(table, **sizes))
        smallest = smallest_accepted(problem, fixed_sequences(problem, conservative=False))
        assert smallest is not None
        found.append(table.rows[smallest].name)
    # Where bytes are equal, postings count.
    assert found == [f"{SECOND}@0.45", f"{DCP}@0.5", f"{SECOND}@0.45"]


def test_the_best_index_is_used_if_it_has_no_more_bytes_than_the_smallest() -> None:
    table = table_of(BASE, {DCP: {0.9: BASE + 0.05 + NOISE}, SECOND: {0.5: BASE + 0.001 * NOISE}})

    def used(bytes_of_best: int) -> str:
        sized = with_bytes(table, v1=bytes_of_best)
        save = partial(savings, sized, timings=Timings(), queries=10, power=Power(1.0, "configured"))
        choice = choose_variants(sized, MEASURES, problem_of(sized).criteria, save)
        assert choice.best is not None
        assert choice.first is not None
        assert choice.best.variant == f"{DCP}@0.9"
        return choice.first.variant

    assert (used(300_000), used(100_000)) == (f"{SECOND}@0.5", f"{DCP}@0.9")


def test_fronts_sweeps_and_ties_are_ordered_by_bytes() -> None:
    table = table_of(BASE, {DCP: {0.9: BASE, 0.5: BASE}, SECOND: {0.8: BASE + 0.1, 0.4: BASE}})
    turned = with_bytes(table, v1=100_000, v2=350_000, v3=120_000)
    assert table.sweeps[DCP] == (1, 2)
    assert turned.sweeps[DCP] == (2, 1)
    assert (table.best("AP", (1, 2)), turned.best("AP", (1, 2))) == (2, 1)
    assert (table.front("AP"), turned.front("AP")) == ((4, 3), (1, 3))
    assert turned.largest_first((1, 2, 3, 4)) == (2, 4, 3, 1)


def test_the_answer_has_a_line_for_the_size() -> None:
    problem = problem_of(TABLE, bytes=int(TABLE.index_bytes[2]))
    timings = Timings()
    choice = choose_variants(
        TABLE, problem.measures, problem.criteria, lambda index: savings(TABLE, index, timings, 10, lambda _: None)
    )
    assert choice.within is not None
    assert choice.answer[-1].chosen is choice.within
    assert choice.within.bytes <= TABLE.index_bytes[2]
    assert choice.within.measured
    assert choice.within.effects[0].low is not None
    assert choice.within.effects[0].low < choice.within.effects[0].difference
    assert choice.within.variant in [index.variant for index in choice.named]
