"""The tables and CSV files of a finished experiment: its variants and its topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from thresher.costs import MeasuredTime
from thresher.evaluation.significance import Comparison
from thresher.lucene.index_parts import bytes_beside_postings, part_of
from thresher.number_texts import number_text
from thresher.reports.compared_runs import COMPARED
from thresher.reports.cost_columns import (
    BOUNDS,
    COSTS,
    FOOTPRINTS,
    NOT_MEASURABLE,
    TIMES,
    WORK,
    footprint_columns,
    shown_footprints,
)
from thresher.reports.formatting import (
    MARKS,
    MINUS,
    correction_text,
    fixed,
    marks_text,
)
from thresher.reports.table import (
    COUNT,
    PERCENT,
    Column,
    Table,
    csv_table,
    fitted,
    measure_header,
    pick,
    within,
)
from thresher.results.experiment_results import Cost, Results, SystemResult, TopicValue, VariantResult
from thresher.results.selection import (
    compared_measures,
    direction,
    front_rows,
    main_measure,
    relative_bytes,
    retrievals,
    shown_rows,
    spread,
    words_kept,
)

Stage = Literal["clean", "index"]
STAGES: dict[Stage, str] = {"clean": "Cleaning", "index": "Indexing"}
HELD_OUT_FILE = "results.held-out.csv"
"""The variants on held-out topics."""
_MEGA = 1e-6


MeasuredRow = TypeVar("MeasuredRow", bound=VariantResult | SystemResult)


def result_columns(measures: Sequence[str], tested: Sequence[str]) -> list[Column[VariantResult]]:
    """Return the columns of variants, in CSV files and tables; `tested` measures are compared with the baseline."""
    return [
        Column("variant", lambda row: row.variant, "The cleaner, by its canonical name.", align="left"),
        Column("retrieval", lambda row: row.retrieval, "The retrieval model.", align="left"),
        Column("baseline", lambda row: "yes" if row.is_baseline else "no", "`yes` for the baseline, else `no`."),
        Column("sweep", lambda row: row.sweep, "The sweep that the variant belongs to; empty for none."),
        Column("cutoff", _cutoff, "The variant's cutoff in the sweep."),
        *(measure_column(name, name in tested) for name in measures),
        *(column for name in tested for column in within(COMPARED, _comparison(name), f"{name} ", name)),
        Column("documents", lambda row: row.documents, "Pages of the collection."),
        Column("indexed", lambda row: row.indexed, "Pages with text left, which the index holds."),
        Column("emptied", lambda row: row.emptied, "Pages without text left.", unit="pages", format=fitted(1)),
        Column("failed", lambda row: row.failed, "Pages that could not be read or parsed."),
        Column("words_kept", lambda row: row.words_kept, "Words left by cleaning."),
        Column("words_total", lambda row: row.words_total, "Words of the collection."),
        Column("words kept", words_kept, "Share of words left by cleaning.", unit="%", format=PERCENT, exact=False),
        Column(
            "index_bytes",
            lambda row: row.index_bytes,
            "Size of the index in bytes (MB: 10⁶ bytes).",
            "index",
            "MB",
            fitted(3, _MEGA),
        ),
        Column(
            "index_bytes_relative",
            relative_bytes,
            "Index bytes over those of the baseline.",
            "index",
            "% of baseline",
            PERCENT,
        ),
        *WORK,
        *(column for stage in STAGES for column in _costs(stage)),
        *within(TIMES, lambda row: row.query, "query_", "Searching"),
        *within(TIMES, lambda row: row.indexing, "indexing_", "Indexing"),
        Column(
            "break_even_queries",
            lambda row: None if row.break_even.queries is None else row.break_even.queries.value,
            "Queries after which cleaning pays off; empty where it never does, and where that is not measurable.",
            "break-even",
            "queries",
            COUNT,
        ),
        *within(BOUNDS, lambda row: row.break_even.queries, "break_even_queries_", "Break-even"),
        Column(
            "break_even_note", lambda row: row.break_even.note, "The break-even in words.", "in words", align="left"
        ),
        *footprint_columns(),
    ]


def results_csv(results: Results) -> str:
    """Return one line per variant and retrieval model.

    The baseline's comparisons are empty; CO2 that was too little to measure is "below resolution"; a break-even that never
    comes, or that is within noise, is empty.
    """
    return csv_table(result_columns(results.measures, compared_measures(results)), results.rows)


PER_TOPIC: tuple[Column[TopicValue], ...] = (
    Column("variant", lambda item: item.variant, "The cleaner, by its canonical name."),
    Column("retrieval", lambda item: item.retrieval, "The retrieval model."),
    Column("topic", lambda item: item.topic, "The topic's id."),
    Column("measure", lambda item: item.measure, "The measure."),
    Column("value", lambda item: item.value, "The measure's value for the topic."),
)
"""The columns of the values by topic."""


def per_topic_csv(results: Results) -> str:
    """Return the long form: one line per variant, retrieval model, topic and measure."""
    return csv_table(PER_TOPIC, results.per_topic)


def main_table(results: Results, limit: int | None = None) -> Table:
    """Return the table of effectiveness next to cost, one row per variant and retrieval model.

    `limit` is about how many rows to show at most (see `shown_rows`); None for all.

    Raises:
        InputError: if the results hold no measure.
    """
    columns = _columns(results)
    costs = pick(columns, "index_bytes", "index_bytes_relative", "words kept", "emptied")
    work = pick(columns, "query_postings", "query_documents")
    shown = [*_effectiveness(results), *costs, *work]
    units = "MB: 10⁶ bytes. Postings and scored documents: of a query, mean over topics."
    if results.noise:
        query, ratio = pick(columns, "query_ms", "query_ratio")
        noted = replace(ratio, header="time of a query", unit="by baseline's", text=_ratio_or_verdict)
        shown += [replace(query, header="query"), noted, *pick(columns, "break_even_queries")]
        units += f" {_noise_note(results)} Break-even: queries after which cleaning pays off."
    rows = shown_rows(results, limit)
    return _table(results, shown, rows, f"{caption(results)} {units}", _left_out(rows, results, "results.csv"))


def answer_table(results: Results, limit: int, recommended: Sequence[str] = ()) -> Table:
    """Return the variants that matter most: the baselines, those recommended, and the Pareto front, evenly thinned.

    Args:
        results: at least the baseline.
        limit: about how many rows.
        recommended: variants.

    Raises:
        InputError: if the results hold no measure.
    """
    measure = main_measure(results)
    models = retrievals(results)
    rows = []
    for model in models:
        front = front_rows(results, model)
        room = max(1, limit // len(models) - 1 - len(recommended))
        named = {*recommended, *(front[index].variant for index in spread(len(front), min(room, len(front))))}
        rows += [row for row in results.rows if row.retrieval == model and (row.is_baseline or row.variant in named)]
    columns = _columns(results)
    difference = within(pick(COMPARED, "difference"), _comparison(measure))
    costs = pick(columns, "index_bytes_relative", "words kept", "emptied", "query_postings")
    shown = [*_keys(results), *pick(columns, measure), *difference, *costs]
    text = f"{results.topics} topics; the baseline and the Pareto front. †+ is significantly better, †{MINUS} worse."
    return _table(results, shown, rows, text, _left_out(rows, results, "results.csv"))


def effectiveness_table(results: Results, file: str, limit: int | None = None) -> Table:
    """Return the effectiveness part of the main table, of about `limit` rows; `file` is the file that has all.

    Raises:
        InputError: if the results hold no measure.
    """
    rows = shown_rows(results, limit)
    return _table(results, _effectiveness(results), rows, caption(results), _left_out(rows, results, file))


def caption(results: Results) -> str:
    """Return the line below a table of effectiveness: topics, test, correction, level, and what the marks mean."""
    measure = main_measure(results)
    text = f"{results.topics} topics."
    if compared_measures(results):
        text += (
            f" {results.test} against the baseline, {correction_text(results.correction, 'variants and measures')}, α = "
            f"{results.alpha}: {marks_text(direction(item) for row in results.rows for item in row.comparisons.values())}"
        )
        text += f" W/T/L: topics won, tied and lost in {measure}."
    return text


def stage_table(results: Results, stage: Stage) -> Table:
    """Return what a stage took: wall and CPU seconds, peak MiB, grams of CO2 ("below resolution" for None)."""
    return _table(results, [*_keys(results), *_costs(stage)], results.rows, STAGES[stage])


def work_table(results: Results) -> Table:
    """Return the exact work of each variant: what is in its index, and what a query makes Lucene do."""
    return _table(results, [*_keys(results), *WORK], results.rows, "Exact work")


def times_tables(results: Results) -> list[Table]:
    """Return the measured times of queries and of indexing, as far as they were measured; the note says the noise floor."""
    rows = [row for row in results.rows if row.query]
    tables = []
    parts: tuple[tuple[str, Callable[[VariantResult], MeasuredTime | None], str], ...] = (
        ("Time of a query", lambda row: row.query, "query_"),
        ("Time of indexing", lambda row: row.indexing, "indexing_"),
    )
    for caption, part, prefix in parts:
        if not any(part(row) for row in rows):
            continue
        names = [prefix + name for name in ("ms", "cpu_ms", "ratio", "ratio_interval", "cpu_ratio", "verdict")]
        columns = pick(within(TIMES, part, prefix), *names)
        tables.append(_table(results, [*_keys(results), *columns], rows, caption, _noise_note(results, prefix)))
    return tables


def footprint_tables(results: Results) -> list[Table]:
    """Return hours, energy and CO2 of cleaning, indexing and numbers of searches: Tables 4 and 5 of the PyPlexity paper."""
    held = max((len(row.footprints) for row in results.rows), default=0)
    rows = results.rows
    return [
        _table(results, [*_keys(results), *shown_footprints(FOOTPRINTS[:held], quantity)], rows, caption)
        for quantity, caption in (("hours", "Hours"), ("kwh", "Energy"), ("kg", "CO₂"))
    ]


def _ratio_or_verdict(row: VariantResult) -> str:
    time = row.query
    if time is None:
        return ""
    return f"{time.ratio.value:.3f}" if time.measurable or row.is_baseline else NOT_MEASURABLE


def _noise_note(results: Results, prefix: str = "query_") -> str:
    """Say how times were measured and what noise is."""
    notes = []
    for noise in results.noise:
        if bool(noise.retrieval) is not (prefix == "query_"):
            continue
        ratio, name = (
            noise.twin.ratio,
            f"{noise.retrieval}: " if noise.retrieval and len(retrievals(results)) > 1 else "",
        )
        rounds = f"{noise.rounds} rounds in {noise.openings} openings" if noise.retrieval else f"{noise.rounds} rounds"
        if noise.pauses:
            pauses = noise.pauses
            rounds += f". Java's garbage collectors paused {pauses.collections} times, {pauses.seconds:.2f} s in all"
        value, low, high = (fixed(bound, 3) for bound in (ratio.value, ratio.low, ratio.high))
        notes.append(
            f"{name}{rounds}. The baseline's twin takes {value} of its time. That is noise: differences between {low} and "
            f"{high} are “{NOT_MEASURABLE}”."
        )
    if prefix == "indexing_" and not notes:
        return "Indexing was timed once."
    return " ".join(notes)


def bytes_table(results: Results) -> Table:
    """Return the index bytes by file type in MB (10^6 bytes), the largest type first, and their sum."""
    rows = results.rows
    totals: dict[str, int] = {}
    for row in rows:
        for kind, size in row.index_bytes_by_type.items():
            totals[kind] = totals.get(kind, 0) + size
    kinds = [_bytes_of(kind) for kind in sorted(totals, key=lambda kind: (-totals[kind], kind))]
    every = replace(pick(_columns(results), "index_bytes")[0], header="all")
    return _table(results, [*_keys(results), *kinds, _BESIDE_POSTINGS, every], rows, "Index bytes by file type")


def break_even_table(results: Results) -> Table:
    """Return each variant's break-even, as a number of queries and in words."""
    columns = [*_keys(results), *pick(_columns(results), "break_even_note")]
    rows = [row for row in results.rows if not row.is_baseline]
    return _table(results, columns, rows, "Break-even")


