"""All that is used of joblib's private parts: its executor of processes (loky), and its backend for Dask."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from typing import Any

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

__all__ = ["TerminatedWorkerError", "dask_backend", "end_workers"]


def end_workers() -> None:
    """End the idle processes, which joblib would keep, with their memory."""
    get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


@cache
def dask_backend() -> type[Any]:
    """Return joblib's backend for Dask, with one thing added: it ends when the scheduler gives up.

    joblib 1.6 hears of a task from Dask only if it returned. When the scheduler gives a task up, because the workers it was on
    died, nothing comes, and joblib would wait for ever.

    Raises:
        ImportError: if Dask is not installed.
    """
    from joblib._dask import DaskDistributedBackend

    class DaskBackend(DaskDistributedBackend):  # type: ignore[misc]
        """As joblib's, and gives up with the scheduler."""

        def submit(self, func: Any, callback: Callable[[Any], Any] | None = None) -> Any:
            """Submit a batch; what comes of it in the end goes to `callback`, an error too."""
            future = super().submit(func, callback)

            def tell(done: Future[Any]) -> None:
                error = done.exception()
                if error is not None and callback is not None:
                    callback(error)

            future.add_done_callback(tell)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            """Return a batch's results, or raise the scheduler's error."""
            if isinstance(out, BaseException):
                raise out
            return super().retrieve_result_callback(out)

    return DaskBackend
