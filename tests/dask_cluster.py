"""A real Dask scheduler with worker processes, for tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from thresher.base.defaults import DASK
from thresher.base.processes import Backend

# A cluster whose tests were killed ends by itself: the scheduler after this many seconds without work, then its workers.
ENDING = ("--idle-timeout", "900")


@dataclass(frozen=True)
class Cluster:
    """A scheduler's address, its process, and the processes of its workers."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: tuple[subprocess.Popen[bytes], ...]

    @property
    def backend(self) -> Backend:
        return Backend(DASK, len(self.workers), self.address)


@contextmanager
def dask_cluster(folder: Path, workers: int, modules: Path, nannies: bool = True) -> Iterator[Cluster]:
    """Start a cluster whose processes work in `folder` and find the modules of the folder `modules`; end it with the block.

    A worker that ends is started again if it has a nanny, which is one more process.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(modules), os.environ.get("PYTHONPATH", "")])}
    told = folder / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        with (folder / f"{len(started)}.log").open("wb") as log:
            started.append(subprocess.Popen(command, stderr=log, env=environment, cwd=folder, start_new_session=True))
        return started[-1]

    try:
        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told), *ENDING)
        while not (told.exists() and told.stat().st_size):
            assert scheduler.poll() is None, (folder / "0.log").read_text()
            time.sleep(0.05)
        nanny = () if nannies else ("--no-nanny",)
        address = str(json.loads(told.read_text())["address"])
        yield Cluster(
            address, scheduler, tuple(start("worker", address, "--nthreads", "1", *nanny) for _ in range(workers))
        )
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
