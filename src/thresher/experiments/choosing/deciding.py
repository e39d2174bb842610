"""From a table of variants to what is recommended."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thresher.base.numbers import Floats, Interval
from thresher.evaluation import non_inferiority
from thresher.evaluation.significance import TOLERANCE, ratio_interval
from thresher.experiments.choosing.choices import Effect, FamilyWalk, Gain, ModelChoice, Pick, Tested, WorkChange
from thresher.experiments.choosing.savings import Savings
from thresher.experiments.choosing.walks import (
    GAIN_ALPHA,
    Sample,
    Splits,
    Terms,
    Walk,
    better_than,
    held_out_values,
    recommended,
    training_splits,
    walk,
)
from thresher.experiments.table import Bounds, VariantTable, Verdict

_FLOOR = 0.25
"""Share of the margin that is the floor of standard deviations. With the whole margin, skewed losses would pass too often."""
_DECIMALS = 6
"""Of bounds: sums of products depend on how a machine orders them."""


def bounds_by_hand(sample: Sample) -> dict[int, Bounds]:
    """Return for each candidate the bounds of its differences from the baseline, by its index.

    Those of a measure hold for all candidates together. There is no verdict with too few topics.
    """
    candidates = list(sample.table.candidates)
    if not candidates:
        return {}
    margins, lows, highs = [], [], []
    for tested, base in zip(sample.tested, sample.baseline, strict=True):
        margins.append(sample.terms.margin.loss(base))
        # Many variants have the same values; sorted, their order does not matter.
        rows, places = np.unique(tested[candidates], axis=0, return_inverse=True)
        low, high = non_inferiority.balanced_bounds(rows, _FLOOR * margins[-1], sample.terms.alpha)
        lows.append(np.round(low - margins[-1], _DECIMALS)[places.ravel()])
        highs.append(np.round(high - margins[-1], _DECIMALS)[places.ravel()])
    limits = -np.array(margins)[:, None]
    shown = np.all(np.array(lows) > limits, axis=0).tolist()
    lost = np.any(np.array(highs) < limits, axis=0).tolist()
    found = {}
    for place, index in enumerate(candidates):
        verdict = Verdict.SHOWN if shown[place] else Verdict.LOSES if lost[place] else Verdict.UNDECIDED
        by_measure = {measure: float(low[place]) for measure, low in zip(sample.measures, lows, strict=True)}
        found[index] = Bounds(by_measure, verdict if sample.topics >= non_inferiority.MINIMUM else Verdict.UNDECIDED)
    return found


_HELD_OUT_LEVEL = 0.025


def choose_variants(
    table: VariantTable, measures: Sequence[str], terms: Terms, save: Callable[[int], Savings]
) -> tuple[ModelChoice, VariantTable]:
    """Answer for one retrieval model, and return the table with the bounds of all variants.

    Nothing depends on the order of topics or variants.

    Args:
        table: with at least one candidate.
        measures: the deciding ones, the main one first.
        terms: see there.
        save: returns what a variant saves.
    """
    for measure in measures:
        terms.margin.checked(measure, table.of(measure)[0])
    sample = Sample(table, tuple(measures), terms)
    by_hand = bounds_by_hand(sample)
    return _Deciding(sample, by_hand, save).choice(), table.with_rows(
        replace(row, bounds=by_hand.get(index)) for index, row in enumerate(table.rows)
    )


@dataclass(frozen=True)
class _Deciding:
    sample: Sample
    by_hand: dict[int, Bounds]
    save: Callable[[int], Savings]

    def choice(self) -> ModelChoice:
        sample, table = self.sample, self.sample.table
        walks, cautious = walk(sample, False), walk(sample, True)
        best, safest = recommended(sample, walks), recommended(sample, cautious)
        smaller = [index for index in table.candidates if table.sizes[index] < table.sizes[0]]
        smaller.sort(key=lambda index: table.rows[index].name)
        most = 0 if best is None else table.sizes[best]
        no_larger = [index for index in smaller if table.sizes[index] <= most and index != best]
        return ModelChoice(
            retrieval=table.retrieval,
            topics=sample.topics,
            variants=len(table.candidates),
            documents=table.baseline.index.documents,
            recommended=self._tested_pick(best, walks),
            cautious=self._tested_pick(safest, cautious),
            cautious_topics=non_inferiority.fewest_cautious_topics(self._margin_share(), sample.terms.level),
            gain=self._gain(0, smaller),
            dominating=None if best is None else self._gain(best, no_larger),
            walks=tuple(map(self._walk, walks)),
            cautious_walks=tuple(map(self._walk, cautious)),
            cross_validated=self._cross_validated(),
        )

    def _margin_share(self) -> float:
        """Return the margin as a share of the baseline's mean, the smallest of all measures."""
        margin = self.sample.terms.margin
        shares = (margin.loss(base) / max(float(base.mean()), TOLERANCE) for base in self.sample.baseline)
        return min(min(shares), 0.999)

    def _gain(self, over: int, among: Sequence[int]) -> Gain | None:
        better = better_than(self.sample, over, among)
        if better is None:
            return None
        bounds = self.by_hand[better.index]
        measures = self.sample.measures
        effects = tuple(self._effect(at, better.index, bounds.low[one]) for at, one in enumerate(measures))
        difference = better.mean - better.reference
        held_out = Effect(measures[0], self.sample.topics, better.mean, better.reference, difference, better.low)
        name = self.sample.table.rows[over].name if over else None
        return Gain(self._pick(better.index, effects), name, held_out, GAIN_ALPHA)

    def _tested_pick(self, index: int | None, walks: Sequence[Walk]) -> Pick | None:
        if index is None:
            return None
        tested = next(one for one in walks if one.last == index)
        return self._pick(index, self._effects(tested, tested.accepted - 1))

    def _pick(self, index: int, effects: tuple[Effect, ...]) -> Pick:
        table = self.sample.table
        return Pick(
            table.rows[index].name,
            float(table.shares[index]),
            int(table.emptied[index]),
            effects,
            tuple(self._held_out(measure, index) for measure in self.sample.measures if table.held_out_topics),
            self.save(index),
            _work(table, index),
        )

    def _walk(self, one: Walk) -> FamilyWalk:
        last = None if one.last is None else self._step(one, one.accepted - 1, False)
        failed = None if one.failed is None else self._step(one, one.accepted, True)
        return FamilyWalk(one.family, len(one.path), last, failed)

    def _step(self, one: Walk, step: int, failed: bool) -> Tested:
        sample, index = self.sample, one.path[step]
        needed = None
        if failed and sample.keeps_pages[index] and sample.topics > 1:
            by_measure = [non_inferiority.topics_needed(of[index], sample.terms.level) for of in sample.tested]
            needed = max((one for one in by_measure if one), default=None) if None not in by_measure else None
        return Tested(
            sample.table.rows[index].name,
            float(sample.table.shares[index]),
            int(sample.table.emptied[index]),
            self._effects(one, step),
            needed,
        )

    def _effects(self, one: Walk, step: int) -> tuple[Effect, ...]:
        margins = [self.sample.terms.margin.loss(base) for base in self.sample.baseline]
        lows = (float(bound) - margin for bound, margin in zip(one.bounds[:, step], margins, strict=True))
        return tuple(self._effect(number, one.path[step], low) for number, low in enumerate(lows))

    def _effect(self, number: int, index: int, low: float) -> Effect:
        values, base = self.sample.values[number, index], self.sample.baseline[number]
        return Effect(
            measure=self.sample.measures[number],
            topics=self.sample.topics,
            mean=float(values.mean()),
            reference=float(base.mean()),
            difference=float((values - base).mean()),
            low=low,
            margin=self.sample.terms.margin.loss(base),
        )

    def _held_out(self, measure: str, index: int) -> Effect:
        table = self.sample.table
        order = sorted(range(len(table.held_out_topics)), key=table.held_out_topics.__getitem__)
        values, base = table.held_out[table.measures.index(measure)][[index, 0]].take(order, axis=1)
        return _interval(measure, values, base)

    def _cross_validated(self) -> Effect | None:
        sample = self.sample

        def rule(splits: Splits) -> list[int | None]:
            return [recommended(sample, walk(sample, False, training)) for training in splits]

        splits = training_splits(sample.topics, repeats=1)
        if splits.sum(axis=1).min() < non_inferiority.MINIMUM:
            return None
        values = held_out_values(sample.values, sample.baseline, rule, splits)
        return _interval(sample.measures[0], values[0], sample.baseline[0])


def _interval(measure: str, values: Floats, base: Floats) -> Effect:
    """Return an effect with the 95 % interval of Student's t; without bounds for a single topic."""
    differences = values - base
    difference, reach = float(differences.mean()), math.inf
    if len(values) > 1:
        error = float(differences.std(ddof=1)) / math.sqrt(len(values))
        reach = non_inferiority.t_quantile(_HELD_OUT_LEVEL, len(values) - 1) * error
    low, high = difference - reach, difference + reach
    return Effect(measure, len(values), float(values.mean()), float(base.mean()), difference, low, high)


def _work(table: VariantTable, index: int) -> WorkChange | None:
    order = sorted(range(len(table.topics)), key=table.topics.__getitem__)
    after, before = table.query_postings[[index, 0]].take(order, axis=1)
    if not before.any():
        return None
    low, high = ratio_interval(after, before)
    share = float(after.sum() / before.sum())
    return WorkChange(float(after.mean()), float(before.mean()), Interval(share, low, high))
