"""Titles, links and other texts of all pages on disk: the pass that extracts them, and the arrays read back.

Each part of the collection has three Parquet tables: its documents, their links, and the texts of these.

    pages   id, reason (why it failed, else empty), plain (text without titles and links), key, site, title, description,
            question, sentence, and the number of links left out by each reason
    links   page (its row in the part), text (a hash), target (a key)
    texts   hash, text
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import thresher.base.arrow as pa
from thresher.base.files import by_numbers
from thresher.cleaners.languages import stop_list
from thresher.collections import IdRule, Part, Source
from thresher.collections.sources import Span
from thresher.pseudo_topics.extracting import LINK_REASONS, Address, Extracted, document_key, extract, page_address
from thresher.scores.parts import Finished, PartReport, PartWork

Numbers = npt.NDArray[np.uint64]
Truths = npt.NDArray[np.bool_]

READ, PLAIN, TWICE, FAILED = "with HTML", "plain text", "with the id of one before", "failed"
_REASONS_KEPT = 20
PAGES, LINKS, TEXTS = "pages", "links", "texts"
_SPAN = b"span"
_NOTHING = Extracted("", [], [0] * len(LINK_REASONS))

NEUTRAL = IdRule(keep_suffix=True)
"""Keeps paths and ids as they are."""


class PageRow(NamedTuple):
    """A document: its id, why it failed (else empty), whether it is plain text, its address, its title and links."""

    id: str
    reason: str
    plain: bool
    key: int
    site: int
    extracted: Extracted


@dataclass(frozen=True)
class ExtractWork(PartWork[PageRow]):
    """Extracts titles and links, and writes a part as three tables.

    The `collection` is read with the `NEUTRAL` rule, so that the id of a file is its path (`by_path`); `rule` makes the id
    from that.
    """

    rule: IdRule = NEUTRAL
    by_path: bool = False
    stop_list: str = ""

    done = "parsed"

    def output(self, part: Part) -> Path:
        """Return the table of pages, which is written last."""
        return table_path(self.folder, f"{part.file:06}-{part.number:06}", PAGES)

    def document_id(self, source: Source) -> str:
        """Return the id of a document by the rule."""
        return (self.rule.apply if self.by_path else self.rule.fit)(source.id) if source.id else ""

    def take(self, source: Source, document_id: str) -> PageRow:
        """Extract a page's title and links; plain text has none."""
        address = self._address(source)
        extracted = _NOTHING if source.is_text else extract(source.page(), address, stop_list(self.stop_list))
        return self._row(source, document_id, "", extracted)

    def refuse(self, source: Source, document_id: str, reason: str) -> PageRow:
        """Return the row of a document that failed."""
        return self._row(source, document_id, reason, _NOTHING)

    def report(self, path: Path) -> PartReport:
        """Read the report of a part from its table of pages."""
        schema = pa.parquet.read_metadata(path)
        first, after = schema.metadata[_SPAN].split()
        return PartReport(schema.num_rows, None, Span(None if first == b"none" else int(first), int(after)))

    def write(self, finished: Finished[PageRow]) -> None:
        """Write a part's tables."""
        _write(finished.rows, finished.span, self.output(finished.part))

    def _address(self, source: Source) -> Address | None:
        # A reference that begins with `/` is relative to the folder that the prefix takes off ids.
        prefix = f"{self.rule.prefix.strip('/')}/"
        return page_address(source.url, source.id.removeprefix(prefix) if self.by_path else None)

    def _row(self, source: Source, document_id: str, reason: str, extracted: Extracted) -> PageRow:
        address = self._address(source)
        key, site = (address.key, address.site) if address else (document_key(document_id), 0)
        return PageRow(document_id, reason, source.is_text, key, site, extracted)


def table_path(folder: Path, part: str, table: str) -> Path:
    """Return the file of a table of a part, which is named by its file and number."""
    return folder / f"{part}.{table}.parquet"


def _write(rows: list[PageRow], span: Span, path: Path) -> None:
    folder, part = path.parent, path.name.partition(".")[0]
    numbered = [(number, link) for number, row in enumerate(rows) for link in row.extracted.links]
    texts: dict[int, str] = {}
    for _, link in numbered:
        texts[link.text_hash] = min(texts.get(link.text_hash, link.text), link.text)
    unsigned = pa.uint64()
    links = {
        "page": pa.array([number for number, _ in numbered], pa.uint32()),
        "text": pa.array([link.text_hash for _, link in numbered], unsigned),
        "target": pa.array([link.target for _, link in numbered], unsigned),
    }
    _write_table(table_path(folder, part, LINKS), links, {})
    _write_table(
        table_path(folder, part, TEXTS),
        {"hash": pa.array(texts.keys(), unsigned), "text": pa.array(texts.values(), pa.string())},
        {},
    )
    pages: dict[str, Any] = {
        "id": pa.array([row.id for row in rows], pa.string()),
        "reason": pa.array([row.reason for row in rows], pa.string()),
        "plain": pa.array([row.plain for row in rows], pa.bool_()),
        "key": pa.array([row.key for row in rows], unsigned),
        "site": pa.array([row.site for row in rows], unsigned),
    }
    for name in ("title", "description", "question", "sentence"):
        pages[name] = pa.array([getattr(row.extracted, name) for row in rows], pa.string())
    for index, reason in enumerate(LINK_REASONS):
        pages[reason] = pa.array([row.extracted.left_out[index] for row in rows], pa.uint32())
    # Written last: a part is done when it has this table.
    first = "none" if span.first is None else span.first
    _write_table(table_path(folder, part, PAGES), pages, {_SPAN: f"{first} {span.after}"})


