"""All that Lucene computes scores from: postings, lengths of documents, and the statistics of the collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.errors import StateError
from thresher.base.numbers import Floats, Ints
from thresher.indexes import handles
from thresher.indexes.analysis import analyse, english_analyzer
from thresher.indexes.handles import Integers, Strings
from thresher.indexes.indexing import LENGTHS, IndexOptions, open_index, settings_of
from thresher.indexes.jvm import java_class
from thresher.indexes.original_statistics import ORIGINAL_STATISTICS, OriginalStatistics
from thresher.indexes.work import CONTENTS, QueryWork

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
    different, index = np.unique(norms, return_inverse=True)
    decode = java_class("org.apache.lucene.util.SmallFloat").byte4ToInt
    lengths[numbers] = np.array([decode(one) for one in different.tolist()], dtype=np.int32)[index]
    return lengths


def exact_lengths(path: Path) -> Numbers:
    """Return the exact lengths of an index's documents by document number, from the file beside it."""
    try:
        lengths: Numbers = np.load(path)
    except (OSError, ValueError) as error:
        fix = "build the index again with exact document lengths"
        raise StateError("the index has no exact document lengths, which qld(exact) needs", fix, str(path)) from error
    return lengths


@dataclass(frozen=True)
class ScoreInputs:
    """The inputs of the scores of some documents by some terms, in one index.

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

    With `exact`, lengths are exact, as `qld(exact)` reads them, instead of from Lucene's one byte.
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

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    @property
    def analyzer(self) -> Any:
        """The analyzer of queries and documents (a Java object)."""
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
        tokens: of the whole collection.
        mu: the smoothing parameter µ, above 0.
        lost: tokens of a word that the collection has beyond its postings.
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
        self._lengths = exact_lengths(lengths)
        self._reader, self._analyzer, self._mu, self._depth = reader, analyzer, mu, depth
        terms = java_class("org.apache.lucene.index.MultiTerms").getTerms(reader, "contents")
        self._tokens: int = terms.getSumTotalTermFreq() if terms is not None else 0
        self._original = original
        self._ids = document_ids(reader)
        self._lists = PostingLists(reader)

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
        """Return the work of a query."""
        postings = [numbers for numbers, _ in self._read(query)[1].values()]
        documents = len(np.unique(np.concatenate(postings))) if postings else 0
        return QueryWork(sum(map(len, postings)), documents)

    def _read(self, query: str) -> tuple[Counter[str], dict[str, tuple[Numbers, Numbers]]]:
        counts = Counter(analyse(self._analyzer, query))
        return counts, {word: posting for word in counts if (posting := self._lists.of(word)) is not None}
