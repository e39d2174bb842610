"""The scoring pass: all scores of a collection, as a store of shards. Among pages with one document id, the first
stays. Ids are compared over the whole store after the pass, since no worker sees all ids. Memory: an 8-byte digest per
page; ids with the same digest are compared in full.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import InputError, StateError
from thresher.base.files import remove_folder
from thresher.base.processes import Backend
from thresher.base.records import RecordFile
from thresher.base.tables import Column, Lists, Table, Texts
from thresher.cleaners.scorer import Scorer
from thresher.collections import Collection
from thresher.collections.file_collection import PAGE_FORMATS, Files
from thresher.collections.interface import ReadOptions
from thresher.collections.sources import CollectionChanged
from thresher.pages import DEFAULT_OPTIONS, PageOptions
from thresher.scores import store as stores
from thresher.scores.limits import DEFAULT_LIMITS, Limits
from thresher.scores.parts import run_parts
from thresher.scores.score_work import ScoreWork
from thresher.scores.sites import SITES, compare_pages
from thresher.scores.store import EMPTIED, FAILED, NO_OFFSET, SCORED, ScoreReport
from thresher.scores.training import learn

_BYTES = 8
_WHERE = ["id", "status", "file", "offset"]
__all__ = ["ScorePlan", "ScoreReport", "score_collection"]
# Increase when segments or scores of the same page change, so that old shards are not reused.
STORE_VERSION = 9
SHARD_PAGES = 256
"""The most pages of a shard where parts carry their pages."""
_LEAST_PAGES = 64
_SHARDS = 16
_KEY = "store.json"
_MIXED = "changed while it was read"
_REPORT_FILE = RecordFile(ScoreReport, "a report on scores", "run the same command again")


def fail_duplicates(folder: Path) -> None:
    """Mark pages as failed whose id an earlier page that did not fail has; idempotent."""
    suspects = _suspects(folder)
    if not len(suspects):
        return
    first: dict[str, str] = {}
    for path in stores.written_shards(folder):
        table = stores.read_shard(path, _WHERE)
        doubles: dict[int, str] = {}
        for row, (name, hashed) in enumerate(zip(table.texts("id").tolist(), _digests(table).tolist(), strict=True)):
            if hashed not in suspects or table.texts("status")[row] == FAILED:
                continue
            if name in first:
                doubles[row] = f"the document id occurs twice, first in {first[name]}"
            else:
                first[name] = _position(table, row)
        if doubles:
            # The pages' own shard comes last: after a kill its rows still say which rows are left to fail.
            for shard in sorted(folder.glob(f"texts/*/{path.name}")):
                _fail(shard, doubles)
            _fail(path, doubles)


def _position(table: Table, row: int) -> str:
    offset = table.numbers("offset")[row]
    file = table.texts("file")[row]
    if offset == NO_OFFSET:
        return file
    return f"{file} at byte {offset}"


def _suspects(folder: Path) -> frozenset[int]:
    """Return the digests that several pages share, without failed pages."""
    parts = [np.zeros(0, dtype=np.uint64)]
    for path in stores.written_shards(folder):
        table = stores.read_shard(path, ["id", "status"])
        has_failed = np.asarray([status == FAILED for status in table.texts("status").tolist()], dtype=np.bool_)
        parts.append(_digests(table)[~has_failed])
    digests, counts = np.unique(np.concatenate(parts), return_counts=True)
    return frozenset(digests[counts > 1].tolist())


def _digests(table: Table) -> npt.NDArray[np.uint64]:
    digests = bytearray()
    for document_id in table.texts("id").tolist():
        encoded = document_id.encode("utf-8", "surrogatepass")
        digests += hashlib.blake2b(encoded, digest_size=_BYTES).digest()
    return np.frombuffer(bytes(digests), dtype=np.uint64)


def _fail(path: Path, doubles: Mapping[int, str]) -> None:
    """Rewrite a shard with the rows `doubles` failed, byte for byte as if they had failed during scoring."""
    table = stores.read_shard(path)
    rows = list(doubles)
    statuses = table.texts("status")
    words = table.lists("words")
    lost: Counter[str] = Counter()
    lost_words = 0
    for row in rows:
        lost[statuses[row]] += 1
        lost_words += int(words[row].sum())
    report = stores.read_report(path)
    report_after = replace(
        report,
        scored=report.scored - lost[SCORED],
        emptied=report.emptied - lost[EMPTIED],
        failed=report.failed + len(rows),
        words=report.words - lost_words,
    )
    columns: dict[str, Column] = {}
    for name, column in table.columns.items():
        columns[name] = _failed(name, column, doubles)
    stores.write_columns(path, Table(columns), report_after)


def _failed(name: str, column: Column, doubles: Mapping[int, str]) -> Column:
    """Return a column after the rows `doubles` have failed for the reasons in it."""
    if name in ("id", "file", "offset", "url", "bytes"):
        return column
    if isinstance(column, Lists):
        lengths = column.lengths
        lengths[list(doubles)] = 0
        stays = ~np.isin(column.rows, list(doubles))
        return Lists(column.values[stays], np.concatenate(([0], np.cumsum(lengths))))
    if isinstance(column, Texts):
        texts = column.tolist()
        for row, reason in doubles.items():
            texts[row] = {"status": FAILED, "reason": reason}.get(name, "")
        return Texts.of(texts)
    numbers = column.copy()
    numbers[list(doubles)] = 0
    return numbers


@dataclass(frozen=True)
class StoreKey:
    """The conditions for reusing scores.

    Attributes:
        version: `STORE_VERSION`.
        collection: its fingerprint.
        reading: how documents are read.
        scorers: fingerprints by canonical name.
        pages: how pages become blocks.
        limits: limits of time and size for each page.
        shard_pages: the most pages of a shard.
        columns: the optional columns.
    """

    version: int
    collection: str
    reading: ReadOptions
    scorers: Mapping[str, str]
    pages: PageOptions
    limits: Limits
    shard_pages: int
    columns: tuple[str, ...]


_FRESH = (
    "add --fresh: `thresher explore FILE --fresh`, `thresher run FILE --fresh` or `thresher cleaneval FOLDER --fresh`"
)
_KEY_FILE = RecordFile(StoreKey, "the key of a score store", _FRESH, indent=2)


class _Listing(NamedTuple):
    fingerprint: str
    shard_pages: int


@dataclass(frozen=True)
class ScorePlan:
    """The inputs of the scores.

    Attributes:
        collection: the collection to score.
        scorers: the scorers.
        options: how pages become blocks.
        limits: limits of time and size for each page.
        most_pages: the most pages of a shard if parts carry their pages. None for `SHARD_PAGES`; a small collection of pages
            in files of their own has smaller shards, so that all workers get pages.
        kinds: whether the store has the kinds of blocks, which experiments report.
        further: the columns of `thresher.scores.store.FURTHER_COLUMNS` that the store has; `LINKS` of that module for links.
        sites: whether the store has site files, see `thresher.scores.sites`.
    """

    collection: Collection
    scorers: tuple[Scorer, ...]
    options: PageOptions = DEFAULT_OPTIONS
    limits: Limits = DEFAULT_LIMITS
    most_pages: int | None = None
    kinds: bool = True
    further: tuple[str, ...] = ()
    sites: bool = False

    def with_links(self) -> ScorePlan:
        """Return this plan with the links between pages and with site files, which hold the texts of links to pages."""
        return replace(self, further=(*self.further, stores.LINKS), sites=True)

    @cached_property
    def shard_pages(self) -> int:
        """The most pages of a shard: it depends on the collection, not on the workers, on which no byte may depend."""
        if self.most_pages is not None:
            return self.most_pages
        return self._list().shard_pages

    def _list(self) -> _Listing:
        """Return the collection's fingerprint and the most pages of a shard, both from one listing."""
        collection = self.collection
        shard_pages = SHARD_PAGES
        if isinstance(collection, Files) and collection.format in PAGE_FORMATS:
            fingerprint, files = collection.files_digest()
            shard_pages = min(SHARD_PAGES, max(_LEAST_PAGES, ceil(files / _SHARDS)))
        else:
            fingerprint = collection.fingerprint()
        if self.most_pages is not None:
            shard_pages = self.most_pages
        return _Listing(fingerprint, shard_pages)

    def work(self, folder: Path) -> ScoreWork:
        """Return the work that writes shards to the store `folder`."""
        # Workers may have another working directory.
        return ScoreWork(
            self.collection,
            folder.absolute(),
            self.limits,
            scorers=self.scorers,
            options=self.options,
            kinds=self.kinds,
            further=self.further,
        )

    def key(self) -> StoreKey:
        """Return the key of the scores, after one listing of the collection."""
        listing = self._list()
        columns = self.further
        if self.kinds:
            columns = ("kinds", *columns)
        if self.sites:
            columns = (*columns, SITES)
        return StoreKey(
            version=STORE_VERSION,
            collection=listing.fingerprint,
            reading=self.collection.options,
            scorers={scorer.canonical_name: scorer.fingerprint for scorer in self.scorers},
            pages=self.options,
            limits=self.limits,
            shard_pages=listing.shard_pages,
            columns=columns,
        )


