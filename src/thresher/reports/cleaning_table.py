"""How well cleaners clean: the table people read, and the numbers as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace

from thresher.cleaneval.judging import CleanerResult
from thresher.cleaneval.measures import Agreement, Summary
from thresher.evaluation.significance import ALPHA
from thresher.reports.formatting import MARKS, MINUS, NOTHING, fixed
from thresher.reports.selection import direction
from thresher.reports.tables import Cell, Column, Table

DECIMALS = 3
_SMALLEST_P = 0.0001
_MACRO = ("precision", "recall", "f1", "bag_precision", "bag_recall", "bag_f1", "similarity")
_MICRO = ("micro", "micro_bag")
_COMPARED = ("difference", "wins", "ties", "losses", "p", "p_holm", "effect", "ci_low", "ci_high")


def cleaning_table(results: Sequence[CleanerResult]) -> Table:
    """Return the table of cleaners, one a row, the baseline first.

    Columns: cleaner; precision, recall and F1 of words by alignment, each with its standard deviation over pages; F1 of
    bags of words; Levenshtein similarity in per cent; pages; pages emptied; p of the test against the baseline,
    whose mark stands at F1.
    """
    columns = [Column("cleaner", align="left")]
    for name in ("precision", "recall", "F1"):
        columns += [Column(name, marked=name == "F1"), Column("±", "sd")]
    columns += [Column("bag F1"), Column("Levenshtein", "%"), Column("pages"), Column("emptied", "pages")]
    columns.append(Column("p", "Holm"))
    rows = []
    for result in results:
        summary = result.summary
        row = [Cell(result.cleaner)]
        marks = ("", "", MARKS[direction(result.comparison)])
        for measure, mark in zip((summary.precision, summary.recall, summary.f1), marks, strict=True):
            row += [replace(_cell(measure.mean), mark=mark), _cell(measure.sd)]
        row += [_cell(summary.bag_f1.mean), _cell(summary.similarity.mean, 1)]
        row += [_cell(summary.pages, 0), _cell(summary.emptied, 0)]
        p = result.comparison.p_holm if result.comparison else None
        row.append(Cell(_p_text(p), value=p))
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), _caption(results), rules=(1,) if len(rows) > 1 else ())


def cleaning_csv(results: Sequence[CleanerResult]) -> str:
    """Return one line a cleaner with all numbers: macro mean, sd and median, micro values, the comparison of F1.

    Shares are in [0, 1], similarity in per cent; floats have the fewest digits that give the same float back.
    """
    header = ["cleaner", "pages", "emptied"]
    header += [f"{name}_{part}" for name in _MACRO for part in ("mean", "sd", "median")]
    header += [f"{name}_{part}" for name in _MICRO for part in ("precision", "recall", "f1")]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*header, *(f"f1_{name}" for name in _COMPARED)])
    for result in results:
        line = [result.cleaner, str(result.summary.pages), str(result.summary.emptied)]
        for name in _MACRO:
            summary: Summary = getattr(result.summary, name)
            line += map(repr, (summary.mean, summary.sd, summary.median))
        for name in _MICRO:
            pooled: Agreement = getattr(result.summary, name)
            line += map(repr, (pooled.precision, pooled.recall, pooled.f1))
        found = result.comparison
        line += [repr(getattr(found, name)) if found else "" for name in _COMPARED]
        writer.writerow(line)
    return buffer.getvalue()


def _cell(value: float, decimals: int = DECIMALS) -> Cell:
    return Cell(fixed(value, decimals), value=value)


def _p_text(p: float | None) -> str:
    if p is None:
        return NOTHING
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else fixed(p, 4)


def _caption(results: Sequence[CleanerResult]) -> str:
    text = "Precision, recall, F1: words by alignment, mean over pages."
    if len(results) < 2:
        return text
    mixed = any(direction(result.comparison) == "mixed" for result in results)
    return text + (
        f" p: two-sided Wilcoxon signed-rank test of F1 against {results[0].cleaner}, paired by page, Holm correction over"
        f" {len(results) - 1} cleaners, α = {ALPHA}: †+ is significantly better, †{MINUS} significantly worse."
        + (" † alone is significant, but mean and ranks differ in sign." if mixed else "")
    )
