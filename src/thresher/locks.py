"""Locks on folders: one process at a time works in a folder, and another one is told which."""

from __future__ import annotations

import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from thresher.errors import InputError, StateError
from thresher.files import fit_text, locked, real_path, remove_leftovers, user_error
from thresher.records import RecordFile


@dataclass(frozen=True)
class Holder:
    """The process that works in a folder."""

    pid: int
    host: str
    since: str
    command: str


_LOCK_FILE = RecordFile(Holder, "the process at work", "wait until it has ended")


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold `folder` for this process; the system lets go of it however the process ends."""
    path = folder / ".lock"
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = stack.enter_context(locked(path, os.O_RDWR | os.O_CREAT))
        except BlockingIOError as error:
            raise StateError(
                f"another run is at work here: {_holder(path.read_text(encoding='utf-8'))}",
                "wait until it has ended",
                str(folder),
            ) from error
        except OSError as error:
            raise user_error(error, folder) from error
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        command = fit_text(shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))
        os.ftruncate(handle, 0)
        os.write(handle, _LOCK_FILE.text(Holder(os.getpid(), socket.gethostname(), since, command)).encode())
        yield


@contextmanager
def held(*folders: Path) -> Iterator[None]:
    """Hold folders, which may be the same, free of what killed processes left in them."""
    with ExitStack() as stack:
        for folder in {real_path(folder): folder for folder in folders}.values():
            stack.enter_context(exclusive(folder))
            remove_leftovers(folder)
        yield


def _holder(text: str) -> str:
    try:
        holder = _LOCK_FILE.parse(text, ".lock")
    except InputError:
        return "a process that has just begun"
    return f"`{holder.command}`, process {holder.pid} on {holder.host} since {holder.since}"
