"""What a worker process does: score one shard, under a limit of time and size a page."""

from __future__ import annotations

import mmap
import multiprocessing
import os
import resource
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from thresher.collections import Source
from thresher.errors import ThresherError
from thresher.pages import PageOptions
from thresher.pruning.page_scores import FAILED, PageScores, score_page
from thresher.pruning.store import ShardReport, count, shard_path, write_shard
from thresher.scorers.base import Scorer

_PLACE = struct.Struct("<q")
_NO_PAGE = -1
_PARENT_SECONDS = 1.0


@dataclass(frozen=True)
class Limits:
    """What a page may take: `seconds` of wall time, `mib` of raw bytes."""

    seconds: float = 30.0
    mib: float = 16.0


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Shard:
    """Some documents in a row. `poison` gives, by position, why a page must not be tried again."""

    number: int
    sources: tuple[Source, ...]
    poison: Mapping[int, str]


def score_shard(
    shard: Shard,
    folder: Path,
    scorers: Sequence[Scorer],
    options: PageOptions,
    limits: Limits,
    labels: bool = False,
) -> ShardReport:
    """Score a shard's pages and write them to the store in `folder`, with `labels` also which blocks are list items.

    While a page is worked on, its position stands in a file beside the shard, so that the parent knows which page ended a
    worker. A page over the limit of time ends the process by SIGALRM: C code that holds the interpreter can be stopped in
    no other way.
    """
    _end_with_parent()
    start, cpu = time.perf_counter(), time.process_time()
    pages = []
    with _place(folder, shard.number) as place:
        for position, source in enumerate(shard.sources):
            place[:] = _PLACE.pack(position)
            with _alarm(limits.seconds):
                pages.append(_score(source, shard.poison.get(position), scorers, options, limits, labels))
        place[:] = _PLACE.pack(_NO_PAGE)
    counts = count(pages)
    seconds: dict[str, float] = {}
    for page in pages:
        for stage, spent in page.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + spent
    report = ShardReport(
        shard.number,
        len(pages),
        **counts,
        words=sum(int(page.segments.words_in_sentences.sum()) for page in pages if page.segments),
        bytes=sum(page.bytes for page in pages),
        seconds=seconds,
        wall_seconds=time.perf_counter() - start,
        cpu_seconds=time.process_time() - cpu,
        peak_mib=peak_mib(),
    )
    write_shard(shard_path(folder, shard.number), pages, [scorer.canonical_name for scorer in scorers], report, labels)
    place_path(folder, shard.number).unlink(missing_ok=True)
    return report


def place_path(folder: Path, shard: int) -> Path:
    """Return the file that tells which page of a shard is being worked on."""
    return folder / f"shard-{shard:06}.place"


def read_place(path: Path) -> int | None:
    """Return the position of the page a worker was on, or None if it was on none."""
    try:
        (position,) = _PLACE.unpack(path.read_bytes())
    except (OSError, struct.error):
        return None
    return None if position == _NO_PAGE else int(position)


def peak_mib() -> float:
    """Return the most memory this process ever held, in MiB."""
    # Linux hands the peak in `getrusage` down to children, so that a worker would report its parent's.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


@cache
def _end_with_parent() -> None:
    """End this process when its parent does: a killed parent cannot tell its workers, which would wait for more."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        os._exit(1)

    if multiprocessing.parent_process() is not None:
        threading.Thread(target=watch, daemon=True).start()


def _score(
    source: Source,
    poison: str | None,
    scorers: Sequence[Scorer],
    options: PageOptions,
    limits: Limits,
    labels: bool,
) -> PageScores:
    reason = poison or source.problem
    if not reason and source.size > limits.mib * 2**20:
        reason = f"too large: {source.size / 2**20:.1f} MiB, the limit is {limits.mib:g} MiB"
    if reason:
        return PageScores(source.id, FAILED, reason, source.url, bytes=source.size)
    try:
        page = source.page()
    except OSError as error:
        return PageScores(
            source.id, FAILED, f"cannot be read: {error.strerror or error}", source.url, bytes=source.size
        )
    try:
        return score_page(page, scorers, options, labels)
    except ThresherError:
        raise
    except Exception as error:
        # One page that a parser or scorer cannot take must not end the pass over millions.
        reason = " ".join(f"cannot be scored: {type(error).__name__}: {error}".split())
        reason = reason.encode("utf-8", "replace").decode()
        return PageScores(source.id, FAILED, reason, source.url, bytes=source.size)


@contextmanager
def _place(folder: Path, shard: int) -> Iterator[mmap.mmap]:
    path = place_path(folder, shard)
    path.write_bytes(_PLACE.pack(_NO_PAGE))
    with path.open("r+b") as handle, mmap.mmap(handle.fileno(), _PLACE.size) as place:
        yield place


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
