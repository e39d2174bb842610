"""Runs of other systems beside the baseline: a table and `systems.csv`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thresher.evaluation.significance import Comparison
from thresher.reports.results_tables import COMPARED, caption, measure_column
from thresher.reports.table import COUNT, PERCENT, Column, Table, csv_table, pick, within
from thresher.results.experiment_results import Results, SystemResult
from thresher.results.selection import baseline_row, compared_measures, main_measure, retrievals

SYSTEMS_FILE = "systems.csv"


def system_columns(measures: Sequence[str], tested: Sequence[str], whole: int) -> list[Column[SystemResult]]:
    """Return the columns of other systems, in the file and in tables; `whole` are the bytes of the baseline's index."""
    return [
        Column("system", lambda row: row.name, "The system, as the experiment names it.", align="left"),
        *(measure_column(name, True) for name in measures),
        *(column for name in tested for column in within(COMPARED, _comparison(name), f"{name} ", name)),
        Column("retrieved", lambda row: row.retrieved, "Topics with a document.", unit="topics", format=COUNT),
        Column("index_bytes", lambda row: row.index_bytes, "Size of its index in bytes, if known.", format=COUNT),
        Column(
            "index_bytes_relative",
            lambda row: row.index_bytes / whole if row.index_bytes and whole else None,
            "The same over that of the baseline.",
            "index",
            "% of baseline",
            PERCENT,
        ),
    ]


def _columns(results: Results) -> list[Column[SystemResult]]:
    whole = baseline_row(results, retrievals(results)[0]).index_bytes
    return system_columns(results.measures, compared_measures(results), whole)


def _comparison(name: str) -> Callable[[SystemResult], Comparison | None]:
    return lambda row: row.comparisons.get(name)


def systems_table(results: Results) -> Table | None:
    """Return a row for each other system, compared with the baseline; None without any."""
    if not results.systems:
        return None
    main = main_measure(results)
    compared = [f"{main} {name}" for name in ("difference", "W/T/L")] if main in compared_measures(results) else []
    columns = _columns(results)
    shown = pick(columns, "system", main, *compared, "index_bytes_relative", "retrieved")
    others = pick(columns, *(name for name in results.measures if name != main))
    return Table.of([*shown, *others], results.systems, f"Runs of other systems. {caption(results)}")


def systems_csv(results: Results) -> str:
    """Return one line per system."""
    return csv_table(_columns(results), results.systems)
