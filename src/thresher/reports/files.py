"""The files of a report: CSV, Markdown, LaTeX and one HTML page in the folder of an experiment's results.

The commands and the API call `write_reports` after the work: experiments write results, not reports.
"""

from __future__ import annotations

from pathlib import Path

from thresher.base.files import write_text
from thresher.experiments.chooser import last_choice
from thresher.experiments.choosing.choices import Choice
from thresher.experiments.held_out import chosen_on_topics
from thresher.experiments.manifest import software_of
from thresher.experiments.results import Results
from thresher.reports import further_tables
from thresher.reports.html import render_report
from thresher.reports.latex import render_fitted
from thresher.reports.paper_tables import paper_table
from thresher.reports.table import csv_table
from thresher.reports.text_tables import render_markdown
from thresher.reports.variant_tables import RESULTS_CSV, main_table, per_topic_csv, results_csv

REPORT_FILE = "report.html"
PER_TOPIC_CSV = "per_topic.csv"


def write_reports(results: Results, folder: Path) -> None:
    """Write `results.csv`, `table.md`, `table.tex` and `report.html` into the folder of an experiment's results.

    With built variants there is also `per_topic.csv`, with held-out topics `chosen.csv`, with runs of other systems
    `systems.csv`. The report names the recommended index if `thresher choose` chose it from the same evidence.
    """
    write_text(folder / RESULTS_CSV, results_csv(results))
    if results.was_run:
        write_text(folder / PER_TOPIC_CSV, per_topic_csv(results))
    chosen = further_tables.chosen_table(results)
    systems = further_tables.systems_table(results)
    if chosen:
        csv = csv_table(further_tables.CHOSEN_COLUMNS, chosen_on_topics(results))
        write_text(folder / further_tables.CHOSEN_CSV, csv)
    if systems:
        csv = csv_table(further_tables.system_columns(results.measures), results.facts.systems)
        write_text(folder / further_tables.SYSTEMS_CSV, csv)
    tables = [main_table(results), chosen, further_tables.held_out_table(results), systems]
    markdown = [render_markdown(table) for table in tables if table]
    write_text(folder / "table.md", "\n".join(markdown))
    paper_tables = [paper_table(results), chosen]
    latex = [render_fitted(table) for table in paper_tables if table]
    write_text(folder / "table.tex", "\n".join(latex))
    write_report(folder, results, last_choice(folder, results.facts.key))


def write_report(folder: Path, results: Results, choice: Choice | None = None) -> None:
    """Write `report.html` into a folder, whole or not at all; it names the recommended index if there is a choice."""
    write_text(folder / REPORT_FILE, render_report(results, choice, software_of(folder)))