def score_collection(plan: ScorePlan, folder: Path, backend: Backend | None = None, fresh: bool = False) -> ScoreReport:
    """Score every page of a collection into a score store; existing shards of the same plan stay.

    The bytes of shards do not depend on the backend. Workers on other machines must see the store and the collection
    under the same path. Scorers that learn are trained on the collection first: see `thresher.scores.training`. Scorers
    that compare its pages score after the pass: see `thresher.scores.sites`. Pages with an invalid or repeated id fail.

    Args:
        plan: what to score.
        folder: the folder of the store.
        backend: the workers; None for one process per core.
        fresh: whether to replace scores of another plan.

    Raises:
        StateError: the folder has scores of another plan, and `fresh` is False.
        InputError: the collection is empty.
    """
    backend = backend or Backend()
    key = _claim(plan, folder, fresh)
    report_file = folder / "complete.json"
    report = _REPORT_FILE.find(report_file)
    if report and report.shards == len(stores.written_shards(folder)):
        return report

    def pick(store: Path, picker: Scorer) -> ScoreReport:
        return score_collection(replace(plan, scorers=(picker,)), store, backend)

    scorers, learnt = learn(plan.scorers, folder, pick, plan.options.language, backend.workers)
    plan = replace(plan, scorers=scorers, most_pages=key.shard_pages)
    for scorer in scorers:
        scorer.prepare()
    try:
        run_parts(plan.work(folder), plan.shard_pages, backend)
    except CollectionChanged:
        # Without this, a later run could mix the scores of two collections if the first collection came back.
        _KEY_FILE.write(folder / _KEY, replace(key, collection=_MIXED))
        raise
    fail_duplicates(folder)
    compared = compare_pages(folder, scorers, plan.sites, backend)
    reports: list[stores.ShardReport] = []
    costs: list[stores.ScoringCost] = []
    for path in stores.written_shards(folder):
        reports.append(stores.read_report(path))
        costs.append(stores.read_cost(path))
    report = stores.total(reports, costs, backend.workers, [learnt, compared])
    if not report.documents:
        raise InputError("the collection is empty", "check the path", str(plan.collection.path))
    _REPORT_FILE.write(report_file, report)
    return report


def _difference(stored: StoreKey | None, key: StoreKey) -> str:
    """Say how stored scores differ from the scores to make; `stored` is None if their record cannot be read."""
    if stored is None:
        return "these scores are of another version, or their record is missing or damaged"
    changed: list[str] = []
    for field in fields(key):
        if getattr(stored, field.name) != getattr(key, field.name):
            changed.append(field.name)
    return f"these scores were made otherwise (changed: {', '.join(changed)})"


def _claim(plan: ScorePlan, folder: Path, fresh: bool) -> StoreKey:
    key = plan.key()
    path = folder / _KEY
    if path.exists() or stores.written_shards(folder):
        stored = _KEY_FILE.find(path)
        if stored == key:
            return key
        if not fresh:
            raise StateError(_difference(stored, key), _FRESH, str(folder))
        remove_folder(folder)
    _KEY_FILE.write(path, key)
    return key
