"""Locks on folders: one process at a time works in a folder; others get an error that names it."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

from thresher.base.errors import StateError
from thresher.base.files import fit_text, locked, real_path, remove_leftovers, user_error


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Lock `folder` for this process; the system unlocks it at any end of the process."""
    path = folder / ".lock"
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context(locked(path, os.O_RDWR | os.O_CREAT))
        except BlockingIOError as error:
            raise StateError(
                f"another run is at work here: {path.read_text(encoding='utf-8') or 'a process that has just begun'}",
                "wait until it has ended",
                str(folder),
            ) from error
        except OSError as error:
            raise user_error(error, folder) from error
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        command = fit_text(shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))
        os.ftruncate(handle, 0)
        os.write(handle, f"`{command}`, process {os.getpid()} on {socket.gethostname()} since {since}".encode())
        yield


@contextmanager
def exclusive_folders(*folders: Path) -> Iterator[None]:
    """Lock folders, each only once, and remove the leftovers of killed processes from them."""
    different = {real_path(folder): folder for folder in folders}
    with ExitStack() as stack:
        for folder in different.values():
            stack.enter_context(exclusive(folder))
            remove_leftovers(folder)
        yield
