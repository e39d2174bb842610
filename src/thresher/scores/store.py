"""The score store: pages, their shards (a table each, see `thresher.base.tables`) and the reports on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from errno import EINVAL
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import StateError, ThresherError, is_out_of_memory
from thresher.base.files import atomic_path, by_numbers, digest, final_path, safe_name, user_error
from thresher.base.letters import other_forms
from thresher.base.numbers import Ints
from thresher.base.records import RecordFile
from thresher.base.repeats import Times
from thresher.base.shown import Shown
from thresher.base.tables import (
    DAMAGE,
    Column,
    Lists,
    Table,
    Texts,
    read_about,
    read_column_names,
    read_table,
    write_table,
)
from thresher.cleaners.scorer import (
    BLOCK,
    Scorer,
    Scores,
)
from thresher.collections import Part
from thresher.pages import Segments
from thresher.pages.links import NO_LINKS, PageLinks
from thresher.scores.block_kinds import KINDS

SCORED = "scored"
EMPTIED = "emptied"
FAILED = "failed"
FURTHER_COLUMNS = ("html", "members")
"""Columns of texts that only cleaning needs: the decoded page, and the members of its JSON line as JSON."""
LINKS = "links"
"""Stands for the columns of a page's links: `address`, `canonical` (0 for none), `targets`, all as keys of
`thresher.pages.links`; `unresolved`; and the texts, a line for each of the targets, as `links`."""
ORIGINS = "origins"
"""The column of a weighted store alone: for each sentence the sentence of the page that it is or copies, or -1 for texts of
links to the page, which no cleaner drops. See `thresher.scores.weighting`.
"""
NO_OFFSET = -1
"""The offset of a page that is a file of its own."""
_TEXTS = ("id", "file", "url", "status", "reason", "encoding", "encoding_source")
_ENDING = ".npz"
# Longer than any page's text.
_PAGE_BITS = 32
_AGAIN = "delete the file and run again"


@dataclass(frozen=True, repr=False)
class PageScores(Shown):
    """A page's segments with their scores, or the reason for having none.

    Attributes:
        id: the id of the document.
        status: `SCORED`, `EMPTIED` or `FAILED`.
        reason: the reason for failing or being empty; empty for scored pages.
        file, offset: the position of its record, see `thresher.collections.sources.Source`.
        url: its address.
        encoding, encoding_source: the encoding, and the part of the page or protocol that declares it.
        replaced: the number of invalid characters.
        bytes: the number of bytes of the raw page.
        segments: blocks and sentences; None for failed pages.
        scores: an array for each scorer, by canonical name.
        seconds: the time of each scorer, and under `pages` the time of decoding and parsing.
        checksum: the CRC-32 of the raw page.
        kinds: the kinds of the blocks, see `thresher.scores.block_kinds`; None if not requested.
        html: the decoded page, if requested.
        members: the members of its JSON line, as JSON, if requested.
        links: the resolved links of the page, if requested.
        texts: other texts of the page that scorers cut, by name. A failed text is empty and has a reason.
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
    links: PageLinks = NO_LINKS
    texts: Mapping[str, PageScores] = field(default_factory=dict)

    def of(self, text: str) -> PageScores:
        """Return the page itself for an empty name, or another text of it with its scores; both have failed together."""
        if not text or self.segments is None:
            return self
        other_text = self.texts[text]
        return replace(
            self,
            status=other_text.status,
            reason=other_text.reason,
            segments=other_text.segments,
            scores=other_text.scores,
            seconds={},
            kinds=None,
            texts={},
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The blocks with their kinds and scores.

        If a scorer scores sentences, the rows are sentences, each with the kind and the scores of its block.
        """
        segments = self.segments
        if segments is None:
            return []
        texts = segments.blocks
        if any(len(scores) != len(segments.blocks) for scores in self.scores.values()):
            texts = segments.sentences
        rows: list[dict[str, Any]] = [{"text": text} for text in texts]
        columns: dict[str, list[Any]] = {}
        if self.kinds is not None:
            columns["kind"] = [str(KINDS[kind]) for kind in self.kinds]
        for name, scores in self.scores.items():
            columns[name] = scores.tolist()
        for name, values in columns.items():
            if len(values) != len(rows):
                values = [values[block] for block in segments.block_of_sentence.tolist()]
            for row, value in zip(rows, values, strict=True):
                row[name] = value
        return rows


class WeightedScores(NamedTuple):
    """The scores of segments, and the words of each; both have shape (segments,)."""

    scores: Scores
    words: Ints


def blocks_of_sentences(table: Table) -> Ints:
    """Return for each sentence of a shard the number of its block within the shard, from the columns of ends."""
    return np.searchsorted(_rising(table, "block_ends"), _rising(table, "sentence_ends"))


def weighted_scores(table: Table, scorer: Scorer) -> WeightedScores:
    """Return the scores of a shard's segments, in order, and the words of each, from the columns `weighted_columns` names."""
    scores: Scores = table.lists(f"score:{scorer.canonical_name}").values
    words: Ints = table.lists("words").values.astype(np.int64)
    if scorer.segment == BLOCK:
        words_in_blocks = np.bincount(blocks_of_sentences(table), weights=words, minlength=len(scores))
        words = words_in_blocks.astype(np.int64)
    return WeightedScores(scores, words)


def weighted_columns(scorer: Scorer) -> list[str]:
    """Return the columns that `weighted_scores` needs."""
    columns = ["words", f"score:{scorer.canonical_name}"]
    if scorer.segment == BLOCK:
        columns += ["block_ends", "sentence_ends"]
    return columns


def _rising(table: Table, name: str) -> Ints:
    """Return a column of ends as numbers that rise over the whole shard: the row in the upper bits, the end in the lower."""
    ends = table.lists(name)
    rising: Ints = ends.values + (ends.rows << _PAGE_BITS)
    return rising


@dataclass(frozen=True)
class ScoringCost:
    """The cost of scoring a shard, or of training scorers before the pass.

    Attributes:
        seconds: the seconds of all workers by stage: `pages` (read, decode, parse, cut), then each scorer by its name.
        times: wall and CPU seconds, peak memory.
        host: the machine that scored a shard.
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

    Attributes:
        begin: the byte at which reading began; None if the part does not name it exactly.
        first, after: the reader's span, see `thresher.collections.sources`.
        content: a digest of the raw pages, in their order.
    """

    begin: int | None
    first: int | None
    after: int
    content: str = ""


_REPORT_FILE = RecordFile(ShardReport, "a report on a shard", _AGAIN)


def text_store(folder: Path, text: str) -> Path:
    """Return the store of a text within a store: the same shards and pages; the store itself for an empty name."""
    if not text:
        return folder
    return folder / "texts" / safe_name(text)


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
    """Write scored pages and their report atomically; `further` names columns of `FURTHER_COLUMNS`, or `LINKS`.

    Times are in a separate file, so that the shard's bytes depend only on the pages.
    """
    columns: dict[str, Column] = {}
    for name in _TEXTS:
        columns[name] = Texts.of(_values(pages, name, ""))
    for name in ("offset", "replaced", "bytes"):
        columns[name] = np.array(_values(pages, name, NO_OFFSET), dtype=np.int64)
    segments = [page.segments for page in pages]
    columns["text"] = Texts.of(_values(segments, "text", ""))
    columns["block_ends"] = Lists.of(_values(segments, "block_ends", ()), np.int32)
    columns["sentence_ends"] = Lists.of(_values(segments, "sentence_ends", ()), np.int32)
    columns["words"] = Lists.of(_values(segments, "words_in_sentences", ()), np.int32)
    columns["levels"] = Lists.of(_values(segments, "levels", ()), np.int8)
    columns["kinds"] = Lists.of(_values(pages, "kinds", ()), np.uint8)
    for name in further:
        if name == LINKS:
            columns.update(_link_columns(pages))
        else:
            columns[name] = Texts.of(_values(pages, name, ""))
    for name in scorers:
        columns[f"score:{name}"] = Lists.of([page.scores.get(name, ()) for page in pages], np.float32)
    COST_FILE.write(_times_path(path), spent)
    write_columns(path, Table(columns), report)


def _link_columns(pages: Sequence[PageScores]) -> dict[str, Column]:
    addresses: list[int] = []
    canonical: list[int] = []
    unresolved: list[int] = []
    targets: list[list[int]] = []
    texts: list[str] = []
    for page in pages:
        addresses.append(page.links.address or 0)
        canonical.append(page.links.canonical or 0)
        unresolved.append(page.links.unresolved)
        targets.append([link.target for link in page.links.links])
        texts.append("\n".join(link.text for link in page.links.links))
    return {
        "address": np.array(addresses, dtype=np.uint64),
        "canonical": np.array(canonical, dtype=np.uint64),
        "unresolved": np.array(unresolved, dtype=np.int64),
        "targets": Lists.of(targets, np.uint64),
        LINKS: Texts.of(texts),
    }


def _values(objects: Iterable[object], attribute: str, missing: object) -> list[Any]:
    """Return an attribute of pages or of their segments, with `missing` for a page without segments and for None."""
    values: list[Any] = []
    for owner in objects:
        value: Any = None
        if owner is not None:
            value = getattr(owner, attribute)
        if value is None:
            value = missing
        values.append(value)
    return values


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
    """Read some columns of a shard, or all; `ORIGINS` is left out where the shard is not weighted.

    A missing address is an empty text, a missing offset `NO_OFFSET`.
    """
    try:
        return read_table(path, columns, optional=[ORIGINS])
    except (OSError, MemoryError, *DAMAGE) as error:
        raise _unusable(error, path) from error


def column_names(path: Path) -> set[str]:
    """Return the names of a shard's columns."""
    try:
        return read_column_names(path)
    except (OSError, MemoryError, *DAMAGE) as error:
        raise _unusable(error, path) from error


def shards(folder: Path) -> list[Path]:
    """Return the files of all shards of a finished store, in the collection's order.

    Raises:
        StateError: there are none: nothing may take a missing store for an empty collection.
    """
    paths = written_shards(folder)
    if not paths:
        raise StateError("there are no scores", "run the same command again", str(final_path(folder)))
    return paths


def written_shards(folder: Path) -> list[Path]:
    """Return the files of the shards that are written so far, perhaps none, in the collection's order."""
    return sorted(folder.glob(f"shard-*{_ENDING}"), key=by_numbers)


def first_document(folder: Path) -> str:
    """Return the first nonempty id of a store; raise `ValueError` if all pages lack ids."""
    for path in shards(folder):
        for document_id in read_shard(path, ["id"]).texts("id").tolist():
            if document_id:
                return str(document_id)
    raise ValueError(f"no page in {folder} has an id")


def missing_documents(folder: Path, documents: Iterable[str]) -> set[str]:
    """Return which documents a store lacks, also under their ids in NFC or NFD; it has failed documents."""
    missing = set(documents)
    document_of_form: dict[str, str] = {}
    for document in missing:
        for form in other_forms(document):
            document_of_form[form] = document
    for path in shards(folder):
        ids = set(read_shard(path, ["id"]).texts("id").tolist())
        missing -= ids
        for form in ids & document_of_form.keys():
            missing.discard(document_of_form[form])
    return missing


def count(pages: Sequence[PageScores]) -> dict[str, int]:
    """Return the numbers of pages that were scored, emptied and failed."""
    counts = dict.fromkeys((SCORED, EMPTIED, FAILED), 0)
    for page in pages:
        counts[page.status] += 1
    return counts


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

    Attributes:
        shards: the number of shards.
        workers: the number of workers.
        seconds: the seconds of all workers by stage, see `ScoringCost`.
        times: wall time is the sum over shards divided by the workers, which covers resumed passes. The peak is the largest
            worker's. Training and comparing pages are included.
        machines: the number of machines that scored.
        content: a digest of the raw pages in order; empty in stores of earlier versions.
    """

    shards: int
    workers: int
    seconds: Mapping[str, float]
    times: Times
    machines: int = 1
    content: str = ""


def total(
    reports: Sequence[ShardReport], spent: Sequence[ScoringCost], workers: int, beside: Sequence[ScoringCost]
) -> ScoreReport:
    """Add up the reports and costs of all shards, and the costs `beside` the pass, of training and of comparing pages."""
    seconds: Counter[str] = Counter()
    times = Times(0.0, 0.0, 0.0)
    for shard in spent:
        seconds.update(shard.seconds)
        times += shard.times
    times = replace(times, wall=times.wall / workers)
    for cost in beside:
        seconds.update(cost.seconds)
        times += cost.times
    counts: dict[str, int] = {field_of_counts.name: 0 for field_of_counts in fields(PageCounts)}
    for report in reports:
        for name in counts:
            counts[name] += getattr(report, name)
    contents = [report.content for report in reports]
    content = ""
    if all(contents):
        content = digest(contents)
    hosts = {shard.host for shard in spent}
    return ScoreReport(
        **counts,
        shards=len(reports),
        workers=workers,
        seconds=dict(seconds),
        times=times,
        machines=max(1, len(hosts)),
        content=content,
    )
