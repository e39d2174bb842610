"""The order in which a family's indexes are tested, and how far each family passes.

Testing begins with the largest index. It ends with the first that is not shown to lose less than the margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thresher.base.defaults import DEFAULT_FAMILIES
from thresher.base.numbers import Floats
from thresher.evaluation.non_inferiority import MINIMUM, ImaginaryTopic, lower_bounds
from thresher.evaluation.significance import TOLERANCE
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.table import VariantTable

STEP = 5
"""The width of a step, in per cent of the baseline's postings."""
TARGETS = (*range(95, 0, -STEP), 2)
"""The sizes to test, in per cent of the baseline's postings."""


@dataclass(frozen=True)
class FixedSequence:
    """A family's indexes in their order of testing, and how many of them pass.

    Args:
        family: its name.
        order: variants, the largest first; empty for a family that was not explored.
        bounds: lower bounds of the tested statistics; shape (measures, variants of `order`).
        accepted: the number of accepted variants; those after the first failure are not looked at.
    """

    family: str
    order: tuple[int, ...]
    bounds: Floats
    accepted: int

    @property
    def last(self) -> int | None:
        """The last accepted variant; None if the first failed."""
        if self.accepted == 0:
            return None
        return self.order[self.accepted - 1]

    @property
    def failed(self) -> int | None:
        """The first variant that is not accepted; None if all are."""
        if self.accepted == len(self.order):
            return None
        return self.order[self.accepted]


def order_of_testing(table: VariantTable, family: str) -> tuple[int, ...]:
    """Return a family's variants to test, the largest first: at each of `TARGETS` the nearest size below it.

    The order depends on sizes alone, never on topics. Steps of 5 points lead over dips between neighbouring cutoffs.
    """
    baseline_size = int(table.sizes[0])
    members = [index for index in table.candidates if table.rows[index].variant.sweep == family]
    order: list[int] = []
    for target in TARGETS:
        inside = []
        for index in members:
            percent_of_baseline = 100 * int(table.sizes[index])
            if (target - STEP) * baseline_size < percent_of_baseline <= target * baseline_size:
                inside.append(index)
        nearest = _nearest_below(table, inside, target)
        if nearest is not None and nearest not in order:
            order.append(nearest)
    return tuple(order)


def _nearest_below(table: VariantTable, inside: Sequence[int], target: int) -> int | None:
    """Return the largest variant of a step; of equals the first by name.

    In a family with two cutoffs, the variant whose cleaner alone keeps nearest to the square root of the target comes first.
    """

    def preference(index: int) -> tuple[float, int, str]:
        row = table.rows[index]
        distance = 0.0
        if row.variant.cleaner_cutoff is not None:
            distance = abs(float(table.word_shares[index]) - math.sqrt(target / 100))
        return distance, -row.index.postings, row.name

    return min(inside, key=preference, default=None)


def fixed_sequences(
    problem: ChoiceProblem, conservative: bool, topics: NDArray[np.bool_] | None = None
) -> list[FixedSequence]:
    """Test all families, each in its fixed order.

    To recommend an index that loses the margin or more, a family must accept the first such index in its order. This happens
    with a probability of at most the family's level. Over all families these probabilities add up to at most alpha, whatever
    their correlation (Goeman & Solari 2010). Nothing is corrected for the number of indexes or measures: an index is accepted
    if its null hypothesis is rejected in every deciding measure (Berger 1982).

    Args:
        problem: the variants to test.
        conservative: whether to test with an imaginary topic that loses everything, instead of by Student's t. Families that
            are not defaults must always pass both tests: they may remove whole words or pages, and the topics of a sample may
            not notice.
        topics: whether each topic counts; None for all topics.
    """
    orders = {family: order_of_testing(problem.table, family) for family in problem.criteria.families}
    tested = problem.tested
    if topics is not None:
        tested = tested[..., topics]
    bounds = _lower_bounds(problem, tested, orders, conservative)
    sequences = []
    for family, order in orders.items():
        family_bounds = bounds[:, list(order)]
        shown = np.all(family_bounds > TOLERANCE, axis=0)
        passed = shown & problem.keeps_pages[list(order)]
        sequences.append(FixedSequence(family, order, family_bounds, _leading(passed)))
    return sequences


def _leading(passed: NDArray[np.bool_]) -> int:
    """Return how many tests pass before the first failure."""
    for number, accepted in enumerate(passed.tolist()):
        if not accepted:
            return number
    return len(passed)


def _lower_bounds(
    problem: ChoiceProblem, tested: Floats, orders: dict[str, tuple[int, ...]], conservative: bool
) -> Floats:
    """Return lower bounds of the tested variants, infinity for others; shape (measures, variants)."""
    topics, level = tested.shape[-1], problem.criteria.level
    if topics < MINIMUM:
        return np.full(tested.shape[:2], -np.inf)
    bounds = np.full(tested.shape[:2], np.inf)
    by_student: list[int] = []
    by_imaginary_topic: list[int] = []
    for family, order in orders.items():
        if not conservative:
            by_student += order
        if conservative or family not in DEFAULT_FAMILIES:
            by_imaginary_topic += order
    if by_student:
        bounds[:, by_student] = lower_bounds(tested[:, by_student], level)
    if by_imaginary_topic:
        imaginary = ImaginaryTopic(topics)
        for number, total_loss in enumerate(problem.total_loss):
            stricter = imaginary.lower_bounds(tested[number, by_imaginary_topic], total_loss, level)
            bounds[number, by_imaginary_topic] = np.minimum(bounds[number, by_imaginary_topic], stricter)
    return bounds


def smallest_accepted(problem: ChoiceProblem, sequences: Sequence[FixedSequence]) -> int | None:
    """Return the smallest index that any family accepts; None to stay with the baseline."""
    return problem.smallest([sequence.last for sequence in sequences if sequence.last is not None])
