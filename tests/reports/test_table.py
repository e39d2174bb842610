"""A column, declared once over records, in every format."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from experiments import NDCG, comparison

from thresher.base.errors import MissingDependencyError
from thresher.base.numbers import Interval
from thresher.evaluation.significance import Comparison
from thresher.reports import formats
from thresher.reports.columns import Column, comparison_columns, csv_fields, meaning_of, middle_of
from thresher.reports.latex import render_latex
from thresher.reports.number_formats import Format, decimals
from thresher.reports.table import Cell, Table, csv_table, data_frame, filled, measure_header
from thresher.reports.text_tables import render_markdown, render_text


@dataclass(frozen=True)
class Planet:
    name: str
    share: float | None
    moons: int
    bytes: int | None = None
    light: Interval | None = None


def light(planet: Planet) -> Interval | None:
    return planet.light


NAME: Column[Planet] = Column("planet", lambda planet: planet.name, "The planet.", formats.TEXT)
SHARE: Column[Planet] = Column(
    "share", lambda planet: planet.share, "Share of the mass.", formats.PERCENT, header="mass", unit="%"
)
MOONS: Column[Planet] = Column(
    "moons",
    lambda planet: planet.moons,
    "Its moons.",
    formats.COUNT,
    text=lambda planet: f"{planet.moons}/∑",
    mark=lambda planet: "†+" if planet.moons > 50 else "",
)
HIDDEN: Column[Planet] = Column("hidden", lambda planet: 0, "Nothing.", in_csv=False)
SIZE: Column[Planet] = Column("bytes", lambda planet: planet.bytes, "Its size.", formats.MEGABYTES, unit="MB")
LIGHT: Column[Planet] = Column(
    "light", middle_of(light), "Its light.", formats.FIGURE, "power", "W", interval=light, missing="dark"
)
COLUMNS = (NAME, SHARE, MOONS, HIDDEN, SIZE)
PLANETS = [
    Planet("Mars", 0.25, 2, 1_250_000, Interval(1.0, 0.5, 2.0)),
    Planet("Saturn", None, 60),
    Planet("Io", 1 / 3, 0, 20_000_000, Interval(3.0, 3.0, 3.0)),
]


def test_csv_has_exact_values_under_the_columns_names() -> None:
    assert csv_table(COLUMNS, PLANETS) == (
        "planet,share,moons,bytes\nMars,0.25,2,1250000\nSaturn,,60,\nIo,0.3333333333333333,0,20000000\n"
    )
    columns: list[Column[float]] = [Column("n", lambda value: value, "A number.")]
    assert csv_table(columns, [np.float64(0.1), np.int64(3), float("nan")]) == 'n\n0.1\n3\n""\n'


def test_a_table_shows_the_same_columns_in_every_format() -> None:
    table = Table.of((NAME, SHARE, MOONS, SIZE), PLANETS, "Three.", "Some.")
    assert [cell.text for cell in table.rows[1]] == ["Saturn", "–", "60/∑", "–"]
    assert table.rows[0][1:] == (Cell("25.0", value=0.25), Cell("2/∑", value=2), Cell("1.25", value=1_250_000))
    assert [line.split() for line in render_text(table).splitlines()[:4]] == [
        ["planet", "mass", "moons", "bytes"],
        ["%", "MB"],
        ["─" * len(render_text(table).splitlines()[2])],
        ["Mars", "25.0", "2/∑", "1.25"],
    ]
    assert "| Saturn | – | 60/∑†+ | – |" in render_markdown(table)
    assert r"planet & \multicolumn{1}{c}{mass} & \multicolumn{2}{c}{moons} &" in render_latex(table)


def test_an_interval_stands_behind_its_figure_and_has_fields_of_its_own() -> None:
    assert csv_table((NAME, LIGHT), PLANETS) == (
        "planet,light,light_low,light_high\nMars,1.0,0.5,2.0\nSaturn,,,\nIo,3.0,3.0,3.0\n"
    )
    table = Table.of((NAME, LIGHT), PLANETS, "")
    assert [row[1].text for row in table.rows] == ["1.00 (0.500 to 2.00)", "dark", "3.00"]
    assert [row[1].value for row in table.rows] == [1.0, None, 3.0]
    assert [(head.header, head.unit, head.align) for head in table.columns] == [
        ("planet", "", "left"),
        ("power", "W", "right"),
    ]


def test_a_comparison_has_its_columns_wherever_it_stands() -> None:
    compared = comparison(NDCG, -0.1, 3, 2, 1, 0.5)
    columns = comparison_columns(_itself, "held_out ", "On other topics")
    assert [field.name for field in csv_fields(columns)] == [
        f"held_out {name}" for name in ("difference", "W", "T", "L", "p", "p_corrected", "effect", "ci_low", "ci_high")
    ]
    table = Table.of((columns.difference, columns.outcome, columns.interval, columns.p_corrected), [compared, None], "")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["−0.1000", "3/2/1", "−0.1100 to −0.0900", "0.5000"],
        ["–", "–", "–", "–"],
    ]
    assert columns.wins.meaning == "On other topics: topics won."
    assert meaning_of("", "topics won.") == "Topics won."


def _itself(compared: Comparison | None) -> Comparison | None:
    return compared


@pytest.mark.parametrize(
    ("format", "values", "texts"),
    [
        (formats.COUNT, [1234.0, 0.0], ["1,234", "0"]),
        (formats.VALUE, [0.5], ["0.5000"]),
        (formats.DIFFERENCE, [0.5, -0.25, 0.0], ["+0.5000", "−0.2500", "0.0000"]),
        (formats.PERCENT, [0.4321], ["43.2"]),
        (formats.P, [0.00001, 0.25], ["< 0.0001", "0.2500"]),
        (formats.FIGURE, [0.012345, 1234.5], ["0.0123", "1,234"]),
        (formats.MEGABYTES, [2_500_000, 625_000], ["2.500", "0.625"]),
        (formats.SECONDS, [14.0, 2.5], ["14.0", "2.5"]),
        (formats.MILLISECONDS, [0.00125], ["1.25"]),
        (decimals(1), [1.25], ["1.2"]),
    ],
)
def test_formats_fit_all_numbers_of_a_column(format: Format, values: list[float], texts: list[str]) -> None:
    columns: list[Column[float]] = [Column("n", lambda value: value, "A number.", format)]
    assert [row[0].text for row in Table.of(columns, values, "").rows] == texts


def test_a_line_goes_between_groups() -> None:
    table = Table.of(COLUMNS, PLANETS, "", group=lambda planet: planet.bytes is None)
    assert table.rules == (1, 2)
    assert Table.of(COLUMNS, PLANETS, "").rules == ()
    assert Table.of(COLUMNS, [], "").rows == ()


def test_columns_that_are_empty_everywhere_can_be_left_out() -> None:
    assert filled((NAME, SHARE, LIGHT), PLANETS[:1]) == [NAME, SHARE, LIGHT]
    assert filled((NAME, SHARE, LIGHT), PLANETS[1:2]) == [NAME]


def test_a_data_frame_has_the_fields_of_the_csv_file(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = data_frame((NAME, HIDDEN, LIGHT), PLANETS)
    assert list(frame.columns) == ["planet", "light", "light_low", "light_high"]
    assert list(frame["planet"]) == ["Mars", "Saturn", "Io"]
    assert frame["light"][0] == 1.0
    assert np.isnan(frame["light"][1])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"\[pandas\]"):
        data_frame(COLUMNS, PLANETS)


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
