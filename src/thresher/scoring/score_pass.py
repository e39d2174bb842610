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

from thresher.collections import Collection, Part
from thresher.errors import InputError, StateError
from thresher.files import remove_folder, write_json
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.passes.backends import Backend, WorkerDied, run
from thresher.progress import Progress
from thresher.records import RecordFile
from thresher.scorers.base import Scorer
from thresher.scoring.duplicates import fail_duplicates
from thresher.scoring.learning import learn
from thresher.scoring.store import POISON, ScoreReport, read_report, read_spent, shard_path, shards, total
from thresher.scoring.worker import (
    DEFAULT_LIMITS,
    Limits,
    Shard,
    Work,
    place_path,
    read_place,
    score_missing,
    score_shard,
)

__all__ = ["ScorePlan", "ScoreReport", "score_collection"]

# Raised when the same page would get other segments or scores, so that old shards are not mixed with new ones.
STORE_VERSION = 3
SHARD_PAGES = 256
_NO_PAGE_TO_BLAME = "no page is to blame"
_LOOK = "look at the machine's memory and disk, then run the same command again"
_REPORT_FILE = RecordFile(ScoreReport, "a report on scores", "run the same command again")

_Poison = dict[str, dict[int, str]]
"""Why pages must not be tried again, by the shard's name and the position in it."""


@dataclass(frozen=True)
class ScorePlan:
    """All that the scores depend on, and how to compute them.

    `labels` keeps which blocks are list items, too; `shard_pages` are the most pages of a shard of pages at hand.
    """

    collection: Collection
    scorers: tuple[Scorer, ...]
    options: PageOptions = DEFAULT_OPTIONS
    limits: Limits = DEFAULT_LIMITS
    labels: bool = False
    shard_pages: int = SHARD_PAGES

    def parts(self) -> Iterator[Part]:
        """Give the collection's parts, one a shard."""
        return self.collection.parts(self.shard_pages)

    def work(self, folder: Path) -> Work:
        """Return what all shards in the store `folder` have in common."""
        # Workers may have another working directory.
        return Work(self.collection, folder.absolute(), self.scorers, self.options, self.limits, self.labels)

    def key(self) -> dict[str, object]:
        """Return what must be the same for scores to be reused."""
        return {
            "version": STORE_VERSION,
            "collection": self.collection.fingerprint(),
            "reading": asdict(self.collection.options),
            "scorers": {scorer.canonical_name: scorer.fingerprint for scorer in self.scorers},
            "pages": asdict(self.options),
            "limits": asdict(self.limits),
            "labels": self.labels,
            "shard_pages": self.shard_pages,
        }


def score_collection(plan: ScorePlan, folder: Path, backend: Backend | None = None, fresh: bool = False) -> ScoreReport:
    """Score every page of a collection into the score store `folder`; finished shards are kept and skipped.

    Shards are the same, byte for byte, whoever works on them in whatever order. Scorers that learn from the collection do so
    first: see `thresher.scoring.learning`. A page whose id is unfit, or came before, has failed.

    Args:
        plan: the collection and what to score.
        folder: the score store. Workers on other machines must see it, and the collection, under the same path.
        backend: who works; by default as many processes as there are cores.
        fresh: drop scores that were made otherwise, instead of refusing.

    Raises:
        InputError: if the collection is empty or unreadable, or has too little text for a scorer that learns from it.
        StateError: if the folder holds scores that were made from other input or in another way.
        ThresherError: as `thresher.passes.backends.run`.
    """
    backend = backend or Backend()
    _claim(plan, folder, fresh)
    done = folder / "complete.json"
    report = _finished(done)
    if report and report.shards == len(shards(folder)):
        return report
    scorers, learning = learn(
        plan.scorers, folder, partial(_pick, plan, backend), plan.options.language, backend.workers
    )
    plan = replace(plan, scorers=scorers)
    for scorer in scorers:
        scorer.prepare()
    poison = _read_poison(folder)
    while not _attempt(plan, folder, backend, poison):
        _isolate(plan, folder, poison)
    _join(plan, folder, poison)
    fail_duplicates(folder)
    paths = shards(folder)
    report = total([*map(read_report, paths)], [*map(read_spent, paths)], backend.workers, learning)
    if not report.documents:
        raise InputError("the collection is empty", "check collection.path", str(plan.collection.path))
    for place in folder.glob("shard-*.place"):
        # A run that was killed between a shard and its end leaves one.
        place.unlink(missing_ok=True)
    _REPORT_FILE.write(done, report)
    return report


