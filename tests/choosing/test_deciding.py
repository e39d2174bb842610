"""Decisions: every candidate judged, what the rules pick, and what picks are worth elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from choosing_samples import SIZES, evidence, with_held_out
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.choosing.deciding import DEFAULT_MARGIN, Terms, decide
from thresher.choosing.records import RuleName
from thresher.errors import InputError
from thresher.evaluation.non_inferiority import Margin, Verdict, non_inferiority

QUICK = Terms(resamples=400, folds=5, repeats=2)


def names(_: RuleName) -> None:
    """Look at picks on other topics, and tell nobody."""


def test_every_candidate_is_judged_together() -> None:
    found = evidence()
    decision = decide(found, QUICK)
    judged = non_inferiority(found.values, found.baseline, DEFAULT_MARGIN, resamples=400)
    assert decision.verdicts == judged.cutoffs
    assert (decision.margin, decision.critical) == (judged.margin, judged.critical)
    assert decision.margin == pytest.approx(0.05 * found.baseline.mean())
    assert (decision.relative_margin, decision.documents) == (0.05, 100)
    assert decision.means == pytest.approx(found.values.mean(axis=1).tolist())
    assert [verdict.verdict for verdict in decision.verdicts] == [
        Verdict.INFERIOR,
        Verdict.NON_INFERIOR,
        Verdict.NON_INFERIOR,
        Verdict.INFERIOR,
        Verdict.NON_INFERIOR,
    ]
    # words@2 does nothing but is smaller than density@1; neither beats density@1's mean, and none the baseline's place.
    assert [decision.candidates[place].name for place in decision.front] == [
        "words@30",
        "words@9",
        "words@2",
        "density@1",
    ]
    assert (decision.picks, decision.folds, decision.repeats, decision.recommended) == ((), 0, 0, None)


def test_rules_pick_in_groups_and_in_all() -> None:
    asked: list[RuleName] = []
    decision = decide(evidence(), QUICK, asked.append)
    assert asked == [RuleName.SMALLEST, RuleName.KNEE, RuleName.HIGHEST]
    assert [pick.rule for pick in decision.picks] == asked
    assert [(group.group, group.candidates, group.smallest, group.highest) for group in decision.groups] == [
        ("words", 3, 1, 2),
        ("density", 2, 4, 4),
    ]
    smallest, _, highest = decision.picks
    assert (smallest.place, highest.place, decision.recommended) == (1, 4, 1)
    assert smallest.apparent == pytest.approx(decision.means[1])
    assert smallest.optimism == pytest.approx(smallest.apparent - smallest.held_out)
    assert (decision.folds, decision.repeats, decision.held_out_topics) == (5, 2, 0)


def test_a_topic_is_worth_what_others_pick() -> None:
    """Leaving one out by hand, for the highest mean."""
    found = evidence(topics=30)
    pick = decide(found, replace(QUICK, folds=99, repeats=3), names).picks[2]
    everything = np.arange(30)
    chosen = [int(found.values[:, everything != topic].mean(axis=1).argmax()) for topic in everything]
    assert pick.held_out == pytest.approx(np.mean([found.values[place, topic] for topic, place in enumerate(chosen)]))
    assert pick.held_out_size == pytest.approx(np.mean([SIZES[place] for place in chosen]))
    assert pick.share == pytest.approx(chosen.count(4) / 30)
    assert pick.comparison.difference == pytest.approx(pick.held_out - found.baseline.mean())


def test_folds_are_no_more_than_topics() -> None:
    decision = decide(evidence(topics=6), QUICK, names)
    assert (decision.folds, decision.repeats) == (5, 2)
    decision = decide(evidence(topics=4), QUICK, names)
    assert (decision.folds, decision.repeats) == (4, 1)
    assert len(decision.picks) == 3
    assert decide(evidence(topics=1), QUICK, names).picks == ()


def test_few_topics_recommend_nothing() -> None:
    decision = decide(evidence(topics=24), QUICK, names)
    assert {verdict.verdict for verdict in decision.verdicts} == {Verdict.INCONCLUSIVE}
    assert decision.recommended is None
    assert (decision.picks[0].held_out, decision.picks[0].optimism) == (pytest.approx(decision.baseline_mean), 0.0)
    assert (decision.picks[0].share, decision.picks[0].held_out_size) == (1.0, 100.0)


def test_what_is_no_smaller_than_the_baseline_is_not_recommended() -> None:
    found = replace(evidence(), baseline_size=45.0)
    decision = decide(found, QUICK, names)
    assert decision.verdicts[1].verdict is Verdict.NON_INFERIOR
    assert decision.recommended is None
    assert [group.smallest for group in decision.groups] == [None, None]


def test_a_second_topic_set_takes_the_place_of_cross_validation() -> None:
    found = with_held_out(evidence())
    assert found.held_out is not None
    values, baseline = found.held_out
    decision = decide(found, QUICK, names)
    assert (decision.topics, decision.held_out_topics, decision.folds, decision.repeats) == (40, 30, 0, 0)
    smallest, _, highest = decision.picks
    assert (smallest.place, highest.place) == (1, 4)
    assert (smallest.held_out, highest.held_out) == (pytest.approx(values[1].mean()), pytest.approx(values[4].mean()))
    # What the highest mean of the held-out topics themselves promises.
    assert highest.apparent == pytest.approx(values.mean(axis=1).max())
    assert highest.optimism == pytest.approx(highest.apparent - highest.held_out)
    assert (highest.share, highest.held_out_size) == (None, 90.0)
    assert smallest.comparison.difference == pytest.approx(values[1].mean() - baseline.mean())


def test_the_choice_knows_nothing_of_the_held_out_topics() -> None:
    found = with_held_out(evidence())
    assert found.held_out is not None
    other = replace(found, held_out=(1 - found.held_out[0], found.held_out[1]))
    some, others = decide(found, QUICK, names), decide(other, QUICK, names)
    assert some.verdicts == others.verdicts
    assert [pick.place for pick in some.picks] == [pick.place for pick in others.picks]


def test_a_margin_in_units_of_the_measure() -> None:
    decision = decide(evidence(), replace(QUICK, margin=Margin(0.02, relative=False)))
    assert (decision.margin, decision.relative_margin) == (0.02, None)


def test_no_share_of_nothing_can_be_lost() -> None:
    found = evidence()
    found = replace(found, baseline=np.zeros(40))
    with pytest.raises(InputError) as caught:
        decide(found, QUICK)
    assert str(caught.value) == (
        "qld: the baseline's AP is 0, which leaves no share of it to lose. Fix: state the margin in units of the measure, "
        "such as --margin 0.01, or choose another measure."
    )
    assert decide(found, replace(QUICK, margin=Margin(0.02, relative=False))).baseline_mean == 0


def test_a_baseline_that_finds_something_in_one_topic_alone() -> None:
    """Without that topic no share is a margin: trainings stay with the baseline."""
    found = evidence(topics=30)
    baseline = np.zeros(30)
    baseline[7] = 0.5
    decision = decide(replace(found, baseline=baseline), replace(QUICK, folds=30), names)
    assert decision.picks[0].comparison.measure == "AP"


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.integers(25, 40))
def test_numbers_agree_with_each_other(seed: int, topics: int) -> None:
    found = evidence(topics, seed)
    decision = decide(found, Terms(resamples=100, folds=3, repeats=1), names)
    safe = [place for place, verdict in enumerate(decision.verdicts) if verdict.verdict is Verdict.NON_INFERIOR]
    assert decision.recommended == min(safe, key=lambda place: SIZES[place], default=None)
    assert all(verdict.low <= verdict.difference <= verdict.high for verdict in decision.verdicts)
    for pick in decision.picks:
        assert 0 <= (pick.share or 0) <= 1
        assert min(SIZES) <= pick.held_out_size <= 100
        assert pick.optimism == pytest.approx(pick.apparent - pick.held_out, abs=1e-9)
