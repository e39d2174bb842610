"""The pages of a store that failed: which, where they lie, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from thresher.files import atomic_path
from thresher.scoring.store import FAILED, read_shard, shards


@dataclass(frozen=True)
class Failure:
    """A page that could not be scored: its file within the collection, the byte its record begins at, its id, the reason.

    `offset` is None if the file is the page; `id` is empty if it could not be read.
    """

    file: str
    offset: int | None
    id: str
    reason: str

    @property
    def name(self) -> str:
        """The id, or the file and offset if it is empty."""
        return self.id or (self.file if self.offset is None else f"{self.file} at byte {self.offset}")

    def later(self, offset: int) -> Failure:
        """Return this failure in a file whose first `offset` bytes were left out."""
        return self if self.offset is None or not offset else replace(self, offset=self.offset + offset)


def failures(folder: Path) -> Iterator[Failure]:
    """Yield every page of a store that failed, in the collection's order.

    Raises:
        StateError: if a shard is damaged.
    """
    for path in shards(folder):
        table = read_shard(path, ["file", "offset", "id", "reason", "status"])
        for row in table.filter(pc.equal(table["status"].cast(pa.string()), FAILED)).to_pylist():
            yield Failure(row["file"], row["offset"], row["id"], row["reason"])


def write_failures(folder: Path, path: Path) -> None:
    """Write the failed pages of a store to `path`, as JSON lines with `file`, `offset`, `id`, `reason`, atomically.

    Raises:
        ThresherError: if it cannot be written, or a shard is damaged.
    """
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        for failure in failures(folder):
            out.write(json.dumps(asdict(failure), ensure_ascii=False) + "\n")
