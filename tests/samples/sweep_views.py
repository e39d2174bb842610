"""What tables of all retrieval models say of one sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from thresher.base.numbers import Floats
from thresher.experiments.table import VariantTable
from thresher.indexes.work import IndexStatistics


class SweepView(NamedTuple):
    """A sweep, or a single variant; arrays of shape (models, measures, variants, topics)."""

    name: str
    variants: tuple[str, ...]
    cutoffs: tuple[float, ...]
    words: tuple[int, ...]
    sizes: tuple[IndexStatistics, ...]
    query_postings: Floats
    values: Floats
    held_out: Floats


def sweep_of(tables: Sequence[VariantTable], name: str) -> SweepView:
    rows = tables[0].rows
    chosen = [index for index, row in enumerate(rows) if (row.variant.sweep or row.name) == name]
    if not chosen:
        raise KeyError(name)
    return SweepView(
        name,
        tuple(rows[index].name for index in chosen),
        tuple(cutoff for index in chosen if (cutoff := rows[index].variant.cutoff) is not None),
        tuple(rows[index].words for index in chosen),
        tuple(rows[index].index for index in chosen),
        tables[0].query_postings[chosen],
        np.array([table.values[:, chosen] for table in tables]),
        np.array([table.held_out[:, chosen] for table in tables]),
    )


def sweeps_of(tables: Sequence[VariantTable]) -> list[SweepView]:
    names = dict.fromkeys(row.variant.sweep or row.name for row in tables[0].rows)
    return [sweep_of(tables, name) for name in names]


def same_tables(one: Sequence[VariantTable], other: Sequence[VariantTable]) -> bool:
    """Return whether tables are the same, values to the last bit."""
    return all(
        (a.retrieval, a.measures, a.topics, a.rows, a.held_out_topics)
        == (b.retrieval, b.measures, b.topics, b.rows, b.held_out_topics)
        and all(
            x.tobytes() == y.tobytes()
            for x, y in ((a.values, b.values), (a.query_postings, b.query_postings), (a.held_out, b.held_out))
        )
        for a, b in zip(one, other, strict=True)
    )
