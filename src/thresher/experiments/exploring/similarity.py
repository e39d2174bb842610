"""Scores as Lucene 9 computes them, in the same precision, and those of `qld(exact)`, for many postings at many steps.

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

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats, Ints
from thresher.indexes.analysis import RetrievalModel

Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.integer[Any]]

_EXACT_LENGTHS = 24
_KEPT_BITS = 4
_TIES = 10
"""Scores that agree to this many decimals are ties, as in `thresher.indexes.score_inputs`."""


@dataclass(frozen=True)
class States:
    """The collection at some steps: `documents` with a token and `tokens`, shape (steps,); cf and df of each term, shape
    (steps, terms).
    """

    documents: Ints
    tokens: Ints
    cf: Ints
    df: Ints

    def repeated(self, steps: int) -> States:
        """Return a single step as so many."""
        return States(*(np.repeat(values, steps, axis=0) for values in (self.documents, self.tokens, self.cf, self.df)))


class Similarity(Protocol):
    """Scores of documents at some steps by some terms."""

    @property
    def single(self) -> bool:
        """Whether scores of whole documents are 32-bit floats of 0 or more."""
        ...

    def by_length(self, lengths: Integers) -> Floats | Singles:
        """Return the part of the score that depends on document length; shape (steps, documents), as `lengths`."""
        ...

    def scores(self, times: Integers, terms: Ints, boosts: Floats, by_length: Floats | Singles) -> Floats:
        """Return the scores of pairs of a term and a document; undefined where tf is 0.

        Args:
            times: tf of each pair; shape (steps, pairs).
            terms: the column of each pair's term; shape (pairs,).
            boosts: the query's tf of each column's term; shape (terms,).
            by_length: of each pair's document; shape (steps, pairs).
        """
        ...

    def whole(self, sums: Floats, by_length: Floats | Singles, documents: Ints, size: Ints | int) -> Floats:
        """Return the scores of documents from the sums over terms.

        Args:
            sums: shape (..., documents).
            by_length: of all documents.
            documents: which of these the sums are of.
            size: the number of tokens of each one's query.
        """
        ...

    def sums_reaching(self, score: float, by_length: Floats | Singles, size: int) -> float | Floats:
        """Return the sums over terms with which documents have a score, before any rounding; one number if it is the same for
        all lengths.
        """
        ...

    def columns(self, terms: Ints) -> Similarity:
        """Return the similarity for these terms alone."""
        ...

    def highest(self) -> Similarity:
        """Return, as one step, a similarity whose scores are at least those at any of the steps."""
        ...

    def lowest(self) -> Similarity:
        """Return, as one step, a similarity whose scores of documents with the terms are at most those at any of the steps."""
        ...

    def ceiling(self, boosts: Floats) -> float:
        """Return the size of the numbers that scores are differences of, summed over terms: it bounds rounding errors."""
        ...


def similarity(model: RetrievalModel, states: States) -> Similarity:
    """Return the similarity of a retrieval model for some states of the collection."""
    tokens = states.tokens[:, None]
    if model.family == "bm25":
        documents = states.documents[:, None]
        rarity = np.log(1 + (documents - states.df + 0.5) / (states.df + 0.5)).astype(np.float32)
        return _BM25(model, rarity, np.divide(tokens, np.maximum(documents, 1)).astype(np.float32))
    if model.family == "classic":
        # Over no documents N is 0, and so is df.
        return _Classic((np.log((states.documents[:, None] + 1) / (states.df + 1)) + 1).astype(np.float32))
    if not model.exact:
        return _Dirichlet(float(np.float32(model.mu)), (states.cf + 1.0) / (tokens + 1.0))
    # A term that does not occur is in no document: any share will do.
    shares = np.divide(states.cf, tokens, out=np.ones(states.cf.shape), where=states.cf > 0)
    return _Exact(model.mu, shares)


def by_lengths(scoring: Similarity, lengths: Integers) -> Floats | Singles:
    """Return `Similarity.by_length`, by way of a table of all lengths where that has fewer entries."""
    steps, most = len(lengths), int(lengths.max(initial=0)) + 1
    if steps * most > lengths.size:
        return scoring.by_length(lengths)
    table = scoring.by_length(np.arange(most)[None])
    values: Floats | Singles = np.empty(lengths.shape, dtype=table.dtype)
    for step, of_step in enumerate(lengths):
        # One row for all steps, or one for each.
        np.take(table[step % len(table)], of_step, out=values[step], mode="clip")
    return values


def stored_lengths(tokens: Integers) -> Ints:
    """Return document lengths as Lucene reads them back from one byte.

    >>> stored_lengths(np.array([39, 40, 41, 42, 1000])).tolist()
    [39, 40, 40, 42, 984]
    """
    beyond = np.maximum(tokens - _EXACT_LENGTHS, 0)
    # frexp gives the number of bits; no length comes near 2^53.
    shift = np.maximum(np.frexp(beyond.astype(np.float64))[1] - _KEPT_BITS, 0)
    return np.where(tokens < _EXACT_LENGTHS, tokens, _EXACT_LENGTHS + ((beyond >> shift) << shift))


class _OfSingles:
    """Similarities whose whole scores are sums of 32-bit floats, rounded to 32 bits, whatever the length."""

    single = True

    def whole(self, sums: Floats, by_length: Floats | Singles, documents: Ints, size: Ints | int) -> Floats:  # noqa: ARG002
        return _single(sums)

    def sums_reaching(self, score: float, by_length: Floats | Singles, size: int) -> float:  # noqa: ARG002, as the protocol has it
        return score


@dataclass(frozen=True)
class _OfShares:
    """The common part of `qld` and `qld(exact)`: `shares` are p(w|C), shape (steps, terms); a larger one lowers the score."""

    mu: float
    shares: Floats

    def columns(self, terms: Ints) -> Self:
        return replace(self, shares=self.shares[:, terms])

    def highest(self) -> Self:
        return replace(self, shares=self.shares.min(axis=0, keepdims=True))

    def lowest(self) -> Self:
        return replace(self, shares=self.shares.max(axis=0, keepdims=True))

    def ceiling(self, boosts: Floats) -> float:  # noqa: ARG002, as the protocol has it
        return 0.0


@dataclass(frozen=True)
class _Dirichlet(_OfSingles, _OfShares):
    def by_length(self, lengths: Integers) -> Floats:
        factors: Floats = np.log(self.mu / (stored_lengths(lengths) + self.mu))
        return factors

    def scores(self, times: Integers, terms: Ints, boosts: Floats, by_length: Floats | Singles) -> Floats:
        scores = _of_times(lambda count, share: np.log(1 + count / (self.mu * share)), self.shares, times, terms)
        scores += by_length
        if (boosts != 1).any():
            scores *= boosts[terms]
        np.maximum(scores, 0, out=scores)
        return _single(scores)


@dataclass(frozen=True)
class _BM25(_OfSingles):
    model: RetrievalModel
    rarity: Singles
    average: Singles

    def by_length(self, lengths: Integers) -> Singles:
        one, k1, b = np.float32(1), np.float32(self.model.k1), np.float32(self.model.b)
        # Without documents the average is 0.
        average = np.where(self.average > 0, self.average, one)
        with np.errstate(divide="ignore"):  # a k1 of 0 makes it infinite, and the score the term's weight, as in Java
            norms = one / (k1 * ((one - b) + b * stored_lengths(lengths).astype(np.float32) / average))
        return np.asarray(norms, dtype=np.float32)

    def scores(self, times: Integers, terms: Ints, boosts: Floats, by_length: Floats | Singles) -> Floats:
        weights = (boosts.astype(np.float32) * self.rarity)[:, terms]
        with np.errstate(invalid="ignore"):  # of documents without the term
            scores = weights - weights / (np.float32(1) + times.astype(np.float32) * by_length)
        return np.asarray(scores, dtype=np.float64)

    def columns(self, terms: Ints) -> _BM25:
        return _BM25(self.model, self.rarity[:, terms], self.average)

    def highest(self) -> _BM25:
        return _BM25(self.model, self.rarity.max(axis=0, keepdims=True), self.average.max(axis=0, keepdims=True))

    def lowest(self) -> _BM25:
        return _BM25(self.model, self.rarity.min(axis=0, keepdims=True), self.average.min(axis=0, keepdims=True))

    def ceiling(self, boosts: Floats) -> float:
        return float((boosts * self.rarity.max(axis=0)).sum())


@dataclass(frozen=True)
class _Classic(_OfSingles):
    rarity: Singles

    def by_length(self, lengths: Integers) -> Singles:
        return (1 / np.sqrt(np.maximum(stored_lengths(lengths), 1))).astype(np.float32)

    def scores(self, times: Integers, terms: Ints, boosts: Floats, by_length: Floats | Singles) -> Floats:
        weights = (boosts.astype(np.float32) * self.rarity)[:, terms]
        scores = np.sqrt(times.astype(np.float64)).astype(np.float32) * weights * by_length
        return np.asarray(scores, dtype=np.float64)

    def columns(self, terms: Ints) -> _Classic:
        return _Classic(self.rarity[:, terms])

    def highest(self) -> _Classic:
        return _Classic(self.rarity.max(axis=0, keepdims=True))

    def lowest(self) -> _Classic:
        return _Classic(self.rarity.min(axis=0, keepdims=True))

    def ceiling(self, boosts: Floats) -> float:  # noqa: ARG002, as the protocol has it
        return 0.0


@dataclass(frozen=True)
class _Exact(_OfShares):
    single = False

    def by_length(self, lengths: Integers) -> Floats:
        return np.log1p(lengths / self.mu)

    def scores(self, times: Integers, terms: Ints, boosts: Floats, by_length: Floats | Singles) -> Floats:  # noqa: ARG002
        scores = _of_times(lambda count, share: np.log1p(count / (self.mu * share)), self.shares, times, terms)
        if (boosts != 1).any():
            scores *= boosts[terms]
        return scores

    def whole(self, sums: Floats, by_length: Floats | Singles, documents: Ints, size: Ints | int) -> Floats:
        return np.round(sums - size * by_length.take(documents, axis=-1), _TIES)

    def sums_reaching(self, score: float, by_length: Floats | Singles, size: int) -> Floats:
        return np.asarray(score + size * by_length, dtype=np.float64)


def _of_times(formula: Callable[[Floats, Floats], Floats], shares: Floats, times: Integers, terms: Ints) -> Floats:
    """Return a function of tf and p(w|C) for all pairs, by way of a table where that has fewer entries."""
    steps, columns = shares.shape
    most = int(times.max(initial=0)) + 1
    if steps == columns == 1 and most <= times.size:
        return np.take(formula(np.arange(most, dtype=np.float64), shares[0]), times)
    if steps * columns * most > times.size:
        return formula(times.astype(np.float64), shares[:, terms])
    table = formula(np.arange(most, dtype=np.float64), shares[:, :, None])
    first = terms * most
    values: Floats = np.empty(times.shape)
    # Step by step: what is looked up fits into the cache.
    for step, of_step in enumerate(table):
        np.take(of_step.ravel(), first + times[step], out=values[step], mode="clip")
    return values


def _single(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)
