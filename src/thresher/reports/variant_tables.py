"""The table of variants as CSV files and as tables for terminals, papers and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from thresher.base.columns import Declared, Show
from thresher.base.number_text import counted
from thresher.base.numbers import Floats
from thresher.experiments.results import Results
from thresher.experiments.table import VariantTable
from thresher.indexes.analysis import formula_of
from thresher.indexes.work import bytes_by_part
from thresher.reports.formatting import MINUS, correction_text, fixed, marks_text
from thresher.reports.table import FORMATS, Column, Table, columns_of, csv_table, measure_header, pick, spread
from thresher.reports.variant_columns import (
    FOOTPRINTS,
    NOT_MEASURABLE,
    Entry,
    entries,
    measure_column,
    slug,
    variant_columns,
)

RESULTS_CSV = "results.csv"
SMALLEST_PART = 0.01
"""Parts of an index with less than this share of the baseline's bytes are shown together."""


def results_csv(results: Results) -> str:
    """Return one line for each retrieval model and variant, without columns that are empty in all of them."""
    return csv_table(variant_columns(results.measures), entries(results), empty=False)


@dataclass(frozen=True)
class _Value:
    """A value of a measure for a topic."""

    variant: Annotated[str, Declared("The variant, or the baseline run of another system, by its name.", Show.TEXT)]
    retrieval: Annotated[str, Declared("The retrieval model.", Show.TEXT)]
    held_out: Annotated[bool, Declared("1 for a held-out topic, else 0.", Show.COUNT)]
    topic: Annotated[str, Declared("The topic's id.", Show.TEXT)]
    measure: Annotated[str, Declared("The measure.", Show.TEXT)]
    value: Annotated[float, Declared("The measure's value for the topic.")]


PER_TOPIC: list[Column[_Value]] = columns_of(_Value)


def per_topic_csv(results: Results) -> str:
    """Return the values of what was built, and of baseline runs, by topic and measure."""
    rows: list[_Value] = []

    def add(name: str, retrieval: str, held_out: bool, topics: Sequence[str], values: Floats) -> None:
        for measure, of_measure in zip(results.measures, values.tolist(), strict=True):
            by_topic = zip(topics, of_measure, strict=True)
            rows.extend(_Value(name, retrieval, held_out, topic, measure, value) for topic, value in by_topic)

    for table in results.tables:
        for index in table.built:
            add(table.rows[index].name, table.retrieval, False, table.topics, table.values[:, index])
        for index in table.built:
            add(table.rows[index].name, table.retrieval, True, table.held_out_topics, table.held_out[:, index])
    for system in results.facts.systems:
        add(system.name, results.tables[0].retrieval, False, results.tables[0].topics, system.values)
    return csv_table(PER_TOPIC, rows)


def main_table(results: Results, limit: int | None = None) -> Table:
    """Return effectiveness by the main measure beside size and work, then by other measures, and times if there are any."""
    columns, main = variant_columns(results.measures), results.tables[0].main
    sizes = ("postings_share", "bytes", "words_share", "emptied", "query_postings", "query_documents")
    shown = [
        *_keys(results),
        measure_column(main),
        *pick(columns, f"{main} outcome", *sizes),
        *(measure_column(measure) for measure in results.measures if measure != main),
    ]
    note = " ".join(map(formula_of, results.retrievals))
    note += " MB: 10⁶ bytes. Postings and scored documents: of a query, mean over topics."
    if results.facts.noise:
        query, ratio = pick(columns, "query_seconds", "query_ratio")
        shown += [
            replace(query, header="query", text=None),
            replace(ratio, header="time of a query", unit="by baseline's", text=_ratio),
            *pick(columns, "break_even_queries"),
        ]
    rows = [entry for table in results.tables for entry in shown_entries(table, limit)]
    return _table(results, shown, rows, f"{caption(results)} {note} {_left_out(rows, results)}".strip())


