"""Starts the command, and writes what it is about to do to files below its folder to the file that the first argument names,
one line each; or sends it and all that it started a signal, the third argument, the first time that it is about to do what the
second says: one of these lines or its first word, such as `os.rename`. Its workers are not watched."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

from thresher.cli.main import main

_WRITING = os.O_WRONLY | os.O_RDWR


def watch(steps: str, moment: str, sign: str) -> None:
    """Look at every change to files from here on."""
    moments = [moment]
    here, process = Path.cwd(), os.getpid()
    log = os.open(steps, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if steps else None

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if os.getpid() != process:
            return
        if event == "open":
            if isinstance(arguments[0], int) or not (arguments[2] or 0) & _WRITING:
                return
        elif event not in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
            return
        path = Path(os.fsdecode(arguments[1 if event == "os.rename" else 0])).absolute()
        if not path.is_relative_to(here):
            return
        # Temporary names have the number of the process in them.
        name = re.sub(r"\.[0-9]+\.(old\.)?tmp", ".tmp", str(path.relative_to(here)))
        step = f"{event} {name}"
        if log is not None:
            os.write(log, f"{step}\n".encode())
        if moments and moments[0] in (step, event):
            moments.clear()
            os.killpg(0, signal.Signals[sign])

    sys.addaudithook(hook)


if __name__ == "__main__":
    _, *watched = sys.argv[:4]
    sys.argv[:4] = ["thresher"]
    watch(*watched)
    main()
