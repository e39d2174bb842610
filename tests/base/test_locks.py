"""One run at a time: a second process is told who is at work, and a killed one holds nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from messages import assert_names

from thresher.base.errors import InputError, StateError
from thresher.base.locks import exclusive

# Holds the folder until its standard input ends.
HOLDER = """import sys
from pathlib import Path
from thresher.base.locks import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(folder: Path, script: Path) -> subprocess.Popen[str]:
    script.write_text(HOLDER, encoding="utf-8")
    command = [sys.executable, str(script), str(folder), "a b"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_is_at_work(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "x"
    with hold(folder, tmp_path / "holder.py") as process:
        try:
            with pytest.raises(StateError) as caught, exclusive(folder):
                raise AssertionError("both hold it")
            assert caught.value.exit_code == 5
            since = re.search(r"since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d)\.", str(caught.value))
            assert since
            assert_names(
                *(caught.value, f"{folder}: ", "another run", f"`holder.py {folder} 'a b'`"),
                *(f"process {process.pid} on {socket.gethostname()} since ", since[1], "Fix: ", "wait"),
            )
            # Being refused changes nothing.
            with pytest.raises(StateError, match=f"process {process.pid} on"), exclusive(folder):
                pass
        finally:
            process.communicate()
    assert process.returncode == 0
    with exclusive(folder):
        assert f"process {os.getpid()} on" in (folder / ".lock").read_text()


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    with hold(tmp_path / "x", tmp_path / "holder.py") as process:
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        with exclusive(tmp_path / "x"):
            pass


def test_an_error_inside_lets_go(tmp_path: Path) -> None:
    with pytest.raises(KeyError), exclusive(tmp_path):
        raise KeyError
    with exclusive(tmp_path), pytest.raises(StateError), exclusive(tmp_path):
        pass
    with exclusive(tmp_path):
        pass


def test_a_holder_that_has_not_signed_yet(tmp_path: Path) -> None:
    with exclusive(tmp_path):
        (tmp_path / ".lock").write_text("", encoding="utf-8")
        with pytest.raises(StateError) as caught, exclusive(tmp_path):
            pass
    assert_names(caught.value, f"{tmp_path}: ", "has just begun", "Fix: ", "it has ended")


def test_of_many_threads_one_gets_in(tmp_path: Path) -> None:
    barrier, done, outcomes = threading.Barrier(8), threading.Barrier(8), []

    def attempt() -> None:
        barrier.wait()
        try:
            with exclusive(tmp_path):
                outcomes.append("in")
                done.wait()
        except StateError:
            outcomes.append("out")
            done.wait()

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in", *["out"] * 7]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be used \(Not a directory\)"), exclusive(tmp_path / "file" / "x"):
        pass
