"""Choose indexes from a table of variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thresher.base.numbers import Floats, Interval
from thresher.base.student import t_quantile
from thresher.evaluation.non_inferiority import fewest_conservative_topics, topics_needed
from thresher.evaluation.significance import TOLERANCE, ratio_interval
from thresher.experiments.choosing.choices import (
    ChosenIndex,
    Effect,
    FamilyTests,
    ModelChoice,
    TestedIndex,
    WorkChange,
)
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.gains import BoundedVariant, best_gain
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.savings import Savings
from thresher.experiments.choosing.sizes import best_within
from thresher.experiments.choosing.testing_order import FixedSequence, fixed_sequences, smallest_accepted
from thresher.experiments.table import VariantTable

_HELD_OUT_LEVEL = 0.025
"""The level of each side of intervals on held-out topics."""
_LARGEST_SHARE = 0.999
"""The largest share of the baseline's mean that counts as a margin: with more, no topic would be needed."""


def choose_variants(
    table: VariantTable, measures: Sequence[str], criteria: ChoiceCriteria, save: Callable[[int], Savings]
) -> ModelChoice:
    """Choose indexes for one retrieval model; the order of topics and variants changes nothing.

    Args:
        table: a table with at least one candidate.
        measures: the deciding measures, the main one first.
        criteria: the criteria.
        save: returns the savings of a variant.

    Raises:
        InputError: if the margin is a share of a baseline's mean of 0.
    """
    for measure in measures:
        criteria.margin.checked(measure, table.of(measure)[0])
    problem = ChoiceProblem(table, tuple(measures), criteria)
    return _Decision(problem, save).choice()


