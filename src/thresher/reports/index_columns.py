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
        measures: the deciding ones, the main measure first.
        prefix: before the columns' names.
        about: the role of the index, before the meanings.
    """

    def effect_of(number: int) -> Callable[[Row], Effect | None]:
        def effect(row: Row) -> Effect | None:
            tested = index(row)
            return None if tested is None else tested.effects[number]

        return effect

    def effectiveness(number: int, measure: str) -> Column[Row]:
        return Column(
            f"{prefix}{measure}",
            field_of(effect_of(number), "mean"),
            meaning_of(about, f"mean of {measure}."),
            formats.VALUE,
            measure_header(measure).name,
        )

    def effects(number: int, measure: str) -> tuple[Column[Row], Column[Row]]:
        effect = effect_of(number)
        header = measure_header(measure).name
        difference = Column(
            f"{prefix}{measure} difference",
            field_of(effect, "difference"),
            meaning_of(about, f"mean difference from the baseline in {measure}."),
            formats.DIFFERENCE,
            header,
            "difference",
        )
        low = Column(
            f"{prefix}{measure} low",
            field_of(effect, "low"),
            meaning_of(about, f"lower bound of the difference in {measure}."),
            formats.DIFFERENCE,
            header,
            "lower bound",
        )
        return difference, low

    columns_of_effects: list[Column[Row]] = []
    for number, measure in enumerate(measures):
        columns_of_effects += effects(number, measure)
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
            meaning_of(about, "its postings over the baseline's."),
            formats.PERCENT,
            "postings",
            "% of baseline",
        ),
        emptied=Column(
            f"{prefix}emptied",
            field_of(index, "emptied"),
            meaning_of(about, "pages with text that it leaves without."),
            formats.COUNT,
            "emptied",
            "pages",
        ),
        means=tuple(effectiveness(number, measure) for number, measure in enumerate(measures)),
        effects=tuple(columns_of_effects),
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
