"""Atomic file writes, digests and safe file names."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import socket
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from thresher.base.errors import InputError, ResourceError, ThresherError, is_out_of_memory, memory_error
from thresher.base.streams import open_stream

_TEMPORARY = ".thresher-"
# The names that `mkdtemp` makes for `temporary_folder`; users may call their own folders `.thresher-cache`.
_TEMPORARY_FOLDER = re.compile(r"\.thresher-[a-z0-9_]{8}\.\d+\.tmp")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Errors without a number: NumPy gives no reason for a failed write; `shutil.copytree` collects the messages of errors.
_NO_SPACE = re.compile(r"\d+ requested and \d+ written|No space left on device|Disk quota exceeded")
# The temporary names of `atomic_path` and `remove_folder`, with the numbers of machine and process.
_LEFTOVER = re.compile(r"\.(?P<name>.+)\.(?P<process>\d+)\.(old\.)?tmp")
# Linux numbers its processes below this.
_PROCESSES = 2**22
# The end of the folder of scores, beside the cleaned file.
_SCORES = ".scores"
_MACHINE = zlib.crc32(socket.gethostname().encode()) * _PROCESSES
# The final paths of temporary names of this process, for each open block of `without_leftovers`.
_WATCHED: list[set[Path]] = []


def user_error(error: OSError, path: Path | str) -> ThresherError:
    """Return the error shown to users for an operating-system error about `path`, or about its temporary file."""
    path = final_path(path)
    if is_out_of_memory(error):
        return memory_error(str(path))
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or _NO_SPACE.search(str(error)):
        return ResourceError("no space left on the disk", "free some space and run the same command again", str(path))
    if isinstance(error, FileNotFoundError):
        return InputError("there is no such file or folder", "check the path", str(path))
    if isinstance(error, PermissionError):
        return InputError("it may not be read or written", "change its permissions or choose another path", str(path))
    # `FileExistsError` means that a file is in the way of a folder.
    reason = os.strerror(errno.ENOTDIR) if isinstance(error, FileExistsError) else error.strerror or error
    return InputError(f"it cannot be used ({reason})", "check the path and the disk", str(path))


@contextmanager
def user_errors(path: Path | str) -> Iterator[None]:
    """Raise the error shown to users for an operating-system error about `path` in the block."""
    try:
        yield
    except OSError as error:
        raise user_error(error, path) from error


def final_path(path: Path | str) -> Path:
    """Map a path below a temporary name to the path that users know.

    >>> final_path("models/.self-4f.1234.tmp/words/text")
    PosixPath('models/self-4f')
    >>> final_path("out/.thresher-x1y2.1234.tmp/scores")
    PosixPath('out')
    """
    path = Path(path)
    for ancestor in (*reversed(path.parents), path):
        match = _LEFTOVER.fullmatch(ancestor.name)
        if match and ancestor.name.startswith(_TEMPORARY):
            return ancestor.parent
        if match:
            return ancestor.with_name(match["name"])
    return path


def real_path(path: Path) -> Path:
    """Return a path without links. Circular links stay: `Path.resolve` would raise a `RuntimeError`."""
    return Path(os.path.realpath(path))


def cache_folder() -> Path:
    """Return the folder for files made on first use, such as models: `$THRESHER_CACHE`, or in the user's cache folder."""
    chosen = os.environ.get("THRESHER_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "thresher"


def scores_beside(path: Path) -> Path:
    """Return the folder beside a file with the scores that the file is made from; it goes when the file is complete."""
    return path.with_name(f".{path.name}{_SCORES}")


def is_unfinished(name: str) -> bool:
    """Return whether this package gives the name to files and folders until they are finished.

    >>> [is_unfinished(name) for name in (".o.jsonl.scores", ".o.jsonl.1234.tmp", ".htaccess", "o.scores")]
    [True, True, False, False]
    """
    return name.startswith(".") and (name.endswith(_SCORES) or bool(_LEFTOVER.fullmatch(name)))


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, for a file or folder; rename it to `path` on success, remove it on error.

    If `path` is a link to a file, the link stays, and its target is replaced.
    """
    with suppress(OSError):
        if path.is_symlink() and not path.is_dir():
            path = real_path(path)
    temporary = _aside(path, "tmp")
    try:
        # A single `stat`, since another process may replace a folder meanwhile.
        with suppress(FileNotFoundError, NotADirectoryError):
            mode = path.stat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                # Renaming would replace a device or pipe by a file.
                raise InputError("it is not a file that can be replaced", "write to a file", str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove(temporary)
        yield temporary
        if not temporary.is_dir():
            with temporary.open("rb") as handle:
                os.fsync(handle.fileno())
        while True:
            if temporary.is_dir() and path.is_dir():
                with suppress(FileNotFoundError):
                    remove_folder(path)
            try:
                temporary.replace(path)
                break
            except OSError as error:
                # Another process put its folder there meanwhile: the last folder stays.
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
    except OSError as error:
        raise user_error(error, path) from error
    finally:
        # A failure to remove must not hide the first error.
        with suppress(OSError):
            _remove(temporary)


def remove_folder(folder: Path) -> None:
    """Remove a folder atomically."""
    doomed = _aside(folder, "old.tmp")
    _remove(doomed)
    folder.replace(doomed)
    _remove(doomed)


@contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside `path`, for temporary files; remove it at the end."""
    temporary = _aside(path, "tmp")
    _remove(temporary)
    temporary.mkdir(parents=True)
    try:
        yield temporary
    finally:
        _remove(temporary)


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder in `parent`, by default the system's folder for temporary files, and remove it at the end.

    Folders that killed processes left are removed first: they are no longer locked.
    """
    parent = parent or Path(tempfile.gettempdir())
    with user_errors(parent):
        for leftover in parent.glob(f"{_TEMPORARY}*"):
            if _TEMPORARY_FOLDER.fullmatch(leftover.name):
                with suppress(OSError), locked(leftover):
                    shutil.rmtree(leftover)
        while True:
            # `remove_leftovers` knows this name, too.
            folder = Path(tempfile.mkdtemp(_ending("tmp"), _TEMPORARY, parent)).absolute()
            lock = ExitStack()
            # Before the lock, another process may have removed the folder as a leftover.
            with suppress(OSError):
                lock.enter_context(locked(folder))
                if folder.exists():
                    break
    with lock:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def locked(path: Path, flags: int = _FOLDER, wait: bool = False) -> Iterator[int]:
    """Lock a folder, or with other flags of `os.open` a file, for this process, and yield its file descriptor.

    The system unlocks it at any end of the process. `wait` waits for other processes.
    """
    handle = os.open(path, flags, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield handle
    finally:
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files and folders of killed processes below `folder`.

    The caller must hold the lock of `folder`: temporary files of running processes have names of the same form.
    """
    # Listed first, since removing a folder disturbs the walk.
    for path in list(folder.rglob(".*.tmp")):
        if _LEFTOVER.fullmatch(path.name):
            _remove(path)


def remove_left(paths: Iterable[Path]) -> None:
    """Remove the temporary files and folders that killed processes of this machine left for these paths."""
    names_by_folder: dict[Path, set[str]] = {}
    for path in paths:
        names_by_folder.setdefault(path.parent, set()).add(path.name)
    for folder, names_of_files in names_by_folder.items():
        with suppress(OSError):
            for leftover in list(folder.iterdir()):
                match = _LEFTOVER.fullmatch(leftover.name)
                if match and match["name"] in names_of_files and _has_ended(int(match["process"])):
                    _remove(leftover)


def _has_ended(number: int) -> bool:
    """Return whether a process of this machine has ended; False for a process of another machine."""
    process = number - _MACHINE
    if not 0 < process < _PROCESSES:
        return False
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


@contextmanager
def without_leftovers() -> Iterator[None]:
    """At the end of a block without an error, do `remove_left` for all paths that this process has written in it."""
    written: set[Path] = set()
    _WATCHED.append(written)
    try:
        yield
    finally:
        _WATCHED.pop()
    remove_left(written)


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path` atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented JSON to `path` atomically."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Read a file, compressed or not, of at most `most` bytes once unpacked; None for any number."""
    with user_errors(path), open_stream(path) as stream:
        content = stream.read(-1 if most is None else most + 1)
        if most is not None and len(content) > most:
            raise InputError(f"it has more than {most // 2**20} MiB", "check the path", str(path))
        stream.check_whole()
    return content


def read_text(path: Path, most: int | None = None) -> str:
    """Read a UTF-8 file as `read_bytes` does; skip a byte order mark and normalise line ends to line feeds."""
    try:
        return read_bytes(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError("it is not UTF-8", "convert the file to UTF-8", f"{path}:{line}") from error


def kept_text(name: str, make: Callable[[], str]) -> str:
    """Return the text `name` of the cache folder, made on first use; made at each use if the folder cannot be written."""
    path = cache_folder() / name
    if path.is_file():
        return path.read_text(encoding="utf-8")
    text = make()
    with suppress(ThresherError):
        write_text(path, text)
    return text


def fit_text(text: str) -> str:
    """Return the text with surrogates replaced, for UTF-8 files."""
    return text.encode("utf-8", "replace").decode()


def digest(value: Any) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of the JSON value `value`."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with user_errors(path), path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def plugins(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of other installed packages in a group, by name; none is imported."""
    return _plugins(group, tuple(sys.path))


@cache
def _plugins(group: str, _path: tuple[str, ...]) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}


def safe_name(name: str) -> str:
    """Return a canonical name as a file name: characters other than letters, digits and `@+._=-` become `_`.

    >>> safe_name("perplexity(lm=books)@8000")
    'perplexity_lm=books_@8000'
    """
    return re.sub(r"[^A-Za-z0-9@+._=-]", "_", name)


def by_numbers(path: Path) -> tuple[int, ...]:
    """Return the numbers in a file's name: a sort key that does not depend on the number of digits.

    >>> by_numbers(Path("shard-000002-1000000.npz"))
    (2, 1000000)
    """
    return tuple(map(int, re.findall("[0-9]+", path.name)))


def _aside(path: Path, suffix: str) -> Path:
    for watched in _WATCHED:
        watched.add(path)
    return path.with_name(f".{path.name}{_ending(suffix)}")


def _ending(suffix: str) -> str:
    return f".{_MACHINE + os.getpid()}.{suffix}"


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    elif path.is_symlink() or path.exists():
        path.unlink(missing_ok=True)
