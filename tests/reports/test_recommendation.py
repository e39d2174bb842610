"""The answer in sentences: every name and number of the record, in order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from decision_samples import (
    BTE,
    CHOICE,
    DECISION,
    GUARDED,
    HELD_OUT,
    INCONCLUSIVE,
    OTHER,
    SAVED,
    STRICT,
    chosen,
    holds,
    retested,
)

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Basis, Decision, RuleName, Savings, SizeKind
from thresher.choosing.guards import Breach, GuardName
from thresher.costs import Interval, break_even
from thresher.evaluation.non_inferiority import NonInferiorityTest, Verdict
from thresher.reports.recommendation import answer, headline


def said(choice: Choice) -> list[str]:
    return list(answer(choice))


def saved(**changes: object) -> str:
    """What is said of savings that differ so."""
    found = replace(SAVED, **changes)
    return next(line for line in said(chosen(DECISION, savings=(found,))) if line.startswith(f"{found.variant} saves"))


def unguarded(decision: Decision) -> Decision:
    """The decision without a recommendation, though the smallest non-inferior is still picked."""
    picks = tuple(replace(pick, variant=None) if pick.rule is RuleName.GUARDED else pick for pick in decision.picks)
    return replace(decision, picks=picks)


def test_the_record() -> None:
    (found,) = CHOICE.recommendations
    assert (found.variant, found.size, found.share, found.emptied, found.documents) == ("words@9", 1.5e6, 0.75, 5, 1000)
    own, other = found.effects
    assert (own.measure, own.mean, own.baseline, own.difference, own.low, own.high) == (
        "AP",
        0.394,
        0.4,
        -0.006,
        -0.0185,
        0.0065,
    )
    assert (own.margin, own.topics, other.measure) == (0.02, 40, "P@10")
    assert found.held_out is not None
    assert (found.held_out.mean, found.held_out.difference, found.held_out.low) == (0.3925, -0.0075, -0.0175)
    assert (found.stability, found.savings, found.unguarded) == (0.9, SAVED, None)
    assert (found.smaller, found.broken) == (2, {"emptied": 0, "measures": 0, "stability": 1})
    assert found.nearest is not None
    assert (found.nearest.variant, found.nearest.share, found.nearest.topics) == ("bte", 0.45, 140)


def test_a_recommendation() -> None:
    first, own, other, bounds, elsewhere, saving, smaller = said(CHOICE)
    assert first == headline(CHOICE.recommendations[0])
    assert holds(
        first, "Recommended: words@9", "smallest of 4 cutoffs", "loss of AP", "less than 5 % of the baseline's"
    )
    assert holds(first, "every guard.", "75.0 % of the baseline's bytes (estimated).", "5 of 1,000 pages")
    for measure, line in (("AP", own), ("P@10", other)):
        assert holds(line, f"{measure} over 40 topics is 0.3940.", "the baseline's 0.4000 by −0.0060.")
        assert holds(line, "above −0.0185", "loss of less than 0.0200 is accepted.")
    assert holds(bounds, "95 % confidence", "all 4 cutoffs at once.")
    assert holds(
        elsewhere, "On held-out topics", "cross-validation", "same rule scores 0.3925 in AP", "baseline 0.4000."
    )
    assert holds(elsewhere, "between −0.0175 and +0.0025.", "90.0 % of the trainings", "5 %")
    assert holds(saving, "words@9 saves 0.500 MB of index, 25.0 %.", "12.5 s more.", "Over 1,000,000 queries")
    assert holds(saving, "250 s less.", "200 to 312 s.", "measured.", "0.00191 kg of CO₂ are saved.")
    assert holds(saving, "Break-even after 50,000 queries", "40,000", "62,500")
    assert holds(
        smaller, "not ruled out.", "bte, with 45.0 % of the baseline's bytes (estimated)", "need 140 topics", "AP, if"
    )


def test_what_the_guards_forbid_stands_beside() -> None:
    choice = chosen(GUARDED, OTHER)
    assert holds(said(choice)[0], "Recommended: words@2", "95.0 %", "none of 1,000 pages")
    other = next(line for line in said(choice) if line.startswith("Without"))
    assert holds(other, "Without guards words@9", "75.0 % of the", "470 of 1,000 pages", "At most 1 %", "accepted.")
    assert holds(other, "12.5 % of the trainings pick about its size", "more than 50 % are asked for.")
    record = choice.recommendations[0].unguarded
    assert record is not None
    assert record.breaches == (
        Breach(GuardName.EMPTIED, pytest.approx(0.47), 0.01),
        Breach(GuardName.STABILITY, 0.125, 0.5),
    )


def test_a_loss_in_another_measure_stands_beside() -> None:
    lost = NonInferiorityTest(-0.01, -0.0345, 0.02, 30, Verdict.INCONCLUSIVE, 200)
    other = retested(OTHER, [lost] * 4)
    measure = (GuardName.MEASURES,)
    variants = tuple(replace(one, broken=measure) for one in DECISION.variants)
    decision = unguarded(replace(DECISION, variants=variants))
    first, _, forbidden, nearest = said(chosen(decision, other))
    assert holds(
        first, "No cutoff passes every guard. Stay with the baseline. 2 of 4 cutoffs have a smaller index", "AP"
    )
    assert holds(first, "Of these 2 are not shown to lose little in P@10.")
    assert "pages without" not in first
    assert holds(forbidden, "words@9", "loss of 0.0345 in P@10 is not ruled out", "less than 0.0200 is accepted.")
    assert nearest.startswith("bte, with 45.0 %")


def test_every_reason_is_counted() -> None:
    decision = unguarded(GUARDED)
    variants = tuple(replace(one, broken=tuple(GuardName)) for one in decision.variants)
    first = said(chosen(replace(decision, variants=variants), OTHER))[0]
    assert holds(
        first, "2 leave more than 1 % of the pages without text.", "2 are not shown to lose little in P@10.", "2 do not"
    )
    assert holds(first, "size that more than 50 % of the trainings pick.")
    assert "folds" not in first
    few = replace(decision, variants=variants, topics=27)
    assert said(chosen(few, OTHER))[0].endswith(
        "A training has 24 topics, and fewer than 25 give no verdict: take more folds."
    )


def test_nothing_is_shown() -> None:
    first, same, needed = said(chosen(INCONCLUSIVE, OTHER))
    assert holds(first, "Inconclusive: of 4 cutoffs there is none", "loss of AP", "less than 5 % of the baseline's")
    assert first.endswith("Stay with the baseline.")
    assert holds(needed, "words@9, with 75.0 % of the baseline's bytes (estimated)", "would need 70 topics")
    assert holds(same, "the same rule scores 0.4010 in AP", "baseline 0.4000.", "97.0 % of the trainings")
    (record,) = chosen(INCONCLUSIVE, OTHER).recommendations
    assert (record.variant, record.size, record.share, record.emptied) == (None, 2e6, 1.0, 0)
    assert (record.effects[0].difference, record.effects[0].mean, record.savings) == (0.0, 0.4, None)


def test_no_number_of_topics_would_do() -> None:
    lost = NonInferiorityTest(-0.1, -0.15, -0.05, 38, Verdict.INFERIOR, None)
    beyond = NonInferiorityTest(-0.025, -0.06, 0.02, 38, Verdict.INCONCLUSIVE, None)
    decision = replace(retested(INCONCLUSIVE, (lost, beyond, lost, lost)), relative_margin=None)
    first, *_, last = said(chosen(decision))
    assert holds(first, "Inconclusive: of 4", "less than 0.0200. Stay with the baseline.")
    assert last.startswith("No number of topics")


def test_too_few_topics() -> None:
    first, *_, last = said(chosen(replace(INCONCLUSIVE, topics=24)))
    assert first == "Inconclusive: 24 topics are too few for a verdict, at least 25 are needed. Stay with the baseline."
    assert holds(last, "words@9, with 75.0 % of the baseline's bytes (estimated)", "70 topics")


def test_held_out_topics() -> None:
    first, _, _, there, *_ = said(chosen(HELD_OUT))
    assert "less than 0.0200 and" in first
    assert holds(there, "On the held-out topics it scores 0.4300 in AP", "baseline 0.4350.")
    assert holds(there, "between −0.0150 and +0.0050.", "90.0 % of the trainings")
    stayed = retested(HELD_OUT, [one.test for one in INCONCLUSIVE.variants])
    stayed = replace(stayed, picks=tuple(replace(pick, variant=None) for pick in stayed.picks))
    assert not any("held-out" in line for line in said(chosen(stayed)))


def test_savings_that_are_not_known() -> None:
    unknown = {"query_seconds": None, "extra_seconds": None, "co2_kg": None, "break_even": None, "basis": Basis.NOT_RUN}
    found = saved(**unknown, bytes=None)
    assert holds(found, "words@9 saves 25.0 % of the baseline's postings.", "has been run.")
    decision = replace(DECISION, size_kind=SizeKind.POSTINGS)
    assert "75.0 % of the baseline's postings" in said(chosen(decision))[0]


@pytest.mark.parametrize("seconds", [0.0, -3.0])
def test_what_is_no_saving_is_not_called_one(seconds: float) -> None:
    searching = Interval(seconds, seconds - 1, seconds + 1)
    lost = Interval(-0.002, -0.003, -0.001)
    found = saved(query_seconds=searching, extra_seconds=-0.25, co2_kg=lost, basis=Basis.ESTIMATED)
    assert holds(found, "words@9 saves 0.500 MB of index, 25.0 %.", "Cleaning and building take 0.250 s less.")
    assert holds(found, f"no saving of searching was measured: it takes {'3.00' if seconds else '0'} s more.")
    assert holds(found, "estimated from 5 indexes that were timed.")
    assert "\N{MINUS SIGN}" not in found
    assert "No saving of CO₂ was measured." in saved(co2_kg=lost)
    assert "CO₂ saved is below resolution" in saved(co2_kg=None)
    assert "saves no index" in saved(bytes=-5.0, share=-0.01)


@pytest.mark.parametrize(("extra", "more"), [(12.5, "12.5 s more"), (-0.25, "0.250 s less")])
def test_a_difference_within_noise_is_neither_saved_nor_lost(extra: float, more: str) -> None:
    unknown = {"query_seconds": None, "co2_kg": None, "break_even": break_even(extra, None)}
    assert saved(basis=Basis.NOT_MEASURABLE, extra_seconds=extra, **unknown) == (
        f"words@9 saves 0.500 MB of index, 25.0 %. Cleaning and building take {more}. What it changes in the time of "
        "searching is not measurable here."
    )


def test_notices_come_last() -> None:
    assert said(replace(CHOICE, notices=("topic 3 has no judgment",)))[-1] == "Note: topic 3 has no judgment."


def test_models_are_named_where_there_are_several() -> None:
    other = replace(INCONCLUSIVE, retrieval="bm25")
    savings: tuple[Savings | None, ...] = (SAVED, None)
    sentences = said(chosen(DECISION, OTHER, other, savings=savings))
    assert [sentence.split(": ")[0] for sentence in sentences] == ["qld"] * 7 + ["bm25"] * 3


def test_the_loss_of_a_variant_is_that_of_its_test() -> None:
    """The bounds in the record are those of the decision, in every deciding measure."""
    for variant in (STRICT, BTE):
        picks = tuple(replace(pick, variant=variant) for pick in DECISION.picks)
        (found,) = chosen(replace(DECISION, picks=picks), OTHER).recommendations
        for effect in found.effects:
            assert (effect.difference, effect.low, effect.high) == (
                variant.test.difference,
                variant.test.low,
                variant.test.high,
            )
