"""The curves of a choice: what each cutoff of a scorer loses, with its band, and what it saves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from thresher.choosing.records import Decision
from thresher.reports.choice_lines import CHOSEN, DASHES, DEEPEST, DOTS, MOST_MARKERS, columns_of, thinned
from thresher.reports.choice_selection import Sweep
from thresher.reports.choice_tables import relative_size
from thresher.reports.formatting import CUTOFF, MINUS, cutoff_label, fixed, plain, significant_digits
from thresher.reports.plot_style import GAIN, INK, LOSS, SERIES, cutoff_axis, light_grid, new_figure, style

_LEFT, _WHOLE = 0.04, 0.99  # of the baseline's size: cutoffs that leave less or more would only stretch the axis
_DECADES = 3.5  # that have room for three ticks each


def curve_figure(decision: Decision, sweep: Sweep, others: Sequence[Decision]) -> Figure:
    """Return panels over the cutoffs of a scorer: the difference from the baseline with its band, other measures, index size.

    The first panel has the difference in the decision's measure, between the simultaneous bounds; lines at 0 and at minus the
    margin; the points on the Pareto front of all candidates; the scorer's smallest non-inferior cutoff and the recommended
    one. It ends `DEEPEST` margins below 0 at the latest. The second panel has the other measures in % of the baseline, where
    there are any; the last one the size.

    Args:
        decision: by the main measure.
        sweep: one of its scorers.
        others: decisions of the same retrieval model by other measures.
    """
    drawn = thinned(len(sweep.places), [sweep.places.index(place) for place in _marked(decision, sweep)])
    places = [sweep.places[index] for index in drawn]
    cutoffs = [sweep.cutoffs[index] for index in drawn]
    ratios = _ratios(others, places)
    label = cutoff_label(sweep.name)
    with style():
        figure = new_figure(5.0, 6.0 if ratios else 4.6)
        panels = figure.subplots(
            3 if ratios else 2, 1, sharex=True, height_ratios=[5, 2.5, 2.5] if ratios else [5, 2.5]
        )
        upper, lower = panels[0], panels[-1]
        upper.set_title(plain(sweep.name))
        for axes in panels:
            axes.margins(x=0.03)
            light_grid(axes)
        _difference_panel(upper, decision, sweep, places, cutoffs)
        if ratios:
            _ratio_panel(panels[1], ratios, cutoffs)
        sizes = [100 * relative_size(decision, place) for place in places]
        lower.plot(cutoffs, sizes, color=INK)
        lower.axhline(100, color=INK, linewidth=0.9, linestyle=DASHES)
        lower.set_ylim(0, max([105.0, *(1.05 * size for size in sizes)]))
        lower.set_ylabel("index size,\n% of baseline")
        lower.set_xlabel(label)
        _frame_cutoffs(lower, decision, sweep, label)
        figure.align_ylabels()
        handles, labels = upper.get_legend_handles_labels()
        if ratios:
            more, names = panels[1].get_legend_handles_labels()
            handles, labels = handles + more, labels + names
        figure.legend(handles, labels, loc="outside lower left", ncols=columns_of(labels, 62))
    return figure


def _difference_panel(
    axes: Axes, decision: Decision, sweep: Sweep, places: Sequence[int], cutoffs: Sequence[float]
) -> None:
    verdicts = [decision.verdicts[place] for place in places]
    lows, highs = [verdict.low for verdict in verdicts], [verdict.high for verdict in verdicts]
    axes.fill_between(cutoffs, lows, highs, color=GAIN, alpha=0.28, linewidth=0, label="band of all differences")
    axes.plot(
        cutoffs,
        [verdict.difference for verdict in verdicts],
        color=GAIN,
        marker="." if len(cutoffs) <= MOST_MARKERS else None,
        label="difference",
        zorder=3,
    )
    axes.axhline(0, color=INK, linewidth=0.9, linestyle=DASHES, label=f"baseline ({fixed(decision.baseline_mean, 4)})")
    axes.axhline(
        -decision.margin,
        color=LOSS,
        linewidth=1.1,
        linestyle=DOTS,
        label=f"margin ({MINUS}{significant_digits(decision.margin)})",
    )
    front = [place for place in decision.front if place in sweep.places]
    _points(axes, decision, sweep, front, "Pareto front", marker="o", markersize=3.5, markerfacecolor="none")
    smallest = [] if sweep.pick.smallest is None else [sweep.pick.smallest]
    _points(axes, decision, sweep, smallest, "smallest non-inferior", marker="D", markersize=6, color=CHOSEN)
    _points(
        axes,
        decision,
        sweep,
        [place for place in sweep.places if place == decision.recommended],
        "recommended",
        marker="o",
        markersize=12,
        markerfacecolor="none",
        markeredgecolor=CHOSEN,
        markeredgewidth=1.6,
    )
    bottom, top = min([*lows, -decision.margin]), max([*highs, 0.0])
    bottom = max(bottom, -DEEPEST * decision.margin)
    room = 0.05 * (top - bottom)
    axes.set_ylim(bottom - room, top + room)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _signed_tick(value)))
    axes.set_ylabel(f"difference in\n{plain(decision.measure)}")


def _points(axes: Axes, decision: Decision, sweep: Sweep, places: Sequence[int], label: str, **kind: Any) -> None:
    if places:
        x = [sweep.cutoffs[sweep.places.index(place)] for place in places]
        y = [decision.verdicts[place].difference for place in places]
        axes.add_line(Line2D(x, y, label=label, **{"color": INK, "linewidth": 0, "zorder": 4, **kind}))


def _ratio_panel(axes: Axes, ratios: Sequence[tuple[str, list[float]]], cutoffs: Sequence[float]) -> None:
    for number, (label, values) in enumerate(ratios):
        # The first colours are taken by the difference and the margin.
        axes.plot(cutoffs, values, color=SERIES[(number + 2) % len(SERIES)], linewidth=1.2, label=label)
    axes.axhline(100, color=INK, linewidth=0.9, linestyle=DASHES)
    axes.set_ylabel("others,\n% of baseline")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))


def _ratios(others: Sequence[Decision], places: Sequence[int]) -> list[tuple[str, list[float]]]:
    """Return each other measure with its value at the baseline, and its means in % of that; without those that are 0 there."""
    found = []
    for other in others:
        if other.baseline_mean > 0:
            values = [100 * other.means[place] / other.baseline_mean for place in places]
            found.append((f"{plain(other.measure)} ({fixed(other.baseline_mean, 4)})", values))
    return found


def _frame_cutoffs(axes: Axes, decision: Decision, sweep: Sweep, label: str) -> None:
    """Fit the axis to the cutoffs that leave something of the index, and take something, and to those that are marked."""
    if label != CUTOFF:
        # Percentiles are even steps of the text, however small the first is.
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8))
        return
    shares = [relative_size(decision, place) for place in sweep.places]
    inside = [index for index, share in enumerate(shares) if _LEFT <= share <= _WHOLE]
    inside += [sweep.places.index(place) for place in _chosen(decision, sweep)]
    # The neighbours, so that the curve is seen to reach both ends.
    first, last = (max(0, min(inside) - 1), max(inside) + 1) if inside else (0, len(shares))
    shown = list(sweep.cutoffs[first : last + 1])
    cutoff_axis(axes, shown)
    if len(set(shown)) > 1:
        log = axes.get_xscale() == "log"
        low, high = (math.log(shown[0]), math.log(shown[-1])) if log else (shown[0], shown[-1])
        room = 0.03 * (high - low)
        low, high = low - room, high + room
        if log and high - low > _DECADES * math.log(10):
            axes.xaxis.set_major_locator(LogLocator())
        axes.set_xlim((math.exp(low), math.exp(high)) if log else (low, high))


def _marked(decision: Decision, sweep: Sweep) -> list[int]:
    return [place for place in decision.front if place in sweep.places] + _chosen(decision, sweep)


def _chosen(decision: Decision, sweep: Sweep) -> list[int]:
    found = (sweep.pick.smallest, decision.recommended)
    return [place for place in found if place is not None and place in sweep.places]


def _signed_tick(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:+.4g}".replace("-", MINUS)
