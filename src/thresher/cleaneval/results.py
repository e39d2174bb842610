"""The results of a run over a gold standard: each cleaner, over all pages and by type, tested against the baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, takewhile
from pathlib import Path
from statistics import fmean, stdev

from thresher.cleaneval import cleaning_measures as measures
from thresher.cleaneval.cleaning_measures import Agreement, CleaningSummary, PageWords, Summary, summarize
from thresher.cleaneval.comparing import PageQuality
from thresher.defaults import ALPHA, HOLM
from thresher.errors import ConfigError
from thresher.evaluation.non_inferiority import t_quantile
from thresher.evaluation.significance import TOLERANCE, Comparison, compare, corrected

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
        measures.summarize_pages([page.words for page in pages]),
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


@dataclass(frozen=True)
class SweepPoint:
    """Word precision, recall and F1 by alignment at one cutoff.

    `macro` are means over pages: its F1 is the mean of the pages' F1, not the F1 of the other two. `micro` pools the words of
    all pages. `f1s` are the pages' F1, in their order.
    """

    cutoff: float
    macro: Agreement
    micro: Agreement
    f1s: tuple[float, ...]


@dataclass(frozen=True)
class BestCutoff:
    """The cutoff of the best mean F1, and its plateau, the cutoffs from `low` to `high` that are about as good."""

    cutoff: float
    f1: float
    low: float
    high: float


@dataclass(frozen=True)
class GoldSweep:
    """A scorer at its cutoffs on one gold standard: its name, folder, and each page's F1 without cleaning (`baseline`).

    `is_tested` where cutoffs chosen on another gold standard are tested.
    """

    scorer: str
    gold: str
    folder: Path
    points: tuple[SweepPoint, ...]
    best: BestCutoff
    baseline: tuple[float, ...]
    is_tested: bool = False


@dataclass(frozen=True)
class GoldTransfer:
    """A cutoff chosen on one gold standard and tested on another; every F1 is a mean over pages.

    On the pages tested on, `best_f1` at `best_cutoff` is the highest of the sweep, `baseline_f1` that of all text, and
    `comparison` compares the pages' F1 at `cutoff` with that of all text.
    """

    scorer: str
    cutoff: float
    tuned_on: str
    tuned_f1: float
    tested_on: str
    tested_f1: float
    best_cutoff: float
    best_f1: float
    baseline_f1: float
    comparison: Comparison


def sweep_points(pages: Mapping[float, Sequence[PageWords]], higher_is_stricter: bool) -> tuple[SweepPoint, ...]:
    """Return the points of a sweep, from the cutoff that removes least to the one that removes most.

    `pages` are by cutoff: the same in the same order, at least one.
    """
    return tuple(_point(cutoff, pages[cutoff]) for cutoff in sorted(pages, reverse=not higher_is_stricter))


def best_cutoff(points: Sequence[SweepPoint]) -> BestCutoff:
    """Return the cutoff of the best mean F1 (ties: the one that removes least) and its plateau.

    The plateau is the unbroken range of cutoffs around the best whose mean F1 is at most one standard error lower: s/√n of
    the difference to the best, paired by page. Points are in the order of `sweep_points`, at least one.
    """
    highest = max(point.macro.f1 for point in points)
    index, best = next((index, one) for index, one in enumerate(points) if one.macro.f1 >= highest - TOLERANCE)
    before = takewhile(lambda point: _as_good(point, best), reversed(points[:index]))
    after = takewhile(lambda point: _as_good(point, best), points[index + 1 :])
    plateau = [best.cutoff, *(point.cutoff for point in (*before, *after))]
    return BestCutoff(best.cutoff, best.macro.f1, min(plateau), max(plateau))


def transfer(tuned: GoldSweep, tested: GoldSweep, alpha: float = ALPHA) -> GoldTransfer:
    """Test the best cutoff of the gold standard `tuned` on `tested`; `alpha` is the significance level."""
    if tuned.folder.resolve() == tested.folder.resolve():
        raise ConfigError(
            "a cutoff cannot be tested on the pages that it was chosen on", "give two folders", str(tested.folder)
        )
    point = next((point for point in tested.points if point.cutoff == tuned.best.cutoff), None)
    if point is None:
        raise ConfigError(
            f"the cutoff {tuned.best.cutoff:g} was not tried", "sweep over the same cutoffs in both", str(tested.folder)
        )
    return GoldTransfer(
        scorer=tuned.scorer,
        cutoff=tuned.best.cutoff,
        tuned_on=tuned.gold,
        tuned_f1=tuned.best.f1,
        tested_on=tested.gold,
        tested_f1=point.macro.f1,
        best_cutoff=tested.best.cutoff,
        best_f1=tested.best.f1,
        baseline_f1=fmean(tested.baseline),
        comparison=compare(point.f1s, tested.baseline, TESTED, alpha=alpha),
    )


def _point(cutoff: float, pages: Sequence[PageWords]) -> SweepPoint:
    aligned = [page.alignment for page in pages]
    macro = Agreement(*(fmean(getattr(page, name) for page in aligned) for name in ("precision", "recall", "f1")))
    micro = measures.agreement(*(sum(getattr(page, name) for page in pages) for name in ("aligned", "words", "gold")))
    return SweepPoint(cutoff, macro, micro, tuple(page.f1 for page in aligned))


def _as_good(point: SweepPoint, best: SweepPoint) -> bool:
    lost = [highest - f1 for highest, f1 in zip(best.f1s, point.f1s, strict=True)]
    error = stdev(lost) / math.sqrt(len(lost)) if len(lost) > 1 else 0.0
    return fmean(lost) <= error + TOLERANCE
