"""A run over a gold standard and its results: each cleaner, over all pages and by type, tested against the baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from statistics import fmean, stdev

from thresher.base.defaults import ALPHA, HOLM
from thresher.base.errors import ConfigError, ConfigErrors
from thresher.base.progress import progress
from thresher.base.student import t_quantile
from thresher.cleaners.cleaner import BASELINE, Cleaner, parse_cleaner
from thresher.evaluation.cleaneval.cleaning_measures import CleaningSummary, Summary, summarize, summarize_pages
from thresher.evaluation.cleaneval.comparing import PageQuality, compare_cleaned, page_id, score_gold
from thresher.evaluation.cleaneval.gold import GoldStandard
from thresher.evaluation.significance import TOLERANCE, Comparison, compare, corrected
from thresher.scores.lost_pages import failures

TESTED = "word F1"
"""The measure that cleaners are tested on: F1 of words by alignment."""
UNTYPED = "no type"
"""Pages whose gold names no type."""


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


@dataclass(frozen=True)
class CleanerPages:
    """A cleaner, or another package's extractor: its quality on each page, and on how many pages it crashed."""

    name: str
    pages: tuple[PageQuality, ...]
    is_extractor: bool = False
    crashes: int = 0


@dataclass(frozen=True)
class CleanerResult:
    """A cleaner over all pages, in the order of the gold standard, next to the baseline.

    `intervals` are 95 % confidence intervals of the mean word precision, recall and F1, `token_interval` of the mean token
    F1. Pages on which a package crashed (`crashes`) count as emptied. `comparison` is of word F1 with the baseline's, paired
    by page: two-sided Wilcoxon signed-rank test, corrected over all cleaners, and the bootstrap interval of the mean
    difference; the baseline has none.
    """

    cleaner: str
    is_extractor: bool
    crashes: int
    pages: tuple[PageQuality, ...]
    summary: QualitySummary
    intervals: tuple[MeanInterval, MeanInterval, MeanInterval]
    token_interval: MeanInterval
    comparison: Comparison | None = None


def compare_cleaners(
    cleaners: Sequence[CleanerPages], alpha: float = ALPHA, correction: str = HOLM
) -> tuple[CleanerResult, ...]:
    """Summarise each cleaner and test it against the first, as `thresher.evaluation.significance.compare_all` tests.

    There is at least one, and each has the same pages, at least one.
    """
    results: list[CleanerResult] = []
    base_f1s: list[float] = []
    for cleaner in cleaners:
        aligned = [page.words.alignment for page in cleaner.pages]
        precisions, recalls, f1s = ([getattr(page, name) for page in aligned] for name in ("precision", "recall", "f1"))
        result = CleanerResult(
            cleaner.name,
            cleaner.is_extractor,
            cleaner.crashes,
            cleaner.pages,
            summarize_quality(cleaner.pages),
            (mean_interval(precisions), mean_interval(recalls), mean_interval(f1s)),
            mean_interval([page.tokens.bag.f1 for page in cleaner.pages]),
        )
        if results:
            result = replace(result, comparison=compare(f1s, base_f1s, TESTED, alpha=alpha))
        else:
            base_f1s = f1s
        results.append(result)
    comparisons = corrected([result.comparison for result in results if result.comparison], correction)
    tested = (replace(result, comparison=new) for result, new in zip(results[1:], comparisons, strict=True))
    return results[0], *tested


def summarize_quality(pages: Sequence[PageQuality]) -> QualitySummary:
    """Return all measures over at least one page."""
    rouge = [page.rouge.agreement for page in pages]
    tokens = [page.tokens.bag for page in pages]
    return QualitySummary(
        summarize_pages([page.words for page in pages]),
        summarize([page.precision for page in tokens]),
        summarize([page.recall for page in tokens]),
        summarize([page.f1 for page in tokens]),
        summarize([page.precision for page in rouge]),
        summarize([page.recall for page in rouge]),
        summarize([page.f1 for page in rouge]),
    )


