"""A run over a gold standard and its results: each cleaner, over all pages and by type, tested against the baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

from thresher.base.defaults import ALPHA, HOLM, WILCOXON
from thresher.base.errors import ConfigError, ConfigErrors
from thresher.base.progress import progress
from thresher.base.student import t_quantile
from thresher.cleaners.cleaner import BASELINE, Cleaner, parse_cleaner
from thresher.cleaners.scorer import Scorer
from thresher.evaluation.cleaneval.cleaning_measures import (
    Agreement,
    CleaningSummary,
    PageWords,
    Summary,
    agreement_values,
    summarize,
    summarize_pages,
)
from thresher.evaluation.cleaneval.comparing import PageQuality, compare_cleaned, page_id, score_gold
from thresher.evaluation.cleaneval.gold import GoldStandard
from thresher.evaluation.significance import TOLERANCE, Comparison, compare, corrected
from thresher.scores.lost_pages import failures

TESTED = "word F1"
"""The measure that cleaners are tested on: F1 of words by alignment."""
UNTYPED = "no type"
"""Pages whose gold names no type."""
ROWS = (
    "bars",
    "ncleaner@0",
    "ncleaner(model=nonlexical)@0",
    "justext",
    "boilerpipe(rules=words)",
    "boilerpipe(rules=density)",
    "boilerpipe(rules=cleaneval)",
    "boilerpipe(rules=words,filter=article)",
    "bte",
    "words@10",
    "density@10.5",
    "perplexity(lm=books)@8000",
    "perplexity(lm=books)@10000",
)
"""Cleaners, most of them of the papers' tables, besides all text: heuristics only, NCleaner's models, jusText, Boilerpipe's
rules, BTE, minimum words and text density of a block, the perplexity paper's two cutoffs.
"""


@dataclass(frozen=True)
class MeanInterval:
    """A mean and its confidence interval, which is unbounded (infinite) for a single value."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half of the interval's width, which is symmetric."""
        return self.high - self.mean


@dataclass(frozen=True)
class QualitySummary:
    """All measures over pages."""

    words: CleaningSummary
    token_precision: Summary
    token_recall: Summary
    token_f1: Summary
    rouge_precision: Summary
    rouge_recall: Summary
    rouge_f1: Summary
    rouge_5_f1: Summary


@dataclass(frozen=True)
class CleanerPages:
    """A cleaner, or another package's extractor: its quality on each page, and the number of pages on which it crashed."""

    name: str
    pages: tuple[PageQuality, ...]
    is_extractor: bool = False
    crashes: int = 0


@dataclass(frozen=True)
class CleanerResult:
    """A cleaner over all pages, in the order of the gold standard, next to the baseline.

    `intervals` are 95 % confidence intervals of the mean word precision, recall and F1, `token_interval` of the mean token
    F1. Pages on which a package crashed (`crashes`) count as emptied. `comparison` is of word F1 with the baseline's, paired
    by page, corrected over all cleaners; the baseline has none.
    """

    cleaner: str
    is_extractor: bool
    crashes: int
    pages: tuple[PageQuality, ...]
    summary: QualitySummary
    intervals: tuple[MeanInterval, MeanInterval, MeanInterval]
    token_interval: MeanInterval
    comparison: Comparison | None = None


@dataclass(frozen=True)
class SignificanceOptions:
    """How cleaners are tested: see `thresher.evaluation.significance.compare_all`."""

    alpha: float = ALPHA
    correction: str = HOLM
    test: str = WILCOXON


def compare_cleaners(
    cleaners: Sequence[CleanerPages], testing: SignificanceOptions = SignificanceOptions()
) -> tuple[CleanerResult, ...]:
    """Summarise each cleaner and test it against the first, as `thresher.evaluation.significance.compare_all` tests.

    There is at least one cleaner. All cleaners have the same pages, at least one.
    """
    baseline_f1s = _word_f1s(cleaners[0].pages)
    results: list[CleanerResult] = []
    comparisons: list[Comparison] = []
    for cleaner in cleaners[1:]:
        results.append(_without_comparison(cleaner))
        comparisons.append(
            compare(_word_f1s(cleaner.pages), baseline_f1s, TESTED, alpha=testing.alpha, test=testing.test)
        )
    tested = [_without_comparison(cleaners[0])]
    for result, comparison in zip(results, corrected(comparisons, testing.correction), strict=True):
        tested.append(replace(result, comparison=comparison))
    return tuple(tested)


