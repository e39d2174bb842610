"""Calls done by the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from itertools import islice
from queue import SimpleQueue
from typing import Any

from thresher.base.errors import ConfigError, ResourceError, needs_extra
from thresher.base.isolation import Result, WorkerDied

WAIT_SECONDS = 30
_ANSWER_SECONDS = 4
_AHEAD = 2
"""The number of unfinished calls that each worker has at a time."""


def on_dask(scheduler: str, calls: Iterator[Callable[[], Result]], ordered: bool = False) -> Iterator[Result]:
    """Do calls by the workers of the cluster whose scheduler has this address, and yield their results."""
    with needs_extra("dask", "the backend dask needs the package distributed", "--backend"):
        # Imported here, for all workers load this module.
        import asyncio

        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    no_scheduler = ConfigError(
        "no Dask scheduler answers there",
        "give the address that `dask scheduler` prints, such as tcp://head:8786",
        scheduler,
    )
    try:
        # In a thread of its own, since the caller's thread may run an event loop.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(_check_answer(scheduler))).result()
    except Exception as error:
        # Any program may answer there, with any bytes.
        raise no_scheduler from error
    # The error below says that the scheduler is lost; Dask would log this too, with a traceback.
    logging.getLogger("distributed.batched").setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, set_as_default=False, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise no_scheduler from error
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
            workers = sum(client.ncores().values())  # type: ignore[no-untyped-call]
        except TimeoutError as error:
            raise ResourceError(
                "the Dask cluster has no workers", "start some with `dask worker`", scheduler
            ) from error
        except OSError as error:
            raise no_scheduler from error
        try:
            yield from _results(client, calls, workers, ordered)
        except KilledWorker as error:
            raise WorkerDied from error
        except (CancelledError, CommClosedError) as error:
            # The client gives up all futures when it loses the scheduler, and would log that it cannot reach it again.
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
            raise ResourceError(
                "the Dask scheduler ended", "start it and its workers, then run the same command again", scheduler
            ) from error


async def _check_answer(address: str) -> None:
    """Check quickly that a Dask scheduler answers; `Client` would wait a minute."""
    import asyncio

    from distributed.comm.core import connect

    async with asyncio.timeout(_ANSWER_SECONDS):
        comm = await connect(address, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]
        try:
            await comm.write({"op": "identity", "reply": True})
            await comm.read()
        finally:
            comm.abort()


def _results(client: Any, calls: Iterator[Callable[[], Result]], workers: int, ordered: bool) -> Iterator[Result]:
    """Yield the results of calls that a client gives to workers, a few of them ahead."""
    finished_futures: SimpleQueue[Any] = SimpleQueue()
    in_order: deque[Any] = deque()
    at_work = 0
    while True:
        for call in islice(calls, _AHEAD * workers - at_work):
            future = client.submit(call, pure=False)
            future.add_done_callback(finished_futures.put)
            at_work += 1
            if ordered:
                in_order.append(future)
        if not at_work:
            return
        future = finished_futures.get()
        at_work -= 1
        if not ordered:
            yield future.result()
        while in_order and in_order[0].done():
            yield in_order.popleft().result()
