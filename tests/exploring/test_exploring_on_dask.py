"""Exploring on a real Dask scheduler with worker processes: the same bytes as in this process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from thresher.evaluation import Topic
from thresher.exploring import evaluating
from thresher.exploring.exploring import Judging, explore
from thresher.exploring.record_files import FILE, write_exploration
from thresher.lucene.indexing import IndexOptions
from thresher.lucene.retrieval import parse_retrieval
from thresher.pruning.backends import DASK, Backend
from thresher.scorers.cleaners import parse_cleaner, parse_sweep


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, which have another working folder."""
    folder = tmp_path_factory.mktemp("dask")
    told = folder / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        with (folder / f"{len(started)}.log").open("wb") as log:
            started.append(subprocess.Popen(command, stderr=log, cwd=folder, start_new_session=True))
        return started[-1]

    try:
        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told))
        while not told.exists():
            assert scheduler.poll() is None, (folder / "0.log").read_text()
            time.sleep(0.05)
        found = str(json.loads(told.read_text())["address"])
        for _ in range(2):
            start("worker", found, "--nthreads", "1")
        yield found
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_what_is_explored_is_the_same_bytes(
    store: Path, pages: dict[str, str], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluating, "_MUCH", 0)
    queries = ("return a list of strings", "file path name", "the exception raised if the argument is invalid")
    topics = {str(number): Topic(str(number), query) for number, query in enumerate(queries)}
    ids = sorted(pages)
    qrels = {topic: {ids[(5 * place + int(topic)) % len(ids)]: place % 3 for place in range(60)} for topic in topics}
    judging = Judging(topics, qrels, tuple(topics))
    models = [parse_retrieval("qld"), parse_retrieval("qld(exact)")]
    for place, backend in (("here", None), ("there", Backend(DASK, 2, address))):
        found = explore(
            store,
            [parse_sweep("words"), parse_sweep("perplexity(lm=books)")],
            [parse_cleaner("bte")],
            judging,
            models,
            IndexOptions(),
            held_out=Judging(topics, qrels, ("1",)),
            backend=backend,
        )
        (tmp_path / place).mkdir()
        write_exploration(found, tmp_path / place)
    assert (tmp_path / "here" / FILE).read_bytes() == (tmp_path / "there" / FILE).read_bytes()
    assert not list(store.parent.glob(".exploring.*"))
