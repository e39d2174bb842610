"""Cleaners by type of page: how good each is on articles, on forums, on lists of products."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from thresher.cleaneval.results import CleanerResult, MeanInterval, SnippetSummary, mean_interval, summarize_snippets

UNTYPED = "no type"
"""Pages whose gold names no type."""


@dataclass(frozen=True)
class TypeQuality:
    """A cleaner over the pages of a type: means over pages with 95 % intervals.

    Attributes:
        page_type: the type, or `UNTYPED`.
        pages: how many there are.
        emptied: how many the cleaner leaves without words.
        token_f1: F1 of tokens as bags.
        f1: F1 of words by alignment.
        snippets: None where the gold of no such page names any.
    """

    cleaner: str
    is_peer: bool
    page_type: str
    pages: int
    emptied: int
    token_f1: MeanInterval
    f1: MeanInterval
    snippets: SnippetSummary | None


def by_page_type(results: Sequence[CleanerResult], page_types: Sequence[str]) -> tuple[TypeQuality, ...]:
    """Return each cleaner over the pages of each type.

    Args:
        results: over the same pages.
        page_types: of the pages, in their order; empty for a page without.

    Returns:
        by cleaner, in order, and then by type, that of most pages first, pages without last; nothing if no page has a type.
    """
    if not any(page_types):
        return ()
    counts = Counter(page_types)
    types = sorted(counts, key=lambda name: (not name, -counts[name], name))
    return tuple(_over_type(result, name, page_types) for result in results for name in types)


def _over_type(result: CleanerResult, page_type: str, page_types: Sequence[str]) -> TypeQuality:
    pages = list(compress(result.pages, (name == page_type for name in page_types)))
    return TypeQuality(
        result.cleaner,
        result.is_peer,
        page_type or UNTYPED,
        len(pages),
        sum(page.words.words == 0 for page in pages),
        mean_interval([page.tokens.bag.f1 for page in pages]),
        mean_interval([page.words.alignment.f1 for page in pages]),
        summarize_snippets([page.snippets for page in pages]),
    )
