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
from thresher.indexes.analysis import english_analyzer
from thresher.indexes.indexing import LENGTHS, IndexOptions, open_index, settings_of
from thresher.indexes.jvm import java_class
from thresher.indexes.original_statistics import ORIGINAL_STATISTICS, OriginalStatistics, TermLoss
from thresher.indexes.posting_lists import ExactLengths, PostingList, PostingLists, StoredLengths
from thresher.indexes.work import CONTENTS

_NOT_INDEXED = -1


@dataclass(frozen=True)
class ScoreInputs:
    """The inputs of the scores of some documents by some terms, in one index.

    If a pruned index is ranked with the statistics of the unpruned collection, `documents`, `tokens`, `cf` and `df` are those
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
        return english_analyzer(self.options.stemmer, self.options.stopwords)

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

<<<<<<< HEAD
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
=======
    def _number(self, identifier: str) -> int:
        """Return the number of a document, or `_NOT_INDEXED`."""
        if identifier not in self._numbers:
            term = java_class("org.apache.lucene.index.Term")("id", identifier).bytes()
            multi_terms = java_class("org.apache.lucene.index.MultiTerms")
            documents = multi_terms.getTermPostingsEnum(self._reader, "id", term)
            self._numbers[identifier] = _NOT_INDEXED if documents is None else documents.nextDoc()
        return self._numbers[identifier]
>>>>>>> e25a97f7 (Anserini's IndexCollection makes full and cleaned indexes, and Pyserini is imported; no loop of Java is composed in Python)
