"""Extractors over many pages, in separate processes: a page that crashes an extractor costs that extractor only this page."""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from thresher.cleaneval.extractors import Extractor, decode_for_extractors
from thresher.cleaneval.gold import GoldPage
from thresher.files import fit_text, user_error
from thresher.passes.workers import alarm, exit_reason, run_watched
from thresher.streams import open_stream

SECONDS = 30.0
"""Default wall time that an extractor may take over a page."""


@dataclass(frozen=True)
class ExtractedPage:
    """What each extractor leaves of a page: its paragraphs, in the extractors' order.

    An extractor that raised, took too long or ended its process leaves nothing, and `problems` has the reason instead; the
    problem of an extractor that did well is empty.
    """

    stem: str
    texts: tuple[tuple[str, ...], ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class _Task:
    """A page for an extractor, both by their numbers; or the reason why there is none: it ended its process."""

    page: int
    extractor: int
    path: Path
    problem: str = ""


def run_extractors(
    pages: Sequence[GoldPage], extractors: Sequence[Extractor], workers: int = 1, seconds: float = SECONDS
) -> Iterator[ExtractedPage]:
    """Run every extractor over every page, in the order of the pages.

    Processes end with this generator, and with this process should it be killed. What packages write to
    standard output and error is lost.

    `seconds` is the wall time that an extractor may take over a page.
    """
    count = len(extractors)
    tasks = (_Task(number, at, page.path) for number, page in enumerate(pages) for at in range(count))
    extract = partial(_extract, extractors=extractors, seconds=seconds)
    instead = partial(_without_page, seconds=seconds)
    outcomes: dict[int, dict[int, tuple[tuple[str, ...], str]]] = defaultdict(dict)
    with closing(run_watched(workers, extract, tasks, instead)) as every:
        for number, page in enumerate(pages):
            found = outcomes[number]
            while len(found) < count:
                task, paragraphs, problem = next(every)
                outcomes[task.page][task.extractor] = paragraphs, problem
            texts, problems = zip(*(found[at] for at in range(count)), strict=True) if count else ((), ())
            yield ExtractedPage(page.stem, texts, problems)
            del outcomes[number]


def _without_page(task: _Task, code: int | None, seconds: float) -> _Task:
    return replace(task, problem=exit_reason(code, seconds, "process"))


def _extract(task: _Task, extractors: Sequence[Extractor], seconds: float) -> tuple[_Task, tuple[str, ...], str]:
    """Return the paragraphs found, or the problem why none; an extractor over its time ends this process by SIGALRM."""
    if task.problem:
        return task, (), task.problem
    _silence()
    extractor = extractors[task.extractor]
    # Before the clock runs. An extractor that cannot be imported says so of every page.
    with suppress(Exception):
        import_module(extractor.module)
    try:
        with open_stream(task.path) as stream:
            content, damage = stream.read(), stream.damage
    except OSError as error:
        raise user_error(error, task.path) from error
    if damage:
        return task, (), damage
    page = decode_for_extractors(content)
    try:
        with alarm(seconds):
            return task, tuple(fit_text(paragraph) for paragraph in extractor.extract(page)), ""
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error) or error.__cause__ or ''}"
        return task, (), fit_text(" ".join(reason.split()).removesuffix(":"))


@cache
def _silence() -> None:
    """Lose what packages print, log and warn of, also from C."""
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for standard in (1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
