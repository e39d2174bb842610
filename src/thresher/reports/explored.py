"""Explored variants as a table of the best of each sweep, and as a CSV file of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from thresher.exploring.exploration import Exploration, ExploredVariant
from thresher.files import write_text
from thresher.reports.formatting import measure_text, percent
from thresher.reports.table import COUNT, PERCENT, Column, Table, csv_table, pick
from thresher.scorers.cleaners import BASELINE

CSV_FILE = "explored.csv"


def explored_columns(measures: Sequence[str], held_out: bool) -> list[Column[ExploredVariant]]:
    """Return the columns of explored variants; `held_out`: whether there are held-out topics."""
    numbered = list(enumerate(measures))
    return [
        Column("retrieval", lambda row: row.retrieval, "The retrieval model."),
        Column("scorer", lambda row: row.sweep, "The scorer, by its canonical name; of a single cleaner, the cleaner."),
        Column(
            "variant", lambda row: row.name, "The cleaner, by its canonical name.", "best of its scorer", align="left"
        ),
        Column("cutoff", lambda row: row.cutoff, "The variant's cutoff; empty for a single cleaner."),
        Column(
            "siblings",
            lambda row: row.siblings,
            "Number of cutoffs of the sweep.",
            "explored",
            "cutoffs",
            COUNT,
            exact=False,
        ),
        *(_mean(name, number) for number, name in numbered),
        *(_held_out_mean(name, number) for number, name in numbered if held_out),
        Column("words_kept", lambda row: row.words, "Words left by cleaning."),
        Column("words_total", lambda row: row.words_total, "Words of the collection."),
        Column(
            "words kept",
            lambda row: row.words_share or 0.0,
            "Share of words left by cleaning.",
            unit="%",
            format=PERCENT,
            exact=False,
        ),
        Column("documents", lambda row: row.size.documents, "Documents with text left."),
        Column("tokens", lambda row: row.size.tokens, "Tokens in the index."),
        Column("postings", lambda row: row.size.postings, "Postings in the index: pairs of a document and a term."),
        Column(
            "query_postings",
            lambda row: row.query_postings,
            "Postings of a query's terms in the index, the sum of their df, as the mean over the evaluated topics.",
        ),
        Column("vocabulary", lambda row: row.size.vocabulary, "Different terms in the index."),
        Column(
            "index_bytes_estimated",
            lambda row: row.bytes,
            "Estimated size of the index in bytes; empty where too few indexes were built.",
        ),
        Column(
            "share",
            lambda row: row.bytes_share,
            "Estimated size of the index over that of the baseline.",
            "index, estimated",
            "% of baseline",
            PERCENT,
            exact=False,
        ),
    ]


def _columns(exploration: Exploration) -> list[Column[ExploredVariant]]:
    return explored_columns(exploration.measures, bool(exploration.held_out))


def _mean(name: str, number: int) -> Column[ExploredVariant]:
    return Column(name, lambda row: row.means[number], f"Mean {name} over the topics.")


def _held_out_mean(name: str, number: int) -> Column[ExploredVariant]:
    return Column(f"held_out {name}", lambda row: row.held_out[number], f"Mean {name} over the held-out topics.")


def explored_table(exploration: Exploration, model: int, measure: int) -> Table:
    """Return a row for each sweep: how many cutoffs were explored, and the one with the best mean of a measure.

    Args:
        exploration: what was explored.
        model: which of its retrieval models.
        measure: which of its measures.
    """
    best = [max(rows, key=lambda row: row.means[measure]) for rows in exploration.variants(model)]
    columns = pick(_columns(exploration), "variant", "siblings", exploration.measures[measure], "words kept", "share")
    note = f"The best of many on the very topics that chose it: expect less of it on others. {_size_note(exploration)}"
    caption = f"{exploration.retrieval[model]}, {len(exploration.topics)} topics: the best cutoff of each scorer"
    return Table.of(columns, best, caption, note)


def explored_sentences(exploration: Exploration, measure: int) -> Iterator[str]:
    """Say how much was explored and how far the best of it is from the baseline, by a measure of each retrieval model."""
    base = exploration.sweep(BASELINE)
    yield f"Explored {exploration.cleaned_variants:,} variants of {exploration.documents:,} pages, without building indexes."
    for model, name in enumerate(exploration.retrieval):
        best = exploration.best(model, measure)
        before = float(base.means(model, measure)[0])
        opening = f"{name}: the" if len(exploration.retrieval) > 1 else "The"
        yield (
            f"{opening} highest mean {exploration.measures[measure]} over the topics is that of {best.name}, "
            f"{measure_text(best.means[measure])} against the baseline's {measure_text(before)}; the best of many "
            "promises more than it keeps."
        )
    yield "Which to use is a question for `thresher choose`."


def write_explored_csv(exploration: Exploration, folder: Path) -> None:
    """Write `explored.csv` into a folder, whole or not at all.

    Raises:
        ThresherError: if the file cannot be written.
    """
    write_text(folder / CSV_FILE, explored_csv(exploration))


def explored_csv(exploration: Exploration) -> str:
    """Return a line for each retrieval model and variant."""
    models = range(len(exploration.retrieval))
    rows = [row for model in models for variants in exploration.variants(model) for row in variants]
    return csv_table(_columns(exploration), rows)


def _size_note(exploration: Exploration) -> str:
    errors = exploration.size_errors
    if errors is None:
        return "Index bytes are estimated once eight different indexes were built by `thresher run`."
    return (
        f"Estimated index bytes are off by {percent(errors.mean)} % on average, {percent(errors.largest)} % at most: each of "
        f"{errors.indexes} built indexes of at least a tenth of the largest estimated from the others."
    )
