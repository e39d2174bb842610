"""The results of a run over a gold standard: each cleaner, over all pages and by type, tested against the baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress
from operator import sub
from statistics import fmean, stdev
from typing import Any

from thresher.cleaneval.cleaning_measures import (
    Agreement,
    CleaningSummary,
    SnippetCounts,
    Summary,
    agreement,
    summarize,
    summarize_pages,
)
from thresher.cleaneval.judging import PageQuality
from thresher.defaults import ALPHA, HOLM
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
class TTest:
    """A paired t-test: the mean difference with its interval, t, the degrees of freedom and the two-sided p."""

    difference: MeanInterval
    t: float
    df: int
    p: float


BIN = 5
"""The width of bins of differences in percentage points, as in Fig. 3 of the NCleaner paper."""


@dataclass(frozen=True)
class PageDifferences:
    """A cleaner's differences from the baseline by page, in percentage points (NCleaner, Fig. 3).

    Attributes:
        mean: over the pages.
        bins: pages by bin, in order: 1 is (0, `BIN`], -1 is [-`BIN`, 0), so each includes its bound farther from zero.
        tied: pages without a difference, which are in no bin.
    """

    mean: float
    bins: tuple[tuple[int, int], ...]
    tied: int

    @property
    def won(self) -> int:
        """Pages on which the cleaner is better."""
        return sum(pages for number, pages in self.bins if number > 0)

    @property
    def lost(self) -> int:
        """Pages on which it is worse."""
        return sum(pages for number, pages in self.bins if number < 0)


def page_differences(values: Sequence[float], baseline: Sequence[float]) -> PageDifferences:
    """Return the differences of values in [0, 1], one per page, from the baseline's, in the same order."""
    differences = [100 * (value - base) for value, base in zip(values, baseline, strict=True)]
    bins = Counter(
        int(math.copysign(max(1, math.ceil(round(abs(value), 6) / BIN)), value))
        for value in differences
        if abs(value) >= 100 * TOLERANCE
    )
    return PageDifferences(fmean(differences), tuple(sorted(bins.items())), len(differences) - bins.total())


@dataclass(frozen=True)
class SegmentationSummary:
    """Segment boundaries over the `pages` pages whose gold text has any: pooled (micro), and F1 by page (macro)."""

    pages: int
    labelled: Agreement
    unlabelled: Agreement
    labelled_f1: Summary
    unlabelled_f1: Summary


@dataclass(frozen=True)
class SnippetSummary:
    """Snippets over the `pages` whose gold names any.

    `counts` pool all pages, and so do their shares (micro). `recall` is the mean over pages with required snippets,
    `leak_rate` that over pages with forbidden ones, each with its 95 % interval; None without such pages.
    """

    pages: int
    counts: SnippetCounts
    recall: MeanInterval | None
    leak_rate: MeanInterval | None


@dataclass(frozen=True)
class QualitySummary:
    """All measures over pages; `segmentation` is None where no gold text has segments, `snippets` where no gold names any."""

    words: CleaningSummary
    token_precision: Summary
    token_recall: Summary
    token_f1: Summary
    segmentation: SegmentationSummary | None
    rouge_precision: Summary
    rouge_recall: Summary
    rouge_f1: Summary
    snippets: SnippetSummary | None


@dataclass(frozen=True)
class CleanerPages:
    """A cleaner, or another package (`is_peer`): its quality on each page, and on how many pages it crashed."""

    name: str
    pages: tuple[PageQuality, ...]
    is_peer: bool = False
    crashes: int = 0


@dataclass(frozen=True)
class CleanerResult:
    """A cleaner over all pages, in the order of the gold standard, next to the baseline.

    `intervals` are 95 % confidence intervals of the mean word precision, recall and F1, `token_interval` of the mean token
    F1. Pages on which a package crashed (`crashes`) count as emptied. `comparison` is of word F1 with the baseline's, paired
    by page: two-sided Wilcoxon signed-rank test, corrected over all cleaners, and the bootstrap interval of the mean
    difference. `t_test` is Student's test of the same differences, `t_precision` of those of precision, which are
    `precision_differences`. The baseline has none of the four.
    """

    cleaner: str
    is_peer: bool
    crashes: int
    pages: tuple[PageQuality, ...]
    summary: QualitySummary
    intervals: tuple[MeanInterval, MeanInterval, MeanInterval]
    token_interval: MeanInterval
    comparison: Comparison | None = None
    t_test: TTest | None = None
    t_precision: TTest | None = None
    precision_differences: PageDifferences | None = None


def compare_cleaners(
    cleaners: Sequence[CleanerPages], alpha: float = ALPHA, correction: str = HOLM
) -> tuple[CleanerResult, ...]:
    """Summarise each cleaner and test it against the first.

    Args:
        cleaners: at least one, each with the same pages, at least one.
        alpha, correction: as in `thresher.evaluation.significance.compare_all`.
    """
    results: list[CleanerResult] = []
    base_precisions: list[float] = []
    base_f1s: list[float] = []
    for cleaner in cleaners:
        aligned = [page.words.alignment for page in cleaner.pages]
        precisions, recalls, f1s = ([getattr(page, name) for page in aligned] for name in ("precision", "recall", "f1"))
        result = CleanerResult(
            cleaner.name,
            cleaner.is_peer,
            cleaner.crashes,
            cleaner.pages,
            summarize_quality(cleaner.pages),
            (mean_interval(precisions), mean_interval(recalls), mean_interval(f1s)),
            mean_interval([page.tokens.bag.f1 for page in cleaner.pages]),
        )
        if results:
            result = replace(
                result,
                comparison=compare(f1s, base_f1s, TESTED, alpha=alpha),
                t_test=paired_t_test(f1s, base_f1s),
                t_precision=paired_t_test(precisions, base_precisions),
                precision_differences=page_differences(precisions, base_precisions),
            )
        else:
            base_precisions, base_f1s = precisions, f1s
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
        _segmentation(pages),
        summarize([page.precision for page in rouge]),
        summarize([page.recall for page in rouge]),
        summarize([page.f1 for page in rouge]),
        summarize_snippets([page.snippets for page in pages]),
    )


