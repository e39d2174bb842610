"""joblib's private parts that worker processes rely on: a release that changes them fails here, and by name."""

from __future__ import annotations

import inspect
import os
import subprocess
import time

import pytest
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool

from thresher.passes.joblib_adapter import TerminatedWorkerError, end_workers, start_workers


def names(function: object) -> list[str]:
    return [*inspect.signature(function).parameters]  # type: ignore[arg-type]


def test_loky_ends_workers_and_says_when_one_died() -> None:
    assert issubclass(TerminatedWorkerError, BrokenProcessPool)
    executor = get_reusable_executor(max_workers=1)
    assert {"wait", "kill_workers"} <= set(names(executor.shutdown))
    assert "reuse" in names(get_reusable_executor)
    assert executor.submit(int, "7").result() == 7
    processes = [*executor._processes.values()]
    end_workers()
    assert processes
    assert not any(process.is_alive() for process in processes)


def test_workers_are_as_many_as_asked_for_and_begin_with_the_initializer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    executor = start_workers(1, os.putenv, "THRESHER_TOLD", "yes")
    told = [*executor.map(os.getenv, ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"])]
    assert told == ["3", os.environ.get("OPENBLAS_NUM_THREADS", str(os.cpu_count()))]
    assert executor.submit(subprocess.getoutput, "echo $THRESHER_TOLD").result() == "yes"
    assert len({executor.submit(os.getpid).result() for _ in range(9)}) == 1
    assert start_workers(1, os.putenv, "THRESHER_TOLD", "yes") is executor
    end_workers()


def test_tasks_that_nobody_began_are_forgotten_without_a_word() -> None:
    """An error of loky's thread would be on standard error: here it fails the test."""
    for _ in range(5):
        executor = start_workers(2, os.getpid)
        futures = [executor.submit(time.sleep, 0.02) for _ in range(40)]
        futures[0].result()
        end_workers()
        assert not all(future.done() and future.exception() is None for future in futures)
