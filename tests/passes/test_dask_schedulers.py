"""Schedulers of Dask that are not there, say nothing or say something else."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from threading import Thread

import pytest

from thresher.defaults import DASK
from thresher.errors import ConfigError
from thresher.passes import backends
from thresher.passes.backends import Backend, run


def listening(answer: Callable[[socket.socket], object]) -> socket.socket:
    """Return a socket that takes a connection and answers it."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        held = []
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
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
    monkeypatch.setattr(backends, "_ANSWER_SECONDS", 0.5)
    with closing(listening(answer)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConfigError, match=f"{address}: no Dask scheduler answers there"):
            list(run(Backend(DASK, 1, address), int, ["1"]))


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "tcp://", "tcp://127.0.0.1", "tcp://[::1", "x://y:1", "tcp://h:99999999"]
)
def test_what_is_no_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_ANSWER_SECONDS", 0.5)
    with pytest.raises(ConfigError, match="no Dask scheduler answers there"):
        list(run(Backend(DASK, 1, address), int, ["1"]))
