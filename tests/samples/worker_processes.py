"""The worker processes of this one."""

from __future__ import annotations

from contextlib import suppress

import psutil

_STARTED_BY = ("joblib.externals.loky.backend.popen_loky_posix", "spawn_main(")


def workers_alive() -> list[int]:
    """Return the workers that this process has started."""
    workers = []
    for child in psutil.Process().children(recursive=True):
        # One may have ended by now.
        with suppress(psutil.NoSuchProcess):
            line = " ".join(child.cmdline())
            if any(start in line for start in _STARTED_BY):
                workers.append(child.pid)
    return workers
