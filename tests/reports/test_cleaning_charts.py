"""Charts of cleaning: what they show, and what they leave out."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from thresher.cleaneval.cleaning_measures import Agreement
from thresher.cleaneval.results import GoldSweep, SweepPoint, best_cutoff
from thresher.reports.charts import SERIES
from thresher.reports.cleaning_charts import Quality, curves_plot, overview_plot
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


def curve(name: str, seed: int) -> GoldSweep:
    generator = random.Random(seed)
    points = []
    for place in range(11):
        recall, precision = 0.96 - 0.004 * place**2, 0.42 + 0.04 * place - 0.05 * seed
        f1 = 2 * recall * precision / (recall + precision)
        f1s = tuple(f1 + generator.gauss(0, 0.01) for _ in range(20))
        mean = Agreement(precision, recall, sum(f1s) / 20)
        points.append(SweepPoint(float(place * 1000), mean, mean, f1s))
    return GoldSweep(name, "gold", Path("gold"), tuple(points), best_cutoff(points), ())


def many() -> list[Quality]:
    generator = random.Random(1)
    return [
        Quality(f"cleaner(number={place})@8", generator.uniform(0.6, 0.9), generator.uniform(0.7, 0.95), place % 3 == 0)
        for place in range(18)
    ]


def test_curves_go_through_their_cutoffs_and_mark_the_best() -> None:
    curves = [curve("words", 0), curve("perplexity(lm=books)", 1)]
    plot = curves_plot("set", curves, BASELINE)
    line = layers(plot, "line")[1]
    assert line["encoding"]["color"]["scale"]["domain"] == ["words", "perplexity(lm=books)"]
    (ring, baseline) = layers(plot, "point")
    for one in curves:
        drawn = [row for row in rows(line) if row["series"] == one.scorer]
        assert [(row["recall"], row["precision"]) for row in sorted(drawn, key=lambda row: row["order"])] == [
            (point.macro.recall, point.macro.precision) for point in one.points
        ]
        best = max(one.points, key=lambda point: point.macro.f1)
        assert [row["f1"] for row in rows(ring) if row["series"] == one.scorer] == [best.macro.f1]
        assert f"{best.cutoff:.0f} (F1 {best.macro.f1:.3f})" in labels(plot)
    assert [(row["recall"], row["precision"]) for row in rows(baseline)] == [(0.95, 0.42)]
    assert "none" in labels(plot)
    written = [row["label"] for row in rows(layers(plot, "text")[-1])]
    assert len(written) >= 18
    assert plot.svg == curves_plot("set", curves, BASELINE).svg


def test_cutoffs_far_below_the_best_do_not_widen_the_plot() -> None:
    near = curve("words", 0)
    poor = Agreement(0.05, 0.04, 0.045)
    far = replace(near, points=(*near.points, SweepPoint(99_000.0, poor, poor, (0.045,) * 20)))
    alone, both = (curves_plot("set", [one], BASELINE) for one in (near, far))
    assert domains(alone) == domains(both)
    assert "99000" not in labels(both)


def test_faint_lines_have_one_f1_each() -> None:
    for plot in (curves_plot("set", [curve("words", 0)], BASELINE), overview_plot("set", many(), BASELINE)):
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
