"""Shards of scores as rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thresher.base.tables import Table
from thresher.scores.store import read_shard, shards


def rows_of(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table, each column as Python's values."""
    cells = [column.tolist() for column in table.columns.values()]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*cells, strict=True)]


def store_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of all shards of a store, in order."""
    return [row for path in shards(folder) for row in rows_of(read_shard(path))]
