"""The pass over a collection: parts to workers, pages that end their worker, ranges that were begun in the wrong place."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from thresher.collections import Part
from thresher.errors import StateError
from thresher.passes.backends import Backend, WorkerDied, run
from thresher.progress import Progress
from thresher.pseudo_topics.worker import PAGES, Task, Work, extract_part, place_path, read_place, read_span, table_path

_PART_PAGES = 256


def gather(work: Work, workers: int) -> list[Part]:
    """Extract every page of a collection into the folder of `work`, and return the parts in order.

    A page that takes too long or ends its worker is noted as failed, and the pass goes on without it.

    Args:
        work: what to do.
        workers: how many processes; with one, and for a collection of one part, a process of its own as well.

    Raises:
        InputError: if the collection cannot be read.
        StateError: if workers end and no page is to blame.
    """
    parts: list[Part] = []
    with Progress("reading", None, "pages") as bar:

        def tasks() -> Iterator[Task]:
            for part in work.collection.parts(_PART_PAGES):
                # What was at hand need not stay in memory.
                parts.append(replace(part, sources=None if part.sources is None else ()))
                yield Task(part, {})

        try:
            for documents in run(Backend(workers=workers), partial(extract_part, work=work), tasks()):
                bar.advance(documents)
        except WorkerDied:
            parts = _missing(work)
    _join(parts, work)
    return parts


def _missing(work: Work) -> list[Part]:
    """Extract what is missing, each part by itself, and return all parts."""
    parts = []
    for part in work.collection.parts(_PART_PAGES):
        if not table_path(work.folder, part, PAGES).exists():
            _alone(part, work)
        parts.append(replace(part, sources=None if part.sources is None else ()))
    return parts


def _alone(part: Part, work: Work) -> None:
    """Extract a part in a process of its own, again without each page that ends it."""
    poison: dict[int, str] = {}
    place = place_path(work.folder, part)
    while True:
        place.unlink(missing_ok=True)
        process = multiprocessing.get_context("spawn").Process(target=extract_part, args=(Task(part, poison), work))
        process.start()
        process.join()
        if process.exitcode == 0:
            return
        position = read_place(place)
        if position is None or position in poison:
            raise StateError(
                f"a worker ended (exit code {process.exitcode}) and no page is to blame",
                "look at the machine's memory and disk, then run the same command again",
                part.name or str(part.path),
            )
        late = process.exitcode == -signal.SIGALRM
        poison[position] = (
            f"took longer than {work.limits.seconds:g} s"
            if late
            else f"ended its worker (exit code {process.exitcode})"
        )


def _join(parts: list[Part], work: Work) -> None:
    """See that each range of a file begins where the one before it ended, and read it again from there if not."""
    after = 0
    for place, part in enumerate(parts):
        if part.sources is not None:
            continue
        path = table_path(work.folder, part, PAGES)
        span = read_span(path)
        if part.number and span.first != (after if after < part.end else None):
            parts[place] = replace(part, begin=after, exact=True)
            path.unlink()
            _alone(parts[place], work)
            span = read_span(path)
        # A range within a record knows no more than its own end.
        after = max(after, span.after) if part.number else span.after
