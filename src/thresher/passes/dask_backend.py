"""The workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from functools import partial

from thresher.errors import ConfigError, ResourceError, needs_extra
from thresher.passes.workers import Result, WorkerDied, results_of

WAIT_SECONDS = 30
_ANSWER_SECONDS = 4


def on_dask(scheduler: str, calls: Iterator[Callable[[], Result]], ordered: bool = False) -> Iterator[Result]:
    """Do calls by the workers of the cluster whose scheduler has this address, and yield their results."""
    with needs_extra("dask", "the backend dask needs the package distributed", "--backend"):
        from distributed import Client, KilledWorker
        from distributed.comm.core import CommClosedError
    no_scheduler = ConfigError(
        "no Dask scheduler answers there",
        "give the address that `dask scheduler` prints, such as tcp://head:8786",
        scheduler,
    )
    try:
        # In a thread of its own, for callers that run a loop in theirs.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(_knock(scheduler))).result()
    except Exception as error:
        # What answers may be any program, and say anything.
        raise no_scheduler from error
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
            yield from results_of(partial(client.submit, pure=False), calls, workers, ordered)
        except KilledWorker as error:
            raise WorkerDied from error
        except (CancelledError, CommClosedError) as error:
            # The client gives up all futures when it loses the scheduler, and would log that it cannot reach it again.
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
            raise ResourceError(
                "the Dask scheduler ended",
                "start it and its workers, then run the same command again",
                scheduler,
            ) from error


async def _knock(address: str) -> None:
    """Ask the scheduler at an address who it is: a client would ask a silent one for a minute."""
    from distributed.comm.core import connect

    async with asyncio.timeout(_ANSWER_SECONDS):
        comm = await connect(address, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]
        try:
            await comm.write({"op": "identity", "reply": True})
            await comm.read()
        finally:
            comm.abort()
