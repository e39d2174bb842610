"""Reading Parquet files that Thresher wrote."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read some columns, or all; under a limit of the address space in this thread, as Arrow waits for ever for threads that
    cannot start.

    Raises:
        OSError, pyarrow.ArrowException: if the file cannot be read.
        KeyError: if there is no such column.
    """
    names = None if columns is None else list(columns)
    threads = resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
    with pq.ParquetFile(path, pre_buffer=threads, page_checksum_verification=True) as file:
        table = file.read(columns=names, use_threads=threads)
    return table if names is None else table.select(names)