def _pick(plan: ScorePlan, backend: Backend, store: Path, picker: Scorer) -> ScoreReport:
    return score_collection(replace(plan, scorers=(picker,), labels=False), store, backend)


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


def _attempt(plan: ScorePlan, folder: Path, backend: Backend, poison: _Poison) -> bool:
    """Score all shards that are missing. Return False if a worker died."""
    folder.mkdir(parents=True, exist_ok=True)
    with Progress("scoring", None, "pages") as bar:

        def missing() -> Iterator[Shard]:
            for part in plan.parts():
                path = shard_path(folder, part)
                if path.exists():
                    bar.advance(read_report(path).documents)
                else:
                    yield Shard(part, poison.get(path.stem, {}))

        try:
            for documents in run(backend, partial(score_missing, work=plan.work(folder)), missing()):
                bar.advance(documents)
        except WorkerDied:
            return False
    return True


def _isolate(plan: ScorePlan, folder: Path, poison: _Poison) -> None:
    """Score each shard that a worker was on by itself, and note the page that ends its process."""
    suspects = {path.stem for path in folder.glob("shard-*.place") if not path.with_suffix(".parquet").exists()}
    if not suspects:
        raise StateError(f"a worker ended and {_NO_PAGE_TO_BLAME}", _LOOK, str(folder))
    for part in plan.parts():
        if place_path(folder, part).stem in suspects:
            _score_alone(plan, folder, part, poison)


def _join(plan: ScorePlan, folder: Path, poison: _Poison) -> None:
    """See that each range of a file begins where the one before it ended, and read it again from there if not.

    Where a worker looks for the first record of its range, it may find one within another: a WARC file that somebody crawled.
    """
    after = 0
    for part in plan.parts():
        if part.sources is not None:
            continue
        path = shard_path(folder, part)
        report = read_report(path)
        begins = after if after < part.end else None
        if part.number and report.begin != after and report.first != begins:
            path.unlink()
            # Positions in what was read wrongly are other pages now.
            poison.pop(path.stem, None)
            _score_alone(plan, folder, replace(part, begin=after, exact=True), poison)
            report = read_report(path)
        # A range within a record knows no more than its own end.
        after = max(after, report.after) if part.number else report.after


def _score_alone(plan: ScorePlan, folder: Path, part: Part, poison: _Poison) -> None:
    """Score a part in a process of its own, again without each page that ends it; such pages are noted as poison."""
    place = place_path(folder, part)
    while True:
        # What an ended worker left must not be blamed on this one.
        place.unlink(missing_ok=True)
        shard = Shard(part, poison.get(place.stem, {}))
        process = multiprocessing.get_context("spawn").Process(target=score_shard, args=(shard, plan.work(folder)))
        process.start()
        process.join()
        if process.exitcode == 0:
            return
        position = read_place(place)
        if position is None or position in shard.poison:
            raise StateError(
                f"a worker ended (exit code {process.exitcode}) and {_NO_PAGE_TO_BLAME}",
                _LOOK,
                part.name or str(part.path),
            )
        reason = (
            f"took longer than {plan.limits.seconds:g} s"
            if process.exitcode == -signal.SIGALRM
            else f"ended its worker (exit code {process.exitcode})"
        )
        poison.setdefault(place.stem, {})[position] = reason
        write_json(folder / POISON, poison)


def _read_poison(folder: Path) -> _Poison:
    stored = _read_json(folder / POISON)
    return {shard: {int(position): reason for position, reason in pages.items()} for shard, pages in stored.items()}


def _finished(path: Path) -> ScoreReport | None:
    try:
        return _REPORT_FILE.read(path)
    except InputError:
        return None


def _read_json(path: Path) -> dict[str, Any]:
    """Read what this module wrote; what is missing or damaged holds nothing."""
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
