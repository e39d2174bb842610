"""Tables and plots for papers, as files."""

from __future__ import annotations

from pathlib import Path

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import write_text
from thresher.experiments.results import Results
from thresher.reports.formatting import fixed
from thresher.reports.latex import INCH, WIDTH, estimated_width, page_width, parse_length, render_fitted
from thresher.reports.paper_tables import PaperTable, paper_table


def write_paper_table(
    results: Results, specification: PaperTable, path: Path, label: str = "", width: str = WIDTH
) -> None:
    """Write a table in LaTeX: as wide as a column of a paper if it fits, or else as wide as the page.

    Args:
        results: the results.
        specification: the columns and rows.
        path: the file, whose name ends in .tex.
        label: the label for references; empty for none.
        width: the width of a column, such as 3.3in.

    Raises:
        ConfigError: if the table is wider than a page.
        InputError: if the file has another ending.
    """
    if path.suffix.lower() != ".tex":
        raise InputError("a table for a paper is written as LaTeX", "end the file name in .tex", str(path))
    column = parse_length(width) * INCH
    table = paper_table(results, specification)
    estimated_points = estimated_width(table)
    if specification.columns and estimated_points > page_width(column):
        points = fixed(estimated_points, 0)
        what = f"the table is about {points} pt wide, and two columns have {fixed(page_width(column), 0)} pt"
        fix = "name fewer columns, or give long names a label in [report] of the experiment file"
        raise ConfigError(what, fix, str(path))
    write_text(path, render_fitted(table, label, column))
