"""Exploring on a real Dask scheduler with worker processes: the same bytes as in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dask_cluster import dask_cluster
from sweep_views import same_tables

from thresher.base.processes import Backend
from thresher.cleaners.cleaner import parse_cleaner, parse_sweep
from thresher.evaluation.evaluating import JudgedTopics
from thresher.evaluation.topics import Topic
from thresher.experiments.exploring import exploring, ranking_job, shard_counts
from thresher.experiments.exploring.exploring import Search, explore
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import IndexOptions


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """Two workers, which have another working folder."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2, Path(__file__).parent, nannies=False) as cluster:
        yield cluster.backend


def test_what_is_explored_is_the_same_bytes(
    store: Path, pages: dict[str, str], backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking_job, "_MUCH", 0)
    monkeypatch.setattr(shard_counts, "_MUCH", 0)
    queries = ("return a list of strings", "file path name", "the exception raised if the argument is invalid")
    topics = {str(number): Topic(str(number), query) for number, query in enumerate(queries)}
    ids = sorted(pages)
    qrels = {topic: {ids[(5 * place + int(topic)) % len(ids)]: place % 3 for place in range(60)} for topic in topics}
    judged = JudgedTopics(topics, qrels, tuple(topics))
    models = [parse_retrieval("qld"), parse_retrieval("qld(exact)")]
    explored = []
    for who, size in ((None, 1 << 22), (backend, 2500)):
        monkeypatch.setattr(exploring, "_CHUNK", size)
        tables = explore(
            store,
            [parse_sweep("words"), parse_sweep("perplexity(lm=books)")],
            [parse_cleaner("bte")],
            Search(judged, models, IndexOptions(), held_out=JudgedTopics(topics, qrels, ("1",)), backend=who),
        )
        explored.append(tables)
    assert same_tables(*explored)
    assert not list(store.parent.glob(".thresher-*"))
