"""Wall time, CPU time and peak memory of a piece of work in this process."""

from __future__ import annotations

import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import psutil

from thresher.columns import Declared, Show

_SELF = Path("/proc/self")
_SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Times:
    """What a piece of work took: `cpu` is of all threads, Java's included; `peak` is resident memory of one process."""

    wall: Annotated[float, Declared("Wall seconds.", Show.SECONDS, "s", "wall", "wall_seconds")]
    cpu: Annotated[float, Declared("CPU seconds, user and system.", Show.SECONDS, "s", "CPU", "cpu_seconds")]
    peak: Annotated[float, Declared("Peak memory in MiB (2²⁰ bytes).", Show.SECONDS, "MiB", "peak", "peak_mib")]

    def __add__(self, other: Times) -> Times:
        """Return what both took, one after the other: the sum of their seconds, the larger peak."""
        return Times(self.wall + other.wall, self.cpu + other.cpu, max(self.peak, other.peak))


class Stopwatch:
    """What `measure_times` yields; its `times` are set when the block has ended."""

    def __init__(self) -> None:
        self._times: Times | None = None

    @property
    def times(self) -> Times:
        """The measured times."""
        if self._times is None:
            raise RuntimeError("the work is still going on")
        return self._times


class ThreadClock:
    """Adds up the time of the blocks that it encloses: `wall` seconds, and `cpu` seconds of this thread alone."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> ThreadClock:
        self._wall, self._cpu = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter() - self._wall
        self.cpu += time.thread_time() - self._cpu


@contextmanager
def measure_times() -> Iterator[Stopwatch]:
    """Measure the block: wall time, CPU time of this process, and its peak memory.

    On Linux the peak is the kernel's own high-water mark, reset at the start of the block, so none is missed.
    Elsewhere (and where the reset is not allowed) the resident memory is sampled every 20 ms. Blocks may be
    nested. Child processes are not included: workers measure themselves, and their times are added.
    """
    stopwatch = Stopwatch()
    meter: _KernelPeak | _SampledPeak = _KernelPeak(_around.get()) if _reset_peak() else _SampledPeak()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        with meter:
            yield stopwatch
    finally:
        stopwatch._times = Times(time.perf_counter() - wall, time.process_time() - cpu, meter.mib)


def peak_memory() -> float:
    """Return the largest resident memory of this process since it began, or since `measure_times` last began, in MiB."""
    # Linux hands the peak in `getrusage` down to children, so that a worker would report its parent's.
    try:
        return _high_water_mark()
    except (OSError, ValueError):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


class _KernelPeak:
    """The high-water mark since the reset, and of the blocks within, whose resets wiped it out."""

    def __init__(self, outer: _KernelPeak | None) -> None:
        self.mib = 0.0
        self._outer = outer

    def __enter__(self) -> None:
        self._token = _around.set(self)

    def __exit__(self, *_: object) -> None:
        _around.reset(self._token)
        self.note(_high_water_mark())

    def note(self, mib: float) -> None:
        """Take in a mark of this block, and so of those around it."""
        self.mib = max(self.mib, mib)
        if self._outer:
            self._outer.note(mib)


_around: ContextVar[_KernelPeak | None] = ContextVar("the innermost block that is being measured", default=None)


class _SampledPeak:
    """The largest sample of the resident memory, taken by a thread."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="thresher-memory")
        self.mib = 0.0

    def __enter__(self) -> None:
        self._sample()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._sample()

    def _watch(self) -> None:
        while not self._stop.wait(_SAMPLE_SECONDS):
            self._sample()

    def _sample(self) -> None:
        self.mib = max(self.mib, self._process.memory_info().rss / 2**20)


def _reset_peak() -> bool:
    """Set Linux's high-water mark back to the present; say whether that worked."""
    try:
        before = _high_water_mark()
        (_SELF / "clear_refs").write_text("5", encoding="ascii")
    except (OSError, ValueError):
        return False
    if outer := _around.get():
        outer.note(before)
    return True


def _high_water_mark() -> float:
    for line in (_SELF / "status").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise ValueError("this system keeps no high-water mark")
