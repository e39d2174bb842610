"""Worker processes: on this machine (loky, or one of its own), or those of a Dask cluster. They end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config

from thresher.defaults import DASK, LOKY
from thresher.errors import ConfigError, MissingDependencyError, ResourceError
from thresher.passes.joblib_adapter import TerminatedWorkerError, dask_backend, end_workers

WAIT_SECONDS = 30
_PARENT_SECONDS = 0.5

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Backend:
    """`loky` with so many `workers`, or `dask` with the workers of the cluster at the address `scheduler`."""

    name: str = LOKY
    workers: int = os.cpu_count() or 1
    scheduler: str = ""


class WorkerDied(Exception):
    """A worker process ended; on a cluster, that of the same task several times."""


def run(backend: Backend, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """Call `function` for each task on the backend's workers and give results as they come.

    Tasks are taken a few ahead of the work. Idle workers end with this generator: they would keep memory that Java needs.

    Raises:
        WorkerDied: if a worker ended.
        ConfigError: if there is no scheduler at the address.
        MissingDependencyError: if Dask is not installed.
        ResourceError: if the cluster has no workers.
    """
    calls = (delayed(function)(task) for task in tasks)
    yield from _on_dask(backend, calls) if backend.name == DASK else _on_loky(backend, calls)


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
    """Call `function` with the arguments of each task, where no page is to blame if a worker ends.

    Args:
        backend: who works; a single worker on this machine is this process.
        function: what to do.
        tasks: the arguments.
        what: what is being done, for errors.
        where: which file or folder it is about, for errors.
        ordered: whether results come in the order of tasks, and not as they are ready.
        keep: leave the processes for the next call; `end_workers` ends them.

    Raises:
        ResourceError: if a worker ended.
        ThresherError: as `run`.
    """
    if backend.name == LOKY and backend.workers <= 1:
        yield from (function(*task) for task in tasks)
        return
    calls = (delayed(function)(*task) for task in tasks)
    try:
        if backend.name == DASK:
            yield from _on_dask(backend, calls)
        else:
            yield from _on_loky(backend, calls, ordered, keep)
    except WorkerDied as error:
        fix = "look at the machine's memory, then run the same command again"
        raise ResourceError(f"a worker ended while {what}", fix, where) from error


def _on_loky(backend: Backend, calls: Iterable[Any], ordered: bool = False, keep: bool = False) -> Iterator[Any]:
    # One task at a time keeps a single worker a process of its own, which a page may end without ending this one.
    pool = Parallel(
        n_jobs=max(backend.workers, 2),
        backend=LOKY,
        return_as="generator" if ordered else "generator_unordered",
        pre_dispatch=1 if backend.workers == 1 else "1.5*n_jobs",
        batch_size=1,
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    )
    try:
        yield from pool(calls)
    except TerminatedWorkerError as error:
        raise WorkerDied from error
    finally:
        if not keep:
            end_workers()


def _on_dask(backend: Backend, calls: Iterable[Any]) -> Iterator[Any]:
    try:
        from distributed import Client, KilledWorker

        kind = dask_backend()
    except ImportError as error:
        raise MissingDependencyError(
            "the backend dask needs Dask's scheduler, which is not installed",
            "pip install 'thresher[dask]'",
            "--backend",
        ) from error
    try:
        client = Client(backend.scheduler, set_as_default=False, timeout=WAIT_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ConfigError(
            "no Dask scheduler answers there",
            "give the address that `dask scheduler` prints, such as tcp://head:8786",
            backend.scheduler,
        ) from error
    with client, parallel_config(backend=kind(client=client, wait_for_workers_timeout=WAIT_SECONDS)):
        try:
            yield from Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1)(calls)
        except KilledWorker as error:
            raise WorkerDied from error
        except TimeoutError as error:
            raise ResourceError(
                "the Dask cluster has no workers", "start some with `dask worker`", backend.scheduler
            ) from error


def start_process(function: Callable[..., object], *arguments: object, daemon: bool = False) -> SpawnProcess:
    """Start a process of its own that calls `function`; it ends with this one."""
    target = multiprocessing.get_context("spawn").Process(
        target=_call_with_parent, args=(os.getpid(), function, arguments), daemon=daemon
    )
    target.start()
    return target


def run_alone(function: Callable[..., object], *arguments: object) -> int | None:
    """Call `function` in a process of its own, and return its exit code."""
    process = start_process(function, *arguments)
    process.join()
    return process.exitcode


def exit_reason(code: int | None, seconds: float, process: str) -> str:
    """Return in words why a page ended its process: its time was over, or anything else."""
    late = code == -signal.SIGALRM
    return f"took longer than {seconds:g} s" if late else f"ended its {process} (exit code {code})"


def _call_with_parent(parent: int, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    end_with_parent(parent)
    function(*arguments)


def end_with_parent(parent: int) -> None:
    """End this process as soon as the process `parent`, which started it, is gone, even if it is gone already.

    A killed parent cannot tell its workers, which would wait for more. Before a worker gets here, it reads what to do from a
    pipe, which ends with its parent. C code that holds the interpreter puts the end off until it returns.
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
