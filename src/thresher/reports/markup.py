"""A table as Markdown and as LaTeX, and the files `table.md` and `table.tex`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from thresher.files import write_text
from thresher.reports.csv_files import HELD_OUT_FILE
from thresher.reports.formatting import plain
from thresher.reports.held_out_tables import chosen_table
from thresher.reports.tables import Column, Table, effectiveness_table, main_table
from thresher.results.records import Results

PAGE_ROWS = 40
"""Rows of a LaTeX table before it is shortened: a page holds no more."""

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


def write_tables(results: Results, folder: Path) -> None:
    """Write the main table into `folder`: all rows as `table.md`, what fits a page of a paper as `table.tex`.

    With held-out topics two tables follow: what was chosen and tested, and the effectiveness of all rows on those topics.

    Raises:
        InputError: if the results hold no measure, or the folder cannot be written.
    """
    markdown = [main_table(results), *_held_out_tables(results, None)]
    latex = [main_table(results, PAGE_ROWS), *_held_out_tables(results, PAGE_ROWS)]
    write_text(folder / "table.md", "\n".join(map(render_markdown, markdown)))
    write_text(folder / "table.tex", "\n".join(map(render_latex, latex)))


def _held_out_tables(results: Results, limit: int | None) -> Iterator[Table]:
    if results.held_out:
        yield from filter(None, [chosen_table(results)])
        yield effectiveness_table(results.held_out, HELD_OUT_FILE, limit)


def render_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown; units stand in brackets behind the headers."""
    head = [_markdown(_header(column)) for column in table.columns]
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
    for place, row in enumerate(table.rows):
        if place in table.rules:
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


def _latex_head(text: str, column: Column) -> str:
    escaped = escape_latex(text)
    if column.marked:
        return rf"\multicolumn{{2}}{{c}}{{{escaped}}}"
    return rf"\multicolumn{{1}}{{c}}{{{escaped}}}" if column.align == "right" else escaped


def _header(column: Column) -> str:
    return f"{column.header} ({column.unit})" if column.unit else column.header


def _markdown(text: str) -> str:
    """Escape what Markdown would read as markup; `@`, brackets and equals signs of names stay readable."""
    escaped = re.sub(r"([\\`*_\[\]|~])", r"\\\1", plain(text))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
