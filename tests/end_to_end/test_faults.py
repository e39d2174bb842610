"""Whatever write fails, or is the last one before a kill: never figures of another experiment or configuration."""

from __future__ import annotations

import errno
import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from small_web import Web, leftovers, tree, without_clock

from thresher.base.errors import ResourceError, ThresherError
from thresher.experiments.config import load_experiment
from thresher.experiments.runner import run_experiment
from thresher.reports.files import PER_TOPIC_CSV
from thresher.reports.variant_tables import RESULTS_CSV, per_topic_csv, results_csv

pytestmark = pytest.mark.slow

_COUNT = struct.Struct("<q")
_NEVER = 1 << 62
_WRITING = os.O_WRONLY | os.O_RDWR
TRUSTED = {"scores", "stages", "runs", "indexes"}
"""Folders of what a later run may use; the other files are written again by every run."""
_CHANGES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


class Faults:
    """Counts the changes that this process, and workers forked from it, make to files below a folder
    that later runs may use, and lets some fail.

    The audit hook stays for good; outside of `counting` it does nothing. Java's and Arrow's writes are not seen: they are to
    temporary files, which are made and renamed by Python.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._first, self._last = _NEVER, _NEVER
        self._shared = mmap.mmap(-1, 1 << 16)
        sys.addaudithook(self._hook)

    @property
    def changes(self) -> int:
        """How many there were."""
        return int(_COUNT.unpack_from(self._shared)[0])

    @property
    def windows(self) -> list[int]:
        """The changes that follow one that others see: something got its name, or was removed. In between only temporary
        files change."""
        seen = self._shared[_COUNT.size :][: self.changes]
        return [number + 1 for number, visible in enumerate(seen[:-1]) if visible]

    @contextmanager
    def counting(self, folder: Path, first: int = _NEVER, last: int = _NEVER) -> Iterator[None]:
        """Let the changes from number `first` (from 0) up to `last` fail as on a full disk."""
        _COUNT.pack_into(self._shared, 0, 0)
        self._folder, self._first, self._last = folder, first, last
        try:
            yield
        finally:
            self._folder = None

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._folder is None or event not in _CHANGES or isinstance(arguments[0], int):
            return
        if event == "open" and not (arguments[2] or 0) & _WRITING:
            return
        path = Path(os.fsdecode(arguments[1 if event == "os.rename" else 0])).absolute()
        if not path.is_relative_to(self._folder) or TRUSTED.isdisjoint(path.relative_to(self._folder).parts):
            return
        number = self.changes
        _COUNT.pack_into(self._shared, 0, number + 1)
        self._shared[_COUNT.size + number] = event in ("os.rename", "os.remove") and not path.name.endswith(".tmp")
        if self._first <= number <= self._last:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@pytest.fixture(scope="module")
def faults() -> Faults:
    return Faults()


@dataclass(frozen=True)
class Configured:
    """An experiment file, the folder of its results, and whether to run it with --fresh."""

    file: Path
    results: str
    fresh: bool = False

    def run(self, folder: Path) -> None:
        results = run_experiment(load_experiment(self.file), folder / self.results, folder / "indexes", self.fresh)
        # All that is compared; the rest of a report takes longer than such a run.
        reports = folder / self.results / "web"
        (reports / RESULTS_CSV).write_text(results_csv(results), encoding="utf-8")
        (reports / PER_TOPIC_CSV).write_text(per_topic_csv(results), encoding="utf-8")

    def found(self, folder: Path) -> object:
        """Everything that a run says about effectiveness and size, and its run files."""
        results = folder / self.results / "web"
        runs = {name: content for name, content in tree(results / "runs").items() if name.endswith(".trec")}
        return runs, without_clock(results / RESULTS_CSV), (results / PER_TOPIC_CSV).read_bytes()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Configured], object]:
    """What experiments find where nothing fails; several cases have the same ones."""
    known: dict[object, object] = {}

    def find(experiment: Configured) -> object:
        key = experiment.file.read_text(), len(tree(experiment.file.parent / "pages"))
        if key not in known:
            folder = tmp_path_factory.mktemp("undisturbed")
            experiment.run(folder)
            known[key] = experiment.found(folder)
        return known[key]

    return find


TWO_INDEXED, TWO_SCORED = "two collections, one folder of indexes", "two collections, one folder of results"
ALL, STEP = 1000, 59

USUAL = {
    "sweep": "",
    "cleaners": 'names = ["none|dcp@0.5"]',
    "run": "workers = 1",
    "evaluation": 'measures = ["AP"]',
}


def configured(
    folder: Path, name: str, results: str, pages: int = 24, fresh: bool = False, **tables: str
) -> Configured:
    web = Web.make(folder / f"{name}-files", pages)
    return Configured(web.write(**{**USUAL, **tables}), results, fresh)


def pair(folder: Path, what: str) -> tuple[Configured, Configured]:
    """Return two experiments of one name."""
    first = configured(folder, "first", "results")
    if what == TWO_INDEXED:
        return first, configured(folder, "second", "others", pages=20)
    if what == TWO_SCORED:
        second = configured(folder, "second", "results", pages=20, fresh=True)
        return Configured(first.file, first.results, fresh=True), second
    second = Web(first.file.parent).write(file="second.toml", **{**USUAL, **CHANGED[what]})
    return first, Configured(second, "results")


CHANGED = {
    "analysis": {"index": 'stemmer = "none"'},
    "depth": {"retrieval": 'models = ["qld"]\ndepth = 1'},
}


@pytest.mark.parametrize("what", [TWO_INDEXED, TWO_SCORED, *CHANGED])
def test_any_change_to_files_may_fail_or_be_the_last(
    tmp_path: Path, faults: Faults, undisturbed: Callable[[Configured], object], what: str
) -> None:
    """A full disk, once, or everything failing from there on, which leaves on the disk what a kill would."""
    both = pair(tmp_path, what)
    expected = [undisturbed(experiment) for experiment in both]
    assert expected[0] != expected[1]
    work = tmp_path / "work"
    work.mkdir()

    def runs(place: int) -> None:
        both[place].run(work)
        assert both[place].found(work) == expected[place]

    def faulty(first: int, last: int) -> None:
        with faults.counting(work, first, last):
            both[1].run(work)

    for place in (1, 0):
        runs(place)
    faulty(_NEVER, _NEVER)
    changes, windows = faults.changes, faults.windows
    assert changes > len(windows) > 4
    runs(0)
    # In `make fuzz` all of them; else every sixth window, and every tenth where scoring starts processes.
    step = 1 if settings().max_examples >= ALL else STEP
    if step > 1:
        windows = windows[1 :: 10 if what == TWO_SCORED else 6]
    trials = [(number, _NEVER) for number in windows] + [(number, number) for number in range(0, changes, step)]
    stopped = 0
    for turn, (first, last) in enumerate(trials):
        error = failure(partial(faulty, first, last))
        stopped += error is not None
        full = isinstance(error, ResourceError) or (isinstance(error, OSError) and error.errno == errno.ENOSPC)
        assert full or error is None or last == _NEVER, (first, error)
        if turn % 2:
            runs(1)
        runs(0)
    assert stopped >= len(windows)
    assert leftovers(work) == []


def failure(call: Callable[[], object]) -> Exception | None:
    try:
        call()
    except (ThresherError, OSError) as error:
        return error
    return None
