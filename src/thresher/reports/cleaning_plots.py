"""The plots of cleaning evaluation: precision against recall, and how well probabilities are calibrated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator
from matplotlib.transforms import Bbox

from thresher.cleaneval.sweeps import GoldSweep, SweepPoint
from thresher.content_training.calibration import CalibrationBin
from thresher.number_texts import number_text
from thresher.reports.formatting import fixed, plain
from thresher.reports.plot_style import (
    INK,
    SERIES,
    legend_below,
    light_grid,
    new_figure,
    of_series,
    place_labels,
    star,
    style,
)


def calibration_figure(title: str, bins: Sequence[CalibrationBin]) -> Figure:
    """Draw a reliability diagram: by probability how often blocks are content, and how much of the blocks' weight is there."""
    with style():
        figure = new_figure(4.6, 4.4)
        upper, lower = figure.subplots(2, sharex=True, height_ratios=(4, 1))
        upper.set_title(title)
        upper.plot((0, 1), (0, 1), color=INK, linestyle=":", label="calibrated")
        upper.plot(
            [row.predicted for row in bins],
            [row.observed for row in bins],
            color=SERIES[0],
            marker="o",
            label="measured",
        )
        upper.set_ylabel("share that is content")
        upper.legend(loc="upper left")
        lower.bar([(row.low + row.high) / 2 for row in bins], [row.weight for row in bins], width=0.09, color=SERIES[0])
        lower.set_ylabel("weight")
        lower.set_xlabel("probability, by cross-validation over domains")
        for axes in (upper, lower):
            light_grid(axes)
    return figure


_F1_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
_F1_LINES = 7
_NEAR = 2 / 3
_STEPS_BETWEEN = 12
# Distances of the name of a line of equal F1 from its end, in shares of the plot.
_NAME_STEPS = (0.015, 0.04, 0.065)
_NAME_UP = 0.02


@dataclass(frozen=True)
class Quality:
    """A cleaner's mean precision and recall over pages, in [0, 1]; an extractor is another package's."""

    name: str
    precision: float
    recall: float
    is_extractor: bool = False


def curves_figure(title: str, sweeps: Sequence[GoldSweep], baseline: Quality) -> Figure:
    """Return precision against recall, means over pages, with a line for each sweep.

    Cutoffs are written at their points where there is room, with a ring around each scorer's best mean F1. Cutoffs with a mean
    F1 below two thirds of the best may lie outside, since the plot would be too wide for all others.
    """
    with style():
        figure = new_figure(6.2, 4.8)
        axes = figure.subplots()
        axes.set_title(plain(title))
        first: list[tuple[float, float, str]] = []
        labels: list[tuple[float, float, str]] = []
        for number, sweep in enumerate(sweeps):
            kind = of_series(number)
            x, y = [point.macro.recall for point in sweep.points], [point.macro.precision for point in sweep.points]
            axes.plot(x, y, **kind, label=plain(sweep.scorer))
            for point in sweep.points:
                at = point.macro.recall, point.macro.precision
                if point.cutoff == sweep.best.cutoff:
                    axes.plot(
                        *at,
                        marker="o",
                        markersize=11,
                        markerfacecolor="none",
                        markeredgecolor=kind["color"],
                        linewidth=0,
                    )
                    first.append((*at, f"{number_text(point.cutoff)} (F1 {fixed(point.macro.f1, 3)})"))
                else:
                    labels.append((*at, number_text(point.cutoff)))
        axes.plot(
            [], [], marker="o", markersize=9, markerfacecolor="none", color=INK, linewidth=0, label="best mean F1"
        )
        star(axes, baseline.recall, baseline.precision, plain(baseline.name))
        points = [(baseline.recall, baseline.precision), *_quality_axes(axes, _near(sweeps, baseline))]
        points += [point for sweep in sweeps for point in _along(sweep.points)]
        legend_below(figure, axes)
        place_labels(figure, axes, [*first, *labels], points, fontsize=7.0)
    return figure


