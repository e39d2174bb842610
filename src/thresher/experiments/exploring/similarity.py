"""Scores as Lucene 9 computes them, in the same precision, and scores of `qld(exact)`, for many documents at many steps.

- `qld`: `LMDirichletSimilarity` over document lengths of one byte: for each query term in the document,
  boost · (ln(1 + tf / (µ · p)) + ln(µ / (µ + |d|))) in 64 bits, at least 0, rounded to 32 bits; p = (cf + 1) / (C + 1).
- `bm25`: `BM25Similarity`: w - w / (1 + tf · n) in 32 bits, with w = boost · ln(1 + (N - df + 0.5) / (df + 0.5)) and
  n = 1 / (k1 · (1 - b + b · |d| / avgdl)); N counts the documents with a token, avgdl is C / N.
- `classic`: `ClassicSimilarity`: sqrt(tf) · boost · (1 + ln((N + 1) / (df + 1))) / sqrt(|d|) in 32 bits.
- All three: the scores of the terms are added in 64 bits and the sum is rounded to 32.
- `qld(exact)`: see `thresher.indexes.score_inputs`.

Lucene stores |d| in one byte (`SmallFloat.intToByte4`): exactly below 24 + 16, beyond that as 24 plus a number of four
significant bits, rounded down.

All scores rise with tf, w and avgdl, and fall with |d| and p: bounds on these bound the score.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats, Ints
from thresher.indexes.analysis import RetrievalModel

Integers = npt.NDArray[np.integer[Any]]
LengthParts = npt.NDArray[np.float64] | npt.NDArray[np.float32]
"""The part of the score that depends on document length alone."""

_EXACT_LENGTHS = 24
_SIGNIFICANT_BITS = 4
_TIES = 10
"""Scores that agree to this many decimals are ties, as in `thresher.indexes.score_inputs`."""


@dataclass(frozen=True)
class StepStatistics:
    """The statistics of a collection at some steps.

    Args:
        documents: the number of documents with a token; shape (steps,).
        tokens: the number of tokens; shape (steps,).
        cf, df: collection and document frequency of each query term; shape (steps, terms).
    """

    documents: Ints
    tokens: Ints
    cf: Ints
    df: Ints

    def repeated(self, steps: int) -> StepStatistics:
        """Repeat the statistics of a single step for `steps` steps."""
        return StepStatistics(
            documents=np.repeat(self.documents, steps),
            tokens=np.repeat(self.tokens, steps),
            cf=np.repeat(self.cf, steps, axis=0),
            df=np.repeat(self.df, steps, axis=0),
        )


class Similarity(ABC):
    """Scores of documents at some steps.

    Attributes:
        single: whether scores of documents are 32-bit numbers of 0 or more.
    """

    single: ClassVar[bool] = True

    @abstractmethod
    def length_parts(self, lengths: Integers) -> LengthParts:
        """Return the part of the score that depends on document length; shape (steps, documents), as `lengths`."""

    @abstractmethod
    def term_scores(self, term: int, boost: int, tf: Integers, length_parts: LengthParts) -> Floats:
        """Return the scores of one term in documents; undefined where tf is 0.

        Args:
            term: its column in the statistics.
            boost: its tf in the query.
            tf: shape (steps, documents).
            length_parts: the length parts of these documents; shape (steps, documents).
        """

    def document_scores(self, sums: Floats, length_parts: LengthParts, documents: Ints, query_size: int) -> Floats:  # noqa: ARG002
        """Return the scores of documents from the sums of their terms' scores; shape (steps, documents), as `sums`.

        Args:
            length_parts: the length parts of all documents.
            documents: whose columns of `length_parts` the sums belong to.
            query_size: number of tokens in the query.
        """
        return _rounded_to_single(sums)

    @abstractmethod
    def highest(self) -> Similarity:
        """Return a similarity of one step, whose scores are at least the scores at any step."""

    @abstractmethod
    def lowest(self) -> Similarity:
        """Return a similarity of one step, whose scores of a document with the term are at most the scores at any step."""

    def subtracted(self, term: int, boost: int) -> float:  # noqa: ARG002
        """Return the size of numbers whose difference is the score of a term: it bounds rounding errors."""
        return 0.0


def similarity(model: RetrievalModel, statistics: StepStatistics) -> Similarity:
    """Return the similarity of a retrieval model by these statistics of the collection."""
    tokens = statistics.tokens[:, None]
    documents = statistics.documents[:, None]
    if model.family == "bm25":
        idf = np.log(1 + (documents - statistics.df + 0.5) / (statistics.df + 0.5)).astype(np.float32)
        mean_length = np.divide(tokens, np.maximum(documents, 1)).astype(np.float32)
        return _BM25(model, idf, mean_length)
    if model.family == "classic":
        # Without documents N is 0, and so is df.
        return _Classic((np.log((documents + 1) / (statistics.df + 1)) + 1).astype(np.float32))
    if not model.exact:
        return _Dirichlet(float(np.float32(model.mu)), (statistics.cf + 1.0) / (tokens + 1.0))
    # A term that does not occur is in no document, so its share does not matter.
    shares = np.divide(statistics.cf, tokens, out=np.ones(statistics.cf.shape), where=statistics.cf > 0)
    return _Exact(model.mu, shares)


def stored_lengths(tokens: Integers) -> Ints:
    """Return document lengths as Lucene reads them back from one byte.

    >>> stored_lengths(np.array([39, 40, 41, 42, 1000])).tolist()
    [39, 40, 40, 42, 984]
    """
    beyond = np.maximum(tokens - _EXACT_LENGTHS, 0)
    # frexp gives the number of bits; no length comes near 2^53.
    shift = np.maximum(np.frexp(beyond.astype(np.float64))[1] - _SIGNIFICANT_BITS, 0)
    return np.where(tokens < _EXACT_LENGTHS, tokens, _EXACT_LENGTHS + ((beyond >> shift) << shift))


@dataclass(frozen=True)
class _Dirichlet(Similarity):
    """`shares` are p, shape (steps, terms): a larger share lowers the score."""

    mu: float
    shares: Floats

    def length_parts(self, lengths: Integers) -> LengthParts:
        factors: Floats = np.log(self.mu / (stored_lengths(lengths) + self.mu))
        return factors

    def term_scores(self, term: int, boost: int, tf: Integers, length_parts: LengthParts) -> Floats:
        scores = np.log(1 + tf / (self.mu * self.shares[:, term, None]))
        scores += length_parts
        scores *= boost
        return _rounded_to_single(np.maximum(scores, 0))

    def highest(self) -> _Dirichlet:
        return _Dirichlet(self.mu, self.shares.min(axis=0, keepdims=True))

    def lowest(self) -> _Dirichlet:
        return _Dirichlet(self.mu, self.shares.max(axis=0, keepdims=True))


@dataclass(frozen=True)
class _BM25(Similarity):
    """`idf` has the shape (steps, terms), `mean_length` (steps, 1)."""

    model: RetrievalModel
    idf: npt.NDArray[np.float32]
    mean_length: npt.NDArray[np.float32]

    def length_parts(self, lengths: Integers) -> LengthParts:
        k1 = np.float32(self.model.k1)
        b = np.float32(self.model.b)
        # Without documents the mean is 0.
        mean_length = np.where(self.mean_length > 0, self.mean_length, np.float32(1))
        # The order of operations is Java's: it decides the last bit.
        relative_lengths = b * stored_lengths(lengths).astype(np.float32) / mean_length
        # A k1 of 0 makes the factors infinite and the score the term's weight, as in Java.
        with np.errstate(divide="ignore"):
            factors = np.float32(1) / (k1 * ((np.float32(1) - b) + relative_lengths))
        return np.asarray(factors, dtype=np.float32)

    def term_scores(self, term: int, boost: int, tf: Integers, length_parts: LengthParts) -> Floats:
        weights = np.float32(boost) * self.idf[:, term, None]
        with np.errstate(invalid="ignore"):  # of documents without the term
            scores = weights - weights / (np.float32(1) + tf.astype(np.float32) * length_parts)
        return np.asarray(scores, dtype=np.float64)

    def highest(self) -> _BM25:
        return _BM25(self.model, self.idf.max(axis=0, keepdims=True), self.mean_length.max(axis=0, keepdims=True))

    def lowest(self) -> _BM25:
        return _BM25(self.model, self.idf.min(axis=0, keepdims=True), self.mean_length.min(axis=0, keepdims=True))

    def subtracted(self, term: int, boost: int) -> float:
        return boost * float(self.idf[:, term].max())


@dataclass(frozen=True)
class _Classic(Similarity):
    """`idf` has the shape (steps, terms)."""

    idf: npt.NDArray[np.float32]

    def length_parts(self, lengths: Integers) -> LengthParts:
        return (1 / np.sqrt(np.maximum(stored_lengths(lengths), 1))).astype(np.float32)

    def term_scores(self, term: int, boost: int, tf: Integers, length_parts: LengthParts) -> Floats:
        weights = np.float32(boost) * self.idf[:, term, None]
        scores = np.sqrt(tf.astype(np.float64)).astype(np.float32) * weights * length_parts
        return np.asarray(scores, dtype=np.float64)

    def highest(self) -> _Classic:
        return _Classic(self.idf.max(axis=0, keepdims=True))

    def lowest(self) -> _Classic:
        return _Classic(self.idf.min(axis=0, keepdims=True))


@dataclass(frozen=True)
class _Exact(Similarity):
    """`shares` are p, shape (steps, terms): a larger share lowers the score."""

    mu: float
    shares: Floats

    single = False

    def length_parts(self, lengths: Integers) -> LengthParts:
        return np.log1p(lengths / self.mu)

    def term_scores(self, term: int, boost: int, tf: Integers, length_parts: LengthParts) -> Floats:  # noqa: ARG002
        scores = np.log1p(tf / (self.mu * self.shares[:, term, None]))
        scores *= boost
        return scores

    def document_scores(self, sums: Floats, length_parts: LengthParts, documents: Ints, query_size: int) -> Floats:
        return np.round(sums - query_size * length_parts[:, documents], _TIES)

    def highest(self) -> _Exact:
        return _Exact(self.mu, self.shares.min(axis=0, keepdims=True))

    def lowest(self) -> _Exact:
        return _Exact(self.mu, self.shares.max(axis=0, keepdims=True))


def _rounded_to_single(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)
