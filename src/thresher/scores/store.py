"""The score store: pages, their shards (a table each, see `thresher.base.tables`) and the reports on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from errno import EINVAL
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.errors import StateError, ThresherError
from thresher.base.files import atomic_path, by_numbers, digest, is_out_of_memory, safe_name, user_error
from thresher.base.numbers import Ints
from thresher.base.records import RecordFile
from thresher.base.repeats import Times
from thresher.base.shown import Shown
from thresher.base.tables import DAMAGE, Column, Lists, Table, Texts, read_about, read_table, write_table
from thresher.cleaners.scorer import (
    BLOCK,
    Scorer,
    Scores,
)
from thresher.collections import Part
from thresher.pages import Segments
from thresher.scores.block_kinds import KINDS

SCORED, EMPTIED, FAILED = "scored", "emptied", "failed"


@dataclass(frozen=True, repr=False)
class PageScores(Shown):
    """A page's segments with their scores, or why there are none.

    `file` and `offset` are the position of its record: see `thresher.collections.sources.Source`. `scores` has
    an array for each scorer, by canonical name; `seconds` the time of each, and under `pages` that of decoding and parsing;
    `checksum` the CRC-32 of the raw page. `kinds` are the blocks', as by `thresher.scores.block_kinds`, if they were asked
    for. `html` is the decoded page and `members` the members of its JSON line, as JSON, where they were asked for. `texts` are
    other texts of the page that scorers cut, by name; one that failed has no text, and the reason.
    """

    id: str
    status: str
    reason: str = ""
    file: str = ""
    offset: int | None = None
    url: str | None = None
    encoding: str = ""
    encoding_source: str = ""
    replaced: int = 0
    bytes: int = 0
    segments: Segments | None = None
    scores: dict[str, Scores] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    checksum: int = 0
    kinds: npt.NDArray[np.uint8] | None = None
    html: str = ""
    members: str = ""
    texts: Mapping[str, PageScores] = field(default_factory=dict)

    def of(self, text: str) -> PageScores:
        """Return the page itself for an empty name, or another text of it with its scores; both have failed together."""
        if not text or self.segments is None:
            return self
        made = self.texts[text]
        return replace(
            self,
            status=made.status,
            reason=made.reason,
            segments=made.segments,
            scores=made.scores,
            seconds={},
            kinds=None,
            texts={},
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The blocks with their kinds and scores; the sentences, with their blocks' too, if some scores are of sentences."""
        if self.segments is None:
            return []
        blocks, block_of = self.segments.blocks, self.segments.block_of_sentence
        of_sentences = any(len(scores) != len(blocks) for scores in self.scores.values())
        texts = self.segments.sentences if of_sentences else blocks
        columns: dict[str, Any] = {} if self.kinds is None else {"kind": [str(KINDS[kind]) for kind in self.kinds]}
        columns |= {name: scores.tolist() for name, scores in self.scores.items()}
        return [
            {"text": text, **{name: of[at if len(of) == len(texts) else block_of[at]] for name, of in columns.items()}}
            for at, text in enumerate(texts)
        ]


# Longer than any page's text.
_PAGE_BITS = 32


def blocks_of_sentences(table: Table) -> Ints:
    """Return for each sentence of a shard the number of its block within the shard, from the columns of ends."""
    block_ends, sentence_ends = (_rising(table, name) for name in ("block_ends", "sentence_ends"))
    return np.searchsorted(block_ends, sentence_ends)


def weighted_scores(table: Table, scorer: Scorer) -> tuple[Scores, Ints]:
    """Return the scores of a shard's segments, in order, and the words of each, from the columns `weighted_columns` names."""
    scores: Scores = table.lists(f"score:{scorer.canonical_name}").values
    words: Ints = table.lists("words").values.astype(np.int64)
    if scorer.segment != BLOCK:
        return scores, words
    sums = np.bincount(blocks_of_sentences(table), weights=words, minlength=len(scores))
    return scores, sums.astype(np.int64)


