"""One small experiment, run once for all tests that only look at what it left."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import pytest
from commands import Done, installed
from small_web import TIMED, Finished, Web

from thresher.cli.main import main


@pytest.fixture(scope="session")
def finished(once: Callable[..., Path]) -> Finished:
    """Nobody may change this folder: make a `Web` of your own for that."""

    def run(folder: Path) -> None:
        file = Web.make(folder / "web", **TIMED).write()
        done = installed("run", file.name, cwd=file.parent)
        (folder / "done.json").write_text(json.dumps(astuple(done)))

    folder = once("finished", run)
    web = Web(folder / "web", TIMED)
    return Finished(web, web.folder / "web.toml", Done(*json.loads((folder / "done.json").read_text())))


@pytest.fixture
def web(tmp_path: Path) -> Web:
    """The small web in a folder of the test's own."""
    return Web.make(tmp_path)


@pytest.fixture
def copy(finished: Finished, tmp_path: Path) -> Finished:
    """The finished experiment in a folder of the test's own, times of modification included."""
    return finished.copied(tmp_path / "copy")


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command line in this process, which saves starting Python and Java, in a folder."""

    def run(*arguments: str | Path, cwd: Path) -> Done:
        monkeypatch.chdir(cwd)
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr(sys, "argv", ["thresher", *map(str, arguments)])
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        return Done(code, *capfd.readouterr())

    return run
