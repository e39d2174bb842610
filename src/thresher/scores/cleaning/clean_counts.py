"""Counts of cleaned documents, and sentences on the pages that failed or were left without text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thresher.base.errors import InputError
from thresher.cleaners.cleaner import Cleaner
from thresher.collections import Collection
from thresher.collections.file_collection import Files
from thresher.collections.isolated import likely_fields_apart
from thresher.scores import lost_pages
from thresher.scores.cleaning.document_files import Row

_MOST_KINDS = 5
# The end of a reason that differs between pages: values, numbers, positions.
_OF_THE_PAGE = re.compile(r"\s*(?:[:(,'\"]|(?<![\w-])\d(?![\d.e-]* s$)|\bat byte\b|\bof \d).*", re.DOTALL)
FAILURES_SHOWN = 1000


def kind_of_failure(reason: str) -> str:
    """Return a reason without the values, numbers and positions of the single page.

    >>> kind_of_failure("too large: 17.0 MiB, the limit is 16 MiB")
    'too large'
    >>> kind_of_failure("HTTP status 404"), kind_of_failure("took longer than 0.5 s")
    ('HTTP status', 'took longer than 0.5 s')
    """
    return _OF_THE_PAGE.sub("", reason).strip() or reason


def nothing_read(source: Path, collection: Collection, kinds: Mapping[str, int], documents: int) -> InputError:
    """Return the error for a collection (or the last lines of a pipe) whose pages have all failed, with the likely fix.

    `kinds` are the numbers of failed pages by kind.
    """
    pages = f"all {documents} pages"
    if documents == 1:
        pages = "its only page"
    what = f"{pages} failed: {_listed(lost_pages.by_count(kinds))}"
    fix = "list the reasons with --failures FILE"
    if isinstance(collection, Files):
        fields = likely_fields_apart(collection.path, collection.format, collection.options.fields)
        # If a member has the right name but is no string, another name does not help.
        if fields.members and not any(kind.endswith("is not a string") for kind in kinds):
            options: list[str] = []
            for name, member in fields.likely.items():
                if name != "url":
                    options.append(f"--{name}-field {member}")
            members = f"its members are {', '.join(fields.members)}"
            fix = f"{members}; {fix}"
            if options:
                fix = f"add {' '.join(options)} ({members})"
    if str(source) == "-" and all(kind.endswith("not JSON") for kind in kinds):
        fix = "give JSON lines, or add --format html for one page"
    return InputError(what, fix, str(source))


def warnings(cleaner: Cleaner, documents: int, kinds: Mapping[str, int], emptied: Mapping[str, int]) -> tuple[str, ...]:
    """Return a warning for each kind of loss above `TOLERATED`.

    `kinds` are the numbers of failed pages by kind; `emptied` are the numbers of pages left without text, by language.
    """
    failed = sum(kinds.values())
    empty = sum(emptied.values())
    notes: list[str] = []
    if failed > lost_pages.TOLERATED * documents:
        notes.append(f"{_share(failed, documents)} failed: {_listed(lost_pages.by_count(kinds))}")
    of_languages = lost_pages.language_warning(cleaner, emptied, documents)
    # The warning on languages may already list all emptied pages.
    is_explained = of_languages is not None and sum(lost_pages.foreign(cleaner, emptied).values()) == empty
    if empty > lost_pages.TOLERATED * documents and not is_explained:
        notes.append(f"{_share(empty, documents)} are left without text: {_listed(lost_pages.by_count(emptied))}")
    if of_languages is not None:
        notes.append(of_languages)
    return tuple(notes)


def _share(pages: int, documents: int) -> str:
    return f"{pages} of {documents} pages ({100 * pages / documents:.1f} %)"


def _listed(counts: Mapping[str, int]) -> str:
    shown: list[str] = []
    rest = 0
    for kind, count in counts.items():
        if len(shown) < _MOST_KINDS:
            shown.append(f"{count} {kind}")
        else:
            rest += count
    if rest:
        shown.append(f"{rest} for other reasons")
    return ", ".join(shown)


@dataclass(frozen=True)
class CleanCounts:
    """The outcome of cleaning a collection: `documents = kept + emptied + failed`.

    Attributes:
        documents: pages of the collection.
        bytes: the number of bytes of the raw pages.
        kept: documents with text.
        emptied: pages that the cleaner empties.
        emptied_languages: emptied pages by language, see `thresher.scores.lost_pages`.
        failed: pages that could not be scored.
        words: the number of words of the written documents.
        left_out: documents that the output leaves out.
        blocks_not_found: documents whose HTML or Markdown consists of paragraphs, since the page's tree lacks their blocks.
        unfit_ids: documents with ids that a TREC run cannot hold.
        failures: names and reasons of the first `FAILURES_SHOWN` failed pages.
        cutoffs: the numbers that percentiles resolved to, by cuts.
        warnings: a sentence on each large loss.
    """

    documents: int
    bytes: int
    kept: int
    emptied: int
    emptied_languages: Mapping[str, int]
    failed: int
    words: int
    left_out: int
    blocks_not_found: int
    unfit_ids: int
    failures: tuple[tuple[str, str], ...] = field(repr=False)
    cutoffs: Mapping[str, float]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class CutShard:
    """A shard of scores, cut: the rows of its documents in order, without left-out documents, and their counts."""

    rows: Sequence[Row]
    left_out: int
    blocks_not_found: int
    with_text: int
    emptied: Mapping[str, int]
    words: int
    unfit_ids: int


@dataclass
class Tally:
    """The counts of a collection while it is cleaned."""

    documents: int = 0
    bytes: int = 0
    with_text: int = 0
    words: int = 0
    left_out: int = 0
    blocks_not_found: int = 0
    unfit_ids: int = 0
    emptied: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    without_other_text: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    cutoffs: Mapping[str, float] = field(default_factory=dict)

    @property
    def all_failed(self) -> bool:
        """Whether no page could be read so far."""
        return self.failed.total() == self.documents

    def add(self, shard: CutShard) -> None:
        """Count the documents of a shard."""
        self.with_text += shard.with_text
        self.words += shard.words
        self.left_out += shard.left_out
        self.blocks_not_found += shard.blocks_not_found
        self.unfit_ids += shard.unfit_ids
        self.emptied.update(shard.emptied)

    def fail(self, failure: lost_pages.Failure) -> None:
        """Count a page that failed."""
        self.failed[kind_of_failure(failure.reason)] += 1
        if len(self.failures) < FAILURES_SHOWN:
            self.failures.append((failure.name, failure.reason))

    def counts(self, cleaner: Cleaner) -> CleanCounts:
        """Return the outcome of cleaning."""
        emptied = lost_pages.by_count(self.emptied)
        notes = list(warnings(cleaner, self.documents, self.failed, emptied))
        for kind, count in lost_pages.by_count(self.without_other_text).items():
            notes.append(f"{count} pages have no text: {kind}")
        return CleanCounts(
            documents=self.documents,
            bytes=self.bytes,
            kept=self.with_text,
            emptied=self.emptied.total(),
            emptied_languages=emptied,
            failed=self.failed.total(),
            words=self.words,
            left_out=self.left_out,
            blocks_not_found=self.blocks_not_found,
            unfit_ids=self.unfit_ids,
            failures=tuple(self.failures),
            cutoffs=self.cutoffs,
            warnings=tuple(notes),
        )
