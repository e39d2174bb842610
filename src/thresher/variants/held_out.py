"""What is chosen on the experiment's topics alone, tested on the held-out ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from thresher.columns import Declared, Show
from thresher.evaluation.significance import Comparison, corrected
from thresher.pruning_methods.treatments import Treatment
from thresher.scorers.cleaners import DROP, KEEP, Cleaner, parse_cleaner
from thresher.variants.results import Results
from thresher.variants.table import VariantTable


@dataclass(frozen=True)
class Chosen:
    """The cutoff of a sweep with the best mean on the topics, or a single variant, and its worth on held-out topics.

    All is by the main measure.

    Args:
        index: of the variant in the table.
        comparison: with the baseline on the held-out topics; its p is corrected over all that was chosen, not over all that
            was tried.
        best: the variant of the sweep with the best mean on the held-out topics; None for a single one.
    """

    table: VariantTable
    sweep: Annotated[str | None, Declared("The sweep; empty for a single variant.", Show.TEXT)]
    index: int
    comparison: Comparison
    best: int | None = None

    @property
    def retrieval(self) -> Annotated[str, Declared("The retrieval model.", Show.TEXT)]:
        """The table's."""
        return self.table.retrieval

    @property
    def chosen(self) -> Annotated[str, Declared("The variant chosen on the topics.", Show.TEXT)]:
        """Its name."""
        return self.table.rows[self.index].name

    @property
    def measure(self) -> Annotated[str, Declared("The measure that all other columns are about.", Show.TEXT)]:
        """The main one."""
        return self.table.main

    @property
    def training(self) -> Annotated[float, Declared("Its mean over the topics.")]:
        """Its mean over the topics that chose it."""
        return float(self.table.mean(self.measure)[self.index])

    @property
    def held_out(self) -> Annotated[float, Declared("Its mean over the held-out topics.", header="held out")]:
        """Its mean over the held-out topics."""
        return float(self.table.held_out_mean(self.measure)[self.index])

    @property
    def baseline(self) -> Annotated[float, Declared("The baseline's mean over the held-out topics.", unit="held out")]:
        """The baseline's mean over the held-out topics."""
        return float(self.table.held_out_mean(self.measure)[0])

    @property
    def best_variant(
        self,
    ) -> Annotated[
        str | None,
        Declared(
            "The variant of the sweep with the best mean over the held-out topics.", Show.TEXT, header="best possible"
        ),
    ]:
        """The name of the best."""
        return None if self.best is None else self.table.rows[self.best].name

    @property
    def best_held_out(
        self,
    ) -> Annotated[float | None, Declared("That variant's mean over the held-out topics.", header="best possible")]:
        """The best mean."""
        return None if self.best is None else float(self.table.held_out_mean(self.measure)[self.best])

    @property
    def optimism(
        self,
    ) -> Annotated[float | None, Declared("How much lower the chosen variant's held-out mean is than the best one's.")]:
        """The best mean less that of what was chosen."""
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
    for sweep, members in table.sweeps.items():
        chosen = table.best(table.main, members)
        yield Chosen(table, sweep, chosen, _comparison(table, chosen), _best_held_out(table, members, chosen))
    for index in table.singles:
        yield Chosen(table, None, index, _comparison(table, index))


def _best_held_out(table: VariantTable, members: Sequence[int], chosen: int) -> int:
    means = np.nan_to_num(table.held_out_mean(table.main), nan=-np.inf)
    return min(members, key=lambda index: (-means[index], index != chosen, table.sizes[index], index))


def _comparison(table: VariantTable, index: int) -> Comparison:
    built = table.rows[index].built
    assert built is not None
    return built.held_out[table.main]


WITHOUT_HEADINGS = "words(headings=drop)@0"
"""All text but title and headings."""


def without_headings(treatment: Treatment) -> Treatment | None:
    """Return the treatment that differs in dropping title and headings; None for one that does not keep them on purpose."""
    if treatment.is_baseline:
        return Treatment(parse_cleaner(WITHOUT_HEADINGS))
    cuts = treatment.cleaner.cuts
    if not any(cut.headings == KEEP for cut in cuts):
        return None
    dropped = (replace(cut, headings=DROP) if cut.headings == KEEP else cut for cut in cuts)
    return Treatment(Cleaner(tuple(dropped)), treatment.pruning)


def headings_pairs(table: VariantTable) -> tuple[tuple[int, int], ...]:
    """Return each variant with the one without title and headings, if the table has both, the baseline's pair first.

    Nothing is returned if the baseline's is missing, for the others are compared with it.
    """
    others = (without_headings(row.variant.treatment) for row in table.rows)
    pairs = [
        (index, table.position[other.name])
        for index, other in enumerate(others)
        if other is not None and other.name in table.position
    ]
    return tuple(pairs) if len(pairs) > 1 and pairs[0][0] == 0 else ()
