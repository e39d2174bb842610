"""The tables of a report, before anyone decides whether they become text, Markdown, LaTeX or HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from thresher.evaluation.records import Comparison
from thresher.evaluation.significance import ALPHA
from thresher.reports.formatting import (
    MARKS,
    MINUS,
    NOTHING,
    break_even_text,
    co2_text,
    decimals_for,
    fixed,
    megabytes,
    percent,
)
from thresher.results.records import Cost, Results, Row
from thresher.results.selection import (
    compared_measures,
    direction,
    main_measure,
    relative_bytes,
    retrievals,
    shown_rows,
)

MEASURE_DECIMALS = 4


@dataclass(frozen=True)
class Column:
    """A column: its header, its unit (empty for none), its alignment, and whether cells may carry a mark."""

    header: str
    unit: str = ""
    align: Literal["left", "right"] = "right"
    marked: bool = False


@dataclass(frozen=True)
class Cell:
    """A formatted cell; `mark` is its significance mark and `value` the number to sort by, if it is one."""

    text: str
    mark: str = ""
    value: float | None = None


@dataclass(frozen=True)
class Table:
    """A table. The first `keys` columns name a row; `rules` are the rows that a thin line goes above."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    note: str = ""
    keys: int = 1
    rules: tuple[int, ...] = ()


def main_table(results: Results, limit: int | None = None) -> Table:
    """Return the table of effectiveness next to cost, one row a (variant, retrieval).

    Columns: variant, retrieval (if there are several), each measure with its significance mark,
        wins/ties/losses of the
    main measure in topics, index megabytes (10^6 bytes) and per cent of the baseline's, words kept in per
    cent, documents emptied, seconds of cleaning and indexing, median latency in milliseconds, break-even in
    queries.

    Args:
        results: the finished experiment.
        limit: about how many rows to show at most (see `shown_rows`); None for all.

    Raises:
        InputError: if the results hold no measure.
    """
    rows = shown_rows(results, limit)
    columns, cells = _effectiveness(results, rows)
    _numbers(columns, cells, rows, Column("index", "MB"), lambda row: megabytes(row.index_bytes))
    _ratios(columns, cells, rows, Column("index", "% of baseline"), relative_bytes)
    _ratios(columns, cells, rows, Column("words kept", "%"), words_kept)
    _numbers(columns, cells, rows, Column("emptied", "pages"), lambda row: float(row.emptied), digits=1)
    _numbers(columns, cells, rows, Column("cleaning", "s"), lambda row: row.clean.wall_seconds, digits=2)
    _numbers(columns, cells, rows, Column("indexing", "s"), lambda row: row.index.wall_seconds, digits=2)
    _numbers(columns, cells, rows, Column("latency", "ms"), lambda row: row.latency_median_ms, digits=2)
    columns.append(Column("break-even", "queries"))
    for line, row in zip(cells, rows, strict=True):
        line.append(Cell(break_even_text(row), value=None if row.is_baseline else row.break_even_queries))
    units = "MB: 10⁶ bytes. Latency: median of a query. Break-even: queries after which cleaning has paid off."
    return _table(columns, cells, rows, f"{caption(results)} {units}", _left_out(rows, results, "results.csv"), results)


def effectiveness_table(results: Results, file: str, limit: int | None = None) -> Table:
    """Return the part of the main table that is about effectiveness.

    Args:
        results: the finished experiment.
        file: the name of the file with all rows.
        limit: about how many rows to show at most; None for all.

    Raises:
        InputError: if the results hold no measure.
    """
    rows = shown_rows(results, limit)
    columns, cells = _effectiveness(results, rows)
    return _table(columns, cells, rows, caption(results), _left_out(rows, results, file), results)


def measure_column(name: str) -> Column:
    """Return the column of a measure; parameters in its name go where units stand, for the header's sake.

    >>> measure_column("nDCG(dcg='exp-log2')@10")
    Column(header='nDCG@10', unit="dcg='exp-log2'", align='right', marked=False)
    """
    parts = re.fullmatch(r"([^()]+)\(([^()]*)\)([^()]*)", name)
    return Column(parts[1] + parts[3], parts[2]) if parts else Column(name)


def caption(results: Results) -> str:
    """Return the line below a table of effectiveness: topics, test, correction, level, and what the signs mean."""
    measure = main_measure(results)
    text = f"{results.topics} topics."
    if compared_measures(results):
        text += (
            f" {results.test} against the baseline, Holm correction over variants and measures, α = {ALPHA}:"
            f" †+ is significantly better, †{MINUS} significantly worse."
        )
        if any(direction(item) == "mixed" for row in results.rows for item in row.comparisons.values()):
            text += " † alone is significant, but mean and ranks differ in sign."
        text += f" W/T/L: topics won, tied and lost in {measure}."
    return text


