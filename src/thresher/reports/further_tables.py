"""Further tables: variants chosen on the topics and tested on held-out topics, and runs of other systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter, methodcaller

from thresher.base.number_text import counted
from thresher.evaluation.significance import TEST_NAMES, Comparison
from thresher.experiments.held_out import Chosen, chosen_on_topics
from thresher.experiments.results import BaselineRun, Results
from thresher.reports import formats
from thresher.reports.columns import Column, ComparisonColumns, comparison_columns, comparison_mark
from thresher.reports.formatting import correction_text, marks_text, percent_text
from thresher.reports.table import Table, measure_header
from thresher.reports.variant_columns import BYTES_SHARE, VARIANT
from thresher.reports.variant_tables import all_variants_columns, all_variants_table, caption

CHOSEN_CSV = "chosen.csv"
SYSTEMS_CSV = "systems.csv"

ChosenColumn = Column[Chosen]
CHOSEN_SWEEP = ChosenColumn("sweep", attrgetter("sweep"), "The sweep; empty for a single variant.", formats.TEXT)
CHOSEN_RETRIEVAL = ChosenColumn("retrieval", attrgetter("retrieval"), "The retrieval model.", formats.TEXT)
CHOSEN = ChosenColumn("chosen", attrgetter("chosen"), "The variant chosen on the topics.", formats.TEXT)
CHOSEN_MEASURE = ChosenColumn("measure", attrgetter("measure"), "The measure of all other columns.", formats.TEXT)
CHOSEN_MEANS: tuple[ChosenColumn, ...] = (
    Column("training", attrgetter("training"), "Its mean over the topics."),
    Column(
        "held_out",
        attrgetter("held_out"),
        "Its mean over the held-out topics.",
        header="held out",
        mark=comparison_mark(attrgetter("comparison")),
    ),
    Column("baseline", attrgetter("baseline"), "The baseline's mean over the held-out topics.", unit="held out"),
)
CHOSEN_OPTIMISM: tuple[ChosenColumn, ...] = (
    Column(
        "best_variant",
        attrgetter("best_variant"),
        "The variant of the sweep with the best mean over the held-out topics.",
        formats.TEXT,
        "best possible",
    ),
    Column(
        "best_held_out",
        attrgetter("best_held_out"),
        "Mean of `best_variant` over the held-out topics.",
        header="best possible",
        unit="mean",
    ),
    Column(
        "optimism",
        attrgetter("optimism"),
        "`best_held_out` less the mean of the chosen variant over the held-out topics.",
    ),
)
CHOSEN_COMPARISON: ComparisonColumns[Chosen] = comparison_columns(
    attrgetter("comparison"), "held_out ", "The chosen variant on the held-out topics"
)
CHOSEN_SIZE = ChosenColumn(
    "index_bytes", attrgetter("bytes"), "Bytes of its index (MB: 10⁶ bytes).", formats.MEGABYTES, "index", "MB"
)
CHOSEN_COLUMNS: tuple[ChosenColumn, ...] = (
    CHOSEN_SWEEP,
    CHOSEN_RETRIEVAL,
    CHOSEN,
    CHOSEN_MEASURE,
    *CHOSEN_MEANS,
    *CHOSEN_OPTIMISM,
    *CHOSEN_COMPARISON,
)
"""The columns of `chosen.csv`."""

SystemColumn = Column[BaselineRun]
SYSTEM = SystemColumn("system", attrgetter("name"), "The system, as the experiment names it.", formats.TEXT)
SYSTEM_RETRIEVED = SystemColumn(
    "retrieved", attrgetter("retrieved"), "Topics with a document.", formats.COUNT, unit="topics"
)
SYSTEM_BYTES = SystemColumn(
    "index_bytes",
    attrgetter("index_bytes"),
    "Size of its index in bytes, if known.",
    formats.MEGABYTES,
    "index",
    "MB",
)


def chosen_table(results: Results) -> Table | None:
    """Return a row for each sweep and each single variant; None if no variant was chosen."""
    rows = chosen_on_topics(results)
    if not rows:
        return None
    columns = [CHOSEN]
    if len(results.tables) > 1:
        columns.append(CHOSEN_RETRIEVAL)
    keys = len(columns)
    comparison = CHOSEN_COMPARISON
    columns += CHOSEN_MEANS
    columns += [comparison.difference, comparison.interval, comparison.outcome]
    if rows[0].comparison.p_corrected is None:
        columns.append(comparison.p)
    else:
        columns.append(comparison.p_corrected)
    columns += CHOSEN_OPTIMISM
    return Table.of(columns, rows, _chosen_caption(results, rows), keys=keys)


def _chosen_caption(results: Results, rows: Sequence[Chosen]) -> str:
    facts = results.facts
    correction = correction_text(facts.correction, f"{len(rows)} rows")
    marks = marks_text(row.comparison.direction for row in rows)
    return (
        f"{measure_header(rows[0].measure).name}. For each sweep, the cutoff with the best mean over the "
        f"{len(facts.topics)} topics, tested on {len(facts.held_out_topics)} held-out topics, which had no part in the "
        f"choice. {TEST_NAMES[facts.test]} against the baseline, {correction}, α = {facts.alpha}, "
        f"{percent_text(1 - facts.alpha)} intervals: {marks} "
        "Optimism: the highest mean of a cutoff on the held-out topics, less the mean of the chosen cutoff."
    )


def held_out_table(results: Results) -> Table | None:
    """Return the baseline and the chosen variants by all measures on the held-out topics, with sizes; None without any.

    This is the form of Table 3 of Fernandez-Pichel et al. (2023), with marks for its arrows.
    """
    rows = chosen_on_topics(results)
    if not rows:
        return None
    with_baselines: list[Chosen] = []
    for table in results.only_built().tables:
        with_baselines.append(Chosen(table, None, 0, {}))
        for row in rows:
            if row.retrieval == table.retrieval:
                with_baselines.append(row)
    columns = [replace(CHOSEN, header="variant")]
    if len(results.tables) > 1:
        columns.append(CHOSEN_RETRIEVAL)
    keys = len(columns)
    for measure in results.measures:
        columns.append(_held_out_mean(measure))
    columns.append(CHOSEN_SIZE)
    facts = results.facts
    correction = correction_text(
        facts.correction, f"the {counted(len(rows), 'chosen variant')}, each measure by itself"
    )
    comparisons: list[Comparison] = []
    for row in rows:
        comparisons += row.comparisons.values()
    directions = [comparison.direction for comparison in comparisons]
    text = (
        f"The chosen variants on {counted(len(facts.held_out_topics), 'held-out topic')}. {TEST_NAMES[facts.test]} against "
        f"the baseline, {correction}, α = {facts.alpha}: {marks_text(directions)}"
    )
    return Table.of(columns, with_baselines, text, keys=keys, group=lambda row: (row.retrieval, row.index == 0))


def _held_out_mean(measure: str) -> ChosenColumn:
    header = measure_header(measure)

    def compared(row: Chosen) -> Comparison | None:
        return row.comparisons.get(measure)

    return ChosenColumn(
        measure,
        methodcaller("held_out_mean", measure),
        f"Mean {measure} over the held-out topics.",
        header=header.name,
        unit=header.parameters,
        mark=comparison_mark(compared),
    )


def system_columns(measures: Sequence[str]) -> list[SystemColumn]:
    """Return the columns of `systems.csv`."""
    columns = [SYSTEM]
    for number, measure in enumerate(measures):
        columns.append(_system_mean(number, measure))
        columns += _system_comparison(measure)
    columns += [SYSTEM_RETRIEVED, SYSTEM_BYTES]
    return columns


def systems_table(results: Results) -> Table | None:
    """Return a row for each baseline run, compared with the first model's baseline; None without any."""
    if not results.facts.systems:
        return None
    main = results.tables[0].main
    comparison = _system_comparison(main)
    columns = [SYSTEM, _system_mean(results.measures.index(main), main), comparison.difference, comparison.outcome]
    columns += [SYSTEM_BYTES, SYSTEM_RETRIEVED]
    for number, measure in enumerate(results.measures):
        if measure != main:
            columns.append(_system_mean(number, measure))
    text = f"Baseline runs of other systems. {caption(results)}"
    return Table.of(columns, results.facts.systems, text)


