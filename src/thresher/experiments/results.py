"""The results of an experiment, which `run`, `explore` and `choose` share: facts, and a table for each retrieval model.

Their files are `variants.parquet`, the tables, and `results.json`, the facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import thresher.base.arrow as pa
from thresher.base.defaults import ALPHA, HOLM, LANGUAGE, WILCOXON
from thresher.base.errors import ConfigError, StateError
from thresher.base.files import atomic_path, file_digest
from thresher.base.machine import Power
from thresher.base.numbers import Floats
from thresher.base.records import NestedLists, RecordFile
from thresher.base.shown import Plotted
from thresher.evaluation.significance import Comparison
from thresher.evaluation.topics import Notice
from thresher.experiments.table import Built, NoiseFloor, Row, Variant, VariantTable
from thresher.indexes.pruning.treatments import parse_treatment
from thresher.indexes.size_estimates import IndexContents
from thresher.indexes.work import IndexStatistics
from thresher.pages import PageOptions

TABLE_FILE = "variants.parquet"
RESULTS_FILE = "results.json"
_STATISTICS = [count.name for count in fields(IndexStatistics)]
"""The columns of the file with the counts of an index."""
_TEXT_COLUMNS = ("variant", "sweep", "details")
_NUMBER_COLUMNS: Mapping[str, type[np.generic]] = {
    "cutoff": np.float64,
    "cleaner_cutoff": np.float64,
    **dict.fromkeys(_STATISTICS, np.int64),
    "words": np.int64,
    "bytes": np.int64,
    "explored": np.bool_,
}
"""Columns of the file with one number or truth value for each row, by the kind of number."""
_FIX = (
    "make it again with `thresher explore FILE` or `thresher run FILE`, where FILE is the experiment file (if its scores are "
    "of version 0.2, add --fresh)"
)


@dataclass(frozen=True)
class TitleBias:
    """How many relevant pages have all words of their topic in the title (`title`), and in title or headings (`headings`).

    A page counts once for each topic that it is relevant for (`relevant`).
    """

    relevant: int
    title: int
    headings: int

    @property
    def share(self) -> float:
        """The share of relevant pages with all words in title or headings; 0 without relevant pages."""
        if not self.relevant:
            return 0.0
        return self.headings / self.relevant


@dataclass(frozen=True)
class Pages:
    """Pages of the collection by outcome: `documents` = `scored` + `emptied` + `failed`.

    Args:
        documents: the number of pages.
        scored: the number of pages with text.
        emptied: the number of pages without text before any cleaning.
        failed: the number of pages that could not be read.
        words: the number of words of all pages.
        reasons: the first failed pages: pairs of document and reason.
    """

    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Setup:
    """How everything was measured: the values behind the report's section on methods.

    Args:
        blocks: how pages are split into blocks.
        language: the language by whose rules sentences are split.
        mib, seconds: the largest size and the longest time of a page.
        scorers: names of the scorers.
        stemmer: the stemmer of the index.
        stopwords: whether the index drops stop words.
        holds: the parts of the index beside postings with frequencies.
        depth: the number of hits for a topic.
        seed: the seed of the bootstrap and of random signs.
        workers: the number of worker processes.
        timed: the seconds that timing was allowed; 0 if nothing was timed.
        power: the factors of Eq. 9.
        machines: the number of machines whose workers scored pages.
        index_language: the language of the index's analysis.
    """

    blocks: str
    language: str
    mib: float
    seconds: float
    scorers: tuple[str, ...]
    stemmer: str
    stopwords: bool
    holds: tuple[str, ...]
    depth: int
    seed: int
    workers: int
    timed: float
    power: Power
    machines: int = 1
    index_language: str = LANGUAGE


@dataclass(frozen=True)
class BaselineRun:
    """A run of another system on the same topics and judgments, compared with the baseline of the first retrieval model.

    Args:
        name: the name of the system in the experiment file.
        values: its values by measure and topic; shape (measures, topics).
        comparisons: the comparisons by measure, corrected together with the variants' comparisons.
        retrieved: the number of topics with a retrieved document.
        index_bytes: the size of its index; None if it is not known.
    """

    name: str
    values: Annotated[Floats, NestedLists(2)]
    comparisons: Mapping[str, Comparison]
    retrieved: int
    index_bytes: int | None

    @property
    def means(self) -> Floats:
        """Means over the topics; shape (measures,)."""
        means: Floats = self.values.mean(axis=-1)
        return means

    def share_of(self, whole: int) -> float | None:
        """Return the size of its index as a share of another index, which has `whole` bytes; None if it is not known."""
        if not self.index_bytes or not whole:
            return None
        return self.index_bytes / whole


@dataclass(frozen=True)
class Facts:
    """The facts that hold for all variants.

    Args:
        experiment: the name of the experiment.
        title: the heading of the report.
        key: the digest of all inputs of the values, except the variants; see `thresher.experiments.stages.evidence_key`.
        topics, held_out_topics: queries by id, in order.
        pages: the pages by outcome.
        setup: how everything was measured.
        notices: notices on topics, judgments and pages.
        test, alpha, correction: test, significance level and correction of the comparisons.
        noise: the noise floors, one for each retrieval model and one for indexing; empty if nothing was timed.
        title_bias, held_out_title_bias: the title bias of the topics; None if nothing was run.
        systems: baseline runs of other systems.
        contents: the parts of all indexes, for estimating their bytes.
        labels: labels instead of names in tables and plots for papers.
    """

    experiment: str
    title: str
    key: str
    topics: Mapping[str, str]
    held_out_topics: Mapping[str, str]
    pages: Pages
    setup: Setup
    notices: tuple[Notice, ...] = ()
    test: str = WILCOXON
    alpha: float = ALPHA
    correction: str = HOLM
    noise: tuple[NoiseFloor, ...] = ()
    title_bias: TitleBias | None = None
    held_out_title_bias: TitleBias | None = None
    systems: tuple[BaselineRun, ...] = field(default=())
    contents: IndexContents = IndexContents()
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Results(Plotted):
    """An experiment as far as it was explored and run: the same variants in a table for each retrieval model."""

    facts: Facts
    tables: tuple[VariantTable, ...]

    @classmethod
    def of(cls, facts: Facts, tables: Sequence[VariantTable]) -> Results:
        """Return the results of new tables, which get the contents of their indexes from the facts."""
        with_contents: list[VariantTable] = []
        for table in tables:
            with_contents.append(replace(table, contents=facts.contents))
        return cls(facts, tuple(with_contents))

    @property
    def retrievals(self) -> tuple[str, ...]:
        """The retrieval models, in order."""
        return tuple(table.retrieval for table in self.tables)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, by canonical name."""
        return self.tables[0].measures

    @property
    def was_run(self) -> bool:
        """Whether any index was built and searched."""
        return bool(self.tables[0].built)

    @property
    def was_explored(self) -> bool:
        """Whether any variant was explored without an index."""
        return any(row.explored for row in self.tables[0].rows)

    @property
    def tests(self) -> int:
        """The number of tests that a correction is for: of all retrieval models, and of runs of other systems."""
        count = 0
        for table in self.tables:
            for row in table.rows:
                if row.built is None:
                    continue
                for comparison in row.built.comparisons.values():
                    if not comparison.selected:
                        count += 1
        for system in self.facts.systems:
            count += len(system.comparisons)
        return count

    def table(self, retrieval: str | None = None) -> VariantTable:
        """Return the table of a retrieval model; None for the first."""
        for table in self.tables:
            if retrieval in (None, table.retrieval):
                return table
        names = ", ".join(self.retrievals)
        raise ConfigError(f"there is no retrieval model {retrieval!r}", f"use one of {names}", "retrieval")

    def with_built(self, before: Results) -> Results:
        """Return these results with earlier builds from the same evidence: costs, bytes, and further variants."""
        tables: list[VariantTable] = []
        for table, old in zip(self.tables, before.tables, strict=True):
            rows: list[Row] = []
            for row in table.rows:
                old_row = old.row(row.name)
                if old_row is not None and old_row.built:
                    row = replace(row, bytes=old_row.bytes, built=old_row.built)
                rows.append(row)
            tables.append(table.with_rows(rows).joined(old.only(old.built or (0,))))
        return replace(self, tables=tuple(tables))

    def with_explored(self, before: Results) -> Results:
        """Return these results with the variants that were explored before from the same evidence."""
        tables: list[VariantTable] = []
        for table, old in zip(self.tables, before.tables, strict=True):
            rows: list[Row] = []
            for row in table.rows:
                old_row = old.row(row.name)
                if old_row is not None:
                    row = replace(row, variant=old_row.variant, explored=old_row.explored)
                rows.append(row)
            tables.append(table.with_rows(rows).joined(_as_explored(old)))
        return replace(self, tables=tuple(tables))

    def only_built(self) -> Results:
        """Return the results of only the variants whose indexes were built."""
        tables: list[VariantTable] = []
        for table in self.tables:
            tables.append(table.only(table.built or (0,)))
        return replace(self, tables=tuple(tables))


