"""Worker processes of this machine of which each may die, at the cost of the task it had."""

from __future__ import annotations

import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, TypeVar

from thresher.errors import ThresherError
from thresher.passes.backends import end_with_parent
from thresher.passes.joblib_adapter import start_worker

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_watched(
    workers: int,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    instead: Callable[[Task, int | None], Task],
) -> Iterator[Result]:
    """Call `function` for each task in worker processes and yield results as they come; the processes end with this generator.

    A few tasks are fetched ahead. No more processes are started than there are tasks, but even a single one is not this
    process, so that a crashing page does not end this one.

    Args:
        workers: the processes.
        function: the function to call; it is pickled, as are tasks and results.
        tasks: what to call it with.
        instead: gives the task to do in place of one whose worker ended, from that and the exit code, or raises an error.

    Raises:
        Exception: of `function`, `tasks` and `instead`.
    """
    tasks = iter(tasks)
    ahead: deque[Task] = deque()
    idle: list[_Watched] = []
    at_work: dict[Connection, _Watched] = {}
    try:
        while True:
            while len(at_work) < workers and (task := ahead.popleft() if ahead else next(tasks, None)) is not None:
                worker = idle.pop() if idle else _Watched(workers, function)
                at_work[worker.connection] = worker
                worker.begin(task)
            if not at_work:
                return
            # Reading may take its time: look in between who is done.
            while not (ready := wait(at_work, 0)) and len(ahead) < workers:
                if (task := next(tasks, None)) is None:
                    break
                ahead.append(task)
            for connection in ready or wait(at_work):
                worker = at_work.pop(connection)  # type: ignore[call-overload]
                try:
                    result, error = worker.connection.recv()
                except (EOFError, OSError):
                    ahead.appendleft(instead(worker.task, worker.ended()))
                    continue
                idle.append(worker)
                if error is not None:
                    raise error
                yield result
    finally:
        for worker in (*idle, *at_work.values()):
            worker.end()


class _Watched:
    """A process, the connection to it, and the task it has."""

    def __init__(self, workers: int, function: Callable[[Any], Any]) -> None:
        self.connection, theirs = Pipe()
        self.process = start_worker(workers, _serve, os.getpid(), theirs, function)
        theirs.close()
        self.task: Any = None

    def begin(self, task: Any) -> None:
        """Give it a task; if it has died, that is found when it is to answer."""
        self.task = task
        with suppress(OSError):
            self.connection.send(task)

    def ended(self) -> int | None:
        """Wait for its end, and return its exit code."""
        self.connection.close()
        self.process.join()
        return self.process.exitcode

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.terminate()
        self.ended()


def _serve(parent: int, connection: Connection, function: Callable[[Any], Any]) -> None:
    end_with_parent(parent)
    # Ctrl-C reaches all processes of a terminal; the parent then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            answer: tuple[Any, Exception | None] = function(task), None
        except Exception as error:
            if not isinstance(error, ThresherError):
                error.add_note(traceback.format_exc())
            answer = None, error
        connection.send(answer)
