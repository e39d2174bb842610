"""The results of an experiment, which `run`, `explore` and `choose` share: facts, and a table for each retrieval model.

Their files are `variants.parquet`, the tables, and `results.json`, the facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated

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
"""The columns that have the counts of an index."""
_FIX = "make it again with `thresher explore FILE` or `thresher run FILE`, where FILE is the experiment file"


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
        """The share of relevant pages with all words in title or headings; 0 if there are none."""
        return self.headings / self.relevant if self.relevant else 0.0


@dataclass(frozen=True)
class Pages:
    """Pages of the collection by outcome: `documents` = `scored` + `emptied` + `failed`.

    Args:
        emptied: without text before any cleaning.
        words: of all pages.
        reasons: (document, reason) pairs of the failed, as many as are listed.
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
        mib, seconds: of a page, at most.
        holds: the parts of the index beside postings with frequencies.
        depth: hits for a topic.
        timed: seconds that timing was allowed; 0 where nothing was timed.
        power: the factors of Eq. 9.
        machines: the number of machines whose workers scored pages.
        index_language: of the index's analysis; `language` is of the sentences.
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
        values: by measure and topic; shape (measures, topics).
        comparisons: by measure, corrected together with the variants'.
        name: the system, as the experiment names it.
        retrieved: topics with a document.
        index_bytes: size of its index in bytes, if known.
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
        """Return the size of its index as a share of another's bytes, if it is known."""
        return self.index_bytes / whole if self.index_bytes and whole else None


@dataclass(frozen=True)
class Facts:
    """The facts that hold for all variants.

    Args:
        key: of all inputs of the values, whichever variants there are; see `thresher.experiments.stages.evidence_key`.
        topics, held_out_topics: queries by id, in order.
        notices: on topics, judgments and pages.
        test, alpha, correction: of the comparisons.
        noise: how times were measured, one for each retrieval model and one for indexing; empty where nothing was timed.
        title_bias, held_out_title_bias: of the topics; None where nothing was run.
        systems: baseline runs of other systems.
        contents: what all indexes hold, by which their bytes are estimated.
        labels: what tables and plots for papers show instead of names.
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
        """Return the results of tables that were just made, which learn from the facts what their indexes hold."""
        return cls(facts, tuple(replace(table, contents=facts.contents) for table in tables))

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
        """The tests that a correction is over: of all retrieval models, and of runs of other systems."""
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
        tables = []
        for table, old in zip(self.tables, before.tables, strict=True):
            built = {row.name: row for row in old.rows if row.built}
            rows = []
            for row in table.rows:
                if row.name in built:
                    old_row = built[row.name]
                    rows.append(replace(row, bytes=old_row.bytes, built=old_row.built))
                else:
                    rows.append(row)
            tables.append(table.with_rows(rows).joined(old.only(old.built or (0,))))
        return replace(self, tables=tuple(tables))

    def with_explored(self, before: Results) -> Results:
        """Return these results with the variants that were explored before of the same evidence."""
        tables = []
        for table, old in zip(self.tables, before.tables, strict=True):
            old_rows = {row.name: row for row in old.rows}
            rows = []
            for row in table.rows:
                if row.name in old_rows:
                    old_row = old_rows[row.name]
                    rows.append(replace(row, variant=old_row.variant, explored=old_row.explored))
                else:
                    rows.append(row)
            unbuilt = []
            explored = []
            for index, row in enumerate(old.rows):
                unbuilt.append(replace(row, bytes=None, built=None) if row.built else row)
                if index == 0 or row.explored:
                    explored.append(index)
            tables.append(table.with_rows(rows).joined(old.with_rows(unbuilt).only(explored)))
        return replace(self, tables=tuple(tables))

    def only_built(self) -> Results:
        """Return the results of the variants whose indexes were built, alone."""
        return replace(self, tables=tuple(table.only(table.built or (0,)) for table in self.tables))


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
    """Write both files into a folder, each whole or not at all; `read_results` refuses one file without the other."""
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
    columns: dict[str, pa.Array] = {
        "retrieval": pa.text_array([table.retrieval] * len(table.rows)),
        "variant": pa.text_array([row.name for row in table.rows]),
        "sweep": pa.text_array([row.variant.sweep for row in table.rows]),
    }
    columns["cutoff"] = pa.optional_numbers([row.variant.cutoff for row in table.rows], np.float64)
    cleaner_cutoffs = [row.variant.cleaner_cutoff for row in table.rows]
    columns["cleaner_cutoff"] = pa.optional_numbers(cleaner_cutoffs, np.float64)
    for name in _STATISTICS:
        columns[name] = pa.optional_numbers([getattr(row.index, name) for row in table.rows])
    columns["words"] = pa.optional_numbers([row.words for row in table.rows], np.int64)
    columns["bytes"] = pa.optional_numbers([row.bytes for row in table.rows], np.int64)
    columns["explored"] = pa.optional_numbers([row.explored for row in table.rows], np.bool_)
    columns["details"] = pa.text_array([_DETAILS.text(_Details(row.built)) for row in table.rows])
    columns["query_postings"] = _lists(table.query_postings)
    for number, measure in enumerate(table.measures):
        columns[_values(measure)] = _lists(table.values[number])
        columns[_held_out(measure)] = _lists(table.held_out[number])
    return pa.table(columns)


def _lists(values: Floats) -> pa.Array:
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(pa.number_array(offsets), pa.number_array(values.ravel()))


def _read(table: pa.Table, record: _ResultsRecord) -> Iterator[VariantTable]:
    of_row = np.array(table["retrieval"].to_pylist(), dtype=object)
    topics = tuple(record.facts.topics)
    held_out = tuple(record.facts.held_out_topics)
    for retrieval in record.retrievals:
        part = table.filter(pa.number_array(of_row == retrieval)).combine_chunks()
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
    columns = ["variant", "sweep", "cutoff", "cleaner_cutoff", "words", "bytes", "explored", "details"]
    for values in table.select(columns + _STATISTICS).to_pylist():
        name = values["variant"]
        variant = Variant(parse_treatment(name), values["sweep"], values["cutoff"], values["cleaner_cutoff"])
        if variant.name != name:
            raise StateError(f"the variant {name} would now be {variant.name}", _FIX, TABLE_FILE)
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
        begins, values = pa.flat_lists(table[name])
        stacked[column] = values[begins[0] : begins[-1]].reshape(len(table), topics)
    return stacked