def _as_explored(table: VariantTable) -> VariantTable:
    """Return the table of the baseline and the explored variants, without the records of their indexes."""
    rows: list[Row] = []
    explored: list[int] = []
    for index, row in enumerate(table.rows):
        if index == 0 or row.explored:
            explored.append(index)
        if row.built:
            row = replace(row, bytes=None, built=None)
        rows.append(row)
    return table.with_rows(rows).only(explored)


@dataclass(frozen=True)
class _ResultsRecord:
    """The facts, and the common parts of the tables; `table` is the digest of their file."""

    table: str
    retrievals: tuple[str, ...]
    measures: tuple[str, ...]
    facts: Facts


@dataclass(frozen=True)
class _Details:
    """The part of a row that the file has as JSON."""

    built: Built | None


_FILE = RecordFile(_ResultsRecord, "a results file", _FIX, "thresher-results", 7, StateError)
_DETAILS = RecordFile(_Details, "the details of a variant", _FIX, error=StateError)


def write_results(results: Results, folder: Path) -> None:
    """Write both files into a folder, each whole or not at all; `read_results` refuses a folder with only one of
    them.
    """
    path = folder / TABLE_FILE
    table = pa.concat_tables([_arrow(model_table) for model_table in results.tables])
    with atomic_path(path) as temporary:
        pa.parquet.write_table(table, temporary, compression="zstd", write_page_checksum=True)
    record = _ResultsRecord(file_digest(path), results.retrievals, results.measures, results.facts)
    _FILE.write(folder / RESULTS_FILE, record)


