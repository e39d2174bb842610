"""The postings of a collection, document by document, its statistics, and the score of each posting."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from thresher.base.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.base.numbers import Floats, Ints
from thresher.cleaners.scorer import Parameter, Value

Hashes = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
TIES = 10
"""Values that agree to this many decimals are ties, since logarithms may differ in their last bits."""
BM25 = "bm25"
QLD = "qld"
MODEL = Parameter(
    "model", str, BM25, "the retrieval model that scores postings, with its default parameters", (BM25, QLD)
)


@dataclass(frozen=True)
class CollectionStatistics:
    """The statistics of the unpruned collection.

    Args:
        documents: N, the documents with a token.
        tokens: |C|.
        cf, df: of each term, by its number.
        hashes: of each term (see `thresher.indexes.lexicon`), which order ties: they depend on the term alone.
        squares: Σ |d|² over documents.
    """

    documents: int
    tokens: int
    cf: Ints
    df: Ints
    hashes: Hashes
    squares: int

    def numbers(self, hashes: Hashes) -> Ints:
        """Return the number of each term with one of these hashes; -1 for a term that the collection lacks."""
        shared = np.flatnonzero(np.isin(self.hashes, hashes))
        shared = shared[np.argsort(self.hashes[shared])]
        shared_hashes = self.hashes[shared]
        in_collection = np.isin(hashes, shared_hashes)
        numbers = np.full(len(hashes), -1, dtype=np.int64)
        numbers[in_collection] = shared[np.searchsorted(shared_hashes, hashes[in_collection])]
        return numbers

    @property
    def mean_length(self) -> float:
        """The mean document length in tokens; 0 without documents."""
        return self.tokens / max(self.documents, 1)

    @property
    def length_deviation(self) -> float:
        """The standard deviation of document lengths, of the population."""
        return float(np.sqrt(max(self.squares / max(self.documents, 1) - self.mean_length**2, 0.0)))


@dataclass(frozen=True)
class DocumentPostings:
    """The postings of some documents, document by document.

    Args:
        ids: of the documents, blank ones left out.
        lengths: |d| in tokens, shape (documents,); 0 for documents of stop words alone.
        bounds: where the postings of each document begin, with the end of the last; shape (documents + 1,).
        term, tf: of each posting: the term's number and its occurrences; each term once a document, by ascending number.
    """

    ids: tuple[str, ...]
    lengths: Ints
    bounds: Ints
    term: Numbers
    tf: Numbers

    @cached_property
    def document(self) -> Ints:
        """The row of each posting's document."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.bounds))

    @property
    def sizes(self) -> Ints:
        """Different terms of each document."""
        return np.diff(self.bounds)

    def rank(self, values: Floats, hashes: Hashes) -> Ints:
        """Return the rank of each posting within its document, from 0, by descending value; ties by the term's hash.

        Shape (postings,) as `values`; `hashes` are by term number.
        """
        keys = -np.round(values, TIES)
        order = np.argsort(keys)
        # Sorting small numbers by their digits is fast, and keeps the order by value within a document.
        kind = np.uint16 if len(self.ids) <= 1 << 16 else np.int64
        order = order[np.argsort(self.document.astype(kind)[order], kind="stable")]
        # Only ties are sorted by hashes.
        ordered, rows = keys[order], self.document[order]
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = (ordered[1:] != ordered[:-1]) | (rows[1:] != rows[:-1])
        run = np.cumsum(begins)
        tied = np.flatnonzero(~begins | ~np.append(begins[1:], True))
        order[tied] = order[tied][np.lexsort((hashes[self.term[order[tied]]], run[tied]))]
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return ranks - self.bounds[self.document]


class Postings(Protocol):
    """All postings of a collection."""

    @property
    def statistics(self) -> CollectionStatistics:
        """The statistics of the collection."""
        ...

    def blocks(self) -> Iterable[DocumentPostings]:
        """Give the postings, always in the same order."""
        ...


def ranges(begins: Ints, counts: Ints) -> Ints:
    """Return begin, begin + 1 … for each begin, as many numbers as its count says.

    >>> ranges(np.array([5, 2]), np.array([3, 1])).tolist()
    [5, 6, 7, 2]
    """
    firsts = np.cumsum(counts) - counts
    numbers: Ints = np.arange(int(counts.sum())) + np.repeat(begins - firsts, counts)
    return numbers


def term_scores(postings: DocumentPostings, statistics: CollectionStatistics, model: Value) -> Floats:
    """Return the score of each posting, A(t,d), by `BM25` or `QLD`; shape (postings,)."""
    if model == BM25:
        return bm25(postings, statistics)
    return qld(postings, statistics)


def bm25(postings: DocumentPostings, statistics: CollectionStatistics) -> Floats:
    """Return Lucene's BM25 with exact document lengths; above 0.

    A(t,d) = ln(1 + (N - df + 0.5) / (df + 0.5)) · tf / (tf + k1 · (1 - b + b · |d| / mean)). Robertson et al.: Okapi at
    TREC-3, 1994, without the constant factor k1 + 1 and with 1 added in the logarithm, as in Lucene.
    """
    frequencies = statistics.df.astype(np.float64)
    idf = np.log1p((statistics.documents - frequencies + 0.5) / (frequencies + 0.5))
    norms = BM25_K1 * (1 - BM25_B + BM25_B * (postings.lengths / max(statistics.mean_length, 1e-300)))
    return idf[postings.term] * (postings.tf / (postings.tf + norms[postings.document]))


def qld(postings: DocumentPostings, statistics: CollectionStatistics) -> Floats:
    """Return query likelihood with Dirichlet smoothing; below 0 for terms that are rarer than in the collection.

    A(t,d) = ln(1 + tf / (µ · p(t|C))) + ln(µ / (µ + |d|)), the logarithm of the smoothed p(t|d) by p(t|C). Zhai, Lafferty:
    A Study of Smoothing Methods for Language Models Applied to Information Retrieval, ACM TOIS 22(2), 2004. Lucene's
    score is 0 where this is below, and has p(t|C) = (cf + 1) / (|C| + 1).
    """
    shares = statistics.cf / max(statistics.tokens, 1)
    lengths = np.log1p(postings.lengths / QLD_MU)
    return np.log1p(postings.tf / (QLD_MU * shares[postings.term])) - lengths[postings.document]