def summarize_snippets(pages: Sequence[SnippetCounts | None]) -> SnippetSummary | None:
    """Summarise the snippets of pages; None if no page has any."""
    counts = [page for page in pages if page is not None]
    if not counts:
        return None
    recalls = [page.recall for page in counts if page.recall is not None]
    leak_rates = [page.leak_rate for page in counts if page.leak_rate is not None]
    return SnippetSummary(
        len(counts),
        SnippetCounts(
            sum(page.required for page in counts),
            sum(page.kept for page in counts),
            sum(page.forbidden for page in counts),
            sum(page.leaked for page in counts),
        ),
        mean_interval(recalls) if recalls else None,
        mean_interval(leak_rates) if leak_rates else None,
    )


def _segmentation(pages: Sequence[PageQuality]) -> SegmentationSummary | None:
    counts = [page.segments for page in pages if page.segments is not None]
    # An empty gold text does not show whether the others have segments.
    if not any(page.gold for page in counts):
        return None
    cleaned, gold = sum(page.cleaned for page in counts), sum(page.gold for page in counts)
    return SegmentationSummary(
        len(counts),
        agreement(sum(page.right for page in counts), cleaned, gold),
        agreement(sum(page.right_unlabelled for page in counts), cleaned, gold),
        summarize([page.labelled.f1 for page in counts]),
        summarize([page.unlabelled.f1 for page in counts]),
    )


def paired_t_test(values: Sequence[float], baseline: Sequence[float]) -> TTest:
    """Test whether the mean of paired differences is zero (Student 1908; NCleaner, section 4, over pages).

    Where all differences are equal, t = 0 and p = 1 if they are zero, else t is infinite and p = 0. One pair has no
    variance: t = 0, p = 1.

    Args:
        values: one per page, finite.
        baseline: the baseline's, in the same order of pages.

    Raises:
        ValueError: if there are no values, not as many of both, or any is not finite.
    """
    if len(values) != len(baseline):
        raise ValueError(f"{len(values)} values cannot be paired with {len(baseline)}")
    differences, df = [*map(sub, values, baseline)], len(values) - 1
    interval = mean_interval(differences)
    if not df or interval == MeanInterval(0, 0, 0):
        return TTest(interval, 0.0, df, 1.0)
    if interval.low == interval.high:
        return TTest(interval, math.copysign(math.inf, interval.mean), df, 0.0)
    t = interval.mean / (stdev(differences) / math.sqrt(len(differences)))
    return TTest(interval, t, df, float(_two_sided_p(t, df)))


def mean_interval(values: Sequence[float]) -> MeanInterval:
    """Return the mean and its 95 % confidence interval by Student's t, infinite for one value.

    Means and standard deviations below `TOLERANCE` are floating-point noise and count as 0.

    Raises:
        ValueError: if there are no values or any is not finite.
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
    half = _critical_t(len(values) - 1) * deviation / math.sqrt(len(values))
    return MeanInterval(mean, mean - half, mean + half)


def _two_sided_p(t: Any, df: int) -> Any:
    """Return P(|T| >= |t|) as the regularised incomplete beta function (Abramowitz and Stegun 1964, 26.7.1 and 26.5.27)."""
    from mpmath import betainc

    return betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True)


@cache
def _critical_t(df: int) -> float:
    """Return the t whose two-sided p is `ALPHA`."""
    from mpmath import findroot

    return float(findroot(lambda t: _two_sided_p(t, df) - ALPHA, 2))


@dataclass(frozen=True)
class TypeQuality:
    """A cleaner over the pages of a type: means over pages with 95 % intervals.

    Attributes:
        page_type: the type, or `UNTYPED`.
        pages: how many there are.
        emptied: how many the cleaner leaves without words.
        token_f1: F1 of tokens as bags.
        f1: F1 of words by alignment.
        snippets: None where no such page's gold names any.
    """

    cleaner: str
    is_peer: bool
    page_type: str
    pages: int
    emptied: int
    token_f1: MeanInterval
    f1: MeanInterval
    snippets: SnippetSummary | None


def by_page_type(results: Sequence[CleanerResult], page_types: Sequence[str]) -> tuple[TypeQuality, ...]:
    """Return each cleaner over the pages of each type.

    Args:
        results: over the same pages.
        page_types: of the pages, in their order; empty for a page without.

    Returns:
        by cleaner, in order, and then by type, that of most pages first, pages without last; nothing if no page has a type.
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
        result.is_peer,
        page_type or UNTYPED,
        len(pages),
        sum(page.words.words == 0 for page in pages),
        mean_interval([page.tokens.bag.f1 for page in pages]),
        mean_interval([page.words.alignment.f1 for page in pages]),
        summarize_snippets([page.snippets for page in pages]),
    )
