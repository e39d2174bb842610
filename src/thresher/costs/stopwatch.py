"""Wall time, CPU time and peak memory of a piece of work in this process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import psutil

_SELF = Path("/proc/self")
_SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Work:
    """An amount of work.

    `cpu_seconds` are those of all threads, Java's included, user and system. `peak_mib` is the largest
    resident memory of one process while it worked, in MiB.
    """

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float


class Stopwatch:
    """What `measure_work` gives: `work` is there after its block has ended."""

    def __init__(self) -> None:
        self._work: Work | None = None

    @property
    def work(self) -> Work:
        """The measured work.

        Raises:
            RuntimeError: if the block has not ended.
        """
        if self._work is None:
            raise RuntimeError("the work is still going on")
        return self._work


@contextmanager
def measure_work() -> Iterator[Stopwatch]:
    """Measure the block: wall time, CPU time of this process, and its peak memory.

    On Linux the peak is the kernel's own high-water mark, reset at the start of the block, so none is missed.
    Elsewhere (and where the reset is not allowed) the resident memory is sampled every 20 ms. Blocks may be
    nested. Child processes are not included: workers measure themselves and the results are added with
    `Work.plus`.
    """
    stopwatch = Stopwatch()
    meter: _KernelPeak | _SampledPeak = _KernelPeak() if _reset_peak() else _SampledPeak()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        with meter:
            yield stopwatch
    finally:
        stopwatch._work = Work(time.perf_counter() - wall, time.process_time() - cpu, meter.peak_bytes / 2**20)


class _KernelPeak:
    """The high-water mark since the reset; a reset hands what it wipes out to the blocks around it."""

    _open: ClassVar[list[_KernelPeak]] = []

    def __init__(self) -> None:
        self.peak_bytes = 0

    def __enter__(self) -> None:
        self._open.append(self)

    def __exit__(self, *_: object) -> None:
        self.note(_high_water_mark())
        self._open.remove(self)

    def note(self, peak_bytes: int) -> None:
        self.peak_bytes = max(self.peak_bytes, peak_bytes)

    @classmethod
    def note_all(cls, peak_bytes: int) -> None:
        for peak in cls._open:
            peak.note(peak_bytes)


class _SampledPeak:
    """The largest sample of the resident memory, taken by a thread."""

    def __init__(self) -> None:
        self._process = psutil.Process(os.getpid())
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True, name="thresher-memory")
        self.peak_bytes = 0

    def __enter__(self) -> None:
        self._look()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    def _sample(self) -> None:
        while not self._stop.wait(_SAMPLE_SECONDS):
            self._look()

    def _look(self) -> None:
        self.peak_bytes = max(self.peak_bytes, self._process.memory_info().rss)


def _reset_peak() -> bool:
    """Set Linux's high-water mark back to the present; say whether that worked."""
    try:
        before = _high_water_mark()
        (_SELF / "clear_refs").write_text("5", encoding="ascii")
    except (OSError, ValueError):
        return False
    _KernelPeak.note_all(before)
    return True


def _high_water_mark() -> int:
    for line in (_SELF / "status").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ValueError("this system does not keep a high-water mark")
