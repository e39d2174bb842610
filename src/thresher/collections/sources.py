"""The records of a collection: parts, which are read independently, sources and pages."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from fastwarc.stream_io import BrotliReader

from thresher.base.errors import InputError, StateError
from thresher.base.streams import open_stream

HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
"""File name suffixes of HTML pages."""
PACKED_SUFFIXES = (".gz", ".zst", ".br")
"""Suffixes of compressions behind the suffixes of pages."""
PAGE_SUFFIXES = tuple(suffix + packed for suffix in HTML_SUFFIXES for packed in ("", *PACKED_SUFFIXES))
_BROTLI = ".br"
# As wget writes it: the query after the name, after `@` on Windows.
_WITH_QUERY = re.compile(r"\.(?:html?|xhtml|shtml)[?@][^/]*", re.IGNORECASE)
_PIECE = 2**16
SOURCE_BYTES = 16 * 2**20
"""The most bytes of documents in a part, as stored."""


class PageError(InputError):
    """A page that cannot be used; it must not end a pass. `what` is the reason."""


def unpacked_name(name: str) -> str:
    """Return the name of a page's file without the suffix of a compression.

    >>> unpacked_name("a.html.gz"), unpacked_name("a.gz")
    ('a.html', 'a.gz')
    """
    return name.rpartition(".")[0] if name.lower().endswith(PAGE_SUFFIXES) and _is_packed(name) else name


def is_page_name(name: str) -> bool:
    """Return whether a file's name says that it is a page of HTML, compressed or not.

    >>> [is_page_name(name) for name in ("a.HTM", "a.html.gz", "a.html?id=2", "a.php?id=2", "a.htmlx")]
    [True, True, True, False, False]
    """
    return name.lower().endswith(PAGE_SUFFIXES) or bool(_WITH_QUERY.search(name.rpartition("/")[2]))


def _is_packed(name: str) -> bool:
    return name.lower().endswith(PACKED_SUFFIXES)


class CollectionChanged(StateError):
    """A file of the collection was written, replaced, added or removed during a pass. Exit code 5."""


def changed_while_read(file: str) -> CollectionChanged:
    """Return the error for a `file` of a collection that changed during a pass over it."""
    fix = "let nothing write there, and start over (`thresher run` and `explore`: with --fresh)"
    return CollectionChanged("the collection changed while it was read", fix, file)


@dataclass(frozen=True, slots=True)
class FileState:
    """Size, mtime, ctime (both in ns) and inode of a file, to detect changes.

    The ctime and the inode differ between machines that see copies of a file; the ctime changes with permissions and
    links too.
    """

    size: int
    modified: int
    changed: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """Return the state that the system reports."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def is_like(self, other: FileState) -> bool:
        """Return whether another state has this size and this time of modification."""
        return (self.size, self.modified) == (other.size, other.modified)


def unchanged(reading: Reading, path: Path, listed_state: FileState | None, shown: str) -> Reading:
    """Pass on the documents read from a file, which must stay as it was listed; without `listed_state` it may change."""
    if listed_state is None:
        return (yield from reading)
    before = _state(path, shown)
    if not before.is_like(listed_state):
        raise changed_while_read(shown)
    span = yield from reading
    if _state(path, shown) != before:
        raise changed_while_read(shown)
    return span


def _state(path: Path, shown: str) -> FileState:
    try:
        return FileState.of(path.stat())
    except FileNotFoundError as error:
        raise changed_while_read(shown) from error


@dataclass(frozen=True, slots=True)
class Page:
    """One raw document.

    `content` is the bytes of an HTML page, or of plain text if `is_text`; `charset` is declared by the transport (an HTTP
    header), not by the page itself.
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
    `problem` there are no bytes, and the document counts as failed. `listed_state` is the state of the file `path` when it was
    listed; an unpacked page may have `most` bytes. `members` are further members of its JSON line, or columns of its row, by
    name. `name` is the path of a file that is the page, in its folder or archive.
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
    listed_state: FileState | None = None
    most: int = 1 << 62
    members: Mapping[str, Any] | None = None
    name: str = ""

    @property
    def where(self) -> str:
        """File and offset, for messages."""
        return self.file if self.offset is None else f"{self.file} at byte {self.offset}"

    def page(self) -> Page:
        """Return the page, read from its file and unpacked if necessary.

        Raises:
            PageError: if a compressed page is damaged or too large.
        """
        content = self.content if self.content is not None else self._read()
        return Page(self.id, content, self.url, self.charset, self.is_text)

    def _read(self) -> bytes:
        if self.path is None:
            return b""
        try:
            with self.path.open("rb", buffering=0) as handle:
                content = handle.read()
                if self.listed_state and not FileState.of(os.fstat(handle.fileno())).is_like(self.listed_state):
                    raise changed_while_read(self.file)
        except FileNotFoundError as error:
            if self.listed_state is None:
                raise
            raise changed_while_read(self.file) from error
        return self._unpacked(content, self.path) if _is_packed(self.path.name) else content

    def _unpacked(self, content: bytes, path: Path) -> bytes:
        """Return the unpacked content of a file, if its name ends in the suffix of a compression; else its content."""
        damage = ""
        if path.name.lower().endswith(_BROTLI):
            try:
                # It has no magic number.
                is_page = content.lstrip().startswith(b"<")
                unpacked = content if is_page else _read(BrotliReader(io.BytesIO(content)), self.most)
            except OSError:
                unpacked, damage = b"", "the compressed data are broken"
        else:
            with open_stream(path) as stream:
                unpacked = _read(stream, self.most)
                damage = stream.damage
        if len(unpacked) > self.most:
            limit = self.most / 2**20
            damage = f"too large: more than {limit:g} MiB after unpacking"
        if damage:
            raise PageError(damage, "compress the page again", self.file)
        return unpacked


def _read(stream: BinaryIO | BrotliReader, most: int) -> bytes:
    """Return a stream's bytes: all bytes of up to `most`, and at least `most` + 1 bytes of a longer stream."""
    pieces: list[bytes] = []
    size = 0
    while size <= most and (piece := stream.read(_PIECE)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive documents that are read and scored together: a shard of the score store.

    `file` is the number of the file within the collection, `number` the number of the part within the file. The documents are
    the `sources` if given; else all records of the file `path` (within the collection: `name`) that begin in [`begin`, `end`).
    With `exact` a record begins at `begin`; without, the first record is searched for. `listed_state` is the file's state when
    it was listed.
    """

    file: int
    number: int
    path: Path
    name: str
    begin: int = 0
    end: int = 0
    exact: bool = True
    sources: tuple[Source, ...] | None = None
    listed_state: FileState | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The offsets of the first record of a range (None if there is none), and of the record after its last one.

    Each range must begin at the end of the range before it: see `thresher.scores.score_pass`.
    """

    first: int | None
    after: int


Reading = Generator[Source, None, Span]
"""Sources in order; the generator returns the span."""


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
