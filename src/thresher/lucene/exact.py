"""Query likelihood with Dirichlet smoothing as published: float64, exact document lengths, no clamping.

Zhai and Lafferty, "A study of smoothing methods for language models applied to information retrieval", ACM
TOIS 22(2), 2004; in the form

    score(q, d) = Σ_{w ∈ q∩d} c(w,q) · ln(1 + c(w,d) / (µ · p(w|C))) + |q| · ln(µ / (µ + |d|))

with c(w,q) and c(w,d) the tf of w in the query and the document, |d| the document's tokens, and p(w|C) the share of w among
all tokens of the collection (the unpruned one, if the index was pruned and keeps its statistics). |q| counts every token of
the analysed query, including those not in the index. Documents with at least one query word are ranked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import StateError
from thresher.lucene import handles
from thresher.lucene.analysis import analyse
from thresher.lucene.handles import Integers, Strings
from thresher.lucene.jvm import java_class
from thresher.lucene.original_statistics import OriginalStatistics
from thresher.lucene.work import QueryWork

Numbers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_ITERATOR = "org.apache.lucene.search.DocIdSetIterator"
_POSTINGS = "org.apache.lucene.index.PostingsEnum"

_TIES = 10
"""Scores that agree to this many decimals are ties, since sums may differ in their last bits."""


def dirichlet_scores(
    query: Mapping[str, int],
    postings: Mapping[str, tuple[Numbers, Numbers]],
    lengths: Numbers,
    tokens: int,
    mu: float,
    lost: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Numbers, Floats]:
    """Return the numbers of the documents with a query word, ascending, and their scores.

    Args:
        query: c(w,q) of the query's tokens.
        postings: for each of them that occurs, the numbers of its documents, ascending, and its tf there.
        lengths: |d| by document number.
        tokens: the tokens of the whole collection.
        mu: the smoothing parameter µ, above 0.
        lost: by how much the collection has more tokens of a word than its postings.
    """
    matching = [postings[word][0] for word in query if word in postings]
    if not matching:
        return np.zeros(0, dtype=np.int32), np.zeros(0)
    documents = np.unique(np.concatenate(matching))
    matched = np.zeros(len(documents))
    for word, times in query.items():
        if word in postings:
            numbers, counts = postings[word]
            share = (counts.sum(dtype=np.int64) + lost.get(word, 0)) / tokens
            matched[np.searchsorted(documents, numbers)] += times * np.log1p(counts / (mu * share))
    size = sum(query.values())
    return documents, matched - size * np.log1p(lengths[documents] / mu)


class ExactRanking:
    """Ranks by `dirichlet_scores` over the postings of a Lucene index; the arguments are as `LuceneRanking`'s."""

    def __init__(
        self,
        reader: Any,
        analyzer: Any,
        mu: float,
        depth: int,
        lengths: Path,
        original: OriginalStatistics | None = None,
    ) -> None:
        try:
            self._lengths: Numbers = np.load(lengths)
        except (OSError, ValueError) as error:
            fix = "build the index again with exact document lengths"
            raise StateError(
                "the index has no exact document lengths, which qld(exact) needs", fix, str(lengths)
            ) from error
        self._reader, self._analyzer, self._mu, self._depth = reader, analyzer, mu, depth
        terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, "contents")
        self._tokens: int = terms.getSumTotalTermFreq() if terms is not None else 0
        self._original = original
        self._ids = _document_ids(reader)
        self._pairs = Integers()
        self._copy_postings = _postings_loop(self._pairs)

    def rank(self, query: str) -> tuple[list[str], list[float]]:
        """Return the ids of the best documents, best first, and their scores; ties by ascending id."""
        counts, postings = self._read(query)
        lost = {word: self._original.removed(word)[1] for word in postings} if self._original else {}
        documents, scores = dirichlet_scores(counts, postings, self._lengths, self._tokens, self._mu, lost)
        scores = np.round(scores, _TIES)
        if len(scores) > self._depth:
            worst = np.partition(scores, len(scores) - self._depth)[len(scores) - self._depth]
            documents, scores = documents[scores >= worst], scores[scores >= worst]
        ids = [self._ids[number] for number in documents.tolist()]
        order = sorted(range(len(ids)), key=lambda index: (-scores[index], ids[index]))[: self._depth]
        return [ids[index] for index in order], scores[order].tolist()

    def search(self, query: str) -> None:
        """Search and drop the hits."""
        self.rank(query)

    def forget(self) -> None:
        """Do nothing: no hits are left behind."""

    def work(self, query: str) -> QueryWork:
        """Return what there is to do for a query."""
        postings = [numbers for numbers, _ in self._read(query)[1].values()]
        documents = len(np.unique(np.concatenate(postings))) if postings else 0
        return QueryWork(sum(map(len, postings)), documents)

    def _read(self, query: str) -> tuple[Counter[str], dict[str, tuple[Numbers, Numbers]]]:
        counts = Counter(analyse(self._analyzer, query))
        return counts, {word: posting for word in counts if (posting := self._postings(word)) is not None}

    def _postings(self, word: str) -> tuple[Numbers, Numbers] | None:
        """Return the numbers of the documents with `word` and its tf there; None if there are none."""
        term = java_class("org.apache.lucene.index.Term")("contents", word)
        size = self._reader.docFreq(term)
        if not size:
            return None
        postings = java_class("org.apache.lucene.index.MultiTerms").getTermPostingsEnum(
            self._reader, "contents", term.bytes(), java_class(_POSTINGS).FREQS
        )
        self._copy_postings.accept(size, postings)
        pairs = self._pairs.take().reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]


def _postings_loop(pairs: Integers) -> Any:
    """Return a BiConsumer of (df, PostingsEnum) that records each document's number and tf."""
    number = handles.cast(handles.method(_ITERATOR, "nextDoc", "()I"), f"({handles.descriptor(_POSTINGS)})I")
    count = handles.method(_POSTINGS, "freq", "()I")
    step = handles.together(handles.pipe(number, pairs.note), handles.pipe(count, pairs.note))
    return handles.consumer_of_two(handles.repeat(step, _POSTINGS))


def _document_ids(reader: Any) -> list[str]:
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
