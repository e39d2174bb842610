"""Passes over a collection: workers process its parts, finished parts are kept, and a crash costs only one page.

A `PartWork` defines how a page is processed and a part is written; `run_parts` does the rest. The position of the current page
is in a file beside the part's output, so that the parent knows which page crashed a worker. A page over the time limit ends
the process by SIGALRM, the only way to stop C code that holds the interpreter.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from thresher.base.cluster import on_dask
from thresher.base.defaults import DASK, PAGE_MIB, PAGE_SECONDS
from thresher.base.errors import InputError, StateError, ThresherError
from thresher.base.files import fit_text
from thresher.base.isolation import CRASHES, WorkerDied, call_silently, run_isolated
from thresher.base.processes import Backend
from thresher.base.progress import Progress
from thresher.base.records import RecordFile
from thresher.base.repeats import Times, measure_times
from thresher.collections import Collection, Part, Source
from thresher.collections.file_collection import Files
from thresher.collections.interface import check_unchanged, id_problem
from thresher.collections.parquet_rows import ParquetRows
from thresher.collections.sources import FileState, PageError, Span, too_large
from thresher.scores.amounts import amount, with_amounts

POISON = "poison.json"
"""The file that lists the pages that crashed a worker."""


@dataclass(frozen=True)
class PoisonPages:
    """The content of `poison.json`, by the stem of the part's output.

    Attributes:
        parts: reasons for skipping pages, by the position in the part.
        unread: the position from which a part cannot be read, since its reader crashes.
        without: reasons for skipping helpers, by the position in the part and the helper's number; see `guarded`.
    """

    parts: dict[str, dict[int, str]] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    without: dict[str, dict[int, dict[int, str]]] = field(default_factory=dict)


_POISON_FILE = RecordFile(PoisonPages, "a list of pages that crashed a worker", "delete the file", indent=2)

Row = TypeVar("Row")

# The page at work, the one that an earlier process ended at, when the page at work was begun, and the helper at work.
_POSITION = struct.Struct("<qqdq")
_NO_PAGE = _NO_HELPER = -1
_NO_POSITION = _POSITION.pack(_NO_PAGE, _NO_PAGE, 0.0, _NO_HELPER)
_NO_PAGE_AT_FAULT = "no page is at fault"
_LOOK = "look at the machine's memory and disk, then run the same command again"
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Limits:
    """Limits per page: `seconds` of wall time, `mib` of raw bytes."""

    seconds: float = PAGE_SECONDS
    mib: float = PAGE_MIB


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Task:
    """A part of the collection. `poison`: reasons for skipping pages, by position. `unread`, `without`: see `PoisonPages`."""

    part: Part
    poison: Mapping[int, str] = field(default_factory=dict)
    unread: int | None = None
    without: Mapping[int, Mapping[int, str]] = field(default_factory=dict)


@dataclass
class _AtWork:
    """Where the position of the page at work is, its limit, and the helpers to skip."""

    position: mmap.mmap
    seconds: float
    without: Mapping[int, str] = field(default_factory=dict)


_at_work: _AtWork | None = None


@contextmanager
def guarded(helper: int) -> Iterator[None]:
    """Give a helper, by its number, the whole time of a page; what ends the process there costs the helper this page alone.

    Without a pass over a collection nothing is guarded. A helper that ended its process at the page raises a `PageError`.
    """
    if _at_work is None:
        yield
        return
    if helper in _at_work.without:
        raise PageError(_at_work.without[helper], "leave the page out")
    page, suspected, _, _ = _POSITION.unpack(_at_work.position[:])
    left = signal.setitimer(signal.ITIMER_REAL, _at_work.seconds)[0]
    _at_work.position[:] = _POSITION.pack(page, suspected, time.time(), helper)
    try:
        yield
    finally:
        _at_work.position[:] = _POSITION.pack(page, suspected, time.time(), _NO_HELPER)
        signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """End this process by SIGALRM if the block takes longer: nothing else stops C code that holds the interpreter."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def exit_reason(code: int | None, seconds: float) -> str:
    """Return the reason why a page ended its worker: a timeout or a crash."""
    if code == -signal.SIGALRM:
        return f"took longer than {seconds:g} s"
    return f"ended its worker (exit code {code})"


