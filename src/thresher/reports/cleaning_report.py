"""A finished run over a gold standard for people: tables, CSV, one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thresher.cleaneval.running import CleaningRun
from thresher.files import user_error, write_text
from thresher.reports.cleaning_choices import reliability_table, sweep_table, transfer_table
from thresher.reports.cleaning_csv import cleaners_csv, curves_csv, pages_csv
from thresher.reports.cleaning_tables import measures_table, segmentation_table, words_table
from thresher.reports.table_markup import render_latex, render_markdown
from thresher.reports.tables import Table

CUTOFFS = 12
"""About as many cutoffs of a sweep are shown on a terminal."""


def cleaning_tables(run: CleaningRun, cutoffs: int | None = None) -> tuple[Table, ...]:
    """Return all tables of a run, those that would be empty left out.

    Args:
        run: the finished run.
        cutoffs: about how many of each sweep to show at most; None for all.
    """
    found = (
        words_table(run.results),
        measures_table(run.results),
        segmentation_table(run.results),
        reliability_table(run.reliability),
        *(sweep_table(sweep, cutoffs) for sweep in run.sweeps),
        transfer_table(run.transfers),
    )
    return tuple(table for table in found if table is not None)


def write_cleaning_report(run: CleaningRun, folder: Path) -> None:
    """Write `cleaners.csv`, `pages.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    A run with sweeps has a `curves.csv`, too; without, one that an earlier run left is removed.

    Raises:
        InputError: if the folder cannot be written.
    """
    # Plots need matplotlib, which takes most of a second to import.
    from thresher.reports.cleaning_html import render_cleaning_report

    tables = cleaning_tables(run)
    stems = [page.stem for page in run.standard.pages]
    files = {
        "cleaners.csv": cleaners_csv(run.results),
        "pages.csv": pages_csv(stems, run.results, run.reliability),
        "table.md": "\n".join(map(render_markdown, tables)),
        "table.tex": _latex(tables),
        "report.html": render_cleaning_report(run),
    }
    if run.sweeps:
        files["curves.csv"] = curves_csv(run.sweeps)
    # All are made before any is written: they belong together.
    for name, text in files.items():
        write_text(folder / name, text)
    if not run.sweeps:
        _remove(folder / "curves.csv")


def _latex(tables: Sequence[Table]) -> str:
    """Return the tables one below the other; what package they need is said once."""
    first, *others = map(render_latex, tables)
    return "\n".join([first, *(text.partition("\n")[2] for text in others)])


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise user_error(error, path) from error
