"""The pass over a collection: workers process its parts, finished parts stay, and a page that ends its worker is skipped.

`ScoreWork` scores a page and writes a part; `run_parts` does the rest.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from thresher.base.cluster import on_dask
from thresher.base.defaults import DASK
from thresher.base.errors import ThresherError
from thresher.base.files import fit_text
from thresher.base.isolation import WorkerDied, call_silently, run_isolated
from thresher.base.processes import Backend
from thresher.base.progress import Progress
from thresher.base.repeats import measure_times
from thresher.collections import Part, Source
from thresher.collections.file_collection import Files
from thresher.collections.interface import check_unchanged, id_problem
from thresher.collections.parquet_rows import ParquetRows
from thresher.collections.sources import FileState, PageError, Reading, Span, too_large
from thresher.scores.amounts import amount, with_amounts
from thresher.scores.crash_log import CrashLog, PartTask, no_page_at_fault, page_at_work_path
from thresher.scores.page_at_work import ENDING, PageClock, page_clock, read_page_at_work
from thresher.scores.score_work import ScoredPart, ScoreWork
from thresher.scores.store import PageScores, read_report

# A process has one clock, so threads of a Dask worker take turns.
_ONE_PART_AT_A_TIME = threading.Lock()


def run_parts(work: ScoreWork, part_pages: int, backend: Backend) -> None:
    """Process every part of a collection; finished parts are skipped.

    Pages that take too long or crash a worker are refused, with the reason. A part that carries its pages has at most
    `part_pages`.
    """
    work.folder.mkdir(parents=True, exist_ok=True)
    log = CrashLog(work.folder, work.limits)
    files = work.collection.files()
    list_parts = partial(work.collection.parts, part_pages)
    # Files that a killed command left: no process is at work on these pages now.
    _remove_page_files(work.folder)
    while not _process_missing(work, list_parts(), files, backend, log):
        check_unchanged(files, work.collection)
        _isolate(work, list_parts(), log)
    check_unchanged(files, work.collection)
    _join(work, list_parts(), log)
    # Files of runs that were killed just after they wrote a part.
    _remove_page_files(work.folder)


def process_part(task: PartTask, work: ScoreWork, suspect: int | None = None) -> int:
    """Process a part in this process, write its output, and return its number of documents.

    `suspect` is the number of the page at which another process ended.
    """
    path = page_at_work_path(work.folder, task.part)
    sources = _Timed(work.collection.read(task.part))
    with _ONE_PART_AT_A_TIME:
        with measure_times() as watch, page_clock(path, work.limits.seconds, suspect) as clock:
            pages = _process_pages(task, work, sources, clock)
        work.write(ScoredPart(task.part, pages.rows, pages.span, sources.seconds, watch.times))
        path.unlink(missing_ok=True)
    return len(pages.rows)


class _ProcessedPages(NamedTuple):
    """The rows of a part's pages, and the span of the part's file that was read."""

    rows: list[PageScores]
    span: Span


def _process_pages(task: PartTask, work: ScoreWork, sources: _Timed, clock: PageClock) -> _ProcessedPages:
    rows: list[PageScores] = []
    span = Span(None, task.part.end)
    while len(rows) != task.unread:
        number = len(rows)
        with clock.page(number, task.crashed_helpers.get(number, {}), number in task.crashed):
            try:
                source = sources.next()
            except StopIteration as end:
                span = end.value
                break
            except OSError as error:
                rows.append(_unread_rest(work, task.part, _unreadable(error)))
                break
            rows.append(_row(work, source, task.crashed.get(number, "")))
    else:
        rows.append(_unread_rest(work, task.part, f"cannot be read: its reader {task.crashed[len(rows)]}"))
    clock.write(page=None)
    return _ProcessedPages(rows, span)


class _Timed:
    """The documents of a part, and the seconds that reading them took."""

    def __init__(self, sources: Reading) -> None:
        self.seconds = 0.0
        self._sources = sources

    def next(self) -> Source:
        begin = time.perf_counter()
        try:
            return next(self._sources)
        finally:
            self.seconds += time.perf_counter() - begin


def _process_missing(
    work: ScoreWork, parts: Iterator[Part], files: Mapping[str, FileState], backend: Backend, log: CrashLog
) -> bool:
    """Process all missing parts; return whether all are done. A cluster leaves parts undone at which its workers end."""
    is_complete = True
    total, unit = amount(work.collection, files)
    with Progress("scoring", total, unit) as bar:
        # The parts at work are in the order of their start, which is nearly the order of their end.
        amounts: deque[int] = deque()

        def missing_tasks() -> Iterator[PartTask]:
            for part, part_amount in with_amounts(parts, unit, files):
                if work.output(part).exists():
                    bar.advance(part_amount)
                else:
                    amounts.append(part_amount)
                    yield log.task(part)

        results: Iterator[int | None]
        if backend.name == DASK:
            calls = (partial(_process_on_cluster, task, work=work) for task in missing_tasks())
            results = on_dask(backend.scheduler, calls)
        else:
            results = run_isolated(backend.workers, _for_workers(work, _process_if_missing), missing_tasks(), log.retry)
        try:
            for documents in results:
                is_complete = is_complete and documents is not None
                bar.advance(amounts.popleft())
        except WorkerDied:
            return False
    return is_complete


def _isolate(work: ScoreWork, parts: Iterator[Part], log: CrashLog) -> None:
    """Process the parts that a cluster left undone on this machine, without the pages that end their process."""
    suspects = []
    for part in parts:
        if page_at_work_path(work.folder, part).exists() and not work.output(part).exists():
            suspects.append(part)
    if not suspects:
        raise no_page_at_fault("a worker ended", str(work.folder))
    _process_here(work, suspects, log)


def _process_here(work: ScoreWork, parts: Sequence[Part], log: CrashLog) -> None:
    tasks = map(log.task, parts)
    for _ in run_isolated(Backend().workers, _for_workers(work, process_part), tasks, log.retry):
        pass


def _for_workers(work: ScoreWork, function: Callable[..., int]) -> Callable[[PartTask], int]:
    call = partial(function, work=work)
    # Arrow ends the process at some damaged files, with raw lines about the exception. The part's last row has the reason.
    is_parquet = isinstance(work.collection, Files) and work.collection.format == ParquetRows.name
    if is_parquet or work.is_noisy:
        return partial(call_silently, function=call)
    return call


def _join(work: ScoreWork, parts: Iterator[Part], log: CrashLog) -> None:
    """Check that each range of a file begins where the previous one ended; otherwise read it again from there.

    The first record of a range may lie in another record, such as a crawled WARC file.
    """
    previous_end = 0
    for part in parts:
        if part.sources is not None:
            continue
        path = work.output(part)
        report = read_report(path)
        expected_first = previous_end if previous_end < part.end else None
        if part.number and report.begin != previous_end and report.first != expected_first:
            path.unlink()
            # The page numbers in the crash log count wrongly read pages.
            log.forget(part)
            _process_here(work, [replace(part, begin=previous_end, exact=True)], log)
            report = read_report(path)
        # A range in the middle of a record knows only its own end.
        previous_end = max(previous_end, report.after) if part.number else report.after


def _process_if_missing(task: PartTask, work: ScoreWork, suspect: int | None = None) -> int:
    """Process a part unless it is finished: a scheduler may run a task twice."""
    path = work.output(task.part)
    if path.exists():
        return read_report(path).documents
    return process_part(task, work, suspect)


def _process_on_cluster(task: PartTask, work: ScoreWork) -> int | None:
    """Process a part, or return None if it is to be isolated: one worker ended at a page over its time, or two at one page.

    Dask itself runs a task again until four workers have ended.
    """
    at_work = read_page_at_work(page_at_work_path(work.folder, task.part))
    if at_work.page is not None and not work.output(task.part).exists():
        is_late = time.time() - at_work.begun >= work.limits.seconds
        if is_late or at_work.page == at_work.suspect:
            return None
    return _process_if_missing(task, work, suspect=at_work.page)


def _row(work: ScoreWork, source: Source, crash_reason: str) -> PageScores:
    any_text = work.collection.options.any_ids
    reason = source.problem or id_problem(source.id, any_text) or crash_reason
    most_bytes = work.limits.mib * 2**20
    if not reason and source.size > most_bytes:
        reason = too_large(source.size, most_bytes)
    if not reason:
        try:
            return work.take(source, source.id)
        except PageError as error:
            reason = error.what
        except ThresherError:
            raise
        except OSError as error:
            reason = _unreadable(error)
        except Exception as error:
            # One bad page must not end the pass over millions.
            reason = f"cannot be scored: {type(error).__name__}: {error}"
    return work.refuse(source, fit_text(source.id), fit_text(" ".join(reason.split())))


def _unread_rest(work: ScoreWork, part: Part, reason: str) -> PageScores:
    """Return the row that stands for the rest of a part."""
    return work.refuse(Source("", part.name, 0), "", reason)


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def _remove_page_files(folder: Path) -> None:
    for path in folder.glob(f"*{ENDING}"):
        path.unlink(missing_ok=True)
