"""Further tables: what was chosen and tested held-out, headings, baseline runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from thresher.base.columns import Declared, Show
from thresher.cleaners.cleaner import BASELINE
from thresher.evaluation.significance import Comparison
from thresher.experiments.adviser import Advice, RemovedWords
from thresher.experiments.choosing.choices import AnswerRole, Choice, ChosenIndex, FamilyTests, ModelChoice, TestedIndex
from thresher.experiments.choosing.savings import Savings
from thresher.experiments.choosing.shared import SettingOnCollection, SharedChoice
from thresher.experiments.held_out import Chosen, chosen_on_topics
from thresher.experiments.results import BaselineRun, Results
from thresher.reports.formatting import MARKS, correction_text, direction, marks_text, percent_text
from thresher.reports.summary import loss_text, margin_text
from thresher.reports.table import FORMATS, Column, Table, columns_of, filled, measure_header, pick, within
from thresher.reports.variant_columns import BREAK_EVEN
from thresher.reports.variant_tables import caption

CHOSEN_CSV, SYSTEMS_CSV = "chosen.csv", "systems.csv"


def removed_words_table(advice: Advice) -> Table:
    """Return the words that cleaning removes, by kind of block."""
    return Table.of(columns_of(RemovedWords), advice.blocks, "Words that cleaning removes, by kind of block.")


def chosen_columns() -> list[Column[Chosen]]:
    """Return the columns of what was chosen on the topics and tested on held-out ones."""
    own: list[Column[Chosen]] = columns_of(Chosen)
    marked = [
        replace(one, mark=lambda row: MARKS[direction(row.comparison)]) if one.name == "held_out" else one
        for one in own
    ]
    return [
        *marked,
        *within(
            columns_of(Comparison), lambda row: row.comparison, "held_out ", "The chosen variant on the held-out topics"
        ),
    ]


def chosen_table(results: Results) -> Table | None:
    """Return one row per sweep and single variant; None where nothing was chosen."""
    rows, facts = chosen_on_topics(results), results.facts
    if not rows:
        return None
    several = len(results.tables) > 1
    p = "held_out p" if rows[0].comparison.p_holm is None else "held_out p_holm"
    names = ["chosen", *["retrieval"] * several, "training", "held_out", "baseline", "held_out difference"]
    names += ["held_out interval", "held_out outcome", p, "best_variant", "best_held_out", "optimism"]
    test = f"{facts.test} against the baseline, {correction_text(facts.correction, f'{len(rows)} rows')}, α = {facts.alpha}"
    text = (
        f"{measure_header(rows[0].measure)[0]}. Of each sweep the cutoff with the best mean over the {len(facts.topics)} "
        f"topics, tested on {len(facts.held_out_topics)} held-out topics, which had no part in the choice. {test}, "
        f"{percent_text(1 - facts.alpha)} intervals: {marks_text(row.comparison.direction for row in rows)} Optimism: what "
        "the best cutoff on the held-out topics would have promised beyond the chosen one."
    )
    return Table.of(pick(chosen_columns(), *names), rows, text, keys=1 + several)


def system_columns(measures: Sequence[str]) -> list[Column[BaselineRun]]:
    """Return the columns of baseline runs."""
    name, *rest = columns_of(BaselineRun)
    return [name, *(column for at, one in enumerate(measures) for column in _system_measure(at, one)), *rest]


def _system_measure(number: int, measure: str) -> list[Column[BaselineRun]]:
    return [
        Column(
            measure,
            lambda row: row.means[number].item(),
            f"Mean {measure} over the topics.",
            *measure_header(measure),
            mark=lambda row: MARKS[direction(row.comparisons.get(measure))],
        ),
        *within(columns_of(Comparison), lambda row: row.comparisons.get(measure), f"{measure} ", measure),
    ]


def systems_table(results: Results) -> Table | None:
    """Return a row for each baseline run, compared with the first model's baseline; None without any."""
    if not results.facts.systems:
        return None
    main = results.tables[0].main
    compared = [f"{main} {name}" for name in ("difference", "outcome")]
    others = [measure for measure in results.measures if measure != main]
    shown = pick(system_columns(results.measures), "system", main, *compared, "index_bytes", "retrieved", *others)
    return Table.of(shown, results.facts.systems, f"Baseline runs of other systems. {caption(results)}")


@dataclass(frozen=True)
class Answered:
    """A line of an answer that names an index."""

    retrieval: Annotated[str, Declared("The retrieval model.", Show.TEXT)]
    role: Annotated[AnswerRole, Declared("The reason to name the index.", Show.TEXT, name="answer")]
    index: ChosenIndex


