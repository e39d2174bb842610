"""A study of blocks as plots: Figures 1 and 3 to 6 of Kohlschütter et al. (2010) in form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch

from thresher.cleaneval.gold import CLASSES
from thresher.reports.formatting import fixed, plain
from thresher.reports.plot_style import INK, LOSS, SERIES, legend_below, light_grid, new_figure, style
from thresher.studying.block_study import BlockStudy, FeatureGain, HistogramBin, TypeRow
from thresher.studying.word_distribution import one_state, two_states

_GAINS = 30
_MOST_WORDS, _MOST_DENSITY = 60, 22
_HATCHES = ("", "///", "\\\\\\", "...", "xxx", "++")


def gains_figure(study: BlockStudy, problem: str) -> Figure:
    """Return the features of most information gain, by words and by blocks (Figure 1)."""
    gains = [gain for gain in study.gains if gain.problem == problem][:_GAINS][::-1]
    with style():
        figure = new_figure(6.2, 0.8 + 0.19 * len(gains))
        axes = figure.subplots()
        axes.set_title(plain(f"{study.name}: information about {problem} classes"))
        positions = np.arange(len(gains))
        axes.barh(positions, [gain.by_words for gain in gains], color=SERIES[0], height=0.7, label="by words")
        axes.plot(
            [gain.by_blocks for gain in gains], positions, color=SERIES[1], marker="s", linewidth=0, label="by blocks"
        )
        axes.set_yticks(positions, [_feature(gain) for gain in gains])
        axes.set_xlabel("information gain, bits")
        axes.margins(y=0.01)
        legend_below(figure, axes)
    return figure


def _feature(gain: FeatureGain) -> str:
    side, _, name = gain.feature.partition("_")
    signs = {"previous": "(P)", "next": "(N)"}
    shown = f"{name} {signs[side]}" if side in signs else f"{gain.feature} (C)"
    return shown.replace("_", " ")


def words_figure(study: BlockStudy) -> Figure:
    """Return the share of blocks by number of words and class, with both fits (Figure 4)."""
    row = study.types[0]
    bins = [one for one in study.histogram if one.feature == "words" and one.value > 0]
    words = np.arange(1, _MOST_WORDS + 1, dtype=np.float64)
    with style():
        figure = new_figure(6.2, 3.8)
        axes = figure.subplots()
        axes.set_title(plain(f"{study.name}: blocks by number of words"))
        _stack(axes, bins, range(1, _MOST_WORDS + 1), lambda one: 100 * one.share)
        for model, fit, line, name in (
            (one_state, row.one, "--", "one state (Eq. 2)"),
            (two_states, row.two, "-", "two states (Eq. 3)"),
        ):
            label = f"{name}, R² {fixed(fit.r2, 3)}"
            axes.plot(words, 100 * model(np.array(fit.parameters), words), color=INK, linestyle=line, label=label)
        axes.set_xlabel("words of the block")
        axes.set_ylabel("% of the blocks with words")
        axes.set_yscale("symlog", linthresh=1)
        axes.set_yticks([0, 0.5, 1, 2, 5, 10, 20, 40], ["0", "0.5", "1", "2", "5", "10", "20", "40"])
        light_grid(axes)
        legend_below(figure, axes)
    return figure


def density_figure(study: BlockStudy) -> Figure:
    """Return the words by text density and class, and the linked ones (Figures 3 and 5)."""
    bins = [one for one in study.histogram if one.feature == "density"]
    values = range(_MOST_DENSITY + 1)
    with style():
        figure = new_figure(6.2, 3.8)
        axes = figure.subplots()
        axes.set_title(plain(f"{study.name}: words by text density"))
        _stack(axes, bins, values, lambda one: one.words / 1000)
        linked = [study.linked_words(value) / 1000 for value in values]
        axes.plot([*values], linked, color=INK, linestyle=":", marker="o", markersize=3, label="linked text")
        axes.axvline(10.5, color=LOSS, linewidth=0.8)
        axes.set_xlabel("text density of the block, rounded; the line is at 10.5")
        axes.set_ylabel("thousand words")
        light_grid(axes)
        legend_below(figure, axes)
    return figure


def _stack(axes: Axes, bins: list[HistogramBin], values: range, height: Callable[[HistogramBin], float]) -> None:
    """Draw stacked bars of classes."""
    below = np.zeros(len(values))
    for position, name in enumerate(CLASSES):
        sums = np.zeros(len(values))
        for one in bins:
            if one.name == name and one.value in values:
                sums[one.value - values.start] += height(one)
        if sums.any():
            axes.bar([*values], sums, bottom=below, width=0.85, color=SERIES[position], hatch=_HATCHES[position], label=name,
                     edgecolor="white", linewidth=0)  # fmt: skip
            below += sums


def writers_figure(row: TypeRow) -> Figure:
    """Return the random writers with their fitted probabilities (Figure 6)."""
    (end,) = row.one.parameters
    short, short_end, long_end = row.two.parameters
    with style():
        figure = new_figure(6.2, 2.7)
        simple, mixed = figure.subplots(1, 2, width_ratios=(2, 3))
        _states(simple, "one state", {"T": (0.0, 0.8), "N": (0.0, -0.8)})
        _arrow(simple, (0.0, 0.8), (0.0, -0.8), f"{end:.4f}", 0.35)
        _arrow(simple, (0.0, -0.8), (0.0, 0.8), "1", 0.35)
        _loop(simple, (0.0, 0.8), f"{1 - end:.4f}")
        _states(mixed, "two states", {"S": (-1.8, 0.8), "L": (1.8, 0.8), "N": (0.0, -0.8)})
        for at, leave, enter in (((-1.8, 0.8), short_end, short), ((1.8, 0.8), long_end, 1 - short)):
            _arrow(mixed, at, (0.0, -0.8), f"{leave:.4f}", 0.25)
            _arrow(mixed, (0.0, -0.8), at, f"{enter:.4f}", 0.25)
            _loop(mixed, at, f"{1 - leave:.4f}")
    return figure


_RADIUS = 0.28


def _states(axes: Axes, title: str, states: dict[str, tuple[float, float]]) -> None:
    axes.set_title(title)
    axes.set_axis_off()
    axes.set_aspect("equal")
    width = max(abs(x) for x, _ in states.values()) + 0.9
    axes.set_xlim(-width, width)
    axes.set_ylim(-1.3, 1.9)
    for name, position in states.items():
        axes.add_patch(Circle(position, _RADIUS, facecolor="white", edgecolor=INK))
        axes.text(*position, name, ha="center", va="center")


def _arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float], text: str, bend: float) -> None:
    """Draw a curved arrow between two states, its text beside its middle."""
    first, last = np.array(begin), np.array(end)
    along = (last - first) / np.linalg.norm(last - first)
    aside = np.array((along[1], -along[0]))
    style_of = f"arc3,rad={bend}"
    first, last = first + _RADIUS * along, last - _RADIUS * along
    axes.add_patch(
        FancyArrowPatch(
            tuple(first), tuple(last), connectionstyle=style_of, arrowstyle="-|>", mutation_scale=8, color=INK
        )
    )
    x, y = (first + last) / 2 + aside * (bend * np.linalg.norm(last - first) / 2 + 0.05)
    axes.text(x, y, text, ha="left" if aside[0] > 0 else "right", va="center", fontsize=7.5)


def _loop(axes: Axes, at: tuple[float, float], text: str) -> None:
    x, y = at
    axes.add_patch(
        FancyArrowPatch(
            (x - 0.16, y + _RADIUS - 0.04), (x + 0.16, y + _RADIUS - 0.04), connectionstyle="arc3,rad=-1.8",
            arrowstyle="-|>", mutation_scale=8, color=INK,
        )
    )  # fmt: skip
    axes.text(x, y + 0.7, text, ha="center", va="bottom", fontsize=7.5)
