"""The pages of a store that failed, where and why; and those that a cleaner empties, by language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
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
        return self.id or (self.file if self.offset is None else f"{self.file} at byte {self.offset}")

    def later(self, offset: int) -> Failure:
        """Return this failure in a file whose first `offset` bytes were left out."""
        return self if self.offset is None or not offset else replace(self, offset=self.offset + offset)


def failures(folder: Path, text: str = "") -> Iterator[Failure]:
    """Yield every page of a store that failed, in the collection's order, or those of which another text, by name, did."""
    for path in shards(text_store(folder, text)):
        table = read_shard(path, ["file", "offset", "id", "reason", "status"])
        offsets = table.numbers("offset").tolist()
        texts = (table.texts(name).tolist() for name in ("file", "id", "reason", "status"))
        for offset, file, identifier, reason, status in zip(offsets, *texts, strict=True):
            failed = status == EMPTIED and bool(reason) if text else status == FAILED
            if failed:
                place = None if offset == NO_OFFSET else offset
                yield Failure(file, place, identifier, f"{text}: {reason}" if text else reason)


def write_failures(folder: Path, path: Path, texts: Iterable[str] = ()) -> None:
    """Write the failed pages of a store, and of its `texts`, to `path`, as JSON lines with `file`, `offset`, `id`, `reason`,
    atomically.
    """
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        for text in ("", *texts):
            for failure in failures(folder, text):
                out.write(json.dumps(asdict(failure), ensure_ascii=False) + "\n")


def language_of_emptied(document: CleanedDocument) -> str:
    """Return what a document without text is counted as: its language, `UNKNOWN`, or `NO_TEXT`."""
    return language_of(document.lost) if document.lost else NO_TEXT


def by_count(languages: Mapping[str, int]) -> dict[str, int]:
    """Return counts by language, the largest first, of equals in the order of names."""
    return dict(sorted(languages.items(), key=lambda item: (-item[1], item[0])))


def foreign(cleaner: Cleaner, emptied: Mapping[str, int]) -> dict[str, int]:
    """Return of the emptied pages, counted by language, those in languages that a scorer of the cleaner does not know."""
    foreign_pages: dict[str, int] = {}
    for language, pages in emptied.items():
        is_named = language not in (UNKNOWN, NO_TEXT)
        if is_named and not all(scorer.knows(language) for scorer in cleaner.scorers):
            foreign_pages[language] = pages
    return foreign_pages


def language_warning(cleaner: Cleaner, emptied: Mapping[str, int], documents: int) -> str | None:
    """Return a sentence on pages emptied in languages that the cleaner does not know, and what to do.

    None if these are at most `TOLERATED` of the collection's pages; `emptied` has numbers of pages by language.
    """
    lost = foreign(cleaner, emptied)
    pages = sum(lost.values())
    if pages <= TOLERATED * documents:
        return None
    listed = ", ".join(f"{count} {language}" for language, count in lost.items())
    # No list and no model of words helps where there are no spaces.
    spaced = [language for language in lost if language not in UNSPACED]
    fixes: list[str] = []
    for scorer in cleaner.scorers:
        other = scorer.other_languages
        if other and other not in fixes and not all(scorer.knows(language) for language in spaced):
            fixes.append(other)
    fixes.append("floor=W, which keeps W words of each page")
    return (
        f"{cleaner.name} empties {pages} of {documents} pages ({100 * pages / documents:.1f} %) in languages that it does "
        f"not know: {listed}; use {', or '.join(fixes)}"
    )


def worst_losses(cleaned: Iterable[tuple[str, Cleaner, Mapping[str, int]]], documents: int) -> list[str]:
    """Return one warning for each sweep and single cleaner that needs one: of a sweep, that of the worst cutoff.

    `cleaned` are sweeps or names, with their cleaners and the pages that these empty, by language.
    """
    lost: dict[str, list[tuple[int, str]]] = {}
    for sweep, cleaner, emptied in cleaned:
        warning = language_warning(cleaner, emptied, documents)
        if warning is not None:
            lost.setdefault(sweep, []).append((sum(foreign(cleaner, emptied).values()), warning))
    warnings = []
    for of_sweep in lost.values():
        more = len(of_sweep) - 1
        others = f" ({more} more of its cutoffs lose over {TOLERATED:.0%} so)" if more else ""
        warnings.append(max(of_sweep, key=lambda item: item[0])[1] + others)
    return warnings
