"""Charts of variants: they have the table's numbers, mark what is recommended, and stay small."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from experiments import NAMES, NDCG, chosen, made, small

from thresher.experiments.choosing.choices import Choice
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.reports.chart_data import MOST_POINTS, SINGLES, ChartData, chart_data
from thresher.reports.charts import (
    DASHES,
    DEEPEST,
    SERIES,
    Spec,
    frontier_chart,
    number,
    roomy,
    series,
    topics_chart,
    variants_chart,
)
from thresher.reports.formatting import percent
from thresher.reports.topic_rows import topic_changes

RECOMMENDED = "none|dcp@0.5"


@pytest.fixture(scope="module")
def table(judged: Results) -> VariantTable:
    return judged.tables[0]


@pytest.fixture(scope="module")
def data(table: VariantTable, choice: Choice) -> ChartData:
    return chart_data(table, choice)


def marks(spec: Spec, kind: str) -> list[dict[str, Any]]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def values(layer: dict[str, Any], field: str) -> list[Any]:
    return [row[field] for row in layer["data"]["values"]]


def ends(spec: Spec, channel: str) -> tuple[float, float]:
    low, high = spec["layer"][0]["encoding"][channel]["scale"]["domain"]
    return low, high


def test_points_have_the_numbers_of_the_table(data: ChartData, table: VariantTable) -> None:
    assert sorted(point.name for point in data.points) == sorted(row.name for row in table.rows[1:])
    front = table.front(NDCG, (0, *table.candidates))
    for point in data.points:
        index = table.position[point.name]
        assert point.mean == table.mean(NDCG)[index]
        assert point.share == 100 * table.bytes_shares[index]
        assert point.bytes == table.index_bytes[index]
        assert point.series == (table.rows[index].variant.sweep or SINGLES)
        assert point.on_front is (index in front)
        size = f"{percent(table.bytes_shares[index])} % of the bytes ({percent(table.shares[index])} % of the postings)"
        assert f"{size}, exp-nDCG@10 {table.mean(NDCG)[index]:.4f}" in point.label
    assert data.baseline.mean == table.mean(NDCG)[0]
    assert (data.retrieval, data.measure) == ("qld", "exp-nDCG@10")


def test_the_axis_is_bytes_and_says_whether_they_are_measured() -> None:
    title = "index, % of the baseline's bytes"
    names = {"none": 1.0, "words@3": 0.9, "words@4": 0.8}
    for explored, source in ([], "measured"), (["words@4"], "partly estimated"), (list(names), "estimated"):
        data = chart_data(made(names, only_explored=explored).tables[0])
        assert data.size == f"{title} ({source})"
        assert frontier_chart(data, 640)["layer"][0]["encoding"]["x"]["title"] == data.size
        assert variants_chart(data, 640)["layer"][0]["encoding"]["x"]["title"] == data.size
        assert ("≈" in data.points[-1].label) == ("estimated" in source)


def test_the_recommended_variant_has_the_bound_of_its_test(data: ChartData, table: VariantTable) -> None:
    assert data.recommended is not None
    assert data.recommended.point.name == RECOMMENDED
    assert data.recommended.bound == pytest.approx(table.mean(NDCG)[0] - 0.02)
    assert data.margin == pytest.approx(0.05 * table.mean(NDCG)[0])
    undecided = chart_data(table)
    assert (undecided.recommended, undecided.margin) == (None, None)


def test_lines_join_cutoffs_and_of_combinations_the_best(data: ChartData, table: VariantTable) -> None:
    joined = {point.name for point in data.points if point.on_line}
    singles = {table.rows[index].name for index in table.singles}
    assert joined.isdisjoint(singles)
    assert {name for name in NAMES if name.startswith("words@") and "|" not in name} <= joined


def test_the_frontier_marks_what_matters(data: ChartData) -> None:
    spec = frontier_chart(data, 640)
    front = [point.name for point in data.front]
    assert values(marks(spec, "line")[0], "name") == front
    assert values(marks(spec, "circle")[0], "name") == front
    square, diamond = marks(spec, "point")
    assert values(square, "name") == ["none"]
    assert values(diamond, "name") == [RECOMMENDED]
    baseline, margin, bound = marks(spec, "rule")[:3]
    assert values(baseline, "mean") == [data.baseline.mean]
    assert data.margin is not None
    assert values(margin, "mean") == [data.baseline.mean - data.margin]
    assert data.recommended is not None
    assert values(bound, "bound") == values(marks(spec, "tick")[0], "bound") == [data.recommended.bound]
    texts = {layer["encoding"]["text"]["value"] for layer in marks(spec, "text")}
    assert texts == {"recommended", "baseline", "margin"}


@pytest.mark.slow
def test_a_recommended_variant_that_is_not_drawn_is_marked() -> None:
    names = {"none": 1.0, **{f"words@{cutoff}": 1 - 0.001 * cutoff for cutoff in range(1, 400)}}
    results = made(names)
    undecided = chart_data(results.tables[0])
    drawn = {point.name for point in undecided.points}
    left_out = next(name for name in names if name != "none" and name not in drawn)
    spec = frontier_chart(chart_data(results.tables[0], chosen(results, left_out)), 640)
    _, diamond = marks(spec, "point")
    assert values(diamond, "name") == [left_out]


def test_losses_far_beyond_the_margin_do_not_press_the_rest_together(data: ChartData) -> None:
    narrow = replace(data, margin=0.002)
    assert data.recommended is not None
    lowest_named = min(data.baseline.mean, data.recommended.point.mean)
    low, _ = ends(variants_chart(narrow, 640), "y")
    assert min(point.mean for point in data.points) < low < lowest_named - DEEPEST * 0.002


def test_all_variants_are_in_one_chart_with_a_legend(data: ChartData, table: VariantTable) -> None:
    spec = variants_chart(data, 640)
    assert {row["name"] for row in spec["data"]["values"]} == {point.name for point in data.points}
    (line,) = marks(spec, "line")
    assert line["encoding"]["color"]["scale"]["domain"] == [*table.sweeps, SINGLES]
    assert line["encoding"]["color"]["legend"]["columns"] == 3
    assert marks(variants_chart(data, 350), "line")[0]["encoding"]["color"]["legend"]["columns"] == 1
    ends = "slice(datum.label, 0, 40) + '…' + slice(datum.label, -40)"
    assert ends in line["encoding"]["color"]["legend"]["labelExpr"]


def test_points_that_pointers_name_have_a_description(data: ChartData) -> None:
    for spec in (frontier_chart(data, 640), variants_chart(data, 640)):
        for layer in spec["layer"]:
            named = layer["mark"]["type"] in ("circle", "point")
            assert ("description" in layer["encoding"]) is layer["mark"]["aria"] is named


def test_long_sweeps_are_thinned_but_not_their_front() -> None:
    names = {"none": 1.0} | {f"words@{cutoff}": 1 - cutoff / 1000 for cutoff in range(1, 900)}
    (table,) = made(names, topics=5, only_explored=list(names)).tables
    points = chart_data(table).points
    assert len(points) <= MOST_POINTS + len(table.front(NDCG))
    drawn = {point.name for point in points}
    assert {table.rows[index].name for index in table.front(NDCG) if index} <= drawn
    assert {"words@1", "words@899"} <= drawn


def test_a_baseline_alone_can_be_drawn() -> None:
    alone = chart_data(small().tables[0].only((0,)))
    assert alone.points == alone.front == ()
    for spec in (frontier_chart(alone, 640), variants_chart(alone, 640)):
        low, high = ends(spec, "y")
        assert low < alone.baseline.mean < high


def test_topics_are_bars_in_the_order_of_their_changes(judged: Results, table: VariantTable) -> None:
    changes = topic_changes(judged, table, NDCG, table.position["words@8"])
    (bars,) = topics_chart(changes, NDCG)["layer"]
    assert values(bars, "difference") == [change.difference for change in changes]
    assert values(bars, "rank") == [*range(1, len(changes) + 1)]
    assert values(bars, "label")[0].startswith(f"{changes[0].topic}: {changes[0].query} ")


def test_lines_differ_in_colour_and_then_in_dashes() -> None:
    names = [f"sweep {place}" for place in range(30)]
    channels = series("series", names, 640)
    looks = list(
        zip(channels["color"]["scale"]["range"], map(tuple, channels["strokeDash"]["scale"]["range"]), strict=True)
    )
    assert len(set(looks)) == len(SERIES) * len(DASHES)
    assert looks[: len(SERIES)] == [(colour, DASHES[0]) for colour in SERIES]


@pytest.mark.parametrize(("numbers", "expected"), [([1.0, 2.0], (0.9, 2.1)), ([2.0], (1.8, 2.2)), ([0.0], (-0.1, 0.1))])
def test_axes_have_room_at_both_ends(numbers: list[float], expected: tuple[float, float]) -> None:
    assert roomy(numbers, 0.1) == pytest.approx(expected)


def test_an_axis_has_exactly_its_ends() -> None:
    assert number("share", "size", (0, 104))["scale"] == {"domain": [0, 104], "zero": False, "nice": False}
    assert "scale" not in number("share", "size")
