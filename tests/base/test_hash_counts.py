"""Counts of hashes, against a counter in memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thresher.base.hash_counts import HashCounts, count_hashes, hash64

# Of all partitions, and close together.
NUMBERS = st.integers(0, 2**64 - 1) | st.integers(0, 5) | st.integers(2**64 - 3, 2**64 - 1)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(NUMBERS, max_size=30), max_size=5))
def test_counts_are_those_of_a_counter(batches: list[list[int]], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("counts") / "new"
    counts = count_hashes([np.array(batch, dtype=np.uint64) for batch in batches], folder)
    expected = Counter(number for batch in batches for number in batch)
    numbers = np.array([*expected], dtype=np.uint64)
    assert counts.of(numbers).tolist() == [*expected.values()]
    # Another process reads the same.
    assert HashCounts(folder).of(numbers).tolist() == [*expected.values()]
    assert not [*folder.glob("part-*")]


def test_what_was_counted_once_takes_no_room(tmp_path: Path) -> None:
    numbers = np.array([hash64(str(number)) for number in range(1000)], dtype=np.uint64)
    count_hashes([numbers, numbers[:10]], tmp_path / "counts")
    assert sum(path.stat().st_size for path in (tmp_path / "counts").iterdir()) == 10 * (8 + 4)
