"""Results as two files: `variants.parquet`, the tables of all retrieval models, and `results.json`, the facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from thresher.errors import StateError
from thresher.files import atomic_path, file_digest, read_parquet
from thresher.lucene.work import IndexStatistics
from thresher.pruning_methods.treatments import parse_treatment
from thresher.records import RecordFile
from thresher.variants.results import Facts, Results
from thresher.variants.table import Bounds, Built, Floats, Row, Variant, VariantTable

TABLE_FILE = "variants.parquet"
RESULTS_FILE = "results.json"
_FIX = "explore or run the experiment again, or use the version of thresher that wrote the file"


@dataclass(frozen=True)
class _Kept:
    """The facts, and what the tables have in common; `table` is the digest of their file."""

    table: str
    retrievals: tuple[str, ...]
    measures: tuple[str, ...]
    facts: Facts


@dataclass(frozen=True)
class _Details:
    """The part of a row that the file has as JSON."""

    built: Built | None
    bounds: Bounds | None


_FILE = RecordFile(_Kept, "a results file", _FIX, "thresher-results", 5, StateError)
_DETAILS = RecordFile(_Details, "the details of a variant", _FIX, error=StateError)


def write_results(results: Results, folder: Path) -> None:
    """Write both files into a folder. Neither is ever half written; one without the other is noticed by `read_results`."""
    path = folder / TABLE_FILE
    table = pa.concat_tables([_arrow(one) for one in results.tables])
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)
    kept = _Kept(file_digest(path), results.retrievals, results.measures, results.facts)
    _FILE.write(folder / RESULTS_FILE, kept)


def read_results(folder: Path) -> Results:
    """Read what `write_results` wrote."""
    path = folder / RESULTS_FILE
    if not path.exists():
        raise StateError(
            "nothing was explored or run yet", "run `thresher explore` or `thresher run` first", str(folder)
        )
    kept = _FILE.read(path)
    table_path = folder / TABLE_FILE
    try:
        if not table_path.is_file() or file_digest(table_path) != kept.table:
            raise StateError("it is not the table that belongs to results.json", _FIX, str(table_path))
        table = read_parquet(table_path)
        return Results(kept.facts, tuple(_read(table, kept)))
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise StateError(f"the table of variants cannot be read ({error})", _FIX, str(table_path)) from error


def _values(name: str) -> str:
    return f"{name} by topic"


def _held_out(name: str) -> str:
    return f"{name} by held-out topic"


def _arrow(table: VariantTable) -> pa.Table:
    columns: dict[str, pa.Array] = {
        "retrieval": pa.array([table.retrieval] * len(table.rows)),
        "variant": pa.array([row.name for row in table.rows]),
    }
    for name, kind in (("sweep", pa.string()), ("cutoff", pa.float64()), ("cleaner_cutoff", pa.float64())):
        columns[name] = pa.array([getattr(row.variant, name) for row in table.rows], kind)
    for name in IndexStatistics.__dataclass_fields__:
        columns[name] = pa.array([getattr(row.index, name) for row in table.rows], pa.int64())
    for name, kind in (("words", pa.int64()), ("bytes", pa.int64()), ("explored", pa.bool_())):
        columns[name] = pa.array([getattr(row, name) for row in table.rows], kind)
    columns["details"] = pa.array([_DETAILS.text(_Details(row.built, row.bounds)) for row in table.rows])
    columns["query_postings"] = _lists(table.query_postings)
    for number, measure in enumerate(table.measures):
        columns[_values(measure)] = _lists(table.values[number])
        columns[_held_out(measure)] = _lists(table.held_out[number])
    return pa.table(columns)


def _lists(values: Floats) -> pa.Array:
    offsets = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.ascontiguousarray(values).ravel()))


def _read(table: pa.Table, kept: _Kept) -> Iterator[VariantTable]:
    of_row = np.array(table["retrieval"].to_pylist(), dtype=object)
    topics, held_out = tuple(kept.facts.topics), tuple(kept.facts.held_out_topics)
    for retrieval in kept.retrievals:
        part = table.filter(pa.array(of_row == retrieval)).combine_chunks()
        yield VariantTable(
            retrieval,
            kept.measures,
            topics,
            tuple(_rows(part)),
            _stacked(part, [_values(name) for name in kept.measures], len(topics)),
            _stacked(part, ["query_postings"], len(topics))[0],
            held_out,
            _stacked(part, [_held_out(name) for name in kept.measures], len(held_out)),
        )


def _rows(table: pa.Table) -> Iterator[Row]:
    names = ("variant", "sweep", "cutoff", "cleaner_cutoff", "words", "bytes", "explored", "details")
    counts = [table[name].to_pylist() for name in IndexStatistics.__dataclass_fields__]
    columns = zip(*(table[name].to_pylist() for name in names), zip(*counts, strict=True), strict=True)
    for name, sweep, cutoff, cleaner_cutoff, words, size, explored, details, index in columns:
        known = _DETAILS.parse(details, TABLE_FILE)
        variant = Variant(parse_treatment(name), sweep, cutoff, cleaner_cutoff)
        if variant.name != name:
            raise StateError(f"the variant {name} would now be {variant.name}", _FIX, TABLE_FILE)
        yield Row(variant, IndexStatistics(*index), words, size, explored, known.built, known.bounds)


def _stacked(table: pa.Table, names: Sequence[str], topics: int) -> Floats:
    """Return columns of lists as an array of shape (columns, variants, topics)."""
    flat = [pc.list_flatten(table[name]).to_numpy().reshape(len(table), topics) for name in names]
    return np.stack(flat) if flat else np.zeros((0, len(table), topics))
