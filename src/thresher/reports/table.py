"""A table: columns are declared once, over a record, and serve terminals, CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Generic, Literal, TypeVar

from thresher.reports.formatting import MEASURE_DECIMALS, NOTHING, decimals_for, fixed, percent, signed

Row = TypeVar("Row")
Part = TypeVar("Part")
Value = str | float | None
Align = Literal["left", "right"]
Format = Callable[[Sequence[float]], Callable[[float], str]]
"""Takes a column's numbers, for decimals that fit them all, and returns what formats one of them."""


def each(show: Callable[[float], str]) -> Format:
    """Format every number by itself."""
    return lambda _: show


def decimals(count: int) -> Format:
    """Format with `count` decimals."""
    return each(partial(fixed, decimals=count))


def fitted(digits: int, scale: float = 1.0) -> Format:
    """Format the column's numbers, times `scale`, with the decimals that the smallest needs for `digits` digits."""

    def fit(values: Sequence[float]) -> Callable[[float], str]:
        count = decimals_for([value * scale for value in values], digits)
        return lambda value: fixed(value * scale, count)

    return fit


VALUE = decimals(MEASURE_DECIMALS)
DIFFERENCE = each(partial(signed, decimals=MEASURE_DECIMALS))
COUNT = decimals(0)
PERCENT = each(percent)


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column over the records that are a table's rows.

    Attributes:
        name: what CSV files call it; tables, too, unless there is a `header`.
        value: of a row, exactly: CSV files hold it and pages sort by it; None is an empty field there, an en dash in tables.
        meaning: a sentence or phrase that stands alone, in docs/columns.md and over headers of pages.
        header, unit: its header in a table, in two lines.
        format: how its numbers are shown; texts are shown as they are.
        text: of a row that has a value, where a cell shows more than it ("3/1/2").
        mark: of a row, a significance mark behind the number.
        exact: whether CSV files have it; not where it only shows what other columns hold.
    """

    name: str
    value: Callable[[Row], Value]
    meaning: str
    header: str = ""
    unit: str = ""
    format: Format = VALUE
    align: Align = "right"
    text: Callable[[Row], str] | None = None
    mark: Callable[[Row], str] | None = None
    exact: bool = True


@dataclass(frozen=True)
class Head:
    """The head of a column: its header, its unit (empty for none), its alignment, and whether cells may carry a mark."""

    header: str
    unit: str = ""
    align: Align = "right"
    marked: bool = False
    meaning: str = ""


@dataclass(frozen=True)
class Cell:
    """A formatted cell; `mark` is its significance mark and `value` the number to sort by, if it is one."""

    text: str
    mark: str = ""
    value: float | None = None


@dataclass(frozen=True)
class Table:
    """A table as it is shown. The first `keys` columns name a row; `rules` are the rows that a thin line goes above."""

    columns: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    note: str = ""
    keys: int = 1
    rules: tuple[int, ...] = ()

    def first(self, count: int) -> Table:
        """Return the table with its first columns alone."""
        return self.ordered(range(count))

    def ordered(self, columns: Sequence[int]) -> Table:
        """Return the table with the columns of these indices, in their order; those that name a row stay in front."""
        return replace(
            self,
            columns=tuple(self.columns[index] for index in columns),
            rows=tuple(tuple(row[index] for index in columns) for row in self.rows),
            keys=sum(index < self.keys for index in columns),
        )

    def without(self, columns: Collection[int]) -> Table:
        """Return the table without the columns of these indices."""
        return self.ordered([index for index in range(len(self.columns)) if index not in columns])

    def head(self, count: int) -> Table:
        """Return the table with its first rows alone."""
        rules = tuple(rule for rule in self.rules if rule < count)
        return replace(self, rows=self.rows[:count], rules=rules)

    @classmethod
    def of(
        cls,
        columns: Iterable[Column[Row]],
        rows: Sequence[Row],
        caption: str,
        note: str = "",
        keys: int = 1,
        group: Callable[[Row], object] = lambda _: None,
    ) -> Table:
        """Return a table of records; a thin line goes between rows whose `group` differs."""
        columns = tuple(columns)
        heads = tuple(
            Head(column.header or column.name, column.unit, column.align, column.mark is not None, column.meaning)
            for column in columns
        )
        cells = tuple(zip(*(_cells(column, rows) for column in columns), strict=True))
        groups = map(group, rows)
        rules = tuple(index for index, (above, row) in enumerate(pairwise(groups), 1) if above != row)
        return cls(heads, cells, caption, note, keys, rules)


def _cells(column: Column[Row], rows: Sequence[Row]) -> list[Cell]:
    values = [column.value(row) for row in rows]
    numbers = [None if isinstance(value, str) else value for value in values]
    show = column.format([number for number in numbers if number is not None])
    return [
        Cell(
            _formatted(value, show) if value is None or column.text is None else column.text(row),
            column.mark(row) if column.mark else "",
            number,
        )
        for row, value, number in zip(rows, values, numbers, strict=True)
    ]


def _formatted(value: Value, show: Callable[[float], str]) -> str:
    return NOTHING if value is None else value if isinstance(value, str) else show(value)


def within(
    columns: Iterable[Column[Part]], part: Callable[[Row], Part | None], prefix: str = "", about: str = ""
) -> list[Column[Row]]:
    """Return columns over a part of each row; they are empty where a row lacks the part.

    Args:
        columns: of the part.
        part: of a row.
        prefix: before each name.
        about: what the part is, before each meaning.
    """
    return [_within(column, part, prefix, about) for column in columns]


def _within(column: Column[Part], part: Callable[[Row], Part | None], prefix: str, about: str) -> Column[Row]:
    def value(row: Row) -> Value:
        inner = part(row)
        return None if inner is None else column.value(inner)

    def through(read: Callable[[Part], str] | None) -> Callable[[Row], str] | None:
        return read and (lambda row: "" if (inner := part(row)) is None else read(inner))

    return Column(
        prefix + column.name,
        value,
        _about(about, column.meaning) if about else column.meaning,
        column.header or column.name,
        column.unit,
        column.format,
        column.align,
        through(column.text),
        through(column.mark),
        column.exact,
    )


def _about(about: str, meaning: str) -> str:
    """Return a meaning behind what it is about; abbreviations keep their capitals."""
    return f"{about}: {meaning if meaning[1].isupper() else meaning[0].lower() + meaning[1:]}"


def pick(columns: Iterable[Column[Row]], *names: str) -> list[Column[Row]]:
    """Return the columns of these names, in the order of the names."""
    by_name = {column.name: column for column in columns}
    return [by_name[name] for name in names]


def measure_header(name: str) -> tuple[str, str]:
    """Return the header and unit of a measure; parameters in its name go where units stand, to keep the header short.

    >>> measure_header("nDCG(dcg='exp-log2')@10")
    ('nDCG@10', "dcg='exp-log2'")
    """
    parts = re.fullmatch(r"([^()]+)\(([^()]*)\)([^()]*)", name)
    return (parts[1] + parts[3], parts[2]) if parts else (name, "")


def csv_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """Return the exact columns of records as CSV; floats have the fewest digits that give the same float back."""
    columns = [column for column in columns if column.exact]
    lines = ([_exact(column.value(row)) for column in columns] for row in rows)
    return csv_text([column.name for column in columns], lines)


def csv_text(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a header and lines as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return buffer.getvalue()


def number_text(value: float | None) -> str:
    """Return the fewest digits that give the same float back; empty for None."""
    return "" if value is None else repr(float(value))  # float() first: numpy's floats print their type


def _exact(value: Value) -> str:
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, Integral) else number_text(value)
