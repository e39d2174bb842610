"""The answers of each sweep: its best index, and the smallest index that is shown to lose less than the margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.problem import ChoiceProblem
from thresher.experiments.choosing.testing_order import fixed_sequences, members_of
from thresher.experiments.table import VariantTable


@dataclass(frozen=True)
class SweepAnswer:
    """The indexes that answer for a sweep.

    Args:
        sweep: its name.
        smallest: the smallest index that its test shows to lose less than the margin; None if it shows none.
        best: the index with the highest mean of the main measure.
    """

    sweep: str
    smallest: int | None
    best: int


def sweep_answers(table: VariantTable, measures: Sequence[str], criteria: ChoiceCriteria) -> list[SweepAnswer]:
    """Return an answer for each family of the criteria that was explored.

    Args:
        table: the variants.
        measures: the deciding measures, the main measure first.
        criteria: the criteria of a choice.
    """
    problem = ChoiceProblem(table, tuple(measures), criteria)
    answers = []
    for sequence in fixed_sequences(problem, conservative=False):
        members = members_of(table, sequence.family)
        if members:
            answers.append(SweepAnswer(sequence.family, sequence.last, table.best(measures[0], members)))
    return answers
