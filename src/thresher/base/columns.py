"""Columns: their meaning, unit and format, declared once, by the annotation of a record's field or by `column`.

Terminal, CSV, Markdown, LaTeX, HTML, data frames and docs/results/columns.md derive from these declarations; see
`thresher.reports.table.columns_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache, cached_property
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

Value = TypeVar("Value")


class Show(StrEnum):
    """Formats of a column's values for people; CSV files hold them exactly.

    `FIGURE` has three significant digits. An `OUTCOME` is a triple of wins, ties and losses, a `RANGE` a pair of bounds of a
    difference: tables alone show these two.
    """

    TEXT = "text"
    COUNT = "count"
    VALUE = "value"
    FIGURE = "figure"
    DIFFERENCE = "difference"
    PERCENT = "percent"
    P = "p"
    MEGABYTES = "megabytes"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    OUTCOME = "outcome"
    RANGE = "range"


@dataclass(frozen=True)
class Declared:
    """A column.

    Args:
        meaning: a phrase or sentence that stands alone.
        show: how values are shown.
        unit: below the header; empty for none.
        header: what tables call it; empty for the name.
        name: what CSV files call it; empty for the field's name.
        exact: whether CSV files have it; not where it only shows what other columns hold.
        missing: what tables show where there is no value.
        bounds: whether values are intervals, whose bounds are two more columns of CSV files.
    """

    meaning: str
    show: Show = Show.VALUE
    unit: str = ""
    header: str = ""
    name: str = ""
    exact: bool = True
    missing: str = "\N{EN DASH}"
    bounds: bool = False


def column(
    show: Show = Show.VALUE, unit: str = "", header: str = "", name: str = ""
) -> Callable[[Callable[[Any], Value]], cached_property[Value]]:
    """Make a method a cached property that is a column; the first line of its docstring is the meaning."""

    def declare(read: Callable[[Any], Value]) -> cached_property[Value]:
        found = cached_property(read)
        vars(found)["declared"] = Declared((read.__doc__ or "").partition("\n")[0], show, unit, header, name)
        return found

    return declare


@cache
def declared(kind: type) -> Mapping[str, Declared]:
    """Return the declared columns of a class by attribute, in their order: annotated fields, then properties."""
    hints = get_type_hints(kind, include_extras=True)
    found = {field.name: _declaration(hints[field.name]) for field in fields(kind)} if is_dataclass(kind) else {}
    for one in reversed(kind.__mro__):
        found |= {name: getattr(member, "declared", None) for name, member in vars(one).items() if name not in found}
    return {name: column for name, column in found.items() if column is not None}


def _declaration(hint: Any) -> Declared | None:
    if get_origin(hint) is not Annotated:
        return None
    return next((one for one in get_args(hint)[1:] if isinstance(one, Declared)), None)
