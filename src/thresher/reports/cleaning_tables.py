"""The tables and CSV files of cleaning evaluation; each column is declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeVar

from thresher.cleaneval.cleaning_measures import Agreement, SegmentCounts
from thresher.cleaneval.judging import PageQuality
from thresher.cleaneval.reliability import LOW, Reliability
from thresher.cleaneval.results import CleanerResult, SegmentationSummary, TypeQuality, by_page_type
from thresher.cleaneval.running import CleaningRun
from thresher.cleaneval.sweeps import BestCutoff, GoldSweep, GoldTransfer, SweepPoint
from thresher.defaults import CORRECTIONS
from thresher.evaluation.significance import Comparison
from thresher.reports.cleaning_columns import (
    AGREEMENT,
    CLEANER,
    COMPARISON,
    DECIMALS,
    NUMBER,
    SNIPPET_COUNTS,
    SNIPPETS,
    SNIPPETS_SHOWN,
    SUMMARY,
    T_TEST,
    MeasuredPage,
    cleaner_columns,
    interval_columns,
    page_columns,
    snippet_caption,
)
from thresher.reports.formatting import MARKS, correction_text, cutoff_text, direction, fixed, marks_text
from thresher.reports.page_type_tables import page_type_table
from thresher.reports.table import COUNT, Column, Table, csv_table, decimals, each, pick, within

Row = TypeVar("Row")
CUTOFFS = 12
"""About as many cutoffs of a sweep are shown on a terminal."""


def _as_written(value: float) -> float:
    """Return a whole number as an integer, as canonical names write it."""
    return int(value) if value == int(value) else value


def _pooled(read: Callable[[Row], Agreement]) -> list[Column[Row]]:
    columns = within(AGREEMENT, read, "micro_", "Words by alignment, all pages pooled")
    return [replace(column, unit="micro") for column in columns]


def _summary(name: str, header: str, about: str, unit: str = "", **mean: Any) -> list[Column[CleanerResult]]:
    first, sd, median = within(SUMMARY, attrgetter(f"summary.words.{name}"), f"{name}_", about)
    return [replace(first, header=header, unit=unit, **mean), sd, replace(median, header=header)]


def _rouge(name: str, unit: str) -> list[Column[CleanerResult]]:
    first, sd, median = within(SUMMARY, attrgetter(f"summary.{name}"), f"{name}_", f"{unit} by ROUGE-LSum".capitalize())
    return [replace(first, header="ROUGE-LSum", unit=unit), sd, replace(median, header="ROUGE-LSum")]


def _token(part: str, header: str) -> list[Column[CleanerResult]]:
    first, sd, median = within(
        SUMMARY,
        attrgetter(f"summary.token_{part}"),
        f"token_{part}_",
        f"{header[0].upper()}{header[1:]} of tokens as bags",
    )
    return [replace(first, header="token", unit=header), sd, replace(median, header=f"token {header}")]


def _segmentation(kind: str) -> list[Column[SegmentationSummary]]:
    about = f"Segment markers, {kind}"
    pooled = within(AGREEMENT, attrgetter(kind), f"{kind}_", f"{about}, all pages pooled")
    (macro,) = within(SUMMARY[:1], attrgetter(f"{kind}_f1"), about=f"{about}, F1")
    return [
        *(replace(column, header=kind, unit=column.header) for column in pooled),
        replace(macro, name=f"{kind}_f1_macro", header=kind, unit="F1, macro"),
    ]


CLEANERS: tuple[Column[CleanerResult], ...] = (
    *cleaner_columns(lambda row: row.summary.words.emptied),
    *_summary("precision", "precision", "Precision of words by alignment"),
    *_summary("recall", "recall", "Recall of words by alignment"),
    *_summary("f1", "F1", "F1 of words by alignment", mark=lambda row: MARKS[direction(row.comparison)]),
    *_summary("bag_precision", "bag precision", "Precision of words as bags"),
    *_summary("bag_recall", "bag recall", "Recall of words as bags"),
    *_summary("bag_f1", "bag F1", "F1 of words as bags"),
    *_token("precision", "precision"),
    *_token("recall", "recall"),
    *_token("f1", "F1"),
    *_summary("similarity", "Levenshtein", "Levenshtein similarity in per cent", "%", format=decimals(1)),
    *_rouge("rouge_precision", "precision"),
    *_rouge("rouge_recall", "recall"),
    *_rouge("rouge_f1", "F1"),
    *interval_columns("precision", "precision", lambda row: row.intervals[0], "mean precision"),
    *interval_columns("recall", "recall", lambda row: row.intervals[1], "mean recall"),
    *interval_columns("f1", "F1", lambda row: row.intervals[2], "mean F1"),
    *interval_columns("token_f1", "token F1", lambda row: row.token_interval, "mean token F1"),
    *_pooled(lambda row: row.summary.words.micro),
    *within(AGREEMENT, lambda row: row.summary.words.micro_bag, "micro_bag_", "Words as bags, all pages pooled"),
    *within(
        (
            Column("segmented_pages", lambda item: item.pages, "Pages whose gold text has segment markers."),
            *_segmentation("labelled"),
            *_segmentation("unlabelled"),
        ),
        lambda row: row.summary.segmentation,
    ),
    *within(SNIPPETS, lambda row: row.summary.snippets),
    *within(COMPARISON, lambda row: row.comparison, "f1_", "F1 of words by alignment"),
    *within(T_TEST, lambda row: row.t_test, "t_f1_", "Paired t-test of F1 against the baseline"),
    *within(T_TEST, lambda row: row.t_precision, "t_precision_", "Paired t-test of precision against the baseline"),
)
"""The columns of cleaners: means, standard deviations and medians over pages, intervals, pooled values, segments, snippets,
tests."""


def cleaning_tables(run: CleaningRun, cutoffs: int | None = None) -> tuple[Table, ...]:
    """Return all tables of a run, those that would be empty left out.

    Args:
        run: the finished run.
        cutoffs: about how many of each sweep to show at most; None for all.
    """
    tables = (
        words_table(run.results),
        measures_table(run.results),
        segmentation_table(run.results),
        page_type_table(page_types(run)),
        snippet_table(run.results),
        reliability_table(run.reliability),
        *(sweep_table(sweep, cutoffs) for sweep in run.sweeps),
        transfer_table(run.transfers),
    )
    return tuple(table for table in tables if table is not None)


def cleaners_csv(results: Sequence[CleanerResult]) -> str:
    """Return one line per cleaner.

    Shares are in [0, 1], similarity in per cent. The baseline's tests are empty, and segments where the gold text has none.
    """
    return csv_table(CLEANERS, results)


def words_table(results: Sequence[CleanerResult]) -> Table:
    """Return the main table, one cleaner per row, the baseline first: words by alignment, and tests against the baseline."""
    crashed = ("crashed",) if any(result.is_peer for result in results) else ()
    found = [result.comparison for result in results if result.comparison]
    parts = (f"{name}_{part}" for name in ("precision", "recall", "f1") for part in ("mean", "sd"))
    names = ("cleaner", *parts, "f1_interval", "pages", "emptied", *crashed, f"f1_{_decisive(found)}", "t_f1_p")
    caption = "Precision, recall, F1: words by alignment, mean over pages; the interval is Student's."
    if len(results) > 1:
        caption += f" p: {_tested(results[0].cleaner, found)} p of the paired t-test is not corrected."
    return _cleaner_table(names, results, caption)


def measures_table(results: Sequence[CleanerResult]) -> Table:
    """Return the other measures: words of all pages pooled, the median page, bags of words, ROUGE-LSum, Levenshtein."""
    parts = ("precision", "recall", "f1")
    names = (
        "cleaner",
        *(f"micro_{part}" for part in parts),
        *(f"{part}_median" for part in parts),
        "bag_f1_mean",
        "token_f1_mean",
        "token_f1_interval",
        *(f"rouge_{part}_mean" for part in parts),
        "similarity_mean",
    )
    caption = (
        "Micro: words of all pages pooled. Median: of pages. Bag F1, token F1, ROUGE-LSum and Levenshtein similarity: means"
        " over pages; the interval is Student's."
    )
    return _cleaner_table(names, results, caption)


def segmentation_table(results: Sequence[CleanerResult]) -> Table | None:
    """Return agreement of segments, labelled and unlabelled, pooled and by page; None if the gold text has none."""
    segmentation = results[0].summary.segmentation
    if segmentation is None:
        return None
    parts = ("precision", "recall", "f1", "f1_macro")
    names = ("cleaner", *(f"{kind}_{part}" for kind in ("labelled", "unlabelled") for part in parts))
    caption = (
        f"Segment markers that are right, of {segmentation.pages} pages with marked gold text: as heading, paragraph or list"
        " item (labelled), or at all (unlabelled). Packages give paragraphs only."
    )
    return _cleaner_table(names, results, caption)


def snippet_table(results: Sequence[CleanerResult]) -> Table | None:
    """Return how many snippets of the gold are kept; None if it names none."""
    found = results[0].summary.snippets
    return None if found is None else _cleaner_table(("cleaner", *SNIPPETS_SHOWN), results, snippet_caption(found))


def page_types(run: CleaningRun) -> tuple[TypeQuality, ...]:
    """Return every cleaner over the pages of each type; nothing if the gold names no types."""
    return by_page_type(run.results, [page.page_type for page in run.standard.pages])


def _cleaner_table(names: Sequence[str], results: Sequence[CleanerResult], caption: str) -> Table:
    def group(result: CleanerResult) -> tuple[bool, bool]:
        return result is results[0], result.is_peer

    return Table.of(pick(CLEANERS, *names), results, caption, group=group)


def tested_at(comparisons: Sequence[Comparison]) -> str:
    """Return how p of these comparisons, which are tested alike, is corrected, and the significance level."""
    rows, first = len(comparisons), comparisons[0]
    over = f"{rows} row" if rows == 1 else f"{rows} rows"
    return f"{correction_text(CORRECTIONS[first.p_holm is None], over)}, α = {first.alpha:g}"


def _decisive(comparisons: Sequence[Comparison]) -> str:
    """Return the name of the column of p that decides."""
    return "p" if any(comparison.p_holm is None for comparison in comparisons) else "p_holm"


def _tested(baseline: str, comparisons: Sequence[Comparison]) -> str:
    return (
        f"two-sided Wilcoxon signed-rank test of F1 against {baseline}, paired by page,"
        f" {tested_at(comparisons)}: {marks_text(map(direction, comparisons))}"
    )


@dataclass(frozen=True)
class PageQualityRow(MeasuredPage):
    """The same, measured against the gold text."""

    quality: PageQuality
    predicted: float | None


PAGES: tuple[Column[PageQualityRow], ...] = (
    *page_columns(lambda row: row.quality.words.words),
    Column("gold", lambda row: row.quality.words.gold, "Words of the gold text."),
    Column("aligned", lambda row: row.quality.words.aligned, "Words in the longest matching blocks of both texts."),
    Column("shared", lambda row: row.quality.words.shared, "Words of both, without regard to their order."),
    Column("distance", lambda row: row.quality.words.distance, "Levenshtein distance in words."),
    *within(AGREEMENT, lambda row: row.quality.words.alignment, about="Words by alignment"),
    Column("bag_f1", lambda row: row.quality.words.bag.f1, "F1 of words as bags."),
    Column("tokens", lambda row: row.quality.tokens.cleaned, "Tokens of the cleaned text."),
    Column("gold_tokens", lambda row: row.quality.tokens.gold, "Tokens of the gold text."),
    Column("shared_tokens", lambda row: row.quality.tokens.shared, "Tokens of both, without regard to their order."),
    Column("token_f1", lambda row: row.quality.tokens.bag.f1, "F1 of tokens as bags."),
    Column("similarity", lambda row: row.quality.words.similarity, "Levenshtein similarity in per cent."),
    *within(AGREEMENT, lambda row: row.quality.rouge.agreement, "rouge_", "ROUGE-LSum"),
    *within(
        (
            Column[SegmentCounts]("segments", lambda item: item.cleaned, "Segments of the cleaned text."),
            Column("gold_segments", lambda item: item.gold, "Segments of the gold text."),
            Column("right_labelled", lambda item: item.right, "Segment markers that are right, their kind included."),
            Column(
                "right_unlabelled", lambda item: item.right_unlabelled, "Segment markers that are right, of any kind."
            ),
        ),
        lambda row: row.quality.segments,
    ),
    *within(SNIPPET_COUNTS, lambda row: row.quality.snippets),
    Column(
        "predicted_precision",
        lambda row: row.predicted,
        "Precision predicted from the cleaned text alone; empty where the page has no words.",
    ),
)
"""The columns of pages."""


def pages_csv(run: CleaningRun) -> str:
    """Return one line per page and cleaner: counts of words, the measures, the predicted precision."""
    predictions = {cleaner: iter(reliability.predictions) for cleaner, reliability in run.reliability}
    rows = (
        PageQualityRow(
            page,
            result.cleaner,
            quality,
            next(predictions[result.cleaner]) if result.cleaner in predictions and quality.statistics else None,
        )
        for page, *qualities in zip(run.standard.pages, *(result.pages for result in run.results), strict=True)
        for result, quality in zip(run.results, qualities, strict=True)
    )
    return csv_table(PAGES, rows)


_Modelled = tuple[str, Reliability]
RELIABILITY: tuple[Column[_Modelled], ...] = (
    Column("cleaner", lambda row: row[0], CLEANER, align="left"),
    Column("R²", lambda row: row[1].model.r_squared, "Share of the variance that the model explains.", format=NUMBER),
    Column(
        "residual",
        lambda row: row[1].model.residual_error,
        "Residual standard error of the model.",
        unit="standard error",
        format=NUMBER,
    ),
    Column("pages", lambda row: row[1].reliable.pages, "Pages with words.", format=COUNT),
    Column(
        "chosen", lambda row: row[1].reliable.selected, "Pages that are predicted to be reliable.", "", "pages", COUNT
    ),
    Column(
        "floor", lambda row: row[1].reliable.floor, "Predicted precision from which pages are chosen.", format=NUMBER
    ),
    Column("precision", lambda row: row[1].reliable.mean_precision_all, "Mean over all pages.", "", "all", NUMBER),
    Column(
        "precision",
        lambda row: row[1].reliable.mean_precision_selected if row[1].reliable.selected else None,
        "Mean over the chosen pages.",
        unit="chosen",
        format=NUMBER,
    ),
    Column(
        f"below {LOW:g}", lambda row: row[1].reliable.low_all, "Pages of low precision, among all.", "", "all", COUNT
    ),
    Column(
        f"below {LOW:g}",
        lambda row: row[1].reliable.low_selected,
        "Pages of low precision, among the chosen ones.",
        unit="chosen",
        format=COUNT,
    ),
)
"""The columns of predicted precision."""


def reliability_table(reliability: Sequence[tuple[str, Reliability]]) -> Table | None:
    """Return how well each cleaner's page precision is predicted, and what selecting pages by it gains; None for none."""
    if not reliability:
        return None
    caption = (
        "Precision of a page predicted from its cleaned text alone (number and length of segments, share of short ones) by a"
        " linear model. Chosen: pages whose prediction, by a model fitted to other pages, is at least the floor."
    )
    return Table.of(RELIABILITY, reliability, caption)


