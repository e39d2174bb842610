"""Schedulers of Dask that are not there, say nothing or something else, or end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from dask_cluster import Cluster, dask_cluster

from thresher.base import cluster as cluster_module
from thresher.base.cluster import on_dask
from thresher.base.errors import ConfigError


def listening(answer: Callable[[socket.socket], object]) -> socket.socket:
    """Return a socket that takes a connection and answers it."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        held = []
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                for connection in held:
                    connection.close()
                return
            held.append(connection)
            answer(connection)

    Thread(target=serve, daemon=True).start()
    return server


@pytest.mark.parametrize(
    "answer", [lambda _: None, lambda it: it.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9), socket.socket.close]
)
def test_what_is_no_scheduler_is_given_up_soon(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[socket.socket], object]
) -> None:
    # Of the two limits this is the one that is met; a client would ask on for half a minute.
    monkeypatch.setattr(cluster_module, "_ANSWER_SECONDS", 0.5)
    with closing(listening(answer)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConfigError, match=f"{address}: no Dask scheduler answers there"):
            list(on_dask(address, iter([int])))
        # Wakes the thread, which closes what it holds.
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "tcp://", "tcp://127.0.0.1", "tcp://[::1", "x://y:1", "tcp://h:99999999"]
)
def test_what_is_no_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "_ANSWER_SECONDS", 0.5)
    with pytest.raises(ConfigError, match="no Dask scheduler answers there"):
        list(on_dask(address, iter([int])))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """One worker, which nobody starts again: the scheduler is what ends."""
    with dask_cluster(tmp_path, 1, Path(__file__).parent, nannies=False) as found:
        yield found


@pytest.mark.slow
def test_a_command_whose_scheduler_ends_says_so_in_one_line(cluster: Cluster, tmp_path: Path) -> None:
    pages, out = tmp_path / "pages.jsonl", tmp_path / "out.jsonl"
    text = "Words and words. " * 200
    pages.write_text("".join(f'{{"id": "{n}", "text": "{text}"}}\n' for n in range(2_000)), encoding="utf-8")
    arguments = ("clean", str(pages), "-c", "perplexity@8000", "-o", str(out), "--scheduler", cluster.address)
    command = subprocess.Popen([sys.executable, "-m", "thresher", *arguments], stderr=subprocess.PIPE, text=True)
    while not [*tmp_path.glob(".*/scores/shard-*.npz")]:
        assert command.poll() is None, command.communicate()
        time.sleep(0.01)
    os.killpg(cluster.scheduler.pid, signal.SIGKILL)
    _, told = command.communicate()
    assert (command.returncode, told.count("\n")) == (6, 1), told
    assert told.startswith(f"error: {cluster.address}: the Dask scheduler ended")
