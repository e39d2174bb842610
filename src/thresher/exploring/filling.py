"""From ranked sweeps to the table of variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.exploring.similarity import Floats
from thresher.lucene.work import IndexStatistics
from thresher.pages.plain import Ints
from thresher.variants.table import Row, Variant, VariantTable


@dataclass(frozen=True)
class RankedSweep:
    """Variants that were ranked together, the strictest first.

    Args:
        variants, words, sizes: by variant.
        query_postings: shape (variants, topics).
        values: shape (models, measures, variants, topics).
        held_out: the same on the held-out topics, of which there may be none.
    """

    variants: tuple[Variant, ...]
    words: Sequence[int]
    sizes: Sequence[IndexStatistics]
    query_postings: Floats
    values: Floats
    held_out: Floats

    @classmethod
    def of(
        cls,
        variants: Sequence[Variant],
        words: Sequence[int],
        sizes: Sequence[IndexStatistics],
        query_postings: Ints,
        values: Sequence[Floats],
    ) -> RankedSweep:
        """Return a sweep with the values of its judges: the topics, and the held-out ones if there are any."""
        own = values[0]
        held_out = values[1] if len(values) > 1 else np.zeros((*own.shape[:3], 0))
        return cls(tuple(variants), words, sizes, query_postings.astype(np.float64), own, held_out)


def tables_of(
    sweeps: Sequence[RankedSweep],
    models: Sequence[str],
    measures: Sequence[str],
    topics: Sequence[str],
    held_out_topics: Sequence[str],
) -> tuple[VariantTable, ...]:
    """Return a table for each model; the first variant of the first sweep is the baseline."""
    rows, postings, values, held_out = _joint(sweeps)
    return tuple(
        VariantTable(
            model,
            tuple(measures),
            tuple(topics),
            rows,
            values[number],
            postings,
            tuple(held_out_topics),
            held_out[number],
        )
        for number, model in enumerate(models)
    )


def with_sweeps(tables: Sequence[VariantTable], sweeps: Sequence[RankedSweep]) -> tuple[VariantTable, ...]:
    """Return tables, one for each model, with the variants of further sweeps behind their own."""
    if not sweeps:
        return tuple(tables)
    rows, postings, values, held_out = _joint(sweeps)
    return tuple(
        table.extended(rows, values[number], postings, held_out[number]) for number, table in enumerate(tables)
    )


def _joint(sweeps: Sequence[RankedSweep]) -> tuple[tuple[Row, ...], Floats, Floats, Floats]:
    """Return rows, postings of queries, and values of all sweeps, one after the other."""
    rows = tuple(
        Row(variant, size, words, explored=True)
        for sweep in sweeps
        for variant, size, words in zip(sweep.variants, sweep.sizes, sweep.words, strict=True)
    )
    postings = np.concatenate([sweep.query_postings for sweep in sweeps])
    values = np.concatenate([sweep.values for sweep in sweeps], axis=2)
    return rows, postings, values, np.concatenate([sweep.held_out for sweep in sweeps], axis=2)
