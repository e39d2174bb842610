"""Render standard library modules as HTML pages: the child process of pydoc_pages.py.

The script has only the standard library on its path. It reads `{"folder": str, "modules": [str, ...]}` from standard input and
writes `{"modules": [name, ...], "skipped": [[name, reason], ...]}` to standard output.

Pages show the values of constants, among them the environment, paths and addresses of objects. The script replaces all parts
that depend on the machine or the run: before pydoc shortens long values, which could cut a path, and again in the whole page.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import html
import importlib
import inspect
import json
import os
import pydoc
import re
import sys
import sysconfig
import types
import urllib.parse
from collections.abc import Callable, Iterable
from pathlib import Path

ENVIRONMENT = {"HOME": "/home/user", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
# Prefixes that stay, since they are common to all machines and the pages' prose means them literally.
_SHARED_PREFIXES = ("/", "/usr", "/usr/local")
_SPACE = "(?: |&nbsp;)"
_ADDRESS = re.compile(  # addresses in representations of Python objects and of libraries loaded by ctypes
    f"{_SPACE}at{_SPACE}0x[0-9a-f]+|,{_SPACE}handle{_SPACE}[0-9a-f]+(?=>|&gt;)", re.IGNORECASE
)

Replace = Callable[[str], str]


def named_paths() -> list[tuple[str, str]]:
    """Return pairs of a folder or file of this interpreter and its name in the pages, the longest path first."""
    named = {
        sys.executable: "python",
        __file__: "pydoc.py",  # in `sys.modules`
        sysconfig.get_path("stdlib"): "Lib",
        sysconfig.get_path("platstdlib"): "Lib",
    }
    for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix):
        if prefix.rstrip("/") and prefix not in _SHARED_PREFIXES:
            named.setdefault(prefix, "Prefix")
    for path, name in tuple(named.items()):
        named.setdefault(os.path.realpath(path), name)
    return sorted(((path, name) for path, name in named.items() if path), key=lambda item: -len(item[0]))


def machine_independent(named: Iterable[tuple[str, str]]) -> Replace:
    """Return the function that replaces paths by their names and removes the addresses of objects.

    `<function f at 0x7f…>` becomes `<function f>`, as in pydoc itself at the end of a representation.
    """
    spelled: dict[str, str] = {}
    for path, name in named:
        for form in (path, path.replace("\\", "\\\\"), Path(path).as_posix()):
            escaped = html.escape(form, quote=False)
            for spelling in (form, escaped, escaped.replace(" ", "&nbsp;"), urllib.parse.quote(form)):
                spelled.setdefault(spelling, name)
    longest_first = sorted(spelled, key=len, reverse=True)
    paths = re.compile(f"(?:{'|'.join(map(re.escape, longest_first))})(?![\\w-])")

    def replace(text: str) -> str:
        return _ADDRESS.sub("", paths.sub(lambda match: spelled[match[0]], text))

    return replace


def forget_environment() -> None:
    """Replace the environment and the interpreter's copy of it from its start (`posix.environ`)."""
    started_with = importlib.import_module(os.name).environ
    os.environ.clear()
    os.environ.update(ENVIRONMENT)
    started_with.clear()
    spelled = os.fsencode if os.name == "posix" else str
    started_with.update({spelled(key): spelled(value) for key, value in ENVIRONMENT.items()})


def parse_once() -> None:
    """Make `inspect` parse a module once, and not again for each class without a docstring, whose comments pydoc shows."""
    parsing = types.ModuleType(ast.__name__)
    vars(parsing).update(vars(ast), parse=functools.lru_cache(maxsize=1)(ast.parse))
    inspect.ast = parsing  # type: ignore[attr-defined]


def render(name: str, replace: Replace) -> str:
    """Import the module `name` and return its page."""
    module = importlib.import_module(name)
    page = pydoc.html.page(pydoc.describe(module), pydoc.html.document(module, name))
    return replace(page)


def render_all(folder: Path, modules: Iterable[str], replace: Replace) -> dict[str, list[object]]:
    """Write `<name>.html` into `folder` for each module; return the written modules, and the skipped ones with reasons."""
    written: list[object] = []
    skipped: list[object] = []
    for name in modules:
        try:
            page = render(name, replace)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # an import may raise anything, and one module must not end the others
            reason = replace(" ".join(f"{type(error).__name__}: {error}".split()))
            skipped.append([name, reason])
            continue
        (folder / f"{name}.html").write_text(page, encoding="utf-8", errors="backslashreplace", newline="\n")
        written.append(name)
    return {"modules": written, "skipped": skipped}


def main() -> None:
    """Read the task from standard input, render the pages, and report on standard output."""
    task = json.load(sys.stdin)
    folder = Path(task["folder"]).absolute()
    os.chdir(folder.anchor)  # some modules keep the working directory in a constant
    sys.argv[:] = sys.orig_argv[:] = ["pydoc"]
    sys.path[:] = [entry for entry in sys.path if entry]
    forget_environment()
    parse_once()
    replace = machine_independent(named_paths())
    shorten = pydoc.cram
    pydoc.cram = lambda text, maxlen: shorten(replace(text), maxlen)
    with contextlib.redirect_stdout(sys.stderr):  # Output of imported modules must not mix with the report.
        report = render_all(folder, task["modules"], replace)
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