def weighted_columns(scorer: Scorer) -> list[str]:
    """Return the columns that `weighted_scores` needs."""
    ends = ["block_ends", "sentence_ends"] if scorer.segment == BLOCK else []
    return ["words", *ends, f"score:{scorer.canonical_name}"]


def _rising(table: Table, name: str) -> Ints:
    ends = table.lists(name)
    rising: Ints = ends.values + (ends.rows << _PAGE_BITS)
    return rising


_AGAIN = "delete the file and run again"
_TEXTS = ("id", "file", "url", "status", "reason", "encoding", "encoding_source")


@dataclass(frozen=True)
class ScoringCost:
    """The cost of scoring a shard, or of training scorers before the pass.

    `seconds` are those of all workers by stage: `pages` (read, decode, parse, cut), then each scorer by its canonical name.
    `host` is the machine that scored a shard.
    """

    seconds: Mapping[str, float]
    times: Times
    host: str = ""


NO_COST = ScoringCost({}, Times(0.0, 0.0, 0.0))
COST_FILE = RecordFile(ScoringCost, "a record of times", _AGAIN)
"""Beside each shard."""


@dataclass(frozen=True)
class PageCounts:
    """Numbers of pages by outcome: `documents = scored + emptied + failed`."""

    documents: int
    scored: int
    emptied: int
    failed: int
    words: int
    bytes: int


@dataclass(frozen=True)
class ShardReport(PageCounts):
    """The counts of a shard.

    `begin` is where reading began if that was given exactly; `first` and `after` are the reader's span: see
    `thresher.collections.sources`. `content` is a digest of the raw pages, in their order.
    """

    begin: int | None
    first: int | None
    after: int
    content: str = ""


_REPORT_FILE = RecordFile(ShardReport, "a report on a shard", _AGAIN)
_ENDING = ".npz"
FURTHER_COLUMNS = ("html", "members")
"""Columns of texts that only cleaning needs: the decoded page, and the members of its JSON line as JSON."""
NO_OFFSET = -1
"""The offset of a page that is a file of its own."""


def text_store(folder: Path, text: str) -> Path:
    """Return the store of a text within a store: the same shards and pages; the store itself for an empty name."""
    return folder / "texts" / safe_name(text) if text else folder


def shard_path(folder: Path, part: Part) -> Path:
    """Return the file of a part's shard; names are in the collection's order."""
    return folder / f"shard-{part.file:06}-{part.number:06}{_ENDING}"


def write_shard(
    path: Path,
    pages: Sequence[PageScores],
    scorers: Sequence[str],
    report: ShardReport,
    spent: ScoringCost,
    further: Sequence[str] = (),
) -> None:
    """Write scored pages and their report atomically; `further` names columns of `FURTHER_COLUMNS`.

    Times are in a separate file, so that the shard's bytes depend only on the pages.
    """
    columns: dict[str, Column] = {name: Texts.of([getattr(page, name) or "" for page in pages]) for name in _TEXTS}
    offsets = [NO_OFFSET if page.offset is None else page.offset for page in pages]
    columns["offset"] = np.array(offsets, dtype=np.int64)
    for name in ("replaced", "bytes"):
        columns[name] = np.array([getattr(page, name) for page in pages], dtype=np.int64)
    segments = [page.segments for page in pages]
    columns["text"] = Texts.of([part.text if part else "" for part in segments])
    columns["block_ends"] = Lists.of([part.block_ends if part else () for part in segments], np.int32)
    columns["sentence_ends"] = Lists.of([part.sentence_ends if part else () for part in segments], np.int32)
    columns["words"] = Lists.of([part.words_in_sentences if part else () for part in segments], np.int32)
    columns["levels"] = Lists.of([part.levels if part else () for part in segments], np.int8)
    columns["kinds"] = Lists.of([() if page.kinds is None else page.kinds for page in pages], np.uint8)
    for name in further:
        columns[name] = Texts.of([getattr(page, name) for page in pages])
    for name in scorers:
        columns[f"score:{name}"] = Lists.of([page.scores.get(name, ()) for page in pages], np.float32)
    COST_FILE.write(_times_path(path), spent)
    write_columns(path, Table(columns), report)


