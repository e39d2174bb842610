"""A column, declared once in or over a record, in every format."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from thresher.base.columns import Declared, Show, column
from thresher.base.errors import MissingDependencyError
from thresher.base.numbers import Interval
from thresher.reports.table import (
    COUNT,
    PERCENT,
    Cell,
    Column,
    Table,
    columns_of,
    csv_table,
    data_frame,
    filled,
    fitted,
    measure_header,
    pick,
    within,
)
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
    assert csv_table(columns, [np.float64(0.1), np.int64(3), float("nan")]) == 'n\n0.1\n3\n""\n'


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


@dataclass(frozen=True)
class Star:
    name: Annotated[str, Declared("Its name.", Show.TEXT, name="star")]
    seen: int
    light: Annotated[Interval | None, Declared("Its light.", Show.FIGURE, "W", "power", missing="dark", bounds=True)]
    age: Annotated[float | None, Declared("Its age.", Show.COUNT)] = None

    @column(Show.OUTCOME, header="W/T/L")
    def games(self) -> tuple[int, int, int]:
        """Won, tied, lost."""
        return 3, 2, self.seen

    @column(Show.RANGE)
    def change(self) -> tuple[float, float]:
        """Change."""
        return -0.5, 0.25


STARS = [Star("Vega", 1, Interval(1.0, 0.5, 2.0)), Star("Sol", 0, Interval(3.0, 3.0, 3.0), 4.6e9), Star("X", 7, None)]


def test_what_a_record_declares_is_a_column() -> None:
    columns = columns_of(Star)
    assert [column.name for column in columns] == [
        "star",
        "light",
        "light_low",
        "light_high",
        "age",
        "games",
        "change",
    ]
    assert csv_table(columns, STARS) == (
        "star,light,light_low,light_high,age\nVega,1.0,0.5,2.0,\nSol,3.0,3.0,3.0,4600000000.0\nX,,,,\n"
    )
    table = Table.of(pick(columns, "star", "light", "age", "games", "change"), STARS, "")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Vega", "1.00 (0.500 to 2.00)", "–", "3/2/1", "−0.5000 to +0.2500"],
        ["Sol", "3.00", "4,600,000,000", "3/2/0", "−0.5000 to +0.2500"],
        ["X", "dark", "–", "3/2/7", "−0.5000 to +0.2500"],
    ]
    assert [(head.header, head.unit, head.align) for head in table.columns[:2]] == [
        ("star", "", "left"),
        ("power", "W", "right"),
    ]
    assert [cell.value for cell in table.rows[0][1:]] == [1.0, None, 3, -0.5]


def test_columns_that_are_empty_everywhere_can_be_left_out() -> None:
    assert [column.name for column in filled(columns_of(Star), STARS[:1])] == [
        "star",
        "light",
        "light_low",
        "light_high",
    ]
    assert [column.name for column in filled(columns_of(Star), STARS[2:])] == ["star"]


def test_a_data_frame_has_the_exact_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = data_frame(columns_of(Star), STARS)
    assert list(frame.columns) == ["star", "light", "light_low", "light_high", "age"]
    assert list(frame["star"]) == ["Vega", "Sol", "X"]
    assert frame["light"][0] == 1.0
    assert np.isnan(frame["light"][2])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"\[pandas\]"):
        data_frame(columns_of(Star), STARS)


@pytest.mark.parametrize(
    ("name", "header", "unit"),
    [
        ("P@10", "P@10", ""),
        ("nDCG(dcg='exp-log2')@10", "exp-nDCG@10", ""),
        ("nDCG(dcg='exp-log2',judged_only=True)@10", "exp-nDCG@10", "judged_only=True"),
        ("P(rel=2)@5", "P@5", "rel=2"),
        ("AP(a)(b)", "AP(a)(b)", ""),
    ],
)
def test_parameters_of_a_measure_stand_below_it(name: str, header: str, unit: str) -> None:
    assert measure_header(name) == (header, unit)
