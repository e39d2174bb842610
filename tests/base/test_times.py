import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from thresher.base import repeats as module
from thresher.base.repeats import ThreadClock, Times, measure_times

MIB = 2**20


def allocate(mib: int) -> int:
    """Touch that much memory and release it."""
    return int(np.ones(mib * MIB, dtype=np.uint8).sum()) // MIB


def burn(cpu_seconds: float) -> None:
    start = time.process_time()
    while time.process_time() - start < cpu_seconds:
        pass


def test_cpu_time_of_all_threads():
    with measure_times() as watch:
        thread = threading.Thread(target=burn, args=(0.05,))
        thread.start()
        thread.join()
    assert watch.times.cpu >= 0.05
    assert watch.times.wall > 0


def test_the_peak_is_that_of_the_block():
    with measure_times() as before:
        pass
    with measure_times() as during:
        assert allocate(200) == 200
    with measure_times() as after:
        pass
    assert during.times.peak >= before.times.peak + 190
    assert after.times.peak <= during.times.peak - 190


@pytest.mark.slow
def test_without_the_kernels_mark_the_peak_is_that_since_the_process_began(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "_SELF", tmp_path)
    with measure_times() as before:
        pass
    with measure_times() as during:
        # More than this process ever had.
        held = np.ones((int(before.times.peak) + 100) * MIB, dtype=np.uint8)
    with measure_times() as after:
        pass
    assert during.times.peak >= before.times.peak + 90
    assert held[-1] == 1
    assert after.times.peak >= during.times.peak


def test_times_are_there_after_an_error_too():
    with pytest.raises(KeyError), measure_times() as watch:
        raise KeyError("x")
    assert watch.times.peak > 0


def test_there_are_no_times_before_the_end():
    with measure_times() as watch, pytest.raises(RuntimeError, match="the work is still going on"):
        _ = watch.times


def test_times_of_one_work_after_another():
    assert Times(1.0, 2.0, 30.0) + Times(0.5, 0.25, 20.0) + Times(0.0, 0.0, 0.0) == Times(1.5, 2.25, 30.0)


@pytest.mark.slow
def test_a_worker_reports_its_own_peak_not_its_parents():
    code = "from thresher.base.repeats import measure_times as m\nwith m() as own: pass\nprint(own.times.peak)"
    with measure_times() as own:
        held = bytearray(300 * MIB)
        held[::4096] = b"\1" * len(held[::4096])
        peak = float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        del held
    assert 10 < peak < 300 < own.times.peak


def test_a_clock_adds_up_blocks_of_this_thread_alone() -> None:
    clock, other = ThreadClock(), ThreadClock()
    for _ in range(2):
        with clock:
            sum(range(200_000))
    assert clock.wall > 0
    assert clock.cpu > 0
    spent: list[float] = []

    def work() -> None:
        sum(range(5_000_000))
        spent.append(time.thread_time())

    with other:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert other.cpu < spent[0]
