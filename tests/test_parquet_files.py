"""Parquet files are read whole or by columns, and by no other thread where threads may not start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.parquet_files import read_parquet

TABLE = pa.table({"id": ["a", "b"], "score": [[1.5], []], "words": [3, 0]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def test_all_columns_or_some_in_the_order_asked_for(path: Path) -> None:
    assert read_parquet(path).equals(TABLE)
    assert read_parquet(path, ["words", "id"]).equals(TABLE.select(["words", "id"]))
    assert read_parquet(path, []).num_columns == 0
    with pytest.raises(KeyError, match="none"):
        read_parquet(path, ["id", "none"])


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted by Linux's /proc")
def test_no_thread_is_started_under_a_limit_of_the_address_space(path: Path) -> None:
    script = (
        "import os, resource, sys; from pathlib import Path; from thresher.parquet_files import read_parquet\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40)); before = os.listdir('/proc/self/task')\n"
        "read_parquet(Path(sys.argv[1]), ['id', 'score']); print(os.listdir('/proc/self/task') == before)"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
