"""Tables as they are shown: cells of text, made of columns over rows; CSV files and data frames of the same columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

from thresher.base.errors import ConfigError, needs_extra
from thresher.reports.columns import Column, Row, Value, csv_fields, is_empty
from thresher.reports.number_formats import Align, Number

_EXPONENTIAL = "dcg='exp-log2'"


@dataclass(frozen=True)
class Head:
    """The head of a column: its header, its unit (empty for none), its alignment, whether cells may carry a mark."""

    header: str
    unit: str = ""
    align: Align = "right"
    marked: bool = False
    meaning: str = ""

    @property
    def title(self) -> str:
        """The header, with the unit in brackets if there is one."""
        if self.unit:
            return f"{self.header} ({self.unit})"
        return self.header


@dataclass(frozen=True)
class Cell:
    """A formatted cell; `mark` is its significance mark and `value` the number to sort by, if it is one."""

    text: str
    mark: str = ""
    value: float | None = None


@dataclass(frozen=True)
class Table:
    """A table as it is shown.

    Args:
        columns: the heads of the columns.
        rows: a cell for each column.
        caption, note: sentences below the table.
        keys: the first columns, which name a row.
        rules: the rows that have a thin line above them.
    """

    columns: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    note: str = ""
    keys: int = 1
    rules: tuple[int, ...] = ()

    def first(self, count: int) -> Table:
        """Return the table with only its first columns."""
        rows = tuple(row[:count] for row in self.rows)
        return replace(self, columns=self.columns[:count], rows=rows)

    def without(self, columns: Collection[int]) -> Table:
        """Return the table without the columns of these indices."""
        heads: list[Head] = []
        cells_by_column: list[list[Cell]] = []
        keys = 0
        for index, head in enumerate(self.columns):
            if index in columns:
                continue
            heads.append(head)
            cells_by_column.append([row[index] for row in self.rows])
            if index < self.keys:
                keys += 1
        rows = tuple(zip(*cells_by_column, strict=True))
        return replace(self, columns=tuple(heads), rows=rows, keys=keys)

    @classmethod
    def of(
        cls,
        columns: Iterable[Column[Row]],
        rows: Sequence[Row],
        caption: str,
        note: str = "",
        keys: int = 1,
        group: Callable[[Row], object] | None = None,
    ) -> Table:
        """Return a table of rows; a thin line goes between neighbours whose `group` differs."""
        heads: list[Head] = []
        cells_by_column: list[list[Cell]] = []
        for column in columns:
            heads.append(_head(column))
            cells_by_column.append(_cells(column, rows))
        cells_by_row = tuple(zip(*cells_by_column, strict=True))
        rules: tuple[int, ...] = ()
        if group:
            rules = _rules(rows, group)
        return cls(tuple(heads), cells_by_row, caption, note, keys, rules)


def _head(column: Column[Row]) -> Head:
    return Head(column.title, column.unit, column.format.align, column.mark is not None, column.meaning)


def _rules(rows: Sequence[Row], group: Callable[[Row], object]) -> tuple[int, ...]:
    rules: list[int] = []
    for index, (row, following) in enumerate(pairwise(rows), start=1):
        if group(row) != group(following):
            rules.append(index)
    return tuple(rules)


def _cells(column: Column[Row], rows: Sequence[Row]) -> list[Cell]:
    values = [column.value(row) for row in rows]
    numbers: list[float] = []
    for value in values:
        if value is not None and not isinstance(value, str) and not is_empty(value):
            numbers.append(value)
    show = column.format.fit(numbers)
    cells: list[Cell] = []
    for row, value in zip(rows, values, strict=True):
        cells.append(_cell(column, row, value, show))
    return cells


def _cell(column: Column[Row], row: Row, value: Value, show: Number) -> Cell:
    mark = ""
    if column.mark:
        mark = column.mark(row)
    if value is None or is_empty(value):
        return Cell(_text_of_missing(column, row), mark)
    text = _text(column, row, value, show)
    if isinstance(value, str):
        return Cell(text, mark)
    return Cell(text, mark, value)


def _text_of_missing(column: Column[Row], row: Row) -> str:
    if isinstance(column.missing, str):
        return column.missing
    return column.missing(row)


def _text(column: Column[Row], row: Row, value: str | float, show: Number) -> str:
    """Return the text of a cell that has a value."""
    if column.text is not None:
        return column.text(row)
    if column.interval is not None:
        return _interval_text(column, row)
    if isinstance(value, str):
        return value
    if column.prefix is not None:
        return f"{column.prefix(row)}{show(value)}"
    return show(value)


def _interval_text(column: Column[Row], row: Row) -> str:
    assert column.interval is not None
    interval = column.interval(row)
    assert interval is not None
    show = column.format.beside_bounds
    value = show(interval.value)
    low = show(interval.low)
    high = show(interval.high)
    if low == high:
        return value
    return f"{value} ({low} to {high})"


class MeasureHeader(NamedTuple):
    """The header of a measure: its name without parameters, and these parameters, for the place of a unit."""

    name: str
    parameters: str


def measure_header(measure: str) -> MeasureHeader:
    """Return the header of a measure; the parameters of its name are separate, to keep the header short.

    nDCG@10 is trec_eval's alone: nDCG with the gains 2^grade - 1 has another name.

    >>> tuple(measure_header("nDCG(dcg='exp-log2')@10")), tuple(measure_header("AP(rel=2)"))
    (('exp-nDCG@10', ''), ('AP', 'rel=2'))
    """
    parts = re.fullmatch(r"([^()]+)\(([^()]*)\)([^()]*)", measure)
    if parts is None:
        return MeasureHeader(measure, "")
    parameters = parts[2].split(",")
    name = parts[1] + parts[3]
    if _EXPONENTIAL in parameters:
        parameters.remove(_EXPONENTIAL)
        name = f"exp-{name}"
    return MeasureHeader(name, ",".join(parameters))


def measure_named(name: str, measures: Sequence[str]) -> str:
    """Return the measure of a name, canonical or as headers have it.

    Raises:
        ConfigError: if there is none.
    """
    for measure in measures:
        if name in (measure, measure_header(measure).name):
            return measure
    raise ConfigError(f"there is no measure {name!r}", f"use one of {', '.join(measures)}", "measure")


def spread(count: int, keep: int) -> list[int]:
    """Return at most `keep` of the indices 0 to count - 1, evenly spread, both ends among them.

    >>> spread(10, 4)
    [0, 3, 6, 9]
    """
    if keep >= count:
        return list(range(count))
    if keep <= 1:
        return [count // 2] * keep
    last = count - 1
    gaps = keep - 1
    indices: list[int] = []
    for number in range(keep):
        # Rounded to the nearest index, halves up.
        indices.append((2 * number * last + gaps) // (2 * gaps))
    return indices


def filled(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns with a value in some row: see `Column.is_in`."""
    return [column for column in columns if column.is_in(rows)]


def csv_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """Return the columns of rows as CSV, floats by the fewest digits that give the same float back."""
    fields = list(csv_fields(columns))
    header = [field.name for field in fields]

    def line(row: Row) -> list[str]:
        return [_csv_text(field.value(row)) for field in fields]

    return csv_text(header, map(line, rows))


def csv_text(header: Sequence[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a header and lines as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return buffer.getvalue()


def data_frame(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> Any:
    """Return the columns of rows as a `pandas.DataFrame`, with the fields of their CSV file."""
    with needs_extra("pandas", "pandas is not installed"):
        import pandas
    values: dict[str, list[Value]] = {}
    for field in csv_fields(columns):
        values[field.name] = list(map(field.value, rows))
    return pandas.DataFrame(values)


def _csv_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if value is None or is_empty(value):
        return ""
    # A float is asked for first: `Integral` takes long to ask for.
    if not isinstance(value, float) and isinstance(value, Integral):
        return str(int(value))
    # float(): NumPy's floats print their type.
    return repr(float(value))