def measure_column(name: str, tested: bool) -> Column[MeasuredRow]:
    """Return the column of a measure's mean over the topics, marked where it is `tested` and differs significantly."""
    header, unit = measure_header(name)
    return Column(
        name,
        lambda row: row.measures.get(name),
        f"Mean {name} over the topics.",
        header,
        unit,
        mark=(lambda row: MARKS[direction(row.comparisons.get(name))]) if tested else None,
    )


def _comparison(measure: str) -> Callable[[VariantResult], Comparison | None]:
    return lambda row: row.comparisons.get(measure)


def _costs(stage: Stage) -> list[Column[VariantResult]]:
    def cost(row: VariantResult) -> Cost:
        return {"clean": row.clean, "index": row.index}[stage]

    return within(COSTS, cost, f"{stage}_", STAGES[stage])


def _bytes_of(kind: str) -> Column[VariantResult]:
    part = part_of(kind)
    return Column(
        kind,
        lambda row: row.index_bytes_by_type.get(kind, 0),
        f"Size of the index's files of the type {kind}{f' ({part.name}): {part.purpose}' if part else ''}.",
        unit="MB",
        format=fitted(3, _MEGA),
    )


_BESIDE_POSTINGS: Column[VariantResult] = Column(
    "beside_postings",
    lambda row: bytes_beside_postings(row.index_bytes_by_type),
    "Size of all that does not shrink with postings: the dictionary, which shrinks as terms vanish, ids and lengths.",
    header="beside postings",
    unit="MB",
    format=fitted(3, _MEGA),
    exact=False,
)


def _columns(results: Results) -> list[Column[VariantResult]]:
    return result_columns(results.measures, compared_measures(results))


def _keys(results: Results) -> list[Column[VariantResult]]:
    return pick(_columns(results), "variant", *["retrieval"] * (len(retrievals(results)) > 1))


def _effectiveness(results: Results) -> list[Column[VariantResult]]:
    wins = within(pick(COMPARED, "W/T/L"), _comparison(main_measure(results)))
    return [*_keys(results), *pick(_columns(results), *results.measures), *wins]


def _left_out(rows: Sequence[VariantResult], results: Results, file: str) -> str:
    whole = len(results.rows)
    return f"{len(rows)} of {whole} rows; all of them are in {file}." if len(rows) < whole else ""


def _table(
    results: Results, columns: Sequence[Column[VariantResult]], rows: Sequence[VariantResult], text: str, note: str = ""
) -> Table:
    keys = 2 if len(retrievals(results)) > 1 else 1
    return Table.of(columns, rows, text, note, keys, lambda row: (row.retrieval, row.is_baseline, row.sweep))


def _cutoff(row: VariantResult) -> str | None:
    return None if row.cutoff is None else number_text(row.cutoff)
