"""Workers that die cost their own tasks: real processes, killed."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial

import psutil
import pytest
import worker_processes

from thresher.base.errors import InputError
from thresher.scores.workers import WorkerDied, in_silence, on_processes, run_watched


def process_of(task: int) -> int:
    if task < 0:
        os.kill(os.getpid(), -task)
    return os.getpid()


def say_and_abort(task: int) -> int:
    warnings.warn(f"task {task} is odd", stacklevel=1)
    os.write(2, b"terminate called\n")
    print(f"task {task} is begun", file=sys.stderr)
    os.abort()


def unused(task: int, code: int | None) -> int:
    raise AssertionError((task, code))


@pytest.fixture
def others() -> set[int]:
    """Workers that are kept for the next tasks of other tests."""
    return {*worker_processes.workers_alive()}


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_has_one_result_and_no_process_is_left(workers: int, others: set[int]) -> None:
    assert sorted(run_watched(workers, abs, range(-50, 0), unused)) == [*range(1, 51)]
    assert {*worker_processes.workers_alive()} <= others
    assert [*run_watched(workers, abs, [], unused)] == []


def test_no_more_processes_than_tasks() -> None:
    results = run_watched(8, process_of, [1, 2], unused)
    assert len({next(results), *results}) == 2


def test_a_worker_killed_while_idle_costs_nothing() -> None:
    told = []

    def again(task: int, code: int | None) -> int:
        told.append((task, code))
        return task

    results = run_watched(1, process_of, [1, 2, 3], again)
    first = next(results)
    os.kill(first, signal.SIGKILL)
    while psutil.Process(first).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    second, third = results
    assert first != second == third
    assert told == [(2, -signal.SIGKILL)]


def test_where_somebody_ends_what_workers_are_forked_from_there_is_another() -> None:
    told = []

    def again(task: int, code: int | None) -> int:
        told.append((task, code))
        return task

    results = run_watched(1, process_of, [1, 2], again)
    worker = psutil.Process(next(results))
    forks = psutil.Process(worker.ppid())
    forks.kill()
    # It ends with it, and nobody has its exit code.
    assert psutil.wait_procs([worker], timeout=60)[1] == []
    (second,) = results
    assert told == [(2, None)]
    assert second != worker.pid


def test_what_python_says_is_heard_where_libraries_are_silent(capfd: pytest.CaptureFixture[str]) -> None:
    def never_again(task: int, code: int | None) -> int:
        raise InputError(f"{task} ended by {code}", "look")

    with pytest.raises(InputError, match="7 ended by -6"):
        next(run_watched(1, partial(in_silence, function=say_and_abort), [7], never_again))
    printed = capfd.readouterr().err
    assert "UserWarning: task 7 is odd" in printed
    assert printed.endswith("task 7 is begun\n")
    assert "terminate" not in printed


def test_a_task_whose_worker_ends_is_replaced_by_what_is_said() -> None:
    told = []

    def instead(task: int, code: int | None) -> int:
        told.append((task, code))
        return 1

    assert len([*run_watched(2, process_of, [-signal.SIGKILL, *[1] * 9, -signal.SIGALRM], instead)]) == 11
    assert sorted(told) == [(-14, -14), (-9, -9)]


def test_errors_are_raised_and_end_the_workers(others: set[int]) -> None:
    def tasks() -> Iterator[int]:
        yield from [1, 2]
        raise InputError("no more", "look", "there")

    with pytest.raises(InputError, match="there: no more"):
        list(run_watched(2, process_of, tasks(), unused))
    assert {*worker_processes.workers_alive()} <= others
    with pytest.raises(ValueError, match="invalid literal") as caught:
        list(run_watched(2, int, ["1", "x"], lambda task, _: task))
    assert "in _serve" in caught.value.__notes__[0]
    assert {*worker_processes.workers_alive()} <= others


def test_calls_have_their_results_in_order_if_asked_for(others: set[int]) -> None:
    squares = [number**2 for number in range(40)]
    calls = [partial(pow, number, 2) for number in range(40)]
    assert [*on_processes(2, iter(calls), ordered=True)] == squares
    assert sorted(on_processes(3, iter(calls))) == squares
    assert [*on_processes(2, iter([]))] == []
    assert {*worker_processes.workers_alive()} <= others


def test_a_call_that_ends_its_process_or_fails_ends_all(others: set[int]) -> None:
    with pytest.raises(WorkerDied):
        list(on_processes(2, (partial(process_of, task) for task in (1, -signal.SIGKILL, 1, 1))))
    with pytest.raises(ValueError, match="invalid literal"):
        list(on_processes(2, (partial(int, text) for text in ("1", "x"))))
    results = on_processes(2, iter([partial(int, "1"), *[partial(time.sleep, 600)] * 9]))
    assert next(results) == 1
    results.close()
    assert {*worker_processes.workers_alive()} <= others
