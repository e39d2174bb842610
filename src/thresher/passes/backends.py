"""Who works on shards: processes on this machine (loky), or the workers of a Dask cluster; both through joblib."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from thresher.defaults import DASK, LOKY
from thresher.errors import ConfigError, MissingDependencyError, ResourceError

WAIT_SECONDS = 30


@dataclass(frozen=True)
class Backend:
    """`loky` with so many `workers`, or `dask` with the workers of the cluster at the address `scheduler`."""

    name: str = LOKY
    workers: int = os.cpu_count() or 1
    scheduler: str = ""


class WorkerDied(Exception):
    """A worker process ended; on a cluster, that of the same shard several times."""


def run(backend: Backend, function: Callable[[Any], int], tasks: Iterable[Any]) -> Iterator[int]:
    """Call `function` for each task on the backend's workers and give results as they come.

    Tasks are taken a few ahead of the work.

    Raises:
        WorkerDied: if a worker ended.
        ConfigError: if there is no scheduler at the address.
        MissingDependencyError: if Dask is not installed.
        ResourceError: if the cluster has no workers.
    """
    calls = (delayed(function)(task) for task in tasks)
    yield from _on_dask(backend, calls) if backend.name == DASK else _on_loky(backend, calls)


def _on_loky(backend: Backend, calls: Iterable[Any]) -> Iterator[int]:
    # One task at a time keeps a single worker a process of its own, which a page may end without ending this one.
    pool = Parallel(
        n_jobs=max(backend.workers, 2),
        return_as="generator_unordered",
        pre_dispatch=1 if backend.workers == 1 else "1.5*n_jobs",
        batch_size=1,
    )
    try:
        yield from pool(calls)
    except TerminatedWorkerError as error:
        raise WorkerDied from error
    finally:
        # Idle workers would keep their memory while Java needs it.
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _on_dask(backend: Backend, calls: Iterable[Any]) -> Iterator[int]:
    try:
        from distributed import Client, KilledWorker

        from thresher.passes.dask_adapter import DaskBackend
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
    with client, parallel_config(backend=DaskBackend(client=client, wait_for_workers_timeout=WAIT_SECONDS)):
        try:
            yield from Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1)(calls)
        except KilledWorker as error:
            raise WorkerDied from error
        except TimeoutError as error:
            raise ResourceError(
                "the Dask cluster has no workers", "start some with `dask worker`", backend.scheduler
            ) from error
