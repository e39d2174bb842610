import threading
import time

import numpy as np
import pytest

from thresher.costs import stopwatch as module
from thresher.costs.stopwatch import measure_work

MIB = 2**20


def allocate(mib: int) -> int:
    """Touch so much memory and give it back."""
    return int(np.ones(mib * MIB, dtype=np.uint8).sum()) // MIB


def burn(cpu_seconds: float) -> None:
    start = time.process_time()
    while time.process_time() - start < cpu_seconds:
        pass


def test_cpu_time_of_all_threads():
    with measure_work() as watch:
        thread = threading.Thread(target=burn, args=(0.05,))
        thread.start()
        thread.join()
    assert watch.work.cpu_seconds >= 0.05
    assert watch.work.wall_seconds > 0


def test_the_peak_is_that_of_the_block():
    with measure_work() as before:
        pass
    with measure_work() as during:
        assert allocate(200) == 200
    with measure_work() as after:
        pass
    assert during.work.peak_mib >= before.work.peak_mib + 190
    assert after.work.peak_mib <= during.work.peak_mib - 190


def test_nested_blocks_see_the_peaks_of_their_own_time():
    with measure_work() as outer:
        allocate(200)
        with measure_work() as inner:
            allocate(50)
    assert outer.work.peak_mib >= inner.work.peak_mib + 140
    with measure_work() as outer:
        with measure_work() as inner:
            allocate(200)
        allocate(50)
    assert outer.work.peak_mib >= inner.work.peak_mib - 1


def test_without_the_kernels_mark_memory_is_sampled(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "_SELF", tmp_path)
    monkeypatch.setattr(module, "_SAMPLE_SECONDS", 0.001)
    with measure_work() as before:
        pass
    with measure_work() as during:
        held = np.ones(200 * MIB, dtype=np.uint8)
    assert during.work.peak_mib >= before.work.peak_mib + 190
    assert held.sum() == 200 * MIB
    assert not [thread for thread in threading.enumerate() if thread.name == "thresher-memory"]


def test_work_is_there_after_an_error_too():
    with pytest.raises(KeyError), measure_work() as watch:
        raise KeyError("x")
    assert watch.work.peak_mib > 0


def test_there_is_no_work_before_the_end():
    with measure_work() as watch, pytest.raises(RuntimeError, match="the work is still going on"):
        _ = watch.work
