"""The private joblib APIs in use: its process executor (loky) and its Dask backend."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import cache
from queue import Empty
from typing import Any

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

__all__ = ["TerminatedWorkerError", "dask_backend", "end_workers", "start_workers"]

_IDLE_SECONDS = 300
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def start_workers(count: int, initializer: Callable[..., object], *arguments: object) -> Executor:
    """Return an executor of `count` worker processes, each of which calls `initializer` first; idle ones are taken again.

    They start with the first task. The threads of numeric libraries are shared out among them, unless the environment says
    how many.
    """
    threads = str(max((os.cpu_count() or 1) // count, 1))
    executor: Executor = get_reusable_executor(
        max_workers=count,
        timeout=_IDLE_SECONDS,
        initializer=initializer,
        initargs=arguments,
        env={name: os.environ.get(name, threads) for name in _THREADS},
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


@cache
def dask_backend() -> type[Any]:
    """Return joblib's backend for Dask, extended to end when the scheduler gives up.

    joblib 1.6 is notified only of tasks that return. When the scheduler gives up a task because its workers died, joblib
    would wait forever.

    Raises:
        ImportError: if Dask is not installed.
    """
    from joblib._dask import DaskDistributedBackend

    class DaskBackend(DaskDistributedBackend):  # type: ignore[misc]
        """joblib's backend that also reports failed tasks."""

        def submit(self, func: Any, callback: Callable[[Any], Any] | None = None) -> Any:
            """Submit a batch; its result or error goes to `callback`."""
            future = super().submit(func, callback)

            def report(done: Future[Any]) -> None:
                error = done.exception()
                if error is not None and callback is not None:
                    callback(error)

            future.add_done_callback(report)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            """Return a batch's results, or raise the scheduler's error."""
            if isinstance(out, BaseException):
                raise out
            return super().retrieve_result_callback(out)

    return DaskBackend
