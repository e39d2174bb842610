"""The worker processes of this one."""

from __future__ import annotations

from contextlib import suppress

import psutil

SERVER = "multiprocessing.forkserver"
"""A word in the command line of the process that workers are forked from."""


def workers_alive() -> list[int]:
    """Return the workers that this process has started."""
    workers = []
    for server in psutil.Process().children():
        if any(SERVER in argument for argument in server.cmdline()):
            # One may have ended by now.
            for worker in server.children():
                with suppress(psutil.NoSuchProcess):
                    if worker.status() != psutil.STATUS_ZOMBIE:
                        workers.append(worker.pid)
    return workers
