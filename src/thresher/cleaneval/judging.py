"""Cleaners over a gold standard: every page parsed and scored once, cleaned by each, compared with its gold text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from joblib import Parallel, delayed

from thresher.cleaneval.gold import GoldPage
from thresher.cleaneval.measures import CleaningSummary, PageWords, compare_words, summarize_pages
from thresher.collections import Page
from thresher.errors import ThresherError
from thresher.evaluation.records import Comparison
from thresher.evaluation.significance import compare, holm
from thresher.files import user_error
from thresher.pruning.cutting import clean_page
from thresher.pruning.page_scores import score_page
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import Cleaner

TESTED = "word F1"
"""The measure that cleaners are tested on: the F of words by alignment."""


@dataclass(frozen=True)
class JudgedPage:
    """A page's words against its gold text, by cleaner in the order asked; `problem` says why it could not be read.

    A page that cannot be parsed or scored counts as emptied by every cleaner.
    """

    stem: str
    words: tuple[PageWords, ...]
    problem: str = ""


@dataclass(frozen=True)
class CleanerResult:
    """A cleaner over all pages, in the order of the gold standard.

    `comparison` is of the word F1 by alignment with the first cleaner's, paired by page: two-sided Wilcoxon signed-rank
    test, corrected over all cleaners tested, and the interval of the mean difference. The first cleaner has none.
    """

    cleaner: str
    pages: tuple[PageWords, ...]
    summary: CleaningSummary
    comparison: Comparison | None = None


def judge_pages(pages: Sequence[GoldPage], cleaners: Sequence[Cleaner], workers: int = 1) -> Iterator[JudgedPage]:
    """Clean every page by every cleaner and compare, in the order of the pages.

    Args:
        pages: pages with gold.
        cleaners: at least one; a scorer that several share scores each page once.
        workers: how many processes.

    Raises:
        InputError: if a page's file cannot be read.
        ThresherError: what a scorer raises that lacks its model.
    """
    # Scorers with one canonical name are one.
    scorers = tuple({scorer.canonical_name: scorer for cleaner in cleaners for scorer in cleaner.scorers}.values())
    for scorer in scorers:
        # Before the workers begin, so that they do not all build the same model.
        scorer.prepare()
    pool = Parallel(n_jobs=workers, return_as="generator")
    yield from pool(delayed(judge_page)(page, cleaners, scorers) for page in pages)


def judge_page(page: GoldPage, cleaners: Sequence[Cleaner], scorers: Sequence[Scorer]) -> JudgedPage:
    """Clean one page by every cleaner and compare it with its gold text.

    Args:
        page: the page.
        cleaners: the cleaners.
        scorers: all that the cleaners need.

    Raises:
        InputError: if the page's file cannot be read.
        ThresherError: what a scorer raises that lacks its model.
    """
    try:
        content = page.path.read_bytes()
    except OSError as error:
        raise user_error(error, page.path) from error
    try:
        scored = score_page(Page(page.stem, content), scorers)
    except ThresherError:
        raise
    except Exception as error:
        # One page that a parser or scorer cannot take must not end the comparison of all.
        reason = " ".join(f"cannot be scored: {type(error).__name__}: {error}".split())
        return JudgedPage(page.stem, (compare_words("", page.text),) * len(cleaners), reason)
    gold = page.text
    # Cleaners often leave the same text, and comparing is what takes time.
    compared: dict[str, PageWords] = {}
    words = []
    for cleaner in cleaners:
        text = clean_page(scored, cleaner).text
        if text not in compared:
            compared[text] = compare_words(text, gold)
        words.append(compared[text])
    problem = scored.reason if scored.segments is None else ""
    return JudgedPage(page.stem, tuple(words), problem)


def compare_cleaners(cleaners: Sequence[str], judged: Sequence[JudgedPage]) -> tuple[CleanerResult, ...]:
    """Return what each cleaner comes to, tested against the first.

    Args:
        cleaners: names, in the order of each page's `words`.
        judged: at least one page.
    """
    columns = [tuple(page.words[place] for page in judged) for place in range(len(cleaners))]
    scores = [[page.alignment.f1 for page in column] for column in columns]
    compared = [compare(values, scores[0], TESTED) for values in scores[1:]]
    corrected = holm([comparison.p for comparison in compared])
    tests = [None, *(replace(test, p_holm=p) for test, p in zip(compared, corrected, strict=True))]
    return tuple(
        CleanerResult(name, column, summarize_pages(column), comparison)
        for name, column, comparison in zip(cleaners, columns, tests, strict=True)
    )
