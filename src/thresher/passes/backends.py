"""Worker processes: local (loky, a single one, or watched ones that may die at the cost of a task) or of a Dask cluster. Local
ones end with their parent.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection, Pipe, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.defaults import DASK, LOKY
from thresher.errors import ConfigError, ResourceError, ThresherError, needs_extra
from thresher.files import lasting
from thresher.passes.joblib_adapter import TerminatedWorkerError, end_workers, start_worker, start_workers

if TYPE_CHECKING:
    from distributed import Future as DaskFuture

WAIT_SECONDS = 30
CRASHES = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE}
"""Exit codes of libraries in C; whoever kills a worker sends another signal."""
_ANSWER_SECONDS = 4
_PARENT_SECONDS = 0.5
_ERRORS = 2
_AHEAD = 2
"""Tasks a local worker has been given and not finished."""
Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Backend:
    """`loky` with `workers` processes, or `dask` with the workers of the cluster at the address `scheduler`."""

    name: str = LOKY
    workers: int = os.cpu_count() or 1
    scheduler: str = ""

    @property
    def is_this_process(self) -> bool:
        """Whether `run_tasks` does tasks in this process: it has a single local worker."""
        return self.name == LOKY and self.workers <= 1


class WorkerDied(Exception):
    """A worker process died, a watched one with the exit code `code`; on a cluster, several times on the same task."""

    def __init__(self, code: int | None = None) -> None:
        super().__init__(code)
        self.code = code


def run_on_dask(backend: Backend, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """Call `function` for each task on a cluster's workers and yield results as they come. A few tasks are fetched ahead.

    Raises:
        WorkerDied: if workers died several times on the same task.
        ConfigError: if there is no scheduler at the address.
        MissingDependencyError: if Dask is not installed.
        ResourceError: if the cluster has no workers, or its scheduler ends meanwhile.
    """
    yield from _on_dask(backend, (partial(function, task) for task in tasks))


def run_tasks(
    backend: Backend,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    what: str,
    where: str,
    *,
    ordered: bool = False,
    keep: bool = False,
) -> Iterator[Result]:
    """Call `function` with the arguments of each task, for work without pages to isolate when a worker dies.

    Args:
        backend: the workers; a single local worker, or one for a single task, is this process.
        function: the function to call.
        tasks: the arguments.
        what: the activity, for errors.
        where: the file or folder, for errors.
        ordered: whether to yield results in the order of tasks.
        keep: leave the processes for the next call; `end_workers` ends them.

    Raises:
        ResourceError: if a worker died.
        ThresherError: as `run_on_dask`.
    """
    calls: Iterator[Callable[[], Result]] = (partial(function, *task) for task in tasks)
    if backend.name == LOKY:
        first = list(islice(calls, 2))
        calls = chain(first, calls)
        if backend.is_this_process or len(first) == 1:
            yield from (call() for call in calls)
            return
    try:
        if backend.name == DASK:
            yield from _on_dask(backend, calls, ordered)
        else:
            yield from _on_loky(backend.workers, calls, ordered, keep)
    except WorkerDied as error:
        raise worker_ended(what, where) from error


def worker_ended(what: str, where: str) -> ResourceError:
    """Return the error for a worker that ended, for no fault of its input, while it did `what` with the file `where`."""
    fix = "look at the machine's memory, then run the same command again"
    return ResourceError(f"a worker ended while {what}", fix, str(lasting(where)))


def _on_loky(
    workers: int, calls: Iterator[Callable[[], Result]], ordered: bool = False, keep: bool = False
) -> Iterator[Result]:
    # No more processes than calls.
    first = list(islice(calls, workers))
    try:
        pool = start_workers(len(first), end_with_parent, os.getpid())
        yield from _results(pool.submit, chain(first, calls), workers, ordered)
    except TerminatedWorkerError as error:
        raise WorkerDied from error
    finally:
        if not keep:
            end_workers()


def _results(
    submit: Callable[[Callable[[], Result]], Future[Result] | DaskFuture[Result]],
    calls: Iterator[Callable[[], Result]],
    workers: int,
    ordered: bool = False,
) -> Iterator[Result]:
    """Yield the results of calls that `submit` gives to workers, a few of them ahead."""
    done: SimpleQueue[Any] = SimpleQueue()
    waiting: deque[Any] = deque()
    at_work = 0
    while True:
        for call in islice(calls, _AHEAD * workers - at_work):
            future = submit(call)
            future.add_done_callback(done.put)
            at_work += 1
            if ordered:
                waiting.append(future)
        if not at_work:
            return
        finished = done.get()
        at_work -= 1
        if not ordered:
            yield finished.result()
        while waiting and waiting[0].done():
            yield waiting.popleft().result()


def _on_dask(backend: Backend, calls: Iterator[Callable[[], Result]], ordered: bool = False) -> Iterator[Result]:
    with needs_extra("dask", "the backend dask needs the package distributed", "--backend"):
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    no_scheduler = ConfigError(
        "no Dask scheduler answers there",
        "give the address that `dask scheduler` prints, such as tcp://head:8786",
        backend.scheduler,
    )
    try:
        # In a thread of its own, for callers that run a loop in theirs.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(_knock(backend.scheduler))).result()
    except Exception as error:
        # What answers may be any program, and say anything.
        raise no_scheduler from error
    try:
        client = Client(backend.scheduler, set_as_default=False, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise no_scheduler from error
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
            workers = sum(client.ncores().values())  # type: ignore[no-untyped-call]
        except TimeoutError as error:
            raise ResourceError(
                "the Dask cluster has no workers", "start some with `dask worker`", backend.scheduler
            ) from error
        except OSError as error:
            raise no_scheduler from error
        try:
            yield from _results(partial(client.submit, pure=False), calls, workers, ordered)
        except KilledWorker as error:
            raise WorkerDied from error
        except (CancelledError, CommClosedError) as error:
            # The client gives up all futures when it loses the scheduler, and would log that it cannot reach it again.
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
            raise ResourceError(
                "the Dask scheduler ended",
                "start it and its workers, then run the same command again",
                backend.scheduler,
            ) from error


async def _knock(address: str) -> None:
    """Ask the scheduler at an address who it is: a client would ask a silent one for a minute.

    Raises:
        Exception: of many kinds, if no scheduler answers in time.
    """
    from distributed.comm.core import connect

    async with asyncio.timeout(_ANSWER_SECONDS):
        comm = await connect(address, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]
        try:
            await comm.write({"op": "identity", "reply": True})
            await comm.read()
        finally:
            comm.abort()


def exit_reason(code: int | None, seconds: float, process: str) -> str:
    """Return the reason why a page ended its process: a timeout or a crash."""
    late = code == -signal.SIGALRM
    return f"took longer than {seconds:g} s" if late else f"ended its {process} (exit code {code})"


def end_with_parent(parent: int) -> None:
    """End this process as soon as its parent process `parent` is gone.

    A killed parent cannot notify its workers, which would wait forever. C code that holds the interpreter delays the end.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        os._exit(1)

    if os.getppid() != parent:
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """End this process by SIGALRM if the block takes longer: nothing else stops C code that holds the interpreter."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_watched(
    workers: int, function: Callable[[Task], Result], tasks: Iterable[Task], instead: Callable[[Task, int | None], Task]
) -> Generator[Result, None, None]:
    """Call `function` for each task in worker processes and yield results as they come; the processes end with this generator.

    A few tasks are fetched ahead. No more processes are started than there are tasks, but even a single one is not this
    process, so that a crashing page does not end this one.

    Args:
        workers: the processes.
        function: the function to call; it is pickled, as are tasks and results.
        tasks: what to call it with.
        instead: returns the task to do instead of one whose worker ended, from that and the exit code, or raises an error.

    Raises:
        Exception: of `function`, `tasks` and `instead`.
    """
    tasks = iter(tasks)
    ahead: deque[Task] = deque()
    idle: list[Worker] = []
    at_work: dict[Connection, Worker] = {}
    try:
        while True:
            while len(at_work) < workers and (task := ahead.popleft() if ahead else next(tasks, None)) is not None:
                worker = idle.pop() if idle else Worker(workers, function)
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
                worker = at_work[connection]  # type: ignore[index]
                try:
                    result = worker.result()
                except WorkerDied as end:
                    del at_work[connection]  # type: ignore[arg-type]
                    ahead.appendleft(instead(worker.task, end.code))
                    continue
                idle.append(at_work.pop(connection))  # type: ignore[call-overload]
                yield result
    finally:
        for worker in (*idle, *at_work.values()):
            worker.end()


def in_silence(task: Task, function: Callable[[Task], Result]) -> Result:
    """Call a function in a worker process in which C++ then prints nothing, as it does at its end; Python prints as before."""
    # A test's, or none, may have no descriptor.
    with suppress(OSError, ValueError, AttributeError):
        if sys.stderr.fileno() == _ERRORS:
            sys.stderr.flush()
            sys.stderr = os.fdopen(os.dup(_ERRORS), "w", 1, sys.stderr.encoding, "backslashreplace")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, _ERRORS)
    os.close(null)
    return function(task)


class Worker:
    """A process that calls a function for one task at a time, the connection to it, and the task it has.

    Args:
        count: of the processes that share the machine.
        function: the function to call; it is pickled, as are tasks and results.
    """

    def __init__(self, count: int, function: Callable[[Any], Any]) -> None:
        self.connection, theirs = Pipe()
        self.process = start_worker(count, _serve, os.getpid(), theirs, function)
        theirs.close()
        self.task: Any = None

    def begin(self, task: Any) -> None:
        """Give it a task; if it has died, that shows when it should answer."""
        self.task = task
        with suppress(OSError):
            self.connection.send(task)

    def result(self) -> Any:
        """Wait for the result of its task.

        Raises:
            WorkerDied: if it ended; it takes no more tasks.
            Exception: of the function.
        """
        try:
            result, error = self.connection.recv()
        except (EOFError, OSError):
            self.connection.close()
            self.process.join()
            raise WorkerDied(self.process.exitcode) from None
        if error is not None:
            raise error
        return result

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.terminate()
        self.connection.close()
        self.process.join()


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
