"""A table: columns over records serve terminals, CSV, Markdown, LaTeX, HTML and data frames."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

from thresher.base.columns import Declared, Show, declared
from thresher.base.errors import needs_extra
from thresher.reports import formatting

Row = TypeVar("Row")
Part = TypeVar("Part")
Value = str | float | None
Align = Literal["left", "right"]
Number = Callable[[float], str]
"""Formats a number."""
Format = Callable[[Sequence[float]], Number]
"""Takes a column's numbers, for decimals that fit them all, and returns what formats one of them."""


def each(show: Number) -> Format:
    """Format every number by itself."""
    return lambda _: show


def decimals(count: int) -> Format:
    """Format with `count` decimals."""
    return each(partial(formatting.fixed, decimals=count))


def fitted(digits: int, scale: float = 1.0) -> Format:
    """Format the column's numbers, times `scale`, with the decimals that the smallest needs for `digits` digits."""

    def fit(values: Sequence[float]) -> Number:
        count = formatting.decimals_for([value * scale for value in values], digits)
        return lambda value: formatting.fixed(value * scale, count)

    return fit


VALUE = decimals(formatting.MEASURE_DECIMALS)
DIFFERENCE = each(partial(formatting.signed, decimals=formatting.MEASURE_DECIMALS))
COUNT = decimals(0)
PERCENT = each(formatting.percent)
FORMATS: Mapping[Show, Format] = {
    Show.TEXT: VALUE,
    Show.COUNT: COUNT,
    Show.VALUE: VALUE,
    Show.FIGURE: each(formatting.significant_digits),
    Show.DIFFERENCE: DIFFERENCE,
    Show.PERCENT: PERCENT,
    Show.P: each(formatting.p_text),
    Show.MEGABYTES: fitted(3, 1e-6),
    Show.SECONDS: fitted(2),
    Show.MILLISECONDS: fitted(3, 1e3),
    Show.OUTCOME: COUNT,
    Show.RANGE: VALUE,
}
_ALONE: Mapping[Show, Number] = {
    Show.VALUE: partial(formatting.fixed, decimals=3),
    Show.FIGURE: formatting.significant_digits,
    Show.COUNT: partial(formatting.fixed, decimals=0),
    Show.SECONDS: formatting.significant_digits,
    Show.MILLISECONDS: lambda value: formatting.significant_digits(1e3 * value),
}
"""How a number is shown with its bounds behind it."""


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column over the records that are a table's rows; see `thresher.base.columns.Declared` for what is declared.

    Attributes:
        name: what CSV files call it; tables, too, unless there is a `header`.
        value: of a row, exactly: CSV files hold it and pages sort by it; None and NaN are an empty field.
        meaning, header, unit, exact, missing: see `Declared`.
        format: how its numbers are shown; texts are shown as they are.
        text: of a row that has a value, where a cell shows more than it ("3/1/2").
        mark: of a row, a significance mark behind the number.
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
    missing: str = formatting.NOTHING


def columns_of(kind: type, read: Callable[[Any, str], Any] = getattr) -> list[Column[Any]]:
    """Return the columns that the fields and properties of a class declare; `read` gives what a row has of one of them."""
    return [one for name, about in declared(kind).items() for one in _columns(name, about, read)]


def _columns(attribute: str, one: Declared, get: Callable[[Any, str], Any]) -> list[Column[Any]]:
    def read(row: Any) -> Any:
        return get(row, attribute)

    column: Column[Any] = Column(
        one.name or attribute,
        read,
        one.meaning,
        one.header,
        one.unit,
        FORMATS[one.show],
        "left" if one.show is Show.TEXT else "right",
        exact=one.exact and one.show not in (Show.OUTCOME, Show.RANGE),
        missing=one.missing,
    )
    if one.show is Show.OUTCOME:
        return [replace(column, value=_first(read), text=lambda row: "/".join(map(str, read(row))))]
    if one.show is Show.RANGE:
        shown = formatting.change_text
        return [replace(column, value=_first(read), text=lambda row: " to ".join(map(shown, read(row))))]
    if not one.bounds:
        return [column]

    def bound(name: str) -> Callable[[Any], Value]:
        return lambda row: None if (interval := read(row)) is None else getattr(interval, name)

    def text(row: Any) -> str:
        value, low, high = map(_ALONE[one.show], attrgetter("value", "low", "high")(read(row)))
        return value if low == high else f"{value} ({low} to {high})"

    return [
        replace(column, value=bound("value"), text=text),
        Column(f"{column.name}_low", bound("low"), "Lower end of its 95 % interval."),
        Column(f"{column.name}_high", bound("high"), "Upper end of its 95 % interval."),
    ]


def _first(read: Callable[[Row], Any]) -> Callable[[Row], Value]:
    return lambda row: None if (found := read(row)) is None else found[0]


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
        rules = tuple(index for index, (above, row) in enumerate(pairwise(map(group, rows)), 1) if above != row)
        return cls(heads, cells, caption, note, keys, rules)


