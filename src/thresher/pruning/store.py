"""The score store: one Parquet file a shard, whole or not there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from thresher.errors import StateError, ThresherError
from thresher.files import atomic_path, user_error
from thresher.pruning.page_scores import EMPTIED, FAILED, SCORED, PageScores

POISON = "poison.json"
"""The file in a store that tells which pages ended their worker, by shard and position, and how."""

_REPORT = b"thresher"


@dataclass(frozen=True)
class ShardReport:
    """What scoring a shard came to: `documents = scored + emptied + failed`; seconds are of one worker.

    `seconds` says how long the stages took: `pages` (decode, parse, cut), then each scorer by its canonical name.
    """

    shard: int
    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    bytes: int
    seconds: dict[str, float]
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float


def shard_path(folder: Path, shard: int) -> Path:
    """Return the file of the shard with this number."""
    return folder / f"shard-{shard:06}.parquet"


def write_shard(
    path: Path, pages: Sequence[PageScores], scorers: Sequence[str], report: ShardReport, labels: bool = False
) -> None:
    """Write scored pages and the report on them, whole or not at all; `labels` adds which blocks are list items."""
    table = pa.table(
        {
            "id": pa.array([page.id for page in pages], pa.string()),
            "url": pa.array([page.url for page in pages], pa.string()),
            "status": pa.array([page.status for page in pages], pa.dictionary(pa.int8(), pa.string())),
            "reason": pa.array([page.reason for page in pages], pa.string()),
            "encoding": pa.array([page.encoding for page in pages], pa.dictionary(pa.int8(), pa.string())),
            "encoding_source": pa.array(
                [page.encoding_source for page in pages], pa.dictionary(pa.int8(), pa.string())
            ),
            "replaced": pa.array([page.replaced for page in pages], pa.int64()),
            "bytes": pa.array([page.bytes for page in pages], pa.int64()),
            "text": pa.array([page.segments.text if page.segments else "" for page in pages], pa.large_string()),
            "block_ends": _lists([page.segments.block_ends if page.segments else () for page in pages], np.int32),
            "sentence_ends": _lists([page.segments.sentence_ends if page.segments else () for page in pages], np.int32),
            "levels": _lists([page.segments.levels if page.segments else () for page in pages], np.int8),
            "words": _lists([page.segments.words_in_sentences if page.segments else () for page in pages], np.int32),
            **(
                {
                    "list_items": _lists(
                        [page.segments.is_list_item if page.segments else () for page in pages], np.bool_
                    )
                }
                if labels
                else {}
            ),
            **{f"score:{name}": _lists([page.scores.get(name, ()) for page in pages], np.float32) for name in scorers},
        }
    ).replace_schema_metadata({_REPORT: json.dumps(asdict(report))})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", compression_level=3, write_page_checksum=True)


def read_report(path: Path) -> ShardReport:
    """Read what `write_shard` was told.

    Raises:
        StateError: if the file is damaged.
    """
    try:
        metadata = pq.read_schema(path).metadata
        return ShardReport(**json.loads(metadata[_REPORT]))
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise _unusable(error, path) from error


def read_shard(path: Path, columns: Sequence[str]) -> pa.Table:
    """Read some columns of a shard.

    Raises:
        StateError: if the file is damaged.
    """
    try:
        return pq.read_table(path, columns=list(columns), page_checksum_verification=True)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise _unusable(error, path) from error


def shards(folder: Path) -> list[Path]:
    """Return the files of all shards, in the collection's order."""
    return sorted(folder.glob("shard-*.parquet"))


def failed_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Give the id and the reason of every page that failed."""
    for path in shards(folder):
        table = read_shard(path, ["id", "status", "reason"])
        for row in table.filter(pc.equal(table["status"].cast(pa.string()), FAILED)).to_pylist():
            yield row["id"], row["reason"]


def document_ids(folder: Path) -> set[str]:
    """Return the ids of all pages of a store, failed ones included."""
    return {document_id for path in shards(folder) for document_id in read_shard(path, ["id"])["id"].to_pylist()}


def count(pages: Sequence[PageScores]) -> dict[str, int]:
    """Return how many pages were scored, emptied and failed."""
    statuses = [page.status for page in pages]
    return {status: statuses.count(status) for status in (SCORED, EMPTIED, FAILED)}


def _unusable(error: Exception, path: Path) -> ThresherError:
    # Arrow says of broken bytes, too, that they are an OSError, but a plain one without a number.
    if isinstance(error, OSError) and (error.errno or type(error) is not OSError):
        return user_error(error, path)
    return StateError("the shard of scores is damaged", "delete the file and run again", str(path))


def _lists(values: Sequence[Any], kind: type[np.generic]) -> pa.ListArray:
    offsets = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    flat = np.concatenate([np.zeros(0, kind), *(np.asarray(value, dtype=kind) for value in values)])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat))
