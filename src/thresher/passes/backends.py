"""Worker processes: of this machine, or of a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any

from thresher.defaults import DASK, LOCAL
from thresher.errors import ResourceError
from thresher.files import lasting
from thresher.passes.workers import Result, Task, WorkerDied, on_processes


@dataclass(frozen=True)
class Backend:
    """`local` with `workers` processes, or `dask` with the workers of the cluster at the address `scheduler`."""

    name: str = LOCAL
    workers: int = os.cpu_count() or 1
    scheduler: str = ""

    @property
    def is_this_process(self) -> bool:
        """Whether `run_tasks` does tasks in this process: it has a single local worker."""
        return self.name == LOCAL and self.workers <= 1


def run_on_dask(backend: Backend, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """Call `function` for each task on a cluster's workers and yield results as they come. A few tasks are fetched ahead."""
    from thresher.passes.dask_backend import on_dask

    yield from on_dask(backend.scheduler, (partial(function, task) for task in tasks))


def run_tasks(
    backend: Backend,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    what: str,
    where: str,
    *,
    ordered: bool = False,
) -> Iterator[Result]:
    """Call `function` with the arguments of each task, for work without pages to isolate when a worker dies.

    Args:
        backend: the workers; a single local worker, or one for a single task, is this process.
        function: the function to call.
        tasks: the arguments.
        what: the activity, for errors.
        where: the file or folder, for errors.
        ordered: whether to yield results in the order of tasks.
    """
    calls: Iterator[Callable[[], Result]] = (partial(function, *task) for task in tasks)
    if backend.name == LOCAL:
        first = list(islice(calls, 2))
        calls = chain(first, calls)
        if backend.is_this_process or len(first) == 1:
            yield from (call() for call in calls)
            return
    try:
        if backend.name == DASK:
            from thresher.passes.dask_backend import on_dask

            yield from on_dask(backend.scheduler, calls, ordered)
        else:
            yield from on_processes(backend.workers, calls, ordered)
    except WorkerDied as error:
        raise worker_ended(what, where) from error


def worker_ended(what: str, where: str) -> ResourceError:
    """Return the error for a worker that ended, for no fault of its input, while it did `what` with the file `where`."""
    fix = "look at the machine's memory, then run the same command again"
    return ResourceError(f"a worker ended while {what}", fix, str(lasting(where)))
