"""The walk through a family: from its largest index on, until one is not shown to lose less than the margin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.choosing.families import Terms, path_of_sizes
from thresher.defaults import DEFAULT_FAMILIES
from thresher.evaluation.non_inferiority import MINIMUM, Floats, ImaginaryTopic, lower_bounds
from thresher.evaluation.significance import SEED, TOLERANCE
from thresher.variants.table import VariantTable

Splits: TypeAlias = NDArray[np.bool_]
"""Which topics train; shape (splits, topics)."""
Rule: TypeAlias = Callable[[Splits], Sequence[int | None]]
"""From splits to the index of the variant that each picks on its training topics; None for none."""

FOLDS = 10
REPEATS = 100
"""So many that chance in the folds hardly matters."""

INFLATION = 1 + FOLDS / (FOLDS - 1)
"""What the variance of a mean of held-out differences is multiplied by, as training folds overlap (Nadeau & Bengio 2003).

Without it, Student's t at level .05 calls the best of 2,700 variants better in 7 to 17 of 100 samples where none is; with it,
in 2 to 5.
"""


def training_splits(topics: int, repeats: int = REPEATS, seed: int = SEED) -> Splits:
    """Return the training folds of a repeated cross-validation: in each repeat every topic is held out once.

    Folds are `FOLDS`, or each topic alone if there are fewer; they differ by at most one topic in size.
    """
    generator = np.random.default_rng(seed)
    folds = min(FOLDS, topics)
    splits = np.ones((repeats, folds, topics), dtype=np.bool_)
    for repeat in range(repeats):
        for fold, held_out in enumerate(np.array_split(generator.permutation(topics), folds)):
            splits[repeat, fold, held_out] = False
    return splits.reshape(-1, topics)


def held_out_values(values: Floats, reference: Floats, rule: Rule, splits: Splits) -> Floats:
    """Return for each topic the values of what was picked without it, mean over repeats; shape (measures, topics).

    The whole procedure of picking runs in every fold, as nothing of it may see the topics it is judged on (Stone 1974).

    Args:
        values: shape (measures, variants, topics).
        reference: what counts where nothing is picked; shape (measures, topics).
        rule: see there.
        splits: see `training_splits`.
    """
    total = np.zeros_like(reference)
    for training, pick in zip(splits, rule(splits), strict=True):
        held_out = ~training
        total[:, held_out] += (reference if pick is None else values[:, pick])[:, held_out]
    found: Floats = total / (~splits).sum(axis=0)
    return found


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


ALPHA = 0.05
"""Of each question about gains, whatever alpha recommendations have."""
NEAR = 0.95
"""Share of the best score that a smaller index must have to be taken instead."""


@dataclass(frozen=True)
class Better:
    """An index that is shown to be better than a reference.

    Args:
        index: what the rule picks on all topics.
        mean, reference: means over the topics in the main measure, each topic with what was picked without it, and with the
            reference.
        low: lower bound of their difference, of confidence 1 − `ALPHA`.
    """

    index: int
    mean: float
    reference: float
    low: float


def better_than(sample: Sample, reference: int, among: Sequence[int]) -> Better | None:
    """Return the index that gains most over a reference, where a gain is shown.

    A rule picks on nine tenths of the topics, and is judged on the last tenth; so all tried variants are paid for. The gain is
    shown if the held-out values are higher than the reference's in the main measure and lose less than the margin against the
    baseline in the others: by Student's t, with variances that allow for overlapping training folds. With an imaginary topic
    that loses everything, they must lose less than the margin in all.

    Args:
        sample: what to test on.
        reference: the baseline, or what is recommended.
        among: candidates, in an order that does not depend on that of the table.
    """
    allowed = [index for index in among if sample.keeps_pages[index]]
    if sample.topics < MINIMUM or not allowed:
        return None
    differences = sample.values[0, allowed] - sample.values[0, reference]
    sizes = sample.table.sizes[allowed].tolist()

    def rule(splits: Splits) -> list[int | None]:
        return [None if pick is None else allowed[pick] for pick in _picks(differences, sizes, splits)]

    (index,) = rule(np.ones((1, sample.topics), dtype=np.bool_))
    if index is None:
        return None
    values = held_out_values(sample.values, sample.values[:, reference], rule, training_splits(sample.topics))
    difference = values[:1] - sample.values[:1, reference]
    tested = np.stack([sample.terms.margin.tested(*pair) for pair in zip(values, sample.baseline, strict=True)])
    bounds = lower_bounds(np.concatenate((difference, tested[1:])), ALPHA, INFLATION)
    imaginary = ImaginaryTopic(sample.topics)
    safe = [
        imaginary.lower_bounds(of[None], lost, ALPHA)[0] for of, lost in zip(tested, sample.lost.tolist(), strict=True)
    ]
    if min(*bounds.tolist(), *safe) <= TOLERANCE:
        return None
    return Better(index, float(values[0].mean()), float(sample.values[0, reference].mean()), float(bounds[0]))


def _picks(differences: Floats, sizes: Sequence[int], splits: Splits) -> list[int | None]:
    """Return for each split the smallest index whose score is nearly the best; None where no score is above 0.

    The score is the mean difference less its standard error: gains that many topics share go before those of a few.
    """
    training = splits.T.astype(np.float64)
    counts = splits.sum(axis=1)
    means = differences @ training / counts
    variances = np.maximum(differences**2 @ training / counts - means**2, 0) / np.maximum(counts - 1, 1)
    picks: list[int | None] = []
    for score in (means - np.sqrt(variances)).T:
        best = float(score.max())
        near = np.flatnonzero(score >= NEAR * best - TOLERANCE).tolist() if best > TOLERANCE else []
        picks.append(min(near, key=lambda index: (sizes[index], -score[index], index), default=None))
    return picks
