"""A finished experiment for people: tables for terminals and papers, CSV, plots, one HTML page."""

from __future__ import annotations

import json
from pathlib import Path

from thresher.errors import InputError
from thresher.files import read_text, write_text
from thresher.reports.csv_files import HELD_OUT_FILE, write_per_topic_csv, write_results_csv
from thresher.reports.held_out_tables import CHOSEN_FILE, chosen_csv
from thresher.reports.records import Results
from thresher.reports.records_json import results_from_json, results_to_json
from thresher.reports.table_markup import write_tables

__all__ = ["RESULTS_FILE", "read_results", "write_all"]

RESULTS_FILE = "results.json"


def write_all(results: Results, folder: Path) -> None:
    """Write `results.json`, `results.csv`, `per_topic.csv`, `table.md`, `table.tex` and `report.html` into `folder`.

    With held-out topics also `results.held-out.csv`, `per_topic.held-out.csv` and, on the choice of cutoffs, `chosen.csv`.
    """
    # Plots need matplotlib, which takes most of a second to import.
    from thresher.reports.html import write_report

    write_text(folder / RESULTS_FILE, json.dumps(results_to_json(results), ensure_ascii=False) + "\n")
    write_results_csv(results, folder / "results.csv")
    write_per_topic_csv(results, folder / "per_topic.csv")
    if results.held_out:
        write_results_csv(results.held_out, folder / HELD_OUT_FILE)
        write_per_topic_csv(results.held_out, folder / "per_topic.held-out.csv")
        write_text(folder / CHOSEN_FILE, chosen_csv(results))
    write_tables(results, folder)
    write_report(results, folder / "report.html")


def read_results(folder: Path) -> Results:
    """Read what `write_all` wrote.

    Raises:
        InputError: if `results.json` is missing or damaged.
    """
    path = folder / RESULTS_FILE
    try:
        return results_from_json(json.loads(read_text(path)))
    except ValueError as error:
        raise InputError(f"the file is damaged ({error})", "run the experiment again", str(path)) from error
