"""Cleaning by type of page, as a table and as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thresher.cleaneval.results import MeanInterval, TypeQuality
from thresher.reports.cleaning_columns import CLEANER, DECIMALS, NUMBER, SNIPPETS, interval_columns
from thresher.reports.formatting import fixed
from thresher.reports.table import COUNT, Column, Table, csv_table, within

_Typed = Mapping[str, TypeQuality]

TYPES: tuple[Column[TypeQuality], ...] = (
    Column("cleaner", lambda row: row.cleaner, CLEANER),
    Column("peer", lambda row: int(row.is_peer), "1 for another package."),
    Column("page_type", lambda row: row.page_type, "Type of the pages by their gold."),
    Column("pages", lambda row: row.pages, "Pages of the type.", format=COUNT),
    Column("emptied", lambda row: row.emptied, "Pages without text left.", format=COUNT),
    Column("token_f1", lambda row: row.token_f1.mean, "F1 of tokens as bags: mean over pages.", format=NUMBER),
    *interval_columns("token_f1", "token F1", lambda row: row.token_f1, "mean token F1"),
    Column("f1", lambda row: row.f1.mean, "F1 of words by alignment: mean over pages.", format=NUMBER),
    *interval_columns("f1", "F1", lambda row: row.f1, "mean F1"),
    *within(SNIPPETS, lambda row: row.snippets),
)
"""The columns of cleaners by type of page."""


def page_types_csv(types: Sequence[TypeQuality]) -> str:
    """Return one line per cleaner and type."""
    return csv_table(TYPES, types)


def page_type_table(types: Sequence[TypeQuality]) -> Table | None:
    """Return token F1 with a row for each cleaner and a column for each type; None if there are no types."""
    rows: dict[str, dict[str, TypeQuality]] = {}
    for one in types:
        rows.setdefault(one.cleaner, {})[one.page_type] = one
    if not rows:
        return None
    by_type = next(iter(rows.values()))
    columns: list[Column[_Typed]] = [
        Column("cleaner", lambda row: next(iter(row.values())).cleaner, CLEANER, align="left")
    ]
    columns += [_type_column(name, one.pages) for name, one in by_type.items()]
    caption = "Token F1 by type of page: mean over the pages, ± half of its 95 % interval by Student's t."
    first = next(iter(rows))

    def group(row: _Typed) -> tuple[bool, bool]:
        one = next(iter(row.values()))
        return one.cleaner == first, one.is_peer

    return Table.of(columns, list(rows.values()), caption, group=group)


def _type_column(name: str, pages: int) -> Column[_Typed]:
    return Column(
        name,
        lambda row: row[name].token_f1.mean,
        f"Token F1 on pages of the type {name}: mean over pages.",
        name,
        f"{pages:,} page" if pages == 1 else f"{pages:,} pages",
        text=lambda row: _with_half(row[name].token_f1),
    )


def _with_half(interval: MeanInterval) -> str:
    return f"{fixed(interval.mean, DECIMALS)} ± {fixed(interval.half, DECIMALS)}"
