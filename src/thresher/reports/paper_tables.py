"""Tables for papers: chosen columns and rows, runs of other systems among them, marks or letters, a short caption."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from operator import attrgetter
from typing import TypeVar

from thresher.base.errors import ConfigError
from thresher.base.number_text import counted
from thresher.evaluation.comparing import ComparedRuns
from thresher.evaluation.significance import Direction, compare_pairs
from thresher.experiments.results import BaselineRun, Results
from thresher.reports import formats
from thresher.reports.columns import Column
from thresher.reports.compared_rows import MarkedRun, marked_runs
from thresher.reports.compared_runs import pairs_caption
from thresher.reports.formatting import MARKS, NOTHING, plain
from thresher.reports.further_tables import SystemColumn, system_columns
from thresher.reports.html_parts import ViewedTable, viewed
from thresher.reports.paper_rows import PaperRow, paper_rows
from thresher.reports.table import Table, measure_header
from thresher.reports.variant_columns import BYTES_SHARE, POSTINGS_SHARE, VariantColumn, mean_column, variant_columns
from thresher.reports.variant_rows import VariantRow
from thresher.reports.variant_tables import SELECTED_NOTE, tests_text

PaperColumn = Column[PaperRow]
Read = TypeVar("Read")
NAME = PaperColumn("name", attrgetter("name"), "The variant or system.", formats.TEXT, " ")
RETRIEVAL = PaperColumn("retrieval", attrgetter("retrieval"), "The retrieval model.", formats.TEXT, "model")
_OF_BASELINE = "% of baseline"
_MEANINGS: dict[Direction, str] = {
    "better": "significantly better",
    "worse": "significantly worse",
    "mixed": "significant, but mean and ranks differ in sign",
}


@dataclass(frozen=True)
class PaperTable:
    """The content of a table for a paper.

    Args:
        columns: columns of results.csv by name, measures also as tables name them; by default sizes and all measures.
        rows: variants, sweeps and systems by name or label; by default all built variants and all systems.
        model: the retrieval model; None for all.
        pairs: whether every two rows are compared, instead of each with the baseline.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    model: str | None = None
    pairs: bool = False


def paper_table(results: Results, specification: PaperTable = PaperTable()) -> Table:
    """Return a table for a paper, without the columns whose text is equal in all rows.

    Raises:
        ConfigError: if a column, a row or the retrieval model is unknown, or if there are more rows to compare than
            letters.
    """
    rows = paper_rows(results, specification.rows, specification.model)
    declared = _declared(results, specification.columns)
    columns = list(_of_papers(declared, results))
    keys = [NAME]
    subject = f"{plain(results.facts.title)}, {counted(len(results.facts.topics), 'topic')}"
    models = _models(rows)
    if len(models) > 1:
        keys.append(RETRIEVAL)
    else:
        subject += f", {models[0]}"
    sentences = [f"{subject}."]
    if specification.pairs:
        compared = _compared(results, rows, declared)
        by_row = dict(zip(_tested(rows), marked_runs(compared), strict=True))
        keys.insert(0, _letter_column(by_row))
        columns = [_with_letters(column, by_row) for column in columns]
        sentences.append(pairs_caption(compared))
    table = Table.of(keys + columns, rows, "", keys=len(keys), group=attrgetter("retrieval"))
    if not specification.pairs:
        sentences += _marks_sentences(table, results)
    if any(column.unit == _OF_BASELINE for column in declared):
        sentences.append("Sizes are in % of the baseline's.")
    if len(_tested(rows)) < len(rows):
        sentences.append(SELECTED_NOTE)
    shown = viewed(table)
    notes = _common_values(shown)
    if not specification.rows:
        notes += _left_out(rows)
    return replace(shown.table, caption=" ".join(sentences), note=" ".join(notes))


def _models(rows: Sequence[PaperRow]) -> list[str]:
    """Return the retrieval models of the rows, each once; runs of other systems have none."""
    models: list[str] = []
    for row in rows:
        if row.retrieval and row.retrieval not in models:
            models.append(row.retrieval)
    return models


def _common_values(shown: ViewedTable) -> list[str]:
    """Return a sentence on the columns with one value in all rows, if there are any."""
    if not shown.common:
        return []
    values = [f"{value.title} {value.text}" for value in shown.common]
    return [f"In every row: {'; '.join(values)}."]


def _left_out(rows: Sequence[PaperRow]) -> list[str]:
    """Say how many of the built variants are in the rows, if not all are."""
    shown = 0
    built = 0
    models: set[str] = set()
    for row in rows:
        if row.variant is None or not row.variant.built:
            continue
        shown += 1
        table = row.variant.table
        if table.retrieval not in models:
            models.add(table.retrieval)
            built += len(table.built)
    if shown >= built:
        return []
    return [f"{shown} of {counted(built, 'built variant')}."]


def _declared(results: Results, names: Sequence[str]) -> list[VariantColumn]:
    """Return the named columns; without names, the columns of sizes and measures."""
    declared: list[VariantColumn] = []
    if not names:
        declared += [BYTES_SHARE, POSTINGS_SHARE]
        for measure in results.measures:
            declared.append(mean_column(measure))
        return declared
    columns = _columns_by_name(results)
    for name in names:
        if name not in columns:
            near = ", ".join(get_close_matches(name, columns, 3) or results.measures)
            raise ConfigError(f"there is no column {name!r}", f"use columns of results.csv, such as {near}", "columns")
        declared.append(columns[name])
    return declared


