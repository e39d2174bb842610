"""Parquet files are read whole or by columns."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.base.arrow import read_parquet

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
