"""Runs over a gold standard that never happened, small enough to be summed up by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from thresher.cleaneval.judging import PageQuality
from thresher.cleaneval.reliability import PageStatistics, measure_reliability

from thresher.cleaneval.cleaning_measures import PageWords, SegmentCounts, SnippetCounts, TokenCounts
from thresher.cleaneval.gold import GoldPage, GoldStandard
from thresher.cleaneval.gold_texts import LabelledText
from thresher.cleaneval.results import CleanerPages, CleanerResult, compare_cleaners
from thresher.cleaneval.rouge import RougeCounts
from thresher.cleaneval.running import CleaningRun
from thresher.cleaneval.sweeps import GoldSweep, best_cutoff, sweep_points, transfer

PAGES = 12
STEMS = tuple(f"page{place:02}" for place in range(PAGES))
EMPTIED = 3
"""The page that `words@10` empties."""
TYPES = (*["article"] * 8, *["forum"] * 3, "")
BARE = 11
"""The page without type and snippets."""


def page_words(words: int, aligned: int) -> PageWords:
    """Of 50 gold words; the distance is what is missing or too much."""
    return PageWords(words, 50, aligned, aligned, max(words, 50) - aligned)


def quality(words: PageWords, place: int, segments: SegmentCounts | None = None) -> PageQuality:
    """Return a page with as many tokens as words, of which a fifth less are right."""
    statistics = PageStatistics(1 + place, 5.0 + place % 5, (place % 7) / 10) if words.words else None
    tokens = TokenCounts(words.words, words.gold, words.shared * 4 // 5)
    return PageQuality(words, tokens, segments, RougeCounts(words.aligned, words.words, words.gold), statistics)


def results(segments: bool = True, peers: bool = True, snippets: bool = False) -> tuple[CleanerResult, ...]:
    """Return the baseline, `words@10`, better on all pages but the one it empties, and a package that is worse on all."""
    counts = SegmentCounts(8, 4, 2, 3) if segments else None
    columns = [
        CleanerPages("none", tuple(quality(page_words(100, 50), place, counts) for place in range(PAGES))),
        CleanerPages(
            "words@10",
            tuple(
                quality(page_words(0, 0) if place == EMPTIED else page_words(60, 45), place, counts)
                for place in range(PAGES)
            ),
        ),
        CleanerPages(
            "peer:x",
            tuple(quality(page_words(40, 20), place, counts) for place in range(PAGES)),
            is_peer=True,
            crashes=2,
        ),
    ]
    if snippets:
        columns = [with_snippets(column, kept) for column, kept in zip(columns, ((2, 1), (1, 0), (2, 0)), strict=True)]
    return compare_cleaners(columns if peers else columns[:2])


def with_snippets(column: CleanerPages, found: tuple[int, int]) -> CleanerPages:
    """Return a cleaner that keeps that many of two snippets that must stay and of one that must go."""
    counts = [SnippetCounts(2, *(found[:1] if page.words.words else (0,)), 1, found[1]) for page in column.pages]
    pages = [replace(page, snippets=one) for page, one in zip(column.pages, counts, strict=True)]
    pages[BARE] = column.pages[BARE]
    return replace(column, pages=tuple(pages))


def sweep(gold: str = "here", cutoffs: int = 4) -> GoldSweep:
    """Return a curve whose best cutoff is 2, without any as good: at the cutoff c, 100 - 20·(c - 1) words are left."""
    pages = {
        float(cutoff): [page_words(max(0, 100 - 20 * (cutoff - 1)), aligned) for _ in range(PAGES)]
        for cutoff, aligned in zip(range(1, cutoffs + 1), [50, 49, 30, *[10] * cutoffs], strict=False)
    }
    pages = {cutoff: [page if page.words else page_words(0, 0) for page in result] for cutoff, result in pages.items()}
    points = sweep_points(pages, True)
    return GoldSweep("words", gold, Path(gold), points, best_cutoff(points), tuple(2 / 3 for _ in range(PAGES)))


def run(name: str = "rain & sun", peer: str = "peer:x") -> CleaningRun:
    """Return a run with all that a run may have."""
    result = results(snippets=True)
    words = result[1]
    precisions = [page.words.alignment.precision for page in words.pages]
    reliability = measure_reliability([page.statistics for page in words.pages], precisions, 0.7)
    pages = tuple(
        GoldPage(stem, Path(f"{stem}.html"), (LabelledText("p", "text"),), page_type=page_type)
        for stem, page_type in zip(STEMS, TYPES, strict=True)
    )
    tuned, tested = sweep("here"), replace(sweep("there"), is_tested=True)
    return CleaningRun(
        name,
        GoldStandard(pages, ("lonely",), ("lost", "gone"), ("hollow",)),
        result,
        (("page03", "it is broken"),),
        ((peer, "page05", "ValueError: two"), (peer, "page06", "took longer than 30 s")),
        (("words@10", reliability),),
        (tuned,),
        (tested,),
        (transfer(tuned, tested),),
    )


def bare() -> CleaningRun:
    """Return a run with the baseline and one cleaner, without segments, and nothing else."""
    pages = tuple(GoldPage(stem, Path(f"{stem}.html"), ()) for stem in STEMS)
    return CleaningRun("bare", GoldStandard(pages, (), ()), results(False, False), (), (), (), (), (), ())
