"""Decisions: every variant judged, what the rules pick, and what picks are worth on held-out topics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from choosing_samples import SIZES, evidence, with_held_out
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.choosing.deciding import DEFAULT_MARGIN, Terms, decide
from thresher.choosing.decisions import RuleName
from thresher.errors import InputError
from thresher.evaluation.non_inferiority import Margin, Verdict, non_inferiority

QUICK = Terms(resamples=400, folds=5, repeats=2)


def test_all_variants_are_judged_together() -> None:
    result = evidence()
    asked: list[RuleName] = []
    decision = decide(result, QUICK, held_out_check=False, progress=asked.append)
    judged = non_inferiority(result.values, result.baseline, DEFAULT_MARGIN, resamples=400)
    assert tuple(variant.test for variant in decision.variants) == judged.tests
    assert {(variant.stability, variant.broken) for variant in decision.variants} == {(None, ())}
    assert (decision.margin, decision.critical) == (judged.margin, judged.critical)
    assert decision.margin == pytest.approx(0.05 * result.baseline.mean())
    assert (decision.relative_margin, decision.documents) == (0.05, 100)
    assert [variant.mean for variant in decision.variants] == pytest.approx(result.values.mean(axis=1).tolist())
    assert [variant.test.verdict for variant in decision.variants] == [
        Verdict.INFERIOR,
        Verdict.NON_INFERIOR,
        Verdict.NON_INFERIOR,
        Verdict.INFERIOR,
        Verdict.NON_INFERIOR,
    ]
    # words@2 does nothing but is smaller than density@1; neither beats density@1's mean, and none the baseline's place.
    assert [variant.name for variant in decision.front] == ["words@30", "words@9", "words@2", "density@1"]
    # What is picked does not depend on the check of the picks.
    assert [pick.check for pick in decision.picks] == [None] * 3
    assert (decision.checked, decision.folds, decision.repeats, asked) == (False, 0, 0, [])
    checked = decide(result, QUICK).picks
    names = [pick.variant.name if pick.variant else None for pick in checked]
    assert [pick.variant.name if pick.variant else None for pick in decision.picks] == names[1:]
    # Without a check nothing is recommended.
    assert (decision.recommended, names[0]) == (None, "words@9")


def test_rules_pick_in_sweeps_and_in_all() -> None:
    asked: list[RuleName] = []
    decision = decide(evidence(), QUICK, progress=asked.append)
    assert asked == [RuleName.GUARDED, RuleName.SMALLEST, RuleName.KNEE, RuleName.HIGHEST]
    assert [pick.rule for pick in decision.picks] == asked
    _, middle, lax, _, dense = decision.variants
    assert [(picks.sweep, picks.variants, picks.smallest, picks.highest) for picks in decision.sweeps] == [
        ("words", 3, middle, lax),
        ("density", 2, dense, dense),
    ]
    guarded, smallest, _, highest = decision.picks
    assert (guarded.variant, smallest.variant, highest.variant, decision.recommended) == (middle, middle, dense, middle)
    # As no guard bites, it is worth the same.
    assert guarded.check == smallest.check
    assert smallest.check is not None
    assert smallest.check.apparent == pytest.approx(middle.mean)
    assert smallest.check.optimism == pytest.approx(smallest.check.apparent - smallest.check.mean)
    assert (decision.folds, decision.repeats, decision.held_out_topics) == (5, 2, 0)


def test_a_topic_is_worth_what_others_pick() -> None:
    """Leaving one out by hand, for the highest mean."""
    result = evidence(topics=30)
    check = decide(result, replace(QUICK, folds=99, repeats=3)).picks[3].check
    assert check is not None
    everything = np.arange(30)
    chosen = [int(result.values[:, everything != topic].mean(axis=1).argmax()) for topic in everything]
    assert check.mean == pytest.approx(np.mean([result.values[place, topic] for topic, place in enumerate(chosen)]))
    assert check.size == pytest.approx(np.mean([SIZES[place] for place in chosen]))
    assert check.share == pytest.approx(chosen.count(4) / 30)
    assert check.comparison.difference == pytest.approx(check.mean - result.baseline.mean())


def test_folds_are_no_more_than_topics() -> None:
    decision = decide(evidence(topics=6), QUICK)
    assert (decision.folds, decision.repeats) == (5, 2)
    decision = decide(evidence(topics=4), QUICK)
    assert (decision.folds, decision.repeats) == (4, 1)
    assert [pick.rule for pick in decision.picks if pick.check] == list(RuleName)
    alone = decide(evidence(topics=1), QUICK)
    assert (alone.checked, alone.folds, alone.recommended) == (False, 0, None)


def test_few_topics_recommend_nothing() -> None:
    decision = decide(evidence(topics=24), QUICK)
    assert {variant.test.verdict for variant in decision.variants} == {Verdict.INCONCLUSIVE}
    assert decision.recommended is None
    check = decision.picks[0].check
    assert check is not None
    assert (check.mean, check.optimism) == (pytest.approx(decision.baseline_mean), 0.0)
    assert (check.share, check.size) == (1.0, 100.0)


def test_what_is_no_smaller_than_the_baseline_is_not_recommended() -> None:
    result = replace(evidence(), baseline_size=45.0)
    decision = decide(result, QUICK)
    assert decision.variants[1].test.verdict is Verdict.NON_INFERIOR
    assert decision.recommended is None
    assert [picks.smallest for picks in decision.sweeps] == [None, None]


def test_a_second_topic_set_takes_the_place_of_cross_validation() -> None:
    result = with_held_out(evidence())
    assert result.held_out is not None
    values, baseline = result.held_out
    decision = decide(result, QUICK)
    assert (decision.topics, decision.held_out_topics, decision.folds, decision.repeats) == (40, 30, 5, 2)
    guarded, smallest, _, highest = decision.picks
    assert guarded.check is not None
    assert (guarded.variant, guarded.check.share) == (smallest.variant, None)
    # How stable it is, trainings say.
    alone = decide(evidence(), QUICK).picks[0].check
    assert alone is not None
    assert guarded.check.stability == alone.stability
    assert (smallest.variant, highest.variant) == (decision.variants[1], decision.variants[4])
    one, other = smallest.check, highest.check
    assert one is not None
    assert other is not None
    assert (one.mean, other.mean) == (pytest.approx(values[1].mean()), pytest.approx(values[4].mean()))
    # What the highest mean of the held-out topics themselves promises.
    assert other.apparent == pytest.approx(values.mean(axis=1).max())
    assert other.optimism == pytest.approx(other.apparent - other.mean)
    assert (other.share, other.size) == (None, 90.0)
    assert one.comparison.difference == pytest.approx(values[1].mean() - baseline.mean())


def test_the_choice_knows_nothing_of_the_held_out_topics() -> None:
    result = with_held_out(evidence())
    assert result.held_out is not None
    other = replace(result, held_out=(1 - result.held_out[0], result.held_out[1]))
    some, others = decide(result, QUICK), decide(other, QUICK)
    assert some.variants == others.variants
    assert [pick.variant for pick in some.picks] == [pick.variant for pick in others.picks]


def test_a_margin_in_units_of_the_measure() -> None:
    decision = decide(evidence(), replace(QUICK, margin=Margin(0.02, relative=False)))
    assert (decision.margin, decision.relative_margin) == (0.02, None)


def test_no_share_of_nothing_can_be_lost() -> None:
    result = evidence()
    result = replace(result, baseline=np.zeros(40))
    with pytest.raises(InputError) as caught:
        decide(result, QUICK)
    assert str(caught.value) == (
        "qld: the baseline's AP is 0, which leaves no share of it to lose. Fix: state the margin in units of the measure, "
        "such as --margin 0.01, or choose another measure."
    )
    assert decide(result, replace(QUICK, margin=Margin(0.02, relative=False))).baseline_mean == 0


def test_a_baseline_that_finds_something_in_one_topic_alone() -> None:
    """Without that topic no share is a margin: trainings stay with the baseline."""
    result = evidence(topics=30)
    baseline = np.zeros(30)
    baseline[7] = 0.5
    decision = decide(replace(result, baseline=baseline), replace(QUICK, folds=30))
    assert decision.picks[0].check is not None
    assert decision.picks[0].check.comparison.measure == "AP"


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(25, 40))
def test_numbers_agree_with_each_other(seed: int, topics: int) -> None:
    result = evidence(topics, seed)
    decision = decide(result, Terms(resamples=100, folds=3, repeats=1))
    safe = [variant for variant in decision.variants if variant.test.verdict is Verdict.NON_INFERIOR]
    smallest = min(safe, key=lambda variant: variant.size, default=None)
    assert decision.picked(RuleName.SMALLEST) == smallest
    passing = [variant for variant in safe if not variant.broken]
    assert decision.recommended == min(passing, key=lambda variant: variant.size, default=None)
    assert all(variant.test.low <= variant.test.difference <= variant.test.high for variant in decision.variants)
    for pick in decision.picks:
        check = pick.check
        assert check is not None
        assert 0 <= (check.share or 0) <= 1
        assert min(SIZES) <= check.size <= 100
        assert check.optimism == pytest.approx(check.apparent - check.mean, abs=1e-9)
