"""What a variant is chosen among, what the rules pick, and what a variant saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from thresher.choosing.guards import GuardName
from thresher.costs import BreakEven, Interval
from thresher.evaluation.non_inferiority import NonInferiorityTest, Verdict
from thresher.evaluation.significance import Comparison
from thresher.pruning_methods.treatments import Family, family_of

Values = npt.NDArray[np.float64]


class SizeKind(StrEnum):
    """What sizes are: bytes of indexes that were built, bytes as a model estimates them, or postings where it cannot."""

    BYTES = "bytes"
    ESTIMATED = "bytes, estimated"
    POSTINGS = "postings"


class RuleName(StrEnum):
    """How a variant is picked; what `GUARDED` picks, the smallest non-inferior one that passes every guard, is recommended."""

    GUARDED = "recommended"
    SMALLEST = "smallest non-inferior"
    KNEE = "knee"
    HIGHEST = "highest mean"


@dataclass(frozen=True)
class SizedVariant:
    """A variant that may be chosen.

    Args:
        name: canonical, unique within a decision.
        sweep: the sweep it belongs to; its own name if none. Several cutoffs of a scorer, each with the cutoffs of one method,
            are one sweep, such as `words|dcp`: a combination.
        cutoff: None for a variant without one.
        size: see `SizeKind`.
        documents: how many keep some text.
        cleaner_cutoff: of the scorer before the pruning method, in a combination.
    """

    name: str
    sweep: str
    cutoff: float | None
    size: float
    documents: int
    cleaner_cutoff: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class JudgedVariant(SizedVariant):
    """A variant with its mean over the topics and its test against the baseline, simultaneous with all others.

    Args:
        mean, test: see above.
        on_front: neither another variant nor the baseline is as small and better, or smaller and as good.
        stability: share of the trainings that pick its size or a neighbouring one; None where no cutoff is recommended by
            this measure.
        broken: the guards that it does not pass; likewise empty.
    """

    mean: float
    test: NonInferiorityTest
    on_front: bool
    stability: float | None = None
    broken: tuple[GuardName, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """Per-topic values of one measure and retrieval model, of the variants and of the baseline.

    Args:
        retrieval, measure: names.
        explored: whether the values come from exploring, not from runs.
        size_kind: of all sizes.
        baseline_size: of the baseline's index.
        documents: with text before cleaning.
        variants: those to choose among.
        values: shape (variants, topics).
        baseline: shape (topics,).
        held_out: (values, baseline) of the same variants on topics without a part in the choice; None if there are none.
    """

    retrieval: str
    measure: str
    explored: bool
    size_kind: SizeKind
    baseline_size: float
    documents: int
    variants: tuple[SizedVariant, ...]
    values: Values
    baseline: Values
    held_out: tuple[Values, Values] | None


@dataclass(frozen=True)
class HeldOutCheck:
    """How a rule does on topics that had no part in picking.

    Args:
        apparent: the pick's mean on the topics it was picked on; with a second topic set, the mean that the best pick on that
            set would promise.
        mean: on held-out topics.
        optimism: apparent - mean.
        size: mean size of what the trainings picked.
        share: of the trainings, those that pick the same as all topics; None with a second topic set, which has one training.
        comparison: of the held-out values with the baseline's.
        stability: of the trainings, those that pick its size or a neighbouring one; None as `share`.
    """

    apparent: float
    mean: float
    optimism: float
    size: float
    share: float | None
    comparison: Comparison
    stability: float | None = None

    @property
    def baseline_mean(self) -> float:
        """The baseline's mean on the same held-out topics."""
        return self.mean - self.comparison.difference


@dataclass(frozen=True)
class Pick:
    """What a rule picks of all variants, None for the baseline; `check` is None if held-out topics were not looked at."""

    rule: RuleName
    variant: JudgedVariant | None
    check: HeldOutCheck | None


@dataclass(frozen=True)
class SweepPicks:
    """What each rule picks within one sweep, None for the baseline; `variants` is how many the sweep has."""

    sweep: str
    variants: int
    highest: JudgedVariant
    knee: JudgedVariant | None
    smallest: JudgedVariant | None


def frontier(variants: Sequence[JudgedVariant]) -> tuple[JudgedVariant, ...]:
    """Return the variants with a higher mean than all that are as small, or smaller; by ascending size and mean.

    Of equal sizes and means the first.
    """
    found: list[JudgedVariant] = []
    for variant in sorted(variants, key=lambda one: (one.size, -one.mean)):
        if not found or variant.mean > found[-1].mean:
            found.append(variant)
    return tuple(found)