@dataclass(frozen=True)
class Finished(Generic[Row]):
    """A part's rows in order, the reader's span, the seconds spent reading, and the total cost."""

    part: Part
    rows: list[Row]
    span: Span
    reading: float
    times: Times


@dataclass(frozen=True)
class PartReport:
    """A finished part: its documents, the exact begin of reading if given (else None), its span."""

    documents: int
    begin: int | None
    span: Span


@dataclass(frozen=True)
class PartWork(ABC, Generic[Row]):
    """Processing of pages, and writing of a part's output to `folder`.

    It is pickled to workers; those on other machines must see `folder` and the collection under the same path.
    """

    collection: Collection
    folder: Path
    limits: Limits = DEFAULT_LIMITS

    label = "reading"
    done = "read"
    is_noisy = False
    """Names of the pass for the progress bar and for messages about a page; whether what its C code prints is dropped."""

    @abstractmethod
    def output(self, part: Part) -> Path:
        """Return the file that exists when a part is finished."""

    @abstractmethod
    def take(self, source: Source, document_id: str) -> Row:
        """Return the row of a page; any exception but a `ThresherError` refuses the page."""

    @abstractmethod
    def refuse(self, source: Source, document_id: str, reason: str) -> Row:
        """Return the row of a page that failed; id and reason are valid Unicode."""

    @abstractmethod
    def write(self, finished: Finished[Row]) -> None:
        """Write a part's output atomically."""

    @abstractmethod
    def report(self, path: Path) -> PartReport:
        """Read the report on a finished part from its output."""

    def document_id(self, source: Source) -> str:
        """Return the id of a document; an `InputError` if it has none."""
        return source.id


def run_parts(work: PartWork[Any], part_pages: int, backend: Backend) -> None:
    """Process every part of a collection; finished parts are skipped.

    Pages that take too long or crash a worker are refused, with the reason. A part that carries its pages has at most
    `part_pages`.
    """
    work.folder.mkdir(parents=True, exist_ok=True)
    faults = Faults(work)
    files = work.collection.files()
    parts = partial(work.collection.parts, part_pages)
    # Left by a killed command: no process ends at them now.
    _forget_positions(work)
    while not _attempt(work, parts(), files, backend, faults):
        check_unchanged(files, work.collection)
        isolate(work, parts(), faults)
    check_unchanged(files, work.collection)
    _join(work, parts(), faults)
    # Left by runs killed just after writing a part.
    _forget_positions(work)


def _forget_positions(work: PartWork[Any]) -> None:
    for path in work.folder.glob("*.position"):
        path.unlink(missing_ok=True)


def _attempt(
    work: PartWork[Any], parts: Iterator[Part], files: Mapping[str, FileState], backend: Backend, faults: Faults
) -> bool:
    """Process all missing parts; return False if workers of a cluster died on one."""
    whole = True
    total, unit = amount(work.collection, files)
    with Progress(work.label, total, unit) as bar:
        # Of the parts at work, in the order in which they were begun, which is nearly that in which they end.
        begun: deque[int] = deque()

        def missing() -> Iterator[Task]:
            for part, more in with_amounts(parts, unit, files):
                if work.output(part).exists():
                    bar.advance(more)
                else:
                    begun.append(more)
                    yield faults.task(part)

        try:
            if backend.name == DASK:
                results = on_dask(backend.scheduler, (partial(_do_on_cluster, task, work=work) for task in missing()))
            else:
                results = run_isolated(backend.workers, _on_worker(work, _do_missing), missing(), faults.instead)
            for documents in results:
                whole = whole and documents is not None
                bar.advance(begun.popleft())
        except WorkerDied:
            return False
    return whole


