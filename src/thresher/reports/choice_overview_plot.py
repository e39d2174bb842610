"""All candidates of a choice in one plot: what they cost, what they find, and which the rules pick."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thresher.choosing.records import Decision
from thresher.reports.choice_lines import CHOSEN, DASHES, DEEPEST, DOTS, MOST_MARKERS, columns_of, thinned
from thresher.reports.choice_selection import singles_of, sweeps_of
from thresher.reports.choice_tables import relative_size
from thresher.reports.formatting import plain, significant_digits
from thresher.reports.labels import place_labels
from thresher.reports.plot_style import INK, LOSS, MARKERS, SERIES, light_grid, new_figure, style

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