def overview_figure(title: str, cleaners: Sequence[Quality], baseline: Quality) -> Figure:
    """Return precision against recall, one point per cleaner, other packages with another marker."""
    with style():
        figure = new_figure(7.2, 5.4)
        axes = figure.subplots()
        axes.set_title(plain(title))
        for kind, is_extractor in (("cleaner", False), ("other package", True)):
            shown = [cleaner for cleaner in cleaners if cleaner.is_extractor == is_extractor]
            if shown:
                x, y = [one.recall for one in shown], [one.precision for one in shown]
                axes.plot(x, y, **of_series(is_extractor), markersize=6, linewidth=0, alpha=0.9, label=kind)
        star(axes, baseline.recall, baseline.precision)
        names = _quality_axes(axes, [(one.recall, one.precision) for one in (baseline, *cleaners)], room=0.2)
        legend_below(figure, axes)
        # From right to left, since labels are preferably put right of their points.
        texts = [(one.recall, one.precision, plain(one.name)) for one in (baseline, *cleaners)]
        texts.sort(key=lambda text: -text[0])
        place_labels(figure, axes, texts, [*names, *((x, y) for x, y, _ in texts)])
        colours = {plain(one.name): SERIES[one.is_extractor] for one in cleaners}
        for text in axes.texts:
            text.set_color(colours.get(text.get_text(), INK))
    return figure


def _along(points: Sequence[SweepPoint]) -> list[tuple[float, float]]:
    """Return points along a sweep's line, which labels must not cover."""
    steps = np.linspace(0, len(points) - 1, (len(points) - 1) * _STEPS_BETWEEN + 1)
    x = np.interp(steps, range(len(points)), [point.macro.recall for point in points])
    y = np.interp(steps, range(len(points)), [point.macro.precision for point in points])
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _near(sweeps: Sequence[GoldSweep], baseline: Quality) -> list[tuple[float, float]]:
    """Return the points that must be inside the plot: the baseline, and all that are not far below the best."""
    points = [point for sweep in sweeps for point in sweep.points]
    least = _NEAR * max(point.macro.f1 for point in points)
    return [
        (baseline.recall, baseline.precision),
        *((point.macro.recall, point.macro.precision) for point in points if point.macro.f1 >= least),
    ]


def _quality_axes(axes: Axes, shown: Sequence[tuple[float, float]], room: float = 0.0) -> list[tuple[float, float]]:
    """Name the axes of precision against recall, leave room for labels, and draw faint lines of equal F1.

    The returned points are covered by the lines' names.

    Args:
        axes: holds the points already.
        shown: the points (recall, precision) that must be inside.
        room: how much the plot is widened at its right, as a share.
    """
    axes.dataLim.set(Bbox.null())
    axes.update_datalim(shown)
    axes.margins(x=0.1, y=0.12)
    x0, x1 = (max(0.0, axes.get_xlim()[0]), min(1.02, axes.get_xlim()[1]))
    y0, y1 = (max(0.0, axes.get_ylim()[0]), min(1.02, axes.get_ylim()[1]))
    x1 += room * (x1 - x0)
    axes.set_xlim(x0, x1)
    axes.set_ylim(y0, y1)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator([tick for tick in axis.get_ticklocs().tolist() if tick <= 1]))
    axes.set_xlabel("recall, mean over pages")
    axes.set_ylabel("precision, mean over pages")
    low, high = _harmonic(x0, y0), _harmonic(min(x1, 1.0), min(y1, 1.0))
    step = next((step for step in _F1_STEPS if (high - low) / step <= _F1_LINES), _F1_STEPS[-1])
    written: list[tuple[float, float]] = []
    for multiple in range(math.ceil(low / step + 1e-9), math.ceil(high / step - 1e-9)):
        f1 = multiple * step
        recall = np.linspace(max(x0, f1 / (2 - f1)), min(x1, 1.0), 200)
        precision = f1 * recall / (2 * recall - f1)
        inside = (precision <= min(y1, 1.0)) & (precision >= y0)
        if not inside.any():
            continue
        axes.plot(recall[inside], precision[inside], color=INK, linewidth=0.6, alpha=0.25, zorder=0.5)
        # The line leaves the plot at the right, or at the bottom.
        right = bool(inside[-1])
        axes.annotate(
            f"F1 {f1:g}",
            (recall[inside][-1], precision[inside][-1] if right else y0),
            xytext=(3, 0) if right else (-3, 3),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center" if right else "bottom",
            fontsize=7,
            alpha=0.7,
        )
        x, y = float(recall[inside][-1]), float(precision[inside][-1]) if right else y0 + _NAME_UP * (y1 - y0)
        written += [(x + (ahead if right else -ahead) * (x1 - x0), y) for ahead in _NAME_STEPS]
    return written


def _harmonic(x: float, y: float) -> float:
    return 2 * x * y / (x + y) if x + y else 0.0