@dataclass(frozen=True)
class _Decision:
    """Turns the decisions about a problem's variants into records."""

    problem: ChoiceProblem
    save: Callable[[int], Savings]

    def choice(self) -> ModelChoice:
        problem = self.problem
        table = problem.table
        families = fixed_sequences(problem, conservative=False)
        conservative_families = fixed_sequences(problem, conservative=True)
        highest_level = max(sequence.level for sequence in conservative_families)
        return ModelChoice(
            retrieval=table.retrieval,
            topics=problem.topics,
            variants=len(table.candidates),
            documents=table.baseline.index.documents,
            no_cleaning=self._baseline(),
            smallest=self._accepted(families),
            best=self._best(),
            size=problem.criteria.bytes,
            within=self._within(),
            conservative=self._accepted(conservative_families),
            conservative_topics=fewest_conservative_topics(self._smallest_margin_share(), highest_level),
            families=tuple(map(self._family_tests, families)),
            conservative_families=tuple(map(self._family_tests, conservative_families)),
        )

    def _baseline(self) -> ChosenIndex:
        effects: list[Effect] = []
        for number in range(len(self.problem.measures)):
            effects.append(self._effect(number, 0))
        return self._chosen_index(0, tuple(effects))

    def _smallest_margin_share(self) -> float:
        """Return the smallest margin of all measures as a share of the baseline's mean."""
        smallest = _LARGEST_SHARE
        for margin, baseline in zip(self.problem.margins, self.problem.baseline, strict=True):
            smallest = min(smallest, margin / max(float(baseline.mean()), TOLERANCE))
        return smallest

    def _accepted(self, sequences: Sequence[FixedSequence]) -> ChosenIndex | None:
        variant = smallest_accepted(self.problem, sequences)
        for sequence in sequences:
            if variant is not None and sequence.last == variant:
                return self._chosen_index(variant, self._tested_effects(sequence, sequence.accepted - 1))
        return None

    def _best(self) -> ChosenIndex | None:
        best = best_gain(self.problem)
        return None if best is None else self._bounded_index(best)

    def _within(self) -> ChosenIndex | None:
        size = self.problem.criteria.bytes
        if size is None:
            return None
        best = best_within(self.problem, size)
        if best is None:
            return None
        if best.variant == 0:
            return self._baseline()
        return self._bounded_index(best)

    def _bounded_index(self, bounded: BoundedVariant) -> ChosenIndex:
        effects: list[Effect] = []
        for number, low in enumerate(bounded.bounds):
            effects.append(self._effect(number, bounded.variant, low))
        return self._chosen_index(bounded.variant, tuple(effects))

    def _chosen_index(self, variant: int, effects: tuple[Effect, ...]) -> ChosenIndex:
        table = self.problem.table
        held_out: list[Effect] = []
        if table.held_out_topics:
            for measure in self.problem.measures:
                held_out.append(_held_out_effect(table, measure, variant))
        return ChosenIndex(
            variant=table.rows[variant].name,
            postings=int(table.sizes[variant]),
            share=float(table.shares[variant]),
            bytes=int(table.index_bytes[variant]),
            bytes_share=float(table.bytes_shares[variant]),
            measured=table.rows[variant].bytes is not None,
            emptied=int(table.emptied[variant]),
            effects=effects,
            held_out=tuple(held_out),
            savings=self.save(variant),
            work=_work_change(table, variant),
        )

    def _family_tests(self, sequence: FixedSequence) -> FamilyTests:
        last: TestedIndex | None = None
        failed: TestedIndex | None = None
        if sequence.last is not None:
            last = self._tested_index(sequence, sequence.accepted - 1)
        if sequence.failed is not None:
            needed = self._topics_needed(sequence.failed, sequence.level)
            failed = self._tested_index(sequence, sequence.accepted, needed)
        return FamilyTests(sequence.family, sequence.level, len(sequence.order), last, failed)

    def _tested_index(self, sequence: FixedSequence, step: int, needed: int | None = None) -> TestedIndex:
        table = self.problem.table
        variant = sequence.order[step]
        return TestedIndex(
            variant=table.rows[variant].name,
            share=float(table.shares[variant]),
            emptied=int(table.emptied[variant]),
            effects=self._tested_effects(sequence, step),
            topics_needed=needed,
        )

    def _topics_needed(self, variant: int, level: float) -> int | None:
        """Return the topics that would show a loss below the margin in all measures; None if no number would."""
        problem = self.problem
        if problem.topics < 2 or not problem.keeps_pages[variant]:
            return None
        needed_in_all = 0
        for statistics in problem.tested:
            needed = topics_needed(statistics[variant], level)
            if needed is None:
                return None
            needed_in_all = max(needed_in_all, needed)
        return needed_in_all

    def _tested_effects(self, sequence: FixedSequence, step: int) -> tuple[Effect, ...]:
        """Return the effects of a tested index, with the bounds of its test as differences from the baseline."""
        effects = []
        for number, margin in enumerate(self.problem.margins):
            low = float(sequence.bounds[number, step]) - margin
            effects.append(self._effect(number, sequence.order[step], low))
        return tuple(effects)

    def _effect(self, number: int, variant: int, low: float | None = None) -> Effect:
        values = self.problem.values[number, variant]
        baseline = self.problem.baseline[number]
        return Effect(
            measure=self.problem.measures[number],
            topics=self.problem.topics,
            mean=float(values.mean()),
            reference=float(baseline.mean()),
            difference=float((values - baseline).mean()),
            low=low,
            margin=self.problem.margins[number],
        )


def _held_out_effect(table: VariantTable, measure: str, variant: int) -> Effect:
    order = sorted(range(len(table.held_out_topics)), key=table.held_out_topics.__getitem__)
    values, baseline = table.held_out[table.measures.index(measure)][[variant, 0]].take(order, axis=1)
    return _effect_with_interval(measure, values, baseline)


def _effect_with_interval(measure: str, values: Floats, baseline: Floats) -> Effect:
    """Return an effect with its 95 % interval by Student's t; the interval is infinite for a single topic."""
    differences = values - baseline
    difference = float(differences.mean())
    reach = math.inf
    if len(values) > 1:
        error = float(differences.std(ddof=1)) / math.sqrt(len(values))
        reach = t_quantile(_HELD_OUT_LEVEL, len(values) - 1) * error
    return Effect(
        measure=measure,
        topics=len(values),
        mean=float(values.mean()),
        reference=float(baseline.mean()),
        difference=difference,
        low=difference - reach,
        high=difference + reach,
    )


def _work_change(table: VariantTable, variant: int) -> WorkChange | None:
    order = sorted(range(len(table.topics)), key=table.topics.__getitem__)
    after, before = table.query_postings[[variant, 0]].take(order, axis=1)
    if not before.any():
        return None
    low, high = ratio_interval(after, before)
    share = float(after.sum() / before.sum())
    return WorkChange(float(after.mean()), float(before.mean()), Interval(share, low, high))