def write_columns(path: Path, table: Table, report: ShardReport) -> None:
    """Write the table of a shard with its report atomically."""
    with atomic_path(path) as temporary:
        write_table(temporary, table, _REPORT_FILE.text(report))


def read_report(path: Path) -> ShardReport:
    """Read a shard's report."""
    try:
        return _REPORT_FILE.parse(read_about(path), str(path))
    except (OSError, MemoryError, ThresherError, *DAMAGE) as error:
        raise _unusable(error, path) from error


def read_cost(path: Path) -> ScoringCost:
    """Read the cost of scoring a shard."""
    try:
        return COST_FILE.read(_times_path(path))
    except ThresherError as error:
        raise StateError("the times of the shard are missing or damaged", _AGAIN, str(path)) from error


def read_shard(path: Path, columns: Sequence[str] | None = None) -> Table:
    """Read some columns of a shard, or all.

    A missing address is an empty text, a missing offset `NO_OFFSET`.
    """
    try:
        return read_table(path, columns)
    except (OSError, MemoryError, *DAMAGE) as error:
        raise _unusable(error, path) from error


def shards(folder: Path) -> list[Path]:
    """Return the files of all shards, in the collection's order."""
    return sorted(folder.glob(f"shard-*{_ENDING}"), key=by_numbers)


def first_document(folder: Path) -> str:
    """Return the first nonempty id of a store that has one."""
    ids = (str(document_id) for path in shards(folder) for document_id in read_shard(path, ["id"]).texts("id").tolist())
    return next(filter(None, ids))


def missing_documents(folder: Path, wanted: Iterable[str]) -> set[str]:
    """Return which of the documents `wanted` are not in a store; failed ones are in it."""
    missing = set(wanted)
    for path in shards(folder):
        missing.difference_update(read_shard(path, ["id"]).texts("id").tolist())
    return missing


def count(pages: Sequence[PageScores]) -> dict[str, int]:
    """Return how many pages were scored, emptied and failed."""
    statuses = [page.status for page in pages]
    return {status: statuses.count(status) for status in (SCORED, EMPTIED, FAILED)}


def _unusable(error: Exception, path: Path) -> ThresherError:
    if is_out_of_memory(error):
        # Damaged lengths ask for any amount.
        what = "there is no memory left for the shard of scores, or it is damaged"
        return StateError(what, f"use fewer workers, or {_AGAIN}", str(path))
    # `zipfile` seeks where damaged bytes say: EINVAL.
    if isinstance(error, OSError) and error.errno != EINVAL:
        return user_error(error, path)
    return StateError("the shard of scores is damaged", _AGAIN, str(path))


def _times_path(path: Path) -> Path:
    return path.with_suffix(".times.json")


@dataclass(frozen=True)
class ScoreReport(PageCounts):
    """The result of a scoring pass.

    `seconds` are those of all workers by stage: see `ScoringCost`. Wall time is that of the shards divided by the workers, so
    that it covers resumed passes; the peak is the largest worker's. Training time is included. `machines` are those that
    scored. `content` is a digest of the raw pages in order; empty in stores of earlier versions.
    """

    shards: int
    workers: int
    seconds: Mapping[str, float]
    times: Times
    machines: int = 1
    content: str = ""


def total(
    reports: Sequence[ShardReport], spent: Sequence[ScoringCost], workers: int, learning: ScoringCost
) -> ScoreReport:
    """Add up the reports and costs of all shards, and the cost of training."""
    seconds: Counter[str] = Counter()
    for part in (*spent, learning):
        seconds.update(part.seconds)
    by_workers = sum((shard.times for shard in spent), Times(0.0, 0.0, 0.0))
    return ScoreReport(
        **{count.name: sum(getattr(report, count.name) for report in reports) for count in fields(PageCounts)},
        shards=len(reports),
        workers=workers,
        seconds=dict(seconds),
        times=replace(by_workers, wall=by_workers.wall / workers) + learning.times,
        machines=len({shard.host for shard in spent}) or 1,
        content=digest([report.content for report in reports]) if all(report.content for report in reports) else "",
    )
