"""Failed pages of a store with position and reason, and counts by language of pages that a cleaner empties."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from pathlib import Path

from thresher.base.files import atomic_path
from thresher.cleaners.cleaner import Cleaner
from thresher.cleaners.languages import UNKNOWN, UNSPACED, language_of
from thresher.scores.cutting import CleanedDocument
from thresher.scores.store import EMPTIED, FAILED, NO_OFFSET, read_shard, shards, text_store

NO_TEXT = "no text"
"""The count of pages without text before cleaning."""
TOLERATED = 0.05
"""A loss by language is reported if it exceeds this share of a collection's pages."""


@dataclass(frozen=True)
class Failure:
    """A page that could not be scored: its file within the collection, the byte its record begins at, its id, the reason.

    `offset` is None if the file is the page; `id` is empty if it could not be read.
    """

    file: str
    offset: int | None
    id: str
    reason: str

    @property
    def name(self) -> str:
        """The id, or the file and offset if it is empty."""
        if self.id:
            return self.id
        if self.offset is None:
            return self.file
        return f"{self.file} at byte {self.offset}"

    def later(self, offset: int) -> Failure:
        """Return this failure in a file whose first `offset` bytes were left out."""
        if self.offset is None:
            return self
        return replace(self, offset=self.offset + offset)


def failures(folder: Path, text: str = "") -> Iterator[Failure]:
    """Yield the failed pages of a store, in the collection's order.

    With the name of another `text` of the pages, yield the pages whose text of this name failed.
    """
    for path in shards(text_store(folder, text)):
        table = read_shard(path, ["file", "offset", "id", "reason", "status"])
        for row, status in enumerate(table.texts("status").tolist()):
            reason = table.texts("reason")[row]
            if text:
                failed = status == EMPTIED and reason != ""
                reason = f"{text}: {reason}"
            else:
                failed = status == FAILED
            if failed:
                offset = int(table.numbers("offset")[row])
                place = None if offset == NO_OFFSET else offset
                yield Failure(table.texts("file")[row], place, table.texts("id")[row], reason)


def write_failures(folder: Path, path: Path, texts: Iterable[str] = ()) -> None:
    """Write the failed pages of a store and of its `texts` atomically, as JSON lines with `file`, `offset`, `id`, `reason`."""
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        text_names = [""]
        text_names += texts
        for name in text_names:
            for failure in failures(folder, name):
                out.write(json.dumps(asdict(failure), ensure_ascii=False) + "\n")


def language_of_emptied(document: CleanedDocument) -> str:
    """Return the language of a document that a cleaner empties: a code, `UNKNOWN`, or `NO_TEXT` for a page without text."""
    if not document.lost:
        return NO_TEXT
    return language_of(document.lost)


def by_count(languages: Mapping[str, int]) -> dict[str, int]:
    """Return counts by language, the largest first; languages with equal counts are in the order of names."""
    return dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))


def foreign(cleaner: Cleaner, emptied: Mapping[str, int]) -> dict[str, int]:
    """Return the counts of emptied pages for languages that some scorer of the cleaner does not know."""
    foreign_pages: dict[str, int] = {}
    for language, pages in emptied.items():
        is_named = language not in (UNKNOWN, NO_TEXT)
        if is_named and not all(scorer.knows(language) for scorer in cleaner.scorers):
            foreign_pages[language] = pages
    return foreign_pages


def language_warning(cleaner: Cleaner, emptied: Mapping[str, int], documents: int) -> str | None:
    """Return a sentence on pages emptied in languages that the cleaner does not know, with the fix.

    None if these are at most `TOLERATED` of the collection's pages; `emptied` has numbers of pages by language.
    """
    lost = foreign(cleaner, emptied)
    pages = sum(lost.values())
    if pages <= TOLERATED * documents:
        return None
    counts: list[str] = []
    # No list and no model of words helps for languages without spaces.
    spaced: list[str] = []
    for language, count in lost.items():
        counts.append(f"{count} {language}")
        if language not in UNSPACED:
            spaced.append(language)
    fixes: list[str] = []
    for scorer in cleaner.scorers:
        fix = scorer.other_languages
        if fix and fix not in fixes and not all(scorer.knows(language) for language in spaced):
            fixes.append(fix)
    fixes.append("floor=W, which keeps W words of each page")
    return (
        f"{cleaner.name} empties {pages} of {documents} pages ({100 * pages / documents:.1f} %) in languages that it does "
        f"not know: {', '.join(counts)}; use {', or '.join(fixes)}"
    )


@dataclass(frozen=True)
class _Loss:
    """The pages that a cleaner empties in languages that it does not know, and the warning that says so."""

    pages: int
    warning: str


def worst_losses(cleaned: Iterable[tuple[str, Cleaner, Mapping[str, int]]], documents: int) -> list[str]:
    """Return a warning for each sweep and each single cleaner with a large loss; the warning of a sweep is for its
    worst cutoff.

    Args:
        cleaned: names of sweeps or cleaners, each with a cleaner and the counts by language of the pages that it empties.
        documents: pages of the collection.
    """
    losses: dict[str, list[_Loss]] = {}
    for sweep, cleaner, emptied in cleaned:
        warning = language_warning(cleaner, emptied, documents)
        if warning is not None:
            losses.setdefault(sweep, []).append(_Loss(sum(foreign(cleaner, emptied).values()), warning))
    warnings: list[str] = []
    for losses_of_sweep in losses.values():
        warning = max(losses_of_sweep, key=attrgetter("pages")).warning
        more = len(losses_of_sweep) - 1
        if more:
            warning += f" ({more} more of its cutoffs lose over {TOLERATED:.0%} of the pages in this way)"
        warnings.append(warning)
    return warnings
