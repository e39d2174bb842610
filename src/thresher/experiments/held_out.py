"""Variants chosen on the experiment's topics only, and tested on the held-out topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thresher.evaluation.significance import Comparison, corrected
from thresher.experiments.results import Results
from thresher.experiments.table import IndexSize, VariantTable


@dataclass(frozen=True)
class Chosen:
    """The cutoff of a sweep with the best mean on the topics, or a single variant, and its effectiveness on held-out topics.

    Means and tests are of the main measure, if no other is named.

    Args:
        table: the table of the variant.
        sweep: the sweep; None for a single variant.
        index: the position of the variant in the table.
        comparisons: by measure, the comparisons with the baseline on the held-out topics; empty for the baseline. In each
            measure p is corrected for the number of chosen variants, not for the number of all variants.
        best: the variant of the sweep with the best mean on the held-out topics; None for a single variant.
    """

    table: VariantTable
    sweep: str | None
    index: int
    comparisons: Mapping[str, Comparison]
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
        """The measure of all means and tests."""
        return self.table.main

    @property
    def comparison(self) -> Comparison:
        """The comparison by the main measure."""
        return self.comparisons[self.measure]

    @cached_property
    def training(self) -> float:
        """Its mean over the topics."""
        return float(self.table.mean(self.measure)[self.index])

    @cached_property
    def held_out(self) -> float:
        """Its mean over the held-out topics."""
        return self.held_out_mean(self.measure)

    def held_out_mean(self, measure: str) -> float:
        """Return its mean over the held-out topics by a measure."""
        return float(self.table.held_out_mean(measure)[self.index])

    @property
    def bytes(self) -> int | None:
        """The bytes of its index."""
        return self.table.rows[self.index].bytes

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
        """The highest mean over the held-out topics of any variant of the sweep."""
        if self.best is None:
            return None
        return float(self.table.held_out_mean(self.measure)[self.best])

    @cached_property
    def optimism(self) -> float | None:
        """The held-out mean of the sweep's best variant, less the held-out mean of the chosen variant."""
        if self.best_held_out is None:
            return None
        return self.best_held_out - self.held_out


def chosen_on_topics(results: Results) -> tuple[Chosen, ...]:
    """Return the chosen variants that were built: for each retrieval model, a variant of each sweep, and all single
    variants. The chosen variant of a sweep has the best mean over the topics, and among equal means the smallest index;
    the held-out topics have no part in the choice. Tests of a measure are corrected over all returned variants. Without
    held-out topics no variant is returned.
    """
    if not results.was_run:
        return ()
    chosen: list[Chosen] = []
    for table in results.only_built().tables:
        chosen.extend(_chosen(table))
    if not chosen:
        return ()
    corrected_comparisons: list[dict[str, Comparison]] = [{} for _ in chosen]
    for measure in chosen[0].comparisons:
        uncorrected = [variant.comparisons[measure] for variant in chosen]
        corrected_by_variant = corrected(uncorrected, results.facts.correction)
        for comparisons, comparison in zip(corrected_comparisons, corrected_by_variant, strict=True):
            comparisons[measure] = comparison
    tested: list[Chosen] = []
    for variant, comparisons in zip(chosen, corrected_comparisons, strict=True):
        tested.append(replace(variant, comparisons=comparisons))
    return tuple(tested)


def _chosen(table: VariantTable) -> Iterator[Chosen]:
    if not table.held_out_topics:
        return
    for sweep, members in table.sweeps.items():
        chosen = table.best(table.main, members)
        best = _best_held_out(table, members, chosen)
        yield Chosen(table, sweep, chosen, _comparisons(table, chosen), best)
    for index in table.singles:
        yield Chosen(table, None, index, _comparisons(table, index))


def _best_held_out(table: VariantTable, members: Sequence[int], chosen: int) -> int:
    """Return the variant with the best mean on the held-out topics; among equal means the chosen variant or the
    smallest index.
    """
    means = np.nan_to_num(table.held_out_mean(table.main), nan=-np.inf)

    def rank(index: int) -> tuple[float, bool, IndexSize, int]:
        return -means[index], index != chosen, table.size(index), index

    return min(members, key=rank)


def _comparisons(table: VariantTable, index: int) -> Mapping[str, Comparison]:
    built = table.rows[index].built
    assert built is not None
    return built.held_out
