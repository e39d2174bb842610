"""Thresher's command, in this process or as one of its own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from thresher.cli.main import main

THRESHER = Path(sys.executable).with_name("thresher")
SHORT_LIVED_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Java compiles quickly rather than well, and says so on standard error."""
# Enough on a machine that does much else.
_SECONDS = 600


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


def thresher(
    *arguments: str | Path,
    cwd: Path | None = None,
    without: tuple[str, ...] = (),
    terminal: Path | None = None,
    stdin: Path | None = None,
    **environment: str,
) -> Done:
    """Run a command to its end in this process, which saves starting Python and Java; or, in another, as if the modules
    `without` were not installed. What it prints goes to the terminal if one is named; it reads what is in `stdin`.
    """
    if without:
        return all_without(without, arguments, cwd=cwd, **environment)[0]
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        stack.enter_context(chdir(cwd or Path.cwd()))
        for name, value in {"COLUMNS": "200", **environment}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["thresher", *map(str, arguments)])
        patch.setattr(sys, "stdin", stack.enter_context((stdin or Path(os.devnull)).open()))
        printed = [stack.enter_context(_printed(patch, name, terminal)) for name in ("stdout", "stderr")]
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return Done(code, *(() if terminal else map(_text, printed)) or ("", ""))


@contextmanager
def _printed(patch: pytest.MonkeyPatch, name: str, terminal: Path | None) -> Iterator[IO[bytes]]:
    """Catch what Python, Java and workers print; give the file of it."""
    number = {"stdout": 1, "stderr": 2}[name]
    before = os.dup(number)
    with terminal.open("r+b", 0) if terminal else tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), number)
        stream = io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", line_buffering=True)
        try:
            with patch.context() as inner:
                inner.setattr(sys, name, stream)
                yield file
        finally:
            stream.detach()
            os.dup2(before, number)
            os.close(before)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8")


def all_without(
    modules: tuple[str, ...], *commands: Sequence[str | Path], cwd: Path | None = None, **environment: str
) -> list[Done]:
    """Run commands as if the modules were not installed, one after the other in one process, which is not this one."""
    lines = [[*map(str, command)] for command in commands]
    code = (
        f"import json, sys\nfrom dataclasses import astuple\nsys.path[:] = {sys.path}\nfrom commands import thresher\n"
        f"print(json.dumps([astuple(thresher(*line)) for line in {lines}]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=cwd,
            env={**os.environ, **environment_without(Path(folder), *modules), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return [Done(*one) for one in json.loads(done.stdout)]


def environment_without(folder: Path, *modules: str) -> dict[str, str]:
    """Return the environment in which no process can import `modules`, whatever is installed; by a file in `folder`."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({modules}))\n")
    return _environment(folder)


def _environment(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


def watching_imports(folder: Path) -> dict[str, str]:
    """Return the environment in which each process adds the modules that it looks for to `modules.txt` in `folder`."""
    (folder / "sitecustomize.py").write_text(
        "import sys\nclass Watch:\n    def find_spec(self, name, *_):\n"
        f"        with open({str(folder / 'modules.txt')!r}, 'a') as file:\n            file.write(name + '\\n')\n"
        "sys.meta_path.insert(0, Watch())\n"
    )
    return _environment(folder)


def installed(*arguments: str | Path, cwd: Path | None = None, **environment: Any) -> Done:
    """Run the installed command to its end, in a process of its own."""
    return begin(*arguments, cwd=cwd, **environment).wait()


class Process:
    """A command at work, in a process group of its own; `pid` is also the number of the group."""

    def __init__(self, command: Sequence[str | Path], cwd: Path | None, environment: dict[str, str]) -> None:
        self._printed = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        out, err = self._printed
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, "COLUMNS": "200", **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def wait(self) -> Done:
        """Wait until the process itself has ended, whatever became of those that it started."""
        code = self._process.wait(_SECONDS)
        out, err = map(_text, self._printed)
        for file in self._printed:
            file.close()
        return Done(code, out, err)

    def kill(self, sign: signal.Signals = signal.SIGKILL) -> Done:
        """Send a signal to the process and all it started, and wait until it has ended."""
        os.killpg(self.pid, sign)
        return self.wait()

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """Look, as often as may be, until something has happened; fail if the process ends before."""
        while not happened():
            if self._process.poll() is not None:
                if happened():
                    return
                raise AssertionError(f"the process ended before: {self.wait()}")
            time.sleep(0.002)


def begin(
    *arguments: str | Path,
    cwd: Path | None = None,
    steps: Path | None = None,
    kill_at: str | None = None,
    stop_at: str | None = None,
    within: tuple[str, ...] = (),
    **environment: str,
) -> Process:
    """Start the installed command.

    What it does to files below `cwd` is written to `steps`, a line each; about to do `kill_at`, which is such a line or its
    first word, it is killed with all that it started; about to do `stop_at`, it is stopped until SIGCONT. The command
    `within` starts it, such as in a namespace.
    """
    command: tuple[str | Path, ...] = (THRESHER,)
    if moment := kill_at or stop_at or (steps and "never"):
        watched = Path(__file__).with_name("watched.py")
        command = (sys.executable, watched, str(steps or ""), moment, "SIGKILL" if kill_at else "SIGSTOP")
    return Process((*within, *command, *map(str, arguments)), cwd, environment)
