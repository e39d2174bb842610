"""Plots of cleaning: what they show, that labels keep apart, that they are the same every time."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from lxml import etree
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from thresher.cleaneval.cleaning_measures import Agreement
from thresher.cleaneval.sweeps import GoldSweep, SweepPoint, best_cutoff
from thresher.reports.cleaning_plots import Quality, curves_figure, overview_figure
from thresher.reports.plot_style import SERIES, figure_svg, write_plot

BASELINE = Quality("none", 0.42, 0.95)


def texts(figure: Figure) -> list[str]:
    root = etree.fromstring(figure_svg(figure, "x"))
    return ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]


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


def separate(axes: Axes) -> None:
    boxes = [Text.get_window_extent(text) for text in axes.texts]
    frame = axes.get_tightbbox()
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)


def test_curves_go_through_their_cutoffs_and_mark_the_best() -> None:
    curves = [curve("words", 0), curve("perplexity(lm=books)", 1)]
    figure = curves_figure("set", curves, BASELINE)
    (axes,) = figure.axes
    for place, one in enumerate(curves):
        line = next(line for line in axes.lines if line.get_label() == one.scorer)
        assert line.get_color() == SERIES[place]
        assert list(line.get_xdata()) == [point.macro.recall for point in one.points]
        assert list(line.get_ydata()) == [point.macro.precision for point in one.points]
        best = max(one.points, key=lambda point: point.macro.f1)
        rings = [
            line for line in axes.lines if line.get_markersize() == 11 and line.get_markeredgecolor() == SERIES[place]
        ]
        assert [(*ring.get_xdata(), *ring.get_ydata()) for ring in rings] == [(best.macro.recall, best.macro.precision)]
        assert f"{best.cutoff:.0f} (F1 {best.macro.f1:.3f})" in texts(figure)
    (star,) = [line for line in axes.lines if line.get_marker() == "*"]
    assert ((*star.get_xdata(), *star.get_ydata()), star.get_label()) == ((0.95, 0.42), "none")
    labels = [text.get_text() for text in axes.texts]
    assert len([label for label in labels if not label.startswith("F1")]) >= 18
    separate(axes)


def test_cutoffs_far_below_the_best_do_not_widen_the_plot() -> None:
    near = curve("words", 0)
    poor = Agreement(0.05, 0.04, 0.045)
    far = replace(near, points=(*near.points, SweepPoint(99_000.0, poor, poor, (0.045,) * 20)))
    (alone,), (axes,) = (curves_figure("set", [one], BASELINE).axes for one in (near, far))
    assert (axes.get_xlim(), axes.get_ylim()) == (alone.get_xlim(), alone.get_ylim())
    assert axes.get_xlim()[0] > 0.04
    assert "99000" not in {text.get_text() for text in axes.texts}


def test_faint_lines_have_one_f1_each() -> None:
    for figure in (curves_figure("set", [curve("words", 0)], BASELINE), overview_figure("set", many(), BASELINE)):
        (axes,) = figure.axes
        names = [text.get_text() for text in axes.texts if text.get_text().startswith("F1 ")]
        faint = [line for line in axes.lines if line.get_alpha() == 0.25]
        assert 2 <= len(faint) == len(names)
        for line, name in zip(faint, names, strict=True):
            x, y = np.array(line.get_xdata()), np.array(line.get_ydata())
            assert 2 * x * y / (x + y) == pytest.approx(float(name.removeprefix("F1 ")))
            assert max(x.max(), y.max()) <= 1 + 1e-9


def test_an_overview_has_a_point_and_a_colour_for_each_cleaner() -> None:
    cleaners = many()
    figure = overview_figure("set, 71 pages", cleaners, BASELINE)
    (axes,) = figure.axes
    for label, is_extractor in (("cleaner", False), ("other package", True)):
        (line,) = [line for line in axes.lines if line.get_label() == label]
        chosen = [one for one in cleaners if one.is_extractor == is_extractor]
        assert list(line.get_xdata()) == [one.recall for one in chosen]
        assert list(line.get_ydata()) == [one.precision for one in chosen]
        names = {one.name for one in chosen}
        result = [text for text in axes.texts if text.get_text() in names]
        assert {text.get_color() for text in result} == {line.get_color()}
    written = {text.get_text() for text in axes.texts}
    assert "none" in written
    assert len(written & {one.name for one in cleaners}) >= 14
    separate(axes)
    assert "other package" not in texts(
        overview_figure("set", [one for one in cleaners if not one.is_extractor], BASELINE)
    )


def test_points_at_the_corners_have_their_plots() -> None:
    for value in (0.0, 1.0):
        corner = Quality("corner", value, value)
        (axes,) = overview_figure("set", [corner], corner).axes
        (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
        assert low <= value <= high
        assert bottom <= value <= top


def test_files_are_the_same_every_time(tmp_path: Path) -> None:
    name = "a$b$ <script>"
    for make in (
        lambda: curves_figure(name, [curve("words", 0)], BASELINE),
        lambda: overview_figure(name, many(), BASELINE),
    ):
        assert figure_svg(figure := make(), "x") == figure_svg(make(), "x")
        assert name in texts(figure)
        for file in ("a.svg", "b.svg"):
            write_plot(make(), tmp_path / file)
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
