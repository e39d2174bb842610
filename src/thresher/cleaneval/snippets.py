"""Snippets of a page that must stay or go, and which of them a cleaned page has.

Sources: the evaluation of Trafilatura (Barbaresi 2021, ACL demonstrations, section 4), which counts snippets in the extracted
text, punctuation included; WCXB (Foley 2026, arXiv:2605.21097), whose gold has snippets besides whole texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.cleaneval.cleaning_measures import TOKEN


@dataclass(frozen=True)
class SnippetCounts:
    """Of a page's `required` snippets so many are `kept`, and of its `forbidden` ones so many `leaked`."""

    required: int
    kept: int
    forbidden: int
    leaked: int

    @property
    def recall(self) -> float | None:
        """The share of required snippets that are kept; None if there is none."""
        return share(self.kept, self.required)

    @property
    def leak_rate(self) -> float | None:
        """The share of forbidden snippets that are kept; None if there is none."""
        return share(self.leaked, self.forbidden)


def share(part: int, whole: int) -> float | None:
    """Return the share of a part, in [0, 1]; None of nothing."""
    return part / whole if whole else None


def count_snippets(cleaned: str, required: Sequence[str], forbidden: Sequence[str]) -> SnippetCounts | None:
    """Return how many snippets a cleaned page has; None if its gold names none.

    A snippet is there if its tokens occur in the text one after another, with their case: gold often has other quotation marks
    than the page, and a snippet may reach over lines and blocks. The first and the last may be parts of words. A snippet
    without any token must occur as it is, but for white space.
    """
    if not required and not forbidden:
        return None
    words, text = _words(cleaned), _spaced(cleaned)

    def found(snippet: str) -> bool:
        inner = _words(snippet)
        return inner in words if inner else _spaced(snippet) in text

    kept, leaked = (sum(map(found, snippets)) for snippets in (required, forbidden))
    return SnippetCounts(len(required), kept, len(forbidden), leaked)


def _words(text: str) -> str:
    return " ".join(TOKEN.findall(text))


def _spaced(text: str) -> str:
    return " ".join(text.split())
