"""Reading pages in another process: a page that crashes or hangs a parser ends that process alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any

from thresher.collections import Page
from thresher.collections.sources import too_large
from thresher.errors import InputError
from thresher.pages import PageOptions
from thresher.passes.parts import DEFAULT_LIMITS, Limits
from thresher.passes.workers import Worker, WorkerDied, alarm, exit_reason
from thresher.playing.page_views import View, page_view
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.cutting import clean_page
from thresher.scoring.store import score_page

Work = Callable[..., Any]
"""A function of a module that takes a page and more; arguments and result can be pickled."""

_OTHER = "try another page"


class PageProcess:
    """Does one page at a time; a page that is too large, or takes too long, is refused."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._lock = Lock()
        self._worker: Worker | None = None

    def call(self, work: Work, page: Page, *more: Any) -> Any:
        """Return `work(page, *more)`."""
        most = self.limits.mib * 2**20
        if len(page.content) > most:
            raise InputError(f"the page is {too_large(len(page.content), most)}", _OTHER)
        with self._lock:
            worker = self._worker = self._worker or Worker(1, partial(_done, seconds=self.limits.seconds))
            worker.begin((work, page, more))
            try:
                result, problem = worker.result()
            except WorkerDied as end:
                self._worker = None
                raise InputError(f"the page {exit_reason(end.code, self.limits.seconds, 'process')}", _OTHER) from end
        if problem:
            raise InputError(problem, _OTHER)
        return result

    def close(self) -> None:
        """End the process; the next page starts another."""
        if self._worker is not None:
            self._worker.end()
        self._worker = None


def _done(task: tuple[Work, Page, tuple[Any, ...]], seconds: float) -> tuple[Any, str]:
    work, page, more = task
    try:
        with alarm(seconds):
            return work(page, *more), ""
    except Exception as error:  # the next page may be a better one
        return None, f"the page cannot be read: {type(error).__name__}: {error}"


def scored_view(page: Page, scorers: Sequence[Scorer], options: PageOptions) -> View:
    """Score a page for a browser."""
    return page_view(score_page(page, scorers, options))


def cleaned_text(page: Page, cleaner: Cleaner, options: PageOptions) -> str:
    """Return what a cleaner leaves of a page."""
    cleaned = clean_page(score_page(page, cleaner.scorers, options), cleaner)
    if cleaned.problem:
        raise ValueError(cleaned.problem)
    return cleaned.text
