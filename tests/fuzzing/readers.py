"""What must hold of any file that a reader of collections reads, however damaged."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import seeds
from file_ranges import read_part
from watching import watched

from thresher.base.errors import InputError
from thresher.base.streams import is_plain
from thresher.collections import documents, open_collection
from thresher.collections.interface import FileKind, ReadOptions, id_problem
from thresher.collections.json_lines import JsonLines
from thresher.collections.sources import Part, Source, Span
from thresher.collections.warc import Warc

MOST = 4096
_OPTIONS = ReadOptions(max_bytes=MOST)
_MOST_RANGES = 40

Check = Callable[[bytes, Path], None]


def reader(kind: FileKind, suffix: str) -> Check:
    """Return the check of a kind of file: its name ends in `suffix`."""

    def check(data: bytes, folder: Path) -> None:
        path = folder / f"input{suffix}"
        path.write_bytes(data)
        with watched(path):
            whole, span = read_part(kind, Part(0, 0, path, path.name, 0, len(data)), _OPTIONS)
            assert span.after == len(data), span
            assert span.first is None or 0 <= span.first < len(data), span
            check_sources(whole, path.name)
            if kind.can_split(path):
                # Any length of range, the same for the same input.
                most = len(data) // _MOST_RANGES + 1
                length = most + zlib.crc32(data) % (len(data) + 1)
                for each in {length, most + length % (4 * most)}:
                    assert in_ranges(kind, path, each) == whole, f"ranges of {each}"
            if isinstance(kind, JsonLines) and is_plain(path):
                assert len(whole) == sum(bool(line.strip()) for line in data.split(b"\n"))

    return check


def check_sources(sources: Sequence[Source], file: str) -> None:
    """Check documents of a file: their order, their size, what is said of each."""
    begun = 0
    for source in sources:
        assert source.file == file
        assert source.offset is not None, source
        assert source.offset >= begun, source
        begun = source.offset
        assert (source.content is None) == bool(source.problem), source
        if source.content is not None:
            assert source.size == len(source.content) <= MOST
        if source.problem is not None:
            assert source.problem == source.problem.strip(" ."), source
            assert source.problem.isprintable(), source
        if source.url is not None:
            source.url.encode()
        id_problem(source.id).encode()


def in_ranges(kind: FileKind, path: Path, length: int) -> list[Source]:
    """Read ranges as the scoring pass does, again where one did not begin where the one before it said."""
    size = path.stat().st_size
    result: list[Source] = []
    after = 0
    for number, begin in enumerate(range(0, size, length)):
        end = min(begin + length, size)
        sources, span = read_part(kind, Part(0, number, path, path.name, begin, end, exact=not begin), _OPTIONS)
        if number and span.first != (after if after < end else None):
            part = Part(0, number, path, path.name, after, end)
            sources, span = read_part(kind, part, _OPTIONS) if after <= end else ([], Span(None, after))
        assert span.after >= end, (span, end)
        result += sources
        # A range within a record knows no more than its own end.
        after = max(after, span.after)
    return result


def read_response(data: bytes, folder: Path) -> None:
    """An HTTP response in a sound record is one document, whatever is in it."""
    path = folder / "input.warc"
    path.write_bytes(seeds.record(data, 1) + seeds.record(seeds.HTTP[0], 2))
    with watched(path):
        sources, _ = read_part(
            Warc(), Part(0, 0, path, path.name, 0, path.stat().st_size), ReadOptions(max_bytes=1 << 16)
        )
    assert [source.id for source in sources] == ["1", "2"]
    assert sources[0].problem or len(sources[0].content or b"") <= 1 << 16


def read_unknown(data: bytes, folder: Path) -> None:
    """A file whose name says nothing is of a kind that its bytes say, or is refused."""
    path = folder / "input"
    path.write_bytes(data)
    with watched(path):
        try:
            collection = open_collection(path, _OPTIONS)
        except InputError:
            return
        check_sources(list(documents(collection)), path.name)
