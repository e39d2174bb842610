"""The scoring pass over a collection: shards to workers, checkpoints, pages that end their worker."""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from thresher.collections import Collection, Source
from thresher.collections.ids import unique
from thresher.errors import InputError, StateError
from thresher.files import remove_folder, write_json
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.progress import Progress
from thresher.pruning.store import ShardReport, read_report, shard_path, shards
from thresher.pruning.worker import DEFAULT_LIMITS, Limits, Shard, place_path, read_place, score_shard
from thresher.scorers.base import Scorer

# Raised when the same page would get other segments or scores, so that old shards are not mixed with new ones.
STORE_VERSION = 1
SHARD_PAGES = 256
SHARD_BYTES = 16 * 2**20
_NO_PAGE_TO_BLAME = "no page is to blame"
_LOOK = "look at the machine's memory and disk, then run the same command again"


@dataclass(frozen=True)
class ScorePlan:
    """All that the scores depend on, and how to compute them.

    `labels` keeps which blocks are list items, too; `shard_pages` are the most pages of a shard.
    """

    collection: Collection
    scorers: tuple[Scorer, ...]
    options: PageOptions = DEFAULT_OPTIONS
    limits: Limits = DEFAULT_LIMITS
    labels: bool = False
    shard_pages: int = SHARD_PAGES

    def shards(self) -> Iterator[tuple[Source, ...]]:
        """Give the collection's documents by shard."""
        return cut_shards(unique(self.collection.sources()), self.shard_pages)

    def key(self) -> dict[str, object]:
        """Return what must be the same for scores to be reused."""
        return {
            "version": STORE_VERSION,
            "collection": self.collection.fingerprint(),
            "ids": asdict(self.collection.rule),
            "scorers": {scorer.canonical_name: scorer.fingerprint for scorer in self.scorers},
            "pages": asdict(self.options),
            "limits": asdict(self.limits),
            "labels": self.labels,
            "shard_pages": self.shard_pages,
        }


@dataclass(frozen=True)
class ScoreReport:
    """What the pass came to: `documents = scored + emptied + failed`.

    `seconds` are those of all workers by stage: `pages` and each scorer's canonical name. `wall_seconds` is the
    shards' wall time divided by the workers, so that a resumed pass has one too; `peak_mib` is the largest worker's.
    """

    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    bytes: int
    shards: int
    workers: int
    seconds: Mapping[str, float]
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float


def score_collection(plan: ScorePlan, folder: Path, workers: int = 2, fresh: bool = False) -> ScoreReport:
    """Score every page of a collection into the score store `folder`; finished shards are kept and skipped.

    Args:
        plan: the collection and what to score.
        folder: the score store.
        workers: how many processes.
        fresh: drop scores that were made otherwise, instead of refusing.

    Raises:
        InputError: if the collection is empty or unreadable, or has ids that are unfit or not unique.
        StateError: if the folder holds scores that were made from other input or in another way.
    """
    _claim(plan, folder, fresh)
    done = folder / "complete.json"
    report = _finished(done)
    if report and report.shards == len(shards(folder)):
        return report
    for scorer in plan.scorers:
        scorer.prepare()
    poison = _read_poison(folder)
    while not _attempt(plan, folder, workers, poison):
        _isolate(plan, folder, poison)
    report = _total([read_report(path) for path in shards(folder)], workers)
    if not report.documents:
        raise InputError("the collection is empty", "check collection.path", str(plan.collection.path))
    for place in folder.glob("shard-*.place"):
        # A run that was killed between a shard and its end leaves one.
        place.unlink(missing_ok=True)
    write_json(done, asdict(report))
    return report


def cut_shards(sources: Iterator[Source], pages: int = SHARD_PAGES) -> Iterator[tuple[Source, ...]]:
    """Group sources into shards of at most `pages` pages and about `SHARD_BYTES` bytes, whoever works on them."""
    shard: list[Source] = []
    size = 0
    for source in sources:
        if shard and (len(shard) == pages or size + source.size > SHARD_BYTES):
            yield tuple(shard)
            shard, size = [], 0
        shard.append(source)
        size += source.size
    if shard:
        yield tuple(shard)


