"""The pages of a pass that ended their workers, and the tasks that are repeated after a worker ended."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from thresher.base.errors import StateError
from thresher.base.isolation import CRASHES
from thresher.base.records import RecordFile
from thresher.collections import Part
from thresher.scores.limits import Limits, exit_reason
from thresher.scores.page_at_work import ENDING, PageAtWork, read_page_at_work
from thresher.scores.store import shard_path

CRASHED_PAGES = "crashed_pages.json"
"""The file of a store that lists the pages that ended a worker."""
_LOOK = "look at the machine's memory and disk, then run the same command again"


@dataclass(frozen=True)
class PartTask:
    """A part of the collection, and the pages of it that crashed a worker.

    Attributes:
        part: the part.
        crashed: reasons to skip pages, by their number in the part.
        crashed_helpers: reasons to skip helpers, by the number of the page and of the helper; see `guarded`.
        unread: number of the first page that crashes the part's reader, one of `crashed`; None if the reader does not
            crash.
    """

    part: Part
    crashed: Mapping[int, str] = field(default_factory=dict)
    crashed_helpers: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    unread: int | None = None


@dataclass(frozen=True)
class CrashedPages:
    """The content of `crashed_pages.json`. The first keys are the stems of the parts' outputs; see `PartTask`."""

    pages: dict[str, dict[int, str]] = field(default_factory=dict)
    helpers: dict[str, dict[int, dict[int, str]]] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)


_CRASHED_PAGES_FILE = RecordFile(CrashedPages, "a list of pages that crashed a worker", "delete the file", indent=2)


def page_at_work_path(folder: Path, part: Part) -> Path:
    """Return the file that says which page of a part a worker is at."""
    return shard_path(folder, part).with_suffix(ENDING)


def no_page_at_fault(what: str, where: str) -> StateError:
    """Return the error for workers that ended although no page made them."""
    return StateError(f"{what} and no page is at fault", _LOOK, where)


class CrashLog:
    """The pages that end the workers of a pass, as `crashed_pages.json` in the store's folder lists them."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._crashed = _CRASHED_PAGES_FILE.find(folder / CRASHED_PAGES) or CrashedPages()
        self._suspects: set[tuple[str, int | None, int | None]] = set()
        """Shard, page and helper at which a worker ended once."""

    def task(self, part: Part) -> PartTask:
        """Return the task to process a part without these pages."""
        name = self._name(part)
        return PartTask(
            part,
            crashed=self._crashed.pages.get(name, {}),
            crashed_helpers=self._crashed.helpers.get(name, {}),
            unread=self._crashed.unread.get(name),
        )

    def forget(self, part: Part) -> None:
        """Forget the pages of a part whose page numbers have changed."""
        name = self._name(part)
        self._crashed.pages.pop(name, None)
        self._crashed.helpers.pop(name, None)
        self._crashed.unread.pop(name, None)

    def retry(self, task: PartTask, code: int | None) -> PartTask:
        """Return the task to do after a worker ended with an exit code: the same task, or the part without the page at fault.

        A page is at fault if it took too long, or if two processes ended at it. If a helper was at work, the helper is
        at fault in place of the page. If a skipped page still crashes the process or takes too long, the reader is at fault.

        Raises:
            StateError: no page is at fault.
        """
        path = page_at_work_path(self._folder, task.part)
        at_work = read_page_at_work(path)
        # Otherwise a worker that ends before its first page would seem to have ended at this page.
        path.unlink(missing_ok=True)
        suspect = (self._name(task.part), at_work.page, at_work.helper)
        is_late = code == -signal.SIGALRM
        if not is_late and suspect not in self._suspects:
            self._suspects.add(suspect)
            return task
        self._blame(task, at_work, code)
        _CRASHED_PAGES_FILE.write(self._folder / CRASHED_PAGES, self._crashed)
        return self.task(task.part)

    def _blame(self, task: PartTask, at_work: PageAtWork, code: int | None) -> None:
        name = self._name(task.part)
        page = at_work.page
        reason = exit_reason(code, self._limits)
        if page is not None and at_work.helper is not None:
            helpers_of_page = self._crashed.helpers.setdefault(name, {}).setdefault(page, {})
            helpers_of_page[at_work.helper] = reason
        elif page is not None and page not in task.crashed:
            self._crashed.pages.setdefault(name, {})[page] = reason
        elif page is not None and (code in CRASHES or code == -signal.SIGALRM) and task.unread is None:
            self._crashed.unread[name] = page
        else:
            raise no_page_at_fault(f"a worker ended (exit code {code})", task.part.name or str(task.part.path))

    def _name(self, part: Part) -> str:
        return shard_path(self._folder, part).stem