def isolate(work: PartWork[Any], parts: Iterator[Part], faults: Faults) -> None:
    """Process the parts that a cluster left half done on this machine, without the pages that end their process."""
    suspects = [part for part in parts if position_path(work, part).exists() and not work.output(part).exists()]
    if not suspects:
        raise StateError(f"a worker ended and {_NO_PAGE_AT_FAULT}", _LOOK, str(work.folder))
    _do_here(work, suspects, faults)


def _do_here(work: PartWork[Any], parts: Sequence[Part], faults: Faults) -> None:
    for _ in run_isolated(Backend().workers, _on_worker(work, do_part), map(faults.task, parts), faults.instead):
        pass


def _on_worker(work: PartWork[Any], function: Callable[..., int]) -> Callable[[Task], int]:
    call = partial(function, work=work)
    # Arrow ends the process at some damaged files, with raw lines of what it threw; the part's last row says so.
    is_parquet = isinstance(work.collection, Files) and work.collection.format == ParquetRows.name
    return partial(call_silently, function=call) if is_parquet or work.is_noisy else call


class Faults:
    """The pages that end the workers of a pass, as `poison.json` in its folder lists them."""

    def __init__(self, work: PartWork[Any]) -> None:
        self._work = work
        self._poison = _POISON_FILE.find(work.folder / POISON) or PoisonPages()
        self._suspected: set[tuple[str, int | None, int]] = set()

    def task(self, part: Part) -> Task:
        """Return the task to process a part without these pages."""
        name = self._work.output(part).stem
        poison = self._poison
        return Task(part, poison.parts.get(name, {}), poison.unread.get(name), poison.without.get(name, {}))

    def forget(self, part: Part) -> None:
        """Forget the pages of a part, whose positions have changed."""
        name = self._work.output(part).stem
        self._poison.parts.pop(name, None)
        self._poison.unread.pop(name, None)
        self._poison.without.pop(name, None)

    def instead(self, task: Task, code: int | None) -> Task:
        """Decide what to retry after a worker died: the same task, or without the page at fault.

        A page is at fault if it took too long, or if its process ended twice; reading it is, if a crash then ends the process
        again. If a helper was at work, it is at fault in place of the page.
        """
        part = task.part
        path, name = position_path(self._work, part), self._work.output(part).stem
        position, helper = read_position(path)
        # Otherwise a worker that ends before its first page would be taken for one that ended at this page.
        path.unlink(missing_ok=True)
        if code != -signal.SIGALRM and (name, position, helper) not in self._suspected:
            self._suspected.add((name, position, helper))
            return task
        reason = exit_reason(code, self._work.limits.seconds)
        if position is not None and helper != _NO_HELPER:
            self._poison.without.setdefault(name, {}).setdefault(position, {})[helper] = reason
        elif position is not None and position not in task.poison:
            self._poison.parts.setdefault(name, {})[position] = reason
        elif position is not None and code in CRASHES and task.unread is None:
            self._poison.unread[name] = position
        else:
            what = f"a worker ended (exit code {code}) and {_NO_PAGE_AT_FAULT}"
            raise StateError(what, _LOOK, part.name or str(part.path))
        _POISON_FILE.write(self._work.folder / POISON, self._poison)
        return self.task(part)


def _join(work: PartWork[Any], parts: Iterator[Part], faults: Faults) -> None:
    """Check that each range of a file begins where the previous one ended; otherwise read it again from there.

    The first record found in a range may be nested in another one, such as a crawled WARC file.
    """
    after = 0
    for part in parts:
        if part.sources is not None:
            continue
        path = work.output(part)
        report = work.report(path)
        first = after if after < part.end else None
        if part.number and report.begin != after and report.span.first != first:
            path.unlink()
            # The positions refer to wrongly read pages.
            faults.forget(part)
            _do_here(work, [replace(part, begin=after, exact=True)], faults)
            report = work.report(path)
        # A range inside a record only knows its own end.
        after = max(after, report.span.after) if part.number else report.span.after