def _claim(plan: ScorePlan, folder: Path, fresh: bool) -> None:
    key = json.loads(json.dumps(plan.key()))
    path = folder / "store.json"
    if path.exists():
        found = _read_json(path)
        if found == key:
            return
        changed = ", ".join(name for name in key if found.get(name) != key[name])
        if not fresh:
            raise StateError(
                f"these scores were made otherwise (changed: {changed})",
                "add --fresh to score again",
                str(folder),
            )
        remove_folder(folder)
    write_json(path, key)


def _attempt(plan: ScorePlan, folder: Path, workers: int, poison: dict[str, dict[int, str]]) -> bool:
    """Score all shards that are missing. Return False if a worker died."""
    folder.mkdir(parents=True, exist_ok=True)
    with Progress("scoring", None, "pages") as bar:

        def missing() -> Iterator[Shard]:
            for number, sources in enumerate(plan.shards()):
                if shard_path(folder, number).exists():
                    bar.advance(len(sources))
                else:
                    yield Shard(number, sources, poison.get(str(number), {}))

        # One task at a time keeps a single worker a process of its own, which a page may end without ending this one.
        pool = Parallel(
            n_jobs=max(workers, 2),
            return_as="generator_unordered",
            pre_dispatch=1 if workers == 1 else "1.5*n_jobs",
            batch_size=1,
        )
        try:
            for report in pool(
                delayed(score_shard)(shard, folder, plan.scorers, plan.options, plan.limits, plan.labels)
                for shard in missing()
            ):
                bar.advance(report.documents)
        except TerminatedWorkerError:
            return False
        finally:
            # Idle workers would keep their memory while Java needs it.
            get_reusable_executor().shutdown(wait=True, kill_workers=True)
    return True


def _isolate(plan: ScorePlan, folder: Path, poison: dict[str, dict[int, str]]) -> None:
    """Score each shard that a worker was on by itself, and note the page that ends its process."""
    suspects = {path.stem for path in folder.glob("shard-*.place") if not path.with_suffix(".parquet").exists()}
    if not suspects:
        raise StateError(f"a worker ended and {_NO_PAGE_TO_BLAME}", _LOOK, str(folder))
    context = multiprocessing.get_context("spawn")
    for number, sources in enumerate(plan.shards()):
        place = place_path(folder, number)
        if place.stem not in suspects:
            continue
        while True:
            # What an ended worker left must not be blamed on this one.
            place.unlink(missing_ok=True)
            shard = Shard(number, sources, poison.get(str(number), {}))
            process = context.Process(
                target=score_shard, args=(shard, folder, plan.scorers, plan.options, plan.limits, plan.labels)
            )
            process.start()
            process.join()
            if process.exitcode == 0:
                break
            position = read_place(place)
            if position is None or position in shard.poison:
                raise StateError(
                    f"a worker ended (exit code {process.exitcode}) and {_NO_PAGE_TO_BLAME}", _LOOK, sources[0].where
                )
            reason = (
                f"took longer than {plan.limits.seconds:g} s"
                if process.exitcode == -signal.SIGALRM
                else f"ended its worker (exit code {process.exitcode})"
            )
            poison.setdefault(str(number), {})[position] = reason
            write_json(folder / "poison.json", poison)


def _read_poison(folder: Path) -> dict[str, dict[int, str]]:
    stored = _read_json(folder / "poison.json")
    return {shard: {int(position): reason for position, reason in pages.items()} for shard, pages in stored.items()}


def _finished(path: Path) -> ScoreReport | None:
    try:
        return ScoreReport(**_read_json(path))
    except TypeError:
        return None


def _read_json(path: Path) -> dict[str, Any]:
    """Read what this module wrote; what is missing or damaged holds nothing."""
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _total(reports: Sequence[ShardReport], workers: int) -> ScoreReport:
    seconds: dict[str, float] = {}
    for report in reports:
        for stage, spent in report.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + spent
    return ScoreReport(
        documents=sum(report.documents for report in reports),
        scored=sum(report.scored for report in reports),
        emptied=sum(report.emptied for report in reports),
        failed=sum(report.failed for report in reports),
        words=sum(report.words for report in reports),
        bytes=sum(report.bytes for report in reports),
        shards=len(reports),
        workers=workers,
        seconds=seconds,
        wall_seconds=sum(report.wall_seconds for report in reports) / workers,
        cpu_seconds=sum(report.cpu_seconds for report in reports),
        peak_mib=max((report.peak_mib for report in reports), default=0.0),
    )
