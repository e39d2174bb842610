"""The scoring pass on a real Dask scheduler with worker processes: the same bytes as by processes of joblib's own."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from dask_cluster import Cluster, dask_cluster
from messages import Message, assert_names
from troublesome import Trouble, pages

from thresher.base import cluster as cluster_module
from thresher.base.defaults import DASK
from thresher.base.errors import ConfigError, MissingDependencyError, install_command
from thresher.base.processes import Backend
from thresher.cli.main import main
from thresher.scores.limits import Limits
from thresher.scores.lost_pages import failures
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import shards, written_shards

pytestmark = pytest.mark.slow

WORKERS = 2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), WORKERS, Path(__file__).parent) as found:
        yield found


def stored(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in shards(folder)}


def holders(place: Path) -> list[psutil.Process]:
    """Return the processes that have the file open."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if any(entry.path == str(place) for entry in process.open_files()):
                found.append(process)
    return found


def test_a_worker_that_is_killed_in_mid_pass_changes_nothing(cluster: Cluster, tmp_path: Path) -> None:
    flag = tmp_path / "go"
    plan = ScorePlan(pages(1000, {700: f"WAIT {flag} "}), (Trouble(),), limits=Limits(600))
    done: list[object] = []
    running = threading.Thread(target=lambda: done.append(score_collection(plan, tmp_path / "there", cluster.backend)))
    running.start()
    place = tmp_path / "there" / "shard-000000-000002.page"
    # Page 700 is the 188th of its shard, and waits while the others are written.
    while len(written_shards(tmp_path / "there")) < 3 or not holders(place):
        time.sleep(0.05)
    (victim,) = holders(place)
    victim.kill()
    flag.touch()
    running.join()
    assert len(done) == 1
    score_collection(plan, tmp_path / "here")
    assert stored(tmp_path / "there") == stored(tmp_path / "here")
    assert not list(failures(tmp_path / "there"))


def test_pages_that_end_their_workers_are_listed(cluster: Cluster, tmp_path: Path) -> None:
    bad = {5: "SLEEP now", 300: "KILL now"}
    tallied = {number: f"TALLY {tmp_path / str(number)} {what}" for number, what in bad.items()}
    plan = ScorePlan(pages(400, tallied), (Trouble(),), limits=Limits(1.0))
    report = score_collection(plan, tmp_path / "there", cluster.backend)
    assert (report.documents, report.scored, report.failed) == (400, 398, 2)
    assert [(failure.id, failure.reason) for failure in failures(tmp_path / "there")] == [
        ("d5", "took longer than 1 s"),
        ("d300", "ended its worker (exit code -9)"),
    ]
    # A late page ends one worker of the cluster, one that ends its process two; and then as many processes of this machine.
    # The scheduler counts a worker's end against all tasks that waited there: then the page itself ends one less.
    tries = {number: len((tmp_path / str(number)).read_text()) for number in bad}
    assert tries.pop(5) == 2
    assert tries.pop(300) in (3, 4)
    score_collection(plan, tmp_path / "here", Backend(workers=1))
    assert stored(tmp_path / "there") == stored(tmp_path / "here")


def test_no_scheduler_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "WAIT_SECONDS", 1)
    with pytest.raises(ConfigError) as caught:
        score_collection(ScorePlan(pages(3), (Trouble(),)), tmp_path, Backend(DASK, 1, "tcp://127.0.0.1:9"))
    assert_names(
        caught.value, "tcp://127.0.0.1:9: ", "scheduler answers there", "Fix: ", "`dask scheduler`", "tcp://head:8786"
    )


def test_without_dask_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingDependencyError) as caught:
        score_collection(ScorePlan(pages(3), (Trouble(),)), tmp_path, Backend(DASK, 1, "tcp://127.0.0.1:9"))
    assert_names(caught.value, "--backend: ", "the package distributed", "Fix: ", install_command("dask"))


def test_the_command_line_with_relative_paths(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Workers were started in another folder than the command."""
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    for number in range(40):
        Path("pages", f"{number}.html").write_text(f"<p>Page {number} of many.</p><p>More.</p>", encoding="utf-8")
    for name, options in {"there": ("--backend", "dask", "--scheduler", cluster.address), "here": ()}.items():
        arguments = ("clean", "pages", "-c", "words@3", "-o", f"{name}.jsonl", *options)
        monkeypatch.setattr(sys, "argv", ["thresher", *arguments])
        main()
        told = Message(f"{name}.jsonl: 40 pages", "40 with text", "0 emptied", "0 failed", "160 words kept")
        assert told in capfd.readouterr().err.splitlines()
    assert Path("there.jsonl").read_bytes() == Path("here.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (("--backend", "dask"), ("--backend dask: ", "Dask's scheduler", "Fix: ", "--scheduler tcp://HOST:8786")),
        (
            ("--backend", "local", "--scheduler", "tcp://x:1"),
            ("--scheduler: ", "only the backend dask", "Fix: ", "--backend dask"),
        ),
    ],
)
def test_options_that_do_not_fit(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], options: tuple[str, ...], facts: tuple[str, ...]
) -> None:
    monkeypatch.setattr(sys, "argv", ["thresher", "clean", "pages", "-c", "words@3", "-o", "o.jsonl", *options])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, capfd.readouterr().err.splitlines()) == (2, [Message("error: ", *facts)])