def mean_interval(values: Sequence[float]) -> MeanInterval:
    """Return the mean and its 95 % confidence interval by Student's t, infinite for one value.

    Means and standard deviations below `TOLERANCE` are floating-point noise and count as 0.
    """
    if not values or not all(map(math.isfinite, values)):
        raise ValueError("finite values are needed, at least one")
    mean = fmean(values)
    mean = mean if abs(mean) >= TOLERANCE else 0.0
    if len(values) == 1:
        return MeanInterval(mean, -math.inf, math.inf)
    deviation = stdev(values)
    if deviation < TOLERANCE:
        return MeanInterval(mean, mean, mean)
    half = t_quantile(ALPHA / 2, len(values) - 1) * deviation / math.sqrt(len(values))
    return MeanInterval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class TypeQuality:
    """A cleaner over the pages of a type, or `UNTYPED`: the pages, those emptied, mean F1 of tokens as bags and of words by
    alignment, with 95 % intervals.
    """

    cleaner: str
    is_extractor: bool
    page_type: str
    pages: int
    emptied: int
    token_f1: MeanInterval
    f1: MeanInterval


def by_page_type(results: Sequence[CleanerResult], page_types: Sequence[str]) -> tuple[TypeQuality, ...]:
    """Return each cleaner over the pages of each type; `page_types` are those of the pages, in order, empty for none.

    By cleaner, and then by type, that of most pages first, pages without last; nothing if no page has a type.
    """
    if not any(page_types):
        return ()
    counts = Counter(page_types)
    types = sorted(counts, key=lambda name: (not name, -counts[name], name))
    return tuple(_over_type(result, name, page_types) for result in results for name in types)


def _over_type(result: CleanerResult, page_type: str, page_types: Sequence[str]) -> TypeQuality:
    pages = list(compress(result.pages, (name == page_type for name in page_types)))
    return TypeQuality(
        result.cleaner,
        result.is_extractor,
        page_type or UNTYPED,
        len(pages),
        sum(page.words.words == 0 for page in pages),
        mean_interval([page.tokens.bag.f1 for page in pages]),
        mean_interval([page.words.alignment.f1 for page in pages]),
    )


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
rules, BTE, minimum words and text density of a block, the perplexity paper's two cutoffs."""


def asked(names: Sequence[str]) -> tuple[Cleaner, ...]:
    """Return the cleaners to measure, all text first; without names those of `ROWS`.

    Spellings of the same name count once. All problems are raised together.
    """
    problems: list[ConfigError] = []
    cleaners: dict[str, Cleaner] = {}
    for name in (BASELINE, *(names or ROWS)):
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

    What is finished of comparisons is kept in the folder `keep`, if there is one.
    """

    folder: Path
    standard: GoldStandard
    store: Path
    keep: Path | None = None

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.resolve().name


@dataclass(frozen=True)
class CleaningRun:
    """The results of a run.

    `problems` are pages without text, or that could not be parsed or scored: (page, reason); `crashes` are of other packages:
    (extractor, page, reason).
    """

    name: str
    standard: GoldStandard
    results: tuple[CleanerResult, ...]
    problems: tuple[tuple[str, str], ...]
    crashes: tuple[tuple[str, str, str], ...]


def run_cleaners(
    gold: GoldSet,
    cleaners: Sequence[Cleaner],
    workers: int = 1,
    fresh: bool = False,
    alpha: float = ALPHA,
    correction: str = HOLM,
) -> CleaningRun:
    """Measure cleaners, the baseline first."""
    pages = gold.standard.pages
    score_gold(pages, [scorer for cleaner in cleaners for scorer in cleaner.scorers], gold.store, workers, fresh)
    found = compare_cleaned(pages, gold.store, cleaners, workers, gold.keep)
    compared = list(progress(found, "comparing", len(pages), "pages"))
    by_cleaner = zip(*(page.quality for page in compared), strict=True)
    crashes = _crashes(gold, cleaners)
    crashed = Counter(text for text, _, _ in crashes)
    measured = [
        CleanerPages(cleaner.name, quality, bool(cleaner.input_name), crashed[cleaner.input_name])
        for cleaner, quality in zip(cleaners, by_cleaner, strict=True)
    ]
    return CleaningRun(
        gold.name,
        gold.standard,
        compare_cleaners(measured, alpha, correction),
        tuple((page.stem, page.problem) for page in compared if page.problem),
        crashes,
    )


def _crashes(gold: GoldSet, cleaners: Sequence[Cleaner]) -> tuple[tuple[str, str, str], ...]:
    """Return the pages on which other packages failed, with the reasons, which begin with the package's name."""
    stems = {page_id(page): page.stem for page in gold.standard.pages}
    return tuple(
        (text, stems[failure.id], failure.reason.removeprefix(f"{text}: "))
        for text in dict.fromkeys(cleaner.input_name for cleaner in cleaners if cleaner.input_name)
        for failure in failures(gold.store, text)
    )
