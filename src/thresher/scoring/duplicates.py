"""Duplicate document ids: the first page stays, later ones fail.

Ids are compared over the whole store after the pass, since no worker sees all. Memory: an 8-byte digest per page;
ids with the same digest are compared in full.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.scoring.store import EMPTIED, FAILED, SCORED, read_report, read_shard, shards, write_table

_BYTES = 8
_WHERE = ["id", "status", "file", "offset"]


def fail_duplicates(folder: Path) -> None:
    """Mark pages as failed whose id an earlier page that did not fail has; idempotent.

    Raises:
        StateError: if a shard is damaged.
    """
    suspects = _suspects(folder)
    if not len(suspects):
        return
    first: dict[str, str] = {}
    for path in shards(folder):
        table = read_shard(path, _WHERE)
        doubles: dict[int, str] = {}
        for row, (document_id, digest) in enumerate(
            zip(table["id"].to_pylist(), _digests(table).tolist(), strict=True)
        ):
            if digest not in suspects or table["status"][row].as_py() == FAILED:
                continue
            if document_id in first:
                doubles[row] = f"the document id comes twice, first in {first[document_id]}"
            else:
                offset = table["offset"][row].as_py()
                first[document_id] = table["file"][row].as_py() + ("" if offset is None else f" at byte {offset}")
        if doubles:
            _fail(path, doubles)


def _suspects(folder: Path) -> frozenset[int]:
    """Return the id digests that several pages share, failed ones excepted."""
    parts = [np.zeros(0, dtype=np.uint64)]
    for path in shards(folder):
        table = read_shard(path, ["id", "status"])
        good = np.asarray([status != FAILED for status in table["status"].to_pylist()], dtype=np.bool_)
        parts.append(_digests(table)[good])
    digests, counts = np.unique(np.concatenate(parts), return_counts=True)
    return frozenset(digests[counts > 1].tolist())


def _digests(table: pa.Table) -> npt.NDArray[np.uint64]:
    joined = b"".join(
        hashlib.blake2b(document_id.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()
        for document_id in table["id"].to_pylist()
    )
    return np.frombuffer(joined, dtype=np.uint64)


def _fail(path: Path, doubles: Mapping[int, str]) -> None:
    """Rewrite a shard with the given rows failed, byte for byte as if they had failed during scoring."""
    table = read_shard(path).combine_chunks()
    report = read_report(path)
    statuses = table["status"].to_pylist()
    lost = {status: sum(statuses[row] == status for row in doubles) for status in (SCORED, EMPTIED)}
    words = sum(sum(table["words"][row].as_py()) for row in doubles)
    for index, name in enumerate(table.column_names):
        kind = table.schema.field(name).type
        values = table[name].to_pylist()
        for row, reason in doubles.items():
            values[row] = _failed(name, values[row], reason)
        # Parquet and Arrow name list elements differently, which would change the bytes.
        kind = pa.list_(kind.value_type) if pa.types.is_list(kind) else kind
        table = table.set_column(index, name, pa.array(values, kind))
    left = replace(
        report,
        scored=report.scored - lost[SCORED],
        emptied=report.emptied - lost[EMPTIED],
        failed=report.failed + len(doubles),
        words=report.words - words,
    )
    write_table(path, table, left)


def _failed(column: str, value: object, reason: str) -> object:
    """Return the value of a column for a failed page."""
    if column in ("id", "file", "offset", "url", "bytes"):
        return value
    blank = {"status": FAILED, "reason": reason, "replaced": 0, "encoding": "", "encoding_source": "", "text": ""}
    return blank.get(column, [])
