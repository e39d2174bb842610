"""Worker processes that read pages and files of others: a process that ends costs its task alone.

Each worker is a Pebble pool of one process. Pebble knows the task of a process only once the process has reported it; a pool
of one process also shows the end of a process before this report. Workers are forked from the clean interpreter of
multiprocessing's fork server, so they inherit no lock, no thread and no memory of the main process, and they end when that
process is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

Task = TypeVar("Task")
Result = TypeVar("Result")

CRASHES = frozenset({-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE})
"""Exit codes of crashes of C libraries; a user or system that kills a process sends another signal."""
_OUTPUT = 1
_ERRORS = 2
_CODE_FOR_0 = 256
"""Stands for the exit code 0, which Pebble ignores; the system's codes are lower."""
_LOOK_SECONDS = 1.0
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_pickled_function = b""
"""In a worker: the function that it calls for its tasks."""


class WorkerDied(Exception):
    """A worker process ended. `code` is its exit code, None if unknown."""

    def __init__(self, code: int | None = None) -> None:
        super().__init__(code)
        self.code = code


def run_isolated(
    workers: int,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    retry: Callable[[Task, int | None], Task],
) -> Generator[Result, None, None]:
    """Call `function` for each task in worker processes and yield the results as they come.

    No more processes start than there are tasks, and all end with this generator. The function, tasks and results are pickled.
    At most `workers` tasks are fetched ahead.

    Args:
        retry: returns the task to do after a worker ended at a task, given that task and the exit code (None if
            unknown), or raises an error. Each end is noticed, also one with exit code 0.

    Raises:
        Exception: the first error that `function`, `tasks` or `retry` raise.
    """
    upcoming = _Upcoming(tasks)
    crew = _Crew(function)
    try:
        while True:
            while len(crew.running) < workers:
                task = upcoming.next()
                if task is None:
                    break
                crew.begin(task)
            if not crew.running:
                return
            # Reading the next tasks may take long, so read them while workers are busy.
            while len(upcoming.fetched) < workers and crew.is_busy() and upcoming.fetch():
                pass
            for ended in crew.wait():
                if ended.worker_died:
                    upcoming.fetched.appendleft(retry(ended.task, ended.code))
                else:
                    yield ended.future.result()
    finally:
        crew.end()


