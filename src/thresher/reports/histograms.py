"""The perplexities of a collection as tables, as CSV and as a histogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from thresher.files import write_text
from thresher.number_texts import number_text
from thresher.reports.formatting import fixed, percent, plain, short_number, significant_digits
from thresher.reports.plot_style import INK, LOSS, SERIES, light_grid, new_figure, style
from thresher.reports.table import PERCENT, Column, Table, csv_table, each, pick
from thresher.reports.text_tables import display_width, render_text, shortened
from thresher.scoring.distribution import BINS_PER_DECADE, Distribution

_LEAST_ROOM = 20
_DIGITS = 4
_PERPLEXITY = each(lambda value: significant_digits(value, _DIGITS))


@dataclass(frozen=True)
class _HistogramRow:
    """The perplexity at a percentile, or the shares above a cutoff: `at`, over sentences and over words."""

    kind: str
    at: float
    by_sentences: float
    by_words: float
    reference: float | None = None
    sentence: str | None = None


PERPLEXITIES: tuple[Column[_HistogramRow], ...] = (
    Column("kind", lambda row: row.kind, "`percentile`, or `removed`: the shares that a cutoff would remove."),
    Column(
        "at",
        lambda row: int(row.at) if row.at == int(row.at) else row.at,
        "The percentile, or the cutoff.",
        "percentile",
        format=each(number_text),
    ),
    Column(
        "by_sentences",
        lambda row: row.by_sentences,
        "Perplexity at the percentile of sentences, or share of sentences removed.",
        "by sentences",
        format=_PERPLEXITY,
    ),
    Column(
        "by_words",
        lambda row: row.by_words,
        "Perplexity at the percentile of sentences weighted by their words, or share of words removed.",
        "by words",
        format=_PERPLEXITY,
    ),
    Column(
        "reference_text",
        lambda row: row.reference,
        "Perplexity of the model's reference text at the percentile of sentences.",
        "reference text",
        format=_PERPLEXITY,
    ),
    Column(
        "sentence",
        lambda row: row.sentence,
        "A sentence at the percentile by words.",
        "a sentence there, by words",
        align="left",
    ),
)
"""The columns of perplexities. Infinite ones are `inf` in CSV files; shares are in [0, 1]."""


def _percentiles(distribution: Distribution, reference: Mapping[float, float]) -> Iterator[_HistogramRow]:
    for at, by_words in distribution.by_words.items():
        example = distribution.examples.get(at)
        yield _HistogramRow("percentile", at, distribution.by_sentences[at], by_words, reference.get(at), example)


def _removed(distribution: Distribution) -> Iterator[_HistogramRow]:
    return (_HistogramRow("removed", item.cutoff, item.sentences, item.words) for item in distribution.removed)


def percentile_table(distribution: Distribution, reference: Mapping[float, float], width: int) -> Table:
    """Return the perplexities at percentiles, one row each, with a sentence at each decile.

    Args:
        distribution: of the collection.
        reference: the percentiles of the model's reference text, empty if it has none.
        width: terminal columns; sentences are shortened so that rows fit, but never below `_LEAST_ROOM`.
    """
    rows = [*_percentiles(distribution, reference)]
    names = ("at", "by_sentences", "by_words", *(("reference_text",) if reference else ()))
    numbers = Table.of(pick(PERPLEXITIES, *names), rows, "")
    room = max(_LEAST_ROOM, width - max(map(display_width, render_text(numbers).splitlines())) - 2)
    (sentence,) = pick(PERPLEXITIES, "sentence")
    sentence = replace(sentence, value=lambda row: shortened(plain(row.sentence or ""), room))
    caption = (
        f"Perplexities of {distribution.sentences:,} sentences with {distribution.words:,} words; {distribution.wordless:,}"
        " sentences have no word for the model and come last. By words, a percentile is what the cutoff of the same name"
        " means: p70."
    )
    if reference:
        caption += " Reference text: by sentences, from the model's card."
    return Table.of((*pick(PERPLEXITIES, *names), sentence), rows, caption)


def removed_table(distribution: Distribution) -> Table:
    """Return the shares of sentences and words that cutoffs would remove."""
    at, sentences, words = pick(PERPLEXITIES, "at", "by_sentences", "by_words")
    columns = (
        replace(at, header="cutoff"),
        replace(sentences, header="sentences removed", unit="%", format=PERCENT),
        replace(words, header="words removed", unit="%", format=PERCENT),
    )
    caption = "What the cutoffs of the perplexity paper would remove here."
    return Table.of(columns, [*_removed(distribution)], caption)


def write_histogram_csv(distribution: Distribution, reference: Mapping[float, float], path: Path) -> None:
    """Write both tables into one file: rows of kind `percentile` hold perplexities, those of kind `removed` shares of 1.

    Raises:
        ThresherError: if the file cannot be written.
    """
    write_text(path, csv_table(PERPLEXITIES, (*_percentiles(distribution, reference), *_removed(distribution))))


_TAIL = 0.0005
"""Bins at an end are left out as long as together they hold less than this share of the words."""
_MARGIN = 0.05
_APART = 0.021
"""The least distance of labels, as a share of the axis."""
_LABELS = 36
"""Height of the labels above the axes, in points."""


def histogram_figure(distribution: Distribution, title: str) -> Figure:
    """Return the share of words by perplexity on a logarithmic axis, with the median and lines at the paper's cutoffs.

    Tails of less than 0.05 % of the words are left out, unless a cutoff lies there, and so are labels that would cover others.
    """
    first, last = _shown_bins(distribution)
    edges, shares = distribution.edges[first : last + 1], 100 * distribution.shares[first:last]
    cutoffs = [item.cutoff for item in distribution.removed]
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
        for item in distribution.removed:
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
        axes.axvline(
            distribution.by_words[50], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="median, by words"
        )
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


def _shown_bins(distribution: Distribution) -> tuple[int, int]:
    """Return the range of bins to show, its end exclusive: at least one."""
    total = distribution.shares.sum()
    reached = np.cumsum(distribution.shares)
    first = int(np.searchsorted(reached, _TAIL * total))
    last = int(np.searchsorted(reached, (1 - _TAIL) * total))
    return min(first, len(distribution.shares) - 1), min(last + 1, len(distribution.shares))
