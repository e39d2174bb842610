"""The plots of a choice: all variants, each sweep with its band, and where each point lies in the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator

from thresher.choosing.decisions import Decision, JudgedVariant, OrderedSweep
from thresher.reports.formatting import CUTOFF, MINUS, cutoff_label, fixed, plain, significant_digits
from thresher.reports.plot_style import (
    GAIN,
    INK,
    LOSS,
    SERIES,
    columns_of,
    cutoff_axis,
    light_grid,
    new_figure,
    of_series,
    place_labels,
    signed_ticks,
    star,
    style,
)

MOST_VERTICES = 300
"""Of a line: more would not be seen, and make the page large."""
MOST_MARKERS = 40
"""Of a line: with more points they would run into one."""
DEEPEST = 8.0
"""Margins below the baseline that a panel shows: how large a larger loss is matters little."""
CHOSEN = SERIES[2]
DASHES, DOTS = (0, (4, 3)), (0, (1.5, 1.5))


def thinned(count: int, keep: Sequence[int]) -> list[int]:
    """Return at most about `MOST_VERTICES` of `count` indices, ascending: those to keep, and others evenly spread."""
    if count <= MOST_VERTICES:
        return list(range(count))
    return sorted({*np.linspace(0, count - 1, MOST_VERTICES).round().astype(int).tolist(), *keep})


_LINES = ("-", DASHES, DOTS, "-.")
_PICK_MARKERS = ("D", "s", "^", "v")
_PICK: dict[str, Any] = {
    "color": CHOSEN,
    "markersize": 7,
    "markeredgecolor": INK,
    "markeredgewidth": 0.9,
    "linewidth": 0,
    "zorder": 5,
}


def overview_figure(decision: Decision) -> Figure:
    """Return index size against the mean for all variants: sweeps as lines, the front, the margin, and the picks.

    Of combinations the line is of the highest mean at no more than a size.

    It ends `DEEPEST` margins below the baseline, or below the lowest pick, at the latest.
    """
    with style():
        figure = new_figure(6.8, 5.0)
        axes = figure.subplots()
        lines = [
            *((sweep.name, sweep.variants) for sweep in decision.ordered_sweeps),
            *((f"{one.name}, best", one.frontier) for one in decision.combinations),
        ]
        for number, (name, variants) in enumerate(lines):
            shown = [variants[index] for index in thinned(len(variants), ())]
            axes.plot(
                *zip(*(_point(decision, variant) for variant in shown), strict=True),
                **of_series(number) | ({} if len(shown) <= MOST_MARKERS else {"marker": ""}),
                linewidth=1.0,
                linestyle=_LINES[number // len(SERIES) % len(_LINES)],
                markersize=3,
                alpha=0.8,
                label=plain(name),
            )
        singles = [_point(decision, variant) for variant in decision.singles]
        if singles:
            x, y = zip(*singles, strict=True)
            axes.plot(x, y, color=INK, marker="x", markersize=4, linewidth=0, alpha=0.8, label="without a sweep")
        front = [_point(decision, variant) for variant in decision.front]
        if front:
            x, y = zip(*front, strict=True)
            axes.step(x, y, where="post", color=INK, linewidth=0.9, alpha=0.9, label="Pareto front")
        draw_levels(axes, decision)
        axes.set_xlabel(f"index size ({decision.size_kind}), % of baseline (less is better)")
        axes.set_ylabel(f"{plain(decision.measure)} (more is better)")
        axes.margins(x=0.04)
        light_grid(axes)
        picked = _picked(decision)
        for (variant, rules), marker in zip(picked, _PICK_MARKERS, strict=False):
            x0, y0 = _point(decision, variant)
            name = f"{', '.join(rules)}: {plain(variant.name)}"
            axes.plot([x0], [y0], label=name, marker=marker, **_PICK)
        means = [variant.mean for variant in decision.variants]
        lowest = min([decision.baseline_mean, *(variant.mean for variant, _ in picked)])
        bottom = max(min(means), lowest - DEEPEST * decision.margin)
        top = max(decision.baseline_mean, *means)
        room = 0.08 * (top - bottom) or decision.margin
        axes.set_ylim(bottom - room, top + 1.5 * room)
        handles, labels = axes.get_legend_handles_labels()
        columns = columns_of(labels, 98)
        figure.set_figheight(3.9 + 0.19 * math.ceil(len(labels) / columns))
        figure.legend(handles, labels, loc="outside lower left", ncols=columns)
        texts = [(*_point(decision, variant), ", ".join(rules)) for variant, rules in picked]
        place_labels(figure, axes, texts, [*((x, y) for x, y, _ in texts), (100.0, decision.baseline_mean)])
    return figure


def draw_levels(axes: Axes, decision: Decision) -> None:
    """Draw the baseline and how far below it the margin ends."""
    level = decision.baseline_mean
    star(axes, 100, level)
    axes.axhline(level, color=INK, linewidth=0.7, linestyle=DASHES, alpha=0.7)
    label = f"baseline less the margin ({significant_digits(decision.margin)})"
    axes.axhline(level - decision.margin, color=LOSS, linewidth=1.0, linestyle=DOTS, label=label)


def _picked(decision: Decision) -> list[tuple[JudgedVariant, list[str]]]:
    """Return the picked variants with the rules that pick each, the recommended first."""
    return [(decision.by_name[name], rules) for name, rules in decision.rules_by_variant().items()]


def _point(decision: Decision, variant: JudgedVariant) -> tuple[float, float]:
    return 100 * decision.size_share(variant.size), variant.mean


_LEFT, _WHOLE = 0.04, 0.99  # of the baseline's size: cutoffs that leave less or more would only stretch the axis
_DECADES = 3.5  # that have room for three ticks each


def judged_sweep_figure(decision: Decision, sweep: OrderedSweep, others: Sequence[Decision]) -> Figure:
    """Return panels over the cutoffs of a sweep: the difference from the baseline with its band, other measures, index size.

    The first panel has the difference in the decision's measure, between the simultaneous bounds; lines at 0 and at minus the
    margin; the points on the Pareto front of all variants; the sweep's smallest non-inferior cutoff and the recommended
    one. It ends `DEEPEST` margins below 0 at the latest. The second panel has the other measures in % of the baseline, where
    there are any; the last one the size.

    Args:
        decision: by the main measure.
        sweep: one of its sweeps.
        others: decisions of the same retrieval model by other measures.
    """
    marked = {variant.name for variant in (*_on_front(sweep), *_chosen(decision, sweep))}
    kept = [index for index, variant in enumerate(sweep.variants) if variant.name in marked]
    drawn = thinned(len(sweep.variants), kept)
    variants = [sweep.variants[index] for index in drawn]
    cutoffs = [sweep.cutoffs[index] for index in drawn]
    ratios = _ratios(others, variants)
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
        _difference_panel(upper, decision, sweep, variants, cutoffs)
        if ratios:
            _ratio_panel(panels[1], ratios, cutoffs)
        sizes = [100 * decision.size_share(variant.size) for variant in variants]
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
    axes: Axes, decision: Decision, sweep: OrderedSweep, variants: Sequence[JudgedVariant], cutoffs: Sequence[float]
) -> None:
    lows, highs = [variant.test.low for variant in variants], [variant.test.high for variant in variants]
    axes.fill_between(cutoffs, lows, highs, color=GAIN, alpha=0.28, linewidth=0, label="band of all differences")
    axes.plot(
        cutoffs,
        [variant.test.difference for variant in variants],
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
    _points(axes, sweep, _on_front(sweep), "Pareto front", marker="o", markersize=3.5, markerfacecolor="none")
    smallest = [] if sweep.picks.smallest is None else [sweep.picks.smallest]
    _points(axes, sweep, smallest, "smallest non-inferior", marker="D", markersize=6, color=CHOSEN)
    _points(
        axes,
        sweep,
        [variant for variant in sweep.variants if variant == decision.recommended],
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
    signed_ticks(axes, 6)
    axes.set_ylabel(f"difference in\n{plain(decision.measure)}")


def _points(axes: Axes, sweep: OrderedSweep, variants: Sequence[JudgedVariant], label: str, **kind: Any) -> None:
    if variants:
        x = [sweep.cutoffs[sweep.variants.index(variant)] for variant in variants]
        y = [variant.test.difference for variant in variants]
        axes.add_line(Line2D(x, y, label=label, **{"color": INK, "linewidth": 0, "zorder": 4, **kind}))


def _ratio_panel(axes: Axes, ratios: Sequence[tuple[str, list[float]]], cutoffs: Sequence[float]) -> None:
    for number, (label, values) in enumerate(ratios):
        # The first colours are taken by the difference and the margin.
        axes.plot(cutoffs, values, color=SERIES[(number + 2) % len(SERIES)], linewidth=1.2, label=label)
    axes.axhline(100, color=INK, linewidth=0.9, linestyle=DASHES)
    axes.set_ylabel("others,\n% of baseline")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))


def _ratios(others: Sequence[Decision], variants: Sequence[JudgedVariant]) -> list[tuple[str, list[float]]]:
    """Return each other measure with its value at the baseline, and its means in % of that; without those that are 0 there."""
    ratios = []
    for other in others:
        if other.baseline_mean > 0:
            values = [100 * other.mean_share(other.by_name[variant.name]) for variant in variants]
            ratios.append((f"{plain(other.measure)} ({fixed(other.baseline_mean, 4)})", values))
    return ratios


def _frame_cutoffs(axes: Axes, decision: Decision, sweep: OrderedSweep, label: str) -> None:
    """Fit the axis to the cutoffs that leave something of the index, and take something, and to those that are marked."""
    if label != CUTOFF:
        cutoff_axis(axes, [], label)
        return
    shares = [decision.size_share(variant.size) for variant in sweep.variants]
    inside = [index for index, share in enumerate(shares) if _LEFT <= share <= _WHOLE]
    inside += [sweep.variants.index(variant) for variant in _chosen(decision, sweep)]
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


def _on_front(sweep: OrderedSweep) -> list[JudgedVariant]:
    return [variant for variant in sweep.variants if variant.on_front]


def _chosen(decision: Decision, sweep: OrderedSweep) -> list[JudgedVariant]:
    return [variant for variant in (sweep.picks.smallest, decision.recommended) if variant in sweep.variants]
