"""Variants that keep titles and headings, and the same without them."""

from __future__ import annotations

from dataclasses import replace

from thresher.pruning_methods.treatments import Treatment
from thresher.scorers.cleaners import DROP, KEEP, Cleaner, parse_cleaner
from thresher.variants.table import VariantTable

WITHOUT_HEADINGS = "words(headings=drop)@0"
"""All text but title and headings."""


def without_headings(treatment: Treatment) -> Treatment | None:
    """Return the treatment that differs in dropping title and headings; None for one that does not keep them on purpose."""
    if treatment.is_baseline:
        return Treatment(parse_cleaner(WITHOUT_HEADINGS))
    cuts = treatment.cleaner.cuts
    if not any(cut.headings == KEEP for cut in cuts):
        return None
    dropped = (replace(cut, headings=DROP) if cut.headings == KEEP else cut for cut in cuts)
    return Treatment(Cleaner(tuple(dropped)), treatment.pruning)


def headings_pairs(table: VariantTable) -> tuple[tuple[int, int], ...]:
    """Return each variant with the one without title and headings, if the table has both, the baseline's pair first.

    Nothing is returned if the baseline's is missing, for the others are compared with it.
    """
    others = (without_headings(row.variant.treatment) for row in table.rows)
    pairs = [
        (index, table.position[other.name])
        for index, other in enumerate(others)
        if other is not None and other.name in table.position
    ]
    return tuple(pairs) if len(pairs) > 1 and pairs[0][0] == 0 else ()
