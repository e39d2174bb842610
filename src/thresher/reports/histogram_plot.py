"""The plot of a collection's perplexities: how many of its words stand where, and where cutoffs would cut."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from thresher.pruning.distribution import BINS_PER_DECADE, Distribution
from thresher.reports.formatting import fixed, percent, plain, short_number
from thresher.reports.plot_style import INK, LOSS, SERIES, light_grid, new_figure, style

_TAIL = 0.0005
"""Bins at the ends are left out as long as they hold less than this share of the words together."""
_MARGIN = 0.05
_APART = 0.021
"""Labels are at least this share of the axis apart."""
_LABELS = 36
"""How many points high the labels above the axes are."""


def histogram_figure(found: Distribution, title: str) -> Figure:
    """Return the share of words over perplexity on a logarithmic axis, with the median and lines at the paper's cutoffs.

    Tails of less than 0.05 % of the words are left out, unless a cutoff lies there, and labels that would cover others, too.
    """
    first, last = _shown(found)
    edges, shares = found.edges[first : last + 1], 100 * found.shares[first:last]
    cutoffs = [item.cutoff for item in found.removed]
    with style():
        figure = new_figure(6.2, 3.4)
        axes = figure.subplots()
        axes.set_title(plain(title), pad=_LABELS)
        axes.stairs(shares, edges, fill=True, color=SERIES[0], alpha=0.75, linewidth=0)
        axes.set_xscale("log")
        low, high = min(edges[0], *cutoffs), max(edges[-1], *cutoffs)
        axes.set_xlim(low * (low / high) ** _MARGIN, high * (high / low) ** _MARGIN)
        axes.set_ylim(0, 1.08 * max(shares.max(), 1e-9))
        labelled = 0.0
        for item in found.removed:
            axes.axvline(item.cutoff, color=LOSS, linewidth=0.7)
            # Upright labels need their own height between them.
            if labelled and np.log(item.cutoff / labelled) < _APART * np.log(high / low):
                continue
            labelled = item.cutoff
            axes.annotate(
                f"{short_number(item.cutoff)}: {percent(item.words)}",
                (item.cutoff, 1),
                (0, 2),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                rotation=90,
                ha="center",
                va="bottom",
                fontsize=6.5,
            )
        axes.axvline(found.by_words[50], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="median, by words")
        axes.plot([], [], color=LOSS, linewidth=0.7, label="the paper's cutoffs: % of words removed")
        axes.xaxis.set_major_locator(LogLocator())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: fixed(value, 0 if value == int(value) else 1)))
        axes.set_xlabel("perplexity of the sentence")
        axes.set_ylabel(f"% of words, {BINS_PER_DECADE} bins\na power of ten")
        light_grid(axes)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower left", ncols=2)
    return figure


def _shown(found: Distribution) -> tuple[int, int]:
    """Return the first bin to show and the last, that one exclusive: at least one."""
    total = found.shares.sum()
    reached = np.cumsum(found.shares)
    first = int(np.searchsorted(reached, _TAIL * total))
    last = int(np.searchsorted(reached, (1 - _TAIL) * total))
    return min(first, len(found.shares) - 1), min(last + 1, len(found.shares))
