"""Postings and lengths of the documents of an open index."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import StateError
from thresher.indexes.jvm import java_cast, java_class
from thresher.indexes.work import CONTENTS

Numbers = npt.NDArray[np.int32]

_SEARCH = "org.apache.lucene.search."
_ALL_POSTINGS_MIB = 16_000.0
"""The limit of Lucene's cache, above the size of any posting list; the cache takes what the list needs."""


class PostingList(NamedTuple):
    """The postings of a term: numbers of documents, ascending, and the term's tf in each; shapes (postings,)."""

    documents: Numbers
    tf: Numbers


class PostingLists:
    """The postings of the terms of an open index (a Java object).

    Lucene's `CachingCollector` collects the documents and scores of a search in arrays, and Anserini's `ImpactSimilarity`
    scores a document with tf, so that a search for one term collects its postings inside Java.
    """

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._searcher = java_class(_SEARCH + "IndexSearcher")(reader)
        self._searcher.setSimilarity(java_class("io.anserini.search.similarity.ImpactSimilarity")())

    def of(self, term: str) -> PostingList | None:
        """Return the postings of a term; None if there are none."""
        index_term = java_class("org.apache.lucene.index.Term")(CONTENTS, term)
        if not self._reader.docFreq(index_term):
            return None
        collector = java_class(_SEARCH + "CachingCollector").create(True, _ALL_POSTINGS_MIB)
        query = java_class(_SEARCH + "TermQuery")(index_term)
        self._searcher.search(query, java_cast(_SEARCH + "Collector", collector))
        collected = java_cast(_SEARCH + "CachingCollector$ScoreCachingCollector", collector)
        documents: list[Numbers] = []
        tf: list[Numbers] = []
        for segment in range(collected.contexts.size()):
            first = collected.contexts.get(segment).docBase
            # Arrays come from Java as lists; `array` converts lists of numbers faster than NumPy.
            documents.append(np.array(array("i", collected.docs.get(segment))) + np.int32(first))
            tf.append(np.array(array("f", collected.scores.get(segment))).astype(np.int32))
        return PostingList(np.concatenate(documents), np.concatenate(tf))


class StoredLengths:
    """The lengths of the documents of an open index, as Lucene reads them back from one byte each."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def of(self, numbers: Sequence[int]) -> Numbers:
        """Return the lengths of documents by their numbers, in any order; 0 for documents without a length."""
        lengths = np.zeros(len(numbers), dtype=np.int32)
        norms = java_class("org.apache.lucene.index.MultiDocValues").getNormValues(self._reader, CONTENTS)
        if norms is None:
            return lengths
        decode = java_class("org.apache.lucene.util.SmallFloat").byte4ToInt
        # Norms are read forwards only.
        for place in sorted(range(len(numbers)), key=numbers.__getitem__):
            if norms.advanceExact(numbers[place]):
                lengths[place] = decode(norms.longValue())
        return lengths


class ExactLengths:
    """The exact lengths of an index's documents, from the file beside the index.

    Attributes:
        by_number: lengths by document number; shape (documents,).
    """

    def __init__(self, path: Path) -> None:
        try:
            self.by_number: Numbers = np.load(path)
        except (OSError, ValueError) as error:
            what = "the index has no exact document lengths, which qld(exact) needs"
            raise StateError(what, "build the index again with exact document lengths", str(path)) from error

    def of(self, numbers: Sequence[int]) -> Numbers:
        """Return the lengths of documents by their numbers, in any order."""
        return self.by_number[np.asarray(numbers, dtype=np.int64)]