def _cells(column: Column[Row], rows: Sequence[Row]) -> list[Cell]:
    values = [None if _is_empty(value := column.value(row)) else value for row in rows]
    numbers = [None if isinstance(value, str) else value for value in values]
    show = column.format([number for number in numbers if number is not None])

    def text(row: Row, value: Value) -> str:
        if value is None:
            return column.missing
        if column.text is not None:
            return column.text(row)
        return value if isinstance(value, str) else show(value)

    return [
        Cell(text(row, value), column.mark(row) if column.mark else "", number)
        for row, value, number in zip(rows, values, numbers, strict=True)
    ]


def _is_empty(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def within(
    columns: Iterable[Column[Part]], part: Callable[[Row], Part | None], prefix: str = "", about: str = ""
) -> list[Column[Row]]:
    """Return columns over a part of each row; they are empty where a row lacks the part.

    `prefix` goes before each name, `about`, what the part is, before each meaning.
    """
    return [_within(column, part, prefix, about) for column in columns]


def _within(column: Column[Part], part: Callable[[Row], Part | None], prefix: str, about: str) -> Column[Row]:
    def value(row: Row) -> Value:
        inner = part(row)
        return None if inner is None else column.value(inner)

    def through(read: Callable[[Part], str] | None) -> Callable[[Row], str] | None:
        return read and (lambda row: "" if (inner := part(row)) is None else read(inner))

    # Abbreviations keep their capitals.
    small = column.meaning if column.meaning[1:2].isupper() else column.meaning[:1].lower() + column.meaning[1:]
    return Column(
        prefix + column.name,
        value,
        f"{about}: {small}" if about else column.meaning,
        column.header or column.name,
        column.unit,
        column.format,
        column.align,
        through(column.text),
        through(column.mark),
        column.exact,
        column.missing,
    )


def pick(columns: Iterable[Column[Row]], *names: str) -> list[Column[Row]]:
    """Return the columns of these names, in the order of the names."""
    by_name = {column.name: column for column in columns}
    return [by_name[name] for name in names]


def measure_header(name: str) -> tuple[str, str]:
    """Return the header and unit of a measure; parameters in its name go where units stand, to keep the header short.

    nDCG@10 is trec_eval's alone: nDCG with the gains 2^grade - 1 has another name.

    >>> measure_header("nDCG(dcg='exp-log2')@10"), measure_header("AP(rel=2)")
    (('exp-nDCG@10', ''), ('AP', 'rel=2'))
    """
    parts = re.fullmatch(r"([^()]+)\(([^()]*)\)([^()]*)", name)
    if parts is None:
        return name, ""
    others = [one for one in parts[2].split(",") if one != _EXPONENTIAL]
    return f"{'exp-' * (_EXPONENTIAL in parts[2])}{parts[1]}{parts[3]}", ",".join(others)


_EXPONENTIAL = "dcg='exp-log2'"


def spread(count: int, keep: int) -> list[int]:
    """Return at most `keep` of the indices 0 to count - 1, evenly spread, both ends among them.

    >>> spread(10, 4)
    [0, 3, 6, 9]
    """
    if keep >= count:
        return list(range(count))
    if keep <= 1:
        return [count // 2] * keep
    return [(index * (count - 1) * 2 + keep - 1) // (2 * (keep - 1)) for index in range(keep)]


def filled(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """Return the exact columns that are not empty in every row."""
    return [column for column in columns if column.exact and not all(_is_empty(column.value(row)) for row in rows)]


def csv_table(columns: Iterable[Column[Row]], rows: Iterable[Row], empty: bool = True) -> str:
    """Return the exact columns of records as CSV, floats by their fewest digits; those empty in every row if `empty`."""
    rows = [*rows]
    values = {column.name: [column.value(row) for row in rows] for column in columns if column.exact}
    kept = {name: map(_exact, of) for name, of in values.items() if empty or not all(map(_is_empty, of))}
    return csv_text([*kept], zip(*kept.values(), strict=True))


def csv_text(header: Sequence[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a header and lines as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return buffer.getvalue()


def data_frame(columns: Iterable[Column[Row]], rows: Sequence[Row]) -> Any:
    """Return the exact columns of records as a `pandas.DataFrame`."""
    with needs_extra("pandas", "pandas is not installed"):
        import pandas
    return pandas.DataFrame({column.name: [column.value(row) for row in rows] for column in columns if column.exact})


def number_text(value: float | None) -> str:
    """Return the fewest digits that give the same float back; empty for None and NaN."""
    return "" if value is None or math.isnan(value) else repr(float(value))  # float(): numpy's floats print their type


def _exact(value: Value) -> str:
    if value is None or isinstance(value, float | str):  # before Integral, which takes long to ask for
        return value if isinstance(value, str) else number_text(value)
    return str(int(value)) if isinstance(value, Integral) else number_text(value)
