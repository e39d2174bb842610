"""A finished experiment for people: tables for terminals and papers, CSV, plots, one HTML page."""

from __future__ import annotations

from pathlib import Path

from thresher.choosing.records import Choice, read_choice
from thresher.exploring.exploration import Exploration, read_exploration
from thresher.files import write_text
from thresher.reports.formats import render_latex, render_markdown
from thresher.reports.results_tables import (
    CHOSEN_FILE,
    HELD_OUT_FILE,
    chosen_csv,
    chosen_table,
    effectiveness_table,
    main_table,
    per_topic_csv,
    results_csv,
)
from thresher.reports.table import Table
from thresher.results.records import RESULTS, Results

__all__ = ["RESULTS_FILE", "read_results", "write_all", "write_choice_report"]

RESULTS_FILE = "results.json"
REPORT_FILE = "report.html"
PAGE_ROWS = 40
"""Rows of a LaTeX table before it is shortened: a page holds no more."""


def write_all(results: Results, folder: Path) -> None:
    """Write `results.json`, `results.csv`, `per_topic.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    With held-out topics also `results.held-out.csv`, `per_topic.held-out.csv` and, on the choice of cutoffs, `chosen.csv`. A
    choice that the folder holds is in the report if it rests on the same as the results.

    Raises:
        InputError, StateError: if a choice or the exploration behind it is damaged.
    """
    # Plots need matplotlib, which takes most of a second to import.
    from thresher.reports.html import write_report

    choice = read_choice(folder)
    if choice is not None and choice.key != results.key:
        choice = None
    RESULTS.write(folder / RESULTS_FILE, results)
    write_text(folder / "results.csv", results_csv(results))
    write_text(folder / "per_topic.csv", per_topic_csv(results))
    if results.held_out:
        write_text(folder / HELD_OUT_FILE, results_csv(results.held_out))
        write_text(folder / "per_topic.held-out.csv", per_topic_csv(results.held_out))
        write_text(folder / CHOSEN_FILE, chosen_csv(results))
    write_text(folder / "table.md", "\n".join(map(render_markdown, _paper_tables(results, None))))
    write_text(folder / "table.tex", "\n".join(map(render_latex, _paper_tables(results, PAGE_ROWS))))
    write_report(results, folder / REPORT_FILE, choice, _explored(choice, folder))


def _paper_tables(results: Results, limit: int | None) -> list[Table]:
    """Return the main table; with held-out topics also what was chosen, and the effectiveness of all variants on them."""
    tables = [main_table(results, limit)]
    if results.held_out:
        chosen = chosen_table(results)
        tables += [*([chosen] if chosen else []), effectiveness_table(results.held_out, HELD_OUT_FILE, limit)]
    return tables


def write_choice_report(choice: Choice, folder: Path) -> None:
    """Write `report.html` with a choice, and with the results in the folder if they rest on the same.

    Raises:
        InputError, StateError: if the results, or the exploration behind the choice, are damaged.
    """
    from thresher.reports.html import write_report

    results = read_results(folder) if (folder / RESULTS_FILE).exists() else None
    if results is not None and results.key != choice.key:
        results = None
    write_report(results, folder / REPORT_FILE, choice, _explored(choice, folder))


def read_results(folder: Path) -> Results:
    """Read what `write_all` wrote.

    Raises:
        InputError: if `results.json` is missing, damaged or of another version.
    """
    return RESULTS.read(folder / RESULTS_FILE)


def _explored(choice: Choice | None, folder: Path) -> Exploration | None:
    """Return the exploration that a choice was made of; None if it was made of runs."""
    if choice is None or not choice.decisions[0].explored:
        return None
    exploration = read_exploration(folder)
    return exploration if exploration.key == choice.key else None
