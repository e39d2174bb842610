"""The worker processes of this one."""

from __future__ import annotations

from contextlib import suppress

import psutil

from thresher.scores.workers import PROGRAM


def workers_alive() -> list[int]:
    """Return the workers that this process has started."""
    workers = []
    for interpreter in psutil.Process().children():
        if PROGRAM in interpreter.cmdline():
            # One may have ended by now.
            for worker in interpreter.children():
                with suppress(psutil.NoSuchProcess):
                    if worker.status() != psutil.STATUS_ZOMBIE:
                        workers.append(worker.pid)
    return workers