def answer_table(results: Results, limit: int, recommended: Sequence[str] = ()) -> Table:
    """Return about as many variants as `limit`: the baselines, those recommended, and the Pareto front, evenly thinned."""
    rows = []
    for table in results.tables:
        front = table.front(table.main, (0, *table.candidates))
        room = max(1, limit // len(results.tables) - 1 - len(recommended))
        named = {0, *(front[place] for place in spread(len(front), min(room, len(front))))}
        named |= {table.position[name] for name in recommended if name in table.position}
        rows += [Entry(table, one) for one in sorted(named, key=lambda one: (one > 0, -table.sizes[one], one))]
    columns, main = variant_columns(results.measures), results.tables[0].main
    names = (f"{main} difference", "postings_share", "words_share", "emptied", "query_postings")
    shown = [*_keys(results), measure_column(main), *pick(columns, *names)]
    text = f"{counted(len(results.facts.topics), 'topic')}; the baseline, what is recommended and points of the Pareto front."
    if results.was_run:
        text += f" †+ is significantly better, †{MINUS} worse."
    return Table.of(
        shown,
        rows,
        text,
        _left_out(rows, results),
        min(2, len(results.tables)),
        lambda entry: (entry.table.retrieval, entry.index == 0),
    )


def caption(results: Results) -> str:
    """Return the line below a table of effectiveness: topics, test, correction, level, and what the marks mean."""
    facts, main = results.facts, results.tables[0].main
    text = f"{counted(len(facts.topics), 'topic')}."
    found = [
        comparison.direction
        for table in results.tables
        for index in table.built
        if (built := table.rows[index].built)
        for comparison in built.comparisons.values()
    ]
    if found:
        text += (
            f" {facts.test} against the baseline, {correction_text(facts.correction, 'variants and measures')}, α = "
            f"{facts.alpha}: {marks_text(found)} W/T/L: topics won, tied and lost in {measure_header(main)[0]}."
        )
    return text


def shown_entries(table: VariantTable, limit: int | None) -> list[Entry]:
    """Return the variants to show in their order: those that were built, or else the best of each sweep and all singles.

    Beyond about `limit` of them, single variants and the best of each sweep stay, and evenly spread cutoffs of each sweep.
    """
    best = {table.best(table.main, members) for members in table.sweeps.values()}
    kept = {0, *best, *table.singles}
    if len(table.built) > 1:
        kept = set(table.built)
        if limit is not None and len(kept) > limit:
            kept = _thinned(table.only(table.built), limit)
            kept = {table.built[index] for index in kept}
    return [Entry(table, index) for index in sorted(kept)]


def _thinned(table: VariantTable, limit: int) -> set[int]:
    swept = {index for members in table.sweeps.values() for index in members}
    kept = set(range(len(table.rows))) - swept
    kept |= {table.best(table.main, members) for members in table.sweeps.values()}
    room = max(0, limit - len(kept))
    for number, members in enumerate(table.sweeps.values()):
        others = [index for index in members if index not in kept]
        chosen = [others[place] for place in spread(len(others), room // (len(table.sweeps) - number))]
        kept.update(chosen)
        room -= len(chosen)
    return kept


def held_out_table(results: Results) -> Table:
    """Return effectiveness on the held-out topics of all that was built, or else of the best of each sweep."""
    columns = variant_columns(results.measures)
    names = [name for measure in results.measures for name in (f"held_out {measure}", f"held_out {measure} difference")]
    rows = [entry for table in results.tables for entry in shown_entries(table, None)]
    shown = [*_keys(results), *pick(columns, *names)]
    return _table(results, shown, rows, f"{len(results.facts.held_out_topics)} held-out topics.")


def work_table(results: Results) -> Table:
    """Return the exact work of variants: what is in the index, and what a query makes Lucene do."""
    names = ("documents", "tokens", "postings", "vocabulary", "query_postings", "query_documents")
    rows = [entry for table in results.tables for entry in shown_entries(table, None)]
    return _table(results, [*_keys(results), *pick(variant_columns(results.measures), *names)], rows, "Exact work")


def bytes_table(results: Results) -> Table:
    """Return the megabytes of the parts of each index that was built, the largest part first."""
    whole = results.tables[0].baseline.bytes or 0
    sizes = [bytes_by_part(entry.built.bytes_by_type) for entry in _built(results) if entry.built]
    largest = {part: max(one.get(part, 0) for one in sizes) for part in dict.fromkeys(p for one in sizes for p in one)}
    parts = [one for one in sorted(largest, key=lambda one: -largest[one]) if largest[one] >= SMALLEST_PART * whole]
    return _table(
        results,
        [*_keys(results), *(_part_column(part) for part in parts), *pick(variant_columns(results.measures), "bytes")],
        _built(results),
        "Index bytes by part",
        "Parts of less than a hundredth are in the last column alone." if len(parts) < len(largest) else "",
    )


def _part_column(part: str) -> Column[Entry]:
    return Column(
        part,
        lambda entry: bytes_by_part(entry.built.bytes_by_type).get(part, 0) if entry.built else None,
        f"Size of the index's {part}.",
        unit="MB",
        format=FORMATS[Show.MEGABYTES],
    )


def times_tables(results: Results) -> list[Table]:
    """Return the measured times of queries and of indexing, with what is paid off; none if all differences are noise."""
    tables = []
    for prefix, text, more in (
        ("query_", "Time of a query", ["break_even_words"]),
        ("indexing_", "Time of indexing", []),
    ):
        noise = [one for one in results.facts.noise if bool(one.retrieval) is (prefix == "query_")]
        columns = pick(variant_columns(results.measures), f"{prefix}verdict")
        if not noise or not any(columns[0].value(entry) == "measurable" for entry in _built(results)):
            continue
        names = [prefix + name for name in ("seconds", "cpu_seconds", "ratio", "cpu_ratio", "verdict")]
        shown = [*_keys(results), *pick(variant_columns(results.measures), *names, *more)]
        tables.append(_table(results, shown, _built(results), text, noise_note(results, prefix == "query_")))
    return tables


def noise_note(results: Results, of_queries: bool) -> str:
    """Say how times of queries or of indexing were measured, and what noise is."""
    notes = []
    for noise in results.facts.noise:
        if bool(noise.retrieval) is not of_queries:
            continue
        ratio = noise.copy.ratio
        value, low, high = (fixed(bound, 3) for bound in (ratio.value, ratio.low, ratio.high))
        opening = f"{noise.retrieval}: " if noise.retrieval and len(results.tables) > 1 else ""
        notes.append(
            f"{opening}{counted(noise.rounds, 'round')}, all indexes opened {counted(noise.restarts, 'time')}. A copy "
            f"of the baseline's index takes {value} of its time: differences between {low} and {high} are {NOT_MEASURABLE}."
        )
    return " ".join(notes)


def footprint_table(results: Results) -> Table:
    """Return energy and CO2 of cleaning, indexing and numbers of searches: Tables 4 and 5 of the PyPlexity paper."""
    held = {one.work for entry in _built(results) if entry.built for one in entry.built.footprints}
    names = [f"{slug(work)}_{quantity}" for quantity in ("kwh", "kg") for work in FOOTPRINTS if work in held]
    text = f"Energy and CO₂, {results.facts.setup.power}."
    return _table(results, [*_keys(results), *pick(variant_columns(results.measures), *names)], _built(results), text)


def stage_table(results: Results) -> Table:
    """Return what cleaning and building these indexes took, once."""
    quantities = ("wall_seconds", "cpu_seconds", "peak_mib", "co2_grams")
    columns = {column.name: column for column in variant_columns(results.measures)}
    shown = [
        replace(column, header=f"{stage} {column.header or column.name}")
        for stage, prefix in (("cleaning", "clean_"), ("indexing", "index_"))
        for column in (columns[prefix + name] for name in quantities)
    ]
    return _table(results, [*_keys(results), *shown], _built(results), "Cost of building these indexes, once")


def _ratio(entry: Entry) -> str:
    time = entry.built.query if entry.built else None
    if time is None:
        return ""
    return fixed(time.ratio.value, 3) if time.measurable or entry.index == 0 else NOT_MEASURABLE


def _keys(results: Results) -> list[Column[Entry]]:
    return pick(variant_columns(results.measures), "variant", *["retrieval"] * (len(results.tables) > 1))


def _built(results: Results) -> list[Entry]:
    return [Entry(table, index) for table in results.tables for index in table.built]


def _left_out(rows: Sequence[Entry], results: Results) -> str:
    every = [len(table.rows) for table in results.tables]
    whole = every[0] * len(every)
    return f"{len(rows)} of {whole:,} rows; all of them are in {RESULTS_CSV}." if len(rows) < whole else ""


def _table(
    results: Results, columns: Sequence[Column[Entry]], rows: Sequence[Entry], text: str, note: str = ""
) -> Table:
    def group(entry: Entry) -> object:
        return entry.table.retrieval, entry.index == 0, entry.row.variant.sweep

    return Table.of(columns, rows, text, note, min(2, len(results.tables)), group)
