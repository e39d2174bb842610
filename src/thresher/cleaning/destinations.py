"""Where output goes: a file, which is whole or absent, or standard output, a pipe or a device, which is written through."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from thresher.errors import InputError
from thresher.files import atomic_path, user_error

STANDARD = Path("-")
"""Standard input or output."""

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_NAMED = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}


def is_stream(path: Path) -> bool:
    """Return whether a path is standard output, an open descriptor, a pipe or a device, also by a link."""
    return _descriptor(path) is not None or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def opened_output(path: Path) -> Iterator[BinaryIO]:
    """Give a binary file to write to.

    A file appears under its name when the block succeeds, and not at all after an error; a link stays, and what it points to
    is replaced. Streams are written as it comes.

    Raises:
        ThresherError: for errors of the operating system, naming `path`.
        BrokenPipeError: if nobody reads a pipe any more.
    """
    if not is_stream(path):
        with atomic_path(path) as temporary, temporary.open("wb") as out:
            yield out
        return
    descriptor = _descriptor(path)
    try:
        # Not opened by its name, which would begin a redirected file anew.
        with path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb") as out:
            yield out
    except BrokenPipeError:
        raise
    except OSError as error:
        raise user_error(error, path) from error


def check_place(path: Path) -> None:
    """Check that a file can be written under a name: its folder exists, and it is no folder itself.

    Raises:
        InputError: if not.
    """
    try:
        if is_stream(path):
            return
        if path.is_dir():
            raise InputError("it is a folder", "name a file in it", str(path))
        folder = (path.resolve() if path.is_symlink() else path).parent
        if not folder.exists():
            raise InputError("there is no such folder", "make it first, or correct the path", str(folder))
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        raise user_error(error, path) from error


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that a path names."""
    name = str(path)
    if name in _NAMED:
        return _NAMED[name]
    match = _DESCRIPTOR.fullmatch(name)
    return int(match[1]) if match else None
