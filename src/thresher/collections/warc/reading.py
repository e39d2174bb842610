"""WARC files, the archives of web crawls: ClueWeb, Common Crawl and others, compressed or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from thresher.collections.interface import ReadOptions
from thresher.collections.sources import Part, Reading, Source, Span
from thresher.collections.warc.documents import read_document
from thresher.collections.warc.framing import HEAD_BYTES, read_records
from thresher.collections.warc.packing import (
    DICTIONARY_MAGIC,
    GZIP_MAGIC,
    ZSTD_MAGIC,
    Blocks,
    Gzip,
    Packing,
    Unit,
    Zstd,
    find_unit,
)
from thresher.collections.warc.window import Window

_PIECE = 1 << 16
# Beyond this size of the first record, the next one is searched for instead.
_MOST_TO_SEE = 1 << 26


@dataclass(frozen=True)
class Warc:
    """WARC 0.18, 1.0 and 1.1, plain or compressed record by record with gzip or zstd; WET files too.

    See `thresher.collections.warc.documents` for the choice of records, `.records` for damage.
    """

    name: str = "warc"
    suffixes: tuple[str, ...] = (".warc", ".warc.gz", ".warc.zst", ".wet", ".wet.gz", ".warc.wet.gz")

    def can_split(self, path: Path) -> bool:
        """Return whether reading can begin in the middle of the file: not if it is compressed as a whole."""
        try:
            with path.open("rb") as file:
                blocks = Blocks(file)
                packing = _packing(blocks)
                return blocks.size > 0 and (packing is None or _has_members(packing, blocks))
        except OSError:
            return False

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents whose records, or the members that hold them, begin in the range of `part`.

        Offsets are those of members if records are compressed one by one, else those of records.

        Raises:
            OSError: if the file cannot be read.
        """
        with part.path.open("rb") as file:
            blocks = Blocks(file)
            packing = _packing(blocks)
            if packing is None:
                return (yield from _read_plain(part, options, file, blocks))
            return (yield from _read_packed(part, options, packing, blocks))


class _File:
    """The bytes of a file from an offset on."""

    problem = "clipped: the file ends"
    inflation = 1.0

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        file.seek(offset)

    def read(self) -> bytes:
        return self._file.read(_PIECE)

    def abandon(self) -> None:
        self._file.seek(0, 2)


def _packing(blocks: Blocks) -> Packing | None:
    magic = bytes(blocks.view(0, 4, 4))
    if magic.startswith(GZIP_MAGIC):
        return Gzip(blocks)
    return Zstd(blocks) if magic in (ZSTD_MAGIC, DICTIONARY_MAGIC) else None


def _has_members(packing: Packing, blocks: Blocks) -> bool:
    """Return whether there is a second unit."""
    unit = Unit(packing, blocks, 0)
    size = 1
    while size < _MOST_TO_SEE and (piece := unit.read()):
        size += len(piece)
    if unit.after is None:
        return find_unit(packing, blocks, 1, blocks.size) is not None
    return unit.after < blocks.size


def _limit(options: ReadOptions) -> int:
    # The largest page, and the HTTP header before it.
    return options.max_bytes + HEAD_BYTES


def _read_plain(part: Part, options: ReadOptions, file: BinaryIO, blocks: Blocks) -> Reading:
    end = min(part.end, blocks.size)
    window = Window(_File(file, part.begin if part.exact else max(part.begin - 1, 0)), 0)
    window.offset = part.begin if part.exact else max(part.begin - 1, 0)
    if not part.exact:
        window.fill(1)
        window.at = part.begin - window.offset
        window.skip_to_mark(end - part.begin)
        if window.position >= end:
            return Span(None, max(window.position, end))
    first = window.position
    for record in read_records(window, _limit(options), end):
        source = read_document(record, options, part.name, record.position)
        if source is not None:
            yield source
    return Span(first if first < end else None, max(window.position, end))


def _read_packed(part: Part, options: ReadOptions, packing: Packing, blocks: Blocks) -> Reading:
    end = min(part.end, blocks.size)
    first = part.begin if part.exact else find_unit(packing, blocks, part.begin, end)
    if first is None or first >= end:
        return Span(None, end)
    by_member = _has_members(packing, blocks)
    unit = Unit(packing, blocks, first)
    while True:
        yield from _read_unit(unit, part, options, by_member)
        if unit.after is None or unit.after >= end:
            return Span(first, unit.after or blocks.size)
        unit = unit.following()


def _read_unit(unit: Unit, part: Part, options: ReadOptions, by_member: bool) -> Iterator[Source]:
    reported = False
    window = Window(unit)
    for record in read_records(window, _limit(options)):
        source = read_document(record, options, part.name, unit.offset if by_member else record.position)
        if source is None:
            continue
        if unit.problem is not None and source.problem is not None and source.problem.startswith(unit.problem):
            reported = True
            if by_member and not record.fields:
                source = replace(source, offset=unit.problem_offset)
        yield source
    if unit.problem is not None and not reported:
        offset = unit.problem_offset if by_member else window.position
        yield Source("", part.name, 0, offset, problem=unit.problem)
