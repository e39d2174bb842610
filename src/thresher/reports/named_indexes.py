"""The answers of a choice as rows that columns read: no cleaning, the smallest index, and the best one."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.base.number_text import counted
from thresher.base.numbers import Interval
from thresher.experiments.choosing.choices import AnswerRole, Choice, ChosenIndex
from thresher.experiments.choosing.savings import Savings
from thresher.reports.formatting import size_mark


@dataclass(frozen=True)
class NamedIndex:
    """An answer for a retrieval model.

    Args:
        retrieval: the model.
        topics: the number of topics.
        role: the question that it answers.
        index: the answer; None where no index is shown to have the role.
    """

    retrieval: str
    topics: int
    role: AnswerRole
    index: ChosenIndex | None

    @property
    def mark_of_estimate(self) -> str:
        """The mark of estimated bytes; empty for measured bytes."""
        return size_mark(self.index is None or self.index.measured)

    @property
    def reason_for_none(self) -> str:
        """Why no index has the role, in words."""
        if self.role is AnswerRole.WITHIN:
            return "no index of the families is this small"
        what = "gain" if self.role is AnswerRole.BEST else "smaller index"
        return f"no {what} shown ({counted(self.topics, 'topic')})"

    @property
    def bytes_basis(self) -> str | None:
        """Whether the index's bytes are measured or estimated."""
        if self.index is None:
            return None
        return "measured" if self.index.measured else "estimated"

    @property
    def savings(self) -> Savings | None:
        """The savings of the index over the queries of the choice."""
        return self.index.savings if self.index else None


def named_indexes(choice: Choice) -> list[NamedIndex]:
    """Return the answers for each retrieval model that has enough topics."""
    rows = []
    for model in choice.models:
        if model.too_few:
            continue
        for role, index in model.answer:
            rows.append(NamedIndex(model.retrieval, model.topics, role, index))
    return rows


def seconds_saved(row: NamedIndex) -> Interval | None:
    """Return the wall seconds that searching saves, if they are known."""
    return row.savings.query_seconds if row.savings else None


def co2_saved(row: NamedIndex) -> Interval | None:
    """Return the kilograms of CO₂ that are saved, if they are known."""
    return row.savings.co2_kg if row.savings else None
