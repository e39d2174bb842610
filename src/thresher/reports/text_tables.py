"""Tables as text for terminals and as Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from thresher.base.errors import escape_controls
from thresher.reports.formatting import MARKS, plain
from thresher.reports.number_formats import Align
from thresher.reports.table import Table

GAP = "  "
"""Between two columns."""
NARROWEST = 16
"""Columns that texts have at least, however narrow the terminal is."""
_CELL = 300
"""Characters shown of a cell on a terminal."""
_JOINTS = re.compile(r"(?=[+|][a-z])|(?<=,)(?=[a-z])")
"""The places where a long name of a variant may break."""
_MARKDOWN_RULES: dict[Align, str] = {"left": "---", "right": "---:"}


def display_width(text: str) -> int:
    """Return how many terminal columns `text` takes: 2 for wide characters, 0 for combining (UAX #11)."""
    if text.isascii():
        return len(text)
    return sum(map(_sign_width, text))


def render_text(table: Table, width: int | None = None) -> str:
    """Return the table as aligned text, with its caption and note below; control characters in it are replaced.

    A table wider than `width` terminal columns is split into blocks, each repeating the columns that name the row; a single
    column that is still too wide stays whole. None never splits.
    """
    columns = [_column(table, index) for index in range(len(table.columns))]
    keys = columns[: table.keys]
    parts: list[str] = []
    for block in _blocks(keys, columns[table.keys :], width):
        parts.append("\n".join(_lines([*keys, *block], table.rules)))
    foot: list[str] = []
    for text in (table.caption, table.note):
        if not text:
            continue
        if width is None:
            foot.append(plain(text))
        else:
            foot += wrapped(text, width)
    if foot:
        parts.append("\n".join(foot))
    return "\n\n".join(parts) + "\n"


def _blocks(
    keys: Sequence[Sequence[str]], columns: Sequence[Sequence[str]], width: int | None
) -> list[list[Sequence[str]]]:
    """Return the columns in blocks that fit `width` beside the columns `keys`; a block has at least one column."""
    width_of_keys = -len(GAP)
    for lines in keys:
        width_of_keys += display_width(lines[0]) + len(GAP)
    blocks: list[list[Sequence[str]]] = [[]]
    width_of_block = width_of_keys
    for lines in columns:
        width_of_column = display_width(lines[0]) + len(GAP)
        if width is not None and blocks[-1] and width_of_block + width_of_column > width:
            blocks.append([])
            width_of_block = width_of_keys
        blocks[-1].append(lines)
        width_of_block += width_of_column
    return blocks


def shortened(text: str, room: int) -> str:
    """Return as much of a text as fits `room` terminal columns, with an ellipsis if it is cut.

    >>> shortened("barley and rye", 8)
    'barley…'
    """
    if display_width(text) <= room:
        return text
    width = 0
    for index, sign in enumerate(text):
        width += _sign_width(sign)
        if width >= room:
            return text[:index].rstrip() + "…"
    return text


def ends_of(text: str, room: int) -> str:
    """Return a text, or its two ends with an ellipsis between them if it is wider than `room` terminal columns.

    >>> ends_of("words(headings=keep)@11", 12)
    'words(…p)@11'
    """
    if display_width(text) <= room:
        return text
    end = shortened(text[::-1], room - room // 2)[::-1]
    return shortened(text, room // 2 + 1) + end.removeprefix("…").lstrip()


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Give a text in lines of at most `width` columns; a longer word is broken, the name of a variant at its joints."""
    room = max(width - len(indent), NARROWEST)
    line = ""
    for word in plain(text).split(" "):
        blank = " " if line else ""
        pieces = [word]
        if display_width(word) > room:
            pieces = _JOINTS.split(word)
        for piece in pieces:
            if line and display_width(line) + display_width(blank + piece) > room:
                yield indent + line
                line = ""
                blank = ""
            # A piece that is wider than a line is broken between any two signs.
            for sign in blank + piece:
                if line and display_width(line) + display_width(sign) > room:
                    yield indent + line
                    line = ""
                line += sign
            blank = ""
    yield indent + line


def _sign_width(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(sign) in ("W", "F"):
        return 2
    return 1


def _column(table: Table, index: int) -> list[str]:
    """Return the lines of a column, all as wide as the widest: its header, its unit, and its cells."""
    column = table.columns[index]
    marks = [_text_mark(row[index].mark) for row in table.rows]
    width_of_marks = max(map(display_width, marks), default=0)
    lines = [plain(column.header), plain(column.unit)]
    for row, mark in zip(table.rows, marks, strict=True):
        blanks = " " * (width_of_marks - display_width(mark))
        text = escape_controls(plain(row[index].text), _CELL)
        lines.append(text + mark + blanks)
    width = max(map(display_width, lines))
    return [_aligned(line, width, column.align) for line in lines]


def column_width(table: Table, index: int) -> int:
    """Return the terminal columns that a column of a table takes."""
    return display_width(_column(table, index)[0])


def _text_mark(mark: str) -> str:
    """Return a mark; letters that name other rows stand apart from the number."""
    if mark in MARKS.values():
        return mark
    return f" {mark}"


def _aligned(line: str, width: int, align: Align) -> str:
    """Return a line with blanks up to `width` columns."""
    blanks = " " * (width - display_width(line))
    if align == "left":
        return line + blanks
    return blanks + line


def _lines(columns: Sequence[Sequence[str]], rules: Sequence[int]) -> list[str]:
    """Return the lines of a table: the headers, the units if there are any, a rule, and the rows."""
    rows: list[str] = []
    for cells in zip(*columns, strict=True):
        rows.append(GAP.join(cells).rstrip())
    header = rows[0]
    units = rows[1]
    rule = "─" * max(map(display_width, rows))
    lines = [header]
    if units.strip():
        lines.append(units)
    lines.append(rule)
    for index, row in enumerate(rows[2:]):
        if index in rules:
            lines.append(rule)
        lines.append(row)
    return lines


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def render_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown; units are in brackets after the headers."""
    text = _markdown_row([_markdown(column.title) for column in table.columns])
    text += _markdown_row([_MARKDOWN_RULES[column.align] for column in table.columns])
    for cells in table.rows:
        text += _markdown_row([_markdown(cell.text) + _markdown_mark(cell.mark) for cell in cells])
    for line in (table.caption, table.note):
        if line:
            text += f"\n{_markdown(line)}\n"
    return text


def _markdown_mark(mark: str) -> str:
    """Return a mark; letters that name other rows are a superscript."""
    if mark in MARKS.values():
        return mark
    return f"<sup>{mark}</sup>"


def _markdown(text: str) -> str:
    """Escape the characters of Markdown's markup; `@`, brackets and equals signs of names stay readable."""
    escaped = re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
