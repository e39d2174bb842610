"""Evidence for a choice: what exploring or running measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from thresher.choosing.decisions import Evidence, SizedVariant, SizeKind, Values
from thresher.errors import InputError
from thresher.exploring.exploration import Exploration, ExploredSweep
from thresher.pruning_methods.treatments import combined_cutoff, is_control
from thresher.results.experiment_results import Results
from thresher.results.selection import baseline_row, variant_rows
from thresher.scorers.cleaners import BASELINE


def explored_evidence(
    exploration: Exploration, model: int, measure: int, sweeps: Sequence[str] | None = None
) -> Evidence:
    """Return the explored variants by index of model and measure; `sweeps` are those to choose among, None for all
    but controls.
    """
    base = exploration.sweep(BASELINE)
    judged = _judged_sweeps(sweep.name for sweep in exploration.sweeps)
    chosen = [
        sweep
        for sweep in exploration.sweeps
        if (judged[sweep.name][0] in sweeps if sweeps else sweep.name != BASELINE and not is_control(sweep.name))
    ]
    held_out = None
    if base.held_out is not None:
        rows = [sweep.held_out[model, measure] for sweep in chosen if sweep.held_out is not None]
        held_out = _joined(rows, len(exploration.held_out)), base.held_out[model, measure, 0]
    return Evidence(
        retrieval=exploration.retrieval[model],
        measure=exploration.measures[measure],
        explored=True,
        size_kind=SizeKind.ESTIMATED if base.bytes else SizeKind.POSTINGS,
        baseline_size=_sizes(base)[0],
        documents=base.sizes[0].documents,
        variants=tuple(variant for sweep in chosen for variant in _variants(sweep, *judged[sweep.name])),
        values=_joined([sweep.values[model, measure] for sweep in chosen], len(exploration.topics)),
        baseline=base.values[model, measure, 0],
        held_out=held_out,
    )


def _judged_sweeps(sweeps: Iterable[str]) -> dict[str, tuple[str, float | None]]:
    """Return by sweep the one that it is judged as a part of, and the cutoff of its cleaner there: see `SizedVariant`."""
    parts = {sweep: combined_cutoff(sweep) for sweep in sweeps}
    counts = Counter(part.combination for part in parts.values() if part)
    return {
        sweep: (part.combination, part.cutoff) if part and counts[part.combination] > 1 else (sweep, None)
        for sweep, part in parts.items()
    }


def _variants(sweep: ExploredSweep, judged_as: str, cleaner_cutoff: float | None) -> list[SizedVariant]:
    cutoffs = sweep.cutoffs or [None] * len(sweep.variants)
    return [
        SizedVariant(name, judged_as, cutoff, size, counts.documents, cleaner_cutoff=cleaner_cutoff)
        for name, cutoff, size, counts in zip(sweep.variants, cutoffs, _sizes(sweep), sweep.sizes, strict=True)
    ]


def _sizes(sweep: ExploredSweep) -> list[float]:
    return [float(size) for size in sweep.bytes or [size.postings for size in sweep.sizes]]


def _joined(rows: Sequence[Values], topics: int) -> Values:
    """Return rows one below the other; shape (variants, topics) even if there are none."""
    return np.concatenate([np.zeros((0, topics)), *rows])


def measured_evidence(
    results: Results, retrieval: str, measure: str, sweeps: tuple[str, ...] | None = None
) -> Evidence:
    """Return the variants that were run with one retrieval model.

    `sweeps` are the sweeps and single variants to choose among, None for all but controls.

    Raises:
        InputError: if there is no baseline, or a variant lacks a topic's value.
    """
    base = baseline_row(results, retrieval)
    every = variant_rows(results, retrieval)
    judged = _judged_sweeps(row.sweep or row.variant for row in every)
    rows = [
        row
        for row in every
        if (judged[row.sweep or row.variant][0] in sweeps if sweeps is not None else not is_control(row.variant))
    ]
    names = [base.variant, *(row.variant for row in rows)]
    values = _values(results, retrieval, measure, names)
    there = _values(results.held_out, retrieval, measure, names) if results.held_out else None
    return Evidence(
        retrieval=retrieval,
        measure=measure,
        explored=False,
        size_kind=SizeKind.BYTES,
        baseline_size=float(base.index_bytes),
        documents=base.indexed,
        variants=tuple(
            SizedVariant(
                row.variant, sweep, row.cutoff, float(row.index_bytes), row.indexed, cleaner_cutoff=cleaner_cutoff
            )
            for row in rows
            for sweep, cleaner_cutoff in [judged[row.sweep or row.variant]]
        ),
        values=values[1:],
        baseline=values[0],
        held_out=None if there is None else (there[1:], there[0]),
    )


def _values(results: Results, retrieval: str, measure: str, names: list[str]) -> Values:
    """Return the values of variants; shape (variants, topics)."""
    by_variant: dict[str, dict[str, float]] = {name: {} for name in names}
    for value in results.per_topic:
        if value.retrieval == retrieval and value.measure == measure and value.variant in by_variant:
            by_variant[value.variant][value.topic] = value.value
    topics = list(by_variant[names[0]])
    if not topics or any(list(values) != topics for values in by_variant.values()):
        raise InputError(f"values of {measure} by topic are missing", "run the experiment again", results.experiment)
    return np.array([[values[topic] for topic in topics] for values in by_variant.values()])
