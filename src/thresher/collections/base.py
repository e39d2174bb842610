"""What every kind of collection and of file offers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from thresher.collections.ids import ID_RULES, escape_id, file_id
from thresher.collections.records import Part, Reading, Span

HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")
"""How the names of HTML pages end."""


@dataclass(frozen=True)
class IdRule:
    """How document ids are formed from file names: see `thresher.collections.ids.file_id`.

    Then every match of the regular expression `pattern` is replaced by `replacement`, where qrels spell ids otherwise.
    `escape` writes characters that a TREC run cannot hold as %XX.
    """

    ids: str = ID_RULES[0]
    prefix: str = ""
    keep_suffix: bool = False
    escape: bool = False
    pattern: str = ""
    replacement: str = ""

    def apply(self, path: str) -> str:
        """Return the id of the file at `path`, given relative to the collection's root with `/`."""
        document_id = file_id(PurePosixPath(path), self.ids, self.prefix, self.keep_suffix)
        return self.fit(document_id)

    def fit(self, document_id: str) -> str:
        """Return `document_id` with the pattern replaced and escaped, as this rule says."""
        if self.pattern:
            document_id = re.sub(self.pattern, self.replacement, document_id)
        return escape_id(document_id) if self.escape else document_id


@dataclass(frozen=True)
class JsonFields:
    """Which members of a JSON line are what: dots go into objects (`page.title`); of several names the first found counts."""

    id: tuple[str, ...] = ("id",)
    html: tuple[str, ...] = ("html",)
    text: tuple[str, ...] = ("contents",)
    url: tuple[str, ...] = ("url",)


@dataclass(frozen=True)
class ReadOptions:
    """How documents are read, whatever the kind of file.

    `max_bytes`: the bytes of larger pages are not read; such a source has a `problem`. `fields` is for JSON lines.
    """

    rule: IdRule = field(default_factory=IdRule)
    max_bytes: int = 1 << 62
    fields: JsonFields = field(default_factory=JsonFields)


class FileKind(Protocol):
    """A kind of file that holds many documents, such as WARC."""

    @property
    def name(self) -> str:
        """What it is called in the key `format`."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of such files end, in lower case."""
        ...

    def can_split(self, path: Path) -> bool:
        """Return whether records can be found from the middle of the file on; a file that cannot be read can not.

        What looks splittable in its beginning and is not further on must still be read right, if slower: by ranges of which
        one holds all the records.
        """
        ...

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Give the documents of a range of a file, one at a time, in its order.

        Damage is a source with a `problem` and the offset where it is, and reading goes on behind it if anything does.
        Never raises for what is in the file, never holds much more of it than `max_bytes`, never opens another file.

        Raises:
            OSError: if the file cannot be read.
        """
        ...


class Collection(Protocol):
    """Documents in a fixed order."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        ...

    @property
    def options(self) -> ReadOptions:
        """How its documents are read."""
        ...

    def fingerprint(self) -> str:
        """Return a digest that changes when documents are added, removed or rewritten."""
        ...

    def parts(self, pages: int) -> Iterator[Part]:
        """Give the parts, the same ones every time, cheaply; those with sources at hand hold at most `pages` of them.

        Raises:
            InputError: if the collection is missing or unreadable.
        """
        ...

    def read(self, part: Part) -> Reading:
        """Give the documents of a part, in the same order every time.

        Raises:
            OSError: if its file cannot be read.
        """
        ...


def read_sources(part: Part) -> Reading:
    """Give the documents of a part that are at hand; a range that begins behind its end has none."""
    yield from part.sources or ()
    return Span(None, part.begin)
