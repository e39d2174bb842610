"""The plots of a finished experiment as files for papers; their data are the CSV files beside `report.html`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import AbstractPathEffect, withStroke
from numpy.typing import NDArray

from thresher.choosing.choices import Choice
from thresher.choosing.decisions import Combination, Decision, JudgedVariant
from thresher.choosing.same_size import SHARES
from thresher.pruning_methods.treatments import BAR, Family
from thresher.reports.choice_plots import DASHES, DEEPEST, DOTS, draw_levels, judged_sweep_figure, overview_figure
from thresher.reports.formatting import percent_text, plain, short_number
from thresher.reports.plot_style import MARKERS, SERIES, cutoff_axis, light_grid, new_figure, style, write_plot
from thresher.reports.plots import common_scale, shown_topics, sweep_figure, topics_figure, trade_off_figure
from thresher.results.experiment_results import Results
from thresher.results.selection import main_measure, retrievals, sweep_rows, sweeps

_LINES = {Family.CLEANERS: "-", Family.PRUNING: DASHES, Family.COMBINATIONS: DOTS}
_MOST_MARKERS = 40
_WHOLE = 105.0
"""Of the baseline's size, in %, where the axis ends."""


def frontier_figure(decision: Decision) -> Figure:
    """Return index size against the best mean at no more than that size: a line for each family.

    It ends `DEEPEST` margins below the baseline at the latest, and at the baseline's size.
    """
    with style():
        figure = new_figure(6.8, 4.4)
        axes = figure.subplots()
        means = []
        for number, family in enumerate(Family):
            points = decision.frontiers.get(family, ())
            if not points:
                continue
            x = [100 * decision.size_share(point.size) for point in points]
            y = [point.mean for point in points]
            means += y
            axes.step(
                [*x, max(x[-1], 100.0)],
                [*y, y[-1]],
                where="post",
                color=SERIES[number],
                linestyle=_LINES[family],
                linewidth=1.8,
                marker=MARKERS[number] if len(points) <= _MOST_MARKERS else None,
                markersize=3.5,
                markevery=range(len(points)),
                label=family.value,
            )
        draw_levels(axes, decision)
        axes.set_xlim(0, _WHOLE)
        axes.set_xticks([0, *(100 * share for share in reversed(SHARES)), 100])
        axes.set_xticklabels([f"{tick:g}" for tick in axes.get_xticks()])
        bottom = max(min(means), decision.baseline_mean - DEEPEST * decision.margin)
        top = max(decision.baseline_mean, *means)
        room = 0.06 * (top - bottom) or decision.margin
        axes.set_ylim(bottom - room, top + room)
        axes.set_xlabel(f"index size ({decision.size_kind}), % of baseline (less is better)")
        axes.set_ylabel(f"{plain(decision.measure)} (more is better)")
        light_grid(axes)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=3)
    return figure


_COLOURS = matplotlib.colormaps["cividis"].resampled(24)
"""Reads the same for everyone; in steps, so that its scale is not a picture of its own."""
_ON_CELLS, _HALO = "#000000", "#ffffff"


def combination_figure(decision: Decision, combination: Combination) -> Figure:
    """Return the mean by both cutoffs of a combination, as colours: rows are the scorer's cutoffs, columns the method's.

    Lines are at the baseline less the margin, and at the same index size. Colours end `DEEPEST` margins below the baseline.
    """
    variants = [decision.by_name[variant.name] for variant in combination.variants]
    rows = _rows(variants)
    scorer, _, method = combination.name.partition(BAR)
    means = [variant.mean for variant in variants]
    lowest = max(min(means), decision.baseline_mean - DEEPEST * decision.margin)
    scale = Normalize(lowest, max(*means, lowest + 1e-9))
    with style():
        figure = new_figure(5.4, 4.6)
        axes = figure.subplots()
        axes.set_title(plain(combination.name))
        cutoff_axis(axes, sorted({variant.cutoff or 0.0 for variant in variants}))
        cells = PolyCollection(
            [cell for number, row in enumerate(rows) for cell in _cells(number, _x(row), axes.get_xscale() == "log")],
            array=np.array([variant.mean for row in rows for variant in row]),
            cmap=_COLOURS,
            norm=scale,
            edgecolors="face",
            linewidths=0.6,
        )
        axes.add_collection(cells)
        axes.autoscale_view()
        axes.margins(0)
        axes.set_yticks(range(len(rows)), [short_number(row[0].cleaner_cutoff or 0.0) for row in rows])
        axes.set_xlabel(f"cutoff of {plain(method)}")
        axes.set_ylabel(f"cutoff of {plain(scorer)}")
        bar = figure.colorbar(cells, ax=axes, extend="min" if lowest > min(means) else "neither")
        bar.set_label(plain(decision.measure))
        handles = [*_contours(axes, decision, rows), *_marked(axes, decision, combination, rows)]
        figure.legend(handles=handles, loc="outside lower left", ncols=2)
    return figure


def _cleaner_cutoffs(variants: Sequence[JudgedVariant]) -> list[float]:
    return sorted({variant.cleaner_cutoff or 0.0 for variant in variants})


def _rows(variants: Sequence[JudgedVariant]) -> list[list[JudgedVariant]]:
    """Return the variants by cutoff of the scorer, each row by cutoff of the pruning method, both ascending."""
    return [
        sorted((one for one in variants if one.cleaner_cutoff == cutoff), key=lambda one: one.cutoff or 0.0)
        for cutoff in _cleaner_cutoffs(variants)
    ]


