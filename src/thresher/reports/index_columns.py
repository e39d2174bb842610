"""Makes the columns of an index that was tested or is named, and reads the indexes of a family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple

from thresher.experiments.choosing.choices import ChosenIndex, Effect, FamilyTests, TestedIndex
from thresher.reports import formats
from thresher.reports.columns import Column, Row, field_of, meaning_of
from thresher.reports.table import measure_header


class IndexColumns(NamedTuple, Generic[Row]):
    """The columns of an index that was tested or is named: its name, its size, its differences by measure."""

    variant: Column[Row]
    share: Column[Row]
    emptied: Column[Row]
    means: tuple[Column[Row], ...]
    effects: tuple[Column[Row], ...]


def index_columns(
    index: Callable[[Row], ChosenIndex | TestedIndex | None], measures: Sequence[str], prefix: str = "", about: str = ""
) -> IndexColumns[Row]:
    """Return the columns of an index.

    Args:
        index: returns the index of a row, or None.
        measures: the deciding measures, the main measure first.
        prefix: the beginning of the columns' names.
        about: the role of the index, before the meanings.
    """

    means: list[Column[Row]] = []
    effects: list[Column[Row]] = []
    for number, measure in enumerate(measures):
        columns = _effect_columns(index, number, measure, prefix, about)
        means.append(columns.mean)
        effects += [columns.difference, columns.low]
    return IndexColumns(
        variant=Column(
            f"{prefix}variant",
            field_of(index, "variant"),
            meaning_of(about, "the variant."),
            formats.TEXT,
            "variant",
        ),
        share=Column(
            f"{prefix}postings_share",
            field_of(index, "share"),
            meaning_of(about, "postings as a share of the baseline's."),
            formats.PERCENT,
            "postings",
            "% of baseline",
        ),
        emptied=Column(
            f"{prefix}emptied",
            field_of(index, "emptied"),
            meaning_of(about, "pages with text before cleaning and none in the index."),
            formats.COUNT,
            "emptied",
            "pages",
        ),
        means=tuple(means),
        effects=tuple(effects),
    )


class _EffectColumns(NamedTuple, Generic[Row]):
    """The columns of a measure: its mean, the difference from the baseline, and the lower bound of the difference."""

    mean: Column[Row]
    difference: Column[Row]
    low: Column[Row]


def _effect_columns(
    index: Callable[[Row], ChosenIndex | TestedIndex | None], number: int, measure: str, prefix: str, about: str
) -> _EffectColumns[Row]:
    """Return the columns of a measure, given by its number and its name."""

    def effect(row: Row) -> Effect | None:
        tested = index(row)
        if tested is None:
            return None
        return tested.effects[number]

    header = measure_header(measure).name
    return _EffectColumns(
        mean=Column(
            f"{prefix}{measure}",
            field_of(effect, "mean"),
            meaning_of(about, f"mean of {measure}."),
            formats.VALUE,
            header,
        ),
        difference=Column(
            f"{prefix}{measure} difference",
            field_of(effect, "difference"),
            meaning_of(about, f"mean difference from the baseline in {measure}."),
            formats.DIFFERENCE,
            header,
            "difference",
        ),
        low=Column(
            f"{prefix}{measure} low",
            field_of(effect, "low"),
            meaning_of(about, f"lower bound of the difference in {measure}."),
            formats.DIFFERENCE,
            header,
            "lower bound",
        ),
    )


def last_accepted(row: FamilyTests) -> TestedIndex | None:
    """Return the last index of a family that was accepted, if there is one."""
    return row.last


def first_failed(row: FamilyTests) -> TestedIndex | None:
    """Return the first index of a family that was not accepted, if there is one."""
    return row.failed


def topics_needed(row: FamilyTests) -> int | None:
    """Return how many topics would show that the first index that failed loses little; None if none failed."""
    return row.failed.topics_needed if row.failed else None
