"""The plots of cleaning against gold texts: gains and losses by page, training, and predicted precision."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator
from matplotlib.transforms import Bbox

from thresher.cleaneval.learning_curve import CurveSize, Spread
from thresher.cleaneval.reliability import Reliability
from thresher.cleaneval.sweeps import GoldSweep, SweepPoint
from thresher.evaluation.significance import TOLERANCE
from thresher.language_models.characters.tuning import Tuning
from thresher.reports.formatting import cutoff_text, fixed, plain, signed
from thresher.reports.plot_style import (
    GAIN,
    INK,
    LOSS,
    MARKERS,
    SERIES,
    cutoff_axis,
    light_grid,
    new_figure,
    place_labels,
    style,
)

BIN = 5
"""The width of the histogram's bins in percentage points, as in Fig. 3 of the NCleaner paper."""
_TIED_WIDTH = 0.9
_LEGEND_SIGNS = 70  # a row of a legend fits below a plot with this many characters


def differences_figure(name: str, values: Sequence[float], baseline: Sequence[float], measure: str) -> Figure:
    """Return the histogram of a cleaner's differences to the baseline, page by page (NCleaner, Fig. 3).

    Bins are 5 percentage points wide, each with its bound that is farther from zero; pages without a difference are a thin
    bar at zero.

    Args:
        name: the cleaner's.
        values: one a page, in [0, 1].
        baseline: the baseline's, in the same order.
        measure: what the values are, such as `precision`.
    """
    differences = [100 * (value - base) for value, base in zip(values, baseline, strict=True)]
    places = [math.copysign(max(1, math.ceil(round(abs(value), 6) / BIN)), value) for value in differences]
    bins = Counter(place for value, place in zip(differences, places, strict=True) if abs(value) >= 100 * TOLERANCE)
    won = sum(count for place, count in bins.items() if place > 0)
    tied, lost = len(differences) - bins.total(), bins.total() - won
    with style():
        figure = new_figure(5.0, 3.0)
        axes = figure.subplots()
        axes.set_title(plain(name), pad=17)
        for sign, colour in ((1, GAIN), (-1, LOSS)):
            found = sorted((place, count) for place, count in bins.items() if place * sign > 0)
            middles = [BIN * (place - sign / 2) for place, _ in found]
            axes.bar(middles, [count for _, count in found], width=0.92 * BIN, color=colour)
        if tied:
            axes.bar([0], [tied], width=_TIED_WIDTH, color=INK)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_xlim(BIN * min([-2.0, *bins]) - 1, BIN * max([2.0, *bins]) + 1)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 5, 10], integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value, 0)))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.set_xlabel(f"{measure} less the baseline's, percentage points")
        axes.set_ylabel("pages")
        light_grid(axes)
        text = f"mean {signed(fmean(differences), 1)}; {won} won, {tied} tied, {lost} lost"
        axes.text(0, 1.04, text, transform=axes.transAxes, ha="left", va="bottom", fontsize=8)
    return figure


def learning_figure(title: str, sizes: Sequence[CurveSize]) -> Figure:
    """Return precision, recall and F1 (micro) against the pages trained on, a band from the least to the most."""
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
        for place, (name, values) in enumerate(measures.items()):
            colour = SERIES[place]
            axes.fill_between(
                pages, [one.low for one in values], [one.high for one in values], color=colour, alpha=0.18, linewidth=0
            )
            axes.plot(pages, [one.mean for one in values], color=colour, marker=MARKERS[place], label=name)
        cutoff_axis(axes, [float(count) for count in pages])
        axes.set_xlabel("pages of training")
        axes.set_ylabel("words of all pages pooled")
        axes.margins(x=0.04)
        light_grid(axes)
        legend_below(figure, axes)
    return figure