def report_table(results: Results) -> Table:
    """Return the table of all variants with a last row for each run of another system.

    Cells of a run are empty in columns that only variants have.
    """
    table = all_variants_table(results)
    systems = results.facts.systems
    if not systems:
        return table
    of_systems = {column.name: column for column in system_columns(results.measures)}
    of_systems[VARIANT.name] = SYSTEM
    of_systems[BYTES_SHARE.name] = _system_share(results)
    without_value = SystemColumn("", lambda _: None, "")
    columns = [of_systems.get(column.name, without_value) for column in all_variants_columns(results)]
    names = ", ".join(system.name for system in systems)
    return replace(
        table,
        rows=table.rows + Table.of(columns, systems, "").rows,
        rules=(*table.rules, len(table.rows)),
        note=f"{table.note} Runs of other systems: {names}.".strip(),
    )


def _system_share(results: Results) -> SystemColumn:
    whole = int(results.tables[0].index_bytes[0])
    return SystemColumn(BYTES_SHARE.name, lambda system: system.share_of(whole), BYTES_SHARE.meaning, formats.PERCENT)


def _system_mean(number: int, measure: str) -> SystemColumn:
    header = measure_header(measure)

    def mean(row: BaselineRun) -> float:
        return float(row.means[number])

    def compared(row: BaselineRun) -> Comparison | None:
        return row.comparisons.get(measure)

    return Column(
        measure,
        mean,
        f"Mean {measure} over the topics.",
        header=header.name,
        unit=header.parameters,
        mark=comparison_mark(compared),
    )


def _system_comparison(measure: str) -> ComparisonColumns[BaselineRun]:
    def compared(row: BaselineRun) -> Comparison | None:
        return row.comparisons.get(measure)

    return comparison_columns(compared, f"{measure} ", measure)
