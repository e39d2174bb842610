"""From a table to an answer: the indexes that it names, and their numbers."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from choosing_samples import BOILERPIPE, CRITERIA, DCP, SECOND, reordered, table_of
from experiments import variant

from thresher.base.errors import InputError
from thresher.base.machine import Power
from thresher.evaluation.non_inferiority import Margin, lower_bounds
from thresher.experiments.choosing.choices import AnswerRole, ModelChoice
from thresher.experiments.choosing.deciding import choose_variants
from thresher.experiments.choosing.savings import Timings, savings
from thresher.experiments.table import VariantTable

MAIN, OTHER = "nDCG@10", "AP"


def chosen(table: VariantTable, **criteria: object) -> ModelChoice:
    def save(index: int):  # type: ignore[no-untyped-def]
        return savings(table, index, Timings(), 1000, Power(1.0, "configured"))

    criteria = {"families": (DCP, SECOND, BOILERPIPE, "words"), **criteria}
    return choose_variants(table, (MAIN, OTHER), replace(CRITERIA, **criteria), save)


def lossy(topics: int = 120, seed: int = 1, held_out: bool = False) -> VariantTable:
    """Pruning loses a little more at each step; at .4 of the size a cleaner gains."""
    dice = np.random.default_rng(seed)
    base = dice.beta(4, 4, (2, topics))

    def values(change: float) -> np.ndarray:
        return np.clip(base + change + dice.normal(0, 0.03, (2, topics)), 0, 1)

    pruned = {share: values(-0.03 * (1 - share) ** 2) for share in (0.9, 0.7, 0.5, 0.3)} | {0.1: values(-0.3)}
    return table_of(base, {DCP: pruned, "words": {0.4: values(0.05), 0.2: values(-0.4)}}, held_out=held_out)


@functools.cache
def lossy_choice() -> ModelChoice:
    return chosen(lossy())


def test_the_answer_has_three_lines() -> None:
    model = lossy_choice()
    lines = [(role, index.variant if index else None) for role, index in model.answer]
    assert lines == [
        (AnswerRole.NO_CLEANING, "none"),
        (AnswerRole.SMALLEST, "none|dcp@0.3"),
        (AnswerRole.BEST, "words@0.4"),
    ]
    assert model.conservative is not None
    assert model.conservative.variant == "words@0.4"
    assert (model.topics, model.variants, model.documents, model.conservative_topics) == (120, 7, 1000, 72)
    assert (model.too_few, round(model.unseen_share, 4)) == (False, 0.0247)


def test_numbers_of_what_is_recommended() -> None:
    table = lossy()
    model = lossy_choice()
    pick = model.smallest
    assert pick is not None
    assert (pick.share, pick.emptied, pick.held_out) == (pytest.approx(0.3), 0, ())
    index = table.position["none|dcp@0.3"]
    for number, effect in enumerate(pick.effects):
        values, base = table.values[number, index], table.values[number, 0]
        assert effect.measure == table.measures[number]
        assert (effect.topics, effect.mean, effect.reference) == (
            120,
            pytest.approx(values.mean()),
            pytest.approx(base.mean()),
        )
        assert effect.margin == pytest.approx(0.05 * base.mean())
        # Two of the four families have an index to test, and share alpha.
        bound = lower_bounds(values - 0.95 * base, 0.025) - effect.margin
        assert effect.low == pytest.approx(bound)
        assert effect.low is not None
        assert -effect.margin < effect.low < effect.difference
    assert pick.work is not None
    assert (pick.work.share.value, pick.work.share.low) == (pytest.approx(0.3), pytest.approx(0.3))
    assert (pick.savings.queries, pick.savings.bytes) == (1000, pytest.approx(280_000))


@pytest.mark.slow
def test_each_family_tells_where_it_ended() -> None:
    model = chosen(lossy())
    tests = next(one for one in model.families if one.family == DCP)
    assert tests.steps == 5
    assert tests.last is not None
    assert tests.failed is not None
    assert (tests.last.variant, tests.failed.variant) == ("none|dcp@0.3", "none|dcp@0.1")
    assert tests.last.effects == (model.smallest and model.smallest.effects)
    # A loss beyond the margin: no number of topics would show it.
    assert tests.failed.topics_needed is None
    assert [(one.family, one.steps) for one in model.families if one.family != DCP] == [
        (SECOND, 0),
        (BOILERPIPE, 0),
        ("words", 2),
    ]
    near = chosen(lossy(), margin=Margin(0.03, relative=True))
    tests = next(one for one in near.families if one.family == DCP)
    assert tests.failed is not None
    assert tests.failed.topics_needed is not None
    assert tests.failed.topics_needed > 120


def test_held_out_topics() -> None:
    table = lossy(held_out=True)
    model = chosen(table)
    pick = model.smallest
    assert pick is not None
    main = pick.held_out[0]
    values, base = table.held_out[0, table.position[pick.variant]], table.held_out[0, 0]
    expected = scipy.stats.ttest_rel(values, base).confidence_interval(0.95)
    assert (main.measure, main.topics, main.margin) == (MAIN, 120, None)
    assert (main.low, main.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_the_best_index_is_used_if_it_is_no_larger() -> None:
    base = np.random.default_rng(4).beta(4, 4, 120)
    model = chosen(table_of(base, {DCP: {0.5: base}, "words": {0.3: base + 0.05}}))
    assert model.best is not None
    assert (model.best.variant, model.first) == ("words@0.3", model.best)
    main, other = model.best.effects
    assert (main.difference, main.low) == (pytest.approx(0.05), pytest.approx(0.05))
    assert (other.difference, other.low) == (pytest.approx(0.05), pytest.approx(0.05))
    larger = chosen(table_of(base, {DCP: {0.2: base}, "words": {0.3: base + 0.05, 0.1: base - 0.2}}))
    assert larger.best is not None
    assert larger.smallest is not None
    assert (larger.best.variant, larger.first) == ("words@0.3", larger.smallest)
    assert [index.variant for index in larger.named] == ["none|dcp@0.2", "words@0.3"]


def test_too_few_topics_have_no_verdict_and_controls_are_never_chosen() -> None:
    table = lossy(24)
    model = chosen(table)
    assert model.too_few
    assert model.smallest is model.conservative is model.best is None
    assert model.named == ()
    whole = lossy()
    smallest = whole.position["none|dcp@0.3"]
    control = replace(whole.rows[smallest], variant=variant("none|random(seed=0)@0.3"))
    rows = [*whole.rows[:smallest], control, *whole.rows[smallest + 1 :]]
    recommended = chosen(whole.with_rows(rows), families=(DCP,)).smallest
    assert recommended is not None
    assert recommended.variant == "none|dcp@0.5"


def test_one_topic_equal_values_and_nothing_to_lose() -> None:
    one = chosen(lossy(1))
    assert (one.too_few, one.smallest, one.best, one.conservative, one.first) == (True, None, None, None, None)
    flat = np.full(40, 0.5)
    same = chosen(table_of(flat, {DCP: {0.5: flat}, SECOND: {0.3: flat}, BOILERPIPE: {0.3: flat}}))
    # Of equals the shorter name.
    assert same.smallest is not None
    assert same.smallest.variant == "none|2n2p@0.3"
    nothing = table_of(np.zeros(40), {DCP: {0.5: np.zeros(40)}})
    with pytest.raises(InputError, match="the baseline's nDCG@10 is 0"):
        chosen(nothing)
    lost = chosen(nothing, margin=Margin(0.01, relative=False))
    assert lost.smallest is not None


def test_a_measure_that_decides_nothing_may_be_0() -> None:
    base = np.random.default_rng(3).beta(4, 4, 40)
    table = table_of(np.stack((base, 0 * base)), {DCP: {0.5: np.stack((base, 0 * base))}})
    model = choose_variants(
        table, (MAIN,), CRITERIA, lambda index: savings(table, index, Timings(), 1, Power(1.0, "configured"))
    )
    assert model.smallest is not None
    assert model.smallest.variant == "none|dcp@0.5"
    assert [effect.measure for effect in model.smallest.effects] == [MAIN]


@pytest.mark.slow
def test_orders_do_not_matter() -> None:
    table, dice = lossy(seed=7), np.random.default_rng(8)
    other = reordered(table, dice.permutation(120).tolist(), dice.permutation(7).tolist())
    assert chosen(table) == chosen(other)


def test_more_than_a_thousand_variants() -> None:
    dice = np.random.default_rng(9)
    base = dice.beta(3, 3, 150)
    shares = [number / 1000 for number in range(1, 834, 2)]
    families = {
        family: {share: base * (1 - 0.1 * (1 - share)) + dice.normal(0, 0.1, 150) * (1 - share) for share in shares}
        for family in (DCP, SECOND, "words")
    }
    table = table_of(base, families)
    assert len(table.rows) == 1252
    model = chosen(table)
    assert model.smallest is not None
