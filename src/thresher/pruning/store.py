"""The score store: one Parquet file a shard, whole or not there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thresher.collections import Part
from thresher.errors import StateError, ThresherError
from thresher.files import atomic_path, user_error, write_json
from thresher.pruning.page_scores import EMPTIED, FAILED, SCORED, PageScores

POISON = "poison.json"
"""The file in a store that tells which pages ended their worker, by shard and position, and how."""

_REPORT = b"thresher"


@dataclass(frozen=True)
class ShardTimes:
    """What scoring a shard took of one worker: seconds, and the most memory it ever held.

    `seconds` says how long the stages took: `pages` (read, decode, parse, cut), then each scorer by its canonical name.
    """

    seconds: dict[str, float]
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float


@dataclass(frozen=True)
class ShardReport:
    """What a shard holds: `documents = scored + emptied + failed`; the same whoever scored it.

    `begin` is where reading began if that was given exactly; `first` and `after` are the reader's span: see
    `thresher.collections.records`.
    """

    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    bytes: int
    begin: int | None
    first: int | None
    after: int


def shard_path(folder: Path, part: Part) -> Path:
    """Return the file of a part's shard; names are in the collection's order."""
    return folder / f"shard-{part.file:06}-{part.number:06}.parquet"


def write_shard(
    path: Path,
    pages: Sequence[PageScores],
    scorers: Sequence[str],
    report: ShardReport,
    times: ShardTimes,
    labels: bool = False,
) -> None:
    """Write scored pages and the report on them, whole or not at all; `labels` adds which blocks are list items.

    The times go to a file of their own: the shard's bytes depend on the pages alone.
    """
    table = pa.table(
        {
            "id": pa.array([page.id for page in pages], pa.string()),
            "file": _names([page.file for page in pages]),
            "offset": pa.array([page.offset for page in pages], pa.int64()),
            "url": pa.array([page.url for page in pages], pa.string()),
            "status": _names([page.status for page in pages]),
            "reason": pa.array([page.reason for page in pages], pa.string()),
            "encoding": _names([page.encoding for page in pages]),
            "encoding_source": _names([page.encoding_source for page in pages]),
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
    )
    write_json(_times_path(path), asdict(times))
    write_table(path, table, report)


def write_table(path: Path, table: pa.Table, report: ShardReport) -> None:
    """Write a shard's table with its report, whole or not at all."""
    table = table.replace_schema_metadata({_REPORT: json.dumps(asdict(report))})
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


def read_times(path: Path) -> ShardTimes:
    """Read what scoring the shard in `path` took.

    Raises:
        StateError: if the file beside it is missing or damaged.
    """
    try:
        return ShardTimes(**json.loads(_times_path(path).read_bytes()))
    except (OSError, TypeError, ValueError) as error:
        raise _unusable(error, path) from error


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read some columns of a shard, or all.

    Raises:
        StateError: if the file is damaged.
    """
    try:
        names = None if columns is None else list(columns)
        return pq.read_table(path, columns=names, page_checksum_verification=True)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise _unusable(error, path) from error


def shards(folder: Path) -> list[Path]:
    """Return the files of all shards, in the collection's order."""
    return sorted(folder.glob("shard-*.parquet"))


def first_document(folder: Path) -> str:
    """Return the first id of a store in which one page has an id at least."""
    ids = (str(found) for path in shards(folder) for found in read_shard(path, ["id"])["id"].to_pylist())
    return next(filter(None, ids))


def missing_documents(folder: Path, wanted: Iterable[str]) -> set[str]:
    """Return which of the documents `wanted` are not in a store; failed ones are in it."""
    missing = set(wanted)
    for path in shards(folder):
        missing.difference_update(read_shard(path, ["id"])["id"].to_pylist())
    return missing


def count(pages: Sequence[PageScores]) -> dict[str, int]:
    """Return how many pages were scored, emptied and failed."""
    statuses = [page.status for page in pages]
    return {status: statuses.count(status) for status in (SCORED, EMPTIED, FAILED)}


def _unusable(error: Exception, path: Path) -> ThresherError:
    # Arrow says of broken bytes, too, that they are an OSError, but a plain one without a number.
    if isinstance(error, OSError) and (error.errno or type(error) is not OSError):
        return user_error(error, path)
    return StateError("the shard of scores is damaged", "delete the file and run again", str(path))


def _times_path(path: Path) -> Path:
    return path.with_suffix(".times.json")


def _names(values: Sequence[str]) -> pa.DictionaryArray:
    return pa.array(values, pa.dictionary(pa.int32(), pa.string()))


def _lists(values: Sequence[Any], kind: type[np.generic]) -> pa.ListArray:
    offsets = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum([len(value) for value in values], out=offsets[1:])
    flat = np.concatenate([np.zeros(0, kind), *(np.asarray(value, dtype=kind) for value in values)])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat))