_Swept = tuple[GoldSweep, SweepPoint]


def _on_plateau(row: _Swept) -> bool:
    sweep, point = row
    return sweep.best.low <= point.cutoff <= sweep.best.high


SWEEP: tuple[Column[_Swept], ...] = (
    Column("scorer", lambda row: row[0].scorer, "The scorer, by its canonical name."),
    Column("set", lambda row: row[0].gold, "Name of the gold standard."),
    Column("tested", lambda row: int(row[0].is_tested), "1 on the gold standard of `--test`."),
    Column(
        "cutoff",
        lambda row: _as_written(row[1].cutoff),
        "The cutoff.",
        align="left",
        text=lambda row: cutoff_text(row[1].cutoff) + "*" * _on_plateau(row),
    ),
    *within(AGREEMENT, lambda row: row[1].macro, about="Words by alignment, mean over pages"),
    *_pooled(lambda row: row[1].micro),
    Column("best", lambda row: int(row[1].cutoff == row[0].best.cutoff), "1 at the best mean F1."),
    Column("plateau", lambda row: int(_on_plateau(row)), "1 within one standard error of the best."),
)
"""The columns of cutoffs."""


def curves_csv(sweeps: Iterable[GoldSweep]) -> str:
    """Return one line per sweep and cutoff, from the cutoff that removes least to the one that removes most."""
    return csv_table(SWEEP, ((sweep, point) for sweep in sweeps for point in sweep.points))


