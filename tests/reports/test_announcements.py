"""Announcements in words."""

from __future__ import annotations

import re

import pytest

from thresher.experiments.announcements import Announcement, Step
from thresher.reports.announcements import announcement_text

FACTS: dict[Step, dict[str, str | int | float | tuple[str, ...]]] = {
    Step.READING: {"collection": "pages"},
    Step.MATCHING_ENDS: {"dropped": "docs", "queries": 25},
    Step.MATCHING_CANONICAL: {"queries": 25},
    Step.SCORING: {"scorers": "words, density"},
    Step.FINDING_PERCENTILES: {"scorer": "words"},
    Step.INDEXING: {"variants": 7, "pages": 60},
    Step.TIMING: {"variants": 7, "seconds": 2.5},
    Step.TIMING_AGAIN: {"variants": 7, "seconds": 60.0},
    Step.EXPLORING: {"scorers": 2},
    Step.TESTING: {"variants": 7, "measures": ("AP", "P@5")},
    Step.READING_TOPICS: {"topics": 3},
    Step.EXPLAINING: {"variant": "words@5", "baseline": "none"},
    Step.UNREADABLE_RESULTS: {"problem": "version 4"},
    Step.UNREADABLE_CHOICE: {"problem": "version 6"},
    Step.OTHER_EVIDENCE: {},
}


@pytest.mark.parametrize("step", list(Step))
def test_every_step_has_words_with_all_its_facts(step: Step) -> None:
    text = announcement_text(Announcement(step, FACTS[step]))
    for fact in FACTS[step].values():
        shown = f"{fact:g}" if isinstance(fact, float) else str(fact)
        if isinstance(fact, tuple):
            shown = " and ".join(fact)
        assert re.search(rf"(?<!\w){re.escape(shown)}(?!\w)", text)


@pytest.mark.parametrize(
    ("step", "facts", "text"),
    [
        (Step.READING_TOPICS, {"topics": 1}, "reading the pages of 1 topic"),
        (Step.INDEXING, {"variants": 1, "pages": 1200}, "indexing and searching 1 variant of 1,200 pages"),
        (
            Step.TESTING,
            {"variants": 3, "measures": ("nDCG(dcg='exp-log2')@10", "AP")},
            "testing 3 variants by exp-nDCG@10 and AP",
        ),
    ],
)
def test_counts_and_measures_are_written_as_in_tables(
    step: Step, facts: dict[str, int | tuple[str, ...]], text: str
) -> None:
    assert announcement_text(Announcement(step, facts)) == text
