"""How well cleaners clean: the tables people read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from thresher.cleaneval.measures import Agreement
from thresher.cleaneval.reliability import LOW, Reliability
from thresher.cleaneval.results import CleanerResult, Interval
from thresher.cleaneval.sweeps import BestCutoff, GoldSweep, GoldTransfer, SweepPoint
from thresher.evaluation.significance import ALPHA
from thresher.reports.formatting import MARKS, MINUS, NOTHING, cutoff_text, fixed, signed
from thresher.reports.tables import Cell, Column, Table
from thresher.results.selection import direction

DECIMALS = 3
_SMALLEST_P = 0.0001


def words_table(results: Sequence[CleanerResult]) -> Table:
    """Return the main table, one cleaner a row, the baseline first.

    Columns: cleaner; precision, recall and F1 of words by alignment, mean over pages, each with its standard deviation; the
    95 % interval of the mean F1; pages; pages emptied; pages a package crashed on, if any package is there; p of Wilcoxon's
    test against the baseline, whose mark stands at F1, and p of the paired t-test.
    """
    peers = any(result.is_peer for result in results)
    columns = [Column("cleaner", align="left")]
    for name in ("precision", "recall", "F1"):
        columns += [Column(name, marked=name == "F1"), Column("±", "sd")]
    columns += [Column("F1", "95 %"), Column("pages"), Column("emptied", "pages")]
    columns += [Column("crashed", "pages")] if peers else []
    columns += [Column("p", "Holm"), Column("p", "t-test")]
    rows = []
    for result in results:
        summary = result.summary.words
        row = [Cell(result.cleaner)]
        marks = ("", "", MARKS[direction(result.comparison)])
        for measure, mark in zip((summary.precision, summary.recall, summary.f1), marks, strict=True):
            row += [replace(number_cell(measure.mean), mark=mark), number_cell(measure.sd)]
        row += [_interval(result.intervals[2]), number_cell(summary.pages, 0), number_cell(summary.emptied, 0)]
        if peers:
            row.append(number_cell(result.crashes, 0) if result.is_peer else Cell(NOTHING))
        row.append(p_cell(result.comparison.p_holm if result.comparison else None))
        row.append(p_cell(result.t_test.p if result.t_test else None))
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), _words_caption(results), rules=_rules(results))


def measures_table(results: Sequence[CleanerResult]) -> Table:
    """Return the other measures: words of all pages pooled, the median page, bags of words, ROUGE-LSum, Levenshtein."""
    columns = (
        Column("cleaner", align="left"),
        Column("precision", "micro"),
        Column("recall", "micro"),
        Column("F1", "micro"),
        Column("precision", "median"),
        Column("recall", "median"),
        Column("F1", "median"),
        Column("bag F1"),
        Column("ROUGE-LSum", "precision"),
        Column("ROUGE-LSum", "recall"),
        Column("ROUGE-LSum", "F1"),
        Column("Levenshtein", "%"),
    )
    rows = []
    for result in results:
        words, quality = result.summary.words, result.summary
        medians = (words.precision.median, words.recall.median, words.f1.median)
        rouge = (quality.rouge_precision.mean, quality.rouge_recall.mean, quality.rouge_f1.mean)
        row = [
            Cell(result.cleaner),
            *_agreement(words.micro),
            *map(number_cell, medians),
            number_cell(words.bag_f1.mean),
        ]
        rows.append((*row, *map(number_cell, rouge), number_cell(words.similarity.mean, 1)))
    caption = (
        "Micro: words of all pages pooled. Median: of pages. Bag F1, ROUGE-LSum and Levenshtein similarity: means over"
        " pages."
    )
    return Table(columns, tuple(rows), caption, rules=_rules(results))


def segmentation_table(results: Sequence[CleanerResult]) -> Table | None:
    """Return how well segments are found, labelled and unlabelled, pooled and by page; None if the gold text has none."""
    columns = [Column("cleaner", align="left")]
    for kind in ("labelled", "unlabelled"):
        columns += [Column(kind, part) for part in ("precision", "recall", "F1", "F1, macro")]
    rows = []
    pages = 0
    for result in results:
        found = result.summary.segmentation
        if found is None:
            return None
        pages = found.pages
        labelled, unlabelled = _agreement(found.labelled), _agreement(found.unlabelled)
        rows.append(
            (
                Cell(result.cleaner),
                *labelled,
                number_cell(found.labelled_f1.mean),
                *unlabelled,
                number_cell(found.unlabelled_f1.mean),
            )
        )
    caption = (
        f"Segment markers that are right, of {pages} pages with marked gold text: as heading, paragraph or list item"
        " (labelled), or at all (unlabelled). Packages give paragraphs only."
    )
    return Table(tuple(columns), tuple(rows), caption, rules=_rules(results))


def _rules(results: Sequence[CleanerResult]) -> tuple[int, ...]:
    """A line stands below the baseline and above the first package."""
    first_peer = next((place for place, result in enumerate(results) if result.is_peer), 0)
    return tuple(sorted({place for place in (1, first_peer) if 0 < place < len(results)}))


def number_cell(value: float, decimals: int = DECIMALS) -> Cell:
    """Return a number as a cell."""
    return Cell(fixed(value, decimals), value=value)


def _agreement(found: Agreement) -> tuple[Cell, ...]:
    return tuple(map(number_cell, (found.precision, found.recall, found.f1)))


def _interval(found: Interval) -> Cell:
    return Cell(f"{fixed(found.low, DECIMALS)} to {fixed(found.high, DECIMALS)}", value=found.low)


def p_cell(p: float | None) -> Cell:
    """Return a p-value as a cell: four decimals, small ones as a bound, an en dash for none."""
    if p is None:
        return Cell(NOTHING)
    return Cell(f"< {_SMALLEST_P}" if p < _SMALLEST_P else fixed(p, 4), value=p)


def _words_caption(results: Sequence[CleanerResult]) -> str:
    text = "Precision, recall, F1: words by alignment, mean over pages; the interval is Student's."
    if len(results) < 2:
        return text
    mixed = any(direction(result.comparison) == "mixed" for result in results)
    return text + (
        f" p: two-sided Wilcoxon signed-rank test of F1 against {results[0].cleaner}, paired by page, Holm correction over"
        f" {len(results) - 1} rows, α = {ALPHA}: †+ is significantly better, †{MINUS} significantly worse."
        + (" † alone is significant, but mean and ranks differ in sign." if mixed else "")
        + " p of the paired t-test is not corrected."
    )


def reliability_table(found: Sequence[tuple[str, Reliability]]) -> Table | None:
    """Return how far each cleaner's page precision is predicted, and what choosing pages by it is worth; None for none."""
    if not found:
        return None
    columns = (
        Column("cleaner", align="left"),
        Column("R²"),
        Column("residual", "standard error"),
        Column("pages"),
        Column("chosen", "pages"),
        Column("floor"),
        Column("precision", "all"),
        Column("precision", "chosen"),
        Column(f"below {LOW:g}", "all"),
        Column(f"below {LOW:g}", "chosen"),
    )
    rows = []
    for cleaner, item in found:
        chosen = item.reliable
        rows.append(
            (
                Cell(cleaner),
                number_cell(item.model.r_squared),
                number_cell(item.model.residual_error),
                number_cell(chosen.pages, 0),
                number_cell(chosen.selected, 0),
                number_cell(chosen.floor),
                number_cell(chosen.mean_precision_all),
                number_cell(chosen.mean_precision_selected) if chosen.selected else Cell(NOTHING),
                number_cell(chosen.low_all, 0),
                number_cell(chosen.low_selected, 0),
            )
        )
    caption = (
        "Precision of a page predicted from its cleaned text alone (number and length of segments, share of short ones) by a"
        " linear model. Chosen: pages whose prediction, by a model fitted to other pages, is at least the floor."
    )
    return Table(columns, tuple(rows), caption)


