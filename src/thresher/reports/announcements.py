"""Announcements of long work, in words."""

from __future__ import annotations

from thresher.base.number_text import counted
from thresher.experiments.announcements import Announcement, Step
from thresher.reports.table import measure_header

_NOUNS = {"variants": "variant", "pages": "page", "topics": "topic", "scorers": "scorer"}
"""The nouns of counts, by the names of the facts."""

_WORDS = {
    Step.READING: "reading {collection}",
    Step.MATCHING_ENDS: "pages of {queries} queries matched by their paths below {dropped}, without suffix",
    Step.MATCHING_CANONICAL: "pages of {queries} queries matched, also by the addresses that pages call canonical",
    Step.SCORING: "scoring pages by {scorers}",
    Step.FINDING_PERCENTILES: "finding percentiles of {scorer}",
    Step.INDEXING: "indexing and searching {variants} of {pages}",
    Step.TIMING: "timing {variants} together (searches: up to {seconds:g} s, --seconds 0 for not at all)",
    Step.TIMING_AGAIN: "timing {variants} together (searches: up to {seconds:g} s)",
    Step.EXPLORING: "exploring all cutoffs of {scorers} and of pruning methods",
    Step.TESTING: "testing {variants} by {measures}",
    Step.READING_TOPICS: "reading the pages of {topics}",
    Step.EXPLAINING: "explaining scores: {variant} against {baseline}",
    Step.UNREADABLE_RESULTS: "{problem}: the earlier results are computed again",
    Step.UNREADABLE_CHOICE: "{problem}: the earlier choice is removed; run `thresher choose` again",
    Step.OTHER_EVIDENCE: "earlier results were computed from other pages, topics or options: they are left out",
}


def announcement_text(announcement: Announcement) -> str:
    """Return an announcement as a line."""
    facts: dict[str, object] = dict(announcement.facts)
    for name, noun in _NOUNS.items():
        count = facts.get(name)
        if isinstance(count, int):
            facts[name] = counted(count, noun)
    measures = announcement.facts.get("measures")
    if isinstance(measures, tuple):
        facts["measures"] = " and ".join(measure_header(measure).name for measure in measures)
    return _WORDS[announcement.step].format(**facts)
