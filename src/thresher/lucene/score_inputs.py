"""All that Lucene computes scores from: tf and lengths of documents, and the statistics of the collection."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.lucene.analysis import english_analyzer
from thresher.lucene.indexing import LENGTHS, IndexOptions, open_index, settings_of
from thresher.lucene.jvm import java_class
from thresher.lucene.original_statistics import ORIGINAL_STATISTICS, OriginalStatistics
from thresher.lucene.posting_lists import Numbers, PostingLists, document_ids, exact_lengths, stored_lengths_of
from thresher.lucene.work import CONTENTS
from thresher.pages.plain import Ints


@dataclass(frozen=True)
class ScoreInputs:
    """What the scores of some documents by some terms are computed from, in one index.

    Args:
        documents: with a token, in the whole index.
        tokens: of the whole index.
        cf, df: of each term; shape (terms,). Of a pruned index that is ranked with the statistics of the unpruned collection,
            these are meant, here and above.
        indexed: which documents are in the index; shape (documents,).
        lengths: of the documents, in tokens, as the model reads them; 0 for those not indexed.
        tf: of each document and term; shape (documents, terms).
    """

    documents: int
    tokens: int
    cf: Ints
    df: Ints
    indexed: npt.NDArray[np.bool_]
    lengths: Ints
    tf: Ints


class ScoredIndex:
    """An index, to read what its scores are computed from. A context manager.

    Args:
        folder: the index.
        exact: whether lengths are exact, as `qld(exact)` reads them, instead of from Lucene's one byte.

    Raises:
        InputError: if the folder holds no index that can be read.
        StateError: if exact lengths, or the original statistics of a pruned index, cannot be read.
        MissingDependencyError: if there is no Java.
    """

    def __init__(self, folder: Path, exact: bool) -> None:
        self._folder, self._exact = folder, exact
        self._stack = ExitStack()

    def __enter__(self) -> ScoredIndex:
        with ExitStack() as stack:
            reader = stack.enter_context(open_index(self._folder))
            settings = settings_of(self._folder)
            self.options = settings.options if settings else IndexOptions()
            pruned = settings is not None and settings.original_statistics
            self._original = OriginalStatistics(self._folder / ORIGINAL_STATISTICS, reader) if pruned else None
            self._number = {identifier: number for number, identifier in enumerate(document_ids(reader))}
            self._lengths = exact_lengths(self._folder / LENGTHS) if self._exact else stored_lengths_of(reader)
            self._lists = PostingLists(reader)
            terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, CONTENTS)
            self._documents: int = terms.getDocCount() if terms is not None else 0
            self._tokens: int = terms.getSumTotalTermFreq() if terms is not None else 0
            self._known: dict[str, tuple[Numbers, Numbers] | None] = {}
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def analyzer(self) -> Any:
        """What analyses queries and documents (a Java object)."""
        return english_analyzer(self.options.stemmer, self.options.stopwords)

    def inputs(self, terms: Sequence[str], ids: Sequence[str]) -> ScoreInputs:
        """Return what the scores of these documents by these terms are computed from; both may be missing in the index."""
        numbers = np.array([self._number.get(identifier, -1) for identifier in ids], dtype=np.int64)
        indexed = numbers >= 0
        tf = np.zeros((len(ids), len(terms)), dtype=np.int64)
        cf, df = np.zeros((2, len(terms)), dtype=np.int64)
        for column, term in enumerate(terms):
            if term not in self._known:
                self._known[term] = self._lists.of(term)
            posting = self._known[term]
            if posting is None:
                continue
            holders, counts = posting
            lost_df, lost_cf = self._original.removed(term) if self._original else (0, 0)
            df[column], cf[column] = len(holders) + lost_df, counts.sum(dtype=np.int64) + lost_cf
            at = np.minimum(np.searchsorted(holders, numbers), len(holders) - 1)
            tf[:, column] = np.where(holders[at] == numbers, counts[at], 0)
        lengths = np.zeros(len(ids), dtype=np.int64)
        lengths[indexed] = self._lengths[numbers[indexed]]
        return ScoreInputs(self._documents, self._tokens, cf, df, indexed, lengths, tf)
