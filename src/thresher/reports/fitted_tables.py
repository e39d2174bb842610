"""Tables that fit a terminal: long texts are wrapped or shortened, then the last columns left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, zip_longest

from thresher.reports.formatting import plain
from thresher.reports.table import Cell, Table
from thresher.reports.text_tables import GAP, column_width, ends_of, render_text, wrapped

_ROOM_OF_TEXT = 26
"""Terminal columns that a text keeps before a column of figures is left out."""


def fitted_lines(table: Table, width: int, wraps: bool) -> list[str]:
    """Return the lines of a table in `width` terminal columns, without the last columns that have no room.

    A text that is too long is wrapped, or else shortened to its two ends.
    """
    natural_widths = [column_width(table, index) for index in range(len(table.columns))]
    least_widths: list[int] = []
    for index, natural in enumerate(natural_widths):
        least_widths.append(_least_width(table, index, natural))
    count = _columns_that_fit(least_widths, width, table.keys + 1)
    # No gap is behind the last column.
    room = width + len(GAP)
    for least in least_widths[:count]:
        room -= least + len(GAP)
    widths = _widened(least_widths[:count], natural_widths[:count], room)
    return render_text(_cut(table.first(count), widths, wraps), width).rstrip("\n").split("\n")


def _widened(least_widths: Sequence[int], natural_widths: Sequence[int], room: int) -> list[int]:
    """Return the least widths of columns with a room added: the first columns get it, each up to its natural width."""
    widths: list[int] = []
    for least, natural in zip(least_widths, natural_widths, strict=True):
        added = max(0, min(natural - least, room))
        widths.append(least + added)
        room -= added
    return widths


def _least_width(table: Table, index: int, natural: int) -> int:
    """Return the width that a column keeps: all of it for figures, for texts a part, but its whole head."""
    if table.columns[index].align != "left":
        return natural
    head = column_width(replace(table, rows=()), index)
    return max(head, min(natural, _ROOM_OF_TEXT))


def _columns_that_fit(widths: Sequence[int], room: int, fewest: int) -> int:
    """Return the number of first columns that fit a room, but at least the fewest."""
    count = 0
    for total in accumulate(width + len(GAP) for width in widths):
        if total - len(GAP) > room:
            break
        count += 1
    return max(count, min(fewest, len(widths)))


def _cut(table: Table, widths: Sequence[int], wraps: bool) -> Table:
    """Return a table whose texts fit the widths of their columns; a row with a wrapped text continues in rows below it."""
    rows: list[tuple[Cell, ...]] = []
    first_row_of: list[int] = []
    for cells in table.rows:
        first_row_of.append(len(rows))
        columns: list[list[Cell]] = []
        for cell, head, width in zip(cells, table.columns, widths, strict=True):
            if head.align == "left":
                columns.append(_cells(cell, width, wraps))
            else:
                columns.append([cell])
        rows += zip_longest(*columns, fillvalue=Cell(""))
    rules = tuple(first_row_of[index] for index in table.rules)
    return replace(table, rows=tuple(rows), rules=rules)


def _cells(cell: Cell, width: int, wraps: bool) -> list[Cell]:
    """Return a cell of text, or several, none wider than `width`; the first has the mark."""
    texts = [ends_of(plain(cell.text), width)]
    if wraps:
        texts = list(wrapped(cell.text, width))
    cells = [Cell(text) for text in texts]
    cells[0] = replace(cell, text=texts[0])
    return cells