def read_results(folder: Path) -> Results:
    """Read the files of `write_results`."""
    path = folder / RESULTS_FILE
    if not path.exists():
        raise StateError(
            "nothing was explored or run yet", "run `thresher explore` or `thresher run` first", str(folder)
        )
    record = _FILE.read(path)
    setup = record.facts.setup
    try:
        PageOptions(setup.blocks, setup.language)
    except ConfigError as error:
        raise StateError(f"the file is damaged ({error.what})", _FIX, str(path)) from error
    table_path = folder / TABLE_FILE
    try:
        if not table_path.is_file() or file_digest(table_path) != record.table:
            raise StateError("it is not the table that belongs to results.json", _FIX, str(table_path))
        return Results.of(record.facts, tuple(_read(pa.read_parquet(table_path), record)))
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise StateError(f"the table of variants cannot be read ({error})", _FIX, str(table_path)) from error


def _values(name: str) -> str:
    return f"{name} by topic"


def _held_out(name: str) -> str:
    return f"{name} by held-out topic"


def _arrow(table: VariantTable) -> pa.Table:
    """Return a table as the file has it."""
    values_by_column: dict[str, list[Any]] = {}
    for row in table.rows:
        for name, value in _values_of_row(row).items():
            values_by_column.setdefault(name, []).append(value)
    columns: dict[str, pa.Array] = {"retrieval": pa.text_array([table.retrieval] * len(table.rows))}
    for name, values in values_by_column.items():
        if name in _TEXT_COLUMNS:
            columns[name] = pa.text_array(values)
        else:
            columns[name] = pa.optional_numbers(values, _NUMBER_COLUMNS[name])
    columns["query_postings"] = _lists(table.query_postings)
    for number, measure in enumerate(table.measures):
        columns[_values(measure)] = _lists(table.values[number])
        columns[_held_out(measure)] = _lists(table.held_out[number])
    return pa.table(columns)


def _values_of_row(row: Row) -> dict[str, Any]:
    """Return the values of a row by the columns of the file, in their order."""
    return {
        "variant": row.name,
        "sweep": row.variant.sweep,
        "cutoff": row.variant.cutoff,
        "cleaner_cutoff": row.variant.cleaner_cutoff,
        **asdict(row.index),
        "words": row.words,
        "bytes": row.bytes,
        "explored": row.explored,
        "details": _DETAILS.text(_Details(row.built)),
    }


def _lists(values: Floats) -> pa.Array:
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(pa.number_array(offsets), pa.number_array(values.ravel()))


def _read(table: pa.Table, record: _ResultsRecord) -> Iterator[VariantTable]:
    retrieval_of_row = np.array(table["retrieval"].to_pylist(), dtype=object)
    topics = tuple(record.facts.topics)
    held_out = tuple(record.facts.held_out_topics)
    for retrieval in record.retrievals:
        part = table.filter(pa.number_array(retrieval_of_row == retrieval)).combine_chunks()
        yield VariantTable(
            retrieval=retrieval,
            measures=record.measures,
            topics=topics,
            rows=tuple(_rows(part)),
            values=_stacked(part, [_values(name) for name in record.measures], len(topics)),
            query_postings=_stacked(part, ["query_postings"], len(topics))[0],
            held_out_topics=held_out,
            held_out=_stacked(part, [_held_out(name) for name in record.measures], len(held_out)),
        )


def _rows(table: pa.Table) -> Iterator[Row]:
    for values in table.select([*_TEXT_COLUMNS, *_NUMBER_COLUMNS]).to_pylist():
        name = values["variant"]
        variant = Variant(parse_treatment(name), values["sweep"], values["cutoff"], values["cleaner_cutoff"])
        if variant.name != name:
            raise StateError(f"the variant {name} is now named {variant.name}", _FIX, TABLE_FILE)
        statistics = {count: values[count] for count in _STATISTICS}
        yield Row(
            variant=variant,
            index=IndexStatistics(**statistics),
            words=values["words"],
            bytes=values["bytes"],
            explored=values["explored"],
            built=_DETAILS.parse(values["details"], TABLE_FILE).built,
        )


def _stacked(table: pa.Table, names: Sequence[str], topics: int) -> Floats:
    """Return columns of lists as an array of shape (columns, variants, topics)."""
    stacked = np.zeros((len(names), len(table), topics))
    for column, name in enumerate(names):
        lists = pa.flat_lists(table[name])
        stacked[column] = lists.numbers[lists.offsets[0] : lists.offsets[-1]].reshape(len(table), topics)
    return stacked