@dataclass(frozen=True)
class OrderedSweep:
    """The variants of a sweep by ascending cutoff, at least two."""

    picks: SweepPicks
    variants: tuple[JudgedVariant, ...]
    cutoffs: tuple[float, ...]

    @property
    def name(self) -> str:
        """The sweep's name."""
        return self.picks.sweep

    @property
    def laxest_first(self) -> tuple[JudgedVariant, ...]:
        """The variants from the cutoff that keeps most to the one that keeps least."""
        return self.variants if self.variants[0].size >= self.variants[-1].size else self.variants[::-1]


@dataclass(frozen=True)
class Combination:
    """The variants of a scorer with cutoffs and a pruning method with cutoffs, the largest index first."""

    picks: SweepPicks
    variants: tuple[JudgedVariant, ...]

    @property
    def name(self) -> str:
        """The name of the sweep."""
        return self.picks.sweep

    @cached_property
    def frontier(self) -> tuple[JudgedVariant, ...]:
        """Its variants on its frontier, see `frontier`."""
        return frontier(self.variants)


@dataclass(frozen=True)
class Decision:
    """One measure of one retrieval model: every variant judged, and what the rules pick.

    Args:
        retrieval, measure, explored, size_kind, baseline_size, documents: see `Evidence`.
        topics: how many.
        held_out_topics: size of the second topic set; 0 where topics are cross-validated.
        folds, repeats: of the trainings by cross-validation; 0 without.
        margin: the largest accepted loss, in units of the measure.
        relative_margin: the same as a share of the baseline's mean, where it was stated so; None otherwise.
        alpha: the probability, over all variants, of calling one non-inferior that is not.
        critical: see `thresher.evaluation.non_inferiority.NonInferiority`.
        baseline_mean: over the topics.
        variants: all of them; the bounds of their tests hold together.
        sweeps: what the rules pick within each.
        picks: what the rules pick of all variants, the recommended first, if one is recommended by this measure.
    """

    retrieval: str
    measure: str
    explored: bool
    size_kind: SizeKind
    topics: int
    held_out_topics: int
    folds: int
    repeats: int
    margin: float
    relative_margin: float | None
    alpha: float
    critical: float
    baseline_mean: float
    baseline_size: float
    documents: int
    variants: tuple[JudgedVariant, ...]
    sweeps: tuple[SweepPicks, ...]
    picks: tuple[Pick, ...]

    @property
    def recommended(self) -> JudgedVariant | None:
        """The smallest variant that passes the guards; None to stay with the baseline, or if none is recommended by this."""
        return self.picked(RuleName.GUARDED)

    def picked(self, rule: RuleName) -> JudgedVariant | None:
        """Return what a rule picks of all variants; None for the baseline, and for a rule that was not asked."""
        return next((pick.variant for pick in self.picks if pick.rule is rule), None)

    @property
    def checked(self) -> bool:
        """Whether picks were checked on held-out topics."""
        return self.picks[0].check is not None

    @cached_property
    def by_name(self) -> dict[str, JudgedVariant]:
        """The variants by name."""
        return {variant.name: variant for variant in self.variants}

    @property
    def front(self) -> tuple[JudgedVariant, ...]:
        """The variants on the Pareto front, by ascending size and mean."""
        return tuple(sorted((one for one in self.variants if one.on_front), key=lambda one: (one.size, one.mean)))

    @property
    def confidence(self) -> float:
        """The level at which all lower bounds hold together, and all upper ones: 1 - alpha."""
        return 1 - self.alpha

    @cached_property
    def families(self) -> dict[Family, tuple[JudgedVariant, ...]]:
        """The variants of each family that has some, in the order of `Family`."""
        members: dict[Family, list[JudgedVariant]] = {family: [] for family in Family}
        for variant in self.variants:
            members[family_of(variant.name)].append(variant)
        return {family: tuple(variants) for family, variants in members.items() if variants}

    @cached_property
    def frontiers(self) -> dict[Family, tuple[JudgedVariant, ...]]:
        """The frontier of each of `families`."""
        return {family: frontier(variants) for family, variants in self.families.items()}

    @cached_property
    def ordered_sweeps(self) -> tuple[OrderedSweep, ...]:
        """The sweeps of at least two cutoffs, in the decision's order, without combinations."""
        ordered = []
        for picks in self.sweeps:
            points = [
                (variant.cutoff, index, variant)
                for index, variant in enumerate(self.variants)
                if variant.sweep == picks.sweep and variant.cutoff is not None and variant.cleaner_cutoff is None
            ]
            if len(points) > 1:
                cutoffs, _, variants = zip(*sorted(points, key=lambda point: point[:2]), strict=True)
                ordered.append(OrderedSweep(picks, variants, cutoffs))
        return tuple(ordered)

    @cached_property
    def combinations(self) -> tuple[Combination, ...]:
        """The combinations, in the decision's order."""
        found = []
        for picks in self.sweeps:
            members = [
                one
                for one in self.variants
                if one.sweep == picks.sweep and None not in (one.cutoff, one.cleaner_cutoff)
            ]
            if members:
                found.append(Combination(picks, tuple(sorted(members, key=lambda one: -one.size))))
        return tuple(found)

    @property
    def singles(self) -> tuple[JudgedVariant, ...]:
        """The variants of no combination and no sweep of two cutoffs or more, the largest index first."""
        swept = {variant.name for sweep in self.ordered_sweeps for variant in sweep.variants}
        swept |= {variant.name for combination in self.combinations for variant in combination.variants}
        return tuple(sorted((one for one in self.variants if one.name not in swept), key=lambda one: -one.size))

    def rules_by_variant(self) -> dict[str, list[str]]:
        """Return the names of the rules that pick each picked variant, by its name, the recommended first."""
        rules: dict[str, list[str]] = {}
        for pick in self.picks:
            if pick.variant is not None:
                rules.setdefault(pick.variant.name, []).append(pick.rule.value)
        return rules

    def size_share(self, size: float) -> float:
        """Return a size as a share of the baseline's; 0 where that is 0."""
        return size / self.baseline_size if self.baseline_size else 0.0

    def emptied_share(self, variant: JudgedVariant) -> float:
        """Return the share of the pages that a variant leaves without text; 0 if there are none."""
        return 1 - variant.documents / self.documents if self.documents else 0.0

    def nearest(self, below: float, sweep: str | None = None) -> JudgedVariant | None:
        """Return the inconclusive variant that needs the fewest topics for non-inferiority; of equals the smallest.

        Args:
            below: what its size must be less than.
            sweep: the sweep it must be of; None for any.
        """
        needed = [
            (variant.test.topics_needed, variant.size, index)
            for index, variant in enumerate(self.variants)
            if variant.test.verdict is Verdict.INCONCLUSIVE
            and variant.test.topics_needed is not None
            and variant.size < below
            and sweep in (None, variant.sweep)
        ]
        return self.variants[min(needed)[-1]] if needed else None


