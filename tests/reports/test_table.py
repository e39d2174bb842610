"""A column, declared once over a record, in every format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.reports.table import COUNT, PERCENT, Cell, Column, Table, csv_table, fitted, pick, within
from thresher.reports.text_tables import render_latex, render_markdown, render_text


@dataclass(frozen=True)
class Size:
    bytes: int


@dataclass(frozen=True)
class Planet:
    name: str
    share: float | None
    moons: int
    size: Size | None = None


COLUMNS: tuple[Column[Planet], ...] = (
    Column("planet", lambda planet: planet.name, "The planet.", align="left"),
    Column("share", lambda planet: planet.share, "Share of the mass.", "mass", "%", PERCENT),
    Column(
        "moons",
        lambda planet: planet.moons,
        "Its moons.",
        format=COUNT,
        text=lambda planet: f"{planet.moons}/∑",
        mark=lambda planet: "†+" if planet.moons > 50 else "",
    ),
    Column("hidden", lambda planet: 0, "Nothing.", exact=False),
    *within(
        [Column("bytes", lambda size: size.bytes, "Its size.", unit="MB", format=fitted(2, 1e-6))],
        lambda planet: planet.size,
        "size_",
        "Its record",
    ),
)
PLANETS = [
    Planet("Mars", 0.25, 2, Size(1_250_000)),
    Planet("Saturn", None, 60),
    Planet("Io", 1 / 3, 0, Size(20_000_000)),
]


def test_csv_has_exact_values_under_the_columns_names() -> None:
    assert csv_table(COLUMNS, PLANETS) == (
        "planet,share,moons,size_bytes\nMars,0.25,2,1250000\nSaturn,,60,\nIo,0.3333333333333333,0,20000000\n"
    )
    columns: list[Column[float]] = [Column("n", lambda value: value, "A number.")]
    assert csv_table(columns, [np.float64(0.1), np.int64(3), float("nan")]) == "n\n0.1\n3\nnan\n"


def test_a_table_shows_the_same_columns_in_every_format() -> None:
    table = Table.of(pick(COLUMNS, "planet", "share", "moons", "size_bytes"), PLANETS, "Three.", "Some.")
    assert [cell.text for cell in table.rows[1]] == ["Saturn", "–", "60/∑", "–"]
    assert table.rows[0][1:] == (Cell("25.0", value=0.25), Cell("2/∑", value=2), Cell("1.2", value=1_250_000))
    assert [line.split() for line in render_text(table).splitlines()[:4]] == [
        ["planet", "mass", "moons", "bytes"],
        ["%", "MB"],
        ["─" * len(render_text(table).splitlines()[2])],
        ["Mars", "25.0", "2/∑", "1.2"],
    ]
    assert "| Saturn | – | 60/∑†+ | – |" in render_markdown(table)
    assert r"planet & \multicolumn{1}{c}{mass} & \multicolumn{2}{c}{moons} &" in render_latex(table)


def test_a_line_goes_between_groups() -> None:
    table = Table.of(COLUMNS, PLANETS, "", group=lambda planet: planet.size is None)
    assert table.rules == (1, 2)
    assert Table.of(COLUMNS, PLANETS, "").rules == ()
    assert Table.of(COLUMNS, [], "").rows == ()


def test_meanings_of_a_part_say_what_it_is_part_of() -> None:
    (size,) = pick(COLUMNS, "size_bytes")
    assert size.meaning == "Its record: its size."
    wall: Column[Size] = Column("cpu", lambda size: size.bytes, "CPU seconds.")
    assert [column.meaning for column in within([wall], lambda size: size, about="Indexing")] == [
        "Indexing: CPU seconds."
    ]
