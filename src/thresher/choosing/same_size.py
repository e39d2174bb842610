"""At the same size: the best variant of each family with an index of at most a share of the baseline's."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.pruning_methods.treatments import Family
from thresher.variants.table import VariantTable

SHARES = (0.9, 0.75, 0.5, 0.35, 0.25, 0.1)
"""Of the baseline's postings, that are looked at."""


@dataclass(frozen=True)
class BestOfFamily:
    """The variant of a family with the highest mean among those of at most a size.

    Args:
        family: see `Family`.
        most: the largest size, as a share of the baseline's postings.
        index: of the variant in the table.
    """

    family: Family
    most: float
    index: int


def same_size(table: VariantTable, measure: str) -> tuple[BestOfFamily, ...]:
    """Return the best of each family at each of `SHARES`, the largest first; nothing if there is only one family.

    A family without a variant of at most that size is left out.
    """
    if len(table.families) < 2:
        return ()
    return tuple(
        BestOfFamily(family, most, table.best(measure, inside))
        for most in SHARES
        for family, indices in table.families.items()
        if (inside := [index for index in indices if table.shares[index] <= most])
    )
