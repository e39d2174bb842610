"""Worker processes in which pages and files of others are read: a process that ends costs its task alone.

Each worker is a Pebble pool of one process. Pebble knows which task a process was at only once the process has said so; a pool
of one reports a process that ended before that, too. Workers are forked from the clean interpreter of multiprocessing's fork
server, so they inherit no lock, no thread and no memory of the main process, and they end when that process is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pebble import ProcessExpired, ProcessFuture, ProcessPool

Task = TypeVar("Task")
Result = TypeVar("Result")

CRASHES = frozenset({-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE})
"""Exit codes of crashes of C libraries; whoever kills a process sends another signal."""
_OUTPUT, _ERRORS = 1, 2
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
            unknown), or raises an error.

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
            for task, future in crew.wait():
                try:
                    result = future.result()
                except ProcessExpired as expired:
                    upcoming.fetched.appendleft(retry(task, expired.exitcode))
                except BrokenProcessPool:
                    # The process ended before it said that it had begun the task.
                    upcoming.fetched.appendleft(retry(task, None))
                else:
                    yield result
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


class _Crew(Generic[Task]):
    """Pools of one process each, and the tasks that they are at."""

    def __init__(self, function: Callable[[Task], Any]) -> None:
        self.running: dict[ProcessFuture[Any], tuple[ProcessPool, Task]] = {}
        self._function = pickle.dumps(function)
        self._pools: list[ProcessPool] = []
        self._idle: list[ProcessPool] = []

    def begin(self, task: Task) -> None:
        """Give a task to an idle pool or to a new one."""
        pool = self._take_idle()
        if pool is None:
            pool = _create_pool(self._function)
            self._pools.append(pool)
        self.running[pool.schedule(_call_function, args=(task,))] = (pool, task)

    def is_busy(self) -> bool:
        """Return whether all tasks that have been begun are still at work."""
        return not any(future.done() for future in self.running)

    def wait(self) -> list[tuple[Task, ProcessFuture[Any]]]:
        """Wait for an end of some tasks; return them with what they ended with."""
        wait(self.running, return_when=FIRST_COMPLETED)
        ended = []
        for future in [future for future in self.running if future.done()]:
            pool, task = self.running.pop(future)
            self._idle.append(pool)
            ended.append((task, future))
        return ended

    def end(self) -> None:
        """End all processes."""
        for pool in self._pools:
            pool.stop()  # type: ignore[no-untyped-call]
        for pool in self._pools:
            pool.join()

    def _take_idle(self) -> ProcessPool | None:
        while self._idle:
            pool = self._idle.pop()
            # A pool is not active if its process was killed while it was idle, or before it said that it had begun.
            if pool.active:
                return pool
        return None


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


def _create_pool(pickled: bytes) -> ProcessPool:
    context = multiprocessing.get_context("forkserver")
    # Takes effect for the first worker only. All workers are forked from an interpreter that has imported these modules.
    loaded = [name for name in sys.modules if name.startswith("thresher.")]
    context.set_forkserver_preload(["__main__", *loaded])
    return ProcessPool(
        max_workers=1,
        initializer=_begin_worker,
        initargs=(dict(os.environ), _working_folder(), pickled),
        context=context,
    )


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
        # The parent must not end where a page asks for it.
        code = end.code if isinstance(end.code, int) else 1
        os._exit(code or 1)


@cache
def _function() -> Callable[[Any], Any]:
    return pickle.loads(_pickled_function)  # type: ignore[no-any-return]
