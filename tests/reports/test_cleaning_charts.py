"""Charts of cleaning: what they show, and what they leave out."""

from __future__ import annotations

import random
from typing import Any

import pytest

from thresher.reports.charts import SERIES
from thresher.reports.cleaning_charts import Quality, overview_plot
from thresher.reports.drawing import Plot

BASELINE = Quality("none", 0.42, 0.95)


def layers(plot: Plot, kind: str) -> list[dict[str, Any]]:
    return [layer for layer in plot.spec["layer"] if layer["mark"]["type"] == kind]


def rows(layer: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = layer["data"]["values"]
    return found


def labels(plot: Plot) -> dict[str, dict[str, Any]]:
    return {row["label"]: row for row in rows(layers(plot, "text")[-1])}


def domains(plot: Plot) -> list[list[float]]:
    return [plot.spec["layer"][0]["encoding"][axis]["scale"]["domain"] for axis in "xy"]


def many() -> list[Quality]:
    generator = random.Random(1)
    return [
        Quality(f"cleaner(number={place})@8", generator.uniform(0.6, 0.9), generator.uniform(0.7, 0.95), place % 3 == 0)
        for place in range(18)
    ]


def test_faint_lines_have_one_f1_each() -> None:
    plot = overview_plot("set", many(), BASELINE)
    faint = rows(layers(plot, "line")[0])
    assert 2 <= len({row["f1"] for row in faint}) <= 7
    (left, right), (bottom, top) = domains(plot)
    for row in faint:
        x, y = row["recall"], row["precision"]
        assert 2 * x * y / (x + y) == pytest.approx(float(row["f1"].removeprefix("F1 ")))
        assert left <= x <= right
        assert bottom <= y <= top


def test_an_overview_has_a_point_and_a_colour_for_each_cleaner() -> None:
    cleaners = many()
    plot = overview_plot("set, 71 pages", cleaners, BASELINE)
    (points,) = layers(plot, "circle")
    assert [(row["recall"], row["precision"]) for row in rows(points)] == [
        (one.recall, one.precision) for one in cleaners
    ]
    peers = {one.name: one.is_extractor for one in cleaners}
    assert "none" in labels(plot)
    assert len(labels(plot)) >= 15
    assert all(row["fill"] == SERIES[peers[name]] for name, row in labels(plot).items() if name in peers)
    alone = overview_plot("set", [one for one in cleaners if not one.is_extractor], BASELINE)
    assert {row["series"] for row in rows(layers(alone, "circle")[0])} == {"cleaner"}


def test_points_at_the_corners_have_their_plots() -> None:
    for value in (0.0, 1.0):
        corner = Quality("corner", value, value)
        for low, high in domains(overview_plot("set", [corner], corner)):
            assert low <= value <= high
