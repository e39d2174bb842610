"""Variants of the odd pages, and their indexes; a document that fell."""

from __future__ import annotations

from pathlib import Path

from thresher.base.files import safe_name
from thresher.experiments.explaining.explanations import DocumentChange, Neighbour, Part, Passage, TermChange
from thresher.experiments.measuring import build_variant
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.scores.block_kinds import BlockKind

VARIANTS = (
    "none",
    "words@4",
    "perplexity(lm=books)@3000",
    "none|dcp@0.5",
    "words@4|dcp@0.3",
    "words(headings=keep)@4|weights(anchors=0)|dcp@0.4",
)
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


DOCUMENT = DocumentChange(
    document="a",
    grade=2,
    rank_before=2,
    rank_after=5,
    score_before=3.5,
    score_after=2.25,
    removed=-1.5,
    pruned=0.0,
    length=0.25,
    statistics=0.0,
    length_before=40,
    length_after=30,
    emptied=False,
    terms=(
        TermChange("oat", 1, 3, 1, 1, -0.8),
        TermChange("rye", 1, 2, 1, 0, -0.4),
        TermChange("bran", 1, 1, 1, 0, 0.0),
        TermChange("husk", 1, 0, 0, 0, 0.0),
        TermChange("corn", 1, 4, 4, 4, 0.0),
    ),
    overtakers=(Neighbour("b", None, 9, 3), Neighbour("c", 0, None, 4)),
    overtaker_count=3,
    part=Part.REMOVED,
    credit=-0.3,
    lost={BlockKind.TITLE: 0.4, BlockKind.LINK: 0.6},
    passages=(
        Passage(0, BlockKind.TITLE, "Oats", 1, {"oat": 1}, ()),
        Passage(3, BlockKind.LINK, "Oats or rye", 3, {"oat": 1, "rye": 1}, ()),
    ),
)
