"""Columns: each declares its name, unit, format and meaning once, with the function that reads a row's value.

Terminal, CSV, Markdown, LaTeX, HTML, data frames and docs/results/columns.md show the same columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from thresher.base.numbers import Interval
from thresher.evaluation.significance import Comparison
from thresher.reports import formats
from thresher.reports.formatting import MARKS, NOTHING, change_text, direction
from thresher.reports.number_formats import Format

Row = TypeVar("Row")
Value = str | float | None


def is_empty(value: Value) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column over the rows of a table.

    Args:
        name: the name in CSV files; in tables too, unless there is a `header`.
        value: returns a row's exact value, which CSV files hold and pages sort by; None and NaN are an empty field.
        meaning: a phrase or sentence that stands alone.
        format: how numbers are shown.
        header: the header in tables.
        unit: the unit, which stands below the header.
        text: returns the text of a row that has a value, where a cell shows more than the value.
        prefix: returns the text before a row's number, such as `≈`.
        mark: returns a row's significance mark, which stands behind the number.
        interval: returns the value's 95 % interval: tables show it behind the number, CSV files in two further columns.
        in_csv: whether CSV files have the column; not if it only shows the values of other columns.
        missing: the text of tables where there is no value, or returns it.
        source: returns the record that a row's value comes from; None if the experiment lacks the record. A column with
            a source is written even if all its values are missing by chance, such as times too short to measure: all
            files of an experiment have the same columns.
    """

    name: str
    value: Callable[[Row], Value]
    meaning: str
    format: Format = formats.VALUE
    header: str = ""
    unit: str = ""
    text: Callable[[Row], str] | None = None
    prefix: Callable[[Row], str] | None = None
    mark: Callable[[Row], str] | None = None
    interval: Callable[[Row], Interval | None] | None = None
    in_csv: bool = True
    missing: str | Callable[[Row], str] = NOTHING
    source: Callable[[Row], object | None] | None = None

    def is_in(self, rows: Iterable[Row]) -> bool:
        """Return whether some row has a value, or a source for one."""
        if self.source is not None:
            return any(self.source(row) is not None for row in rows)
        return any(not is_empty(self.value(row)) for row in rows)

    @property
    def title(self) -> str:
        """The header in tables."""
        return self.header or self.name


class CsvField(NamedTuple, Generic[Row]):
    """A field of CSV files and data frames."""

    name: str
    meaning: str
    value: Callable[[Row], Value]


def csv_fields(columns: Iterable[Column[Row]]) -> Iterator[CsvField[Row]]:
    """Give the fields that columns have in CSV files: the value, and the ends of its interval if it has one."""
    for column in columns:
        if not column.in_csv:
            continue
        yield CsvField(column.name, column.meaning, column.value)
        if column.interval is not None:
            ends = f"end of the 95 % interval of `{column.name}`."
            yield CsvField(f"{column.name}_low", f"Lower {ends}", field_of(column.interval, "low"))
            yield CsvField(f"{column.name}_high", f"Upper {ends}", field_of(column.interval, "high"))


def field_of(record: Callable[[Row], object | None], field: str) -> Callable[[Row], Any]:
    """Return the function that reads a field of a row's record, such as `"index.bytes"`; None where there is no record."""
    value = attrgetter(field)

    def read(row: Row) -> Any:
        of_row = record(row)
        return None if of_row is None else value(of_row)

    return read


def middle_of(interval: Callable[[Row], Interval | None]) -> Callable[[Row], float | None]:
    """Return the function that reads the value of an interval."""
    return field_of(interval, "value")


def meaning_of(about: str, meaning: str) -> str:
    """Return a meaning with the part of the row that it describes before it.

    >>> meaning_of("Indexing", "wall seconds."), meaning_of("", "wall seconds.")
    ('Indexing: wall seconds.', 'Wall seconds.')
    """
    if about:
        return f"{about}: {meaning}"
    return meaning[:1].upper() + meaning[1:]


def comparison_mark(comparison: Callable[[Row], Comparison | None]) -> Callable[[Row], str]:
    """Return a function that returns the significance mark of a row, given a function that returns the row's comparison."""

    def mark(row: Row) -> str:
        return MARKS[direction(comparison(row))]

    return mark


class ComparisonColumns(NamedTuple, Generic[Row]):
    """The columns of a comparison with the baseline over topics, in the order of CSV files."""

    difference: Column[Row]
    wins: Column[Row]
    ties: Column[Row]
    losses: Column[Row]
    p: Column[Row]
    p_corrected: Column[Row]
    effect: Column[Row]
    ci_low: Column[Row]
    ci_high: Column[Row]
    interval: Column[Row]
    outcome: Column[Row]


def comparison_columns(
    comparison: Callable[[Row], Comparison | None], prefix: str = "", about: str = ""
) -> ComparisonColumns[Row]:
    """Return the columns of a comparison.

    Args:
        comparison: returns a row's comparison; None for a row without one, such as the baseline.
        prefix: the beginning of the columns' names.
        about: the compared values, named before the meanings.
    """

    def column(name: str, field: str, meaning: str, format: Format = formats.VALUE, header: str = "") -> Column[Row]:
        read = field_of(comparison, field)
        return Column(f"{prefix}{name}", read, meaning_of(about, meaning), format, header or name)

    def outcome(row: Row) -> str:
        compared = comparison(row)
        if compared is None:
            return ""
        return f"{compared.wins}/{compared.ties}/{compared.losses}"

    def interval(row: Row) -> str:
        compared = comparison(row)
        if compared is None:
            return ""
        return f"{change_text(compared.ci_low)} to {change_text(compared.ci_high)}"

    of_level = "of the interval of the mean difference, of level 1 − α."
    corrected = "p after the correction; empty without one."
    interval_column = column("interval", "ci_low", "interval of the mean difference, of level 1 − α.")
    outcome_column = column("outcome", "wins", "topics won, tied and lost.", formats.COUNT, "W/T/L")
    return ComparisonColumns(
        difference=column("difference", "difference", "mean difference from the baseline.", formats.DIFFERENCE),
        wins=column("W", "wins", "topics won.", formats.COUNT),
        ties=column("T", "ties", "topics tied.", formats.COUNT),
        losses=column("L", "losses", "topics lost.", formats.COUNT),
        p=column("p", "p", "two-sided p of the test.", formats.P),
        p_corrected=column("p_corrected", "p_corrected", corrected, formats.P, "p"),
        effect=column("effect", "effect", "matched-pairs rank-biserial correlation, in [−1, 1]."),
        ci_low=column("ci_low", "ci_low", f"lower end {of_level}"),
        ci_high=column("ci_high", "ci_high", f"upper end {of_level}"),
        interval=replace(interval_column, text=interval, in_csv=False),
        outcome=replace(outcome_column, unit="topics", text=outcome, in_csv=False),
    )