def _x(row: Sequence[JudgedVariant]) -> NDArray[np.float64]:
    return np.array([variant.cutoff for variant in row], dtype=np.float64)


def _cells(number: int, x: NDArray[np.float64], log: bool) -> list[list[tuple[float, float]]]:
    """Return the corners of the cells of a row: each reaches half-way to its neighbours."""
    at = np.log(x) if log else x
    middles = (at[:-1] + at[1:]) / 2
    half = (at[1] - at[0]) / 2 if len(at) > 1 else 0.05, (at[-1] - at[-2]) / 2 if len(at) > 1 else 0.05
    edges = np.concatenate(([at[0] - half[0]], middles, [at[-1] + half[1]]))
    edges = np.exp(edges) if log else edges
    low, high = number - 0.5, number + 0.5
    return [
        [(left, low), (right, low), (right, high), (left, high)]
        for left, right in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]


def _contours(axes: Axes, decision: Decision, rows: Sequence[Sequence[JudgedVariant]]) -> list[Line2D]:
    """Draw the lines of equal size and of the margin, between rows by straight lines; return what the legend shows."""
    x = np.unique(np.concatenate([_x(row) for row in rows]))
    if len(rows) < 2 or len(x) < 2:
        return []

    def grid(values: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        known = zip(rows, values, strict=True)
        return np.array([np.interp(x, _x(row), of_row, left=np.nan, right=np.nan) for row, of_row in known])

    sizes = grid([[100 * decision.size_share(variant.size) for variant in row] for row in rows])
    means = grid([[variant.mean for variant in row] for row in rows])
    handles = []
    halo: list[AbstractPathEffect] = [withStroke(linewidth=2.2, foreground=_HALO)]
    lines: tuple[tuple[NDArray[np.float64], list[float], Any, str], ...] = (
        (sizes, [100 * share for share in reversed(SHARES)], DOTS, "same index size, % of baseline"),
        (means, [decision.baseline_mean - decision.margin], "-", "baseline less the margin"),
    )
    for values, levels, line, label in lines:
        inside = [level for level in levels if np.nanmin(values) < level < np.nanmax(values)]
        if not inside:
            continue
        drawn = axes.contour(
            x, np.arange(len(rows)), values, levels=inside, colors=_ON_CELLS, linewidths=1.2, linestyles=[line]
        )
        drawn.set_path_effects(halo)
        if values is sizes:
            for text in axes.clabel(drawn, fmt=lambda level: percent_text(level / 100), fontsize=7):
                text.set_path_effects(halo)
        handles.append(Line2D([], [], color=_ON_CELLS, linestyle=line, linewidth=1.2, path_effects=halo, label=label))
    return handles


def _marked(
    axes: Axes, decision: Decision, combination: Combination, rows: Sequence[Sequence[JudgedVariant]]
) -> list[Line2D]:
    """Mark the highest mean, and the smallest non-inferior by the decision's measure."""
    picks = next(picks for picks in decision.sweeps if picks.sweep == combination.name)
    positions = {variant.name: number for number, row in enumerate(rows) for variant in row}
    handles = []
    for variant, label, marker in (
        (picks.highest, "highest mean", "^"),
        (picks.smallest, "smallest non-inferior", "D"),
    ):
        if variant is None:
            continue
        (point,) = axes.plot(
            [variant.cutoff or 0.0],
            [positions[variant.name]],
            marker=marker,
            color=_ON_CELLS,
            markersize=7,
            markeredgecolor=_HALO,
            linewidth=0,
            label=label,
        )
        handles.append(point)
    return handles


def write_paper_plots(
    results: Results | None, choice: Choice | None, folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Write every plot in each format (`svg`, `pdf`, `png`), whole or not at all; return the files.

    Raises:
        InputError: if the results hold no measure, or a file cannot be written.
    """
    written = []
    for name, figure in _plots(results, choice):
        for ending in formats:
            path = folder / f"{name}.{ending}"
            write_plot(figure, path)
            written.append(path)
    return written


def _plots(results: Results | None, choice: Choice | None) -> Iterator[tuple[str, Figure]]:
    for retrieval in retrievals(results) if results else ():
        assert results is not None
        measure, shown = main_measure(results), shown_topics(results, retrieval)
        yield _stem("runs", retrieval), trade_off_figure(results, retrieval)
        if results.held_out:
            yield _stem("runs", retrieval, "held-out"), trade_off_figure(results, retrieval, results.held_out)
        for sweep in sweeps(results):
            if sweep_rows(results, sweep, retrieval):
                yield _stem("sweep", retrieval, sweep), sweep_figure(results, sweep, retrieval)
        scale = common_scale(shown)
        for topics in shown:
            yield _stem("topics", retrieval, topics.row.variant), topics_figure(measure, topics, scale)
    for one in choice.models if choice else ():
        main = one.main
        yield _stem("cutoffs", main.retrieval), overview_figure(main)
        for ordered in main.ordered_sweeps:
            figure = judged_sweep_figure(main, ordered, one.others)
            yield _stem("cutoffs", main.retrieval, ordered.name), figure
        for combination in main.combinations:
            yield _stem("cutoffs", main.retrieval, combination.name), combination_figure(main, combination)
    for found in choice.same_size if choice else ():
        assert choice is not None
        figure = frontier_figure(choice.decision_of(found))
        yield _stem("same-size", found.retrieval, found.measure), figure


def _stem(*parts: str) -> str:
    """Return names as the stem of a file name; characters with a meaning to file systems or shells become hyphens."""
    return "-".join(re.sub(r"[^\w.@=]+", "-", part).strip("-") for part in parts)
