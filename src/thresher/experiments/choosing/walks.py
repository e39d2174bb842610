"""The sweeps that an index is recommended from, the path of sizes through each, and the walk along it.

A walk begins with the largest index, and ends with one that is not shown to lose less than the margin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.base.defaults import ALPHA, COLLECTION, DEFAULT_FAMILIES, DOCUMENT, MARGIN, MOST_EMPTIED, REFERENCE
from thresher.base.errors import ConfigError
from thresher.base.numbers import Floats
from thresher.cleaners.cleaner import BASELINE, Cleaner, Cut, parse_cleaner, parse_scorer
from thresher.cleaners.scorer import Scorer
from thresher.evaluation.non_inferiority import MINIMUM, ImaginaryTopic, Margin, lower_bounds, parse_margin
from thresher.evaluation.significance import SEED, TOLERANCE
from thresher.experiments.table import VariantTable
from thresher.indexes.pruning.treatments import BAR, Pruning, parse_pruning, split_treatment

TARGETS = (*range(95, 0, -5), 2)
"""Sizes, in per cent of the baseline's postings, of the steps of a path."""
_STEP = 5
_SWEPT = re.compile(rf"(?P<scorer>[^@+]+?)\s*(?P<kind>@(?:{COLLECTION}|{REFERENCE}|{DOCUMENT}))?")


@dataclass(frozen=True)
class DeclaredFamily:
    """A sweep that is declared to be chosen from.

    Args:
        name: as `Variant.sweep` has it.
        cleaner: what cleans before pruning; None where a scorer is swept.
        cut: the scorer that is swept, without a cutoff; None where none is.
        pruning: the pruning method that is swept, without a cutoff; None where none is.
    """

    name: str
    cleaner: Cleaner | None
    cut: Cut | None
    pruning: Pruning | None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that it needs."""
        return tuple(self.cleaner.scorers) if self.cleaner else (self.cut.scorer,) if self.cut else ()


def parse_family(text: str) -> DeclaredFamily:
    """Parse a sweep's name: `words`, `none|dcp`, `words@5|dcp`, `words|dcp`."""
    cleaner, method = split_treatment(text)
    pruning = None if method is None else parse_pruning(method, text)
    if pruning is not None and (pruning.cutoff is not None or pruning.method.control):
        what = "has a cutoff" if pruning.cutoff is not None else "is there to be compared with"
        raise ConfigError(f"the pruning method of {text!r} {what}", "name a sweep, such as none|dcp", text)
    behind = "" if pruning is None else f"{BAR}{pruning.name}"
    match = _SWEPT.fullmatch(cleaner.strip())
    if match and match["scorer"] != BASELINE:
        cut = parse_scorer(match["scorer"], text)
        if not cut.scorer.decides:
            return DeclaredFamily(f"{cut.name}{match['kind'] or ''}{behind}", None, cut.checked(), pruning)
    fixed = parse_cleaner(cleaner, text).checked()
    if pruning is None:
        raise ConfigError(f"{text!r} is no sweep", "name one without its cutoff, such as words or none|dcp", text)
    return DeclaredFamily(f"{fixed.name}{behind}", fixed, None, pruning)


def path_of_sizes(table: VariantTable, family: str) -> tuple[int, ...]:
    """Return the variants of a family that are tested, the largest first: at each of `TARGETS` the one nearest below it.

    The path depends on sizes alone, never on topics; of equals the first by name counts. Steps of 5 points lead over dips
    between neighbouring cutoffs. At each size a family with two cutoffs has the pair whose cleaner alone keeps nearest to the
    square root of it.
    """
    members = [index for index in table.candidates if table.rows[index].variant.sweep == family]
    whole = int(table.sizes[0])
    path: list[int] = []
    for target in TARGETS:
        inside = [one for one in members if (target - _STEP) * whole < 100 * int(table.sizes[one]) <= target * whole]
        path += [index for index in _nearest(table, inside, target) if index not in path]
    return tuple(path)


def _nearest(table: VariantTable, inside: Iterable[int], target: int) -> list[int]:
    def key(index: int) -> tuple[float, int, str]:
        row = table.rows[index]
        apart = 0.0
        if row.variant.cleaner_cutoff is not None:
            apart = abs(float(table.word_shares[index]) - math.sqrt(target / 100))
        return apart, -row.index.postings, row.name

    return sorted(inside, key=key)[:1]


FEWEST_FAMILIES = 4
"""A family never has more of `alpha` than this share of it, as Student's t errs in up to 8 of 100 samples at level .05 where
baselines are near 1 and losses are rare."""


@dataclass(frozen=True)
class Terms:
    """The accepted loss, the allowed error, and what is chosen from.

    Args:
        margin: the largest mean loss that is accepted, in every deciding measure.
        alpha: the probability of recommending an index that loses the margin or more; in (0, 0.5).
        emptied: the largest share of the pages with text that an index may leave without any, in [0, 1].
        families: the sweeps that are tested, by canonical name, each once.
        deciding: the measures that must not be lost besides the main one; empty for AP, if it is measured.
    """

    margin: Margin = parse_margin(MARGIN)
    alpha: float = ALPHA
    emptied: float = MOST_EMPTIED
    families: tuple[str, ...] = DEFAULT_FAMILIES
    deciding: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the allowed error."""
        if not 0 < self.alpha < 0.5:
            raise ConfigError(f"{self.alpha} is no probability of an error", "give one above 0 and below 0.5", "alpha")

    @property
    def level(self) -> float:
        """The level of each family's tests: those that were not explored count too."""
        return self.alpha / max(len(self.families), FEWEST_FAMILIES)


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


GAIN_ALPHA = 0.05
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
        low: lower bound of their difference, of confidence 1 − `GAIN_ALPHA`.
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
    bounds = lower_bounds(np.concatenate((difference, tested[1:])), GAIN_ALPHA, INFLATION)
    imaginary = ImaginaryTopic(sample.topics)
    safe = [
        imaginary.lower_bounds(of[None], lost, GAIN_ALPHA)[0]
        for of, lost in zip(tested, sample.lost.tolist(), strict=True)
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
