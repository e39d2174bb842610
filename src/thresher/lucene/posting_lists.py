"""What an index holds, copied from Java: the postings of a word, the ids of documents, their stored lengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import StateError
from thresher.lucene import handles
from thresher.lucene.handles import Integers, Strings
from thresher.lucene.jvm import java_class
from thresher.lucene.work import CONTENTS

Numbers = npt.NDArray[np.int32]

_ITERATOR = "org.apache.lucene.search.DocIdSetIterator"
_POSTINGS = "org.apache.lucene.index.PostingsEnum"
_NORMS = "org.apache.lucene.index.NumericDocValues"


class PostingLists:
    """The postings of words of an open index (a Java object)."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._pairs = Integers()
        self._copy = _copier(self._pairs, _POSTINGS, handles.method(_POSTINGS, "freq", "()I"))

    def of(self, word: str) -> tuple[Numbers, Numbers] | None:
        """Return the numbers of the documents with `word`, ascending, and its tf there; None if there are none."""
        term = java_class("org.apache.lucene.index.Term")(CONTENTS, word)
        size = self._reader.docFreq(term)
        if not size:
            return None
        postings = java_class("org.apache.lucene.index.MultiTerms").getTermPostingsEnum(
            self._reader, CONTENTS, term.bytes(), java_class(_POSTINGS).FREQS
        )
        self._copy.accept(size, postings)
        pairs = self._pairs.take().reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]


def _copier(pairs: Integers, kind: str, value: Any) -> Any:
    """Return a BiConsumer of (count, iterator of class `kind`) that notes each document's number and value."""
    number = handles.cast(handles.method(_ITERATOR, "nextDoc", "()I"), f"({handles.descriptor(kind)})I")
    step = handles.together(handles.pipe(number, pairs.note), handles.pipe(value, pairs.note))
    return handles.consumer_of_two(handles.repeat(step, kind))


def document_ids(reader: Any) -> list[str]:
    """Return the documents' ids by document number."""
    values = java_class("org.apache.lucene.index.MultiDocValues").getBinaryValues(reader, "id")
    if values is None:
        return []
    ids = Strings()
    kind = "org.apache.lucene.index.BinaryDocValues"
    following = handles.cast(handles.method(_ITERATOR, "nextDoc", "()I"), f"({handles.descriptor(kind)})V")
    value = handles.method(kind, "binaryValue", f"(){handles.descriptor(handles.BYTES)}")
    text = handles.method(handles.BYTES, "utf8ToString", f"(){handles.STRING}")
    step = handles.together(following, handles.pipe(value, text, ids.note))
    handles.consumer_of_two(handles.repeat(step, kind)).accept(reader.maxDoc(), values)
    return ids.take()


def stored_lengths_of(reader: Any) -> Numbers:
    """Return the documents' lengths by document number, as Lucene reads them back from one byte each."""
    lengths = np.zeros(reader.maxDoc(), dtype=np.int32)
    values = java_class("org.apache.lucene.index.MultiDocValues").getNormValues(reader, CONTENTS)
    if values is None:
        return lengths
    pairs = Integers()
    norm = handles.pipe(
        handles.method(_NORMS, "longValue", "()J"), handles.static("java.lang.Math", "toIntExact", "(J)I")
    )
    # Every document has the field, and so a norm, be it 0.
    _copier(pairs, _NORMS, norm).accept(reader.maxDoc(), values)
    numbers, norms = pairs.take().reshape(-1, 2).T
    different, place = np.unique(norms, return_inverse=True)
    decode = java_class("org.apache.lucene.util.SmallFloat").byte4ToInt
    lengths[numbers] = np.array([decode(one) for one in different.tolist()], dtype=np.int32)[place]
    return lengths


def exact_lengths(path: Path) -> Numbers:
    """Return the exact lengths of an index's documents by document number, from the file beside it.

    Raises:
        StateError: if the file cannot be read.
    """
    try:
        lengths: Numbers = np.load(path)
    except (OSError, ValueError) as error:
        fix = "build the index again with exact document lengths"
        raise StateError("the index has no exact document lengths, which qld(exact) needs", fix, str(path)) from error
    return lengths
