"""The walk through a family: from its largest index on, until one is not shown to lose less than the margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thresher.choosing.families import path_of_sizes
from thresher.choosing.terms import Terms
from thresher.defaults import DEFAULT_FAMILIES
from thresher.evaluation.cross_validation import Splits
from thresher.evaluation.non_inferiority import MINIMUM, Floats, ImaginaryTopic, lower_bounds
from thresher.evaluation.significance import TOLERANCE
from thresher.variants.table import VariantTable


@dataclass(frozen=True)
class Sample:
    """A table's variants in the deciding measures, the main one first, with topics in the order of their ids."""

    table: VariantTable
    measures: tuple[str, ...]
    terms: Terms

    @cached_property
    def values(self) -> Floats:
        """Shape (measures, variants, topics)."""
        order = sorted(range(len(self.table.topics)), key=self.table.topics.__getitem__)
        # `take` returns rows that are contiguous, so that the order of topics changes no sum.
        return np.stack([self.table.of(measure).take(order, axis=1) for measure in self.measures])

    @property
    def baseline(self) -> Floats:
        """Shape (measures, topics)."""
        return self.values[:, 0]

    @property
    def topics(self) -> int:
        """How many."""
        return len(self.table.topics)

    @cached_property
    def tested(self) -> Floats:
        """What has a mean above 0 where the loss is within the margin; of the shape of `values`."""
        margin = self.terms.margin
        return np.stack([margin.tested(of, base) for of, base in zip(self.values, self.baseline, strict=True)])

    @cached_property
    def lost(self) -> Floats:
        """The same of a topic of the baseline's mean value that loses everything; shape (measures,)."""
        means = self.baseline.mean(axis=1, keepdims=True)
        margin = self.terms.margin
        return np.array([float(margin.tested(np.zeros(1), mean)[0]) for mean in means])

    @cached_property
    def keeps_pages(self) -> Sequence[bool]:
        """Of each variant, whether it leaves few enough pages without text."""
        kept: list[bool] = (self.table.emptied_shares <= self.terms.emptied + TOLERANCE).tolist()
        return kept

    @cached_property
    def paths(self) -> Mapping[str, tuple[int, ...]]:
        """The variants to test of each family, by its name; none of one that was not explored."""
        return {family: path_of_sizes(self.table, family) for family in self.terms.families}

    def smallest(self, indices: Sequence[int | None]) -> int | None:
        """Return the smallest of these variants; of equals the one with the higher main mean, then the shorter name."""
        main = self.table.mean(self.measures[0])
        known = [index for index in indices if index is not None]
        names = {i: self.table.rows[i].name for i in known}
        key = {i: (int(self.table.sizes[i]), -float(main[i]), len(names[i]), names[i]) for i in known}
        return min(known, key=key.__getitem__, default=None)


@dataclass(frozen=True)
class Walk:
    """A family's path, as far as it was walked.

    Args:
        family: its name.
        path: variants, the largest first.
        bounds: lower bounds of what is tested; shape (measures, variants of the path).
        accepted: how many are accepted; the one behind them failed, and what follows it was not looked at.
    """

    family: str
    path: tuple[int, ...]
    bounds: Floats
    accepted: int

    @property
    def last(self) -> int | None:
        """The last that was accepted."""
        return self.path[self.accepted - 1] if self.accepted else None

    @property
    def failed(self) -> int | None:
        """The first that was not."""
        return self.path[self.accepted] if self.accepted < len(self.path) else None


def walk(sample: Sample, cautious: bool, training: Splits | None = None) -> list[Walk]:
    """Walk through all families.

    To recommend an index that loses the margin or more, a family must accept the first such index on its path, which happens
    with a probability of at most its level; over all families these add up to at most alpha, whatever their correlation
    (Goeman & Solari 2010). Nothing is corrected for the number of indexes or of measures: an index is accepted if its null
    hypothesis is rejected in every deciding measure (Berger 1982).

    Args:
        sample: what to test on.
        cautious: whether an imaginary topic decides, instead of Student's t. Families that are no defaults must pass both to
            be recommended: they may remove whole words or pages, which no topic of a sample needs to notice.
        training: which topics to test on; None for all.
    """
    bounds = _bounds(sample, sample.tested if training is None else sample.tested[..., training], cautious)
    walks = []
    for family, path in sample.paths.items():
        of_path = bounds[:, list(path)]
        shown = np.all(of_path > TOLERANCE, axis=0).tolist()
        passed = [one and sample.keeps_pages[index] for one, index in zip(shown, path, strict=True)]
        walks.append(Walk(family, path, of_path, [*passed, False].index(False)))
    return walks


def _bounds(sample: Sample, tested: Floats, cautious: bool) -> Floats:
    """Return the lower bounds of the variants on paths; shape (measures, variants)."""
    topics, level = tested.shape[-1], sample.terms.level
    if topics < MINIMUM:
        return np.full(tested.shape[:2], -np.inf)
    bounds = np.full(tested.shape[:2], np.inf)
    every = [index for path in sample.paths.values() for index in path]
    if not cautious:
        bounds[:, every] = lower_bounds(tested[:, every], level)
    stricter = [family for family in sample.paths if cautious or family not in DEFAULT_FAMILIES]
    strict = [index for family in stricter for index in sample.paths[family]]
    if strict:
        imaginary = ImaginaryTopic(topics)
        for of_measure, one, lost in zip(bounds, tested[:, strict], sample.lost.tolist(), strict=True):
            of_measure[strict] = np.minimum(of_measure[strict], imaginary.lower_bounds(one, lost, level))
    return bounds


def recommended(sample: Sample, walks: Sequence[Walk]) -> int | None:
    """Return the smallest of all that were accepted; None to stay with the baseline."""
    return sample.smallest([one.last for one in walks])
