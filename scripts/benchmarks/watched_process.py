"""Time, memory and disk space of a command and of all processes that it starts."""

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
    """Wall and CPU seconds, peak MiB of all processes together (shared pages count once), bytes written to the folder."""

    wall: float
    cpu: float
    peak: float
    written: int


def watched(folder: Path, *command: str) -> Watched:
    """Run a command in a folder and return its resources."""
    before, began, peak, cpu = _bytes(folder), time.perf_counter(), 0, 0.0
    with psutil.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            memory, spent = 0, 0.0
            for running in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    memory += running.memory_full_info().pss
                    spent += sum(running.cpu_times()[:4])
            # A parent's times include a child that ended only after the parent has waited for it.
            peak, cpu = max(peak, memory), max(cpu, spent)
            time.sleep(_EVERY)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: failed")
    return Watched(time.perf_counter() - began, cpu, peak / 2**20, _bytes(folder) - before)


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
