"""Tables of choices: the indexes that answers name, the families that were tested, one setting for several collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from thresher.cleaners.cleaner import BASELINE
from thresher.experiments.adviser import Advice, RemovedWords
from thresher.experiments.choosing.choices import AnswerRole, Choice, FamilyTests, ModelChoice
from thresher.experiments.choosing.shared import SettingOnCollection, SharedChoice
from thresher.reports import formats
from thresher.reports.columns import Column, field_of, meaning_of, middle_of
from thresher.reports.cost_columns import BreakEvenColumns, break_even_columns
from thresher.reports.formatting import percent_text
from thresher.reports.index_columns import IndexColumns, first_failed, index_columns, last_accepted, topics_needed
from thresher.reports.named_indexes import NamedIndex, co2_saved, named_indexes, seconds_saved
from thresher.reports.summary import loss_text, margin_text
from thresher.reports.table import Table, filled, measure_header
from thresher.scores.block_kinds import BlockKind

REMOVED_WORDS: tuple[Column[RemovedWords], ...] = (
    Column("kind", attrgetter("kind"), "Kind of blocks.", formats.TEXT, "blocks"),
    Column("words", attrgetter("words"), "Words of these blocks before cleaning.", formats.COUNT),
    Column("removed", attrgetter("removed"), "Share of these words that cleaning removes.", formats.PERCENT, unit="%"),
)

NamedColumn = Column[NamedIndex]
NAMED_RETRIEVAL = NamedColumn("retrieval", attrgetter("retrieval"), "The retrieval model.", formats.TEXT)
NAMED_TOPICS = NamedColumn("topics", attrgetter("topics"), "The number of topics.", formats.COUNT)
NAMED_ROLE = NamedColumn("answer", attrgetter("role"), "Row of the answer, such as smallest or best.", formats.TEXT)
NAMED_BYTES = NamedColumn(
    "index_bytes",
    field_of(attrgetter("index"), "bytes"),
    "Bytes of the index: measured where it was built, estimated (≈) elsewhere.",
    formats.MEGABYTES,
    "index",
    "MB",
    prefix=attrgetter("mark_of_estimate"),
)
NAMED_BASIS = NamedColumn(
    "bytes_basis", attrgetter("bytes_basis"), "Whether the bytes are measured or estimated.", formats.TEXT
)
NAMED_BYTES_SHARE = NamedColumn(
    "bytes_share",
    field_of(attrgetter("index"), "bytes_share"),
    "Bytes as a share of the baseline's.",
    formats.PERCENT,
    "bytes",
    "% of baseline",
    prefix=attrgetter("mark_of_estimate"),
)
NAMED_POSTINGS = NamedColumn(
    "postings", field_of(attrgetter("index"), "postings"), "Postings of the index.", formats.COUNT
)
NAMED_BREAK_EVEN: BreakEvenColumns[NamedIndex] = break_even_columns(field_of(attrgetter("savings"), "break_even"))
NAMED_CO2_BREAK_EVEN: BreakEvenColumns[NamedIndex] = break_even_columns(
    field_of(attrgetter("savings"), "co2_break_even"), "CO₂"
)
SAVINGS: tuple[NamedColumn, ...] = (
    Column(
        "queries",
        field_of(attrgetter("savings"), "queries"),
        "Number of queries that the savings are computed for.",
        formats.COUNT,
    ),
    Column(
        "bytes",
        field_of(attrgetter("savings"), "bytes"),
        "Bytes of the baseline's index less the bytes of this index, by measured or estimated (≈) sizes.",
        formats.MEGABYTES,
        "index saved",
        "MB",
        prefix=attrgetter("mark_of_estimate"),
    ),
    Column(
        "share",
        field_of(attrgetter("savings"), "share"),
        "Saved bytes as a share of the baseline's.",
        formats.PERCENT,
        "saved",
        "% of baseline",
        prefix=attrgetter("mark_of_estimate"),
    ),
    Column("basis", field_of(attrgetter("savings"), "basis"), "Source of the times.", formats.TEXT, "times"),
    Column(
        "query_seconds",
        middle_of(seconds_saved),
        "Wall time saved in searching.",
        formats.SECONDS,
        "searching saved",
        "s",
        interval=seconds_saved,
    ),
    Column(
        "extra_seconds",
        field_of(attrgetter("savings"), "extra_seconds"),
        "Additional wall time of cleaning and building.",
        formats.SECONDS,
        "more to build",
        "s",
    ),
    Column(
        "co2_kg",
        middle_of(co2_saved),
        "CO₂ saved.",
        formats.FIGURE,
        "CO₂ saved",
        "kg",
        interval=co2_saved,
    ),
)
FAMILY: Column[FamilyTests] = Column("family", attrgetter("family"), "The family.", formats.TEXT)
FAMILY_STEPS: Column[FamilyTests] = Column(
    "steps", attrgetter("steps"), "Number of its indexes in the order of testing.", formats.COUNT
)
TOPICS_NEEDED: Column[FamilyTests] = Column(
    "failed topics_needed",
    topics_needed,
    "First index not accepted: topics that would show it non-inferior, with its mean and spread.",
    formats.COUNT,
    "topics needed",
)


def removed_words_table(advice: Advice) -> Table:
    """Return the words that cleaning removes, by kind of block."""
    text = "Words that cleaning removes, by kind of block."
    if any(block.kind == BlockKind.COMMENT for block in advice.blocks):
        text += " Comment: of readers, by the class, id or role of an element."
    return Table.of(REMOVED_WORDS, advice.blocks, text)


# The indexes that answers name


def _named_index_columns(measures: Sequence[str]) -> IndexColumns[NamedIndex]:
    return index_columns(attrgetter("index"), measures)


def answer_columns(measures: Sequence[str]) -> list[NamedColumn]:
    """Return all columns of the answers: the size of each index, its effectiveness, and its savings."""
    columns = [NAMED_RETRIEVAL]
    columns += _answer_columns(measures)
    columns.append(NAMED_BASIS)
    columns += SAVINGS
    columns += NAMED_BREAK_EVEN
    columns += NAMED_CO2_BREAK_EVEN
    return columns


def _answer_columns(measures: Sequence[str]) -> list[NamedColumn]:
    """Return the columns of a table, the most important first: a narrow terminal shows those alone."""
    index = _named_index_columns(measures)
    main, *further = index.means
    difference, bound = index.effects[:2]
    variant = replace(index.variant, missing=attrgetter("reason_for_none"))
    columns = [NAMED_ROLE, variant, NAMED_BYTES_SHARE, main, difference, index.share, bound, NAMED_BYTES]
    columns += [NAMED_POSTINGS, index.emptied]
    for number, mean in enumerate(further, start=1):
        columns.append(mean)
        columns += index.effects[2 * number : 2 * number + 2]
    columns.append(NAMED_TOPICS)
    return columns


def answers_table(choice: Choice) -> Table | None:
    """Return rows for each retrieval model: no cleaning, the smallest index, the best index, the best index within a
    size.
    """
    rows = named_indexes(choice)
    if not rows:
        return None
    columns = _answer_columns(choice.measures)
    if len(choice.models) > 1:
        columns.insert(0, NAMED_RETRIEVAL)
    margin = margin_text(choice.criteria.margin)
    sure = percent_text(1 - choice.criteria.alpha)
    text = (
        f"Smallest: the smallest index that is shown to lose less than {margin}. Best: the smallest of the indexes that are "
        f"shown to gain and whose mean is within {margin} of the highest of these. Each of the two holds with {sure}."
    )
    if choice.criteria.bytes is not None:
        size = formats.MEGABYTES.beside_bounds(choice.criteria.bytes)
        text += (
            f" Within the size: the highest mean within {size} MB; its bound holds for all variants of the families."
        )
    return Table.of(filled(columns, rows), rows, text)


def savings_table(choice: Choice) -> Table | None:
    """Return the savings of the smallest and the best index; None if no index is named."""
    rows = [row for row in named_indexes(choice) if row.index is not None and row.role is not AnswerRole.NO_CLEANING]
    if not rows:
        return None
    columns = [NAMED_ROLE, _named_index_columns(choice.measures).variant]
    columns += SAVINGS
    columns += [NAMED_BREAK_EVEN.words, NAMED_CO2_BREAK_EVEN.words]
    if len(choice.models) > 1:
        columns.insert(0, NAMED_RETRIEVAL)
    text = f"Savings of the indexes of the answer over {choice.queries:,} queries. CO₂ is {choice.power}."
    return Table.of(filled(columns, rows), rows, text)


# Families


def family_columns(measures: Sequence[str]) -> list[Column[FamilyTests]]:
    """Return the columns of tested families: the last accepted index, and the first index that was not accepted."""
    last = index_columns(last_accepted, measures, "last ", "Last index accepted")
    failed = index_columns(first_failed, measures, "failed ", "First index not accepted")
    columns = [FAMILY, FAMILY_STEPS, replace(last.variant, header="shown"), last.share, last.emptied]
    columns += last.effects
    columns += [replace(failed.variant, header="not shown"), failed.share, failed.emptied]
    columns += failed.effects
    columns.append(TOPICS_NEEDED)
    return columns


def families_tables(choice: Choice, model: ModelChoice) -> list[Table]:
    """Return a row for each explored family and each of the two tests; no row if the topics are too few for a test."""
    if model.too_few:
        return []
    tables = [
        _families_table(choice, model.families, "by Student's t"),
        _families_table(choice, model.conservative_families, "with an imaginary topic that loses everything"),
    ]
    return [table for table in tables if table.rows]


def _families_table(choice: Choice, families: Sequence[FamilyTests], test: str) -> Table:
    text = (
        f"What was tested, {test}: of each family the last index that is shown to lose less than "
        f"{margin_text(choice.criteria.margin)} and the first that is not."
    )
    explored: list[FamilyTests] = []
    missing: list[str] = []
    for family in families:
        if family.steps:
            explored.append(family)
        else:
            missing.append(family.family)
    note = f"Not explored: {', '.join(missing)}." if missing else ""
    return Table.of(family_columns(choice.measures), explored, text, note)


# One setting for several collections


@dataclass(frozen=True)
class SharedRow:
    """A collection with the setting for all of them, and with the setting that the other collections recommend."""

    shared: SettingOnCollection
    left_out: SettingOnCollection


def shared_rows(choice: SharedChoice) -> list[SharedRow]:
    """Return a row for each collection."""
    rows: list[SharedRow] = []
    for shared, left_out in zip(choice.tried, choice.left_out, strict=True):
        rows.append(SharedRow(shared, left_out))
    return rows


def shared_columns(choice: SharedChoice) -> list[Column[SharedRow]]:
    """Return the columns of a collection: the setting for all, and the setting that the other collections recommend."""
    about = "Of the setting that the other collections recommend"
    columns: list[Column[SharedRow]] = [
        Column("collection", attrgetter("shared.collection"), "The experiment's name.", formats.TEXT),
        Column("topics", attrgetter("shared.topics"), "The number of topics.", formats.COUNT),
    ]
    columns += _size_columns("shared", "", "Its")
    columns += _loss_columns(choice, attrgetter("shared"), "", "")
    left_out_variant: Column[SharedRow] = Column(
        "left_out variant",
        attrgetter("left_out.variant"),
        f"{about}: the setting; empty for no cleaning.",
        formats.TEXT,
        "left out",
        missing="none",
    )
    columns.append(left_out_variant)
    columns += _size_columns("left_out", "left_out ", f"{about}: its")
    columns += _loss_columns(choice, attrgetter("left_out"), "left_out ", about)
    return columns


def _size_columns(tried: str, prefix: str, about: str) -> Iterator[Column[SharedRow]]:
    """Give the columns of a setting's size; `tried` is the attribute of the row that has the setting."""
    for name, attribute, head in (("bytes", "bytes_share", "bytes"), ("postings", "share", "postings")):
        yield Column(
            f"{prefix}{name}_share",
            attrgetter(f"{tried}.{attribute}"),
            f"{about} {name} over the baseline's.",
            formats.PERCENT,
            head,
            "% of baseline",
        )


def _loss_columns(
    choice: SharedChoice, tried: Callable[[SharedRow], SettingOnCollection], prefix: str, about: str
) -> Iterator[Column[SharedRow]]:
    for number, measure in enumerate(choice.measures):
        yield _loss_column(choice, tried, number, meaning_of(about, f"loss of {measure}."), prefix)


def _loss_column(
    choice: SharedChoice, tried: Callable[[SharedRow], SettingOnCollection], number: int, meaning: str, prefix: str
) -> Column[SharedRow]:
    measure = choice.measures[number]

    def loss(row: SharedRow) -> float:
        return tried(row).losses[number]

    def text(row: SharedRow) -> str:
        return loss_text(choice, loss(row))

    return Column(
        f"{prefix}{measure} loss",
        loss,
        meaning,
        header=measure_header(measure).name,
        unit="lost",
        text=text,
    )


def shared_table(choice: SharedChoice) -> Table:
    """Return a row for each collection."""
    text = f"{choice.variant or BASELINE} on each collection, and the setting that the other collections recommend without it."
    return Table.of(shared_columns(choice), shared_rows(choice), text)
