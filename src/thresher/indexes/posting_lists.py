"""Postings and lengths of the documents of an open index."""

from __future__ import annotations

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
"""The limit of Lucene's cache, above the size of any posting list; the cache takes only the memory of the list."""

_BEFORE_FIRST_ARRAY = 76
_BETWEEN_ARRAYS = 10
"""Bytes of Java's serialization before the numbers of a list's first array, and between the numbers of two arrays; both end
with the array's size.
"""
_SIZE = 4
_NUMBER = 4
_END = b"\x78"
"""The end of the list."""


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
        self._new_term = java_class("org.apache.lucene.index.Term")
        self._new_query = java_class(_SEARCH + "TermQuery")
        self._new_collector = java_class(_SEARCH + "CachingCollector").create
        self._lists = _ArrayLists()

    def of(self, term: str) -> PostingList | None:
        """Return the postings of a term; None if there are none."""
        index_term = self._new_term(CONTENTS, term)
        if not self._reader.docFreq(index_term):
            return None
        collector = self._new_collector(True, _ALL_POSTINGS_MIB)
        self._searcher.search(self._new_query(index_term), java_cast(_SEARCH + "Collector", collector))
        collected = java_cast(_SEARCH + "CachingCollector$ScoreCachingCollector", collector)
        contexts = collected.contexts
        documents: list[Numbers] = []
        for segment, numbers in enumerate(self._lists.arrays(collected.docs, contexts.size(), ">i4")):
            documents.append(numbers.astype(np.int32) + np.int32(contexts.get(segment).docBase))
        tf: list[Numbers] = []
        for scores in self._lists.arrays(collected.scores, contexts.size(), ">f4"):
            tf.append(scores.astype(np.int32))
        return PostingList(np.concatenate(documents), np.concatenate(tf))


class _ArrayLists:
    """Reads Java lists (`ArrayList`) of arrays of numbers.

    pyjnius would make a Python object of each number, but it copies bytes at once. So Java serializes the list, which
    writes the numbers of an array in a row (Java Object Serialization Specification, chapter 6).
    """

    def __init__(self) -> None:
        self._bytes = java_class("java.io.ByteArrayOutputStream")()
        self._writer = java_class("java.io.ObjectOutputStream")(self._bytes)

    def arrays(self, java_list: Any, arrays: int, number_type: str) -> list[npt.NDArray[Any]]:
        """Return the arrays of a list of `int[]` (NumPy's type `>i4`) or `float[]` (`>f4`)."""
        # Otherwise the writer would refer to arrays that it wrote before.
        self._writer.reset()
        self._writer.flush()
        self._bytes.reset()
        self._writer.writeObject(java_list)
        self._writer.flush()
        serialized: bytes = self._bytes.toByteArray().tostring()
        numbers: list[npt.NDArray[Any]] = []
        begin = _BEFORE_FIRST_ARRAY
        for _ in range(arrays):
            size = int.from_bytes(serialized[begin - _SIZE : begin], "big")
            numbers.append(np.frombuffer(serialized, number_type, size, begin))
            begin += size * _NUMBER + _BETWEEN_ARRAYS
        if serialized[begin - _BETWEEN_ARRAYS :] != _END:
            raise ValueError("Java serialized a list of arrays in another form")
        return numbers


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