def reliability_figure(name: str, found: Reliability) -> Figure:
    """Return the true precision of a cleaner's pages against the predicted one; pages that reach the floor are filled."""
    chosen = [prediction >= found.reliable.floor for prediction in found.predictions]
    reliable = found.reliable
    with style():
        figure = new_figure(5.0, 4.3)
        axes = figure.subplots()
        axes.set_title(plain(name), pad=17)
        axes.plot([0, 1], [0, 1], color=INK, linewidth=0.7, alpha=0.6)
        for taken, colour, face in ((False, LOSS, "none"), (True, GAIN, GAIN)):
            x = [value for value, is_chosen in zip(found.predictions, chosen, strict=True) if is_chosen == taken]
            y = [value for value, is_chosen in zip(found.precisions, chosen, strict=True) if is_chosen == taken]
            label = f"{len(x)} pages {'at least' if taken else 'below'} {fixed(reliable.floor, 2)}"
            axes.plot(
                x, y, color=colour, marker="o", markerfacecolor=face, markersize=4, linewidth=0, alpha=0.8, label=label
            )
        axes.axvline(reliable.floor, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        lowest = min([*found.predictions, *found.precisions, 0.7])
        axes.set_xlim(max(-0.02, lowest - 0.05), 1.02)
        axes.set_ylim(max(-0.02, lowest - 0.05), 1.02)
        axes.set_xlabel("predicted precision (cross-validated)")
        axes.set_ylabel("precision")
        light_grid(axes)
        text = (
            f"mean {fixed(reliable.mean_precision_selected, 3)} of the chosen, {fixed(reliable.mean_precision_all, 3)} of all;"
            f" residual standard error {fixed(found.model.residual_error, 3)}"
        )
        axes.text(0, 1.03, text, transform=axes.transAxes, ha="left", va="bottom", fontsize=8)
        legend_below(figure, axes)
    return figure


def legend_below(figure: Figure, axes: Axes) -> None:
    """Write the legend of `axes` below them, in as many columns as there is room for."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels)) + 6
    figure.legend(handles, labels, loc="outside lower left", ncols=max(1, min(len(labels), _LEGEND_SIGNS // longest)))


_F1_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
_F1_LINES = 7
_NEAR = 2 / 3
_PLACES = 12
# Where the name of a line of equal F1 stands from its end, in shares of the plot.
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
    """Return precision against recall over the cutoffs of scorers: means over pages, a line for each scorer.

    Cutoffs are written at their points where there is room; a ring is around each scorer's best mean F1. Cutoffs whose
    mean F1 is less than two thirds of the best do not widen the plot, which would crowd all others.
    """
    with style():
        figure = new_figure(6.2, 4.8)
        axes = figure.subplots()
        axes.set_title(plain(title))
        first: list[tuple[float, float, str]] = []
        labels: list[tuple[float, float, str]] = []
        for place, sweep in enumerate(sweeps):
            colour, marker = SERIES[place % len(SERIES)], MARKERS[place % len(MARKERS)]
            x, y = [point.macro.recall for point in sweep.points], [point.macro.precision for point in sweep.points]
            axes.plot(x, y, color=colour, marker=marker, label=plain(sweep.scorer))
            for point in sweep.points:
                at = point.macro.recall, point.macro.precision
                if point.cutoff == sweep.best.cutoff:
                    axes.plot(
                        *at, marker="o", markersize=11, markerfacecolor="none", markeredgecolor=colour, linewidth=0
                    )
                    first.append((*at, f"{cutoff_text(point.cutoff)} (F1 {fixed(point.macro.f1, 3)})"))
                else:
                    labels.append((*at, cutoff_text(point.cutoff)))
        axes.plot(
            [], [], marker="o", markersize=9, markerfacecolor="none", color=INK, linewidth=0, label="best mean F1"
        )
        axes.plot(
            [baseline.recall],
            [baseline.precision],
            color=INK,
            marker="*",
            markersize=10,
            linewidth=0,
            label=plain(baseline.name),
        )
        points = [(baseline.recall, baseline.precision), *_quality_axes(axes, _near(sweeps, baseline))]
        points += [place for sweep in sweeps for place in _along(sweep.points)]
        legend_below(figure, axes)
        place_labels(figure, axes, [*first, *labels], points, fontsize=7.0)
    return figure


def overview_figure(title: str, cleaners: Sequence[Quality], baseline: Quality) -> Figure:
    """Return precision against recall, one point a cleaner, other packages with another marker."""
    with style():
        figure = new_figure(7.2, 5.4)
        axes = figure.subplots()
        axes.set_title(plain(title))
        kinds = (("cleaner", SERIES[0], MARKERS[0], False), ("other package", SERIES[1], MARKERS[1], True))
        for kind, colour, marker, is_peer in kinds:
            found = [cleaner for cleaner in cleaners if cleaner.is_peer == is_peer]
            if found:
                x, y = [one.recall for one in found], [one.precision for one in found]
                axes.plot(x, y, color=colour, marker=marker, markersize=6, linewidth=0, alpha=0.9, label=kind)
        axes.plot(
            [baseline.recall], [baseline.precision], color=INK, marker="*", markersize=10, linewidth=0, label="baseline"
        )
        names = _quality_axes(axes, [(one.recall, one.precision) for one in (baseline, *cleaners)], room=0.2)
        legend_below(figure, axes)
        # From right to left, for the first choice of a label is the right of its point.
        texts = [(one.recall, one.precision, plain(one.name)) for one in (baseline, *cleaners)]
        texts.sort(key=lambda text: -text[0])
        place_labels(figure, axes, texts, [*names, *((x, y) for x, y, _ in texts)])
        colours = {plain(one.name): SERIES[one.is_peer] for one in cleaners}
        for text in axes.texts:
            text.set_color(colours.get(text.get_text(), INK))
    return figure


def _along(points: Sequence[SweepPoint]) -> list[tuple[float, float]]:
    """Return places along a curve's line, which labels must not cover."""
    steps = np.linspace(0, len(points) - 1, (len(points) - 1) * _PLACES + 1)
    x = np.interp(steps, range(len(points)), [point.macro.recall for point in points])
    y = np.interp(steps, range(len(points)), [point.macro.precision for point in points])
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _near(sweeps: Sequence[GoldSweep], baseline: Quality) -> list[tuple[float, float]]:
    """Return what a plot of curves must show: the baseline, and points that are not far below the best."""
    points = [point for sweep in sweeps for point in sweep.points]
    least = _NEAR * max(point.macro.f1 for point in points)
    return [
        (baseline.recall, baseline.precision),
        *((point.macro.recall, point.macro.precision) for point in points if point.macro.f1 >= least),
    ]


def _quality_axes(axes: Axes, shown: Sequence[tuple[float, float]], room: float = 0.0) -> list[tuple[float, float]]:
    """Name the axes of precision against recall, leave room for labels, and draw faint lines of equal F1.

    The lines' names stand at the places returned.

    Args:
        axes: holds the points already.
        shown: the points (recall, precision) that the plot is to hold.
        room: how much wider the plot is made at its right, as a share.
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
    for place in range(math.ceil(low / step + 1e-9), math.ceil(high / step - 1e-9)):
        f1 = place * step
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
    """Return cross-entropy in bits a character against q; the best n and q are marked."""
    with style():
        figure = new_figure(5.0, 3.6)
        axes = figure.subplots()
        axes.set_title(title)
        for place, bits in enumerate(zip(*tuning.bits, strict=True)):
            axes.plot(
                tuning.qs,
                bits,
                color=SERIES[place % len(SERIES)],
                marker=MARKERS[place % len(MARKERS)],
                # With more lines than colours the second round is dashed.
                linestyle=_LINES[place // len(SERIES) % len(_LINES)],
                label=f"n = {place + 1}",
            )
        n, q, least = tuning.best
        axes.annotate(
            f"best: n = {n}, q = {q:g}, {least:.2f} bits", (q, least), (0, -14), textcoords="offset points", ha="center"
        )
        axes.set_xlabel("q, the weight of the next shorter history")
        axes.set_ylabel("cross-entropy, bits a character")
        axes.margins(y=0.12)
        light_grid(axes)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return figure
