"""Evidence for a choice: what exploring or running measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.choosing.records import Candidate, Evidence, SizeKind, Values
from thresher.errors import InputError
from thresher.exploring.records import Curve, Exploration
from thresher.results.records import Results
from thresher.results.selection import baseline_row, variant_rows
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


def measured_evidence(
    results: Results, retrieval: str, measure: str, groups: tuple[str, ...] | None = None
) -> Evidence:
    """Return the variants of one retrieval model as candidates.

    Args:
        results: of a finished experiment.
        retrieval: a retrieval model's name.
        measure: one of the measures.
        groups: the sweeps and single cleaners to choose among; None for all.

    Raises:
        InputError: if there is no baseline, or a variant lacks a topic's value.
    """
    base = baseline_row(results, retrieval)
    rows = [row for row in variant_rows(results, retrieval) if groups is None or (row.sweep or row.variant) in groups]
    names = [base.variant, *(row.variant for row in rows)]
    own = _values(results, retrieval, measure, names)
    there = _values(results.held_out, retrieval, measure, names) if results.held_out else None
    return Evidence(
        retrieval=retrieval,
        measure=measure,
        explored=False,
        size_kind=SizeKind.BYTES,
        baseline_size=float(base.index_bytes),
        documents=base.indexed,
        candidates=tuple(
            Candidate(row.variant, row.sweep or row.variant, row.cutoff, float(row.index_bytes), row.indexed)
            for row in rows
        ),
        values=own[1:],
        baseline=own[0],
        held_out=None if there is None else (there[1:], there[0]),
    )


def _values(results: Results, retrieval: str, measure: str, names: list[str]) -> Values:
    """Return the values of variants; shape (variants, topics)."""
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    for value in results.per_topic:
        if value.retrieval == retrieval and value.measure == measure and value.variant in found:
            found[value.variant][value.topic] = value.value
    topics = list(found[names[0]])
    if not topics or any(list(values) != topics for values in found.values()):
        raise InputError(f"values of {measure} by topic are missing", "run the experiment again", results.experiment)
    return np.array([[values[topic] for topic in topics] for values in found.values()])
