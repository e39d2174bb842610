"""A choice as tables: the indexes that its answers name, and what was tested of each family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from thresher.choosing.choices import Choice, FamilyWalk, Line, ModelChoice, Pick, Tested
from thresher.choosing.savings import Savings
from thresher.columns import Declared, Show
from thresher.reports.recommendation import margin_text
from thresher.reports.table import FORMATS, Column, Table, columns_of, measure_header, within
from thresher.reports.variant_columns import BREAK_EVEN


@dataclass(frozen=True)
class Answered:
    """A line of an answer that names an index."""

    retrieval: Annotated[str, Declared("The retrieval model.", Show.TEXT)]
    line: Annotated[Line, Declared("What the index is named for.", Show.TEXT, name="answer")]
    pick: Pick


def answered(choice: Choice) -> list[Answered]:
    """Return the indexes that the answers name, in their order."""
    return [
        Answered(model.retrieval, line, pick)
        for model in choice.models
        if not model.too_few
        for line, pick in model.answer
        if pick
    ]


def answer_columns(measures: Sequence[str]) -> list[Column[Answered]]:
    """Return the columns of the indexes that answers name: their size, what they lose and save."""
    own: list[Column[Answered]] = columns_of(Answered)
    saved: list[Column[Answered]] = within([*columns_of(Savings), *_BREAK_EVEN], lambda row: row.pick.savings)
    return [*own, *within(_tested_columns(measures)[:-1], lambda row: row.pick), *saved]


_BREAK_EVEN: list[Column[Savings]] = within(BREAK_EVEN, lambda saved: saved.break_even)


def answers_table(choice: Choice) -> Table:
    """Return a row for each index that answers name."""
    hidden = {"retrieval"} if len(choice.models) == 1 else set()
    hidden |= {"emptied", *(column.name for column in _BREAK_EVEN if column.name != "break_even_words")}
    columns = [column for column in answer_columns(choice.measures) if not column.name.endswith(("_low", "_high"))]
    text = f"What the indexes of the answer change, and save over {choice.queries:,} queries. CO₂ is {choice.power}."
    return Table.of([column for column in columns if column.name not in hidden], answered(choice), text)


def walk_columns(measures: Sequence[str]) -> list[Column[FamilyWalk]]:
    """Return the columns of what became of families: the last index that was accepted, and the first that was not."""
    found: list[Column[FamilyWalk]] = columns_of(FamilyWalk)
    for name, about, read in (
        ("last", "The last that is shown to lose little", lambda walk: walk.last),
        ("failed", "The first that is not", lambda walk: walk.failed),
    ):
        tested = _tested_columns(measures)
        columns: list[Column[FamilyWalk]] = within(tested, read, f"{name} ", about)
        head, *rest = columns if name == "failed" else columns[:-1]
        found += [replace(head, header="shown" if name == "last" else "not shown"), *rest]
    return found


def _tested_columns(measures: Sequence[str]) -> list[Column[Any]]:
    """Return the columns of what was tested; all but the last are those of what answers name, too."""
    variant, share, emptied, needed = columns_of(Tested)
    effects = [column for number in range(len(measures)) for column in _effect_columns(number, measures[number])]
    return [variant, share, emptied, *effects, replace(needed, header="topics needed")]


def _effect_columns(number: int, measure: str) -> list[Column[Tested | Pick]]:
    header, change = measure_header(measure)[0], FORMATS[Show.DIFFERENCE]
    return [
        Column(
            f"{measure} difference",
            lambda tested: tested.effects[number].difference,
            f"Mean difference from the baseline in {measure}.",
            header,
            "difference",
            change,
        ),
        Column(
            f"{measure} low",
            lambda tested: tested.effects[number].low,
            f"Lower bound of that difference in {measure}.",
            header,
            "lower bound",
            change,
        ),
    ]


def families_tables(choice: Choice, model: ModelChoice) -> list[Table]:
    """Return a row for each family that was explored, by each of the two tests; nothing with too few topics for any."""
    tables = []
    for walks, test in (
        (model.walks, "by Student's t"),
        (model.cautious_walks, "with an imaginary topic that loses everything"),
    ):
        text = (
            f"What was tested, {test}: of each family the last index that is shown to lose less than "
            f"{margin_text(choice.terms.margin)} and the first that is not."
        )
        missing = [walk.family for walk in walks if not walk.steps]
        note = f"Not explored: {', '.join(missing)}." if missing else ""
        found = [walk for walk in walks if walk.steps]
        if found and not model.too_few:
            tables.append(Table.of(walk_columns(choice.measures), found, text, note))
    return tables