def stage_table(results: Results, stage: Literal["clean", "index", "search"], limit: int | None = None) -> Table:
    """Return what a stage took: wall and CPU seconds, peak MiB, g of CO2 ("below resolution" for None)."""
    rows = shown_rows(results, limit)
    columns, cells = _key_columns(results, rows)

    def cost(row: Row) -> Cost:
        return {"clean": row.clean, "index": row.index, "search": row.search}[stage]

    _numbers(columns, cells, rows, Column("wall", "s"), lambda row: cost(row).wall_seconds, digits=2)
    _numbers(columns, cells, rows, Column("CPU", "s"), lambda row: cost(row).cpu_seconds, digits=2)
    _numbers(columns, cells, rows, Column("peak", "MiB"), lambda row: cost(row).peak_mib, digits=1)
    columns.append(Column("CO₂", "g"))
    for line, row in zip(cells, rows, strict=True):
        line.append(Cell(co2_text(cost(row)), value=cost(row).co2_grams))
    titles = {"clean": "Cleaning", "index": "Indexing", "search": "Searching"}
    return _table(columns, cells, rows, titles[stage], "", results)


def bytes_table(results: Results, limit: int | None = None) -> Table:
    """Return the index bytes by file type in MB (10^6 bytes), the largest type first, and their sum."""
    rows = shown_rows(results, limit)
    columns, cells = _key_columns(results, rows)
    totals: dict[str, int] = {}
    for row in rows:
        for kind, size in row.index_bytes_by_type.items():
            totals[kind] = totals.get(kind, 0) + size
    for kind in sorted(totals, key=lambda kind: (-totals[kind], kind)):
        _numbers(columns, cells, rows, Column(kind, "MB"), _size_of(kind))
    _numbers(columns, cells, rows, Column("all", "MB"), lambda row: megabytes(row.index_bytes))
    return _table(columns, cells, rows, "Index bytes by file type", "", results)


def break_even_table(results: Results, limit: int | None = None) -> Table:
    """Return after how many queries each variant has paid for itself, and in words."""
    rows = tuple(row for row in shown_rows(results, limit) if not row.is_baseline)
    columns, cells = _key_columns(results, rows)
    columns += [Column("queries"), Column("in words", align="left")]
    for line, row in zip(cells, rows, strict=True):
        line += [Cell(break_even_text(row), value=row.break_even_queries), Cell(row.break_even_note)]
    return _table(columns, cells, rows, "Break-even", "", results)


def wins_cell(comparison: Comparison | None) -> Cell:
    """Return topics won, tied and lost."""
    if comparison is None:
        return Cell(NOTHING)
    text = f"{comparison.wins}/{comparison.ties}/{comparison.losses}"
    return Cell(text, value=float(comparison.wins - comparison.losses))


def words_kept(row: Row) -> float | None:
    """Return the ratio of words kept to all words; None where the collection has no words."""
    return row.words_kept / row.words_total if row.words_total else None


def _effectiveness(results: Results, rows: Sequence[Row]) -> tuple[list[Column], list[list[Cell]]]:
    columns, cells = _key_columns(results, rows)
    tested = compared_measures(results)
    for name in results.measures:
        columns.append(replace(measure_column(name), marked=name in tested))
        for line, row in zip(cells, rows, strict=True):
            value = row.measures.get(name)
            mark = MARKS[direction(row.comparisons.get(name))]
            line.append(Cell(fixed(value, MEASURE_DECIMALS), mark, value))
    columns.append(Column("W/T/L", "topics"))
    measure = main_measure(results)
    for line, row in zip(cells, rows, strict=True):
        line.append(wins_cell(row.comparisons.get(measure)))
    return columns, cells


def _left_out(rows: Sequence[Row], results: Results, file: str) -> str:
    whole = len(results.rows)
    return f"{len(rows)} of {whole} rows; all of them are in {file}." if len(rows) < whole else ""


def _key_columns(results: Results, rows: Sequence[Row]) -> tuple[list[Column], list[list[Cell]]]:
    several = len(retrievals(results)) > 1
    columns = [Column("variant", align="left")] + [Column("retrieval", align="left")] * several
    return columns, [[Cell(row.variant)] + [Cell(row.retrieval)] * several for row in rows]


def _numbers(
    columns: list[Column],
    cells: list[list[Cell]],
    rows: Sequence[Row],
    column: Column,
    number: Callable[[Row], float],
    digits: int = 3,
) -> None:
    values = [number(row) for row in rows]
    places = decimals_for(values, digits)
    columns.append(column)
    for line, value in zip(cells, values, strict=True):
        line.append(Cell(fixed(value, places), value=value))


def _ratios(
    columns: list[Column],
    cells: list[list[Cell]],
    rows: Sequence[Row],
    column: Column,
    ratio: Callable[[Row], float | None],
) -> None:
    columns.append(column)
    for line, row in zip(cells, rows, strict=True):
        line.append(Cell(percent(ratio(row)), value=ratio(row)))


def _size_of(kind: str) -> Callable[[Row], float]:
    return lambda row: megabytes(row.index_bytes_by_type.get(kind, 0))


def _table(
    columns: Sequence[Column],
    cells: Sequence[Sequence[Cell]],
    rows: Sequence[Row],
    text: str,
    note: str,
    results: Results,
) -> Table:
    group = [(row.retrieval, row.is_baseline, row.sweep) for row in rows]
    rules = tuple(place for place in range(1, len(rows)) if group[place] != group[place - 1])
    keys = 2 if len(retrievals(results)) > 1 else 1
    return Table(tuple(columns), tuple(tuple(line) for line in cells), text, note, keys, rules)
