"""The pages of a gold standard as a collection, so that the scoring pass takes them like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.cleaneval.gold import GoldPage
from thresher.collections import Source
from thresher.collections.base import IdRule
from thresher.collections.ids import escape_id
from thresher.files import digest, user_error


@dataclass(frozen=True)
class GoldCollection:
    """Pages with gold, in their order; the id of a page is its stem, escaped."""

    path: Path
    pages: Sequence[GoldPage]
    rule: IdRule = IdRule(ids="stem", escape=True)

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the pages."""
        return digest([(source.id, source.size, _modified(source.path)) for source in self.sources()])

    def sources(self) -> Iterator[Source]:
        """Give every page as a source that is read later.

        Raises:
            InputError: if the file of a page is gone.
        """
        for page in self.pages:
            try:
                size = page.path.stat().st_size
            except OSError as error:
                raise user_error(error, page.path) from error
            yield Source(page_id(page), str(page.path), size, path=page.path)


def page_id(page: GoldPage) -> str:
    """Return the document id of a page with gold."""
    return escape_id(page.stem)


def _modified(path: Path | None) -> int:
    return path.stat().st_mtime_ns if path else 0
