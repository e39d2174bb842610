"""Every number of principal components of documents' vectors, in one pass: see `thresher.pruning_methods.components`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.json
import pyarrow.parquet as pq

from thresher.collections.parquet_rows import MAGIC
from thresher.errors import InputError
from thresher.evaluation import check_overlap, evaluate
from thresher.exploring.exploring import JudgedTopics
from thresher.lucene.work import IndexStatistics
from thresher.pruning_methods.components import PrincipalComponents
from thresher.pruning_methods.treatments import Pruning, Treatment
from thresher.scorers.cleaners import Cleaner
from thresher.variants.table import Floats, Row, Variant, VariantTable

_BYTES = 4
"""Of a number: single precision, as indexes of vectors hold them."""


@dataclass(frozen=True)
class Vectors:
    """Vectors by id; `matrix` has the shape (ids, dimensions)."""

    ids: tuple[str, ...]
    matrix: Floats


def read_vectors(path: Path) -> Vectors:
    """Read JSON lines or Parquet with `id` and `vector`, a list of numbers, all of one length."""
    try:
        with path.open("rb") as file:
            is_parquet = file.read(len(MAGIC)) == MAGIC
        table = pq.read_table(path, columns=["id", "vector"]) if is_parquet else pyarrow.json.read_json(path)
        ids = tuple(map(str, table["id"].to_pylist()))
        matrix = np.array(table["vector"].to_pylist(), dtype=np.float64)
    except (OSError, pa.ArrowException, KeyError, ValueError, TypeError) as error:
        what = f"the vectors cannot be read ({' '.join(str(error).split())})"
        raise InputError(
            what, "give JSON lines or Parquet with `id` and `vector`, as many numbers each", str(path)
        ) from error
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all() or len({*ids}) < len(ids):
        what = "there is no vector, an id occurs twice, or a number is missing or infinite"
        raise InputError(what, "give each id one vector of finite numbers", str(path))
    return Vectors(ids, matrix)


def explore_vectors(
    name: str, documents: Vectors, queries: Vectors, judged: JudgedTopics, held_out: JudgedTopics | None, depth: int
) -> VariantTable:
    """Return a table with every number of dimensions, searched exactly by inner products.

    Sizes, for which tables of words have postings, are numbers: documents times dimensions; a query reads them all.
    """
    count, width = documents.matrix.shape
    check_overlap(dict.fromkeys(judged.ids, dict.fromkeys(documents.ids, 0.0)), judged.qrels, judged.ids)
    if queries.matrix.shape[1] != width:
        what = f"the vectors of queries have {queries.matrix.shape[1]} dimensions, those of documents {width}"
        raise InputError(what, "give both by the same model", name)
    directions = PrincipalComponents.directions(documents.matrix)
    projected = documents.matrix @ directions
    sets = [(one, _of_topics(queries, one, name) @ directions) for one in (judged, held_out) if one is not None]
    totals = [np.zeros((len(one.ids), count)) for one, _ in sets]
    values: list[list[Floats]] = [[] for _ in sets]
    # By rising id, so that a stable sort breaks ties as it does elsewhere.
    order = np.argsort(np.array(documents.ids))
    for kept in range(width):
        for number, (one, of_queries) in enumerate(sets):
            totals[number] += np.outer(of_queries[:, kept], projected[:, kept])
            values[number].append(_values(totals[number][:, order], [documents.ids[at] for at in order], one, depth))
    rows = [_row(count, width, width)] + [_row(count, kept, width) for kept in range(width - 1, 0, -1)]
    stacked = [np.stack(every[::-1], axis=1) for every in values]
    reads = np.array([[float(row.index.postings)] * len(judged.ids) for row in rows])
    none = np.zeros((len(judged.measures), len(rows), 0))
    return VariantTable(
        name,
        judged.measures,
        judged.ids,
        tuple(rows),
        stacked[0],
        reads,
        held_out.ids if held_out else (),
        stacked[1] if held_out else none,
    )


def _row(count: int, kept: int, width: int) -> Row:
    pruning = Pruning(PrincipalComponents(), float(kept)) if kept < width else None
    variant = Variant(Treatment(Cleaner(), pruning), "none|pca" if pruning else None, float(kept) if pruning else None)
    numbers = count * kept
    return Row(variant, IndexStatistics(count, numbers, numbers, kept), 0, numbers * _BYTES, explored=True)


def _of_topics(queries: Vectors, judged: JudgedTopics, name: str) -> Floats:
    place = {query: at for at, query in enumerate(queries.ids)}
    if missing := [topic for topic in judged.ids if topic not in place]:
        raise InputError(f"there is no vector of the topic {missing[0]}", "add one to the queries' vectors", name)
    found: Floats = queries.matrix[[place[topic] for topic in judged.ids]]
    return found


def _values(scores: Floats, ids: Sequence[str], judged: JudgedTopics, depth: int) -> Floats:
    """Return the values of the first `depth` documents by scores of shape (topics, documents): (measures, topics)."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    run: Mapping[str, Mapping[str, float]] = {
        topic: {ids[at]: float(-rank) for rank, at in enumerate(row)}
        for topic, row in zip(judged.ids, best, strict=True)
    }
    found = evaluate(judged.qrels, run, judged.measures, judged.ids)
    return np.array([[found[measure][topic] for topic in judged.ids] for measure in judged.measures])
