"""The worker processes of this one."""

from __future__ import annotations

from contextlib import suppress

import psutil

from thresher.passes.workers import PROGRAM


def workers_alive() -> list[int]:
    """Return the workers that this process has started."""
    workers = []
    for child in psutil.Process().children(recursive=True):
        # One may have ended by now.
        with suppress(psutil.NoSuchProcess):
            if PROGRAM in child.cmdline():
                workers.append(child.pid)
    return workers
