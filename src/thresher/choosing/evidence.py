"""What exploring found, as evidence for a choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.choosing.records import Candidate, Evidence, SizeKind, Values
from thresher.exploring.records import Curve, Exploration
from thresher.scorers.cleaners import BASELINE


def explored_evidence(
    exploration: Exploration, model: int, measure: int, groups: Sequence[str] | None = None
) -> Evidence:
    """Return the points of an exploration's curves as candidates.

    Args:
        exploration: what was explored.
        model: which of its retrieval models.
        measure: which of its measures.
        groups: the names of the curves to choose among; None for all but the baseline.
    """
    base = exploration.curve(BASELINE)
    chosen = [curve for curve in exploration.curves if (curve.name in groups if groups else curve.name != BASELINE)]
    candidates = [candidate for curve in chosen for candidate in _candidates(curve)]
    held_out = None
    if base.held_out is not None:
        rows = [curve.held_out[model, measure] for curve in chosen if curve.held_out is not None]
        held_out = _joined(rows, len(exploration.held_out)), base.held_out[model, measure, 0]
    return Evidence(
        retrieval=exploration.retrieval[model],
        measure=exploration.measures[measure],
        explored=True,
        size_kind=SizeKind.ESTIMATED if base.bytes else SizeKind.POSTINGS,
        baseline_size=_sizes(base)[0],
        documents=base.sizes[0].documents,
        candidates=tuple(candidates),
        values=_joined([curve.values[model, measure] for curve in chosen], len(exploration.topics)),
        baseline=base.values[model, measure, 0],
        held_out=held_out,
    )


def _candidates(curve: Curve) -> list[Candidate]:
    cutoffs = curve.cutoffs or [None] * len(curve.cleaners)
    return [
        Candidate(name, curve.name, cutoff, size, counts.documents)
        for name, cutoff, size, counts in zip(curve.cleaners, cutoffs, _sizes(curve), curve.sizes, strict=True)
    ]


def _sizes(curve: Curve) -> list[float]:
    return [float(size) for size in curve.bytes or [size.postings for size in curve.sizes]]


def _joined(rows: Sequence[Values], topics: int) -> Values:
    """Return rows one below the other; shape (candidates, topics) even if there is none."""
    return np.concatenate([np.zeros((0, topics)), *rows])
