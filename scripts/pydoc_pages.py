"""Make the collection pydoc: the reference pages of Python's standard library, rendered by pydoc.

usage: python scripts/pydoc_pages.py FOLDER     (`make collections/pydoc` does this)

The script downloads nothing. It renders each module as an HTML page, `<module.dotted.name>.html`, as `python -m pydoc -w`
does. The file's name without `.html` is the document id in the qrels.

The collection has all modules of the running Python's standard library, with their submodules, except

- modules that act on import (`antigravity` opens a browser, `this` and `__hello__` print);
- programs: `idlelib`, `turtledemo`, every `__main__`;
- Python's tests (`test`, `*.test`, `*.tests`) and modules made for them (`xx…`);
- names that begin with an underscore, except `__future__`: implementations documented by the public module (`_io` by `io`);
- `distutils` and `lib2to3`: 120 pages that Python 3.12 and 3.13 no longer have. Without them the collection is nearly equal in
  all versions, and fits one set of topics and qrels.
"""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arguments import parser_of
from thresher import MissingDependencyError, StateError, ThresherError
from thresher.base.files import atomic_path, user_error

_RENDERER = Path(__file__).with_name("pydoc_renderer.py")
_EXCLUDED = frozenset(("antigravity", "distutils", "idlelib", "lib2to3", "test", "this", "turtledemo"))
_PROCESSES = 4
_LOADER_VARIABLES = ("DYLD_FALLBACK_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")


@dataclass(frozen=True)
class GenerationReport:
    """The number of pages written, and (module, reason) for each module without a page."""

    modules: int
    skipped: tuple[tuple[str, str], ...]


def module_names() -> tuple[str, ...]:
    """Return the sorted dotted names of the collection's modules, without importing them.

    Some modules are for other operating systems (`winreg`); `generate` reports them as skipped.
    """
    standard_library = sysconfig.get_path("stdlib")
    below = {name for name in _modules_below(standard_library, "") if _top(name) in sys.stdlib_module_names}
    return tuple(sorted(name for name in below | sys.stdlib_module_names if _is_reference(name)))


def generate(folder: Path) -> GenerationReport:
    """Render the standard library into `folder`: 22 MB in 10 s. See `generate_modules`."""
    return generate_modules(folder, module_names())


def generate_modules(folder: Path, modules: Sequence[str]) -> GenerationReport:
    """Render `modules` of the standard library into `folder`, in separate processes. After an error nothing is written.

    The pages depend on the Python version and the operating system, not on the user, the environment or Python's location.
    Equal modules give equal bytes.

    Args:
        folder: the pages' folder. Earlier pages there are replaced.
        modules: dotted names. Names that are not in the standard library are skipped.
    """
    _refuse_other_files(folder)
    with atomic_path(folder) as temporary:
        temporary.mkdir(parents=True)
        return _render(temporary, modules)


def _render(folder: Path, modules: Sequence[str]) -> GenerationReport:
    """Render the modules in a fixed number of processes, since a page may show other modules that its process loaded."""
    shares = [share for share in (modules[first::_PROCESSES] for first in range(_PROCESSES)) if share]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        reports = list(pool.map(lambda share: _render_share(folder, share), shares))
    return GenerationReport(
        modules=sum(len(report["modules"]) for report in reports),
        skipped=tuple(sorted((name, reason) for report in reports for name, reason in report["skipped"])),
    )


def _render_share(folder: Path, modules: Sequence[str]) -> Any:
    task = {"folder": str(folder.absolute()), "modules": list(modules)}
    command = [sys.executable, "-B", "-P", "-S", "-s", "-X", "utf8", "-W", "ignore", str(_RENDERER)]
    environment = {name: os.environ[name] for name in _LOADER_VARIABLES if name in os.environ}
    # Fix the hash seed, since pages show sets in hash order. (-I instead of -P -s would make Python ignore PYTHONHASHSEED.)
    environment |= {"PYTHONHASHSEED": "0", "TZ": "UTC"}
    completed = subprocess.run(
        command,
        input=json.dumps(task),
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if completed.returncode == 0:
        return json.loads(completed.stdout)
    last = (completed.stderr.strip().splitlines() or [f"exit code {completed.returncode}"])[-1]
    raise MissingDependencyError(
        f"the standard library's pages cannot be rendered ({last})",
        "use a Python with a complete standard library",
        sys.executable,
    )


def _refuse_other_files(folder: Path) -> None:
    try:
        if not folder.exists():
            return
        for path in sorted(folder.iterdir()):
            if not _is_page(path):
                raise StateError(
                    f"it would be replaced, but holds {path.name}, which is not a page of this collection",
                    "name a new or an empty folder",
                    str(folder),
                )
    except OSError as error:
        raise user_error(error, folder) from error


def _is_page(path: Path) -> bool:
    if path.suffix != ".html" or not path.is_file():
        return False
    with path.open("rb") as handle:
        return b"<title>Python: " in handle.read(400)


def _modules_below(folder: str, prefix: str) -> Iterator[str]:
    for module in pkgutil.iter_modules([folder], prefix):
        yield module.name
        if module.ispkg:
            yield from _modules_below(str(Path(folder, module.name.rpartition(".")[2])), f"{module.name}.")


def _is_reference(name: str) -> bool:
    parts = name.split(".")
    if name == "__future__":
        return True
    if any(part.startswith("_") or part in ("test", "tests") for part in parts):
        return False
    return not name.startswith("xx") and _top(name) not in _EXCLUDED


def _top(name: str) -> str:
    return name.partition(".")[0]


def main() -> None:
    """Render the pages and print the modules without a page."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    try:
        report = generate(folder)
    except ThresherError as error:
        sys.exit(f"error: {error}")
    skipped = ", ".join(module for module, _ in report.skipped)
    print(f"{folder}: {report.modules} pages; modules that cannot be imported here: {skipped or 'none'}")


if __name__ == "__main__":
    main()
