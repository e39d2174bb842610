"""Builds the index of a variant: documents are cut from the score store, and pruned if the variant has a pruning method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from thresher.costs import ThreadClock
from thresher.lucene.indexing import IndexOptions, IndexReport, Origin, build_index, is_blank
from thresher.pruning.building import build_pruned
from thresher.pruning_methods.treatments import Treatment
from thresher.scorers.cleaners import Cleaner
from thresher.scoring.cutting import cleaned_documents
from thresher.scoring.lost_pages import language_of_emptied


@dataclass(frozen=True)
class VariantBuild:
    """What was built.

    Args:
        index: of the variant.
        emptied: documents of which nothing is left, and which are not indexed.
        words: kept by the cleaner.
        cutting: what reading and cutting took, which is cleaning; nothing for pruned variants, which have no such step.
        naming: what naming the languages of emptied documents took.
        languages: of emptied documents.
    """

    index: IndexReport
    emptied: int
    words: int
    cutting: ThreadClock
    naming: ThreadClock
    languages: Mapping[str, int]


def build_variant(
    store: Path,
    treatment: Treatment,
    folder: Path,
    options: IndexOptions,
    original: bool,
    advance: Callable[[], None] = lambda: None,
    languages: bool = False,
    origin: Origin | None = None,
) -> VariantBuild:
    """Build the index of a variant into `folder`, which is replaced on success.

    Args:
        store: the score store.
        treatment: what the variant does, with numbers for percentiles.
        folder: the index.
        options: what it holds.
        original: whether a pruned index is ranked with the statistics of the unpruned collection.
        advance: called for each document.
        languages: whether to name the languages of emptied documents.
        origin: kept with the index.
    """
    if treatment.pruning is None:
        documents = TimedCutting(store, treatment.cleaner, advance, languages)
        index = build_index(documents.texts(), folder, options, origin)
        return VariantBuild(index, index.empty, documents.words, documents.cutting, documents.naming, documents.emptied)
    pruned = build_pruned(store, treatment.cleaner, treatment.pruning, folder, options, original, advance, origin)
    naming = ThreadClock()
    by_language: Counter[str] = Counter()
    if languages and pruned.blank:
        with naming:
            emptied = (page for page in cleaned_documents(store, treatment.cleaner) if is_blank(page.text))
            by_language.update(map(language_of_emptied, emptied))
    return VariantBuild(pruned.index, pruned.blank, pruned.words, ThreadClock(), naming, by_language)


class TimedCutting:
    """Cleaned documents of a store, with the words kept and the time that reading and cutting took.

    Java indexes one batch while this thread cuts the next. With `languages`, `emptied` counts what is not indexed by language,
    which `naming` is the time of.
    """

    def __init__(
        self, folder: Path, cleaner: Cleaner, advance: Callable[[], None] = lambda: None, languages: bool = False
    ) -> None:
        self._source = cleaned_documents(folder, cleaner)
        self._advance, self._languages = advance, languages
        self.cutting, self.naming = ThreadClock(), ThreadClock()
        self.words = 0
        self.emptied: Counter[str] = Counter()

    def texts(self) -> Iterator[tuple[str, str]]:
        """Give each document's id and text."""
        while True:
            with self.cutting:
                document = next(self._source, None)
            if document is None:
                return
            self.words += document.words
            if self._languages and is_blank(document.text):
                with self.naming:
                    self.emptied[language_of_emptied(document)] += 1
            self._advance()
            yield document.id, document.text
