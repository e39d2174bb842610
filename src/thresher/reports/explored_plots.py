"""The plot of an exploration: index size against effectiveness, a line for each scorer."""

from __future__ import annotations

from matplotlib.figure import Figure

from thresher.exploring.exploration import Exploration
from thresher.reports.explored import explored_variants
from thresher.reports.formatting import plain
from thresher.reports.plot_style import INK, MARKERS, SERIES, light_grid, new_figure, style
from thresher.results.selection import main_of
from thresher.scorers.cleaners import BASELINE


def explored_figure(exploration: Exploration, model: int) -> Figure:
    """Return postings of the index, in % of the baseline's, against the mean of the main measure for all variants.

    Args:
        exploration: what was explored.
        model: which of its retrieval models.
    """
    measure = main_of(exploration.measures)
    number = exploration.measures.index(measure)
    whole = exploration.sweep(BASELINE).sizes[0].postings
    with style():
        figure = new_figure(6.2, 4.6)
        axes = figure.subplots()
        for index, rows in enumerate(explored_variants(exploration, model)):
            x = [100 * row.size.postings / whole if whole else 100.0 for row in rows]
            y = [row.means[number] for row in rows]
            if rows[0].sweep == BASELINE:
                axes.plot(x, y, color=INK, marker="*", markersize=10, linewidth=0, label="baseline", zorder=4)
                axes.axhline(y[0], color=INK, linewidth=0.7, linestyle=(0, (4, 3)), alpha=0.7)
                continue
            colour, marker = SERIES[index % len(SERIES)], MARKERS[index % len(MARKERS)] if len(rows) < 2 else None
            axes.plot(x, y, color=colour, marker=marker, linewidth=1.1, label=plain(rows[0].sweep))
        axes.set_xlabel("postings of the index, % of baseline (less is better)")
        axes.set_ylabel(f"{plain(measure)} (more is better)")
        axes.margins(x=0.06, y=0.1)
        light_grid(axes)
        figure.legend(loc="outside lower left", ncols=3)
    return figure
