from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import assert_names
from temporary_names import number_on_this_machine

from thresher.base.errors import InputError, ResourceError, is_out_of_memory
from thresher.base.files import (
    atomic_path,
    cache_folder,
    digest,
    file_digest,
    read_text,
    remove_folder,
    remove_leftovers,
    safe_name,
    temporary_folder,
    user_error,
    without_leftovers,
    write_json,
    write_text,
)
from thresher.base.processes import worker_ended


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_half(path: Path, error: Exception, as_folder: bool = False) -> None:
    """Fail in the midst of writing a file, or a folder with a file in it."""
    with atomic_path(path) as temporary:
        if as_folder:
            temporary.mkdir()
        (temporary / "half" if as_folder else temporary).write_text("half")
        raise error


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    write_text(path, "first\r\n")
    assert path.read_bytes() == b"first\r\n"
    with pytest.raises(ZeroDivisionError):
        write_half(path, ZeroDivisionError())
    assert path.read_bytes() == b"first\r\n"
    write_json(path, {"größe": 1})
    assert path.read_text(encoding="utf-8") == '{\n  "größe": 1\n}\n'
    assert names(path.parent) == ["file.txt"]


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    for number in (1, 2):
        with atomic_path(path) as temporary:
            temporary.mkdir()
            (temporary / f"file{number}").write_text("x")
    assert names(path) == ["file2"]
    with pytest.raises(ZeroDivisionError):
        write_half(path, ZeroDivisionError(), as_folder=True)
    assert names(path) == ["file2"]
    assert names(tmp_path) == ["folder"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("write", [np.ndarray.tofile, lambda values, file: np.save(file, values)])
def test_a_disk_that_is_full_when_numpy_writes(write: Callable[[Any, Any], object], tmp_path: Path) -> None:
    full = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
    with pytest.raises(ResourceError, match="no space left on the disk"), full, atomic_path(tmp_path / "model"):
        write(np.zeros(100_000), full)


@pytest.mark.parametrize(
    "full",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
        shutil.Error([("index/_0.cfs", "copy/_0.cfs", "[Errno 28] No space left on device: 'copy/_0.cfs'")]),
    ],
    ids=["disk", "quota", "copied folder"],
)
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, full: OSError) -> None:
    path = tmp_path / "file.txt"
    with pytest.raises(ResourceError) as error:
        write_half(path, full)
    assert_names(error.value, f"{path}: ", "on the disk", "Fix: ", "same command again")
    assert error.value.exit_code == 6
    assert names(tmp_path) == []


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    for path in (tmp_path / "file" / "x", tmp_path / "file" / "x" / "y"):
        with pytest.raises(InputError) as error:
            write_text(path, "text")
        assert_names(error.value, f"{path}: ", "(Not a directory)", "Fix: ", "and the disk")
    with pytest.raises(InputError):
        write_text(tmp_path, "text")
    with pytest.raises(InputError):
        write_text(tmp_path / ("x" * 300), "text")
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "precious"


def test_leftovers_of_killed_processes_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".none.123.tmp", ".a.json.7.tmp", ".scores.99.old.tmp", ".b.tmp", "c.1.tmp", ".lock", "none"):
        (tmp_path / "deep").mkdir(exist_ok=True)
        (tmp_path / "deep" / name).write_text("x")
    (tmp_path / ".index.5.tmp").mkdir()
    (tmp_path / ".index.5.tmp" / ".inner.5.tmp").write_text("x")
    remove_leftovers(tmp_path)
    assert names(tmp_path) == ["deep"]
    assert names(tmp_path / "deep") == [".b.tmp", ".lock", "c.1.tmp", "none"]


