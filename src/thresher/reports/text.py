"""A table for the terminal: aligned by the width that characters take there."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from thresher.reports.formatting import plain
from thresher.reports.tables import Cell, Column, Table

_GAP = "  "


def display_width(text: str) -> int:
    """Return how many terminal columns `text` takes: 2 for wide characters, 0 for combining (UAX #11)."""
    return sum(map(_sign_width, text))


def render_text(table: Table, width: int | None = None) -> str:
    """Return the table as aligned text, with its caption and note below.

    Args:
        table: what to render; control characters in it are replaced.
        width: terminal columns available. A wider table is split into blocks, each repeating the columns that
            name the row; a single column that is still too wide stays whole. None never splits.
    """
    rendered = [_column(table, place) for place in range(len(table.columns))]
    keys, others = rendered[: table.keys], rendered[table.keys :]
    blocks: list[list[list[str]]] = [[]]
    room = 0
    for lines in others:
        need = display_width(lines[0]) + len(_GAP)
        used = sum(display_width(key[0]) + len(_GAP) for key in keys) - len(_GAP)
        if width is not None and blocks[-1] and used + room + need > width:
            blocks.append([])
            room = 0
        blocks[-1].append(lines)
        room += need
    parts = ["\n".join(_lines([*keys, *block], table.rules)) for block in blocks]
    foot = [_wrap(plain(text), width) for text in (table.caption, table.note) if text]
    return "\n\n".join([*parts, "\n".join(foot)] if foot else parts) + "\n"


def _sign_width(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def _column(table: Table, place: int) -> list[str]:
    """Return the two header lines and the cells of one column, all of one width."""
    column = table.columns[place]
    cells = [row[place] for row in table.rows]
    marks = max((display_width(cell.mark) for cell in cells), default=0)
    bodies = [_with_mark(cell, marks) for cell in cells]
    lines = [plain(column.header), plain(column.unit), *bodies]
    width = max(map(display_width, lines))
    return [_pad(line, width, column) for line in lines]


def _with_mark(cell: Cell, marks: int) -> str:
    return plain(cell.text) + cell.mark + " " * (marks - display_width(cell.mark))


def _pad(text: str, width: int, column: Column) -> str:
    blank = " " * (width - display_width(text))
    return text + blank if column.align == "left" else blank + text


def _lines(columns: Sequence[Sequence[str]], rules: Sequence[int]) -> list[str]:
    rows = [_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True)]
    line = "─" * max(map(display_width, rows))
    head = rows[:1] if not rows[1].strip() else rows[:2]
    body: list[str] = []
    for place, row in enumerate(rows[2:]):
        body += [line, row] if place in rules else [row]
    return [*head, line, *body]


def _wrap(text: str, width: int | None) -> str:
    if width is None:
        return text
    lines = [""]
    for word in text.split():
        if lines[-1] and display_width(lines[-1]) + 1 + display_width(word) > width:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
