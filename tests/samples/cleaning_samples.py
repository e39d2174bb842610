"""Runs over a gold standard that never happened, small enough to be summed up by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from thresher.cleaneval.cleaning_measures import PageWords, RougeCounts, TokenCounts
from thresher.cleaneval.comparing import PageQuality
from thresher.cleaneval.gold import GoldPage, GoldStandard, LabelledText
from thresher.cleaneval.results import (
    CleanerPages,
    CleanerResult,
    GoldSweep,
    best_cutoff,
    compare_cleaners,
    sweep_points,
    transfer,
)
from thresher.cleaneval.running import CleaningRun

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
    return PageQuality(words, tokens, RougeCounts(words.aligned, words.words, words.gold))


def results(extractors: bool = True) -> tuple[CleanerResult, ...]:
    """Return the baseline, `words@10`, better on all pages but the one it empties, and a package that is worse on all."""
    kept = [page_words(0, 0) if place == EMPTIED else page_words(60, 45) for place in range(PAGES)]
    columns = [
        CleanerPages("none", (quality(page_words(100, 50)),) * PAGES),
        CleanerPages("words@10", tuple(map(quality, kept))),
        CleanerPages("extractor:x", (quality(page_words(40, 20)),) * PAGES, is_extractor=True, crashes=2),
    ]
    return compare_cleaners(columns if extractors else columns[:2])


def sweep(gold: str = "here", cutoffs: int = 4) -> GoldSweep:
    """Return a curve whose best cutoff is 2, without any as good: at the cutoff c, 100 - 20·(c - 1) words are left."""
    pages = {
        float(cutoff): [page_words(max(0, 100 - 20 * (cutoff - 1)), aligned) for _ in range(PAGES)]
        for cutoff, aligned in zip(range(1, cutoffs + 1), [50, 49, 30, *[10] * cutoffs], strict=False)
    }
    pages = {cutoff: [page if page.words else page_words(0, 0) for page in result] for cutoff, result in pages.items()}
    points = sweep_points(pages, True)
    return GoldSweep("words", gold, Path(gold), points, best_cutoff(points), tuple(2 / 3 for _ in range(PAGES)))


def run(name: str = "rain & sun", extractor: str = "extractor:x") -> CleaningRun:
    """Return a run with all that a run may have."""
    pages = tuple(
        GoldPage(stem, Path(f"{stem}.html"), (LabelledText("p", "text"),), page_type=page_type)
        for stem, page_type in zip(STEMS, TYPES, strict=True)
    )
    tuned, tested = sweep("here"), replace(sweep("there"), is_tested=True)
    return CleaningRun(
        name,
        GoldStandard(pages, ("lonely",), ("lost", "gone"), ("hollow",)),
        results(),
        (("page03", "it is broken"),),
        ((extractor, "page05", "ValueError: two"), (extractor, "page06", "took longer than 30 s")),
        (tuned,),
        (tested,),
        (transfer(tuned, tested),),
    )


def bare() -> CleaningRun:
    """Return a run with the baseline and one cleaner, and nothing else."""
    pages = tuple(GoldPage(stem, Path(f"{stem}.html"), ()) for stem in STEMS)
    return CleaningRun("bare", GoldStandard(pages, (), ()), results(False), (), (), (), (), ())
