"""One small experiment, run once for all tests that only look at what it left."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import pytest
from commands import Done, installed, thresher, watching_imports
from small_web import TIMED, Finished, Web

from thresher.reports import drawing

CONVERTER = drawing.converter


@pytest.fixture(scope="session")
def finished(once: Callable[..., Path]) -> Finished:
    """Nobody may change this folder: make a `Web` of your own for that. Its run looked for the modules in `modules.txt`."""

    def run(folder: Path) -> None:
        file = Web.make(folder / "web", measure=TIMED["measure"]).write(run="workers = 2")
        done = installed("run", file.name, cwd=file.parent, **watching_imports(folder))
        (folder / "done.json").write_text(json.dumps(astuple(done)))

    folder = once("finished", run)
    web = Web(folder / "web", TIMED)
    return Finished(web, web.folder / "web.toml", Done(*json.loads((folder / "done.json").read_text())))


@pytest.fixture(scope="module", autouse=True)
def _quick_reports(no_charts: None) -> None:
    """In this process only tests with the fixture `charts` draw them."""


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw charts in this test."""
    monkeypatch.setattr(drawing, "converter", CONVERTER)


@pytest.fixture
def web(tmp_path: Path) -> Web:
    """The small web in a folder of the test's own."""
    return Web.make(tmp_path)


@pytest.fixture
def copy(finished: Finished, tmp_path: Path) -> Finished:
    """The finished experiment in a folder of the test's own, times of modification included."""
    return finished.copied(tmp_path / "copy")


@pytest.fixture
def call() -> Callable[..., Done]:
    """Run a command line in this process, in a folder."""
    return thresher
