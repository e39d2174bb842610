"""Reading Parquet files that Thresher wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read some columns, or all."""
    names = None if columns is None else list(columns)
    with pq.ParquetFile(path, pre_buffer=True, page_checksum_verification=True) as file:
        table = file.read(columns=names)
    return table if names is None else table.select(names)
