"""The plots of a choice: all candidates, the curve of each scorer with its band, and where each point lies in the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from thresher.choosing.records import Decision
from thresher.reports.choice_selection import Sweep, singles_of, sweeps_of
from thresher.reports.choice_tables import relative_size
from thresher.reports.formatting import CUTOFF, MINUS, cutoff_label, fixed, plain, significant_digits
from thresher.reports.html_parts import Picture, picture
from thresher.reports.plot_style import (
    GAIN,
    INK,
    LOSS,
    MARKERS,
    SERIES,
    Frame,
    cutoff_axis,
    frame_of,
    light_grid,
    new_figure,
    place_labels,
    style,
    svg_places,
    svg_size,
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


def columns_of(labels: Sequence[str], signs: int) -> int:
    """Return two columns of a legend where they are no wider than so many characters."""
    half = (len(labels) + 1) // 2
    return 2 if max(map(len, labels[:half])) + max(map(len, labels[half:])) <= signs else 1


_LINES = ("-", DASHES, DOTS)
_PICK_MARKERS = ("D", "s", "^")
_PICK: dict[str, Any] = {
    "color": CHOSEN,
    "markersize": 7,
    "markeredgecolor": INK,
    "markeredgewidth": 0.9,
    "linewidth": 0,
    "zorder": 5,
}


def candidates_figure(decision: Decision) -> Figure:
    """Return index size against the mean for all candidates: scorers as lines, the front, the margin, and the picks.

    It ends `DEEPEST` margins below the baseline, or below the lowest pick, at the latest.
    """
    with style():
        figure = new_figure(6.8, 5.0)
        axes = figure.subplots()
        for number, sweep in enumerate(sweeps_of(decision)):
            places = [sweep.places[index] for index in thinned(len(sweep.places), ())]
            axes.plot(
                *zip(*(_point(decision, place) for place in places), strict=True),
                color=SERIES[number % len(SERIES)],
                linewidth=1.0,
                linestyle=_LINES[number // len(SERIES) % len(_LINES)],
                marker=MARKERS[number % len(MARKERS)] if len(places) <= MOST_MARKERS else None,
                markersize=3,
                alpha=0.8,
                label=plain(sweep.name),
            )
        singles = [_point(decision, place) for place in singles_of(decision)]
        if singles:
            x, y = zip(*singles, strict=True)
            axes.plot(x, y, color=INK, marker="x", markersize=4, linewidth=0, alpha=0.8, label="without a sweep")
        front = sorted(_point(decision, place) for place in decision.front)
        if front:
            x, y = zip(*front, strict=True)
            axes.step(x, y, where="post", color=INK, linewidth=0.9, alpha=0.9, label="Pareto front")
        _levels(axes, decision)
        axes.set_xlabel(f"index size ({decision.size_kind}), % of baseline (less is better)")
        axes.set_ylabel(f"{plain(decision.measure)} (more is better)")
        axes.margins(x=0.04)
        light_grid(axes)
        picked = _picked(decision)
        for (place, rules), marker in zip(picked.items(), _PICK_MARKERS, strict=False):
            x0, y0 = _point(decision, place)
            name = f"{', '.join(rules)}: {plain(decision.candidates[place].name)}"
            axes.plot([x0], [y0], label=name, marker=marker, **_PICK)
        lowest = min([decision.baseline_mean, *(decision.means[place] for place in picked)])
        bottom = max(min(decision.means), lowest - DEEPEST * decision.margin)
        top = max(decision.baseline_mean, *decision.means)
        room = 0.08 * (top - bottom) or decision.margin
        axes.set_ylim(bottom - room, top + 1.5 * room)
        handles, labels = axes.get_legend_handles_labels()
        columns = columns_of(labels, 98)
        figure.set_figheight(3.9 + 0.19 * math.ceil(len(labels) / columns))
        figure.legend(handles, labels, loc="outside lower left", ncols=columns)
        texts = [(*_point(decision, place), ", ".join(rules)) for place, rules in picked.items()]
        place_labels(figure, axes, texts, [*((x, y) for x, y, _ in texts), (100.0, decision.baseline_mean)])
    return figure


def _levels(axes: Axes, decision: Decision) -> None:
    """Draw the baseline and how far below it the margin ends."""
    level = decision.baseline_mean
    axes.plot([100], [level], color=INK, marker="*", markersize=10, linewidth=0, label="baseline")
    axes.axhline(level, color=INK, linewidth=0.7, linestyle=DASHES, alpha=0.7)
    label = f"baseline less the margin ({significant_digits(decision.margin)})"
    axes.axhline(level - decision.margin, color=LOSS, linewidth=1.0, linestyle=DOTS, label=label)


def _picked(decision: Decision) -> dict[int, list[str]]:
    """Return the rules by the places they pick, the recommended first."""
    found: dict[int, list[str]] = {}
    for pick in decision.picks:
        if pick.place is not None:
            found.setdefault(pick.place, []).append(pick.rule.value)
    return found


def _point(decision: Decision, place: int) -> tuple[float, float]:
    return 100 * relative_size(decision, place), decision.means[place]


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


Place = tuple[float, float]


@dataclass(frozen=True)
class Drawn:
    """A plot on the page: `id` of what it draws, its `size`, the `frame` of its panels together, and the `dots` of each
    candidate by its place in the decision, one a panel that shows it; all in units of its viewBox.
    """

    picture: Picture
    id: str
    size: tuple[float, float]
    frame: Frame
    dots: Mapping[int, tuple[Place, ...]]


def drawn_curve(decision: Decision, sweep: Sweep, others: Sequence[Decision], name: str) -> Drawn:
    """Draw a scorer's curve (see `curve_figure`); `name` makes its ids unique."""
    figure = curve_figure(decision, sweep, others)
    shown = picture(
        figure,
        name,
        f"{decision.measure} and index size by cutoff of {sweep.name}",
    )
    cutoffs = list(sweep.cutoffs)
    differences = [decision.verdicts[place].difference for place in sweep.places]
    sizes = [100 * relative_size(decision, place) for place in sweep.places]
    upper = svg_places(figure, figure.axes[0], cutoffs, differences)
    lower = svg_places(figure, figure.axes[-1], cutoffs, sizes)
    return _drawn(figure, shown, name, dict(zip(sweep.places, zip(upper, lower, strict=True), strict=True)))


def drawn_candidates(decision: Decision, name: str) -> Drawn:
    """Draw all candidates (see `candidates_figure`); `name` makes its ids unique."""
    figure = candidates_figure(decision)
    shown = picture(
        figure,
        name,
        f"Index size against {decision.measure} of all candidates",
        f"{decision.retrieval}: index size against {decision.measure} of all {len(decision.candidates)} candidates. On the "
        "front: those that neither another one nor the baseline beats in both.",
    )
    places = range(len(decision.candidates))
    sizes = [100 * relative_size(decision, place) for place in places]
    dots = svg_places(figure, figure.axes[0], sizes, decision.means)
    return _drawn(figure, shown, name, {place: (dot,) for place, dot in zip(places, dots, strict=True)})


def _drawn(figure: Figure, shown: Picture, name: str, dots: Mapping[int, tuple[Place, ...]]) -> Drawn:
    first, last = (frame_of(figure, figure.axes[end]) for end in (0, -1))
    frame = Frame(first.left, first.top, last.right, last.bottom)
    return Drawn(shown, f"{name}-figure_1", svg_size(figure), frame, dots)