def shown_points(curve: Sequence[SweepPoint], best: BestCutoff, limit: int | None) -> tuple[SweepPoint, ...]:
    """Return at most `limit` points of a curve, in its order; all of them for None.

    The first, the last, the best and both ends of its plateau always stay, even where they are more than `limit`; others
    are taken where most are missing, each from the middle of the widest gap.
    """
    if limit is None or len(curve) <= limit:
        return tuple(curve)
    ends = (best.low, best.cutoff, best.high)
    kept = sorted({0, len(curve) - 1, *(place for place, point in enumerate(curve) if point.cutoff in ends)})
    while len(kept) < limit:
        low, high = max(pairwise(kept), key=lambda gap: gap[1] - gap[0])
        kept = sorted([*kept, (low + high) // 2])
    return tuple(curve[place] for place in kept)


def sweep_table(sweep: GoldSweep, limit: int | None = None) -> Table:
    """Return the curve of a scorer: precision, recall and F1 by cutoff, by page and pooled; * marks the plateau.

    Args:
        sweep: the scorer over its cutoffs.
        limit: about how many cutoffs to show at most (see `shown_points`); None for all.
    """
    best = sweep.best
    shown = shown_points(sweep.points, best, limit)
    columns = (
        Column(sweep.scorer, align="left"),
        Column("precision"),
        Column("recall"),
        Column("F1"),
        Column("precision", "micro"),
        Column("recall", "micro"),
        Column("F1", "micro"),
    )
    rows = []
    for point in shown:
        star = "*" if best.low <= point.cutoff <= best.high else ""
        values = (point.macro.precision, point.macro.recall, point.macro.f1)
        pooled = (point.micro.precision, point.micro.recall, point.micro.f1)
        rows.append((Cell(cutoff_text(point.cutoff) + star, value=point.cutoff), *map(number_cell, (*values, *pooled))))
    caption = (
        f"{sweep.scorer} on {sweep.gold}: best mean F1 {best.f1:.{DECIMALS}f} at {cutoff_text(best.cutoff)}; * is within one"
        " standard error of it, paired by page."
    )
    if len(shown) < len(sweep.points):
        caption += f" {len(shown)} of {len(sweep.points)} cutoffs."
    return Table(columns, tuple(rows), caption)


def transfer_table(transfers: Sequence[GoldTransfer]) -> Table | None:
    """Return what cutoffs chosen on one gold standard are worth on another; None for none."""
    if not transfers:
        return None
    columns = (
        Column("scorer", align="left"),
        Column("cutoff"),
        Column("F1", "where chosen"),
        Column("F1", "tested", marked=True),
        Column("F1", "all text"),
        Column("difference"),
        Column("p"),
        Column("F1", "best possible"),
        Column("cutoff", "of that"),
    )
    rows = []
    for item in transfers:
        rows.append(
            (
                Cell(item.scorer),
                Cell(cutoff_text(item.cutoff), value=item.cutoff),
                number_cell(item.tuned_f1),
                Cell(f"{item.tested_f1:.{DECIMALS}f}", MARKS[direction(item.comparison)], item.tested_f1),
                number_cell(item.baseline_f1),
                Cell(signed(item.comparison.difference, DECIMALS), value=item.comparison.difference),
                p_cell(item.comparison.p_holm),
                number_cell(item.best_f1),
                Cell(cutoff_text(item.best_cutoff), value=item.best_cutoff),
            )
        )
    caption = (
        f"The cutoff of the best mean F1 on {transfers[0].tuned_on}, tested on {transfers[0].tested_on}, which had no part in"
        " the choice. p: two-sided Wilcoxon signed-rank test of F1 against all text, paired by page, Holm correction over"
        f" {len(transfers)} {'row' if len(transfers) == 1 else 'rows'}, α = {ALPHA}: †+ is significantly better,"
        f" †{MINUS} significantly worse."
    )
    return Table(columns, tuple(rows), caption)
