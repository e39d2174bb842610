"""Announcements of long work, in words."""

from __future__ import annotations

from thresher.base.number_text import counted
from thresher.experiments.announcements import Announcement, Step

_WORDS = {
    Step.READING: "reading {collection}",
    Step.MATCHING_ENDS: "pages of {queries} queries matched by their paths below {dropped}, without suffix",
    Step.MATCHING_CANONICAL: "pages of {queries} queries matched, also by the addresses that pages call canonical",
    Step.SCORING: "scoring pages by {scorers}",
    Step.FINDING_PERCENTILES: "finding percentiles of {scorer}",
    Step.INDEXING: "indexing and searching {variants} variants of {pages} pages",
    Step.TIMING: "timing {variants} variants together (searches: up to {seconds:g} s, --seconds 0 for not at all)",
    Step.TIMING_AGAIN: "timing {variants} variants together (searches: up to {seconds:g} s)",
    Step.TESTING: "testing {variants} variants by {measures}",
    Step.READING_TOPICS: "reading the pages of {topics} topics",
    Step.EXPLAINING: "explaining scores: {variant} against {baseline}",
    Step.UNREADABLE_RESULTS: "{problem}: the earlier results are computed again",
    Step.OTHER_EVIDENCE: "earlier results were computed from other pages, topics or options: they are left out",
}


def announcement_text(announcement: Announcement) -> str:
    """Return an announcement as a line."""
    if announcement.step is Step.EXPLORING:
        scorers = counted(int(announcement.facts["scorers"]), "scorer")
        return f"exploring all cutoffs of {scorers} and of pruning methods"
    return _WORDS[announcement.step].format(**announcement.facts)
