"""What a worker process does: extract the pages of one part of a collection into Parquet files.

A part has three tables: its documents, their links, and the texts of these.

    pages   id, reason (why it failed, else empty), plain (text without titles and links), key, site, title, and the number of
            links left out by each reason
    links   page (its row among the documents), text (a hash), target (a key)
    texts   hash, text
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from thresher.collections import Collection, IdRule, Part, Source
from thresher.collections.ids import id_problem
from thresher.collections.records import Span, too_large
from thresher.errors import InputError
from thresher.passes.guards import alarm, end_with_parent
from thresher.pseudo_topics.addresses import document_key, page_address
from thresher.pseudo_topics.extracting import LINK_REASONS, Extracted, extract
from thresher.scorers.stop_lists import stop_list
from thresher.scoring.worker import Limits

PAGES, LINKS, TEXTS = "pages", "links", "texts"
_SPAN = b"span"
_NOTHING = Extracted("", [], [0] * len(LINK_REASONS))


@dataclass(frozen=True)
class Work:
    """What all parts have in common.

    The `collection` is read with the `NEUTRAL` rule for ids: what it gives as the id of a file is its path (`by_path`), and
    `rule` makes the id from that.
    """

    collection: Collection
    folder: Path
    rule: IdRule
    by_path: bool
    limits: Limits
    stop_list: str


NEUTRAL = IdRule(keep_suffix=True)
"""Gives paths and ids as they are."""


class Task(NamedTuple):
    """A part, and by position why a page of it must not be tried again."""

    part: Part
    poison: dict[int, str]


class _Row(NamedTuple):
    id: str
    reason: str
    plain: bool
    key: int
    site: int
    found: Extracted


def table_path(folder: Path, part: Part, table: str) -> Path:
    """Return the file of a part's table; names are in the collection's order."""
    return folder / f"{part.file:06}-{part.number:06}.{table}.parquet"


def place_path(folder: Path, part: Part) -> Path:
    """Return the file that tells which page of a part is being worked on."""
    return table_path(folder, part, PAGES).with_suffix(".place")


def extract_part(task: Task, work: Work) -> int:
    """Extract all pages of a part, write its tables, and return how many documents it has."""
    end_with_parent()
    stop_words = stop_list(work.stop_list)
    rows: list[_Row] = []
    span = Span(None, task.part.end)
    sources = work.collection.read(task.part)
    handle = os.open(place_path(work.folder, task.part), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        while True:
            os.pwrite(handle, b"%020d" % len(rows), 0)
            with alarm(work.limits.seconds):
                try:
                    source = next(sources)
                except StopIteration as end:
                    span = end.value
                    break
                except OSError as error:
                    rows.append(_Row("", f"cannot be read: {error.strerror or error}", False, 0, 0, _NOTHING))
                    break
                rows.append(_row(source, work, stop_words, task.poison.get(len(rows), "")))
    finally:
        os.close(handle)
    _write(rows, span, task.part, work.folder)
    return len(rows)


def read_place(path: Path) -> int | None:
    """Return the position of the page that a worker was on, or None if that isn't known."""
    try:
        return int(path.read_bytes())
    except (OSError, ValueError):
        return None


def read_span(path: Path) -> Span:
    """Return what the reader of a part found, from its table of pages."""
    first, after = pq.read_schema(path).metadata[_SPAN].split()
    return Span(None if first == b"none" else int(first), int(after))


def _row(source: Source, work: Work, stop_words: frozenset[str], poison: str) -> _Row:
    document_id, reason = "", source.problem or ""
    try:
        document_id = (work.rule.apply if work.by_path else work.rule.fit)(source.id) if source.id else ""
    except InputError as error:
        reason = reason or error.what
    reason = reason or id_problem(document_id) or poison
    limit = work.limits.mib * 2**20
    if not reason and source.size > limit:
        reason = too_large(source.size, limit)
    found = _NOTHING
    # What begins with `/` leads from the folder that ids don't show.
    prefix = f"{work.rule.prefix.strip('/')}/"
    address = page_address(source.url, source.id.removeprefix(prefix) if work.by_path else None)
    if not reason and not source.is_text:
        try:
            found = extract(source.page(), address, stop_words)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        except Exception as error:
            # One page that a parser cannot take must not end the pass over millions.
            reason = f"cannot be parsed: {type(error).__name__}: {error}"
    key, site = (address.key, address.site) if address else (document_key(document_id), 0)
    return _Row(_fit(document_id), _fit(reason), source.is_text, key, site, found)


def _fit(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _write(rows: list[_Row], span: Span, part: Part, folder: Path) -> None:
    texts: dict[int, str] = {}
    page: list[int] = []
    hashes: list[int] = []
    targets: list[int] = []
    for number, row in enumerate(rows):
        for found in row.found.links:
            page.append(number)
            hashes.append(found.text_hash)
            targets.append(found.target)
            texts[found.text_hash] = min(texts.get(found.text_hash, found.text), found.text)
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
        "title": pa.array([row.found.title for row in rows], pa.string()),
    }
    for place, reason in enumerate(LINK_REASONS):
        pages[reason] = pa.array([row.found.left_out[place] for row in rows], pa.uint32())
    # The last, for a part is done when this is there.
    first = "none" if span.first is None else span.first
    _write_table(table_path(folder, part, PAGES), pages, {_SPAN: f"{first} {span.after}"})


def _write_table(path: Path, columns: dict[str, Any], metadata: dict[bytes, str]) -> None:
    # Nothing of this outlives the run: not worth waiting for the disk.
    temporary = path.with_suffix(".tmp")
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), temporary, compression="zstd")
    temporary.replace(path)
