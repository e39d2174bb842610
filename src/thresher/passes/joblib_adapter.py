"""The private joblib API in use: its process executor and processes (loky)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from itertools import chain, islice
from queue import Empty

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from thresher.passes.workers import Result, WorkerDied, end_with_parent, results_of, threads_of

__all__ = ["TerminatedWorkerError", "end_workers", "on_loky", "start_workers"]

_IDLE_SECONDS = 300


def start_workers(count: int, initializer: Callable[..., object], *arguments: object) -> Executor:
    """Return an executor of `count` worker processes, each of which calls `initializer` first; idle ones are taken again.

    They start with the first task. The threads of numeric libraries are shared out among them, unless the environment says
    how many.
    """
    executor: Executor = get_reusable_executor(
        max_workers=count, timeout=_IDLE_SECONDS, initializer=initializer, initargs=arguments, env=threads_of(count)
    )
    return executor


def end_workers() -> None:
    """End worker processes, which joblib would keep with their memory, and forget tasks that none has begun."""
    executor = get_reusable_executor(reuse=True)
    # loky 3.6 forgets the tasks, but not their numbers, and its thread then ends with a KeyError on standard error.
    with suppress(Empty):
        while True:
            executor._work_ids.get_nowait()
    executor.shutdown(wait=True, kill_workers=True)


def on_loky(
    workers: int, calls: Iterator[Callable[[], Result]], ordered: bool = False, keep: bool = False
) -> Iterator[Result]:
    """Do calls by processes of this machine, and yield their results; see `thresher.passes.backends.run_tasks`.

    Raises:
        WorkerDied: if one of them did.
    """
    # No more processes than calls.
    first = list(islice(calls, workers))
    try:
        pool = start_workers(len(first), end_with_parent, os.getpid())
        yield from results_of(pool.submit, chain(first, calls), workers, ordered)
    except TerminatedWorkerError as error:
        raise WorkerDied from error
    finally:
        if not keep:
            end_workers()
