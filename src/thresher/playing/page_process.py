"""Reading pages in another process: a page that crashes or hangs a parser ends that process alone."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Lock
from typing import Any

from thresher.collections import Page
from thresher.collections.sources import too_large
from thresher.errors import InputError
from thresher.pages import PageOptions
from thresher.passes.backends import end_with_parent
from thresher.passes.parts import DEFAULT_LIMITS, Limits
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
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def call(self, work: Work, page: Page, *more: Any) -> Any:
        """Return `work(page, *more)`.

        Raises:
            InputError: if the page is too large or takes too long, or if the function fails or crashes.
        """
        most = self.limits.mib * 2**20
        if len(page.content) > most:
            raise InputError(f"the page is {too_large(len(page.content), most)}", _OTHER)
        with self._lock:
            pipe = self._running()
            try:
                pipe.send((work, page, more))
                if not pipe.poll(self.limits.seconds):
                    self.close()
                    raise InputError(f"the page took longer than {self.limits.seconds:g} seconds", _OTHER)
                result, problem = pipe.recv()
            except (EOFError, OSError) as error:
                self.close()
                raise InputError("the page crashed the parser", _OTHER) from error
        if problem:
            raise InputError(problem, _OTHER)
        return result

    def close(self) -> None:
        """End the process; the next page starts another."""
        if self._process is not None and self._pipe is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process = self._pipe = None

    def _running(self) -> Connection:
        if self._process is None or self._pipe is None or not self._process.is_alive():
            self.close()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
            self._process.start()
            theirs.close()
            # Starting is not a part of a page's time. A process that cannot start closes its end.
            self._pipe.poll(None)
            self._pipe.recv()
        return self._pipe


def _serve(pipe: Connection, parent: int) -> None:
    end_with_parent(parent)
    pipe.send(None)
    while True:
        try:
            work, page, more = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((work(page, *more), ""))
        except Exception as error:  # the next page may be a better one
            pipe.send((None, f"the page cannot be read: {type(error).__name__}: {error}"))


def scored_view(page: Page, scorers: Sequence[Scorer], options: PageOptions) -> View:
    """Score a page for a browser."""
    return page_view(score_page(page, scorers, options))


def cleaned_text(page: Page, cleaner: Cleaner, options: PageOptions) -> str:
    """Return what a cleaner leaves of a page.

    Raises:
        ValueError: if the page cannot be parsed.
    """
    cleaned = clean_page(score_page(page, cleaner.scorers, options), cleaner)
    if cleaned.problem:
        raise ValueError(cleaned.problem)
    return cleaned.text
