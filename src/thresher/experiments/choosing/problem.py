"""A choice as arrays: the values of a table's variants in the deciding measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thresher.base.numbers import Floats
from thresher.evaluation.significance import TOLERANCE
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.table import IndexSize, VariantTable


@dataclass(frozen=True)
class ChoiceProblem:
    """A table of variants with the deciding measures, the main one first, and the criteria.

    Arrays have their topics in the order of the topics' ids.
    """

    table: VariantTable
    measures: tuple[str, ...]
    criteria: ChoiceCriteria

    @cached_property
    def values(self) -> Floats:
        """Values; shape (measures, variants, topics)."""
        order = sorted(range(self.topics), key=self.table.topics.__getitem__)
        # `take` returns contiguous rows, so that the order of topics in the table changes no sum.
        return np.stack([self.table.of(measure).take(order, axis=1) for measure in self.measures])

    @property
    def baseline(self) -> Floats:
        """The baseline's values; shape (measures, topics)."""
        return self.values[:, 0]

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.table.topics)

    @property
    def margins(self) -> list[float]:
        """The accepted losses by measure, in units of the measure."""
        return [self.criteria.margin.loss(baseline) for baseline in self.baseline]

    @cached_property
    def tested(self) -> Floats:
        """Statistics whose means are above 0 where the loss is within the margin; shape (measures, variants, topics)."""
        statistics = []
        for values, baseline in zip(self.values, self.baseline, strict=True):
            statistics.append(self.criteria.margin.tested(values, baseline))
        return np.stack(statistics)

    @cached_property
    def total_loss(self) -> list[float]:
        """The tested statistic by measure, for a topic that drops from the baseline mean to zero."""
        statistics = []
        for mean in self.baseline.mean(axis=1, keepdims=True):
            statistics.append(float(self.criteria.margin.tested(np.zeros(1), mean)[0]))
        return statistics

    @cached_property
    def keeps_pages(self) -> NDArray[np.bool_]:
        """Whether each variant leaves few enough pages without text; shape (variants,)."""
        keeps: NDArray[np.bool_] = self.table.emptied_shares <= self.criteria.emptied + TOLERANCE
        return keeps

    def smallest(self, variants: Iterable[int]) -> int | None:
        """Return the smallest of some variants, in bytes; None without any.

        Among equal sizes the higher main mean counts, then the shorter name, then the alphabet.
        """
        means = self.table.mean(self.measures[0])

        def preference(variant: int) -> tuple[IndexSize, float, int, str]:
            name = self.table.rows[variant].name
            return self.table.size(variant), -float(means[variant]), len(name), name

        return min(variants, key=preference, default=None)
