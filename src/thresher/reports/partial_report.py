"""The report of cleaning on partial gold: its table, CSV files and HTML page. Its columns are some of those for whole gold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thresher.cleaneval.judging import PartialQuality
from thresher.cleaneval.running import PartialResult, PartialRun
from thresher.reports.cleaning_columns import (
    SNIPPET_COUNTS,
    SNIPPETS,
    SNIPPETS_SHOWN,
    MeasuredPage,
    cleaner_columns,
    page_columns,
    snippet_caption,
)
from thresher.reports.cleaning_report import write_files
from thresher.reports.formatting import fixed
from thresher.reports.html_parts import render_template
from thresher.reports.table import Column, Table, csv_table, pick, within
from thresher.reports.text_tables import render_latex, render_markdown

PARTIAL: tuple[Column[PartialResult], ...] = (
    *cleaner_columns(lambda row: row.emptied),
    *within(SNIPPETS, lambda row: row.summary),
)
"""The columns of cleaners on partial gold."""


@dataclass(frozen=True)
class PartialRow(MeasuredPage):
    """The same, measured by the snippets of the gold."""

    quality: PartialQuality


PARTIAL_PAGES: tuple[Column[PartialRow], ...] = (
    *page_columns(lambda row: row.quality.words),
    *within(SNIPPET_COUNTS, lambda row: row.quality.snippets),
)
"""The columns of pages with partial gold."""


def partial_table(run: PartialRun) -> Table:
    """Return the table: one cleaner per row, the baseline first."""
    crashed = ("crashed",) if any(result.is_peer for result in run.results) else ()
    names = ("cleaner", *SNIPPETS_SHOWN, "pages", "emptied", *crashed)

    def group(result: PartialResult) -> tuple[bool, bool]:
        return result is run.results[0], result.is_peer

    return Table.of(pick(PARTIAL, *names), run.results, snippet_caption(run.results[0].summary), group=group)


def partial_csv(run: PartialRun) -> str:
    """Return one line per cleaner."""
    return csv_table(PARTIAL, run.results)


def partial_pages_csv(run: PartialRun) -> str:
    """Return one line per page and cleaner."""
    return csv_table(PARTIAL_PAGES, _rows(run))


def _rows(run: PartialRun) -> Iterator[PartialRow]:
    for page, *qualities in zip(run.standard.pages, *(result.pages for result in run.results), strict=True):
        for result, quality in zip(run.results, qualities, strict=True):
            yield PartialRow(page, result.cleaner, quality)


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
