"""`thresher play` as a process, asked as a browser or curl would."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import THRESHER


@dataclass(frozen=True)
class Answer:
    """What the server says."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        """The JSON in it."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Server:
    """A server at work."""

    port: int
    process: subprocess.Popen[str]

    @property
    def address(self) -> str:
        """Its address in a browser."""
        return f"http://127.0.0.1:{self.port}/"

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Send a request, a POST if it has a body; underscores of header names are hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET" if body is None else "POST", path, body, named)
        answer = connection.getresponse()
        result = Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        connection.close()
        return result


@contextmanager
def playing(*arguments: str | Path, cwd: Path, end: int = 0, **environment: str) -> Iterator[Server]:
    """Start `thresher play`, and end it with Ctrl-C; the block must end it by a signal if it is to `end` so."""
    command = [THRESHER, "play", *map(str, arguments)]
    with subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            assert line.startswith("http://127.0.0.1:"), line + process.stderr.read()
            yield Server(int(line.split(":")[2].partition("/")[0]), process)
        finally:
            if not end:
                process.send_signal(signal.SIGINT)
            assert (process.wait(60), process.stderr.read()) == (end, "")