@dataclass(frozen=True)
class ModelDecisions:
    """The decisions on one retrieval model: by the main measure, and by the others in the order of the choice."""

    main: Decision
    others: tuple[Decision, ...]


class Basis(StrEnum):
    """Where the time that a variant saves comes from."""

    MEASURED = "measured"
    ESTIMATED = "estimated"
    NOT_MEASURABLE = "not measurable here"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Savings:
    """What a variant saves against the baseline over `queries` queries, searched by a retrieval model.

    Args:
        bytes: of the index; None where sizes are postings and it was not built.
        share: of the baseline's size.
        basis: where the times come from.
        indexes: how many were timed.
        query_seconds: wall time that all the queries save, negative where they take longer; None unless it is known.
        extra_seconds: wall time that cleaning and building take more before the first query; None where nothing was run.
        co2_kg: of the net seconds, negative for a loss; None unless they are known, and below resolution.
        break_even: None where nothing was run.
    """

    retrieval: str
    variant: str
    queries: int
    bytes: float | None
    share: float
    basis: Basis
    indexes: int
    query_seconds: Interval | None = None
    extra_seconds: float | None = None
    co2_kg: Interval | None = None
    break_even: BreakEven | None = None


@dataclass(frozen=True)
class QueryCosts:
    """What a query costs with one retrieval model.

    Args:
        seconds: of the baseline, wall time.
        saved: wall seconds less than the baseline's, by variant; None where the difference is within noise.
    """

    retrieval: str
    seconds: float
    saved: Mapping[str, Interval | None]
