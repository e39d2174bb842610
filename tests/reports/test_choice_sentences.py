"""What stands beside the recommendation, in sentences: every name and number of it, in order."""

from __future__ import annotations

from dataclasses import replace

from decision_samples import CHOICE, DECISION, GUARDED, HELD_OUT, INCONCLUSIVE, OTHER, chosen, holds

from thresher.choosing.decisions import Decision
from thresher.reports.choice_html import choice_sentences


def said(*decisions: Decision) -> list[str]:
    return list(choice_sentences(chosen(*decisions)))


def test_other_rules_and_measures() -> None:
    knee, highest, others = choice_sentences(CHOICE)
    assert holds(knee, "On held-out topics the knee, the baseline", "scores 0.4000", "baseline has 0.4000.")
    assert holds(knee, "between −0.0100 and +0.0100.", "0.0000 less than the 0.4000", "100.0 %", "size", "100.0 %.")
    assert holds(highest, "On held-out topics the highest mean, words@2", "scores 0.4020", "baseline has 0.4000.")
    assert holds(highest, "between −0.0080 and +0.0120.", "0.0080 less than the 0.4100", "50.0 %", "95.0 %.")
    assert others == "By its own margin words@9 is non-inferior in P@10."


def test_the_unguarded_pick_stands_beside_another() -> None:
    smallest, *_ = said(GUARDED)
    assert holds(smallest, "the smallest non-inferior, words@9", "scores 0.3910", "baseline has 0.4000.")
    assert holds(smallest, "0.0030 less than the 0.3940", "88.0 %", "same variant", "size", "75.0 %.")
    assert len(said(GUARDED)) == len(said(DECISION)) + 1


def test_held_out_topics() -> None:
    (highest,) = said(HELD_OUT)
    assert "40 topics" in highest
    assert holds(highest, "The highest mean", "words@2", "scores 0.4600", "baseline has 0.4350.")
    assert holds(highest, "between +0.0150 and +0.0350.", "30 held-out ones.", "0.0000 beyond")


def test_models_are_named_where_there_are_several() -> None:
    sentences = said(DECISION, OTHER, replace(INCONCLUSIVE, retrieval="bm25"))
    assert [sentence.split(": ")[0] for sentence in sentences] == ["qld"] * 3 + ["bm25"] * 2