def _word_f1s(pages: Sequence[PageQuality]) -> list[float]:
    return [page.words.alignment.f1 for page in pages]


def _token_f1s(pages: Sequence[PageQuality]) -> list[float]:
    return [page.tokens.bag.f1 for page in pages]


def _without_comparison(cleaner: CleanerPages) -> CleanerResult:
    words = agreement_values(page.words.alignment for page in cleaner.pages)
    return CleanerResult(
        cleaner=cleaner.name,
        is_extractor=cleaner.is_extractor,
        crashes=cleaner.crashes,
        pages=cleaner.pages,
        summary=summarize_quality(cleaner.pages),
        intervals=(mean_interval(words.precision), mean_interval(words.recall), mean_interval(words.f1)),
        token_interval=mean_interval(_token_f1s(cleaner.pages)),
    )


def summarize_quality(pages: Sequence[PageQuality]) -> QualitySummary:
    """Return all measures over at least one page."""
    words: list[PageWords] = []
    tokens: list[Agreement] = []
    rouge: list[Agreement] = []
    rouge_5_f1s: list[float] = []
    for page in pages:
        words.append(page.words)
        tokens.append(page.tokens.bag)
        rouge.append(page.rouge.agreement)
        rouge_5_f1s.append(page.rouge_5.agreement.f1)
    token_values = agreement_values(tokens)
    rouge_values = agreement_values(rouge)
    return QualitySummary(
        words=summarize_pages(words),
        token_precision=summarize(token_values.precision),
        token_recall=summarize(token_values.recall),
        token_f1=summarize(token_values.f1),
        rouge_precision=summarize(rouge_values.precision),
        rouge_recall=summarize(rouge_values.recall),
        rouge_f1=summarize(rouge_values.f1),
        rouge_5_f1=summarize(rouge_5_f1s),
    )


def mean_interval(values: Sequence[float]) -> MeanInterval:
    """Return the mean and its 95 % confidence interval by Student's t, infinite for one value.

    Means and standard deviations below `TOLERANCE` are floating-point noise and count as 0.
    """
    if not values or not all(map(math.isfinite, values)):
        raise ValueError("finite values are needed, at least one")
    mean = fmean(values)
    if abs(mean) < TOLERANCE:
        mean = 0.0
    if len(values) == 1:
        return MeanInterval(mean, -math.inf, math.inf)
    deviation = stdev(values)
    if deviation < TOLERANCE:
        return MeanInterval(mean, mean, mean)
    half = t_quantile(ALPHA / 2, len(values) - 1) * deviation / math.sqrt(len(values))
    return MeanInterval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class TypeQuality:
    """A cleaner over the pages of a type, or over the `UNTYPED` pages.

    Attributes:
        pages: the number of pages.
        emptied: the number of pages without text after cleaning.
        token_f1: mean F1 of tokens as bags, with its 95 % interval.
        f1: mean F1 of words by alignment, with its 95 % interval.
    """

    cleaner: str
    is_extractor: bool
    page_type: str
    pages: int
    emptied: int
    token_f1: MeanInterval
    f1: MeanInterval


def by_page_type(results: Sequence[CleanerResult], page_types: Sequence[str]) -> tuple[TypeQuality, ...]:
    """Return the quality of each cleaner over the pages of each type.

    Args:
        results: the cleaners, over the same pages.
        page_types: the type of each page, in the order of the pages; empty for a page without a type.

    Returns:
        Qualities by cleaner, and then by type: the most frequent type first, pages without a type last. Empty if no page has
        a type.
    """
    if not any(page_types):
        return ()
    counts = Counter(page_types)
    types = sorted(counts, key=lambda name: (not name, -counts[name], name))
    qualities: list[TypeQuality] = []
    for result in results:
        for page_type in types:
            qualities.append(_over_type(result, page_type, page_types))
    return tuple(qualities)


