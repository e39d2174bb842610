"""Every number of principal components of documents' vectors, in one pass: see `PrincipalComponents`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thresher.base.errors import InputError
from thresher.base.files import read_text
from thresher.cleaners.cleaner import Cleaner
from thresher.collections.parquet_rows import MAGIC, rows_of
from thresher.evaluation import check_overlap, evaluate
from thresher.experiments.exploring.exploring import JudgedTopics
from thresher.experiments.table import Floats, Row, Variant, VariantTable
from thresher.indexes.pruning.method import PrincipalComponents
from thresher.indexes.pruning.treatments import Pruning, Treatment
from thresher.indexes.work import IndexStatistics
from thresher.scores.backends import apart

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
        # Arrow's readers end the process at some broken files: that of JSON is not used, that of Parquet works in another.
        lines = [] if is_parquet else filter(str.strip, read_text(path).split("\n"))
        (found,) = apart(_of_parquet, [path]) if is_parquet else [_stacked(map(json.loads, lines))]
    except (OSError, KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
        what = f"the vectors cannot be read ({' '.join(str(error).split())})"
        raise InputError(
            what, "give JSON lines or Parquet with `id` and `vector`, as many numbers each", str(path)
        ) from error
    ids, matrix = found.ids, found.matrix
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all() or len({*ids}) < len(ids):
        what = "there is no vector, an id occurs twice, or a number is missing or infinite"
        raise InputError(what, "give each id one vector of finite numbers", str(path))
    return found


def _of_parquet(path: Path) -> Vectors:
    return _stacked(rows_of(path, ("id", "vector")))


def _stacked(rows: Iterable[Any]) -> Vectors:
    pairs = [(str(row["id"]), np.array(row["vector"], dtype=np.float64)) for row in rows]
    return Vectors(tuple(name for name, _ in pairs), np.stack([vector for _, vector in pairs]))


def explore_vectors(
    name: str, documents: Vectors, queries: Vectors, judged: JudgedTopics, held_out: JudgedTopics | None, depth: int
) -> VariantTable:
    """Return a table with every number of dimensions, searched exactly by inner products.

    Sizes, for which tables of words have postings, are numbers: documents times dimensions; a query reads them all.
    """
    count, width = documents.matrix.shape
    check_overlap(dict.fromkeys(judged.ids, dict.fromkeys(documents.ids, 0.0)), judged.qrels, judged.ids, name)
    place = {query: at for at, query in enumerate(queries.ids)}
    sets = [one for one in (judged, held_out) if one is not None]
    if missing := [topic for one in sets for topic in one.ids if topic not in place]:
        raise InputError(f"there is no vector of the topic {missing[0]}", "add one to the queries' vectors", name)
    if queries.matrix.shape[1] != width:
        what = f"the vectors of queries have {queries.matrix.shape[1]} dimensions, those of documents {width}"
        raise InputError(what, "give both by the same model", name)
    directions = PrincipalComponents.directions(documents.matrix)
    # By rising id, so that a stable sort breaks ties as it does elsewhere.
    order = np.argsort(np.array(documents.ids))
    projected, ids = (documents.matrix @ directions)[order], [documents.ids[at] for at in order]
    values = []
    for one in sets:
        of_queries = queries.matrix[[place[topic] for topic in one.ids]] @ directions
        scores = np.zeros((len(one.ids), count))
        values.append(np.zeros((len(judged.measures), width, len(one.ids))))
        for kept in range(width):
            scores += np.outer(of_queries[:, kept], projected[:, kept])
            values[-1][:, width - 1 - kept] = _values(scores, ids, one, depth)
    rows = []
    for kept in range(width, 0, -1):
        numbers, cutoff = count * kept, float(kept)
        variant = Variant(Treatment(Cleaner(), Pruning(PrincipalComponents(), cutoff)), "none|pca", cutoff)
        variant = variant if kept < width else Variant(Treatment())
        rows.append(Row(variant, IndexStatistics(count, numbers, numbers, kept), 0, numbers * _BYTES, explored=True))
    reads = np.repeat([[float(row.index.postings)] for row in rows], len(judged.ids), axis=1)
    others = (held_out.ids, values[1]) if held_out else ((), np.zeros((len(judged.measures), width, 0)))
    return VariantTable(name, judged.measures, judged.ids, tuple(rows), values[0], reads, *others)


def _values(scores: Floats, ids: Sequence[str], judged: JudgedTopics, depth: int) -> Floats:
    """Return the values of the first `depth` documents by scores of shape (topics, documents): (measures, topics)."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    run = dict(zip(judged.ids, ({ids[at]: float(-rank) for rank, at in enumerate(row)} for row in best), strict=True))
    found = evaluate(judged.qrels, run, judged.measures, judged.ids)
    return np.array([[found[measure][topic] for topic in judged.ids] for measure in judged.measures])
