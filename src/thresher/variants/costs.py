"""What building, searching and timing a variant took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from thresher.columns import Declared, Show
from thresher.costs import BreakEven, Footprint, MeasuredTime, Times
from thresher.costs.machine import BELOW_RESOLUTION
from thresher.evaluation.significance import Comparison
from thresher.lucene.searching import CollectorPauses
from thresher.lucene.work import QueryWork


@dataclass(frozen=True)
class Cost(Times):
    """What a stage took."""

    co2_grams: Annotated[
        float | None,
        Declared(
            "Grams of CO₂ equivalents; empty below resolution.", Show.FIGURE, "g", "CO₂", missing=BELOW_RESOLUTION
        ),
    ] = None


@dataclass(frozen=True)
class Built:
    """A variant whose index was built and searched.

    Args:
        bytes_by_type: bytes of the index by the types of its files.
        documents: scored for a query, mean over the topics; see `QueryWork`.
        clean, index, search: what it took to make this very index and run, once.
        query, indexing: times that were measured for all variants together; None where they were not.
        break_even: computed from these; None without them, and for the baseline.
        footprints: rows of Tables 4 and 5 of the PyPlexity paper.
        comparisons: with the baseline, by measure; empty for the baseline.
        held_out: the same on the held-out topics.
        cutoffs: the numbers of percentiles, by the names of the cuts.
    """

    bytes_by_type: Mapping[str, int]
    work: QueryWork
    clean: Cost
    index: Cost
    search: Cost
    query: MeasuredTime | None
    indexing: MeasuredTime | None
    break_even: BreakEven | None
    footprints: tuple[Footprint, ...]
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    held_out: Mapping[str, Comparison] = field(default_factory=dict)
    cutoffs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class NoiseFloor:
    """How times were measured, of a retrieval model's queries or of indexing, and what the baseline's twin seems to save.

    `retrieval` is empty for indexing, whose `pauses` are not known. See `thresher.costs.repeats.Repeats`.
    """

    retrieval: str
    twin: MeasuredTime
    openings: int
    rounds: int
    pauses: CollectorPauses | None
