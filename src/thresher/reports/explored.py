"""Explored cutoffs as a table of the best of each scorer, and as a CSV file of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thresher.exploring.exploration import Exploration, ExploredSweep
from thresher.files import write_text
from thresher.reports.formatting import NOTHING, fixed, percent
from thresher.reports.table import csv_text, number_text
from thresher.reports.tables import MEASURE_DECIMALS, Cell, Column, Table
from thresher.scorers.cleaners import BASELINE

CSV_FILE = "explored.csv"


def explored_table(exploration: Exploration, model: int, measure: int) -> Table:
    """Return a row a sweep: how many cutoffs were explored, and the one with the best mean of a measure.

    Args:
        exploration: what was explored.
        model: which of its retrieval models.
        measure: which of its measures.
    """
    base = exploration.sweep(BASELINE)
    rows = []
    for sweep in exploration.sweeps:
        means = sweep.means(model, measure)
        # Of equals the strictest, which comes first.
        best = int(means.argmax())
        bytes_share = sweep.bytes[best] / base.bytes[0] if sweep.bytes and base.bytes else None
        words = sweep.words[best] / exploration.words if exploration.words else 0.0
        rows.append(
            (
                Cell(sweep.variants[best]),
                Cell(str(len(sweep.variants)), value=len(sweep.variants)),
                Cell(fixed(float(means[best]), MEASURE_DECIMALS), value=float(means[best])),
                Cell(percent(words), value=words),
                Cell(NOTHING if bytes_share is None else percent(bytes_share), value=bytes_share),
            )
        )
    columns = (
        Column("best of its scorer", align="left"),
        Column("explored", "cutoffs"),
        Column(exploration.measures[measure]),
        Column("words kept", "%"),
        Column("index, estimated", "% of baseline"),
    )
    note = (
        "The best of many on the very topics that chose it: expect less of it on others. " + _size_note(exploration)
    ).strip()
    caption = f"{exploration.retrieval[model]}, {len(exploration.topics)} topics: the best cutoff of each scorer"
    return Table(columns, tuple(rows), caption, note)


def write_explored_csv(exploration: Exploration, folder: Path) -> None:
    """Write `explored.csv` into a folder: a line a retrieval model and cutoff, whole or not at all.

    Raises:
        ThresherError: if the file cannot be written.
    """
    header = ["retrieval", "scorer", "variant", "cutoff", *exploration.measures]
    if exploration.held_out:
        header += [f"held_out {measure}" for measure in exploration.measures]
    header += ["words_kept", "words_total", "documents", "tokens", "postings", "vocabulary", "index_bytes_estimated"]
    write_text(folder / CSV_FILE, csv_text(header, _lines(exploration)))


def _lines(exploration: Exploration) -> Iterator[list[str]]:
    for model, retrieval in enumerate(exploration.retrieval):
        for sweep in exploration.sweeps:
            measures = range(len(exploration.measures))
            means = [sweep.means(model, measure) for measure in measures]
            tested = [sweep.held_out_means(model, measure) for measure in measures]
            for point, variant in enumerate(sweep.variants):
                yield [
                    retrieval,
                    sweep.name,
                    variant,
                    number_text(sweep.cutoffs[point]) if sweep.cutoffs else "",
                    *(number_text(float(mean[point])) for mean in (*means, *tested) if mean is not None),
                    str(sweep.words[point]),
                    str(exploration.words),
                    *_counts(sweep, point),
                ]


def _counts(sweep: ExploredSweep, point: int) -> list[str]:
    size = sweep.sizes[point]
    known = str(sweep.bytes[point]) if sweep.bytes else ""
    return [str(size.documents), str(size.tokens), str(size.postings), str(size.vocabulary), known]


def _size_note(exploration: Exploration) -> str:
    errors = exploration.size_errors
    if errors is None:
        return "Index bytes are estimated once eight different indexes were built by `thresher run`."
    return (
        f"Estimated index bytes are off by {percent(errors.mean)} % on average, {percent(errors.largest)} % at most: each of "
        f"{errors.indexes} built indexes of at least a tenth of the largest estimated from the others."
    )
