"""From a table to an answer: what it names, with which numbers, and what hand-taken variants are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from choosing_samples import BOILERPIPE, DCP, SECOND, reordered, sample_of, table_of
from experiments import variant

from thresher.base.errors import InputError
from thresher.evaluation.non_inferiority import Margin, lower_bounds
from thresher.experiments.choosing.choices import Line, ModelChoice
from thresher.experiments.choosing.deciding import bounds_by_hand, choose_variants
from thresher.experiments.choosing.savings import Timings, savings
from thresher.experiments.choosing.walks import Terms
from thresher.experiments.table import VariantTable, Verdict

MAIN, OTHER = "nDCG@10", "AP"


def chosen(table: VariantTable, **terms: object) -> tuple[ModelChoice, VariantTable]:
    def save(index: int):  # type: ignore[no-untyped-def]
        return savings(table, index, Timings(), 1000, lambda _: None)

    return choose_variants(table, (MAIN, OTHER), replace(Terms(), **terms), save)


def lossy(topics: int = 120, seed: int = 1, held_out: bool = False) -> VariantTable:
    """Pruning loses a little more at each step; at .4 of the size a cleaner gains."""
    dice = np.random.default_rng(seed)
    base = dice.beta(4, 4, (2, topics))

    def values(change: float) -> np.ndarray:
        return np.clip(base + change + dice.normal(0, 0.03, (2, topics)), 0, 1)

    pruned = {share: values(-0.03 * (1 - share) ** 2) for share in (0.9, 0.7, 0.5, 0.3)} | {0.1: values(-0.3)}
    return table_of(base, {DCP: pruned, "words": {0.4: values(0.05), 0.2: values(-0.4)}}, held_out=held_out)


def test_the_answer_has_three_lines() -> None:
    table = lossy()
    model, _ = chosen(table)
    lines = [(line, pick.variant if pick else None) for line, pick in model.answer]
    assert lines == [
        (Line.SMALLEST, "none|dcp@0.3"),
        (Line.GAINS, "words@0.4"),
        (Line.CAUTIOUS, "none|dcp@0.7"),
    ]
    assert (model.topics, model.variants, model.documents, model.cautious_topics) == (120, 7, 1000, 86)
    assert (model.too_few, model.approximate, round(model.unseen_share, 4)) == (False, False, 0.0247)
    assert model.dominating is None


def test_numbers_of_what_is_recommended() -> None:
    table = lossy()
    model, _ = chosen(table)
    pick = model.recommended
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
        bound = lower_bounds(values - 0.95 * base, 0.0125) - effect.margin
        assert effect.low == pytest.approx(bound)
        assert -effect.margin < effect.low < effect.difference
    assert pick.work is not None
    assert (pick.work.share.value, pick.work.share.low) == (pytest.approx(0.3), pytest.approx(0.3))
    assert (pick.savings.queries, pick.savings.bytes) == (1000, pytest.approx(280_000))


def test_each_family_tells_where_it_ended() -> None:
    model, _ = chosen(lossy())
    walk = next(one for one in model.walks if one.family == DCP)
    assert walk.steps == 5
    assert walk.last is not None
    assert walk.failed is not None
    assert (walk.last.variant, walk.failed.variant) == ("none|dcp@0.3", "none|dcp@0.1")
    assert walk.last.effects == (model.recommended and model.recommended.effects)
    # A loss beyond the margin: no number of topics would show it.
    assert walk.failed.topics_needed is None
    assert [one.steps for one in model.walks if one.family != DCP] == [0, 0, 0]
    near, _ = chosen(lossy(), margin=Margin(0.03, relative=True))
    walk = next(one for one in near.walks if one.family == DCP)
    assert walk.failed is not None
    assert walk.failed.topics_needed is not None
    assert walk.failed.topics_needed > 120


def test_held_out_topics() -> None:
    table = lossy(held_out=True)
    model, _ = chosen(table)
    pick = model.recommended
    assert pick is not None
    main = pick.held_out[0]
    values, base = table.held_out[0, table.position[pick.variant]], table.held_out[0, 0]
    expected = scipy.stats.ttest_rel(values, base).confidence_interval(0.95)
    assert (main.measure, main.topics, main.margin) == (MAIN, 120, None)
    assert (main.low, main.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    checked = model.cross_validated
    assert checked is not None
    assert checked.high is not None
    assert checked.low < checked.difference < checked.high
    assert checked.difference == pytest.approx(checked.mean - checked.reference)


def test_what_dominates_is_said_first() -> None:
    base = np.random.default_rng(2).beta(4, 4, 120)
    noise = np.random.default_rng(3).normal(0, 0.01, 120)
    pruned = dict.fromkeys((0.9, 0.7, 0.5), base - 0.015) | {0.3: base - 0.2}
    model, _ = chosen(table_of(base, {DCP: pruned, "words": {0.45: base + noise - noise.mean()}}))
    assert model.gain is None
    assert model.dominating is not None
    assert (model.dominating.over, model.dominating.pick.variant) == ("none|dcp@0.5", "words@0.45")
    assert model.dominating.held_out.difference == pytest.approx(0.015, abs=1e-3)
    assert model.answer[0] == (Line.NO_LARGER, model.dominating.pick)
    # The recommendation itself rests on declared families alone.
    assert model.recommended is not None
    assert model.recommended.variant == "none|dcp@0.5"


def test_a_gain_that_is_smaller_is_the_one_to_take() -> None:
    base = np.random.default_rng(4).beta(4, 4, 120)
    model, _ = chosen(table_of(base, {DCP: {0.5: base}, "words": {0.3: base + 0.05}}))
    assert [(line, pick and pick.variant) for line, pick in model.answer] == [
        (Line.GAINS, "words@0.3"),
        (Line.CAUTIOUS, "none|dcp@0.5"),
    ]
    assert model.gain is not None
    assert model.gain.over is None
    assert model.gain.held_out.difference == pytest.approx(0.05)
    alone, _ = chosen(table_of(base, {"words": {0.3: base + 0.05}}))
    assert alone.recommended is None
    assert alone.answer[0][0] is Line.GAINS


def test_bounds_of_variants_taken_by_hand() -> None:
    table = lossy()
    _, bounded = chosen(table)
    assert bounded.baseline.bounds is None
    found = {row.name: row.bounds for row in bounded.rows if row.bounds}
    assert {name: one.verdict for name, one in found.items()} == {
        **dict.fromkeys(("none|dcp@0.9", "none|dcp@0.7", "none|dcp@0.5", "none|dcp@0.3", "words@0.4"), Verdict.SHOWN),
        **dict.fromkeys(("none|dcp@0.1", "words@0.2"), Verdict.LOSES),
    }
    differences = (table.values - table.values[:, :1]).mean(axis=-1)
    for name, one in found.items():
        assert list(one.low) == [MAIN, OTHER]
        low = np.array([*one.low.values()])
        assert (low < differences[:, table.position[name]]).all()
    assert bounded.values is table.values


def test_controls_and_few_topics_have_no_verdict() -> None:
    table = lossy(24)
    model, bounded = chosen(table)
    assert model.too_few
    assert model.recommended is model.cautious is model.gain is model.cross_validated is None
    assert {row.bounds.verdict for row in bounded.rows if row.bounds} == {Verdict.UNDECIDED}
    rows = [*table.rows[:-1], replace(table.rows[-1], variant=variant("none|random(seed=0)@0.2"))]
    assert len(rows) - 1 not in bounds_by_hand(sample_of(table.with_rows(rows)))


def test_one_topic_equal_values_and_nothing_to_lose() -> None:
    one, _ = chosen(lossy(1))
    assert (one.too_few, one.answer) == (True, ((Line.SMALLEST, None), (Line.CAUTIOUS, None)))
    flat = np.full(40, 0.5)
    same, bounded = chosen(table_of(flat, {DCP: {0.5: flat}, SECOND: {0.3: flat}, BOILERPIPE: {0.3: flat}}))
    # Of equals the shorter name.
    assert same.recommended is not None
    assert same.recommended.variant == "none|2n2p@0.3"
    assert {row.bounds.verdict for row in bounded.rows if row.bounds} == {Verdict.SHOWN}
    nothing = table_of(np.zeros(40), {DCP: {0.5: np.zeros(40)}})
    with pytest.raises(InputError, match="the baseline's nDCG@10 is 0"):
        chosen(nothing)
    lost, _ = chosen(nothing, margin=Margin(0.01, relative=False))
    assert lost.recommended is not None


def test_a_measure_that_decides_nothing_may_be_0() -> None:
    base = np.random.default_rng(3).beta(4, 4, 40)
    table = table_of(np.stack((base, 0 * base)), {DCP: {0.5: np.stack((base, 0 * base))}})
    model, bounded = choose_variants(
        table, (MAIN,), Terms(), lambda index: savings(table, index, Timings(), 1, lambda _: None)
    )
    assert model.recommended is not None
    assert model.recommended.variant == "none|dcp@0.5"
    assert [*bounded.rows[1].bounds.low] == [MAIN]


def test_orders_do_not_matter() -> None:
    table, dice = lossy(seed=7), np.random.default_rng(8)
    other = reordered(table, dice.permutation(120).tolist(), dice.permutation(7).tolist())
    (one, bounded), (two, again) = chosen(table), chosen(other)
    assert one == two
    assert {row.name: row.bounds for row in bounded.rows} == {row.name: row.bounds for row in again.rows}


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
    model, bounded = chosen(table)
    assert model.recommended is not None
    assert all(row.bounds for row in bounded.rows[1:])
