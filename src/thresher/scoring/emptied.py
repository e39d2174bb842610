"""The pages that a cleaner empties, by language: how many it empties whose language it does not know."""

from __future__ import annotations

from collections.abc import Mapping

from thresher.scorers.cleaners import Cleaner
from thresher.scorers.languages import UNKNOWN, UNSPACED, language_of
from thresher.scoring.cutting import CleanedDocument

NO_TEXT = "no text"
"""What pages without text before cleaning are counted as."""
TOLERATED = 0.05
"""The share of a collection's pages from which on a loss by language is not said."""


def language_of_emptied(document: CleanedDocument) -> str:
    """Return what a document without text is counted as: its language, `UNKNOWN`, or `NO_TEXT`."""
    return language_of(document.lost) if document.lost else NO_TEXT


def by_count(languages: Mapping[str, int]) -> dict[str, int]:
    """Return counts by language, the largest first, of equals in the order of names."""
    return dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))


def foreign(cleaner: Cleaner, emptied: Mapping[str, int]) -> dict[str, int]:
    """Return of the emptied pages, counted by language, those in languages that a scorer of the cleaner does not know.

    Raises:
        ThresherError: as `thresher.scorers.base.Scorer.language`.
    """
    named = {language: pages for language, pages in emptied.items() if language not in (UNKNOWN, NO_TEXT)}
    return {
        language: pages
        for language, pages in named.items()
        if not all(scorer.knows(language) for scorer in cleaner.scorers)
    }


def language_warning(cleaner: Cleaner, emptied: Mapping[str, int], documents: int) -> str | None:
    """Return a sentence on pages emptied in languages that the cleaner does not know, and what to do.

    Args:
        cleaner: the cleaner.
        emptied: the pages that it empties, by language.
        documents: the pages of the collection.

    Returns:
        None if these are at most `TOLERATED` of the collection's pages.

    Raises:
        ThresherError: as `foreign`.
    """
    lost = foreign(cleaner, emptied)
    pages = sum(lost.values())
    if pages <= TOLERATED * documents:
        return None
    listed = ", ".join(f"{count} {language}" for language, count in lost.items())
    # No list and no model of words helps where there are no spaces.
    spaced = [language for language in lost if language not in UNSPACED]
    others = [
        scorer.other_languages
        for scorer in cleaner.scorers
        if scorer.other_languages and not all(map(scorer.knows, spaced))
    ]
    fixes = [*dict.fromkeys(others), "floor=W, which keeps W words of each page"]
    return (
        f"{cleaner.name} empties {pages} of {documents} pages ({100 * pages / documents:.1f} %) in languages that it does "
        f"not know: {listed}; use {', or '.join(fixes)}"
    )
