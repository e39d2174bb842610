"""The protocols of collections and formats, and reading options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from thresher.collections.ids import IdRule
from thresher.collections.sources import FileState, Part, Reading, Span, changed_while_read

TEXT_SUFFIXES = (".txt", ".text")
"""File name suffixes of text dumps, which count as pages only where there is nothing else."""


@dataclass(frozen=True)
class JsonFields:
    """The members of a JSON line; dots descend into objects (`page.title`); the first name with a value counts."""

    id: tuple[str, ...] = ("id",)
    html: tuple[str, ...] = ("html",)
    text: tuple[str, ...] = ("contents",)
    url: tuple[str, ...] = ("url",)


@dataclass(frozen=True)
class ReadOptions:
    """Options of reading documents. Pages larger than `max_bytes` are not read and have a `problem`; `fields` is for
    JSON lines.
    """

    rule: IdRule = field(default_factory=IdRule)
    max_bytes: int = 1 << 62
    fields: JsonFields = field(default_factory=JsonFields)


class FileKind(Protocol):
    """A format of files that hold many documents, such as WARC."""

    @property
    def name(self) -> str:
        """The value of the key `format`."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name suffixes, in lower case."""
        ...

    def can_split(self, path: Path) -> bool:
        """Return whether reading can begin in the middle of the file; False for an unreadable file.

        If it is wrong, one range must still yield all records.
        """
        ...

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the documents of a range of a file, in file order.

        Damage becomes a source with a `problem` and its offset; reading resumes after it where possible. File content never
        raises an error, memory stays near `max_bytes`, and no other file is opened. An unreadable file is an `OSError`.
        """
        ...


class Collection(Protocol):
    """Documents in a fixed order."""

    @property
    def path(self) -> Path:
        """Its location."""
        ...

    @property
    def options(self) -> ReadOptions:
        """The options of reading its documents."""
        ...

    def fingerprint(self) -> str:
        """Return a digest that changes when documents are added, removed or rewritten."""
        ...

    def files(self) -> Mapping[str, FileState]:
        """Return the files as they are now, by their printable names; none for documents that are not in files here."""
        ...

    def parts(self, pages: int) -> Iterator[Part]:
        """Yield the parts, deterministically and cheaply; parts with sources have at most `pages` of them."""
        ...

    def read(self, part: Part) -> Reading:
        """Yield the documents of a part, always in the same order; `CollectionChanged` if its file changed since `parts`."""
        ...


def check_unchanged(before: Mapping[str, FileState], collection: Collection) -> None:
    """Check that a collection has the same files as before: none added, removed, replaced or written."""
    after = collection.files()
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one is None or other is None or one.inode != other.inode or not one.is_like(other):
            raise changed_while_read(name)


def read_sources(part: Part) -> Reading:
    """Yield the documents that a part carries; a range that begins after its end has none."""
    yield from part.sources or ()
    return Span(None, part.begin)
