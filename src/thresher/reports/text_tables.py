"""Tables as text for terminals, as Markdown and as LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile

from thresher.base.errors import escape_controls
from thresher.reports.formatting import plain
from thresher.reports.table import Head, Table

_GAP = "  "
NARROWEST = 16
"""Columns that texts have at least, however narrow the terminal is."""
_CELL = 300
"""Characters shown of a cell on a terminal."""
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    '"': r"\char34{}",
    "†": r"$\dagger$",
    "−": "$-$",
    "–": "--",
    "\0": "{}",  # put in between hyphens, for they would become one dash
    "α": r"$\alpha$",
    "µ": r"$\mu$",
    "μ": r"$\mu$",
    "∞": r"$\infty$",
    "⁶": r"\textsuperscript{6}",
    "₂": r"\textsubscript{2}",
}
_LATEX_MARKS = {"†+": r"$^{\dagger+}$", "†−": r"$^{\dagger-}$", "†": r"$^{\dagger}$", "": ""}


def display_width(text: str) -> int:
    """Return how many terminal columns `text` takes: 2 for wide characters, 0 for combining (UAX #11)."""
    return len(text) if text.isascii() else sum(map(_sign_width, text))


def render_text(table: Table, width: int | None = None) -> str:
    """Return the table as aligned text, with its caption and note below; control characters in it are replaced.

    A table wider than `width` terminal columns is split into blocks, each repeating the columns that name the row; a single
    column that is still too wide stays whole. None never splits.
    """
    rendered = [_column(table, index) for index in range(len(table.columns))]
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
    notes = [text for text in (table.caption, table.note) if text]
    foot = [plain(text) if width is None else "\n".join(wrapped(text, width)) for text in notes]
    return "\n\n".join([*parts, "\n".join(foot)] if foot else parts) + "\n"


def shortened(text: str, room: int) -> str:
    """Return as much of a text as fits `room` terminal columns, with an ellipsis if it is cut.

    >>> shortened("barley and rye", 8)
    'barley…'
    """
    if display_width(text) <= room:
        return text
    fitting = takewhile(lambda used: used < room, accumulate(map(_sign_width, text)))
    return text[: len([*fitting])].rstrip() + "…"


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Give a text in lines of at most `width` columns; a word that is longer is broken."""
    room = max(width - len(indent), NARROWEST)
    line = ""
    for word in plain(text).split(" "):
        if line and display_width(line) + 1 + display_width(word) > room:
            yield indent + line
            line = ""
        elif line:
            word = f" {word}"
        for sign in word:
            if line and display_width(line) + display_width(sign) > room:
                yield indent + line
                line = ""
            line += sign
    yield indent + line


def _sign_width(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def _column(table: Table, index: int) -> list[str]:
    column = table.columns[index]
    cells = [row[index] for row in table.rows]
    marks = max((display_width(cell.mark) for cell in cells), default=0)
    bodies = [
        escape_controls(plain(cell.text), _CELL) + cell.mark + " " * (marks - display_width(cell.mark))
        for cell in cells
    ]
    lines = [plain(column.header), plain(column.unit), *bodies]
    width = max(map(display_width, lines))
    blanks = (" " * (width - display_width(line)) for line in lines)
    return [line + blank if column.align == "left" else blank + line for line, blank in zip(lines, blanks, strict=True)]


def _lines(columns: Sequence[Sequence[str]], rules: Sequence[int]) -> list[str]:
    rows = [_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True)]
    line = "─" * max(map(display_width, rows))
    head = rows[:1] if not rows[1].strip() else rows[:2]
    body: list[str] = []
    for index, row in enumerate(rows[2:]):
        body += [line, row] if index in rules else [row]
    return [*head, line, *body]


def render_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown; units are in brackets after the headers."""
    head = [_markdown(f"{one.header} ({one.unit})" if one.unit else one.header) for one in table.columns]
    signs = ["---:" if column.align == "right" else "---" for column in table.columns]
    lines = [head, signs, *([_markdown(cell.text) + cell.mark for cell in row] for row in table.rows)]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return text + "".join(f"\n{_markdown(line)}\n" for line in (table.caption, table.note) if line)


def render_latex(table: Table) -> str:
    r"""Return the table as a LaTeX `table*` that needs only the package booktabs.

    A column whose cells carry marks becomes two, numbers and marks, so that the numbers stay aligned.
    Letters outside Latin are left as they are: they need an engine and a font that know them.
    """
    layout = ""
    heads: list[str] = []
    units: list[str] = []
    for column in table.columns:
        sign = "l" if column.align == "left" else "r"
        layout += f"{sign}@{{}}l" if column.marked else sign
        for lines, text in ((heads, column.header), (units, column.unit)):
            lines.append(_latex_head(text, column))
    body = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table*}",
        r"\centering",
        rf"\caption{{{escape_latex(' '.join(filter(None, (table.caption, table.note))))}}}",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{4pt}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
    ]
    if any(column.unit for column in table.columns):
        body.append(" & ".join(units) + r" \\")
    body.append(r"\midrule")
    for index, row in enumerate(table.rows):
        if index in table.rules:
            body.append(r"\midrule")
        cells: list[str] = []
        for cell, column in zip(row, table.columns, strict=True):
            cells.append(escape_latex(cell.text))
            if column.marked:
                cells.append(_LATEX_MARKS[cell.mark])
        body.append(" & ".join(cells) + r" \\")
    return "\n".join([*body, r"\bottomrule", r"\end{tabular}", r"\end{table*}", ""])


def escape_latex(text: str) -> str:
    """Return `text` so that LaTeX prints it as it is: special characters escaped, `--` no dash."""
    apart = re.sub(r"-(?=-)", "-\0", plain(text))
    return "".join(_LATEX.get(sign, sign) for sign in apart)


def _latex_head(text: str, column: Head) -> str:
    escaped, span = escape_latex(text), 2 if column.marked else 1
    return rf"\multicolumn{{{span}}}{{c}}{{{escaped}}}" if column.marked or column.align == "right" else escaped


def _markdown(text: str) -> str:
    """Escape what Markdown would read as markup; `@`, brackets and equals signs of names stay readable."""
    escaped = re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
