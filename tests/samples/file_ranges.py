"""Reading a file whole, or in ranges that are put together as the scoring pass does it."""

from pathlib import Path

from thresher.collections.interface import FileKind, ReadOptions
from thresher.collections.sources import Part, Source, Span


def read_part(kind: FileKind, part: Part, options: ReadOptions) -> tuple[list[Source], Span]:
    reading = kind.read(part, options)
    sources = []
    while True:
        try:
            sources.append(next(reading))
        except StopIteration as stop:
            return sources, stop.value


def read_range(
    kind: FileKind, path: Path, begin: int, end: int, options: ReadOptions, exact: bool
) -> tuple[list[Source], Span]:
    return read_part(kind, Part(0, 0, path, path.name, begin, end, exact), options)


def read_whole(kind: FileKind, path: Path, options: ReadOptions | None = None) -> list[Source]:
    return read_range(kind, path, 0, path.stat().st_size, options or ReadOptions(), True)[0]


def read_in_ranges(kind: FileKind, path: Path, length: int, options: ReadOptions | None = None) -> list[Source]:
    """Read ranges of `length` bytes. None may have to be read again: each begins where the one before it says."""
    options = options or ReadOptions()
    size = path.stat().st_size
    found: list[Source] = []
    expected = 0
    for begin in range(0, size, length):
        end = min(begin + length, size)
        sources, span = read_range(kind, path, begin, end, options, exact=not begin)
        assert span.after >= end
        if begin and expected < end:
            assert span.first == (expected if expected < size else None)
            assert read_range(kind, path, expected, end, options, exact=True) == (sources, span)
        if begin and expected >= end:
            assert (sources, span.first) == ([], None)
        expected = max(expected, span.after)
        found += sources
    assert expected == size
    return found
