"""A collection's perplexities as tables and as CSV: percentiles with examples, and what cutoffs would remove."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from thresher.files import write_text
from thresher.pruning.distribution import Distribution
from thresher.reports.csv_files import csv_text
from thresher.reports.formatting import NOTHING, cutoff_text, percent, plain, significant_digits
from thresher.reports.table_text import display_width
from thresher.reports.tables import Cell, Column, Table

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
