"""The records of a collection: parts, which are read independently, sources and pages."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Page:
    """One raw document.

    `content` is the bytes of an HTML page, or of plain text if `is_text`; `charset` is the one declared by the transport
    (an HTTP header), not by the page itself.
    """

    id: str
    content: bytes
    url: str | None = None
    charset: str | None = None
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A document's origin: a file to be read later, or its bytes.

    `file` is the path within the collection; `offset` the record's first byte in the file (in the compressed file if records
    are compressed one by one, else in the decompressed one), None if the file is the document; `size` in bytes. With a
    `problem` there are no bytes, and the document counts as failed.
    """

    id: str
    file: str
    size: int
    offset: int | None = None
    path: Path | None = None
    content: bytes | None = None
    url: str | None = None
    charset: str | None = None
    is_text: bool = False
    problem: str | None = None

    @property
    def where(self) -> str:
        """File and offset, for messages."""
        return self.file if self.offset is None else f"{self.file} at byte {self.offset}"

    def page(self) -> Page:
        """Return the page, read from its file if necessary.

        Raises:
            OSError: if the file cannot be read.
        """
        content = self.content if self.content is not None else (self.path.read_bytes() if self.path else b"")
        return Page(self.id, content, self.url, self.charset, self.is_text)


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive documents that are read and scored together: a shard of the score store.

    `file` is the number of the file within the collection, `number` that of the part within the file. The documents are the
    `sources` if given; else all records of the file `path` (within the collection: `name`) that begin in [`begin`, `end`).
    With `exact` a record begins at `begin`; without, the first one is searched for.
    """

    file: int
    number: int
    path: Path
    name: str
    begin: int = 0
    end: int = 0
    exact: bool = True
    sources: tuple[Source, ...] | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Where the first record of a range begins (None if there is none), and where the record after its last one does.

    Each of consecutive ranges must begin where the one before it ended: see `thresher.scoring.score_pass`.
    """

    first: int | None
    after: int


Reading = Generator[Source, None, Span]
"""Sources in order; the generator returns the span."""


SOURCE_BYTES = 16 * 2**20
"""The most bytes of documents in a part, as stored."""


def grouped(sources: Iterable[Source], file: int, path: Path, name: str, pages: int) -> Iterator[Part]:
    """Group sources into parts of at most `pages` documents and `SOURCE_BYTES` (unless a single document has more)."""
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


def too_large(size: int, limit: float) -> str:
    """Return the problem of a document of `size` bytes, more than `limit`."""
    return f"too large: {size / 2**20:.1f} MiB, the limit is {limit / 2**20:g} MiB"
