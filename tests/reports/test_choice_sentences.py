"""A choice in sentences, to the letter."""

from __future__ import annotations

from dataclasses import replace

from decision_samples import CHOICE, DECISION, HELD_OUT, INCONCLUSIVE, OTHER, SAVED, retested

from thresher.choosing.decisions import Decision, SizeKind
from thresher.evaluation.non_inferiority import NonInferiorityTest, Verdict
from thresher.reports.choice_sentences import choice_sentences


def said(*decisions: Decision, saved: bool = False) -> list[str]:
    return list(choice_sentences(replace(CHOICE, decisions=decisions, savings=(SAVED,) if saved else ())))


def test_a_recommendation() -> None:
    assert list(choice_sentences(CHOICE)) == [
        "Recommended: words@9, the smallest of 4 cutoffs whose loss of AP is shown to be less than 0.0200 (5 % of the "
        "baseline's 0.4000): 75.0 % of the baseline's bytes (estimated), AP 0.3940, a difference of −0.0060 that is above "
        "−0.0185 with 95 % confidence for all 4 at once. It leaves 50 of 1,000 documents without text.",
        "Smaller ones are not refuted: bte (45.0 % of the baseline's bytes (estimated)) would need 140 topics, were its "
        "difference and spread what they are here.",
        "The same rule is worth 0.3925 against 0.4000 of the baseline (difference −0.0075, interval −0.0175 to "
        "+0.0025) on topics that had no part in picking (5 × 10-fold cross-validation), 0.0015 less than the 0.3940 "
        "of its own topics; 84.0 % of the trainings pick the same, and their picks have 80.0 % of the size.",
        "The knee, the baseline on all topics, is worth 0.4000 against 0.4000 of the baseline (difference 0.0000, "
        "interval −0.0100 to +0.0100) on topics that had no part in picking (5 × 10-fold cross-validation), 0.0000 "
        "less than the 0.4000 of its own topics; 100.0 % of the trainings pick the same, and their picks have 100.0 "
        "% of the size.",
        "The highest mean, words@2 on all topics, is worth 0.4020 against 0.4000 of the baseline (difference "
        "+0.0020, interval −0.0080 to +0.0120) on topics that had no part in picking (5 × 10-fold cross-validation), "
        "0.0080 less than the 0.4100 of its own topics; 50.0 % of the trainings pick the same, and their picks have "
        "95.0 % of the size.",
        "In the other measures, each at its own margin, words@9 is: P@10 non-inferior (difference −0.0060).",
        "Over 1,000,000 queries words@9 saves 0.500 MB of index (25.0 %) and 250 s of searching, for 12.5 s more of "
        "cleaning and building: 0.00191 kg of CO₂. It has paid off after 50,000 queries (times measured).",
    ]


def test_nothing_is_shown() -> None:
    sentences = said(INCONCLUSIVE, OTHER)
    assert sentences[0] == (
        "Inconclusive: of 4 cutoffs there is none whose loss of AP is shown to be less than 0.0200 (5 % of the "
        "baseline's 0.4000). Stay with the baseline. Of those with a smaller index than the baseline's, words@9 "
        "(75.0 % of the baseline's bytes (estimated)) would need the fewest topics, 70, were its difference and "
        "spread what they are here."
    )
    assert sentences[1].startswith("The same rule is worth 0.4010 against 0.4000 of the baseline")
    assert "0.0010 more than the 0.4000 of its own topics; 96.0 % of the trainings pick the same" in sentences[1]
    assert len(sentences) == 4


def test_no_number_of_topics_would_do() -> None:
    lost = NonInferiorityTest(-0.1, -0.15, -0.05, 38, Verdict.INFERIOR, None)
    beyond = NonInferiorityTest(-0.025, -0.06, 0.02, 38, Verdict.INCONCLUSIVE, None)
    decision = replace(retested(INCONCLUSIVE, (lost, beyond, lost, lost)), relative_margin=None)
    assert said(decision)[0] == (
        "Inconclusive: of 4 cutoffs there is none whose loss of AP is shown to be less than 0.0200. Stay with the "
        "baseline. No number of topics would show it of a smaller index, were the differences what they are here."
    )


def test_too_few_topics() -> None:
    assert said(replace(INCONCLUSIVE, topics=24))[0] == (
        "Inconclusive: 24 topics are too few for a verdict, at least 25 are needed. Stay with the baseline. Of those with a "
        "smaller index than the baseline's, words@9 (75.0 % of the baseline's bytes (estimated)) would need the "
        "fewest topics, 70, were its difference and spread what they are here."
    )


def test_held_out_topics() -> None:
    sentences = said(HELD_OUT)
    assert "less than 0.0200: 75.0 %" in sentences[0]
    assert sentences[2:] == [
        "The smallest non-inferior of the 40 topics, words@9, has 0.4300 against 0.4350 of the baseline (difference "
        "−0.0050, interval −0.0150 to +0.0050) on the 30 held-out topics; the best pick of those themselves promises "
        "+0.0200 beyond that.",
        "The highest mean of the 40 topics, words@2, has 0.4600 against 0.4350 of the baseline (difference +0.0250, "
        "interval +0.0150 to +0.0350) on the 30 held-out topics; the best pick of those themselves promises 0.0000 "
        "beyond that.",
    ]
    tests = [variant.test for variant in INCONCLUSIVE.variants]
    stayed = replace(retested(HELD_OUT, tests), picks=(replace(HELD_OUT.picks[0], variant=None),))
    assert said(stayed)[1].startswith("The smallest non-inferior of the 40 topics, the baseline, has 0.4300")


def test_savings_that_are_not_known() -> None:
    unknown = replace(SAVED, query_seconds=None, extra_seconds=None, co2_kg=None, break_even=None, measured=False)
    decision = replace(DECISION, size_kind=SizeKind.POSTINGS)
    sentences = list(choice_sentences(replace(CHOICE, decisions=(decision,), savings=(replace(unknown, bytes=None),))))
    assert sentences[-1] == (
        "Over 1,000,000 queries words@9 saves 25.0 % of the baseline's postings; what it saves in time is known once the "
        "experiment has been run."
    )
    assert "75.0 % of the baseline's postings" in sentences[0]


def test_losses_and_estimates() -> None:
    lost = replace(SAVED, query_seconds=-3.0, extra_seconds=-0.25, co2_kg=None, measured=False)
    assert list(choice_sentences(replace(CHOICE, savings=(lost,))))[-1] == (
        "Over 1,000,000 queries words@9 saves 0.500 MB of index (25.0 %) and −3.00 s of searching, for 0.250 s less "
        "of cleaning and building: an amount of CO₂ below resolution. It has paid off after 50,000 queries (times "
        "estimated from 5 indexes that were built)."
    )


def test_notices_come_last() -> None:
    assert list(choice_sentences(replace(CHOICE, notices=("topic 3 has no judgment",))))[-1] == (
        "Mind: topic 3 has no judgment."
    )


def test_models_are_named_where_there_are_several() -> None:
    sentences = said(DECISION, OTHER, replace(INCONCLUSIVE, retrieval="bm25"), saved=True)
    assert [sentence.split(": ")[0] for sentence in sentences] == ["qld"] * 7 + ["bm25"] * 4
