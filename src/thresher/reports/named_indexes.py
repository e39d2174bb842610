"""The indexes that answers name: the rows that their columns read."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.base.numbers import Interval
from thresher.experiments.choosing.choices import AnswerRole, Choice, ChosenIndex
from thresher.experiments.choosing.savings import Savings


@dataclass(frozen=True)
class NamedIndex:
    """An index that the answer for a retrieval model names, and its role in the answer."""

    retrieval: str
    role: AnswerRole
    index: ChosenIndex

    @property
    def savings(self) -> Savings:
        """The savings of the index over the queries of the choice."""
        return self.index.savings


def named_indexes(choice: Choice) -> list[NamedIndex]:
    """Return the indexes that the answers name, in their order."""
    indexes = []
    for model in choice.models:
        if model.too_few:
            continue
        for role, index in model.answer:
            if index:
                indexes.append(NamedIndex(model.retrieval, role, index))
    return indexes


def seconds_saved(row: NamedIndex) -> Interval | None:
    """Return the wall seconds that searching saves, if they are known."""
    return row.savings.query_seconds


def co2_saved(row: NamedIndex) -> Interval | None:
    """Return the kilograms of CO₂ that are saved, if they are known."""
    return row.savings.co2_kg