def _over_type(result: CleanerResult, page_type: str, page_types: Sequence[str]) -> TypeQuality:
    pages: list[PageQuality] = []
    emptied = 0
    for page, type_of_page in zip(result.pages, page_types, strict=True):
        if type_of_page != page_type:
            continue
        pages.append(page)
        if page.words.words == 0:
            emptied += 1
    return TypeQuality(
        cleaner=result.cleaner,
        is_extractor=result.is_extractor,
        page_type=page_type or UNTYPED,
        pages=len(pages),
        emptied=emptied,
        token_f1=mean_interval(_token_f1s(pages)),
        f1=mean_interval(_word_f1s(pages)),
    )


def parse_cleaners(names: Sequence[str]) -> tuple[Cleaner, ...]:
    """Return the cleaners to measure, all text first. Without names, return the cleaners of `ROWS`.

    Different spellings of one name count once.

    Raises:
        ConfigErrors: with the problems of all names together.
    """
    problems: list[ConfigError] = []
    cleaners: dict[str, Cleaner] = {}
    all_names = [BASELINE]
    all_names += names or ROWS
    for name in all_names:
        try:
            cleaner = parse_cleaner(name).checked()
            cleaners[cleaner.name] = cleaner
        except ConfigError as problem:
            problems.append(problem)
    if problems:
        raise ConfigErrors(problems)
    return tuple(cleaners.values())


@dataclass(frozen=True)
class GoldSet:
    """A gold standard, its folder, and the score store of its pages.

    Finished comparisons are stored in the folder `keep`, if there is one.
    """

    folder: Path
    standard: GoldStandard
    store: Path
    keep: Path | None = None

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.resolve().name


class PageProblem(NamedTuple):
    """A page without text, or that could not be parsed or scored, and the reason."""

    page: str
    reason: str


class ExtractorCrash(NamedTuple):
    """A page on which another package's extractor failed, and the reason."""

    extractor: str
    page: str
    reason: str


@dataclass(frozen=True)
class CleaningRun:
    """The results of a run over the gold standard `name`."""

    name: str
    standard: GoldStandard
    results: tuple[CleanerResult, ...]
    problems: tuple[PageProblem, ...]
    crashes: tuple[ExtractorCrash, ...]


def run_cleaners(
    gold: GoldSet,
    cleaners: Sequence[Cleaner],
    workers: int = 1,
    fresh: bool = False,
    testing: SignificanceOptions = SignificanceOptions(),
) -> CleaningRun:
    """Measure cleaners, the baseline first."""
    pages = gold.standard.pages
    scorers: list[Scorer] = []
    for cleaner in cleaners:
        scorers.extend(cleaner.scorers)
    score_gold(pages, scorers, gold.store, workers, fresh)
    qualities: list[list[PageQuality]] = [[] for _ in cleaners]
    problems: list[PageProblem] = []
    compared_pages = compare_cleaned(pages, gold.store, cleaners, workers, gold.keep)
    for page in progress(compared_pages, "comparing", len(pages), "pages"):
        for cleaner_pages, quality in zip(qualities, page.quality, strict=True):
            cleaner_pages.append(quality)
        if page.problem:
            problems.append(PageProblem(page.stem, page.problem))
    crashes = _crashes(gold, cleaners)
    crash_counts: Counter[str] = Counter()
    for crash in crashes:
        crash_counts[crash.extractor] += 1
    measured: list[CleanerPages] = []
    for cleaner, cleaner_pages in zip(cleaners, qualities, strict=True):
        extractor = cleaner.input_name
        measured.append(CleanerPages(cleaner.name, tuple(cleaner_pages), bool(extractor), crash_counts[extractor]))
    return CleaningRun(
        name=gold.name,
        standard=gold.standard,
        results=compare_cleaners(measured, testing),
        problems=tuple(problems),
        crashes=crashes,
    )


def _crashes(gold: GoldSet, cleaners: Sequence[Cleaner]) -> tuple[ExtractorCrash, ...]:
    """Return the crashes of other packages, by package; reasons do not repeat the package's name."""
    stems = {page_id(page): page.stem for page in gold.standard.pages}
    extractors = dict.fromkeys(cleaner.input_name for cleaner in cleaners)
    # Cleaners of the page's own text cannot crash a package.
    extractors.pop("", None)
    crashes: list[ExtractorCrash] = []
    for extractor in extractors:
        for failure in failures(gold.store, extractor):
            reason = failure.reason.removeprefix(f"{extractor}: ")
            crashes.append(ExtractorCrash(extractor, stems[failure.id], reason))
    return tuple(crashes)
