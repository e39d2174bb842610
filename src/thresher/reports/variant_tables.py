"""The table of variants as CSV files, and as tables for terminals, papers and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

from thresher.base.number_text import counted
from thresher.evaluation.significance import TEST_NAMES, Comparison
from thresher.experiments.results import Results
from thresher.experiments.table import NoiseFloor, VariantTable
from thresher.indexes.analysis import formula_of
from thresher.indexes.work import INDEX_PARTS
from thresher.reports import formats
from thresher.reports import variant_columns as variants
from thresher.reports import variant_cost_columns as costs
from thresher.reports.columns import Column
from thresher.reports.cost_columns import FOOTPRINTS, NOT_MEASURABLE, footprint_columns
from thresher.reports.formatting import MINUS, correction_text, fixed, marks_text, measure_text
from thresher.reports.table import Table, csv_table, filled, measure_header, spread
from thresher.reports.topic_rows import TopicChange, TopicValue, topic_values
from thresher.reports.variant_columns import VariantColumn
from thresher.reports.variant_rows import VariantRow, variant_rows

RESULTS_CSV = "results.csv"
PER_TOPIC: tuple[Column[TopicValue], ...] = (
    Column(
        "variant",
        attrgetter("variant"),
        "The variant, or the baseline run of another system, by its name.",
        formats.TEXT,
    ),
    Column("retrieval", attrgetter("retrieval"), "The retrieval model.", formats.TEXT),
    Column("held_out", attrgetter("held_out"), "1 for a held-out topic, else 0.", formats.COUNT),
    Column("topic", attrgetter("topic"), "The topic's id.", formats.TEXT),
    Column("measure", attrgetter("measure"), "The measure.", formats.TEXT),
    Column("value", attrgetter("value"), "The measure's value for the topic."),
)
TOPICS: tuple[Column[TopicChange], ...] = (
    Column("topic", attrgetter("topic"), "The topic's id.", formats.TEXT),
    Column("query", attrgetter("query"), "The query.", formats.TEXT),
    Column("baseline", attrgetter("baseline"), "The baseline's value."),
    Column("variant", attrgetter("variant"), "The variant's value."),
    Column("difference", attrgetter("difference"), "The variant's value less the baseline's.", formats.DIFFERENCE),
)

SELECTED_NOTE = "Variants that `choose` named were selected on these topics: they carry no mark."


# CSV files


def results_csv(results: Results) -> str:
    """Return one line for each retrieval model and variant, without columns that are empty in all of them."""
    rows = variant_rows(results)
    return csv_table(filled(variants.variant_columns(results.measures), rows), rows)


def per_topic_csv(results: Results) -> str:
    """Return the values of built variants, and of baseline runs, by topic and measure."""
    return csv_table(PER_TOPIC, topic_values(results))


# Tables


def main_table(results: Results, limit: int | None = None) -> Table:
    """Return effectiveness by the main measure beside size and work, then by other measures, and times if there are any.

    Beyond about `limit` rows for each retrieval model, the best of each sweep, single variants and evenly spread cutoffs stay.
    """
    columns = _key_columns(results) + _main_columns(results)
    if results.facts.noise:
        columns += [costs.QUERY_MEAN, costs.QUERY_RATIO, costs.BREAK_EVEN.queries]
    return _main_table(results, columns, limit)


def all_variants_table(results: Results) -> Table:
    """Return the main table with further columns for a page: see `all_variants_columns`."""
    return _main_table(results, all_variants_columns(results), None)


def all_variants_columns(results: Results) -> list[VariantColumn]:
    """Return the columns of the main table, then held-out topics, the exact work, and the parts of built indexes."""
    columns = _key_columns(results) + _main_columns(results)
    if results.facts.held_out_topics:
        for measure in results.measures:
            columns += [variants.held_out_mean_column(measure), variants.held_out_difference_column(measure)]
    columns += [variants.DOCUMENTS, variants.TOKENS, variants.POSTINGS, variants.VOCABULARY]
    built = _built_rows(results)
    for part in INDEX_PARTS:
        column = variants.part_column(part)
        if any(map(column.value, built)):
            columns.append(column)
    return columns


def _main_columns(results: Results) -> list[VariantColumn]:
    main = results.tables[0].main
    columns = [
        variants.mean_column(main),
        variants.measure_comparison(main).outcome,
        variants.SIZE,
        variants.BYTES_SHARE,
        variants.POSTINGS_SHARE,
        variants.WORDS_SHARE,
        variants.EMPTIED,
        variants.QUERY_POSTINGS,
        variants.QUERY_DOCUMENTS,
    ]
    for measure in results.measures:
        if measure != main:
            columns.append(variants.mean_column(measure))
    return columns


def _main_table(results: Results, columns: Sequence[VariantColumn], limit: int | None) -> Table:
    rows: list[VariantRow] = []
    for table in results.tables:
        rows += shown_rows(table, limit)
    note = " ".join(map(formula_of, results.retrievals))
    note += " MB: 10⁶ bytes. Postings and scored documents: of a query, mean over topics."
    text = f"{caption(results)} {note} {_left_out(rows, results)}".strip()
    return Table.of(columns, rows, text, keys=_key_count(results), group=_sweep_group)


def frontier_table(results: Results, limit: int, recommended: Sequence[str] = ()) -> Table:
    """Return about `limit` variants: the baselines, the recommended variants, and the Pareto front, evenly thinned."""
    rows: list[VariantRow] = []
    for table in results.tables:
        rows += _frontier_rows(results, table, limit, recommended)
    main = results.tables[0].main
    columns = _key_columns(results)
    columns += [
        variants.mean_column(main),
        variants.difference_column(main),
        variants.SIZE,
        variants.BYTES_SHARE,
        variants.POSTINGS_SHARE,
        variants.WORDS_SHARE,
        variants.EMPTIED,
        variants.QUERY_POSTINGS,
    ]
    topics = counted(len(results.facts.topics), "topic")
    text = f"{topics}; the baseline, the recommended index and points of the Pareto front."
    tests = tests_text(results)
    if tests:
        text += f" †+ is significantly better, †{MINUS} worse: {tests}."
    return Table.of(columns, rows, text, _left_out(rows, results), _key_count(results), _baseline_group)


def _frontier_rows(
    results: Results, table: VariantTable, limit: int, recommended: Sequence[str]
) -> Iterator[VariantRow]:
    front = _without_ties(table, table.front(table.main, table.baseline_and_candidates))
    room = max(1, limit // len(results.tables) - 1 - len(recommended))
    indices: set[int] = set()
    for place in spread(len(front), min(room, len(front))):
        indices.add(front[place])
    for name in recommended:
        if name in table.position:
            indices.add(table.position[name])
    indices.discard(0)
    yield VariantRow(table, 0)
    for index in table.largest_first(indices):
        yield VariantRow(table, index)


def _without_ties(table: VariantTable, front: Sequence[int]) -> list[int]:
    """Return the variants of a front, by ascending size, without variants whose shown mean a smaller index has too."""
    shown: set[str] = set()
    distinct: list[int] = []
    for index in front:
        mean = measure_text(table.mean(table.main)[index])
        if mean not in shown:
            distinct.append(index)
        shown.add(mean)
    return distinct


def costs_table(results: Results) -> Table:
    """Return the costs of all variants that were built: bytes, times with their noise, energy and CO₂, and the stages once."""
    rows = _built_rows(results)
    columns = _key_columns(results)
    columns.append(variants.BYTES)
    if results.facts.noise:
        query = costs.QUERY_TIME
        indexing = costs.INDEXING_TIME
        columns += [query.seconds, query.ratio, query.verdict, costs.BREAK_EVEN.words, costs.CO2_BREAK_EVEN.words]
        columns += [indexing.seconds, indexing.ratio, indexing.verdict]
        columns += [query.cpu_seconds, query.cpu_ratio, indexing.cpu_seconds, indexing.cpu_ratio]
    columns += costs.CLEANING_COST
    columns += costs.INDEXING_COST
    energy: list[VariantColumn] = []
    co2: list[VariantColumn] = []
    for work in FOOTPRINTS:
        footprint = footprint_columns(work)
        energy.append(footprint.kwh)
        co2.append(footprint.kg)
    columns += energy
    columns += co2
    text = f"Costs of the built indexes, once. Energy and CO₂: {results.facts.setup.power}."
    text += " Stages under a second are below resolution. MB: 10⁶ bytes, MiB: 2²⁰ bytes."
    notes = list(_noise_notes(results, of_queries=True))
    notes += _noise_notes(results, of_queries=False)
    note = " ".join(notes)
    shown = columns[: _key_count(results)] + filled(columns[_key_count(results) :], rows)
    return Table.of(shown, rows, text, note, _key_count(results), _sweep_group)


def _built_rows(results: Results) -> list[VariantRow]:
    """Return the variants of all retrieval models that were built."""
    rows: list[VariantRow] = []
    for table in results.tables:
        for index in table.built:
            rows.append(VariantRow(table, index))
    return rows


def _noise_notes(results: Results, of_queries: bool) -> Iterator[str]:
    """Say how times of queries or of indexing were measured, and which differences are noise."""
    for noise in results.facts.noise:
        if bool(noise.retrieval) is of_queries:
            yield _noise_note(noise, len(results.tables) > 1)


def _noise_note(noise: NoiseFloor, several_models: bool) -> str:
    ratio = noise.copy.ratio
    what = "Indexing"
    if noise.retrieval:
        what = "Searching"
        if several_models:
            what += f" by {noise.retrieval}"
    return (
        f"{what}: {counted(noise.rounds, 'round')}, all indexes opened {counted(noise.restarts, 'time')}. A copy of the "
        f"baseline's index takes {fixed(ratio.value, 3)} of its time: differences between {fixed(ratio.low, 3)} and "
        f"{fixed(ratio.high, 3)} are {NOT_MEASURABLE}."
    )


def topics_table(changes: Sequence[TopicChange], measure: str, variant: str) -> Table:
    """Return the topics that gain and lose with a variant."""
    won = 0
    lost = 0
    for change in changes:
        if change.difference > 0:
            won += 1
        elif change.difference < 0:
            lost += 1
    text = (
        f"{measure_header(measure).name} with no cleaning and with {variant}: {counted(won, 'topic')} won, "
        f"{lost} lost, {len(changes) - won - lost} tied."
    )
    return Table.of(TOPICS, changes, text)


def caption(results: Results) -> str:
    """Return the line below a table of effectiveness: topics, test, correction, level, and the meaning of the marks."""
    facts = results.facts
    text = f"{counted(len(facts.topics), 'topic')}."
    comparisons = _comparisons(results)
    if comparisons:
        directions = [comparison.direction for comparison in comparisons]
        main = measure_header(results.tables[0].main).name
        tests = tests_text(results)
        if tests:
            text += f" {tests}: {marks_text(directions)}"
        text += f" W/T/L: topics won, tied and lost in {main}."
        if any(comparison.selected for comparison in comparisons):
            text += f" {SELECTED_NOTE}"
    return text


def _comparisons(results: Results) -> list[Comparison]:
    """Return the comparisons of all variants that were built."""
    comparisons: list[Comparison] = []
    for row in _built_rows(results):
        if row.built:
            comparisons += row.built.comparisons.values()
    return comparisons


def tests_text(results: Results) -> str:
    """Return a sentence on the tests that were made; empty without tests, as if all variants were selected on the topics."""
    comparisons = _comparisons(results)
    if not comparisons or not results.tests:
        return ""
    tested = comparisons[0]  # all were made as this one
    correction = correction_text(tested.correction, f"{counted(results.tests, 'test')} of variants and measures")
    return f"{TEST_NAMES[tested.test]} against the baseline, {correction}, α = {tested.alpha}"


def shown_rows(table: VariantTable, limit: int | None) -> list[VariantRow]:
    """Return the variants to show, in their order: the built variants, or else the best of each sweep and all singles.

    Beyond about `limit` of them, single variants and the best of each sweep stay, and evenly spread cutoffs of each sweep.
    """
    if len(table.built) > 1:
        indices = _shown_of_built(table, limit)
    else:
        indices = {0} | _best_of_sweeps(table) | set(table.singles)
    return [VariantRow(table, index) for index in sorted(indices)]


def _shown_of_built(table: VariantTable, limit: int | None) -> set[int]:
    if limit is None or len(table.built) <= limit:
        return set(table.built)
    indices: set[int] = set()
    for place in _thinned(table.only(table.built), limit):
        indices.add(table.built[place])
    return indices


def _best_of_sweeps(table: VariantTable) -> set[int]:
    return {table.best(table.main, members) for members in table.sweeps.values()}


def _thinned(table: VariantTable, limit: int) -> set[int]:
    """Return single variants, the best of each sweep, and as many evenly spread cutoffs as there is room for."""
    shown = set(range(len(table.rows)))
    for members in table.sweeps.values():
        shown.difference_update(members)
    shown |= _best_of_sweeps(table)
    room = max(0, limit - len(shown))
    for number, members in enumerate(table.sweeps.values()):
        # Every sweep gets an equal part of the room that is left.
        sweeps_left = len(table.sweeps) - number
        cutoffs = [index for index in members if index not in shown]
        for place in spread(len(cutoffs), room // sweeps_left):
            shown.add(cutoffs[place])
            room -= 1
    return shown


def _key_columns(results: Results) -> list[VariantColumn]:
    if len(results.tables) > 1:
        return [variants.VARIANT, variants.RETRIEVAL]
    return [variants.VARIANT]


def _key_count(results: Results) -> int:
    return len(_key_columns(results))


def _left_out(rows: Sequence[VariantRow], results: Results) -> str:
    whole = len(results.tables[0].rows) * len(results.tables)
    if len(rows) == whole:
        return ""
    return f"{len(rows)} of {whole:,} rows; all of them are in {RESULTS_CSV}."


def _sweep_group(row: VariantRow) -> object:
    return row.table.retrieval, row.is_baseline, row.record.variant.sweep


def _baseline_group(row: VariantRow) -> object:
    return row.table.retrieval, row.is_baseline