def test_what_a_block_has_written_leaves_nothing_of_killed_processes(tmp_path: Path) -> None:
    """Of this machine's, not of others'; not if the block fails; and nothing of names that the block has not written."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    dead, living = (number_on_this_machine(process) for process in (ended.pid, os.getppid()))
    kept = [f".a.{living}.tmp", f".a.{ended.pid}.tmp", f".b.{dead}.tmp", ".a.tmp", "a.1.tmp"]
    left = [f".a.{dead}.tmp", f".a.{dead}.old.tmp"]
    for name in (*kept, *left):
        (tmp_path / name).mkdir()
    with pytest.raises(InputError), without_leftovers():
        write_half(tmp_path / "a", FileNotFoundError())
    with without_leftovers():
        write_text(tmp_path / "deep" / "a", "text")
    assert names(tmp_path) == sorted([*kept, *left, "deep"])
    with without_leftovers():
        write_text(tmp_path / "a", "text")
    assert names(tmp_path) == sorted([*kept, "a", "deep"])


def test_remove_folder(tmp_path: Path) -> None:
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "folder" / "deep" / "file").write_text("xyz")
    remove_folder(tmp_path / "folder")
    assert names(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        remove_folder(tmp_path / "folder")


def test_errors_of_the_system_in_words() -> None:
    cases = {
        errno.ENOENT: ("no such file or folder", "Fix: ", "check the path."),
        errno.EACCES: ("may not be read or written", "Fix: ", "permissions", "another path"),
        errno.EIO: ("(Input/output error)", "Fix: ", "path and the disk"),
        errno.EEXIST: ("(Not a directory)", "Fix: ", "path and the disk"),
    }
    for number, facts in cases.items():
        assert_names(user_error(OSError(number, os.strerror(number)), "x"), "x: ", *facts)


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("models/self", "models/self"),
        ("models/.self-4f.1234.tmp", "models/self-4f"),
        ("models/.self-4f.1234.tmp/words/.text.1234.tmp/part", "models/self-4f"),
        ("out/.index.1234.old.tmp/segments", "out/index"),
        ("out/.thresher-x1y2.1234.tmp/scores/.model.1234.tmp", "out"),
        (".hidden.tmp/12.tmp", ".hidden.tmp/12.tmp"),
    ],
)
def test_errors_name_what_temporary_files_are_for(path: str, known: str) -> None:
    error = user_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), path)
    assert_names(error, f"{known}: ", "on the disk", "Fix: ", "same command again")
    assert worker_ended("reading text", path).where == known


@pytest.mark.parametrize(
    ("error", "says_so"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)), True),
        (OSError("ZSTD compression failed: Allocation error : not enough memory"), True),
        (pa.ArrowMemoryError("malloc of size 1048576 failed"), True),
        (ImportError("vl_convert.abi3.so: failed to map segment from shared object"), True),
        (RuntimeError("can't start new thread"), True),
        (SystemError("<function __getattr__ at 0x7f> returned NULL without setting an exception"), True),
        (OSError(errno.EIO, os.strerror(errno.EIO)), False),
        (ImportError("libGL.so.1: cannot open shared object file: No such file or directory"), False),
    ],
)
def test_errors_of_any_class_that_say_that_memory_is_exhausted(error: Exception, says_so: bool) -> None:
    assert is_out_of_memory(error) == says_so
    if isinstance(error, OSError):
        assert isinstance(user_error(error, "x"), ResourceError) == says_so


def test_read_text_says_which_line_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"\xef\xbb\xbfone\ntwo")
    assert read_text(path) == "one\ntwo"
    path.write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(InputError) as error:
        read_text(path)
    assert_names(error.value, f"{path}:2: ", "UTF-8", "Fix: ", "UTF-8")


def test_digests(tmp_path: Path) -> None:
    assert digest({"b": 1, "a": [None, "ü"]}) == digest({"a": [None, "ü"], "b": 1})
    assert digest({"a": 1}) != digest({"a": "1"})
    assert digest([]) == hashlib.sha256(b"[]").hexdigest()[:16]
    (tmp_path / "file").write_bytes(b"abc")
    assert file_digest(tmp_path / "file") == hashlib.sha256(b"abc").hexdigest()
    with pytest.raises(InputError):
        file_digest(tmp_path / "gone")


@given(st.text())
def test_safe_names_are_safe(name: str) -> None:
    safe = safe_name(name)
    assert len(safe) == len(name)
    assert "/" not in safe
    assert "\0" not in safe
    assert safe_name(safe) == safe


@pytest.mark.slow
def test_of_folders_that_processes_write_at_the_same_time_the_last_one_stays(tmp_path: Path) -> None:
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom thresher.base.files import atomic_path\n"
        "for number in range(200):\n"
        "    with atomic_path(Path(sys.argv[1])) as folder:\n"
        "        folder.mkdir()\n"
        "        for name in 'ab':\n            (folder / name).write_text(f'{os.getpid()} {number}')\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "model")]
    others = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [other.communicate()[1] for other in others] == [""] * 3
    assert names(tmp_path) == ["model"]
    first, second = ((tmp_path / "model" / name).read_text() for name in "ab")
    assert first == second in {f"{other.pid} 199" for other in others}


def test_folders_of_killed_processes_are_swept_and_no_others(tmp_path: Path) -> None:
    """Three processes: one is killed, one goes on, and this one comes next."""
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom thresher.base.files import temporary_folder\n"
        "with temporary_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'file').touch()\n    print(folder, flush=True)\n    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    others = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        killed, alive = (Path((other.stdout or io.StringIO()).readline().strip()) for other in others)
        others[0].kill()
        others[0].wait()
        assert (killed / "file").exists()
        # Folders of the user.
        mine = {tmp_path / name for name in (".thresher-cache", ".thresher-mine", ".thresher-notes.1.tmp", ".thresher")}
        for path in mine:
            path.mkdir()
            (path / "thesis.txt").touch()
        with temporary_folder(tmp_path) as folder:
            assert {*tmp_path.iterdir()} == {alive, folder, *mine}
        assert {*tmp_path.iterdir()} == {alive, *mine}
        assert all((path / "thesis.txt").exists() for path in mine)
        assert (alive / "file").exists()
    finally:
        for other in others:
            other.kill()
            other.communicate()


def test_where_what_is_made_on_first_use_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_CACHE", "/x/y")
    assert cache_folder() == Path("/x/y")
    monkeypatch.setenv("THRESHER_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/thresher")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == Path("/home/someone/.cache/thresher")
    assert os.environ["THRESHER_CACHE"] == ""
