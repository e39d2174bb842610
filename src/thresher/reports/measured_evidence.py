"""What runs measured, as evidence for a choice."""

from __future__ import annotations

import numpy as np

from thresher.choosing.records import Candidate, Evidence, SizeKind, Values
from thresher.errors import InputError
from thresher.reports.records import Results
from thresher.reports.selection import baseline_row, variant_rows


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
