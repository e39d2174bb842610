"""The plots of cleaning evaluation: precision against recall, differences by page, predicted precision, training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator
from matplotlib.transforms import Bbox

from thresher.cleaneval.ncleaner_evaluation import CurveSize, Spread
from thresher.cleaneval.reliability import LOW, Reliability
from thresher.cleaneval.results import BIN, PageDifferences
from thresher.cleaneval.sweeps import GoldSweep, SweepPoint
from thresher.content_training.calibration import CalibrationBin
from thresher.language_models.characters.tuning import Tuning
from thresher.number_texts import number_text
from thresher.reports.formatting import fixed, plain, signed
from thresher.reports.plot_style import (
    GAIN,
    INK,
    LOSS,
    MARKERS,
    SERIES,
    cutoff_axis,
    legend_below,
    light_grid,
    new_figure,
    of_series,
    place_labels,
    star,
    style,
    write_above,
)

_TIED_WIDTH = 0.9


def differences_figure(name: str, differences: PageDifferences, measure: str) -> Figure:
    """Return the histogram of a cleaner's differences from the baseline by page (NCleaner, Fig. 3).

    Pages without a difference are a thin bar at zero. `name` is the cleaner's, `measure` what differs, such as `precision`.
    """
    bins = dict(differences.bins)
    with style():
        figure = new_figure(5.0, 3.0)
        axes = figure.subplots()
        axes.set_title(plain(name), pad=17)
        for sign, colour in ((1, GAIN), (-1, LOSS)):
            signed_bins = sorted((number, count) for number, count in bins.items() if number * sign > 0)
            middles = [BIN * (number - sign / 2) for number, _ in signed_bins]
            axes.bar(middles, [count for _, count in signed_bins], width=0.92 * BIN, color=colour)
        if differences.tied:
            axes.bar([0], [differences.tied], width=_TIED_WIDTH, color=INK)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_xlim(BIN * min([-2.0, *bins]) - 1, BIN * max([2.0, *bins]) + 1)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10], integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value, 0)))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.set_xlabel(f"{measure} less the baseline's, percentage points")
        axes.set_ylabel("pages")
        light_grid(axes)
        counts = f"{differences.won} won, {differences.tied} tied, {differences.lost} lost"
        write_above(axes, f"mean {signed(differences.mean, 1)}; {counts}")
    return figure


def learning_figure(title: str, sizes: Sequence[CurveSize]) -> Figure:
    """Return precision, recall and F1 (micro) by number of training pages, with bands from minimum to maximum."""
    pages = [size.pages for size in sizes]
    measures: dict[str, list[Spread]] = {
        "precision": [size.precision for size in sizes],
        "recall": [size.recall for size in sizes],
        "F1": [size.f1 for size in sizes],
    }
    with style():
        figure = new_figure(5.0, 3.6)
        axes = figure.subplots()
        axes.set_title(plain(title))
        for number, (name, values) in enumerate(measures.items()):
            colour = SERIES[number]
            axes.fill_between(
                pages, [one.low for one in values], [one.high for one in values], color=colour, alpha=0.18, linewidth=0
            )
            axes.plot(pages, [one.mean for one in values], color=colour, marker=MARKERS[number], label=name)
        cutoff_axis(axes, [float(count) for count in pages])
        axes.set_xlabel("pages of training")
        axes.set_ylabel("words of all pages pooled")
        axes.margins(x=0.04)
        light_grid(axes)
        legend_below(figure, axes)
    return figure


def reliability_figure(name: str, reliability: Reliability) -> Figure:
    """Return the true precision of a cleaner's pages against the predicted one; pages that reach the floor are filled."""
    reliable = reliability.reliable
    pages = [*zip(reliability.predictions, reliability.precisions, strict=True)]
    with style():
        figure = new_figure(5.0, 4.3)
        axes = figure.subplots()
        axes.set_title(plain(name), pad=17)
        axes.plot([0, 1], [0, 1], color=INK, linewidth=0.7, alpha=0.6)
        for taken, colour, face in ((False, LOSS, "none"), (True, GAIN, GAIN)):
            shown = [page for page in pages if (page[0] >= reliable.floor) == taken]
            x, y = [predicted for predicted, _ in shown], [precision for _, precision in shown]
            label = f"{len(x)} pages {'at least' if taken else 'below'} {fixed(reliable.floor, 2)}"
            axes.plot(
                x, y, color=colour, marker="o", markerfacecolor=face, markersize=4, linewidth=0, alpha=0.8, label=label
            )
        axes.axvline(reliable.floor, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        lowest = min(LOW, *reliability.predictions, *reliability.precisions)
        axes.set_xlim(max(-0.02, lowest - 0.05), 1.02)
        axes.set_ylim(max(-0.02, lowest - 0.05), 1.02)
        axes.set_xlabel("predicted precision (cross-validated)")
        axes.set_ylabel("precision")
        light_grid(axes)
        text = (
            f"mean {fixed(reliable.mean_precision_selected, 3)} of the chosen, {fixed(reliable.mean_precision_all, 3)} of all;"
            f" residual standard error {fixed(reliability.model.residual_error, 3)}"
        )
        write_above(axes, text, 1.03)
        legend_below(figure, axes)
    return figure


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
    """A cleaner's mean precision and recall over pages, in [0, 1]; a peer is another package."""

    name: str
    precision: float
    recall: float
    is_peer: bool = False


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
        for kind, is_peer in (("cleaner", False), ("other package", True)):
            shown = [cleaner for cleaner in cleaners if cleaner.is_peer == is_peer]
            if shown:
                x, y = [one.recall for one in shown], [one.precision for one in shown]
                axes.plot(x, y, **of_series(is_peer), markersize=6, linewidth=0, alpha=0.9, label=kind)
        star(axes, baseline.recall, baseline.precision)
        names = _quality_axes(axes, [(one.recall, one.precision) for one in (baseline, *cleaners)], room=0.2)
        legend_below(figure, axes)
        # From right to left, since labels are preferably put right of their points.
        texts = [(one.recall, one.precision, plain(one.name)) for one in (baseline, *cleaners)]
        texts.sort(key=lambda text: -text[0])
        place_labels(figure, axes, texts, [*names, *((x, y) for x, y, _ in texts)])
        colours = {plain(one.name): SERIES[one.is_peer] for one in cleaners}
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


_LINES = ("-", "--")


def tuning_figure(tuning: Tuning, title: str) -> Figure:
    """Return the cross-entropy in bits per character by q, a line for each n; the best n and q are marked."""
    with style():
        figure = new_figure(5.0, 3.6)
        axes = figure.subplots()
        axes.set_title(title)
        for number, bits in enumerate(zip(*tuning.bits, strict=True)):
            axes.plot(
                tuning.qs,
                bits,
                **of_series(number),
                # With more lines than colours the second round is dashed.
                linestyle=_LINES[number // len(SERIES) % len(_LINES)],
                label=f"n = {number + 1}",
            )
        n, q, least = tuning.best
        axes.annotate(
            f"best: n = {n}, q = {q:g}, {least:.2f} bits", (q, least), (0, -14), textcoords="offset points", ha="center"
        )
        axes.set_xlabel("q, the weight of the next shorter history")
        axes.set_ylabel("cross-entropy, bits per character")
        axes.margins(y=0.12)
        light_grid(axes)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return figure
