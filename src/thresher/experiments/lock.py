"""One run at a time in a folder."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from thresher.errors import StateError
from thresher.files import user_error


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold `folder` for this process; the system lets go of it however the process ends.

    Raises:
        StateError: if another process holds it, naming that process.
    """
    path = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise user_error(error, folder) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            handle.seek(0)
            raise StateError(
                f"another run is at work here: {_holder(handle.read())}",
                "wait until it has ended",
                str(folder),
            ) from error
        handle.truncate(0)
        handle.write(
            json.dumps(
                {
                    "pid": os.getpid(),
                    "host": socket.gethostname(),
                    "since": datetime.now().astimezone().isoformat(timespec="seconds"),
                    "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
                }
            )
        )
        handle.flush()
        yield


def _holder(text: str) -> str:
    try:
        found = json.loads(text)
        return f"`{found['command']}`, process {found['pid']} on {found['host']} since {found['since']}"
    except (ValueError, KeyError, TypeError):
        return "a process that has just begun"