def sweep_table(sweep: GoldSweep, limit: int | None = None) -> Table:
    """Return precision, recall and F1 by cutoff, by page and pooled; * marks the plateau.

    Args:
        sweep: the scorer at its cutoffs.
        limit: about how many cutoffs to show at most (see `shown_points`); None for all.
    """
    shown = shown_points(sweep.points, sweep.best, limit)
    cutoff, *numbers = SWEEP[3:-2]
    caption = (
        f"{sweep.scorer} on {sweep.gold}: best mean F1 {fixed(sweep.best.f1, DECIMALS)} at {cutoff_text(sweep.best.cutoff)};"
        " * is within one standard error of it, paired by page."
    )
    if len(shown) < len(sweep.points):
        caption += f" {len(shown)} of {len(sweep.points)} cutoffs."
    columns = (replace(cutoff, header=sweep.scorer), *numbers)
    return Table.of(columns, [(sweep, point) for point in shown], caption)


def shown_points(points: Sequence[SweepPoint], best: BestCutoff, limit: int | None) -> tuple[SweepPoint, ...]:
    """Return at most `limit` points of a sweep, in order; all for None.

    The first, the last, the best and both ends of its plateau are always shown, even if they are more than `limit`; others are
    taken from the middle of the widest gap, repeatedly.
    """
    if limit is None or len(points) <= limit:
        return tuple(points)
    ends = (best.low, best.cutoff, best.high)
    kept = sorted({0, len(points) - 1, *(index for index, point in enumerate(points) if point.cutoff in ends)})
    while len(kept) < limit:
        low, high = max(pairwise(kept), key=lambda gap: gap[1] - gap[0])
        kept = sorted([*kept, (low + high) // 2])
    return tuple(points[index] for index in kept)


TRANSFER: tuple[Column[GoldTransfer], ...] = (
    Column("scorer", lambda row: row.scorer, "The scorer, by its canonical name.", align="left"),
    Column("cutoff", lambda row: row.cutoff, "The best cutoff of the first gold standard.", format=each(cutoff_text)),
    Column("F1", lambda row: row.tuned_f1, "Its mean F1 there.", unit="where chosen", format=NUMBER),
    Column(
        "F1",
        lambda row: row.tested_f1,
        "Its mean F1 on the second gold standard.",
        unit="tested",
        format=NUMBER,
        mark=lambda row: MARKS[direction(row.comparison)],
    ),
    Column("F1", lambda row: row.baseline_f1, "The baseline's mean F1 there.", unit="all text", format=NUMBER),
    *within(pick(COMPARISON, "difference", "p", "p_holm"), lambda row: row.comparison),
    Column("F1", lambda row: row.best_f1, "The highest mean F1 there.", unit="best possible", format=NUMBER),
    Column("cutoff", lambda row: row.best_cutoff, "The cutoff that reaches it.", "", "of that", each(cutoff_text)),
)
"""The columns of cutoffs that are tested on another gold standard."""


def transfer_table(transfers: Sequence[GoldTransfer]) -> Table | None:
    """Return how good cutoffs chosen on one gold standard are on another; None for none."""
    if not transfers:
        return None
    found = [item.comparison for item in transfers]
    caption = (
        f"The cutoff of the best mean F1 on {transfers[0].tuned_on}, tested on {transfers[0].tested_on}, which had no part in"
        f" the choice. p: {_tested('all text', found)}"
    )
    shown = [column for column in TRANSFER if column.name not in {"p", "p_holm"} - {_decisive(found)}]
    return Table.of(shown, transfers, caption)
