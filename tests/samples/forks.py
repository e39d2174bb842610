"""Worker processes forked from this one, which has imported what they need, in place of new interpreters: Thresher's own,
loky's, and multiprocessing's by `spawn`. What they are to do still reaches them pickled, through a pipe."""

from __future__ import annotations

import faulthandler
import gc
import io
import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import process, resource_tracker, spawn, util
from multiprocessing.connection import Connection
from typing import Any

import psutil
from joblib.externals.loky.backend import fork_exec
from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.externals.loky.backend import spawn as loky_spawn

from thresher.passes import workers

_LOKY = "joblib.externals.loky.backend.popen_loky_posix"
_IGNORED = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
_start_loky = fork_exec.fork_exec
_start_spawned = util.spawnv_passfds
_start_interpreter = workers.start_interpreter


def forked_workers() -> AbstractContextManager[None]:
    """Fork the workers that are started within the block."""
    return _started_by(_fork_loky, _fork_spawned, _fork_interpreter)


def new_interpreters() -> AbstractContextManager[None]:
    """Start workers as users' are, within a block of `forked_workers` too."""
    return _started_by(_start_loky, _start_spawned, _start_interpreter)


@contextmanager
def _started_by(loky: Callable[..., int], spawned: Callable[..., int], own: Callable[..., Any]) -> Iterator[None]:
    before = fork_exec.fork_exec, util.spawnv_passfds, workers.start_interpreter
    fork_exec.fork_exec, util.spawnv_passfds, workers.start_interpreter = loky, spawned, own  # type: ignore[attr-defined]
    try:
        yield
    finally:
        fork_exec.fork_exec, util.spawnv_passfds, workers.start_interpreter = before  # type: ignore[attr-defined]


def workers_alive() -> list[int]:
    """Return the workers that this process has started, forked or not; those that look after shared files are none."""
    here = psutil.Process()
    own = here.cmdline()
    others = {tracker._resource_tracker._pid for tracker in (resource_tracker, loky_tracker)}
    lines = {}
    for child in here.children(recursive=True):
        # One may have ended by now.
        with suppress(psutil.NoSuchProcess):
            lines[child.pid] = child.cmdline()
    return [
        pid
        for pid, line in lines.items()
        if pid not in others and (line == own or _LOKY in line or _is_worker(" ".join(line)))
    ]


def _is_worker(line: str) -> bool:
    return "spawn_main(" in line or workers.PROGRAM in line


class Forked:
    """A process, as `subprocess.Popen` has one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def terminate(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGTERM)

    def wait(self) -> int:
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _fork_interpreter(descriptor: int, environment: Mapping[str, str]) -> Forked:
    return Forked(_forked(lambda: _serve(descriptor), [descriptor], environment))


def _serve(descriptor: int) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(descriptor)
    sys.path[:] = connection.recv()
    connection.recv()(connection)
    return 0


def _fork_loky(command: Sequence[str], kept: Sequence[int], env: Mapping[str, str] | None = None) -> int:
    if _LOKY not in command:
        return int(_start_loky(command, kept, env=env))
    pipe = int(command[command.index("--pipe") + 1])
    return _forked(lambda: _work(pipe, loky_spawn.prepare), kept, env or {})


def _fork_spawned(path: bytes, arguments: Sequence[str | bytes], kept: Sequence[int]) -> int:
    call = os.fsdecode(arguments[arguments.index("-c") + 1])
    if "spawn_main(" not in call:
        # The process that looks after shared files, loky's or multiprocessing's.
        return _forked(lambda: exec(call, {}), kept, {})
    pipe = int(call.partition("pipe_handle=")[2].partition(")")[0])
    return _forked(lambda: _work(pipe, spawn.prepare), kept, {})


def _work(pipe: int, prepare: Callable[[dict[str, Any]], object]) -> int:
    """Do what loky and multiprocessing do in a new interpreter."""
    sentinel = os.dup(pipe)
    with os.fdopen(pipe, "rb") as parent:
        current = process.current_process()
        current._inheriting = True  # type: ignore[attr-defined]
        try:
            # The main module is here already.
            prepare({name: value for name, value in pickle.load(parent).items() if not name.startswith("init_main")})
            worker = pickle.load(parent)
        finally:
            del current._inheriting  # type: ignore[attr-defined]
    return int(worker._bootstrap(sentinel))


def _forked(work: Callable[[], int | None], kept: Sequence[int], env: Mapping[str, str]) -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns of threads, of which none holds what a worker needs.
        warnings.simplefilter("ignore")
        child = os.fork()
    if child:
        return child
    code = 1
    try:
        gc.freeze()
        _like_new(kept)
        os.environ.update(env)
        code = work() or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        # Nothing may lead out of here but the end.
        with suppress(Exception):
            sys.stdout.flush()
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _like_new(kept: Sequence[int]) -> None:
    """Undo what an interpreter that has just begun would not have: handlers of signals, open files, filters of warnings."""
    faulthandler.disable()
    for number in signal.valid_signals():
        # Java's handlers are not seen from here.
        if number not in (signal.SIGKILL, signal.SIGSTOP) and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    after = 3
    for descriptor in sorted({*map(int, kept)}):
        os.closerange(after, descriptor)
        after = descriptor + 1
    os.closerange(after, os.sysconf("SC_OPEN_MAX"))
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), line_buffering=True)
        for number in (1, 2)
    )
    warnings.resetwarnings()
    for kind in _IGNORED:
        warnings.simplefilter("ignore", kind)
