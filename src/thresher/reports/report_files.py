"""The files of a report: results as JSON and CSV, tables for papers, one HTML page."""

from __future__ import annotations

from pathlib import Path

from thresher.choosing.choices import Choice
from thresher.explaining.explanations import ExplainedTopics
from thresher.exploring.exploration import Exploration
from thresher.files import write_text
from thresher.reports.further_tables import (
    CHOSEN_FILE,
    SYSTEMS_FILE,
    TWINS_FILE,
    chosen_csv,
    chosen_table,
    systems_csv,
    systems_table,
    twins_table,
)
from thresher.reports.results_tables import HELD_OUT_FILE, effectiveness_table, main_table, per_topic_csv, results_csv
from thresher.reports.table import Table
from thresher.reports.text_tables import render_latex, render_markdown
from thresher.results.experiment_results import Results, write_results

REPORT_FILE = "report.html"
PAGE_ROWS = 40
"""Rows of a LaTeX table before it is shortened: a page holds no more."""


def write_all(
    results: Results,
    folder: Path,
    choice: Choice | None = None,
    exploration: Exploration | None = None,
    explained: ExplainedTopics | None = None,
) -> None:
    """Write `results.json`, `results.csv`, `per_topic.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    With held-out topics also `results.held-out.csv`, `per_topic.held-out.csv` and, on the choice of cutoffs, `chosen.csv`;
    with variants that keep headings also `results.without-headings.csv`, with runs of other systems `systems.csv`. For
    `choice`, `exploration` and `explained` see `write_report`.

    Raises:
        InputError: as `write_report`.
    """
    write_results(results, folder)
    write_text(folder / "results.csv", results_csv(results))
    write_text(folder / "per_topic.csv", per_topic_csv(results))
    if results.held_out:
        write_text(folder / HELD_OUT_FILE, results_csv(results.held_out))
        write_text(folder / "per_topic.held-out.csv", per_topic_csv(results.held_out))
        write_text(folder / CHOSEN_FILE, chosen_csv(results))
    if results.without_headings:
        write_text(folder / TWINS_FILE, results_csv(results.without_headings))
    if results.systems:
        write_text(folder / SYSTEMS_FILE, systems_csv(results))
    write_text(folder / "table.md", "\n".join(map(render_markdown, _paper_tables(results, None))))
    write_text(folder / "table.tex", "\n".join(map(render_latex, _paper_tables(results, PAGE_ROWS))))
    write_report(folder, results, choice, exploration, explained)


def _paper_tables(results: Results, limit: int | None) -> list[Table]:
    """Return the main table; with held-out topics also what was chosen, and the effectiveness of all variants on them; with
    variants that keep headings also these without.
    """
    tables = [main_table(results, limit)]
    if results.held_out:
        chosen = chosen_table(results)
        tables += [*([chosen] if chosen else []), effectiveness_table(results.held_out, HELD_OUT_FILE, limit)]
    return [*tables, *(table for table in (systems_table(results), twins_table(results)) if table)]


def write_report(
    folder: Path,
    results: Results | None,
    choice: Choice | None = None,
    exploration: Exploration | None = None,
    explained: ExplainedTopics | None = None,
) -> None:
    """Write `report.html` into `folder`, whole or not at all.

    Without results the page is about the choice alone; without an exploration the choice was made from the runs. It links to
    the pages that explain the topics of these results, if there are any.

    Raises:
        InputError: if the results hold no measure or no baseline, or the file cannot be written.
    """
    # Jinja is imported when there is a page to write.
    from thresher.reports.html import render_report

    write_text(folder / REPORT_FILE, render_report(results, choice, exploration, explained))
