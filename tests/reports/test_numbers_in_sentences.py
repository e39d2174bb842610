"""No sentence of a report has more than two numbers, so that each can be read at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from choice_samples import choice_of, explored, measured
from decision_samples import (
    CHOICE,
    DECISION,
    GUARDED,
    HELD_OUT,
    INCONCLUSIVE,
    OTHER,
    SAVED,
    STRICT,
    chosen,
    retested,
)
from number_counts import crowded, names_of
from report_samples import BASELINE, JUSTEXT, NDCG, WORDS, large, small

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Basis, RuleName
from thresher.choosing.guards import GuardName
from thresher.costs import Interval, break_even
from thresher.evaluation.non_inferiority import NonInferiorityTest, Verdict
from thresher.reports.choice_html import choice_sentences
from thresher.reports.recommendation import answer
from thresher.reports.summary import summary
from thresher.results.experiment_results import Results, TitleBias

LOST = NonInferiorityTest(-0.01, -0.0345, 0.02, 30, Verdict.INCONCLUSIVE, 200)
STAYED = replace(
    GUARDED,
    variants=tuple(replace(one, broken=tuple(GuardName)) for one in GUARDED.variants),
    picks=tuple(replace(pick, variant=None) if pick.rule is RuleName.GUARDED else pick for pick in GUARDED.picks),
)
SECONDS = Interval(0.25, 0.2, 0.3125)
SAVINGS = (
    SAVED,
    replace(SAVED, bytes=None, basis=Basis.NOT_RUN, query_seconds=None, extra_seconds=None, break_even=None),
    replace(SAVED, basis=Basis.NOT_MEASURABLE, query_seconds=None, co2_kg=None, break_even=break_even(12.5, None)),
    replace(SAVED, basis=Basis.ESTIMATED, extra_seconds=-0.25, break_even=break_even(-0.25, SECONDS)),
    replace(SAVED, query_seconds=Interval(-3.0, -4.0, -2.0), co2_kg=None, bytes=-5.0, share=-0.01),
    replace(SAVED, break_even=break_even(12.5, SECONDS)),
)


CHOICES: dict[str, Callable[[], Choice]] = {
    "recommended": lambda: CHOICE,
    "guarded": lambda: chosen(GUARDED, OTHER),
    "held out": lambda: chosen(HELD_OUT),
    "inconclusive": lambda: chosen(INCONCLUSIVE, OTHER),
    "few topics": lambda: chosen(replace(INCONCLUSIVE, topics=24)),
    "hopeless": lambda: chosen(retested(INCONCLUSIVE, [STRICT.test] * 4)),
    "every guard": lambda: chosen(STAYED, OTHER),
    "few in training": lambda: chosen(replace(STAYED, topics=27), retested(OTHER, [LOST] * 4)),
    "two models": lambda: chosen(DECISION, OTHER, replace(INCONCLUSIVE, retrieval="bm25"), savings=(SAVED, None)),
    "measured": lambda: measured()[1],
    "explored": lambda: choice_of(explored()),
} | {f"savings {place}": partial(chosen, DECISION, savings=(saved,)) for place, saved in enumerate(SAVINGS)}

BIASED = TitleBias(1000, 99, 251)
RESULTS: dict[str, Callable[[], Results]] = {
    "small": small,
    "one variant": lambda: replace(small(), rows=(BASELINE, JUSTEXT)),
    "baseline": lambda: replace(small(), rows=(BASELINE,)),
    "few topics": lambda: replace(small(), topics=6),
    "few topics, not corrected": lambda: replace(small(), topics=5, correction="none"),
    "titles": lambda: replace(small(), title_bias=BIASED, held_out=replace(small(), title_bias=BIASED)),
    "twins": lambda: replace(
        small(),
        rows=(BASELINE, replace(WORDS, variant="words(headings=keep)@11")),
        without_headings=replace(small(), rows=(BASELINE, replace(WORDS, variant="words(headings=drop)@11"))),
        twins={"none": "none", "words(headings=keep)@11": "words(headings=drop)@11"},
    ),
    "large": lambda: large(topics=20, retrievals=("qld", "qld(exact)")),
    "measured": lambda: measured()[0],
}


def test_numbers_are_counted_without_names() -> None:
    names = ("words@9", "words@9|dcp@0.5", NDCG, "P@10")
    assert crowded(["words@9|dcp@0.5 has −0.5 in P@10. It has 1,000.5 of 2,000 pages."], names) == []
    (found,) = crowded([f"In {NDCG} 1 of 2 is fine. In {NDCG} words@9 has 1 of 2, and 3 %. So."], names)
    assert found == "In NAME NAME has 1 of 2, and 3 %."
    assert crowded(["1 and words@99 and 2."], names) != []
    assert names_of(CHOICE) == {"qld", "AP", "P@10", "words@30", "words@9", "words@2", "bte"}


@pytest.mark.parametrize("kind", CHOICES)
def test_no_sentence_on_a_choice_has_more_than_two(kind: str) -> None:
    choice = CHOICES[kind]()
    said = [*answer(choice), *choice_sentences(choice)]
    assert said
    assert crowded(said, names_of(choice)) == []


@pytest.mark.parametrize("kind", RESULTS)
def test_no_sentence_on_results_has_more_than_two(kind: str) -> None:
    found = RESULTS[kind]()
    for choice in (None, CHOICE):
        said = summary(found, choice)
        assert said
        assert crowded(said, names_of(choice, found)) == []
