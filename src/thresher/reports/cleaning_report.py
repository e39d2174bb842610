"""A finished run over a gold standard for people: tables, CSV, one HTML page."""

from __future__ import annotations

from pathlib import Path

from thresher.cleaneval.running import CleaningRun
from thresher.files import write_text
from thresher.reports.cleaning_choices import reliability_table, sweep_table, transfer_table
from thresher.reports.cleaning_csv import cleaners_csv, pages_csv
from thresher.reports.cleaning_tables import measures_table, segmentation_table, words_table
from thresher.reports.table_markup import render_latex, render_markdown
from thresher.reports.tables import Table


def cleaning_tables(run: CleaningRun) -> tuple[Table, ...]:
    """Return all tables of a run, those that would be empty left out."""
    found = (
        words_table(run.results),
        measures_table(run.results),
        segmentation_table(run.results),
        reliability_table(run.reliability),
        *map(sweep_table, run.sweeps),
        transfer_table(run.transfers),
    )
    return tuple(table for table in found if table is not None)


def write_cleaning_report(run: CleaningRun, folder: Path) -> None:
    """Write `cleaners.csv`, `pages.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    Raises:
        InputError: if the folder cannot be written.
    """
    # Plots need matplotlib, which takes most of a second to import.
    from thresher.reports.cleaning_html import render_cleaning_report

    tables = cleaning_tables(run)
    write_text(folder / "cleaners.csv", cleaners_csv(run.results))
    write_text(
        folder / "pages.csv", pages_csv([page.stem for page in run.standard.pages], run.results, run.reliability)
    )
    write_text(folder / "table.md", "\n".join(map(render_markdown, tables)))
    write_text(folder / "table.tex", "\n".join(map(render_latex, tables)))
    write_text(folder / "report.html", render_cleaning_report(run))
