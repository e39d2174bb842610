"""The walk through families: error rates where the truth is known, what it rests on, and what it must not depend on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from choosing_samples import (
    BOILERPIPE,
    DCP,
    FAMILIES,
    PAGES,
    SECOND,
    THIRD,
    drawn_again,
    explored,
    problem_of,
    reordered,
    table_of,
)
from experiments import variant
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.base.numbers import Floats
from thresher.base.student import t_quantile
from thresher.evaluation.non_inferiority import ImaginaryTopic, Margin, lower_bounds
from thresher.experiments.choosing.testing_order import fixed_sequences, smallest_accepted
from thresher.experiments.table import Row, VariantTable

FOUR_FAMILIES = 0.05 / 4
SHARES = tuple(share / 100 for share in range(95, 0, -5))


def name_of(table: VariantTable, cautious: bool = False, **criteria: object) -> str | None:
    problem = problem_of(table, **criteria)
    index = smallest_accepted(problem, fixed_sequences(problem, cautious))
    return None if index is None else table.rows[index].name


def fading(seed: int, topics: int = 60, families: tuple[str, ...] = FAMILIES) -> VariantTable:
    """Families that lose more the smaller they are, each at its own rate."""
    dice = np.random.default_rng(seed)
    baseline = dice.beta(3, 3, (2, topics))
    rates = dice.uniform(0.01, 0.15, len(families))
    return table_of(
        baseline,
        {
            family: {
                share: baseline * (1 - rate * (1 - share)) + dice.normal(0, 0.05 * (1 - share), (2, topics))
                for share in SHARES
            }
            for family, rate in zip(families, rates, strict=True)
        },
    )


# The level


@pytest.mark.parametrize(
    ("families", "critical"), [(1, 1.671), (2, 2.001), (4, 2.300), (5, 2.391), (8, 2.577), (28, 3.035)]
)
def test_families_share_alpha(families: int, critical: float) -> None:
    """None of the families passes, so that each is tested at its part of alpha."""
    names = [f"words@{number}|dcp" for number in range(1, families + 1)]
    table = table_of(np.full(60, 0.5), {name: {0.5: np.full(60, 0.4)} for name in names})
    sequences = fixed_sequences(problem_of(table, families=tuple(names)), False)
    assert [len(sequence.order) for sequence in sequences] == [1] * families
    assert {sequence.level for sequence in sequences} == {0.05 / families}
    assert t_quantile(sequences[0].level, 59) == pytest.approx(critical, abs=5e-4)


def test_a_family_that_has_ended_hands_its_level_on() -> None:
    """`DCP` is accepted to its end and `BOILERPIPE` fails at once; `SECOND` needs half of alpha."""
    fine, bad = np.full(60, 0.5), np.full(60, 0.4)
    noise = np.random.default_rng(11).normal(0, 1, 60)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    # The t of its statistics is 2.1: p = .020, between .05/3 and .05/2.
    close = 0.95 * 0.5 + 0.05 * (noise + 2.1 / np.sqrt(60))
    families = {DCP: {0.9: fine, 0.5: fine}, BOILERPIPE: {0.9: bad}, SECOND: {0.7: close}}
    sequences = {one.family: one for one in fixed_sequences(problem_of(table_of(fine, families)), False)}
    assert [(sequences[name].accepted, sequences[name].has_ended) for name in (DCP, BOILERPIPE, SECOND)] == [
        (2, True),
        (0, False),
        (1, True),
    ]
    # What has ended keeps the level of its last test; the last that runs has all of alpha.
    assert [sequences[name].level for name in (DCP, SECOND, BOILERPIPE)] == [pytest.approx(0.05 / 4), 0.025, 0.05]
    alone = {
        one.family: one for one in fixed_sequences(problem_of(table_of(fine, {**families, DCP: {0.9: bad}})), False)
    }
    assert (alone[SECOND].accepted, alone[SECOND].level) == (0, pytest.approx(0.05 / 3))


def test_pages_end_a_family_before_topics_do() -> None:
    """Indexes that empty too many pages are known beforehand: a family that passes up to them has ended."""
    fine = np.full(60, 0.5)
    table = table_of(fine, {DCP: {0.9: fine, 0.5: fine}, SECOND: {0.7: 0.8 * fine}}, {"none|dcp@0.5": PAGES // 50})
    sequences = {one.family: one for one in fixed_sequences(problem_of(table), False)}
    assert (sequences[DCP].testable, sequences[DCP].accepted, sequences[DCP].has_ended) == (1, 1, True)
    assert table.rows[sequences[DCP].failed or 0].name == "none|dcp@0.5"
    assert sequences[SECOND].level == 0.05


def test_families_at_the_margin_are_wrong_as_often_as_stated() -> None:
    tested = np.random.default_rng(1).normal(size=(4000, 4, 60))
    assert (lower_bounds(tested, FOUR_FAMILIES) > 0).any(axis=1).mean() <= 0.062


def all_or_nothing(topics: int) -> tuple[Floats, Floats, Floats]:
    """4,000 topics, four families of twenty steps: at step j a topic loses everything with a probability of .16·j/20."""
    dice = np.random.default_rng(2)
    baseline = dice.beta(2, 2, topics)
    luck = dice.random((4, topics))
    limits = 0.16 * np.arange(1, 21) / 20
    values = np.where(luck[:, None] < limits[:, None], 0.0, baseline)
    return baseline, values, values.mean(axis=-1) <= 0.95 * baseline.mean()


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "cautious_wrong"), [(60, None), (100, 0.06)])
def test_rare_total_losses(topics: int, cautious_wrong: float | None) -> None:
    baseline, values, too_much = all_or_nothing(4000)
    dice, margin, level = np.random.default_rng(3), Margin(0.05, relative=True), FOUR_FAMILIES
    imaginary = ImaginaryTopic(topics, draws=2000)
    by_t, cautious, any_cautious = [], [], []
    for _ in range(120 if cautious_wrong else 20):
        drawn = dice.integers(0, 4000, topics)
        tested = margin.tested(values[..., drawn], baseline[drawn])
        lost = float(margin.tested(np.zeros(1), baseline[drawn].mean(keepdims=True))[0])
        bounds = imaginary.lower_bounds(tested.reshape(80, -1), lost, level).reshape(4, 20)
        for found, kept in ((lower_bounds(tested, level), by_t), (bounds, cautious)):
            accepted = np.minimum.accumulate(found > 1e-9, axis=1)
            kept.append(bool((accepted & too_much).any()))
            any_cautious.append(bool(accepted.any()) if kept is cautious else False)
    if cautious_wrong is None:
        assert not any(any_cautious)
        return
    assert any(any_cautious)
    assert np.mean(cautious) <= cautious_wrong
    # Student's t cannot know of losses that these topics do not show: its documented limit.
    assert np.mean(by_t) >= 0.1


def test_samples_of_real_topics() -> None:
    table, dice = explored("pydoc"), np.random.default_rng(4)
    truth = (table.values.mean(axis=-1) > 0.95 * table.values[:, :1].mean(axis=-1)).all(axis=0)
    sizes, wrong = [], []
    for _ in range(400):
        problem = problem_of(drawn_again(table, dice.integers(0, 60, 60)))
        index = smallest_accepted(problem, fixed_sequences(problem, False))
        sizes.append(1.0 if index is None else float(table.shares[index]))
        wrong.append(index is not None and not truth[index])
    assert np.mean(sizes) <= 0.66
    assert np.mean(wrong) <= 0.03


@pytest.mark.parametrize(
    ("name", "pick", "share", "cautious"),
    [
        ("pydoc", "none|prp@1.639", 0.65, None),
        ("cacm", "none|dcp@0.44", 0.449, None),
        ("postgresql", "none|2n2p@5.217", 0.3, "none|dcp@0.44"),
    ],
)
def test_the_real_topics(name: str, pick: str, share: float, cautious: str | None) -> None:
    table = explored(name)
    assert name_of(table) == pick
    assert float(table.shares[table.position[pick]]) == pytest.approx(share, abs=0.001)
    assert name_of(table, cautious=True) == cautious


# What it rests on


def test_it_ends_at_the_first_that_is_not_shown() -> None:
    fine, bad = np.full(40, 0.5), np.full(40, 0.4)
    table = table_of(fine, {DCP: {0.9: fine, 0.7: bad, 0.5: fine}, SECOND: {0.8: fine}})
    walks = {one.family: one for one in fixed_sequences(problem_of(table), False)}
    assert (table.rows[walks[DCP].last or 0].name, table.rows[walks[DCP].failed or 0].name) == (
        "none|dcp@0.9",
        "none|dcp@0.7",
    )
    assert (walks[SECOND].accepted, walks[SECOND].failed) == (1, None)
    assert (walks[THIRD].order, walks[THIRD].last, walks[THIRD].failed) == ((), None, None)
    assert name_of(table) == "none|2n2p@0.8"


def test_a_dip_between_two_targets_ends_nothing() -> None:
    fine, bad = np.full(40, 0.5), np.full(40, 0.4)
    table = table_of(fine, {DCP: {0.9: fine, 0.88: bad, 0.85: fine, 0.5: fine}})
    assert name_of(table) == "none|dcp@0.5"


def test_every_deciding_measure_must_show_it() -> None:
    fine = np.full((2, 40), 0.5)
    lost = fine * np.array([[1.0], [0.9]])
    table = table_of(fine, {DCP: {0.9: fine, 0.5: lost}})
    assert name_of(table) == "none|dcp@0.9"
    assert name_of(replace(table, measures=("nDCG@10", "P@5"))) == "none|dcp@0.9"
    only = table_of(fine[0], {DCP: {0.9: fine[0], 0.5: lost[0]}})
    assert name_of(only) == "none|dcp@0.5"


def test_few_pages_may_be_emptied() -> None:
    fine = np.full(40, 0.5)
    emptied = {"none|dcp@0.7": PAGES // 100, "none|dcp@0.5": PAGES // 100 + 1}
    table = table_of(fine, {DCP: dict.fromkeys((0.9, 0.7, 0.5, 0.3), fine)}, emptied)
    assert name_of(table) == "none|dcp@0.7"
    assert name_of(table, emptied=0.02) == "none|dcp@0.3"


def test_a_gain_is_walked_to_its_end() -> None:
    base = np.random.default_rng(5).beta(3, 3, 50)
    better = np.minimum(base + 0.05, 1)
    table = table_of(base, {DCP: dict.fromkeys((*SHARES, 0.02), better)})
    assert name_of(table) == "none|dcp@0.02"


def test_too_few_topics_show_nothing() -> None:
    for topics, name in ((24, None), (25, "none|dcp@0.5")):
        assert name_of(table_of(np.full(topics, 0.5), {DCP: {0.5: np.full(topics, 0.5)}})) == name
        assert name_of(table_of(np.full(topics, 0.5), {DCP: {0.5: np.full(topics, 0.5)}}), cautious=True) is None


def test_a_loss_of_exactly_the_margin_is_too_much() -> None:
    base = np.full(60, 0.5)
    table = table_of(base, {DCP: {0.5: 0.95 * base}})
    assert name_of(table) is None
    assert name_of(table, margin=Margin(0.051, relative=True)) == "none|dcp@0.5"


@given(st.integers(0, 50))
def test_margins_of_both_kinds_agree_where_the_baseline_is_the_same_everywhere(seed: int) -> None:
    dice = np.random.default_rng(seed)
    base = np.full(60, 0.5)
    lost = dice.uniform(0, 0.06)
    table = table_of(base, {DCP: {share: base - lost * (1 - share) + dice.normal(0, 0.02, 60) for share in SHARES}})
    assert name_of(table) == name_of(table, margin=Margin(0.025, relative=False))


# What it does not depend on


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_orders_do_not_matter(seed: int, dice: object) -> None:
    table = fading(seed)
    topics, rows, families = list(range(60)), list(range(len(table.rows) - 1)), list(FAMILIES)
    for order in (topics, rows, families):
        dice.shuffle(order)  # type: ignore[attr-defined]
    other = reordered(table, topics, rows)
    for cautious in (False, True):
        assert name_of(other, cautious, families=tuple(families)) == name_of(table, cautious)
    found = {one.family: one.bounds.tolist() for one in fixed_sequences(problem_of(table), False)}
    assert {one.family: one.bounds.tolist() for one in fixed_sequences(problem_of(other), False)} == found


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_undeclared_sweeps_do_not_matter(seed: int) -> None:
    every = fading(seed, families=(*FAMILIES, "words", "none|ridf"))
    assert name_of(every) == name_of(every.only([index for index, one in enumerate(every.rows) if declared(one)]))


def declared(one: Row) -> bool:
    return one.variant.sweep in (None, *FAMILIES)


def test_absent_families_cost_nothing() -> None:
    table = fading(1)
    five = problem_of(table, families=(*FAMILIES, "none|ridf"))
    *others, absent = fixed_sequences(five, False)
    assert (absent.order, absent.last, absent.failed) == ((), None, None)
    assert [one.accepted for one in others] == [one.accepted for one in fixed_sequences(problem_of(table), False)]


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_duplicates_do_not_matter(seed: int) -> None:
    table = fading(seed)
    twins = [replace(one, variant=variant(f"{one.name}{'0' if '.' in one.name else '.'}01")) for one in table.rows[1:]]
    doubled = table.extended(twins, table.values[:, 1:], table.query_postings[1:], table.held_out[:, 1:])
    assert name_of(doubled) == name_of(table)
