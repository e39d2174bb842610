"""Fixtures that several folders of tests share."""

from __future__ import annotations

import fcntl
import gc
import math
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import one_core  # noqa: F401
import pytest

import pydoc_pages as pydoc
from thresher.base import progress
from thresher.base.files import write_json
from thresher.indexes import jvm

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

ROOT = Path(__file__).parents[1]

# How long an example takes says nothing on a busy machine.
hypothesis.settings.register_profile("thresher", deadline=None)
# The same examples every time: a red run is a fact. `make test` asks for it by name, and `make fuzz` looks further.
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=25)
# Other examples every time, and many: `make fuzz`.
hypothesis.settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=1000)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "thresher")

# What a shell starts in the background, or nohup starts, has signals ignored, and so have the programs that tests start.
for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL)

# The files that take longest, begun first: the end then finds all processes at work.
LONGEST = (
    "test_cluster.py",
    "test_interruptions.py",
    "test_dask.py",
    "test_docs.py",
    "test_kills.py",
    "test_explore.py",
    "test_faults.py",
    "test_tutorial.py",
    "test_light_install.py",
    "test_exploring.py",
    "test_score_pass.py",
    "test_choose.py",
    "test_structure.py",
    "test_against_others.py",
    "test_advise.py",
    "test_verbs.py",
    "test_report_browser.py",
    "test_try_page.py",
    "test_report_html.py",
    "test_pruned_index.py",
    "test_held_out.py",
    "test_notebook.py",
    "test_quality_gate.py",
    "test_exploring_pruning.py",
    "test_cleaneval.py",
    "test_destinations.py",
    "test_clueweb.py",
    "test_killed_verbs.py",
    "test_running.py",
    "test_document_files.py",
    "test_ranking.py",
    "test_justext.py",
    "test_damage.py",
    "test_orphans.py",
    "test_learning.py",
    "test_reruns.py",
    "test_bad_input.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among what is collected, some 400,000 objects that stay to the end; neither now nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the whole session, the same one in all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def once(shared_folder: Path) -> Once:
    """Fill a folder once for the whole session: `once(name, fill)` returns it, and nobody may change what is in it."""

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = shared_folder / name, shared_folder / f"{name}.done"
        with (shared_folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example of another package that has scorers, extractors and more, installed."""
    folder = ROOT / "tests" / "samples" / "plugin"
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _cache(shared_folder: Path) -> None:
    """Models are built into a folder of the session, so that a stale cache cannot make a test pass."""
    os.environ["THRESHER_CACHE"] = str(shared_folder / "cache")


def _no_wait(fd: object) -> None:
    """Stand in for `os.fsync`."""


@pytest.fixture(scope="session", autouse=True)
def _less_waiting() -> None:
    """Save time in this process alone; commands that tests start are as users start them.

    Java compiles quickly rather than well, for it does not live long. That is an option of the JVM; the environment could set
    it too, but then Java says so on standard error, which tests read. Nobody waits until files are on the disk: tests kill
    processes, which lose nothing by it, and no machines.
    """
    jvm._OPTIONS = (*jvm._OPTIONS, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    os.fsync = _no_wait


@pytest.fixture(scope="session", autouse=True)
def _no_clock() -> None:
    """What takes long on a busy machine says every ten seconds how far it is: not here, where lines are compared."""
    progress.SECONDS = math.inf


class NoCharts:
    """Stands in for the module that draws charts."""

    def vegalite_to_svg(self, spec: object) -> str:
        return '<svg width="1" height="1"></svg>'


@pytest.fixture(scope="module")
def no_charts() -> Iterator[None]:
    """Leave the charts of reports empty in this process: to draw them takes longer than a small experiment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thresher.reports.drawing.converter", NoCharts)
        yield


@pytest.fixture(scope="session")
def system_browser() -> Iterator[Chromium]:
    """Start Chromium once for all tests of this process, for Playwright runs once in a process."""
    # Most processes never start a browser, and the import takes a while.
    from browser import chromium

    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real collections that are not part of the project: `../shared/data`, or the folder in THRESHER_DATA."""
    named = os.environ.get("THRESHER_DATA")
    folder = Path(named or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        assert not named, f"THRESHER_DATA names {named}, which is not a folder"
        pytest.skip(f"no data: {folder} is missing (set THRESHER_DATA)")
    return folder


@pytest.fixture(scope="session")
def generated_pydoc(once: Once) -> Path:
    """Every third page of the standard library and those that are looked at, in `pages`; the report beside them.

    They were made while the environment had `SECRET_TOKEN`. `make demo` makes all.
    """
    named = "asyncio.queues builtins json multiprocessing.process os posix site sys termios textwrap winreg".split()

    def generate(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SECRET_TOKEN", "correct-horse-battery-staple")
            report = pydoc.generate_modules(folder / "pages", sorted({*pydoc.module_names()[::3], *named}))
        write_json(folder / "report.json", asdict(report))

    return once("generated pydoc", generate)
