"""The order of testing a family's indexes, and the number of indexes that pass.

Testing begins with the largest index. It ends with the first index that is not shown to lose less than the margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        testable: the number of leading variants that keep enough pages; the variants behind them are never tested.
        level: the level of each test.
        bounds: lower bounds of the tested statistics; shape (measures, variants of `order`).
        accepted: the number of accepted variants; testing ends at the first failure.
    """

    family: str
    order: tuple[int, ...]
    testable: int
    level: float
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

    @property
    def has_ended(self) -> bool:
        """Whether every variant that may be tested is accepted."""
        return self.accepted == self.testable


def members_of(table: VariantTable, family: str) -> list[int]:
    """Return the candidates of a family, in the order of the table."""
    members: list[int] = []
    for index in table.candidates:
        if table.rows[index].variant.sweep == family:
            members.append(index)
    return members


def order_of_testing(table: VariantTable, family: str) -> tuple[int, ...]:
    """Return a family's variants to test, the largest first: at each of `TARGETS` the nearest size below it.

    The order depends on sizes alone, never on topics. Steps of 5 points skip dips in effectiveness between neighbouring
    cutoffs.
    """
    baseline_size = int(table.sizes[0])
    members = members_of(table, family)
    order: list[int] = []
    for target in TARGETS:
        in_step: list[int] = []
        for index in members:
            # In hundredths of a posting, so that all bounds are whole numbers.
            size = 100 * int(table.sizes[index])
            if (target - STEP) * baseline_size < size <= target * baseline_size:
                in_step.append(index)
        nearest = _nearest_below(table, in_step, target)
        if nearest is not None and nearest not in order:
            order.append(nearest)
    return tuple(order)


def _nearest_below(table: VariantTable, in_step: Sequence[int], target: int) -> int | None:
    """Return the largest variant of a step, among equal sizes the first by name; None for a step without variants.

    In a family with two cutoffs, the first choice is the variant whose cleaner alone keeps a share of the words nearest to
    the square root of the target.
    """

    def preference(index: int) -> tuple[float, int, str]:
        row = table.rows[index]
        distance = 0.0
        if row.variant.cleaner_cutoff is not None:
            distance = abs(float(table.word_shares[index]) - math.sqrt(target / 100))
        return distance, -row.index.postings, row.name

    return min(in_step, key=preference, default=None)


def fixed_sequences(problem: ChoiceProblem, conservative: bool) -> list[FixedSequence]:
    """Test all families, each in its fixed order.

    The families share alpha equally. If every index of a family is accepted, its part goes to the other families, which
    are then tested at the higher level (Bretz et al. 2009; over the last indexes of the families this is Holm's
    method). A single family has all of alpha. A family without any index to test hands on its whole part.

    An index that loses the margin or more is recommended only if its family accepts the first losing index in its
    order. A family with a losing index has not ended by then, so that each of these families is tested at most at alpha
    divided by their number. Their probabilities of an error add up to at most alpha, under any correlation (Goeman &
    Solari 2010). Nothing is corrected for the number of indexes or measures: an index is accepted if its null
    hypothesis is rejected in every deciding measure (Berger 1982).

    Args:
        problem: the variants to test.
        conservative: whether to test with an imaginary topic that loses everything, instead of by Student's t.
    """
    test = _Test(problem, conservative)
    sequences: dict[str, FixedSequence] = {}
    families: Sequence[str] = problem.criteria.families
    running = list(families)
    while running:
        level = problem.criteria.alpha / len(running)
        for family in running:
            sequences[family] = test.sequence(family, level)
        still_running: list[str] = []
        for family in running:
            if not sequences[family].has_ended:
                still_running.append(family)
        if len(still_running) == len(running):
            break
        running = still_running
    return [sequences[family] for family in families]


@dataclass(frozen=True)
class _Test:
    """A test of a problem's variants: by Student's t, or `conservative` with an imaginary topic that loses everything."""

    problem: ChoiceProblem
    conservative: bool

    def sequence(self, family: str, level: float) -> FixedSequence:
        """Test a family in its order, each index at a level."""
        order = order_of_testing(self.problem.table, family)
        bounds = self._lower_bounds(order, level)
        shown = np.all(bounds > TOLERANCE, axis=0)
        keeps_pages = self.problem.keeps_pages[list(order)]
        return FixedSequence(
            family=family,
            order=order,
            testable=_leading(keeps_pages),
            level=level,
            bounds=bounds,
            accepted=_leading(shown & keeps_pages),
        )

    def _lower_bounds(self, order: Sequence[int], level: float) -> Floats:
        """Return lower bounds of the tested statistics; shape (measures, variants of `order`)."""
        statistics = self.problem.tested[:, list(order)]
        topics = statistics.shape[-1]
        if topics < MINIMUM:
            return np.full(statistics.shape[:2], -np.inf)
        if not self.conservative:
            return lower_bounds(statistics, level)
        imaginary = ImaginaryTopic(topics)
        bounds = np.empty(statistics.shape[:2])
        for measure, total_loss in enumerate(self.problem.total_loss):
            bounds[measure] = imaginary.lower_bounds(statistics[measure], total_loss, level)
        return bounds


def _leading(outcomes: NDArray[np.bool_]) -> int:
    """Return how many tests pass before the first failure."""
    for number, has_passed in enumerate(outcomes.tolist()):
        if not has_passed:
            return number
    return len(outcomes)


def smallest_accepted(problem: ChoiceProblem, sequences: Sequence[FixedSequence]) -> int | None:
    """Return the smallest index that any family accepts; None to stay with the baseline."""
    accepted: list[int] = []
    for sequence in sequences:
        if sequence.last is not None:
            accepted.append(sequence.last)
    return problem.smallest(accepted)
