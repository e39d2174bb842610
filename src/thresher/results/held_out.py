"""Cutoffs chosen on the experiment's topics, and what they are worth on held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thresher.errors import InputError
from thresher.evaluation.rules import choose
from thresher.evaluation.significance import corrected
from thresher.results.experiment_results import Best, Chosen, Results, VariantResult
from thresher.results.selection import (
    baseline_row,
    main_measure,
    retrievals,
    score,
    sweep_rows,
    sweeps,
    variant_rows,
)


def with_chosen(results: Results) -> Results:
    """Return the results with what is chosen on their topics; unchanged without held-out topics.

    Of every sweep and retrieval model the cutoff with the best mean of the main measure over the training topics is chosen, of
    equals that with the smallest index. Single cleaners follow the sweeps of their retrieval model. The correction is over
    all of these.

    Raises:
        InputError: if there is no measure, or a variant lacks its counterpart on the held-out topics.
    """
    if results.held_out is None:
        return results
    held_out, measure = results.held_out, main_measure(results)
    by_name = {(row.retrieval, row.variant): row for row in held_out.rows}
    chosen: list[Chosen] = []
    for retrieval in retrievals(results):
        baseline = baseline_row(held_out, retrieval).measures[measure]
        members = [sweep_rows(results, sweep, retrieval) for sweep in sweeps(results)]
        members += [(row,) for row in variant_rows(results, retrieval) if row.sweep is None]
        for rows in filter(None, members):
            chosen.append(_chosen(rows, [_counterpart(row, by_name, measure) for row in rows], measure, baseline))
    comparisons = corrected([item.comparison for item in chosen], results.correction)
    return replace(
        results,
        chosen=tuple(
            replace(item, comparison=comparison) for item, comparison in zip(chosen, comparisons, strict=True)
        ),
    )


def _chosen(
    training: Sequence[VariantResult], held_out: Sequence[VariantResult], measure: str, baseline: float
) -> Chosen:
    """Choose among the cutoffs of a sweep, or take a single cleaner."""
    choice = choose(
        [score(row, measure) for row in training],
        [score(row, measure) for row in held_out],
        [row.index_bytes for row in training],
    )
    row, best = held_out[choice.chosen], held_out[choice.best]
    chosen = Chosen(
        row.retrieval,
        row.sweep,
        row.variant,
        training[choice.chosen].measures[measure],
        row.measures[measure],
        baseline,
        row.comparisons[measure],
    )
    if row.sweep is None:
        return chosen
    return replace(
        chosen, best=Best(best.variant, best.measures[measure], best.comparisons[measure]), optimism=choice.optimism
    )


def _counterpart(row: VariantResult, by_name: dict[tuple[str, str], VariantResult], measure: str) -> VariantResult:
    other = by_name.get((row.retrieval, row.variant))
    if other is None or measure not in other.comparisons:
        raise InputError(
            f"{row.variant} with {row.retrieval} has no {measure} on the held-out topics",
            "run the experiment again",
            "results.held_out",
        )
    return other
