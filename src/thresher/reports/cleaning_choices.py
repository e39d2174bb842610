"""Tables to choose by: pages that can be relied on, cutoffs on one gold standard and on another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from thresher.cleaneval.reliability import LOW, Reliability
from thresher.cleaneval.sweeps import Sweep, SweepPoint, Transfer, best_cutoff
from thresher.evaluation.significance import ALPHA
from thresher.reports.cleaning_tables import DECIMALS, number_cell, p_cell
from thresher.reports.formatting import MARKS, MINUS, NOTHING, cutoff_text, signed
from thresher.reports.selection import direction
from thresher.reports.tables import Cell, Column, Table


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
                number_cell(chosen.chosen, 0),
                number_cell(chosen.floor),
                number_cell(chosen.mean_precision_all),
                number_cell(chosen.mean_precision_chosen) if chosen.chosen else Cell(NOTHING),
                number_cell(chosen.below_70_all, 0),
                number_cell(chosen.below_70_chosen, 0),
            )
        )
    caption = (
        "Precision of a page predicted from its cleaned text alone (number and length of segments, share of short ones) by a"
        " linear model. Chosen: pages whose prediction, by a model fitted to other pages, is at least the floor."
    )
    return Table(columns, tuple(rows), caption)


def shown_points(curve: Sequence[SweepPoint], limit: int | None) -> tuple[SweepPoint, ...]:
    """Return at most `limit` points of a curve, in its order; all of them for None.

    The first, the last, the best and both ends of its plateau always stay, even where they are more than `limit`; others
    are taken where most are missing, each from the middle of the widest gap.
    """
    if limit is None or len(curve) <= limit:
        return tuple(curve)
    best = best_cutoff(curve)
    ends = (best.low, best.cutoff, best.high)
    kept = sorted({0, len(curve) - 1, *(place for place, point in enumerate(curve) if point.cutoff in ends)})
    while len(kept) < limit:
        low, high = max(pairwise(kept), key=lambda gap: gap[1] - gap[0])
        kept = sorted([*kept, (low + high) // 2])
    return tuple(curve[place] for place in kept)


def sweep_table(sweep: Sweep, limit: int | None = None) -> Table:
    """Return the curve of a scorer: precision, recall and F1 by cutoff, by page and pooled; * marks the plateau.

    Args:
        sweep: the scorer over its cutoffs.
        limit: about how many cutoffs to show at most (see `shown_points`); None for all.
    """
    best = best_cutoff(sweep.curve)
    shown = shown_points(sweep.curve, limit)
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
    if len(shown) < len(sweep.curve):
        caption += f" {len(shown)} of {len(sweep.curve)} cutoffs."
    return Table(columns, tuple(rows), caption)


def transfer_table(transfers: Sequence[Transfer]) -> Table | None:
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
