"""What a column is: its meaning, unit and format, declared once, as the annotation of a record's field or property.

Terminal, CSV, Markdown, LaTeX, HTML, data frames and docs/columns.md derive from these declarations; see
`thresher.reports.table.columns_of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints


class Show(StrEnum):
    """How a column's values are shown to people; CSV files hold them exactly."""

    TEXT = "text"
    COUNT = "count"
    VALUE = "value"
    DIFFERENCE = "difference"
    PERCENT = "percent"
    P = "p"
    MEGABYTES = "megabytes"
    SECONDS = "seconds"


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
    """

    meaning: str
    show: Show = Show.VALUE
    unit: str = ""
    header: str = ""
    name: str = ""
    exact: bool = True


@cache
def declared(kind: type) -> Mapping[str, Declared]:
    """Return the declared columns of a class by attribute: its annotated fields, then its annotated properties."""
    found = {}
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    for name in names:
        if (column := _declaration(hints[name])) is not None:
            found[name] = column
    for name in dir(kind):
        member = getattr(kind, name, None)
        read = member.fget if isinstance(member, property) else getattr(member, "func", None)
        if read is None or name in found:
            continue
        if (column := _declaration(get_type_hints(read, include_extras=True).get("return"))) is not None:
            found[name] = column
    return found


def _declaration(hint: Any) -> Declared | None:
    if get_origin(hint) is not Annotated:
        return None
    return next((one for one in get_args(hint)[1:] if isinstance(one, Declared)), None)
