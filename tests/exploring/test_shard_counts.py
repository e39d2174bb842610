"""Counting by workers that each have a Java: the same counts as in this process, shard by shard."""

from __future__ import annotations

import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.base.errors import ResourceError, StateError
from thresher.base.processes import Backend
from thresher.cleaners.cleaner import Cleaner, parse_cleaner, parse_sweep
from thresher.experiments.exploring import shard_counts
from thresher.experiments.exploring.counts import ShardCounts
from thresher.experiments.exploring.nested_sweeps import NestedSweep, nested_sweeps, spread_cutoffs
from thresher.experiments.exploring.shard_counts import CountingJob, count_shards
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.lexicon import hash_texts
from thresher.scores.store import shards

TERMS = hash_texts(["file", "string", "return", "天气"])
OPTIONS = IndexOptions(stemmer="krovetz", stopwords=False)
TWO = Backend(workers=2)


@pytest.fixture(scope="module")
def sweeps(store: Path) -> tuple[NestedSweep, ...]:
    cleaners = [Cleaner(), parse_cleaner("bte")]
    return nested_sweeps(spread_cutoffs(store, [parse_sweep("words"), parse_sweep("density")], 12), cleaners)


def counted(store: Path, sweeps: tuple[NestedSweep, ...], backend: Backend | None) -> list[ShardCounts]:
    return list(count_shards(store, CountingJob(sweeps, OPTIONS, TERMS), backend))


def in_lists(record: Any) -> Any:
    """Return a record with arrays as lists, with their types."""
    if is_dataclass(record):
        return {field.name: in_lists(getattr(record, field.name)) for field in fields(record)}
    if isinstance(record, np.ndarray):
        return str(record.dtype), record.tolist()
    return [in_lists(each) for each in record] if isinstance(record, list | tuple) else record


# Here and below: no fork of a process with Java can have its own.
@pytest.mark.slow
def test_workers_count_what_this_process_counts(
    store: Path, sweeps: tuple[NestedSweep, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = counted(store, sweeps, None)
    assert len(alone) == len(shards(store)) > 2
    monkeypatch.setattr(shard_counts, "_MUCH", 0)
    assert in_lists(counted(store, sweeps, TWO)) == in_lists(alone)
    # A single worker is this process.
    assert in_lists(counted(store, sweeps, Backend(workers=1))) == in_lists(alone)


def test_few_pages_start_no_workers(
    store: Path, sweeps: tuple[NestedSweep, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_counts, "_count_in_worker", _end)
    assert len(counted(store, sweeps, TWO)) == len(shards(store))


@pytest.mark.slow
@pytest.mark.parametrize("backend", [None, TWO])
def test_a_damaged_shard_is_named(
    store: Path,
    sweeps: tuple[NestedSweep, ...],
    backend: Backend | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shard_counts, "_MUCH", 0)
    damaged = tmp_path / "scores"
    damaged.mkdir()
    for path in shards(store):
        (damaged / path.name).write_bytes(path.read_bytes())
    last = shards(damaged)[-1]
    last.write_bytes(last.read_bytes()[:-100])
    with pytest.raises(StateError) as caught:
        counted(damaged, sweeps, backend)
    assert caught.value.where == str(last)


@pytest.mark.slow
def test_a_worker_that_ends_is_told(
    store: Path, sweeps: tuple[NestedSweep, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_counts, "_MUCH", 0)
    monkeypatch.setattr(shard_counts, "_count_in_worker", _end)
    with pytest.raises(ResourceError) as caught:
        counted(store, sweeps, TWO)
    assert (caught.value.what, caught.value.where) == ("a worker ended while counting", str(store))


def _end(job: CountingJob, path: Path) -> None:
    os._exit(3)
