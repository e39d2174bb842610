"""The pages of a gold standard as a collection, so that the scoring pass takes them like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thresher.cleaneval.gold import GoldPage
from thresher.collections import IdRule, Part, ReadOptions, Source
from thresher.collections.base import read_sources
from thresher.collections.ids import escape_id
from thresher.collections.records import Reading
from thresher.files import digest, user_error


@dataclass(frozen=True)
class GoldCollection:
    """Pages with gold, in their order; the id of a page is its stem, escaped."""

    path: Path
    pages: Sequence[GoldPage]
    options: ReadOptions = field(default_factory=lambda: ReadOptions(IdRule(ids="stem", escape=True)))

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the pages."""
        return digest([(source.id, source.size, _modified(source.path)) for source in self._sources()])

    def parts(self, pages: int) -> Iterator[Part]:
        """Give the pages, which are read later, some at a time.

        Raises:
            InputError: if the file of a page is gone.
        """
        sources = tuple(self._sources())
        for number, first in enumerate(range(0, len(sources), pages)):
            yield Part(0, number, self.path, "", sources=sources[first : first + pages])

    def read(self, part: Part) -> Reading:
        """Give the pages of a part."""
        return read_sources(part)

    def _sources(self) -> Iterator[Source]:
        for page in self.pages:
            try:
                size = page.path.stat().st_size
            except OSError as error:
                raise user_error(error, page.path) from error
            yield Source(page_id(page), page.path.name, size, path=page.path)


def page_id(page: GoldPage) -> str:
    """Return the document id of a page with gold."""
    return escape_id(page.stem)


def _modified(path: Path | None) -> int:
    return path.stat().st_mtime_ns if path else 0
