"""Tasks done by worker processes: of this machine, or of a Dask cluster."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any, NoReturn

from thresher.base.cluster import on_dask
from thresher.base.defaults import DASK, LOCAL
from thresher.base.errors import ResourceError
from thresher.base.files import final_path
from thresher.base.isolation import Result, WorkerDied, run_isolated

_PARENT_SECONDS = 0.5


@dataclass(frozen=True)
class Backend:
    """`local` with `workers` processes, or `dask` with the workers of the cluster at the address `scheduler`."""

    name: str = LOCAL
    workers: int = os.cpu_count() or 1
    scheduler: str = ""

    @property
    def is_this_process(self) -> bool:
        """Whether tasks are done in this process: it is a single local worker."""
        return self.name == LOCAL and self.workers <= 1


def run_tasks(
    backend: Backend,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    what: str,
    where: str,
    *,
    ordered: bool = False,
) -> Iterator[Result]:
    """Call `function` with the arguments of each task and yield the results, a few tasks ahead of the consumer.

    This function suits tasks that are read in sequence and results that fill memory, such as texts. With a single local
    worker, or a single task, this process does the work.

    Args:
        what: the activity, for the error.
        where: the file or folder, for the error.
        ordered: whether results come in the order of the tasks.

    Raises:
        ResourceError: a worker ended.
    """
    calls: Iterator[Callable[[], Result]] = (partial(function, *task) for task in tasks)
    if backend.name == LOCAL:
        first = list(islice(calls, 2))
        calls = chain(first, calls)
        if backend.is_this_process or len(first) == 1:
            for call in calls:
                yield call()
            return
    try:
        if backend.name == DASK:
            yield from on_dask(backend.scheduler, calls, ordered)
        else:
            yield from _on_processes(backend.workers, calls, ordered)
    except WorkerDied as error:
        raise worker_ended(what, where) from error


def compute(
    backend: Backend,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    what: str,
    where: str,
    *,
    ordered: bool = False,
) -> Iterator[Result]:
    """Call `function` with the arguments of each task by joblib and yield the results as they come.

    This function suits our own computations: all tasks are listed first, and results wait in memory for the consumer.
    Arguments, errors and Dask are as in `run_tasks`.
    """
    task_list = list(tasks)
    if backend.name == DASK or backend.is_this_process or len(task_list) <= 1:
        yield from run_tasks(backend, function, task_list, what, where, ordered=ordered)
        return
    # Imported here, since joblib is slow to import.
    from joblib import Parallel, delayed

    parallel = Parallel(
        n_jobs=min(backend.workers, len(task_list)),
        return_as="generator" if ordered else "generator_unordered",
        batch_size=1,
        initializer=_watch_parent,
        initargs=(os.getpid(),),
    )
    call = delayed(function)
    results = parallel(call(*task) for task in task_list)
    try:
        # `yield from` would close the results with joblib's warning.
        for result in results:  # noqa: UP028
            yield result
    except BrokenProcessPool as error:
        raise worker_ended(what, where) from error
    finally:
        with warnings.catch_warnings():
            # Joblib warns that results are not used if the consumer stops early.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def worker_ended(what: str, where: str) -> ResourceError:
    """Return the error for a worker that ended through no fault of its input, while it did `what` with the file `where`."""
    fix = "look at the machine's memory, then run the same command again"
    return ResourceError(f"a worker ended while {what}", fix, str(final_path(where)))


def _on_processes(workers: int, calls: Iterator[Callable[[], Result]], ordered: bool) -> Generator[Result, None, None]:
    waiting: dict[int, Result] = {}
    following = 0
    for number, result in run_isolated(workers, _call_numbered, enumerate(calls), _give_up):
        if not ordered:
            yield result
            continue
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _call_numbered(task: tuple[int, Callable[[], Result]]) -> tuple[int, Result]:
    number, call = task
    return number, call()


def _give_up(_task: Any, code: int | None) -> NoReturn:
    raise WorkerDied(code)


def _watch_parent(parent: int) -> None:
    """End this process of joblib when its parent is gone, even in the middle of a task."""
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(1)
