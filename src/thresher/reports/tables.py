"""Tables whose cells are made by hand: names that other modules still import."""

from __future__ import annotations

from thresher.evaluation.significance import Comparison
from thresher.reports.formatting import MEASURE_DECIMALS, NOTHING, wins_text
from thresher.reports.table import Cell, Table, measure_header
from thresher.reports.table import Head as Column

__all__ = ["MEASURE_DECIMALS", "Cell", "Column", "Table", "measure_column", "wins_cell"]


def measure_column(name: str) -> Column:
    """Return the head of a measure's column."""
    return Column(*measure_header(name))


def wins_cell(comparison: Comparison | None) -> Cell:
    """Return topics won, tied and lost."""
    if comparison is None:
        return Cell(NOTHING)
    return Cell(wins_text(comparison), value=float(comparison.wins - comparison.losses))
