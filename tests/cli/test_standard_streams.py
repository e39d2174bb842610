"""Standard streams that are closed, full or gone: what cannot be printed is dropped, and results decide the exit code."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import THRESHER

from thresher.base.progress import Progress

TO_FILE = "clean pages.jsonl -c words@2 -o o.jsonl --workers 1"
PIPED = "clean - -c words@2 -o o.jsonl --workers 1"
TO_OUTPUT = "clean pages.jsonl -c words@2 -o - --workers 1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pages.jsonl").write_text('{"id": "p", "html": "<p>A page of a few words."}\n')
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "redirected", "code", "said"),
    [
        (TO_FILE, "2>/dev/full", 0, ""),
        (TO_FILE, "0<&- 1>&- 2>&-", 0, ""),
        (PIPED, "0<&-", 3, "standard input is empty"),
        (TO_OUTPUT, ">&-", 3, "-: it cannot be used"),
        (TO_OUTPUT, ">/dev/full", 6, "no space left"),
        ("clean gone.jsonl -o o.jsonl", "2>&-", 3, ""),
        ("cleaners", ">&- 2>&-", 0, ""),
        ("cleaners", ">/dev/full", 6, "standard output: no space left"),
    ],
)
def test_redirections(folder: Path, arguments: str, redirected: str, code: int, said: str) -> None:
    command = f"exec {THRESHER} {arguments} {redirected}"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.count("\n") <= 1 or code == 0
    written = {"o.jsonl"} if code == 0 and "o.jsonl" in arguments else set()
    assert {path.name for path in folder.iterdir()} == {"pages.jsonl", *written}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["clean pages.jsonl -c words@2 -o /dev/stdout", "cleaners"])
def test_a_reader_that_has_enough(folder: Path, arguments: str) -> None:
    """As after `| head`: the exit code is that of programs which the system ends for it."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [THRESHER, *arguments.split()]
    done = subprocess.run(command, cwd=folder, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    assert {path.name for path in folder.iterdir()} == {"pages.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        # Text is escaped as in JSON; files and runs are UTF-8.
        ("import sys; sys.stdout.write('é 𝄞')", "\\u00e9 \\ud834\\udd1e"),
        (
            "from pathlib import Path; from thresher.evaluation.trec_files import write_run;"
            "write_run(Path('-'), {'é': [('d', 1.0)]}, 't')",
            "é Q0 d 1 1.000000 t\n",
        ),
    ],
)
def test_terminals_that_know_only_ascii(arguments: str, written: str) -> None:
    program = f"from thresher.cli.standard_streams import mend_standard_streams as mend; mend(); {arguments}"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert (done.stdout.decode(), done.stderr) == (written, b"")


@pytest.mark.slow
def test_a_terminal_that_goes_away(folder: Path) -> None:
    """SIGHUP is ignored, as `nohup` and `disown` do; the terminal is closed while the command is at work."""
    ours, theirs = pty.openpty()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = subprocess.Popen(
            [THRESHER, *TO_FILE.split()],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGHUP, before)
        os.close(theirs)
    while not (folder / ".o.jsonl.scores").exists() and process.poll() is None:
        time.sleep(0.002)
    os.close(ours)
    assert process.wait(60) == 0
    assert {path.name for path in folder.iterdir()} == {"pages.jsonl", "o.jsonl"}


@pytest.mark.slow
def test_a_pipe_that_does_not_wait(folder: Path) -> None:
    """As programs that share it may leave it: what does not fit at once comes later."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    process = subprocess.Popen(["sh", "-c", f"exec {THRESHER} cleaners --json"], stdout=theirs, cwd=folder)
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
    os.close(theirs)
    time.sleep(0.5)
    with os.fdopen(ours, "rb") as output:
        assert json.loads(output.read())
    assert process.wait(60) == 0


def test_progress_without_standard_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As in programs without a console, and on a full disk."""
    monkeypatch.setattr("thresher.base.progress.SECONDS", 0.0)
    with Path("/dev/full").open("w") as full:
        for stream in (None, full):
            monkeypatch.setattr("sys.stderr", stream)
            with Progress("reading", 2, "pages") as bar:
                bar.advance()
                bar.advance()
        monkeypatch.undo()
        # What is left in it cannot be written.
        with pytest.raises(OSError, match="No space left"):
            full.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
    assert capsys.readouterr().out == ""


def test_workers_do_not_get_the_numbers_of_closed_streams(folder: Path) -> None:
    """Otherwise what Java or C code prints would go to a file that is being written."""
    shown = subprocess.run(
        ["sh", "-c", f'exec {Path(THRESHER).with_name("python")} -c "$0" 0<&- 1>&- 2>&-', _SHOWS_STREAMS],
        cwd=folder,
        check=True,
    )
    assert shown.returncode == 0
    assert (folder / "streams.txt").read_text().split() == [os.devnull] * 3


_SHOWS_STREAMS = """
import os
from thresher.cli.standard_streams import mend_standard_streams
mend_standard_streams()
with open("streams.txt", "w") as file:
    print(*(os.readlink(f"/proc/self/fd/{number}") for number in range(3)), file=file)
"""
