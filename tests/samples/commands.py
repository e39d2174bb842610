"""Thresher's command as a process: the installed one, or one forked from a process that has imported it already."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, cast

THRESHER = Path(sys.executable).with_name("thresher")


@dataclass(frozen=True)
class Done:
    """A finished command: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """The lines of standard error that report errors; a traceback is one."""
        return [line for line in self.err.splitlines() if line.startswith(("error:", "Traceback"))]


class Process:
    """A command at work, in a process group of its own; `pid` is also the number of the group."""

    def __init__(self, pid: int, folder: Path, server: Server) -> None:
        self.pid = pid
        self.code: int | None = None
        self._folder = folder
        self._server = server

    def ended(self) -> bool:
        """Look whether the process itself has ended, whatever became of those that it started."""
        if self.code is None:
            self.code = self._server.ask({"pid": self.pid, "wait": False})
        return self.code is not None

    def wait(self) -> Done:
        """Wait until the process itself has ended."""
        if self.code is None:
            self.code = self._server.ask({"pid": self.pid, "wait": True})
        out, err = ((self._folder / name).read_text(encoding="utf-8") for name in ("out", "err"))
        shutil.rmtree(self._folder)
        return Done(cast(int, self.code), out, err)

    def kill(self, sign: signal.Signals = signal.SIGKILL) -> Done:
        """Send a signal to the process and all it started, and wait until it has ended."""
        os.killpg(self.pid, sign)
        return self.wait()

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """Look, as often as may be, until something has happened; fail if the process ends before."""
        while not happened():
            if self.ended():
                if happened():
                    return
                raise AssertionError(f"the process ended before: {self.wait()}")
            time.sleep(0.002)


def begin(
    *arguments: str | Path,
    cwd: Path | None = None,
    steps: Path | None = None,
    kill_at: str | None = None,
    without: tuple[str, ...] = (),
    within: tuple[str, ...] = (),
    terminal: Path | None = None,
    **environment: str,
) -> Process:
    """Start a command, on a terminal if one is named, which then gets what is printed.

    What it does to files below `cwd` is written to `steps`, a line each; about to do `kill_at`, which is such a line or its
    first word, it is killed with all that it started. It cannot import the modules `without`. It is where the command
    `within` brings what it starts, such as a namespace; that is the same one for all processes of a session.
    """
    folder = Path(tempfile.mkdtemp(prefix="thresher-"))
    for name in ("out", "err"):
        (folder / name).touch()
    request = {
        "arguments": [str(THRESHER), *map(str, arguments)],
        "cwd": str(cwd or Path.cwd()),
        "environment": {**os.environ, "COLUMNS": "200", **environment},
        "out": str(terminal or folder / "out"),
        "err": str(terminal or folder / "err"),
        "steps": str(steps) if steps else None,
        "kill_at": kill_at,
    }
    server = served(without, within)
    return Process(cast(int, server.ask(request)), folder, server)


def thresher(*arguments: str | Path, cwd: Path | None = None, without: tuple[str, ...] = ()) -> Done:
    """Run a command to its end, as if the modules `without` were not installed."""
    return begin(*arguments, cwd=cwd, without=without).wait()


def installed(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> Done:
    """Run the installed command to its end, in an interpreter of its own."""
    done = subprocess.run(
        [THRESHER, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


class Server:
    """A process that has imported what commands need, and forks them."""

    def __init__(self, without: tuple[str, ...], within: tuple[str, ...]) -> None:
        command = [*within, sys.executable, Path(__file__).with_name("prepared.py"), *without]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        # It ends with its input.
        atexit.register(process.communicate)
        self.pid = process.pid
        self._asked, self._answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)

    def ask(self, request: dict[str, object]) -> int | None:
        """Send a request, and return the answer."""
        print(json.dumps(request), file=self._asked, flush=True)
        return cast("int | None", json.loads(self._answers.readline()))


@cache
def served(without: tuple[str, ...], within: tuple[str, ...], /) -> Server:
    """Return the server of commands with these arguments, as in `begin`."""
    return Server(without, within)
