"""Variants chosen on the experiment's topics alone, and tested on the held-out ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thresher.evaluation.significance import Comparison, corrected
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable


@dataclass(frozen=True)
class Chosen:
    """The cutoff of a sweep with the best mean on the topics, or a single variant, and its worth on held-out topics.

    All is by the main measure.

    Args:
        index: of the variant in the table.
        comparison: with the baseline on the held-out topics; its p is corrected over all that was chosen, not over all that
            was tried.
        best: the variant of the sweep with the best mean on the held-out topics; None for a single one.
        sweep: the sweep; empty for a single variant.
    """

    table: VariantTable
    sweep: str | None
    index: int
    comparison: Comparison
    best: int | None = None

    @cached_property
    def retrieval(self) -> str:
        """The retrieval model."""
        return self.table.retrieval

    @cached_property
    def chosen(self) -> str:
        """The variant chosen on the topics."""
        return self.table.rows[self.index].name

    @cached_property
    def measure(self) -> str:
        """The measure that all other columns are about."""
        return self.table.main

    @cached_property
    def training(self) -> float:
        """Its mean over the topics."""
        return float(self.table.mean(self.measure)[self.index])

    @cached_property
    def held_out(self) -> float:
        """Its mean over the held-out topics."""
        return float(self.table.held_out_mean(self.measure)[self.index])

    @cached_property
    def baseline(self) -> float:
        """The baseline's mean over the held-out topics."""
        return float(self.table.held_out_mean(self.measure)[0])

    @cached_property
    def best_variant(self) -> str | None:
        """The variant of the sweep with the best mean over the held-out topics."""
        return None if self.best is None else self.table.rows[self.best].name

    @cached_property
    def best_held_out(self) -> float | None:
        """That variant's mean over the held-out topics."""
        return None if self.best is None else float(self.table.held_out_mean(self.measure)[self.best])

    @cached_property
    def optimism(self) -> float | None:
        """How much lower the chosen variant's held-out mean is than the best one's."""
        return None if self.best_held_out is None else self.best_held_out - self.held_out


def chosen_on_topics(results: Results) -> tuple[Chosen, ...]:
    """Return one for each retrieval model and sweep, then for each single variant, of those that were built.

    Of each sweep it is the cutoff with the best mean over the topics, of equals that with the smallest index; the held-out
    topics have no part in that. The correction is over all that is returned, which is nothing without held-out topics.
    """
    found = [chosen for table in results.only_built().tables for chosen in _chosen(table)] if results.was_run else []
    comparisons = corrected([one.comparison for one in found], results.facts.correction)
    return tuple(replace(one, comparison=comparison) for one, comparison in zip(found, comparisons, strict=True))


def _chosen(table: VariantTable) -> Iterator[Chosen]:
    if not table.held_out_topics:
        return
    means = np.nan_to_num(table.held_out_mean(table.main), nan=-np.inf)
    for sweep, members in table.sweeps.items():
        chosen = table.best(table.main, members)
        best = min((-means[index], index != chosen, table.sizes[index], index) for index in members)[-1]
        yield Chosen(table, sweep, chosen, _comparison(table, chosen), best)
    for index in table.singles:
        yield Chosen(table, None, index, _comparison(table, index))


def _comparison(table: VariantTable, index: int) -> Comparison:
    built = table.rows[index].built
    assert built is not None
    return built.held_out[table.main]
