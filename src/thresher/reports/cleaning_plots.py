"""The plots of cleaning against gold texts: gains and losses by page, training, and predicted precision."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from thresher.cleaneval.learning import CurveSize, Spread
from thresher.cleaneval.reliability import Reliability
from thresher.evaluation.wilcoxon import TOLERANCE
from thresher.reports.formatting import fixed, plain, signed
from thresher.reports.plot_style import (
    GAIN,
    INK,
    LOSS,
    MARKERS,
    SERIES,
    cutoff_axis,
    light_grid,
    new_figure,
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
            f"mean {fixed(reliable.mean_precision_chosen, 3)} of the chosen, {fixed(reliable.mean_precision_all, 3)} of all; "
            f"residual standard error {fixed(found.model.residual_error, 3)}"
        )
        axes.text(0, 1.03, text, transform=axes.transAxes, ha="left", va="bottom", fontsize=8)
        legend_below(figure, axes)
    return figure


def legend_below(figure: Figure, axes: Axes) -> None:
    """Write the legend of `axes` below them, in as many columns as there is room for."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels)) + 6
    figure.legend(handles, labels, loc="outside lower left", ncols=max(1, min(len(labels), _LEGEND_SIGNS // longest)))
