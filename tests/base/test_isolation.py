"""Workers that die cost their own tasks: real processes, killed."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest
import worker_processes

from thresher.base.errors import InputError
from thresher.base.isolation import run_isolated


def process_of(task: int) -> int:
    if task < 0:
        os.kill(os.getpid(), -task)
    return os.getpid()


def exit_by(ending: Callable[[], int]) -> int:
    return ending()


def libc_exit(code: int) -> int:
    ctypes.CDLL(None).exit(code)
    raise AssertionError(code)


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
    assert sorted(run_isolated(workers, abs, range(-50, 0), unused)) == [*range(1, 51)]
    assert {*worker_processes.workers_alive()} <= others
    assert [*run_isolated(workers, abs, [], unused)] == []


def test_no_more_processes_than_tasks() -> None:
    results = run_isolated(8, process_of, [1, 2], unused)
    assert len({next(results), *results}) == 2


def test_a_worker_killed_while_idle_costs_nothing() -> None:
    results = run_isolated(1, process_of, [1, 2, 3], unused)
    first = next(results)
    worker = psutil.Process(first)
    worker.kill()
    psutil.wait_procs([worker])
    # Pebble looks ten times a second.
    time.sleep(0.5)
    second, third = results
    assert first != second == third


@pytest.mark.slow
def test_what_python_says_is_heard_where_libraries_are_silent() -> None:
    code = (
        "from functools import partial\n"
        "from test_isolation import say_and_abort\n"
        "from thresher.base.isolation import call_silently, run_isolated\n"
        "def tell(task, code):\n"
        "    raise SystemExit(f'{task} ended by {code}')\n"
        "if __name__ == '__main__':\n"
        "    next(run_isolated(1, partial(call_silently, function=say_and_abort), [7], tell))\n"
    )
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "samples"), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert "UserWarning: task 7 is odd" in done.stderr
    assert done.stderr.splitlines()[-2:] == ["task 7 is begun", "7 ended by -6"]
    assert "terminate" not in done.stderr


def test_a_task_whose_worker_ends_is_replaced_by_what_is_said() -> None:
    told = []

    def instead(task: int, code: int | None) -> int:
        told.append((task, code))
        return 1

    assert len([*run_isolated(2, process_of, [-signal.SIGKILL, *[1] * 9, -signal.SIGALRM], instead)]) == 11
    assert sorted(told) == [(-14, -14), (-9, -9)]


def test_errors_are_raised_and_end_the_workers(others: set[int]) -> None:
    def tasks() -> Iterator[int]:
        yield from [1, 2]
        raise InputError("no more", "look", "there")

    with pytest.raises(InputError, match="there: no more"):
        list(run_isolated(2, process_of, tasks(), unused))
    assert {*worker_processes.workers_alive()} <= others
    with pytest.raises(ValueError, match="invalid literal") as caught:
        list(run_isolated(2, int, ["1", "x"], lambda task, _: task))
    assert "in _call_function" in str(caught.value.__cause__)
    assert {*worker_processes.workers_alive()} <= others


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize("exit_with", [sys.exit, os._exit, libc_exit])
def test_a_task_that_exits_ends_its_worker_alone(exit_with: Callable[[int], int], code: int) -> None:
    told = []

    def instead(task: Callable[[], int], code: int | None) -> Callable[[], int]:
        told.append(code)
        return partial(abs, -7)

    tasks = [partial(exit_with, code), partial(abs, -1), partial(exit_with, code)]
    assert sorted(run_isolated(2, exit_by, tasks, instead)) == [1, 7, 7]
    assert told == [code, code]


class EndsItsReader:
    """Ends whatever process it is sent to, which cannot say that it has begun."""

    def __init__(self, code: int) -> None:
        self.code = code

    def __setstate__(self, state: dict[str, int]) -> None:
        os._exit(state["code"])


@pytest.mark.parametrize("code", [0, 3])
def test_a_worker_that_ends_before_it_begins_its_task_is_seen(code: int) -> None:
    def instead(task: object, told: int | None) -> int:
        assert isinstance(task, EndsItsReader)
        assert told == code
        return -7

    assert [*run_isolated(2, abs, [EndsItsReader(code)], instead)] == [7]  # type: ignore[list-item]


def test_workers_have_the_environment_and_the_folder_of_their_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("THRESHER_TEST", "yes")
    assert [*run_isolated(1, os.getenv, ["THRESHER_TEST"], unused)] == ["yes"]  # type: ignore[arg-type]
    assert [*run_isolated(1, os.path.abspath, ["here"], unused)] == [str(tmp_path / "here")]  # type: ignore[arg-type]


def test_numeric_libraries_have_one_thread_in_a_worker_unless_the_environment_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    assert [*run_isolated(1, os.getenv, names, unused)] == ["1", "3"]  # type: ignore[arg-type]
    assert "OMP_NUM_THREADS" not in os.environ