def _write_table(path: Path, columns: dict[str, Any], metadata: dict[bytes, str]) -> None:
    # No fsync, as the tables are deleted at the end.
    temporary = path.with_suffix(".tmp")
    pa.parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), temporary, compression="zstd")
    temporary.replace(path)


@dataclass(frozen=True)
class Store:
    """The tables of all parts in `folder`, with arrays over all documents in the collection's order.

    Attributes:
        starts: the number of the first document of each part, and at the end the number of documents.
        good: whether a document is readable HTML with an id that none before it has.
        keys: hashes of the documents' addresses.
        sites: hashes of their hosts.
        counts: of documents, by outcome; the first is that of all.
        failures: the most frequent reasons of failures, and how often each occurred.
        left_out: the links of good documents that extracting left out, by `LINK_REASONS`.
    """

    folder: Path
    parts: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    good: Truths
    keys: Numbers
    sites: Numbers
    counts: dict[str, int]
    failures: dict[str, int]
    left_out: dict[str, int]

    def column(self, name: str) -> Iterator[tuple[int, list[str]]]:
        """Yield for each part the number of its first document and a column of text of its documents."""
        for start, part in zip(self.starts.tolist(), self.parts, strict=False):
            yield start, pa.read_parquet(table_path(self.folder, part, PAGES), columns=[name])[name].to_pylist()

    def links(self) -> Iterator[tuple[npt.NDArray[np.int64], Numbers, Numbers]]:
        """Yield for each part the links of good documents: numbers of documents, texts, targets."""
        for start, part in zip(self.starts.tolist(), self.parts, strict=False):
            table = pa.read_parquet(table_path(self.folder, part, LINKS))
            pages = table["page"].to_numpy().astype(np.int64) + start
            kept = self.good[pages]
            yield pages[kept], table["text"].to_numpy()[kept], table["target"].to_numpy()[kept]

    def texts(self, hashes: Sequence[int]) -> dict[int, str]:
        """Return the texts of links by hash: of several spellings the first by code point."""
        wanted = np.array(sorted(set(hashes)), dtype=np.uint64)
        texts: dict[int, str] = {}
        for part in self.parts:
            table = pa.read_parquet(table_path(self.folder, part, TEXTS))
            rows = table.take(np.flatnonzero(np.isin(table["hash"].to_numpy(), wanted)))
            for number, text in zip(rows["hash"].to_pylist(), rows["text"].to_pylist(), strict=True):
                texts[number] = min(texts.get(number, text), text)
        return texts


def open_store(folder: Path) -> Store:
    """Open the tables of all parts in a folder; 24 bytes of a document stay in memory: hashes of address, host and id."""
    failures: Counter[str] = Counter()
    parts = tuple(path.name.partition(".")[0] for path in sorted(folder.glob(f"*.{PAGES}.parquet"), key=by_numbers))
    starts = [0]
    columns: dict[str, list[npt.NDArray[np.uint64]]] = {"id": [], "key": [], "site": []}
    failed: list[Truths] = []
    plain: list[Truths] = []
    left_out: list[npt.NDArray[np.uint64]] = []
    for part in parts:
        table = pa.read_parquet(table_path(folder, part, PAGES))
        reasons = table["reason"].to_pylist()
        failures.update(filter(None, reasons))
        failed.append(np.array([bool(reason) for reason in reasons], dtype=np.bool_))
        plain.append(table["plain"].to_numpy())
        columns["id"].append(np.array([document_key(name) for name in table["id"].to_pylist()], dtype=np.uint64))
        for name in ("key", "site"):
            columns[name].append(table[name].to_numpy())
        left_out.append(np.stack([table[reason].to_numpy().astype(np.uint64) for reason in LINK_REASONS], axis=1))
        starts.append(starts[-1] + len(table))
    empty = np.zeros(0, dtype=np.uint64)
    ids, keys, sites = (np.concatenate([empty, *columns[name]]) for name in ("id", "key", "site"))
    bad = np.concatenate([np.zeros(0, dtype=np.bool_), *failed])
    text = np.concatenate([np.zeros(0, dtype=np.bool_), *plain])
    twice = _repeated(ids, ~bad)
    good = ~(bad | twice | text)
    masks = {READ: good, PLAIN: text & ~bad & ~twice, TWICE: twice, FAILED: bad}
    counts = {"all": len(ids), **{name: int(mask.sum()) for name, mask in masks.items()}}
    out = np.concatenate([np.zeros((0, len(LINK_REASONS)), dtype=np.uint64), *left_out])[good].sum(axis=0)
    common = sorted(failures.items(), key=lambda item: (-item[1], item[0]))[:_REASONS_KEPT]
    return Store(
        folder,
        parts,
        np.array(starts, dtype=np.int64),
        good,
        keys,
        sites,
        counts,
        dict(common),
        dict(zip(LINK_REASONS, out.tolist(), strict=True)),
    )


def _repeated(ids: Numbers, counted: Truths) -> Truths:
    indices = np.flatnonzero(counted)
    first = indices[np.unique(ids[indices], return_index=True)[1]]
    again = counted.copy()
    again[first] = False
    return again