def _columns_by_name(results: Results) -> dict[str, VariantColumn]:
    """Return the columns of results.csv by their names, and by their names with the measure as tables name it."""
    all_columns = variant_columns(results.measures)
    columns = {column.name: column for column in all_columns}
    for column in all_columns:
        for measure in results.measures:
            if measure in column.name:
                columns.setdefault(column.name.replace(measure, measure_header(measure).name, 1), column)
    return columns


def _of_papers(columns: Sequence[VariantColumn], results: Results) -> Iterator[PaperColumn]:
    """Give the columns over variants and other systems, under their labels."""
    labels = results.facts.labels
    of_systems = {column.name: column for column in system_columns(results.measures)}
    whole = int(results.tables[0].index_bytes[0])
    of_systems[BYTES_SHARE.name] = SystemColumn(BYTES_SHARE.name, lambda system: system.share_of(whole), "")
    for column in columns:
        header = labels.get(column.name) or labels.get(column.title, column.title)
        unit = "%" if column.unit == _OF_BASELINE else column.unit
        yield replace(_of_both(column, of_systems.get(column.name)), header=header, unit=unit)


def _of_both(column: VariantColumn, of_systems: SystemColumn | None) -> PaperColumn:
    """Return the column over variants and over runs of other systems, which may not have it."""
    if of_systems is None:
        of_systems = SystemColumn("", lambda _: None, "")
    missing = NOTHING
    if isinstance(column.missing, str):
        missing = column.missing
    return PaperColumn(
        column.name,
        _either(column.value, of_systems.value, None),
        column.meaning,
        column.format,
        unit=column.unit,
        text=column.text and _either(column.text, of_systems.text, ""),
        prefix=column.prefix and _either(column.prefix, of_systems.prefix, ""),
        mark=column.mark and _either(column.mark, of_systems.mark, ""),
        interval=column.interval and _either(column.interval, of_systems.interval, None),
        missing=missing,
    )


def _either(
    of_variant: Callable[[VariantRow], Read], of_system: Callable[[BaselineRun], Read] | None, otherwise: Read
) -> Callable[[PaperRow], Read]:
    def read(row: PaperRow) -> Read:
        if row.variant is not None:
            return of_variant(row.variant)
        if row.system is not None and of_system is not None:
            return of_system(row.system)
        return otherwise

    return read


def _marks_sentences(table: Table, results: Results) -> list[str]:
    """Return a sentence on the tests that were made and the meaning of the marks, if there were tests."""
    tests = tests_text(results)
    if not tests:
        return []
    marks: set[str] = set()
    for row in table.rows:
        for cell in row:
            marks.add(cell.mark)
    meanings: list[str] = []
    for direction, meaning in _MEANINGS.items():
        if MARKS[direction] in marks:
            meanings.append(f"{MARKS[direction]} {meaning}")
    return [f"{tests}: {', '.join(meanings) or 'no difference is significant'}."]


# All pairs


def _compared(results: Results, rows: Sequence[PaperRow], columns: Sequence[VariantColumn]) -> ComparedRuns:
    """Compare every two rows in the measures that are shown."""
    facts = results.facts
    names = [column.name for column in columns]
    measures = [measure for measure in results.measures if measure in names]
    if not measures:
        what = "pairs are compared by measures, and no column shows a measure"
        raise ConfigError(what, "add a measure to the columns", "pairs")
    values: dict[str, dict[str, dict[str, float]]] = {}
    for number, row in enumerate(_tested(rows)):
        values_of_row: dict[str, dict[str, float]] = {}
        for measure in measures:
            values_of_row[measure] = _by_topic(results, row, measure)
        values[str(number)] = values_of_row
    pairs = compare_pairs(values, facts.alpha, facts.correction, facts.setup.seed, facts.test)
    return ComparedRuns(
        "0", tuple(facts.topics), values, {}, facts.alpha, facts.correction, test=facts.test, pairs=pairs
    )


def _tested(rows: Sequence[PaperRow]) -> list[PaperRow]:
    """Return the rows that were not selected on the topics that they would be tested on."""
    return [row for row in rows if not _is_selected(row)]


def _is_selected(row: PaperRow) -> bool:
    if row.variant is None or row.variant.built is None:
        return False
    return any(comparison.selected for comparison in row.variant.built.comparisons.values())


def _by_topic(results: Results, row: PaperRow, measure: str) -> dict[str, float]:
    if row.variant is not None:
        values = row.variant.table.of(measure)[row.variant.index]
    else:
        assert row.system is not None
        values = row.system.values[results.measures.index(measure)]
    return dict(zip(results.facts.topics, values.tolist(), strict=True))


def _letter_column(by_row: Mapping[PaperRow, MarkedRun]) -> PaperColumn:
    def letter(row: PaperRow) -> str:
        return by_row[row].letter if row in by_row else ""

    return PaperColumn("letter", letter, "The row's letter.", formats.TEXT, " ")


def _with_letters(column: PaperColumn, by_row: Mapping[PaperRow, MarkedRun]) -> PaperColumn:
    """Return a column whose marks, if it has any, name the rows that are significantly worse."""

    def letters(row: PaperRow) -> str:
        return by_row[row].marks.get(column.name, "") if row in by_row else ""

    return replace(column, mark=letters if column.mark else None)
