"""Cutoffs chosen on the experiment's topics, and what they are worth on held-out ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thresher.errors import InputError
from thresher.evaluation.rules import choose
from thresher.evaluation.significance import Comparison, holm
from thresher.results.records import Results, Row
from thresher.results.selection import main_measure, retrievals, score, sweep_rows, sweeps, variant_rows


@dataclass(frozen=True)
class Chosen:
    """A sweep's chosen variant, or a single cleaner, of which none is chosen: `training` and `held_out` are its rows.

    `comparison` is with the baseline in the main measure on the held-out topics; its `p_holm` is corrected over all that is
    tested, not over all that was tried. `best` is the sweep's best row on the held-out topics themselves, and `optimism` what
    it promises beyond the chosen one, in the measure there (see `thresher.evaluation.rules.HeldOutChoice`).
    """

    sweep: str | None
    training: Row
    held_out: Row
    comparison: Comparison
    best: Row | None = None
    optimism: float | None = None


def chosen_rows(results: Results) -> tuple[Chosen, ...]:
    """Choose a cutoff for every sweep and retrieval model by the main measure's mean over the training topics.

    Of equal cutoffs the one with the smallest index is taken. Single cleaners follow the sweeps of their retrieval model.

    Returns:
        What is tested; nothing for results without held-out topics.

    Raises:
        InputError: if there is no measure, or a row lacks its counterpart on the held-out topics.
    """
    if results.held_out is None:
        return ()
    measure = main_measure(results)
    there = {(row.retrieval, row.variant): row for row in results.held_out.rows}
    found: list[Chosen] = []
    for retrieval in retrievals(results):
        for sweep in sweeps(results):
            rows = sweep_rows(results, sweep, retrieval)
            if rows:
                found.append(_chosen(rows, [_counterpart(row, there, measure) for row in rows], measure))
        for row in variant_rows(results, retrieval):
            if row.sweep is None:
                other = _counterpart(row, there, measure)
                found.append(Chosen(None, row, other, other.comparisons[measure]))
    corrected = holm([item.comparison.p for item in found])
    return tuple(
        replace(item, comparison=replace(item.comparison, p_holm=p)) for item, p in zip(found, corrected, strict=True)
    )


def _chosen(training: tuple[Row, ...], held_out: list[Row], measure: str) -> Chosen:
    choice = choose(
        [score(row, measure) for row in training],
        [score(row, measure) for row in held_out],
        [row.index_bytes for row in training],
    )
    row = held_out[choice.chosen]
    return Chosen(
        row.sweep, training[choice.chosen], row, row.comparisons[measure], held_out[choice.best], choice.optimism
    )


def _counterpart(row: Row, there: dict[tuple[str, str], Row], measure: str) -> Row:
    found = there.get((row.retrieval, row.variant))
    if found is None or measure not in found.comparisons:
        raise InputError(
            f"{row.variant} with {row.retrieval} has no {measure} on the held-out topics",
            "run the experiment again",
            "results.held_out",
        )
    return found
