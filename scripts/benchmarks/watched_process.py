"""What a command takes, with all processes that it starts."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_EVERY = 0.2


@dataclass(frozen=True)
class Watched:
    """Wall and CPU seconds, the most MiB of all processes at once (shared ones counted once), bytes written to the folder."""

    wall: float
    cpu: float
    peak: float
    written: int


def watched(folder: Path, *command: str) -> Watched:
    """Run a command in a folder and return what it took."""
    before, began, peak, cpu = _bytes(folder), time.perf_counter(), 0, 0.0
    with psutil.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            held, spent = 0, 0.0
            for some in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    held += some.memory_full_info().pss
                    spent += sum(some.cpu_times()[:4])
            # A process that ended is in the times of its parent's children, once that has noticed.
            peak, cpu = max(peak, held), max(cpu, spent)
            time.sleep(_EVERY)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: failed")
    return Watched(time.perf_counter() - began, cpu, peak / 2**20, _bytes(folder) - before)


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
