"""Runs over a gold standard that never happened, small enough to be summed up by hand."""

from __future__ import annotations

from pathlib import Path

from thresher.evaluation.cleaneval.cleaning_measures import PageWords, RougeCounts, TokenCounts
from thresher.evaluation.cleaneval.comparing import PageQuality
from thresher.evaluation.cleaneval.gold import GoldPage, GoldStandard, LabelledText
from thresher.evaluation.cleaneval.results import (
    CleanerPages,
    CleanerResult,
    CleaningRun,
    ExtractorCrash,
    PageProblem,
    compare_cleaners,
)

PAGES = 12
STEMS = tuple(f"page{place:02}" for place in range(PAGES))
EMPTIED = 3
"""The page that `words@10` empties."""
TYPES = (*["article"] * 8, *["forum"] * 3, "")


def page_words(words: int, aligned: int) -> PageWords:
    """Of 50 gold words; the distance is what is missing or too much."""
    return PageWords(words, 50, aligned, max(words, 50) - aligned)


def quality(words: PageWords) -> PageQuality:
    """Return a page with as many tokens as words, of which a fifth less are right."""
    tokens = TokenCounts(words.words, words.gold, words.aligned * 4 // 5)
    rouge = RougeCounts(words.aligned, words.words, words.gold)
    return PageQuality(words, tokens, rouge, rouge)


def results(extractors: bool = True) -> tuple[CleanerResult, ...]:
    """Return the baseline, `words@10`, better on all pages but the one it empties, and a package that is worse on all."""
    kept = [page_words(0, 0) if place == EMPTIED else page_words(60, 45) for place in range(PAGES)]
    columns = [
        CleanerPages("none", (quality(page_words(100, 50)),) * PAGES),
        CleanerPages("words@10", tuple(map(quality, kept))),
        CleanerPages("extractor:x", (quality(page_words(40, 20)),) * PAGES, is_extractor=True, crashes=2),
    ]
    return compare_cleaners(columns if extractors else columns[:2])


def run(name: str = "rain & sun", extractor: str = "extractor:x") -> CleaningRun:
    """Return a run with all that a run may have."""
    pages = tuple(
        GoldPage(stem, Path(f"{stem}.html"), (LabelledText("p", "text"),), page_type=page_type)
        for stem, page_type in zip(STEMS, TYPES, strict=True)
    )
    return CleaningRun(
        name,
        GoldStandard(pages, ("lonely",), ("lost", "gone"), ("hollow",)),
        results(),
        (PageProblem("page03", "it is broken"),),
        (
            ExtractorCrash(extractor, "page05", "ValueError: two"),
            ExtractorCrash(extractor, "page06", "took longer than 30 s"),
        ),
    )


def bare() -> CleaningRun:
    """Return a run with the baseline and one cleaner, and nothing else."""
    pages = tuple(GoldPage(stem, Path(f"{stem}.html"), ()) for stem in STEMS)
    return CleaningRun("bare", GoldStandard(pages, (), ()), results(False), (), ())
