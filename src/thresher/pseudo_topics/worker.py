"""What the pass over a collection extracts, as Parquet files.

A part has three tables: its documents, their links, and the texts of these.

    pages   id, reason (why it failed, else empty), plain (text without titles and links), key, site, title, and the number of
            links left out by each reason
    links   page (its row among the documents), text (a hash), target (a key)
    texts   hash, text
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from thresher.collections import IdRule, Part, Source
from thresher.collections.records import Span
from thresher.passes.parts import Finished, PartReport, PartWork
from thresher.pseudo_topics.addresses import Address, document_key, page_address
from thresher.pseudo_topics.extracting import LINK_REASONS, Extracted, extract
from thresher.scorers.stop_lists import stop_list

PAGES, LINKS, TEXTS = "pages", "links", "texts"
_SPAN = b"span"
_NOTHING = Extracted("", [], [0] * len(LINK_REASONS))


NEUTRAL = IdRule(keep_suffix=True)
"""Gives paths and ids as they are."""


class PageRow(NamedTuple):
    """What becomes of a document: its id, why it failed (else empty), whether it is plain text, its address, its content."""

    id: str
    reason: str
    plain: bool
    key: int
    site: int
    extracted: Extracted


@dataclass(frozen=True)
class ExtractWork(PartWork[PageRow]):
    """Extracts titles and links, and writes a part as three tables.

    The `collection` is read with the `NEUTRAL` rule for ids: what it gives as the id of a file is its path (`by_path`), and
    `rule` makes the id from that.
    """

    rule: IdRule = NEUTRAL
    by_path: bool = False
    stop_list: str = ""

    done = "parsed"

    def output(self, part: Part) -> Path:
        """Return the table of pages, which is written last."""
        return table_path(self.folder, f"{part.file:06}-{part.number:06}", PAGES)

    def document_id(self, source: Source) -> str:
        """Return the id that the rule gives a document."""
        return (self.rule.apply if self.by_path else self.rule.fit)(source.id) if source.id else ""

    def take(self, source: Source, document_id: str) -> PageRow:
        """Return a page's title and links; plain text has none."""
        address = self._address(source)
        extracted = _NOTHING if source.is_text else extract(source.page(), address, stop_list(self.stop_list))
        return self._row(source, document_id, "", extracted)

    def refuse(self, source: Source, document_id: str, reason: str) -> PageRow:
        """Return a document that failed."""
        return self._row(source, document_id, reason, _NOTHING)

    def report(self, path: Path) -> PartReport:
        """Read what is known of a part from its table of pages."""
        schema = pq.read_metadata(path)
        first, after = schema.metadata[_SPAN].split()
        return PartReport(schema.num_rows, None, Span(None if first == b"none" else int(first), int(after)))

    def write(self, finished: Finished[PageRow]) -> None:
        """Write a part's tables."""
        _write(finished.rows, finished.span, self.output(finished.part))

    def _address(self, source: Source) -> Address | None:
        # What begins with `/` leads from the folder that ids don't show.
        prefix = f"{self.rule.prefix.strip('/')}/"
        return page_address(source.url, source.id.removeprefix(prefix) if self.by_path else None)

    def _row(self, source: Source, document_id: str, reason: str, extracted: Extracted) -> PageRow:
        address = self._address(source)
        key, site = (address.key, address.site) if address else (document_key(document_id), 0)
        return PageRow(document_id, reason, source.is_text, key, site, extracted)


def table_path(folder: Path, part: str, table: str) -> Path:
    """Return the file of a part's table, the part being given by its file and number."""
    return folder / f"{part}.{table}.parquet"


def finished_parts(folder: Path) -> tuple[str, ...]:
    """Return the parts in a folder, in the collection's order."""
    return tuple(path.name.partition(".")[0] for path in sorted(folder.glob(f"*.{PAGES}.parquet")))


def _write(rows: list[PageRow], span: Span, path: Path) -> None:
    folder, part = path.parent, path.name.partition(".")[0]
    texts: dict[int, str] = {}
    page: list[int] = []
    hashes: list[int] = []
    targets: list[int] = []
    for number, row in enumerate(rows):
        for link in row.extracted.links:
            page.append(number)
            hashes.append(link.text_hash)
            targets.append(link.target)
            texts[link.text_hash] = min(texts.get(link.text_hash, link.text), link.text)
    unsigned = pa.uint64()
    links = {
        "page": pa.array(page, pa.uint32()),
        "text": pa.array(hashes, unsigned),
        "target": pa.array(targets, unsigned),
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
        "title": pa.array([row.extracted.title for row in rows], pa.string()),
    }
    for place, reason in enumerate(LINK_REASONS):
        pages[reason] = pa.array([row.extracted.left_out[place] for row in rows], pa.uint32())
    # The last, for a part is done when this is there.
    first = "none" if span.first is None else span.first
    _write_table(table_path(folder, part, PAGES), pages, {_SPAN: f"{first} {span.after}"})


def _write_table(path: Path, columns: dict[str, Any], metadata: dict[bytes, str]) -> None:
    # Nothing of this outlives the run: not worth waiting for the disk.
    temporary = path.with_suffix(".tmp")
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), temporary, compression="zstd")
    temporary.replace(path)