def _do_missing(task: Task, work: PartWork[Any], suspected: int = _NO_PAGE) -> int:
    """Process a part unless it is finished: a scheduler may run a task twice."""
    path = work.output(task.part)
    return work.report(path).documents if path.exists() else do_part(task, work, suspected)


def _do_on_cluster(task: Task, work: PartWork[Any]) -> int | None:
    """Process a part, or return None if it is to be isolated: one worker ended at a page over its time, or two at the same.

    Dask itself runs a task again until four workers have ended.
    """
    position, suspected, begun, _ = _read_positions(position_path(work, task.part))
    is_bad = position == suspected or time.time() - begun >= work.limits.seconds
    if position != _NO_PAGE and is_bad and not work.output(task.part).exists():
        return None
    return _do_missing(task, work, suspected=position)


def do_part(task: Task, work: PartWork[Any], suspected: int = _NO_PAGE) -> int:
    """Process a part in this process and return its number of documents; threads take turns, as there is one alarm.

    `suspected` is the position of the page that another process ended at.
    """
    global _at_work
    part = task.part
    rows: list[Any] = []
    span, reading = Span(None, part.end), 0.0
    sources = work.collection.read(part)
    with _ONE_AT_A_TIME:
        with measure_times() as watch, _position(position_path(work, part)) as position:
            while len(rows) != task.unread:
                position[:] = _POSITION.pack(len(rows), suspected, time.time(), _NO_HELPER)
                _at_work = _AtWork(position, work.limits.seconds, task.without.get(len(rows), {}))
                with alarm(work.limits.seconds):
                    begin = time.perf_counter()
                    try:
                        source = next(sources)
                    except StopIteration as end:
                        span = end.value
                        break
                    except OSError as error:
                        rows.append(work.refuse(Source("", part.name, 0), "", _unreadable(error)))
                        break
                    finally:
                        reading += time.perf_counter() - begin
                    rows.append(_row(work, source, task.poison.get(len(rows), "")))
            else:
                rows.append(work.refuse(Source("", part.name, 0), "", "cannot be read: its reader crashes"))
            position[:] = _NO_POSITION
        work.write(Finished(part, rows, span, reading, watch.times))
        position_path(work, part).unlink(missing_ok=True)
    return len(rows)


def _row(work: PartWork[Row], source: Source, poison: str) -> Row:
    document_id, reason = "", source.problem or ""
    try:
        document_id = work.document_id(source)
    except InputError as error:
        reason = reason or error.what
    reason = reason or id_problem(document_id) or poison
    most = work.limits.mib * 2**20
    if not reason and source.size > most:
        reason = too_large(source.size, most)
    if not reason:
        try:
            return work.take(source, document_id)
        except PageError as error:
            reason = error.what
        except ThresherError:
            raise
        except OSError as error:
            reason = _unreadable(error)
        except Exception as error:
            # One bad page must not end the pass over millions.
            reason = f"cannot be {work.done}: {type(error).__name__}: {error}"
    return work.refuse(source, fit_text(document_id), fit_text(" ".join(reason.split())))


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def position_path(work: PartWork[Any], part: Part) -> Path:
    """Return the file with the position of a part's current page."""
    return work.output(part).with_suffix(".position")


def read_position(path: Path) -> tuple[int | None, int]:
    """Return the position of a worker's last page, None if it was between pages, and the helper at work, -1 for none."""
    position, _, _, helper = _read_positions(path)
    return None if position == _NO_PAGE else position, helper


def _read_positions(path: Path) -> tuple[int, int, float, int]:
    try:
        position, suspected, begun, helper = _POSITION.unpack(path.read_bytes())
    except (OSError, struct.error):
        return _NO_PAGE, _NO_PAGE, 0.0, _NO_HELPER
    return position, suspected, begun, helper


@contextmanager
def _position(path: Path) -> Iterator[mmap.mmap]:
    global _at_work
    # A single call, since Dask may run another worker on the same part that removes the file.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(handle, _NO_POSITION)
        with mmap.mmap(handle, _POSITION.size) as position:
            yield position
    finally:
        _at_work = None
        os.close(handle)