class _Upcoming(Generic[Task]):
    """The tasks that no worker has begun, in order; some have been fetched ahead."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self.fetched: deque[Task] = deque()
        self._rest = iter(tasks)

    def next(self) -> Task | None:
        """Return the next task; None after the last."""
        if self.fetched or self.fetch():
            return self.fetched.popleft()
        return None

    def fetch(self) -> bool:
        """Fetch a task ahead; return whether there was one."""
        task = next(self._rest, None)
        if task is None:
            return False
        self.fetched.append(task)
        return True


@dataclass(frozen=True)
class _Ended(Generic[Task]):
    """A task with a result or an error, or a task whose worker ended, with an exit code (None if unknown)."""

    task: Task
    future: ProcessFuture[Any]
    worker_died: bool
    code: int | None


class _Crew(Generic[Task]):
    """Workers, and the tasks that they are working on."""

    def __init__(self, function: Callable[[Task], Any]) -> None:
        self.running: dict[ProcessFuture[Any], tuple[_Worker, Task]] = {}
        self._function = pickle.dumps(function)
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []

    def begin(self, task: Task) -> None:
        """Give a task to an idle worker or to a new one."""
        worker = self._take_idle()
        if worker is None:
            worker = _Worker(self._function)
            self._workers.append(worker)
        self.running[worker.pool.schedule(_call_function, args=(task,))] = (worker, task)

    def is_busy(self) -> bool:
        """Return whether all tasks that have been begun are still at work."""
        return not any(future.done() for future in self.running)

    def wait(self) -> list[_Ended[Task]]:
        """Wait a second at most until some tasks end, and return the ended tasks."""
        wait(self.running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future, (worker, _) in self.running.items():
            # A pool that breaks just before it takes the task never answers.
            if not worker.pool.active:
                future.cancel()  # type: ignore[no-untyped-call]
        ended = []
        ended_futures = [future for future in self.running if future.done()]
        for future in ended_futures:
            worker, task = self.running.pop(future)
            died = future.cancelled() or isinstance(future.exception(), ProcessExpired | BrokenProcessPool)
            code = None
            if died:
                code = worker.exit_code(future)
                # Half a message may be left in the pipes of its pool.
                self._workers.remove(worker)
                _end_workers([worker])
            else:
                self._idle.append(worker)
            ended.append(_Ended(task, future, died, code))
        return ended

    def end(self) -> None:
        """End all processes."""
        _end_workers(self._workers)

    def _take_idle(self) -> _Worker | None:
        while self._idle:
            worker = self._idle.pop()
            # A pool is not active if its process was killed while it was idle.
            if worker.pool.active:
                return worker
        return None


class _Worker:
    """A pool of one process that calls a pickled function."""

    def __init__(self, function: bytes) -> None:
        self._context = _WorkerContext()
        # Takes effect for the first worker only. All workers are forked from an interpreter that has imported these modules.
        preload = ["__main__"]
        preload += [name for name in sys.modules if name.startswith("thresher.")]
        self._context.set_forkserver_preload(preload)
        environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
        _start_fork_server(environment)
        self.pool = ProcessPool(
            max_workers=1,
            initializer=_begin_worker,
            initargs=(environment, _working_folder(), function),
            context=self._context,
        )

    def exit_code(self, future: ProcessFuture[Any]) -> int | None:
        """Return the exit code of the process that ended at a task."""
        if not future.cancelled():
            error = future.exception()
            if isinstance(error, ProcessExpired):
                return _true_code(error.exitcode)
        # The process ended before Pebble noted that it had begun. Then Pebble starts no other process.
        return _true_code(self._context.processes[-1].exitcode)


class _WorkerProcess(ForkServerProcess):
    """A process whose exit code is never 0, so that Pebble reports each end: it expects 0 if it ended the process itself."""

    @property
    def exitcode(self) -> int | None:
        code = super().exitcode
        return _CODE_FOR_0 if code == 0 else code


class _WorkerContext(ForkServerContext):
    """Starts the processes of a pool, and lists them."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[_WorkerProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> _WorkerProcess:  # type: ignore[override]  # noqa: N802
        process = _WorkerProcess(*args, **kwargs)
        self.processes.append(process)
        return process


def _true_code(code: int | None) -> int | None:
    return 0 if code == _CODE_FOR_0 else code


def _end_workers(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.pool.stop()  # type: ignore[no-untyped-call]
    for worker in workers:
        worker.pool.join()


def call_silently(task: Task, function: Callable[[Task], Result]) -> Result:
    """Call `function` in a worker that drops whatever C code prints, such as its last words. Python prints as before."""
    # Tests may replace standard error by an object without a descriptor.
    with suppress(OSError, ValueError, AttributeError):
        if sys.stderr.fileno() == _ERRORS:
            sys.stderr.flush()
            sys.stderr = os.fdopen(os.dup(_ERRORS), "w", 1, sys.stderr.encoding, "backslashreplace")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, _ERRORS)
    os.dup2(null, _OUTPUT)
    os.close(null)
    return function(task)


def _start_fork_server(environment: Mapping[str, str]) -> None:
    """Start the interpreter that workers are forked from: numeric libraries read their number of threads when they load."""
    added = environment.keys() - os.environ.keys()
    os.environ.update(environment)
    try:
        forkserver.ensure_running()
    finally:
        for name in added:
            del os.environ[name]


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        # Somebody removed it.
        return None


def _begin_worker(environment: Mapping[str, str], folder: Path | None, pickled: bytes) -> None:
    global _pickled_function
    # Pebble's own handler would wait for C code to end.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    if folder is not None:
        os.chdir(folder)
    _pickled_function = pickled


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _call_function(task: Any) -> Any:
    try:
        return _function()(task)
    except SystemExit as end:
        # Pebble would raise it in the parent, which must not end because of a page.
        if end.code is None:
            os._exit(0)
        os._exit(end.code if isinstance(end.code, int) else 1)


@cache
def _function() -> Callable[[Any], Any]:
    return pickle.loads(_pickled_function)  # type: ignore[no-any-return]
