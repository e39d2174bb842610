"""The private joblib API in use: its process executor and processes (loky)."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from multiprocessing.process import BaseProcess
from queue import Empty

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.backend import get_context
from joblib.externals.loky.process_executor import TerminatedWorkerError

__all__ = ["TerminatedWorkerError", "end_workers", "start_worker", "start_workers"]

_IDLE_SECONDS = 300
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def start_workers(count: int, initializer: Callable[..., object], *arguments: object) -> Executor:
    """Return an executor of `count` worker processes, each of which calls `initializer` first; idle ones are taken again.

    They start with the first task. The threads of numeric libraries are shared out among them, unless the environment says
    how many.
    """
    executor: Executor = get_reusable_executor(
        max_workers=count, timeout=_IDLE_SECONDS, initializer=initializer, initargs=arguments, env=_shares(count)
    )
    return executor


def start_worker(count: int, function: Callable[..., object], *arguments: object) -> BaseProcess:
    """Start one of `count` processes that call a function; it imports nothing of the main program and ends with it."""
    process: BaseProcess = get_context("loky").Process(target=function, args=arguments, daemon=True, env=_shares(count))
    process.start()
    return process


def _shares(count: int) -> dict[str, str]:
    threads = str(max((os.cpu_count() or 1) // count, 1))
    return {name: os.environ.get(name, threads) for name in _THREADS}


def end_workers() -> None:
    """End worker processes, which joblib would keep with their memory, and forget tasks that none has begun."""
    executor = get_reusable_executor(reuse=True)
    # loky 3.6 forgets the tasks, but not their numbers, and its thread then ends with a KeyError on standard error.
    with suppress(Empty):
        while True:
            executor._work_ids.get_nowait()
    executor.shutdown(wait=True, kill_workers=True)
