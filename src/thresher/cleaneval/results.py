"""What a run over a gold standard comes to: each cleaner over all pages, summed up and tested against the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thresher.cleaneval.judging import PageQuality
from thresher.cleaneval.measures import Agreement, CleaningSummary, Summary, agreement, summarize, summarize_pages
from thresher.cleaneval.t_test import Interval, TTest, mean_interval, paired_t_test
from thresher.evaluation.records import Comparison
from thresher.evaluation.significance import compare, holm

TESTED = "word F1"
"""The measure that cleaners are tested on: the F of words by alignment."""


@dataclass(frozen=True)
class SegmentationSummary:
    """How well segments were found over `pages` pages whose gold text has any: pooled (micro), and F by page (macro)."""

    pages: int
    labelled: Agreement
    unlabelled: Agreement
    labelled_f1: Summary
    unlabelled_f1: Summary


@dataclass(frozen=True)
class QualitySummary:
    """All measures over pages; `segmentation` is None where no gold text has segments."""

    words: CleaningSummary
    segmentation: SegmentationSummary | None
    rouge_precision: Summary
    rouge_recall: Summary
    rouge_f1: Summary


@dataclass(frozen=True)
class CleanerResult:
    """A cleaner, or another package (`is_peer`), over all pages, in the order of the gold standard.

    `intervals` bound the means of word precision, recall and F1 over pages, at 95 %. `crashes` counts the pages on which a
    package failed; they count as emptied. `comparison` is of the word F1 with the baseline's, paired by page: two-sided
    Wilcoxon signed-rank test, corrected over all rows tested, and the bootstrap interval of the mean difference; `t_test`
    tests the same differences by Student's t, `t_precision` those of precision. The baseline has none.
    """

    cleaner: str
    is_peer: bool
    crashes: int
    pages: tuple[PageQuality, ...]
    summary: QualitySummary
    intervals: tuple[Interval, Interval, Interval]
    comparison: Comparison | None = None
    t_test: TTest | None = None
    t_precision: TTest | None = None


@dataclass(frozen=True)
class CleanerPages:
    """A cleaner or package with its quality by page, and on how many pages it crashed."""

    name: str
    pages: tuple[PageQuality, ...]
    is_peer: bool = False
    crashes: int = 0


def compare_cleaners(columns: Sequence[CleanerPages]) -> tuple[CleanerResult, ...]:
    """Return what each cleaner comes to, tested against the first.

    Args:
        columns: at least one, each with the same pages, at least one.
    """
    scores = [[page.words.alignment.f1 for page in column.pages] for column in columns]
    precisions = [[page.words.alignment.precision for page in column.pages] for column in columns]
    recalls = [[page.words.alignment.recall for page in column.pages] for column in columns]
    compared = [compare(values, scores[0], TESTED) for values in scores[1:]]
    corrected = holm([comparison.p for comparison in compared])
    results = [
        CleanerResult(
            column.name,
            column.is_peer,
            column.crashes,
            column.pages,
            summarize_quality(column.pages),
            (mean_interval(precisions[place]), mean_interval(recalls[place]), mean_interval(scores[place])),
        )
        for place, column in enumerate(columns)
    ]
    return (
        results[0],
        *(
            replace(
                result,
                comparison=replace(comparison, p_holm=p),
                t_test=paired_t_test(scores[place], scores[0]),
                t_precision=paired_t_test(precisions[place], precisions[0]),
            )
            for place, (result, comparison, p) in enumerate(zip(results[1:], compared, corrected, strict=True), start=1)
        ),
    )


def summarize_quality(pages: Sequence[PageQuality]) -> QualitySummary:
    """Return all measures over at least one page."""
    rouge = [page.rouge.agreement for page in pages]
    return QualitySummary(
        summarize_pages([page.words for page in pages]),
        _segmentation(pages),
        summarize([page.precision for page in rouge]),
        summarize([page.recall for page in rouge]),
        summarize([page.f1 for page in rouge]),
    )


def _segmentation(pages: Sequence[PageQuality]) -> SegmentationSummary | None:
    counts = [page.segments for page in pages if page.segments is not None]
    if not counts:
        return None
    found, wanted = sum(page.found for page in counts), sum(page.wanted for page in counts)
    return SegmentationSummary(
        len(counts),
        agreement(sum(page.right for page in counts), found, wanted),
        agreement(sum(page.right_unlabelled for page in counts), found, wanted),
        summarize([page.labelled.f1 for page in counts]),
        summarize([page.unlabelled.f1 for page in counts]),
    )
