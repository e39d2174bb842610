"""`run` and `explore` on a Dask cluster of two workers, each of which is killed: what one machine finds, to the byte."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from commands import Done
from dask_cluster import Cluster, dask_cluster
from small_web import Web, leftovers, without_clock

from thresher.experiments.exploring import exploring, ranking_job
from thresher.experiments.results import read_results

pytestmark = pytest.mark.slow

Call = Callable[..., Done]

WORKERS = 2
# Enough for three shards of scores.
MANY = 150
TRAINING_TOPICS = 8
"""The topics after these are held out."""


@contextmanager
def killing(cluster: Cluster, number: int, happened: Callable[[], bool]) -> Iterator[None]:
    """Kill a worker as soon as something happened in the block; its nanny starts another."""
    ended, killed = threading.Event(), []

    def kill() -> None:
        while not happened():
            if ended.wait(0.01):
                return
        for process in psutil.Process(cluster.workers[number].pid).children(recursive=True):
            killed.append(process)
            process.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    assert killed


def bytes_of(results: Path, pattern: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in results.glob(pattern)}


def test_an_experiment_whose_workers_are_killed(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    # Several parts, and too little to do to be left to one process.
    monkeypatch.setattr(exploring, "_CHUNK", 1000)
    monkeypatch.setattr(ranking_job, "_MUCH", 0)
    web = Web.make(tmp_path / "web", MANY)
    topics = (web.folder / "topics.tsv").read_text().splitlines(keepends=True)
    (web.folder / "topics.tsv").write_text("".join(topics[:TRAINING_TOPICS]))
    (web.folder / "others.tsv").write_text("".join(topics[TRAINING_TOPICS:]))
    file = web.write(
        held_out='topics = "others.tsv"\nqrels = "qrels.txt"',
        sweep='scorer = "words"\ncutoffs = [20]',
        cleaners='names = ["density@8"]',
        retrieval='models = ["qld", "qld(exact)"]\ndepth = 40',
    )
    for verb in ("run", "explore"):
        options = ("--results", "here", *(("--indexes", "here-indexes") if verb == "run" else ()))
        assert call(verb, file.name, *options, cwd=web.folder).code == 0
    here, there = web.folder / "here" / "web", web.folder / "results" / "web"
    (tmp_path / "dask").mkdir()
    with dask_cluster(tmp_path / "dask", WORKERS, Path(__file__).parent) as cluster:
        stages: list[tuple[str, Callable[[], bool]]] = [
            ("run", lambda: any(there.glob("scores/*.npz"))),
            ("explore", lambda: any(there.glob(".thresher-*/chunk-000000.npz"))),
        ]
        for number, (verb, happened) in enumerate(stages):
            with killing(cluster, number, happened):
                done = call(verb, file.name, "--backend", "dask", "--scheduler", cluster.address, cwd=web.folder)
            assert done.code == 0, done.err
    shards = bytes_of(here, "scores/*.npz")
    assert len(shards) == 3
    assert bytes_of(there, "scores/*.npz") == shards
    runs = bytes_of(here, "runs/*.trec")
    assert {
        f"{variant}.{model}{topic_set}.trec"
        for variant in ("none", "words@20", "density@8")
        for model in ("qld", "qld_exact_")
        for topic_set in ("", ".held-out")
    } == set(runs)
    assert bytes_of(there, "runs/*.trec") == runs
    assert without_clock(there / "results.csv") == without_clock(here / "results.csv")
    one, other = (
        [[replace(row, built=None) for row in table.rows] for table in read_results(at).tables] for at in (here, there)
    )
    assert one == other
    for mine, theirs in zip(read_results(here).tables, read_results(there).tables, strict=True):
        assert mine.values.tobytes() == theirs.values.tobytes()
        assert mine.held_out.tobytes() == theirs.held_out.tobytes()
    assert leftovers(web.folder) == []
