"""Tasks on processes, of Pebble and of joblib: order, errors, and workers that end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from functools import partial

import pytest
from worker_processes import workers_alive

from thresher.base.errors import ResourceError
from thresher.base.processes import Backend, compute, run_tasks

TWO = Backend(workers=2)
RUNNERS = (run_tasks, compute)


def process_of(task: int) -> int:
    if task < 0:
        os.kill(os.getpid(), -task)
    return os.getpid()


@pytest.mark.parametrize("runner", RUNNERS)
def test_results_come_in_the_order_of_the_tasks_if_asked_for(runner: Callable[..., object]) -> None:
    run = partial(runner, TWO, pow, what="raising", where="here")
    squares = [number**2 for number in range(40)]
    assert [*run(((number, 2) for number in range(40)), ordered=True)] == squares  # type: ignore[call-overload]
    assert sorted(run([(number, 2) for number in range(40)])) == squares  # type: ignore[call-overload]
    assert [*run([])] == []  # type: ignore[call-overload]
    assert workers_alive() == []


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_single_worker_or_task_is_this_process(runner: Callable[..., object]) -> None:
    one, several = [(1,)], [(1,), (2,)]
    assert [*runner(TWO, process_of, one, "", "")] == [os.getpid()]  # type: ignore[call-overload]
    assert {*runner(Backend(workers=1), process_of, several, "", "")} == {os.getpid()}  # type: ignore[call-overload]
    assert os.getpid() not in {*runner(TWO, process_of, several, "", "")}  # type: ignore[call-overload]


@pytest.mark.slow
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_task_that_ends_its_process_or_fails_ends_all(runner: Callable[..., object]) -> None:
    with pytest.raises(ResourceError, match="there: a worker ended while counting"):
        list(runner(TWO, process_of, [(task,) for task in (1, -signal.SIGKILL, 1, 1)], "counting", "there"))  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="invalid literal"):
        list(runner(TWO, int, [("1",), ("x",)], "counting", "there"))  # type: ignore[call-overload]


def test_processes_end_with_their_consumer() -> None:
    results = run_tasks(TWO, time.sleep, [(0,), *[(600,)] * 9], "sleeping", "")
    assert next(results) is None
    results.close()  # type: ignore[attr-defined]
    assert workers_alive() == []


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_a_consumer_that_stops_early_is_not_warned() -> None:
    results = compute(TWO, abs, [(-1,)] * 9, "", "", ordered=True)
    # A thread of joblib fails at times if it is ended while tasks wait: here the last one has begun.
    assert [next(results) for _ in range(8)] == [1] * 8
    results.close()  # type: ignore[attr-defined]
