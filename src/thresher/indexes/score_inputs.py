"""The inputs of Lucene's scores: postings, lengths of documents, and the statistics of the collection."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.indexes.analysis import text_analyzer
from thresher.indexes.indexing import LENGTHS, IndexOptions, open_index, settings_of
from thresher.indexes.jvm import java_class
from thresher.indexes.original_statistics import ORIGINAL_STATISTICS, OriginalStatistics, TermLoss
from thresher.indexes.posting_lists import ExactLengths, PostingList, PostingLists, StoredLengths
from thresher.indexes.work import CONTENTS

_NOT_INDEXED = -1


@dataclass(frozen=True)
class ScoreInputs:
    """The inputs of the scores of some documents by some terms, in one index.

    If a pruned index is ranked with the statistics of the unpruned collection, `documents`, `tokens`, `cf` and `df` are
    of the unpruned collection.

    Args:
        documents: with a token, in the whole index.
        tokens: of the whole index.
        cf, df: of each term; shape (terms,).
        indexed: which documents are in the index; shape (documents,).
        lengths: of the documents, in tokens, as the model reads them; 0 for documents that are not indexed.
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
    """An index, to read the inputs of its scores. A context manager.

    With `exact`, lengths are exact, as `qld(exact)` reads them, instead of from Lucene's one byte.
    """

    def __init__(self, folder: Path, exact: bool) -> None:
        self._folder, self._exact = folder, exact
        self._stack = ExitStack()

    def __enter__(self) -> ScoredIndex:
        with ExitStack() as stack:
            self._reader = stack.enter_context(open_index(self._folder))
            settings = settings_of(self._folder)
            self.options = settings.options if settings else IndexOptions()
            self._original: OriginalStatistics | None = None
            if settings is not None and settings.original_statistics:
                self._original = OriginalStatistics(self._folder / ORIGINAL_STATISTICS, self._reader)
            self._lengths: ExactLengths | StoredLengths
            if self._exact:
                self._lengths = ExactLengths(self._folder / LENGTHS)
            else:
                self._lengths = StoredLengths(self._reader)
            self._lists = PostingLists(self._reader)
            self._documents = self._tokens = 0
            terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(self._reader, CONTENTS)
            if terms is not None:
                self._documents = terms.getDocCount()
                self._tokens = terms.getSumTotalTermFreq()
            self._postings: dict[str, PostingList | None] = {}
            self._numbers: dict[str, int] = {}
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    @property
    def analyzer(self) -> Any:
        """The analyzer of queries and documents (a Java object)."""
        return text_analyzer(self.options.analysis)

    def inputs(self, terms: Sequence[str], ids: Sequence[str]) -> ScoreInputs:
        """Return the inputs of the scores of documents by terms; documents and terms may be missing in the index."""
        numbers = np.array([self._number(identifier) for identifier in ids], dtype=np.int64)
        indexed = numbers != _NOT_INDEXED
        tf = np.zeros((len(ids), len(terms)), dtype=np.int64)
        cf = np.zeros(len(terms), dtype=np.int64)
        df = np.zeros(len(terms), dtype=np.int64)
        for column, term in enumerate(terms):
            posting = self._posting_list(term)
            if posting is None:
                continue
            loss = self._original.removed(term) if self._original else TermLoss(0, 0)
            df[column] = len(posting.documents) + loss.df
            cf[column] = posting.tf.sum(dtype=np.int64) + loss.cf
            place = np.minimum(np.searchsorted(posting.documents, numbers), len(posting.documents) - 1)
            tf[:, column] = np.where(posting.documents[place] == numbers, posting.tf[place], 0)
        lengths = np.zeros(len(ids), dtype=np.int64)
        lengths[indexed] = self._lengths.of(numbers[indexed].tolist())
        return ScoreInputs(self._documents, self._tokens, cf, df, indexed, lengths, tf)

    def _posting_list(self, term: str) -> PostingList | None:
        if term not in self._postings:
            self._postings[term] = self._lists.of(term)
        return self._postings[term]

    def _number(self, identifier: str) -> int:
        """Return the number of a document, or `_NOT_INDEXED`."""
        if identifier not in self._numbers:
            term = java_class("org.apache.lucene.index.Term")("id", identifier).bytes()
            multi_terms = java_class("org.apache.lucene.index.MultiTerms")
            documents = multi_terms.getTermPostingsEnum(self._reader, "id", term)
            self._numbers[identifier] = _NOT_INDEXED if documents is None else documents.nextDoc()
        return self._numbers[identifier]
