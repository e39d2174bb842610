"""What every kind of collection offers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from thresher.collections.ids import ID_RULES, escape_id, file_id
from thresher.collections.records import Source


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


class Collection(Protocol):
    """Documents in a fixed order."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        ...

    @property
    def rule(self) -> IdRule:
        """How its ids are formed."""
        ...

    def fingerprint(self) -> str:
        """Return a digest that changes when documents are added, removed or rewritten."""
        ...

    def sources(self) -> Iterator[Source]:
        """Give every document, in the same order every time.

        Raises:
            InputError: if the collection is missing or unreadable.
        """
        ...
