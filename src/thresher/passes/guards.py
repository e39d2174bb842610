"""What ends a worker process that nobody waits for, or that a page holds."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_PARENT_SECONDS = 1.0


@cache
def end_with_parent() -> None:
    """End this process when its parent does: a killed parent cannot tell its workers, which would wait for more."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        os._exit(1)

    if multiprocessing.parent_process() is not None:
        threading.Thread(target=watch, daemon=True).start()


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """End this process by SIGALRM if the block takes longer: nothing else stops C code that holds the interpreter."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
