"""Variants of the odd pages, and their indexes."""

from __future__ import annotations

from pathlib import Path

from thresher.arms.pruned_names import parse_treatment
from thresher.experiments.variant_building import build_variant
from thresher.files import safe_name
from thresher.lucene.indexing import IndexOptions

VARIANTS = ("none", "words@4", "perplexity(lm=books)@3000", "none|dcp@0.5", "words@4|dcp@0.3")
OWN = "own statistics of "
"""Before the names of pruned indexes that are ranked with their own statistics."""


def build_variants(store: Path, folder: Path) -> None:
    """Build the index of each variant into `folder`, by its file name."""
    options = IndexOptions(lengths=True)
    for name in VARIANTS:
        treatment = parse_treatment(name)
        build_variant(store, treatment, folder / safe_name(name), options, True)
        if treatment.pruning:
            build_variant(store, treatment, folder / safe_name(OWN + name), options, False)
