"""What a worker process does: read and score one shard, under a limit of time and size a page."""

from __future__ import annotations

import mmap
import os
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from thresher.collections import Collection, Part, Source
from thresher.collections.ids import id_problem
from thresher.collections.records import Span, too_large
from thresher.costs import measure_times
from thresher.defaults import PAGE_MIB, PAGE_SECONDS
from thresher.errors import ThresherError
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.passes.guards import alarm, end_with_parent
from thresher.scorers.base import Scorer
from thresher.scoring.store import (
    FAILED,
    PageScores,
    ShardReport,
    Spent,
    count,
    read_report,
    score_page,
    shard_path,
    write_shard,
)

_PLACE = struct.Struct("<q")
_NO_PAGE = -1
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Limits:
    """What a page may take: `seconds` of wall time, `mib` of raw bytes."""

    seconds: float = PAGE_SECONDS
    mib: float = PAGE_MIB


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Work:
    """What all shards of a pass have in common: where from and where to, and what to do with a page.

    `labels` keeps which blocks are list items, too.
    """

    collection: Collection
    folder: Path
    scorers: tuple[Scorer, ...]
    options: PageOptions = DEFAULT_OPTIONS
    limits: Limits = DEFAULT_LIMITS
    labels: bool = False


@dataclass(frozen=True)
class Shard:
    """A part of the collection. `poison` gives, by position, why a page must not be tried again."""

    part: Part
    poison: Mapping[int, str] = field(default_factory=dict)


def score_missing(shard: Shard, work: Work) -> int:
    """Score a shard unless it is there, and return how many pages it has: a scheduler may give out a task twice."""
    path = shard_path(work.folder, shard.part)
    return read_report(path).documents if path.exists() else score_shard(shard, work)


def score_shard(shard: Shard, work: Work) -> int:
    """Read and score a shard's pages, write them to the store, and return how many there are.

    While a page is worked on, its position stands in a file beside the shard, so that the parent knows which page ended a
    worker. A page over the limit of time ends the process by SIGALRM: C code that holds the interpreter can be stopped in
    no other way. Threads of one process take turns, for there is one alarm.
    """
    with _ONE_AT_A_TIME:
        end_with_parent()
        with measure_times() as watch, _place(place_path(work.folder, shard.part)) as place:
            pages, span, reading = _score_all(shard, work, place)
        seconds = Counter({"pages": reading})
        for page in pages:
            seconds.update(page.seconds)
        path = shard_path(work.folder, shard.part)
        report = ShardReport(
            len(pages),
            **count(pages),
            words=sum(int(page.segments.words_in_sentences.sum()) for page in pages if page.segments),
            bytes=sum(page.bytes for page in pages),
            begin=shard.part.begin if shard.part.exact else None,
            first=span.first,
            after=span.after,
        )
        names = [scorer.canonical_name for scorer in work.scorers]
        write_shard(path, pages, names, report, Spent(dict(seconds), watch.times), work.labels)
        place_path(work.folder, shard.part).unlink(missing_ok=True)
        return len(pages)


def _score_all(shard: Shard, work: Work, place: mmap.mmap) -> tuple[list[PageScores], Span, float]:
    """Return the pages in order, the reader's span, and the seconds that reading took."""
    pages: list[PageScores] = []
    span = Span(None, shard.part.end)
    sources = work.collection.read(shard.part)
    reading = 0.0
    while True:
        place[:] = _PLACE.pack(len(pages))
        with alarm(work.limits.seconds):
            begin = time.perf_counter()
            try:
                source = next(sources)
            except StopIteration as end:
                span = end.value
                break
            except OSError as error:
                reason = f"cannot be read: {error.strerror or error}"
                pages.append(PageScores("", FAILED, reason, shard.part.name))
                break
            finally:
                reading += time.perf_counter() - begin
            page = _score(source, shard.poison.get(len(pages)), work)
            url = source.url.encode("utf-8", "replace").decode() if source.url else None
            pages.append(replace(page, file=source.file, offset=source.offset, url=url))
    place[:] = _PLACE.pack(_NO_PAGE)
    return pages, span, reading


def place_path(folder: Path, part: Part) -> Path:
    """Return the file that tells which page of a part is being worked on."""
    return shard_path(folder, part).with_suffix(".place")


def read_place(path: Path) -> int | None:
    """Return the position of the page a worker was on, or None if it was on none."""
    try:
        (position,) = _PLACE.unpack(path.read_bytes())
    except (OSError, struct.error):
        return None
    return None if position == _NO_PAGE else int(position)


def _score(source: Source, poison: str | None, work: Work) -> PageScores:
    limits = work.limits
    reason = source.problem or id_problem(source.id) or poison
    if not reason and source.size > limits.mib * 2**20:
        reason = too_large(source.size, limits.mib * 2**20)
    if not reason:
        try:
            return score_page(source.page(), work.scorers, work.options, work.labels)
        except ThresherError:
            raise
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        except Exception as error:
            # One page that a parser or scorer cannot take must not end the pass over millions.
            reason = f"cannot be scored: {type(error).__name__}: {error}"
    fit = " ".join(reason.split()).encode("utf-8", "replace").decode()
    document_id = source.id.encode("utf-8", "replace").decode()
    return PageScores(document_id, FAILED, fit, bytes=source.size)


@contextmanager
def _place(path: Path) -> Iterator[mmap.mmap]:
    # One call, so that another worker on the same shard that ends just now (Dask starts some twice) takes nothing away.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(handle, _PLACE.pack(_NO_PAGE))
        with mmap.mmap(handle, _PLACE.size) as place:
            yield place
    finally:
        os.close(handle)
