"""One cleaned page against its gold text, by every measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.cleaneval.labels import LabelledText
from thresher.cleaneval.measures import PageWords, compare_words
from thresher.cleaneval.reliability import PageStatistics, page_statistics
from thresher.cleaneval.rouge import RougeCounts, rouge_lsum
from thresher.cleaneval.segmentation import SegmentCounts, compare_segments


@dataclass(frozen=True)
class PageQuality:
    """How well a page was cleaned: its words, its segments (None where the gold text has none), ROUGE-LSum.

    `statistics` are of the cleaned page alone; None if it holds no word.
    """

    words: PageWords
    segments: SegmentCounts | None
    rouge: RougeCounts
    statistics: PageStatistics | None


def compare_page(cleaned: Sequence[LabelledText], gold: Sequence[LabelledText]) -> PageQuality:
    """Compare a cleaned page with its gold text."""
    text, wanted = joined(cleaned), joined(gold)
    return PageQuality(
        compare_words(text, wanted),
        compare_segments(cleaned, gold),
        rouge_lsum(text, wanted),
        page_statistics([part.text for part in cleaned]),
    )


def joined(parts: Sequence[LabelledText]) -> str:
    """Return the text of the parts, each on lines of its own."""
    return "\n".join(part.text for part in parts)
