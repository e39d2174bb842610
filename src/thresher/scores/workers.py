"""Worker processes of this machine: one that dies costs its task alone, and all end with their parent."""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import islice
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from thresher.base.errors import ThresherError

if TYPE_CHECKING:
    from distributed import Future as DaskFuture

CRASHES = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGILL, -signal.SIGFPE}
"""Exit codes of libraries in C; whoever kills a worker sends another signal."""
_AHEAD = 2
"""Calls that each worker has been given and not finished."""
_PARENT_SECONDS = 0.5
_OUTPUT, _ERRORS = 1, 2
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
# First the connection brings the folders of modules, and the function that serves it. Ctrl-C reaches all processes of a
# terminal, and the parent then ends these.
PROGRAM = """import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from multiprocessing.connection import Connection
connection = Connection(int(sys.argv[1]))
sys.path[:] = connection.recv()
connection.recv()(connection)
"""
"""The program of the interpreter that workers are forked from."""
Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkerDied(Exception):
    """A worker process died, a watched one with the exit code `code`; on a cluster, several times on the same task."""

    def __init__(self, code: int | None = None) -> None:
        super().__init__(code)
        self.code = code


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
    process, so that a crashing page does not end this one. The function is pickled, as are tasks and results. `instead`
    returns the task to do instead of one whose worker ended, from that and the exit code, or raises an error.
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
    os.dup2(null, _OUTPUT)
    os.close(null)
    return function(task)


class Worker:
    """A process that calls a function for one task at a time, the connection to it, and the task it has.

    `count` processes share the machine. The function is pickled, as are tasks and results.
    """

    def __init__(self, count: int, function: Callable[[Any], Any]) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            self._forks, self.pid = _fork(threads_of(count), function, theirs.fileno())
        self.task: Any = None

    def begin(self, task: Any) -> None:
        """Give it a task; if it has died, that shows when it should answer."""
        self.task = task
        with suppress(OSError):
            self.connection.send(task)

    def result(self) -> Any:
        """Wait for the result of its task."""
        try:
            result, error = self.connection.recv()
        except (EOFError, OSError):
            self.connection.close()
            raise WorkerDied(self._code()) from None
        if error is not None:
            raise error
        return result

    def terminate(self) -> None:
        """Ask it to end, whatever it does."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def end(self) -> None:
        """End it, and wait for that."""
        self.terminate()
        self.connection.close()
        self._code()

    def _code(self) -> int | None:
        # Nobody else can have its number until it has been waited for.
        pid, self.pid = self.pid, 0
        return self._forks.wait(pid) if pid else None


class _Forks:
    """An interpreter that workers are forked from, with the modules loaded that earlier workers needed.

    It ends with this process, and workers with it. It imports nothing of the main program.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._connection, theirs = Pipe()
        command = [sys.executable, "-P", "-c", PROGRAM, str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, env={**os.environ, **environment}, pass_fds=[theirs.fileno()]
            )
        self._environment = environment
        self._lock = threading.Lock()
        with suppress(OSError):
            self._connection.send(sys.path)
            self._connection.send(_fork_on_demand)

    def end(self) -> None:
        """End it and its workers."""
        self._connection.close()
        self._process.terminate()
        self._process.wait()

    def fork(self, function: Callable[[Any], Any], descriptor: int) -> int:
        """Start a worker that serves the connection with this descriptor, and return its number; 0 if that can't be."""
        outputs = [number for number in (_OUTPUT, _ERRORS) if Path(f"/dev/fd/{number}").exists()]
        folder = None
        with suppress(OSError):
            folder = Path.cwd()
        call = pickle.dumps(function)
        modules = [name for name in [*sys.modules] if name.startswith("thresher.") and name.encode() in call]
        request = {**os.environ, **self._environment}, folder, outputs, modules, call
        return self._answer(request, descriptor, *outputs) or 0

    def wait(self, pid: int) -> int | None:
        """Wait for a worker's end and return its exit code."""
        return self._answer(pid)

    def _answer(self, request: Any, *descriptors: int) -> int | None:
        with self._lock:
            try:
                self._connection.send(request)
                for each in descriptors:
                    send_handle(self._connection, each, None)
                return int(self._connection.recv())
            except BaseException as error:
                # Interrupted, it would take the answer for that to the next request.
                self._connection.close()
                self._process.terminate()
                if isinstance(error, OSError | EOFError):
                    return None
                raise


# By this process, which may itself be forked, and by what they have from their start. Threads may ask for workers.
_forks: dict[Any, _Forks] = {}
_lock = threading.Lock()


def _fork(threads: Mapping[str, str], function: Callable[[Any], Any], descriptor: int) -> tuple[_Forks, int]:
    """Return a worker's number, and what it is forked from; a new one where somebody ended the one there was."""
    key = os.getpid(), *threads.values(), *sys.path
    with _lock:
        if key in _forks:
            if pid := _forks[key].fork(function, descriptor):
                return _forks[key], pid
            _forks.pop(key).end()
        forks = _forks[key] = _Forks(threads)
        return forks, forks.fork(function, descriptor)


@atexit.register
def _end_all() -> None:
    for (parent, *_), forks in _forks.items():
        if parent == os.getpid():
            forks.end()


def _fork_on_demand(connection: Connection) -> None:
    parent = os.getpid()
    while True:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        if isinstance(request, int):
            connection.send(os.waitstatus_to_exitcode(os.waitpid(request, 0)[1]))
            continue
        environment, folder, outputs, modules, call = request
        theirs, *files = (recv_handle(connection) for _ in range(1 + len(outputs)))
        # Here rather than in each worker. An error comes again where it is told.
        with suppress(Exception):
            for module in modules:
                import_module(module)
        gc.freeze()
        pid = os.fork()
        if not pid:
            connection.close()
            for file, number in zip(files, outputs, strict=True):
                os.dup2(file, number)
            os.environ.clear()
            os.environ.update(environment)
            with suppress(OSError):
                os.chdir(folder or ".")
            break
        for descriptor in (theirs, *files):
            os.close(descriptor)
        connection.send(pid)
    for file in files:
        os.close(file)
    _serve(parent, pickle.loads(call), Connection(theirs))


def threads_of(count: int) -> dict[str, str]:
    """Return how many threads numeric libraries have in each of `count` processes, unless the environment says so."""
    threads = str(max((os.cpu_count() or 1) // count, 1))
    return {name: os.environ.get(name, threads) for name in _THREADS}


def _serve(parent: int, function: Callable[[Any], Any], connection: Connection) -> None:
    end_with_parent(parent)
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


def on_processes(
    workers: int, calls: Iterator[Callable[[], Result]], ordered: bool = False
) -> Generator[Result, None, None]:
    """Do calls in processes of this machine, no more than there are calls, and yield their results."""
    waiting: dict[int, Result] = {}
    following = 0
    for number, result in run_watched(workers, _called, enumerate(calls), _never_again):
        if not ordered:
            yield result
            continue
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _called(task: tuple[int, Callable[[], Result]]) -> tuple[int, Result]:
    number, call = task
    return number, call()


def _never_again(_task: Any, code: int | None) -> NoReturn:
    raise WorkerDied(code)


def results_of(
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
