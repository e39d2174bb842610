"""The report of cleaning on partial gold: its HTML page, and all files of a run."""

from __future__ import annotations

from pathlib import Path

from thresher.cleaneval.partial_runs import PartialRun
from thresher.reports.cleaning_report import write_files
from thresher.reports.formats import render_latex, render_markdown
from thresher.reports.formatting import fixed
from thresher.reports.html_parts import render_template
from thresher.reports.partial_tables import partial_csv, partial_pages_csv, partial_table


def write_partial_report(run: PartialRun, folder: Path) -> None:
    """Write `cleaners.csv`, `pages.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    Raises:
        InputError: if the folder cannot be written.
    """
    table = partial_table(run)
    files = {
        "cleaners.csv": partial_csv(run),
        "pages.csv": partial_pages_csv(run),
        "table.md": render_markdown(table),
        "table.tex": render_latex(table),
        "report.html": render_partial_report(run),
    }
    write_files(files, folder)


def render_partial_report(run: PartialRun) -> str:
    """Return the page: one HTML document with its styles and script inside, the same bytes every time."""
    return render_template(
        "partial.html.j2",
        title=f"Cleaning {run.name}",
        pages=len(run.standard.pages),
        rows=len(run.results),
        sentence=_sentence(run),
        snippets=partial_table(run),
        problems=run.problems,
        crashes=run.crashes,
        standard=run.standard,
    )


def _sentence(run: PartialRun) -> str:
    counts = run.results[0].summary.counts
    return (
        f"All text keeps {fixed(counts.kept, 0)} of {fixed(counts.required, 0)} snippets that must stay and"
        f" {fixed(counts.leaked, 0)} of {fixed(counts.forbidden, 0)} that must go."
    )
