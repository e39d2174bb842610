"""The scoring pass over a collection: shards to workers, checkpoints, pages that end their worker."""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
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
from thresher.pruning.learning import learn
from thresher.pruning.score_report import ScoreReport, total
from thresher.pruning.store import POISON, read_report, shard_path, shards
from thresher.pruning.worker import DEFAULT_LIMITS, Limits, Shard, place_path, read_place, score_shard
from thresher.scorers.base import Scorer

__all__ = ["ScorePlan", "ScoreReport", "cut_shards", "score_collection"]

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


def score_collection(plan: ScorePlan, folder: Path, workers: int = 2, fresh: bool = False) -> ScoreReport:
    """Score every page of a collection into the score store `folder`; finished shards are kept and skipped.

    Scorers that learn from the collection do so first: see `thresher.pruning.learning`.

    Args:
        plan: the collection and what to score.
        folder: the score store.
        workers: how many processes.
        fresh: drop scores that were made otherwise, instead of refusing.

    Raises:
        InputError: if the collection is empty or unreadable, or has ids that are unfit or not unique, or too little text for a
            scorer that learns from it.
        StateError: if the folder holds scores that were made from other input or in another way.
    """
    _claim(plan, folder, fresh)
    done = folder / "complete.json"
    report = _finished(done)
    if report and report.shards == len(shards(folder)):
        return report
    scorers, learning = learn(plan.scorers, folder, partial(_pick, plan, workers), plan.options.language, workers)
    plan = replace(plan, scorers=scorers)
    for scorer in scorers:
        scorer.prepare()
    poison = _read_poison(folder)
    while not _attempt(plan, folder, workers, poison):
        _isolate(plan, folder, poison)
    report = total([read_report(path) for path in shards(folder)], workers, learning)
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


def _pick(plan: ScorePlan, workers: int, store: Path, picker: Scorer) -> ScoreReport:
    return score_collection(replace(plan, scorers=(picker,), labels=False), store, workers)


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
            write_json(folder / POISON, poison)


def _read_poison(folder: Path) -> dict[str, dict[int, str]]:
    stored = _read_json(folder / POISON)
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
