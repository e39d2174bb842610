"""A choice in sentences: every name and number of it, in order."""

from __future__ import annotations

from dataclasses import replace

from decision_samples import CHOICE, DECISION, HELD_OUT, INCONCLUSIVE, OTHER, SAVED, retested

from thresher.choosing.decisions import Decision, SizeKind
from thresher.evaluation.non_inferiority import NonInferiorityTest, Verdict
from thresher.reports.choice_sentences import choice_sentences


def said(*decisions: Decision, saved: bool = False) -> list[str]:
    return list(choice_sentences(replace(CHOICE, decisions=decisions, savings=(SAVED,) if saved else ())))


def holds(sentence: str, *facts: str) -> bool:
    """Return whether a sentence has the facts in their order; prints the first that is missing."""
    position = 0
    for fact in facts:
        begin = sentence.find(fact, position)
        if begin < 0:
            print(f"{fact!r} is missing or out of order in {sentence!r}")
            return False
        position = begin + len(fact)
    return True


def test_a_recommendation() -> None:
    first, smaller, same, knee, highest, others, saved = choice_sentences(CHOICE)
    assert holds(first, "Recommended: words@9", "smallest of 4 cutoffs", "loss of AP", "less than 0.0200 (5 % of the")
    assert holds(
        first, "baseline's 0.4000): 75.0 % of the baseline's bytes (estimated), AP 0.3940", "−0.0060 that is above"
    )
    assert holds(first, "−0.0185 with 95 % confidence for all 4 at once", "50 of 1,000 documents without text.")
    assert holds(smaller, "not ruled out: bte (45.0 % of the baseline's bytes (estimated)) would need 140 topics if")
    compared = "held-out topics (5 × 10-fold cross-validation), "
    assert holds(
        same, "The same rule scores 0.3925 against the baseline's 0.4000 (difference −0.0075, interval −0.0175 to"
    )
    assert holds(
        same, "to +0.0025)", compared, "0.0015 less than the 0.3940", "84.0 %", "same variant", "size", "80.0 %."
    )
    assert holds(
        knee, "The knee, the baseline on all topics, scores 0.4000 against the baseline's 0.4000 (difference 0.0000"
    )
    assert holds(
        knee, "interval −0.0100 to +0.0100)", compared, "0.0000 less than the 0.4000", "100.0 %", "size", "100.0 %."
    )
    assert holds(
        highest, "The highest mean, words@2 on all topics, scores 0.4020 against the baseline's 0.4000 (difference"
    )
    assert holds(
        highest, "+0.0020, interval −0.0080 to +0.0120)", compared, "0.0080 less than the 0.4100", "50.0 %", "95.0 %."
    )
    assert holds(others, "words@9 is: P@10 non-inferior (difference −0.0060).")
    assert holds(
        saved, "Over 1,000,000 queries words@9 saves 0.500 MB of index (25.0 %) and 250 s of searching", "12.5 s more"
    )
    assert holds(saved, "0.00191 kg of CO₂ are saved", "Break-even after 50,000 queries (times measured).")


def test_nothing_is_shown() -> None:
    first, same, *others = said(INCONCLUSIVE, OTHER)
    assert len(others) == 2
    assert holds(first, "Inconclusive: of 4 cutoffs there is none", "loss of AP", "less than 0.0200 (5 % of the")
    assert holds(
        first, "baseline's 0.4000). Stay with the baseline.", "words@9 (75.0 % of the baseline's bytes (estimated))"
    )
    assert holds(first, "would need the fewest topics, 70, if")
    assert holds(
        same, "The same rule scores 0.4010 against the baseline's 0.4000", "0.0010 more than the 0.4000", "96.0 %"
    )


def test_no_number_of_topics_would_do() -> None:
    lost = NonInferiorityTest(-0.1, -0.15, -0.05, 38, Verdict.INFERIOR, None)
    beyond = NonInferiorityTest(-0.025, -0.06, 0.02, 38, Verdict.INCONCLUSIVE, None)
    decision = replace(retested(INCONCLUSIVE, (lost, beyond, lost, lost)), relative_margin=None)
    assert holds(
        said(decision)[0], "Inconclusive: of 4", "less than 0.0200. Stay with the baseline. No number of topics"
    )


def test_too_few_topics() -> None:
    sentence = said(replace(INCONCLUSIVE, topics=24))[0]
    assert holds(sentence, "Inconclusive: 24 topics are too few for a verdict, at least 25", "Stay with the baseline.")
    assert holds(sentence, "words@9 (75.0 % of the baseline's bytes (estimated))", "fewest topics, 70")


def test_held_out_topics() -> None:
    first, _, smallest, highest = said(HELD_OUT)
    assert "less than 0.0200: 75.0 %" in first
    assert holds(
        smallest, "The smallest non-inferior of the 40 topics, words@9, scores 0.4300 against the baseline's 0.4350"
    )
    assert holds(
        smallest, "(difference −0.0050, interval −0.0150 to +0.0050) on the 30 held-out topics", "+0.0200 beyond"
    )
    assert holds(highest, "The highest mean of the 40 topics, words@2, scores 0.4600 against the baseline's 0.4350")
    assert holds(
        highest, "(difference +0.0250, interval +0.0150 to +0.0350) on the 30 held-out topics", "0.0000 beyond"
    )
    tests = [variant.test for variant in INCONCLUSIVE.variants]
    stayed = replace(retested(HELD_OUT, tests), picks=(replace(HELD_OUT.picks[0], variant=None),))
    assert said(stayed)[1].startswith("The smallest non-inferior of the 40 topics, the baseline, scores 0.4300")


def test_savings_that_are_not_known() -> None:
    unknown = replace(SAVED, query_seconds=None, extra_seconds=None, co2_kg=None, break_even=None, measured=False)
    decision = replace(DECISION, size_kind=SizeKind.POSTINGS)
    sentences = list(choice_sentences(replace(CHOICE, decisions=(decision,), savings=(replace(unknown, bytes=None),))))
    assert holds(
        sentences[-1], "Over 1,000,000 queries words@9 saves 25.0 % of the baseline's postings;", "has been run."
    )
    assert "75.0 % of the baseline's postings" in sentences[0]


def test_losses_and_estimates() -> None:
    lost = replace(SAVED, query_seconds=-3.0, extra_seconds=-0.25, co2_kg=None, measured=False)
    sentence = list(choice_sentences(replace(CHOICE, savings=(lost,))))[-1]
    assert holds(
        sentence, "words@9 saves 0.500 MB of index (25.0 %) but takes 3.00 s longer to search, for 0.250 s less"
    )
    assert holds(
        sentence, "CO₂ saved is below resolution", "after 50,000 queries", "estimated from 5 indexes that were built"
    )
    warmer = replace(lost, co2_kg=-0.002)
    assert "0.00200 kg more CO₂ are emitted" in list(choice_sentences(replace(CHOICE, savings=(warmer,))))[-1]


def test_notices_come_last() -> None:
    assert list(choice_sentences(replace(CHOICE, notices=("topic 3 has no judgment",))))[-1] == (
        "Note: topic 3 has no judgment."
    )


def test_models_are_named_where_there_are_several() -> None:
    sentences = said(DECISION, OTHER, replace(INCONCLUSIVE, retrieval="bm25"), saved=True)
    assert [sentence.split(": ")[0] for sentence in sentences] == ["qld"] * 7 + ["bm25"] * 4
