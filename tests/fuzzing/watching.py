"""Looking at what code does while it reads an input: which files it opens, and whether it uses the network."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import TypeAdapter

from thresher.base.files import plugins

_FORBIDDEN = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
)
# What Python itself loads when a codec or module is used for the first time.
_CODE = (".py", ".pyc", ".so", ".pyd")

_opened: list[tuple[str, ...]] = []
"""The watch at work: the files that may be opened, if there is one."""
_seen: list[str] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _opened:
        return
    if event == "open" and isinstance(arguments[0], str | bytes):
        name = os.fsdecode(arguments[0])
        if not (name.startswith(_opened[-1]) or name.endswith(_CODE)):
            _seen.append(f"opened {name}")
    elif event in _FORBIDDEN:
        _seen.append(event)


@contextmanager
def watched(*allowed: Path) -> Iterator[None]:
    """Forbid to open any file, in Python, but those `allowed` or below them, and to connect or start anything.

    What C code opens is not seen: for that an input refers to a file whose content must not come back.

    Raises:
        AssertionError: at the end, with what was done.
    """
    _install()
    _opened.append(tuple(map(str, allowed)))
    del _seen[:]
    try:
        yield
    finally:
        _opened.pop()
    assert not _seen, list(_seen)


def _install(done: list[bool] = []) -> None:  # noqa: B006 - a hook can't be removed: there must be one
    if not done:
        # pydantic looks for its plugins, in files of all packages, when it is used for the first time.
        TypeAdapter(int)
        # So does Thresher.
        for group in ("scorers", "extractors", "pruning_methods", "collections"):
            plugins(f"thresher.{group}")
        sys.addaudithook(_hook)
        done.append(True)