def answered(choice: Choice) -> list[Answered]:
    """Return the indexes that the answers name, in their order."""
    return [
        Answered(model.retrieval, role, index)
        for model in choice.models
        if not model.too_few
        for role, index in model.answer
        if index
    ]


def answer_columns(measures: Sequence[str]) -> list[Column[Answered]]:
    """Return the columns of the indexes that answers name: their size, what they lose and save."""
    own: list[Column[Answered]] = columns_of(Answered)
    saved: list[Column[Answered]] = within([*columns_of(Savings), *_BREAK_EVEN], lambda row: row.index.savings)
    return [*own, *within(_tested_columns(measures)[:-1], lambda row: row.index), *saved]


_BREAK_EVEN: list[Column[Savings]] = within(BREAK_EVEN, lambda saved: saved.break_even)


def answers_table(choice: Choice) -> Table | None:
    """Return a row for each index that answers name, if they name any."""
    hidden = {"retrieval"} if len(choice.models) == 1 else set()
    hidden |= {"emptied", *(column.name for column in _BREAK_EVEN if column.name != "break_even_words")}
    rows = answered(choice)
    if not rows:
        return None
    columns = [one for one in filled(answer_columns(choice.measures), rows) if not one.name.endswith(("_low", "_high"))]
    text = f"What the indexes of the answer change, and save over {choice.queries:,} queries. CO₂ is {choice.power}."
    return Table.of([column for column in columns if column.name not in hidden], rows, text)


def walk_columns(measures: Sequence[str]) -> list[Column[FamilyTests]]:
    """Return the columns of what became of families: the last index that was accepted, and the first that was not."""
    found: list[Column[FamilyTests]] = columns_of(FamilyTests)
    for name, about, read in (
        ("last", "The last that is shown to lose little", lambda walk: walk.last),
        ("failed", "The first that is not", lambda walk: walk.failed),
    ):
        tested = _tested_columns(measures)
        columns: list[Column[FamilyTests]] = within(tested, read, f"{name} ", about)
        head, *rest = columns if name == "failed" else columns[:-1]
        found += [replace(head, header="shown" if name == "last" else "not shown"), *rest]
    return found


def _tested_columns(measures: Sequence[str]) -> list[Column[Any]]:
    """Return the columns of what was tested; all but the last are those of what answers name, too."""
    variant, share, emptied, needed = columns_of(TestedIndex)
    effects = [column for number in range(len(measures)) for column in _effect_columns(number, measures[number])]
    return [variant, share, emptied, *effects, replace(needed, header="topics needed")]


def _effect_columns(number: int, measure: str) -> list[Column[TestedIndex | ChosenIndex]]:
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
        (model.families, "by Student's t"),
        (model.conservative_families, "with an imaginary topic that loses everything"),
    ):
        text = (
            f"What was tested, {test}: of each family the last index that is shown to lose less than "
            f"{margin_text(choice.criteria.margin)} and the first that is not."
        )
        missing = [walk.family for walk in walks if not walk.steps]
        note = f"Not explored: {', '.join(missing)}." if missing else ""
        found = [walk for walk in walks if walk.steps]
        if found and not model.too_few:
            tables.append(Table.of(walk_columns(choice.measures), found, text, note))
    return tables


def shared_columns(choice: SharedChoice) -> list[Column[tuple[SettingOnCollection, SettingOnCollection]]]:
    """Return the columns of a collection: its setting for all, and the one that the others recommend."""
    collection, topics, variant, share = columns_of(SettingOnCollection)
    lost = [_loss_column(choice, number, name) for number, name in enumerate(choice.measures)]
    own: list[Column[tuple[SettingOnCollection, SettingOnCollection]]] = within(
        [collection, topics, share, *lost], lambda pair: pair[0]
    )
    about = "Of the setting that the other collections recommend"
    others = [replace(variant, header="left out", missing="none"), share, *lost]
    return [*own, *within(others, lambda pair: pair[1], "left_out ", about)]


def _loss_column(choice: SharedChoice, number: int, measure: str) -> Column[SettingOnCollection]:
    header = measure_header(measure)[0]
    return Column(
        f"{measure} loss",
        lambda tried: tried.losses[number],
        f"What is lost of {measure}.",
        header,
        "lost",
        text=lambda tried: loss_text(choice, tried.losses[number]),
    )


def shared_table(choice: SharedChoice) -> Table:
    """Return a row for each collection."""
    rows = [*zip(choice.tried, choice.left_out, strict=True)]
    text = f"{choice.variant or BASELINE} on each collection, and what the others recommend where it is left out."
    return Table.of(shared_columns(choice), rows, text)
