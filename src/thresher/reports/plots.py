"""The plots of a report: what a cutoff does, what an index saves, which topics gain and lose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from thresher.exploring.exploration import Exploration
from thresher.reports.formatting import cutoff_label, fixed, plain, signed
from thresher.reports.plot_style import (
    GAIN,
    INK,
    LOSS,
    columns_of,
    cutoff_axis,
    light_grid,
    new_figure,
    of_series,
    place_labels,
    signed_ticks,
    star,
    style,
    write_above,
)
from thresher.results.experiment_results import Results, VariantResult
from thresher.results.selection import (
    TopicDifference,
    baseline_row,
    compared_measures,
    direction,
    finalists,
    front_rows,
    main_measure,
    main_of,
    relative_bytes,
    relative_mean,
    score,
    spread,
    sweep_rows,
    sweeps,
    topic_differences,
    variant_rows,
)
from thresher.scorers.cleaners import BASELINE

MOST_BARS = 100
"""Above this many topics the bars become two areas: the same picture, and a file that stays small."""
_LEGEND_SIGNS = 58  # two columns of a legend fit into 5 inches with this many characters


def sweep_figure(results: Results, sweep: str, retrieval: str) -> Figure:
    """Return two panels over the cutoffs of a sweep: measures, and index size, both in % of the baseline.

    Filled markers are significant differences; the legend has the baseline's values. Measures that are not tested, or are 0
    at the baseline, are left out.
    """
    rows = sweep_rows(results, sweep, retrieval)
    baseline = baseline_row(results, retrieval)
    cutoffs = [row.cutoff or 0.0 for row in rows]
    label = cutoff_label(sweep)
    with style():
        figure = new_figure(5.0, 4.6)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
        upper.set_title(plain(sweep))
        for index, measure in enumerate(compared_measures(results)):
            _measure_line(upper, index, measure, rows, cutoffs, baseline)
        sizes = [100 * (relative_bytes(row) or math.nan) for row in rows]
        lower.plot(cutoffs, sizes, color=INK, marker="o", markersize=3.5)
        lower.set_ylim(bottom=0, top=max([105.0, *(1.05 * size for size in sizes if math.isfinite(size))]))
        upper.set_ylabel("measure,\n% of baseline")
        lower.set_ylabel("index size,\n% of baseline")
        lower.set_xlabel(label)
        for axes in (upper, lower):
            axes.axhline(100, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
            axes.yaxis.set_major_formatter(
                FuncFormatter(lambda value, _: fixed(value, 0 if value == int(value) else 1))
            )
            light_grid(axes)
            axes.margins(x=0.03)
        cutoff_axis(lower, cutoffs, label)
        figure.align_ylabels()
        handles, labels = upper.get_legend_handles_labels()
        handles += [
            Line2D([], [], color=INK, linewidth=0.9, linestyle=(0, (4, 3))),
            Line2D([], [], color=INK, linewidth=0, marker="o"),
        ]
        labels += ["baseline", "filled: significant"]
        figure.legend(handles, labels, loc="outside lower left", ncols=columns_of(labels, _LEGEND_SIGNS))
    return figure


def trade_off_figure(results: Results, retrieval: str, held_out: Results | None = None) -> Figure:
    """Return index size against the main measure for all variants, with the Pareto front drawn and labelled.

    The front holds the variants that no other one beats in both; at most eight of them are labelled, evenly
    spread, and a label that would cover another is left out.

    Args:
        results: whose front it is.
        retrieval: the retrieval model.
        held_out: the same variants on held-out topics, whose means are shown; without them those of `results`.
    """
    measure, shown = main_measure(results), held_out or results
    by_name = {row.variant: row for row in shown.rows if row.retrieval == retrieval}
    front = [by_name[row.variant] for row in front_rows(results, retrieval)]
    with style():
        figure = new_figure(6.2, 4.6)
        axes = figure.subplots()
        axes.set_title("held-out topics" if held_out else "")
        series: list[tuple[str, list[VariantResult]]] = [
            (name, list(sweep_rows(shown, name, retrieval))) for name in sweeps(shown)
        ]
        series.append(("single cleaners", [row for row in variant_rows(shown, retrieval) if row.sweep is None]))
        xs: list[float] = []
        ys: list[float] = []
        for index, (name, rows) in enumerate(series):
            points = [_point(row, measure) for row in rows if math.isfinite(score(row, measure))]
            if not points:
                continue
            x, y = [point[0] for point in points], [point[1] for point in points]
            axes.plot(x, y, **of_series(index), linewidth=0, alpha=0.85, label=plain(name))
            xs += x
            ys += y
        steps = [_point(row, measure) for row in front]
        line = axes.step(
            [x for x, _ in steps],
            [y for _, y in steps],
            where="post",
            color=INK,
            linewidth=1.1,
            label="Pareto front on the topics" if held_out else "Pareto front",
        )
        line[0].set_zorder(1.5)
        x0, y0 = _point(baseline_row(shown, retrieval), measure)
        star(axes, x0, y0)
        axes.axhline(y0, color=INK, linewidth=0.7, linestyle=(0, (4, 3)), alpha=0.7)
        axes.set_xlabel("index size, % of baseline (less is better)")
        axes.set_ylabel(f"{measure} (more is better)")
        axes.margins(x=0.06, y=0.1)
        light_grid(axes)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=3)
        chosen = [front[index] for index in spread(len(front), 8)]
        texts = [(*_point(row, measure), plain(row.variant)) for row in chosen]
        place_labels(figure, axes, texts, list(zip([*xs, x0], [*ys, y0], strict=True)))
    return figure


@dataclass(frozen=True)
class RowTopics:
    """A row and its differences to the baseline, topic by topic, in descending order."""

    row: VariantResult
    differences: tuple[TopicDifference, ...]


def common_scale(shown: Sequence[RowTopics]) -> tuple[float, float]:
    """Return the lowest and the highest difference of all rows, zero between them."""
    values = [item.difference for topics in shown for item in topics.differences]
    return min([0.0, *values]), max([0.0, *values])


def shown_topics(results: Results, retrieval: str) -> tuple[RowTopics, ...]:
    """Return the topics of the rows worth a look: the best of each sweep and singles, six rows at most."""
    measure = main_measure(results)
    topics = (RowTopics(row, topic_differences(results, row, measure)) for row in finalists(results, retrieval)[:6])
    return tuple(one for one in topics if one.differences)


def topics_figure(measure: str, shown: RowTopics, scale: tuple[float, float]) -> Figure:
    """Return one row's difference to the baseline per topic, sorted from gain to loss.

    Args:
        measure: the measure of the differences.
        shown: the row and its differences, in descending order.
        scale: the lowest and the highest difference to leave room for: the same for figures to be compared.
    """
    row, differences = shown.row, [item.difference for item in shown.differences]
    low, high = scale
    margin = 0.05 * (high - low) or 1.0
    with style():
        figure = new_figure(5.0, 2.7)
        axes = figure.subplots()
        axes.set_title(plain(row.variant), pad=17)
        positions = list(range(1, len(differences) + 1))
        gains, losses = [max(0.0, value) for value in differences], [min(0.0, value) for value in differences]
        if len(differences) <= MOST_BARS:
            axes.bar(positions, gains, color=GAIN, width=0.8)
            axes.bar(positions, losses, color=LOSS, width=0.8)
        else:
            axes.fill_between(positions, gains, step="mid", color=GAIN, linewidth=0)
            axes.fill_between(positions, losses, step="mid", color=LOSS, linewidth=0)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_ylim(low - margin, high + margin)
        signed_ticks(axes, 5)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        axes.set_xlim(0.2, len(differences) + 0.8)
        axes.set_xlabel("topics, from most gained to most lost")
        axes.set_ylabel(f"difference in\n{plain(measure)}")
        light_grid(axes)
        comparison = row.comparisons.get(measure)
        if comparison is not None:
            text = (
                f"mean {signed(comparison.difference, 4)}; {comparison.wins} won, {comparison.ties} tied, "
                f"{comparison.losses} lost"
            )
            write_above(axes, text)
    return figure


def explored_figure(exploration: Exploration, model: int) -> Figure:
    """Return postings of the index, in % of the baseline's, against the mean of the main measure for all variants.

    Args:
        exploration: what was explored.
        model: which of its retrieval models.
    """
    measure = main_of(exploration.measures)
    number = exploration.measures.index(measure)
    with style():
        figure = new_figure(6.2, 4.6)
        axes = figure.subplots()
        for index, rows in enumerate(exploration.variants(model)):
            x = [100.0 if row.postings_share is None else 100 * row.postings_share for row in rows]
            y = [row.means[number] for row in rows]
            if rows[0].sweep == BASELINE:
                star(axes, x[0], y[0], zorder=4)
                axes.axhline(y[0], color=INK, linewidth=0.7, linestyle=(0, (4, 3)), alpha=0.7)
                continue
            kind = of_series(index) | ({} if len(rows) < 2 else {"marker": ""})
            axes.plot(x, y, **kind, linewidth=1.1, label=plain(rows[0].sweep))
        axes.set_xlabel("postings of the index, % of baseline (less is better)")
        axes.set_ylabel(f"{plain(measure)} (more is better)")
        axes.margins(x=0.06, y=0.1)
        light_grid(axes)
        figure.legend(loc="outside lower left", ncols=3)
    return figure


def _measure_line(
    axes: Axes, index: int, measure: str, rows: tuple[VariantResult, ...], cutoffs: list[float], baseline: VariantResult
) -> None:
    before = baseline.measures.get(measure, math.nan)
    if not before > 0:
        return
    kind = of_series(index)
    ratios = [100 * relative_mean(row, baseline, measure) for row in rows]
    label = f"{plain(measure)} ({fixed(before, 4)})"
    axes.plot(cutoffs, ratios, **kind, label=label, markerfacecolor="none", markeredgewidth=1.1)
    significant = [direction(row.comparisons.get(measure)) != "none" for row in rows]
    x = [cutoff for cutoff, filled in zip(cutoffs, significant, strict=True) if filled]
    y = [ratio for ratio, filled in zip(ratios, significant, strict=True) if filled]
    if x:
        axes.plot(x, y, **kind, linewidth=0, markeredgewidth=1.1)


def _point(row: VariantResult, measure: str) -> tuple[float, float]:
    return 100 * (relative_bytes(row) or 0.0), row.measures.get(measure, math.nan)
