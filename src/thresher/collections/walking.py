"""The files below a folder, in the order of their paths by code point."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thresher.files import user_error

# What is gone since its folder was read was a temporary file of a program at work; a link in a circle leads nowhere.
_NOT_THERE = (errno.ENOENT, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class Found:
    """A file: its path within the folder, with `/`, and on the disk; its size in bytes and when it was changed, in ns."""

    name: str
    path: Path
    size: int
    modified: int

    @property
    def shown(self) -> str:
        r"""The name as text that can be written: bytes that are not UTF-8 are spelled `\xNN`."""
        return self.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def walk(root: Path) -> list[Found]:
    """Return a single file, or all files below a folder; links to folders are not followed.

    Raises:
        ThresherError: if something cannot be looked at.
    """
    try:
        if root.is_file():
            status = root.stat()
            return [Found(root.name, root, status.st_size, status.st_mtime_ns)]
        return sorted(_below(root), key=lambda found: found.name)
    except OSError as error:
        raise user_error(error, error.filename or root) from error


def _below(root: Path) -> Iterator[Found]:
    folders: list[tuple[Path | str, str]] = [(root, "")]
    while folders:
        folder, prefix = folders.pop()
        for entry in _entries(folder, must_be=not prefix):
            name = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append((entry.path, name + "/"))
            elif status := _file_status(entry):
                yield Found(name, Path(entry.path), status.st_size, status.st_mtime_ns)


def _entries(folder: Path | str, must_be: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        if must_be:
            raise
        return []


def _file_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return what is known of a file, or of what a link leads to; None if that is none."""
    try:
        return entry.stat() if entry.is_file() else None
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise
