"""Tables for LaTeX, as wide as a column of a paper or as both."""

from __future__ import annotations

import re

from thresher.base.errors import ConfigError
from thresher.reports.formatting import plain
from thresher.reports.table import Head, Table
from thresher.reports.text_widths import ems

WIDTH = "3.3in"
"""The width of a column of ACM's papers."""
INCH = 72.27
"""TeX's points."""
_UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / INCH}
_LENGTH = re.compile(rf"([0-9]+(?:\.[0-9]+)?) ?({'|'.join(_UNITS)})")
_NARROWEST = 1.0
_WIDEST = 20.0
COLUMN = 3.3 * INCH
"""Points of that width."""
_BETWEEN_COLUMNS = 24.0
_HALF_A_PAGE = 4.25 * INCH
"""Points of half a page: a page has only one column if its columns are wider."""
_FONT = 8.0
_MARKS_FONT = 6.0
"""Points of \\footnotesize and of superscripts in it."""
_GAP = 4.0
"""Points at each side of a column of a table."""
_LONG = 170.0
"""Longer names are broken into lines: a third of a page, in points."""
_BREAKS = re.compile(r"(?<=\+)|(?=\|)")
"""Between the cuts of a cleaner, and before weights and pruning."""
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
    "≈": r"$\approx$",
    "⁶": r"\textsuperscript{6}",
    "₂": r"\textsubscript{2}",
}
_TRANSLATION = str.maketrans(_LATEX)
_MARKS = {"†+": r"$^{\dagger+}$", "†−": r"$^{\dagger-}$", "†": r"$^{\dagger}$", "": ""}


def parse_length(text: str) -> float:
    """Return a length in inches.

    >>> parse_length("3.3in"), round(parse_length("8.4 cm"), 3)
    (3.3, 3.307)
    """
    match = _LENGTH.fullmatch(text.strip())
    inches = 0.0
    if match:
        inches = float(match[1]) * _UNITS[match[2]]
    if not _NARROWEST <= inches <= _WIDEST:
        raise ConfigError(
            f"{text!r} is not the width of a column", "write one such as 3.3in, 8.4cm or 241pt", "--width"
        )
    return inches


def page_width(column: float = COLUMN) -> float:
    """Return the width of a page in points: two columns with the space between them, or one column if a page has only
    one.
    """
    if column > _HALF_A_PAGE:
        return column
    return 2 * column + _BETWEEN_COLUMNS


def estimated_width(table: Table) -> float:
    """Return about the points that a table takes in LaTeX, rather too many."""
    width = -2 * _GAP
    for index, column in enumerate(table.columns):
        text_ems = 0.0
        mark_ems = 0.0
        for row in table.rows:
            cell = row[index]
            mark_ems = max(mark_ems, ems(cell.mark))
            for line in _lines(cell.text):
                text_ems = max(text_ems, ems(line))
        head = _FONT * max(ems(column.header), ems(column.unit))
        width += max(head, _FONT * text_ems + _MARKS_FONT * mark_ems) + 2 * _GAP
    return width


def render_fitted(table: Table, label: str = "", column: float = COLUMN) -> str:
    """Return a table in LaTeX with as many of its first columns as fit a page; a comment names the columns left out."""
    count = len(table.columns)
    while count > 1 and estimated_width(table.first(count)) > page_width(column):
        count -= 1
    text = render_latex(table.first(count), label, column)
    left_out = [plain(head.title) for head in table.columns[count:]]
    if left_out:
        return f"% columns that a page has no room for: {', '.join(left_out)}\n{text}"
    return text


def render_latex(table: Table, label: str = "", column: float = COLUMN) -> str:
    r"""Return the table in LaTeX that needs only the package booktabs: a `table` if it fits a column, or else a `table*`.

    A column whose cells carry marks becomes two, numbers and marks, so that the numbers stay aligned.
    Letters outside Latin are left as they are: they need an engine and a font that know them.

    Args:
        table: the table.
        label: the label for \ref; empty for none.
        column: points of a column of the paper.
    """
    environment = "table" if estimated_width(table) <= column else "table*"
    layout = ""
    heads: list[str] = []
    units: list[str] = []
    for head in table.columns:
        sign = "l" if head.align == "left" else "r"
        layout += f"{sign}@{{}}l" if head.marked else sign
        heads.append(_head(head.header, head))
        units.append(_head(head.unit, head))
    caption = " ".join(filter(None, (table.caption, table.note)))
    named = rf"\label{{{label}}}" if label else ""
    body = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{{environment}}}",
        r"\centering",
        rf"\caption{{{escape_latex(caption)}}}{named}",
        r"\footnotesize",
        rf"\setlength{{\tabcolsep}}{{{_GAP:g}pt}}",
        rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}",
        r"\toprule",
        " & ".join(heads) + r" \\",
    ]
    if any(head.unit for head in table.columns):
        body.append(" & ".join(units) + r" \\")
    body.append(r"\midrule")
    for index, row in enumerate(table.rows):
        if index in table.rules:
            body.append(r"\midrule")
        cells: list[str] = []
        for cell, head in zip(row, table.columns, strict=True):
            cells.append(_cell(cell.text))
            if head.marked:
                cells.append(_mark(cell.mark))
        body.append(" & ".join(cells) + r" \\")
    body += [r"\bottomrule", r"\end{tabular}", rf"\end{{{environment}}}", ""]
    return "\n".join(body)


def escape_latex(text: str) -> str:
    """Return `text` so that LaTeX prints it as it is: special characters escaped, `--` no dash."""
    apart = re.sub(r"-(?=-)", "-\0", plain(text))
    return apart.translate(_TRANSLATION)


def _lines(text: str) -> list[str]:
    """Return a long name in lines, each as long as the room allows."""
    if _FONT * ems(text) <= _LONG:
        return [text]
    lines: list[str] = []
    for part in _BREAKS.split(text):
        if lines and _FONT * ems(lines[-1] + part) <= _LONG:
            lines[-1] += part
        else:
            lines.append(part)
    return lines


def _cell(text: str) -> str:
    lines = [escape_latex(line) for line in _lines(text)]
    if len(lines) == 1:
        return lines[0]
    inside = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{inside}\end{{tabular}}"


def _head(text: str, head: Head) -> str:
    escaped = escape_latex(text)
    if head.marked:
        return rf"\multicolumn{{2}}{{c}}{{{escaped}}}"
    if head.align == "right":
        return rf"\multicolumn{{1}}{{c}}{{{escaped}}}"
    return escaped


def _mark(mark: str) -> str:
    """Return a mark of significance, or letters that name other rows, as a superscript."""
    if mark in _MARKS:
        return _MARKS[mark]
    return rf"\textsuperscript{{{mark}}}"
