"""Results for people: tables for terminals and papers, CSV, charts, one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.experiments.choosing.advice import Advice
    from thresher.experiments.choosing.choices import Choice
    from thresher.experiments.explaining.explanations import ExplainedTopics
    from thresher.experiments.results import Results

__all__ = ["write_all", "write_report"]

REPORT_FILE = "report.html"
PAGE_ROWS = 40
"""Rows of a LaTeX table before it is shortened: a page holds no more."""


def write_all(
    results: Results, folder: Path, choice: Choice | None = None, explained: ExplainedTopics | None = None
) -> None:
    """Write `results.csv`, `table.md`, `table.tex` and `report.html` into a folder.

    With built variants also `per_topic.csv`, with held-out topics `chosen.csv`, with runs of other systems `systems.csv`. For
    `choice` and `explained` see `write_report`.
    """
    # What renders is imported when there is something to render.
    from thresher.base.files import write_text
    from thresher.experiments.held_out import chosen_on_topics
    from thresher.reports import further_tables as further
    from thresher.reports.table import csv_table
    from thresher.reports.text_tables import render_latex, render_markdown
    from thresher.reports.variant_tables import RESULTS_CSV, main_table, per_topic_csv, results_csv

    write_text(folder / RESULTS_CSV, results_csv(results))
    if results.was_run:
        write_text(folder / "per_topic.csv", per_topic_csv(results))
    others = [further.chosen_table(results), further.systems_table(results)]
    if others[0]:
        write_text(folder / further.CHOSEN_CSV, csv_table(further.chosen_columns(), chosen_on_topics(results)))
    if results.facts.systems:
        write_text(
            folder / further.SYSTEMS_CSV, csv_table(further.system_columns(results.measures), results.facts.systems)
        )
    found = [table for table in others if table]
    write_text(folder / "table.md", "\n".join(map(render_markdown, [main_table(results), *found])))
    write_text(folder / "table.tex", "\n".join(map(render_latex, [main_table(results, PAGE_ROWS), *found])))
    write_report(folder, results, choice, explained)


def write_report(
    folder: Path,
    results: Results,
    choice: Choice | None = None,
    explained: ExplainedTopics | None = None,
    advice: Advice | None = None,
) -> None:
    """Write `report.html` into a folder, whole or not at all.

    The page says what is advised or recommended if there is an advice or a choice, and links to the pages that explain topics
    if there are any.
    """
    from thresher.base.files import write_text
    from thresher.reports.html import render_report

    write_text(folder / REPORT_FILE, render_report(results, choice, explained, advice))
