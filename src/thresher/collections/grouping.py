"""Documents at hand, grouped into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from thresher.collections.records import Part, Source

SOURCE_BYTES = 16 * 2**20
"""What the documents of a part have together at most, as they are before anything is read of them."""


def grouped(sources: Iterable[Source], file: int, path: Path, name: str, pages: int) -> Iterator[Part]:
    """Group sources into parts of at most `pages` documents and, unless one alone has more, `SOURCE_BYTES`."""
    group: list[Source] = []
    size = count = 0
    for source in sources:
        if group and (len(group) == pages or size + source.size > SOURCE_BYTES):
            yield Part(file, count, path, name, sources=tuple(group))
            group, size, count = [], 0, count + 1
        group.append(source)
        size += source.size
    if group:
        yield Part(file, count, path, name, sources=tuple(group))
