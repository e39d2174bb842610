"""A collection's perplexities as tables and as CSV: percentiles with examples, and what cutoffs would remove."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from thresher.files import write_text
from thresher.reports.formats import display_width
from thresher.reports.formatting import NOTHING, cutoff_text, fixed, percent, plain, short_number, significant_digits
from thresher.reports.plot_style import INK, LOSS, SERIES, light_grid, new_figure, style
from thresher.reports.table import csv_text
from thresher.reports.tables import Cell, Column, Table
from thresher.scoring.distribution import BINS_PER_DECADE, Distribution

_LEAST_ROOM = 20
_DIGITS = 4
_ELLIPSIS = "…"


def percentile_table(found: Distribution, reference: Mapping[float, float], width: int) -> Table:
    """Return the perplexities at percentiles, one row each, with a sentence at each decile.

    Args:
        found: of the collection.
        reference: the percentiles of the model's reference text, empty if it has none.
        width: terminal columns; sentences are shortened so that rows fit, but never below `_LEAST_ROOM`.
    """
    columns = [Column("percentile"), Column("by sentences"), Column("by words")]
    if reference:
        columns.append(Column("reference text"))
    rows = []
    for at, by_words in found.by_words.items():
        values = [found.by_sentences[at], by_words, *((reference.get(at),) if reference else ())]
        rows.append([Cell(str(at), value=at), *map(_perplexity, values)])
    widths = [
        max(display_width(text) for text in (column.header, *(row[place].text for row in rows)))
        for place, column in enumerate(columns)
    ]
    room = max(_LEAST_ROOM, width - sum(widths) - 2 * len(columns))
    columns.append(Column("a sentence there, by words", align="left"))
    for row, at in zip(rows, found.by_words, strict=True):
        row.append(Cell(shortened(plain(found.examples.get(at, "")), room)))
    caption = (
        f"Perplexities of {found.sentences:,} sentences with {found.words:,} words; {found.wordless:,} sentences have no word "
        "for the model and come last. By words, a percentile is what the cutoff of the same name means: p70."
    )
    if reference:
        caption += " Reference text: by sentences, from the model's card."
    return Table(tuple(columns), tuple(map(tuple, rows)), caption)


def removed_table(found: Distribution) -> Table:
    """Return the shares of sentences and words that cutoffs would remove."""
    columns = (Column("cutoff"), Column("sentences removed", "%"), Column("words removed", "%"))
    rows = tuple(
        (
            Cell(cutoff_text(item.cutoff), value=item.cutoff),
            Cell(percent(item.sentences), value=item.sentences),
            Cell(percent(item.words), value=item.words),
        )
        for item in found.removed
    )
    return Table(columns, rows, "What the cutoffs of the perplexity paper would remove here.")


def write_histogram_csv(found: Distribution, reference: Mapping[float, float], path: Path) -> None:
    """Write both tables into one file: rows of kind `percentile` hold perplexities, those of kind `removed` shares of 1.

    Infinite perplexities are `inf`; a shares' row has neither a reference nor a sentence.

    Raises:
        ThresherError: if the file cannot be written.
    """
    header = ["kind", "at", "by_sentences", "by_words", "reference_text", "sentence"]
    lines = [
        [
            "percentile",
            str(at),
            repr(found.by_sentences[at]),
            repr(by_words),
            repr(reference[at]) if at in reference else "",
            found.examples.get(at, ""),
        ]
        for at, by_words in found.by_words.items()
    ]
    lines += [
        ["removed", cutoff_text(item.cutoff), repr(item.sentences), repr(item.words), "", ""] for item in found.removed
    ]
    write_text(path, csv_text(header, lines))


def shortened(text: str, room: int) -> str:
    """Return as much of a text as `room` terminal columns hold, with an ellipsis where it goes on.

    >>> shortened("barley and rye", 8)
    'barley…'
    """
    if display_width(text) <= room:
        return text
    end = len(text)
    while display_width(text[:end]) >= room:
        end -= 1
    return text[:end].rstrip() + _ELLIPSIS


def _perplexity(value: float | None) -> Cell:
    return Cell(NOTHING if value is None else significant_digits(value, _DIGITS), value=value)


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
