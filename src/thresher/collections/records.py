"""What a collection gives: parts that are read independently, sources, which are pages not yet read, and pages."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Page:
    """One raw document.

    `content` is the bytes of an HTML page, or plain text where `is_text`; `charset` is what the transport declared
    (an HTTP header), not what the page says of itself.
    """

    id: str
    content: bytes
    url: str | None = None
    charset: str | None = None
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """Where one document comes from: a file to be read later, or bytes at hand.

    `file` is the path within the collection, `offset` where its record begins in the file, in bytes (of the compressed file
    where records are compressed one by one, else of what it decompresses to); None if the file is the document. `size` is in
    bytes. `problem` says why there are no bytes, and the document stays in the count as failed.
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
        """The place, for messages."""
        return self.file if self.offset is None else f"{self.file} at byte {self.offset}"

    def page(self) -> Page:
        """Return the page, read from its file where need be.

        Raises:
            OSError: if the file cannot be read.
        """
        content = self.content if self.content is not None else (self.path.read_bytes() if self.path else b"")
        return Page(self.id, content, self.url, self.charset, self.is_text)


@dataclass(frozen=True, slots=True)
class Part:
    """Documents in a row that are read and scored together: a shard of the score store.

    `file` is the number of the file among the collection's, `number` that of the part in its file. The documents are `sources`
    where these are at hand; else all records of the file `path` (within the collection: `name`) that begin at an offset of at
    least `begin` and below `end`. With `exact` a record begins right at `begin`; without, the first is searched for.
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
    """What a reader found of a range: where its first record began (None if none does), and where the one after its last does.

    Of ranges in a row each must begin where the one before it says: see `thresher.scoring.score_pass`.
    """

    first: int | None
    after: int


Reading = Generator[Source, None, Span]
"""Sources in order; the generator returns the span."""


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


def too_large(size: int, limit: float) -> str:
    """Return the problem of a document of `size` bytes where `limit` are allowed."""
    return f"too large: {size / 2**20:.1f} MiB, the limit is {limit / 2**20:g} MiB"
