"""Scores as Lucene 9 computes them, in the same precision, and those of `qld(exact)`, over arrays of postings.

- `qld`: `LMDirichletSimilarity` over document lengths of one byte: for each query term that the document has,
  boost · (ln(1 + tf / (µ · p)) + ln(µ / (µ + |d|))) in 64 bits, at least 0, rounded to 32 bits; p = (cf + 1) / (C + 1).
- `bm25`: `BM25Similarity`: w - w / (1 + tf · n) in 32 bits, with w = boost · ln(1 + (N - df + 0.5) / (df + 0.5)) and
  n = 1 / (k1 · (1 - b + b · |d| / avgdl)); N counts the documents with a token, avgdl is C / N.
- Both: the scores of the terms are added in 64 bits and the sum is rounded to 32.
- `qld(exact)`: see `thresher.lucene.exact`.

A document's length is stored in one byte by `SmallFloat.intToByte4`: exactly below 24 + 16, and beyond that 24 plus a number
of four significant bits, rounded down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints

Floats = npt.NDArray[np.float64]

_EXACT_LENGTHS = 24
_KEPT_BITS = 4
_TIES = 10
"""As in `thresher.lucene.exact`: scores that agree to this many decimals are ties."""


@dataclass(frozen=True)
class State:
    """A collection at one step: `documents` with a token, `tokens` of all, and the exact `lengths` of the matching ones."""

    documents: int
    tokens: int
    lengths: Ints


class Similarity(Protocol):
    """Scores the documents of one state."""

    def term(self, documents: Ints, times: Ints, occurrences: int, holders: int, boost: int) -> Floats:
        """Return the scores of one query term in documents; those of documents that do not have it mean nothing.

        Args:
            documents: which documents, by place.
            times: how often each has the term.
            occurrences: how often all have it, 1 or more.
            holders: how many have it.
            boost: how often the query has it.
        """
        ...

    def whole(self, sums: Floats, documents: Ints, size: int) -> Floats:
        """Return the scores of documents from the sums of their terms' scores; `size` is the number of the query's tokens."""
        ...


def similarity(model: RetrievalModel, state: State) -> Similarity:
    """Return what scores the documents of a state by a retrieval model."""
    if model.family == "bm25":
        return _BM25(model, state)
    return _Exact(model, state) if model.exact else _Dirichlet(model, state)


def stored_lengths(tokens: Ints) -> Ints:
    """Return document lengths as Lucene reads them from its one byte a document.

    >>> stored_lengths(np.array([39, 40, 41, 42, 1000])).tolist()
    [39, 40, 40, 42, 984]
    """
    beyond = np.maximum(tokens - _EXACT_LENGTHS, 0)
    # frexp gives how many bits a number has; no length comes near 2^53.
    shift = np.maximum(np.frexp(beyond.astype(np.float64))[1] - _KEPT_BITS, 0)
    return np.where(tokens < _EXACT_LENGTHS, tokens, _EXACT_LENGTHS + ((beyond >> shift) << shift))


class _Dirichlet:
    def __init__(self, model: RetrievalModel, state: State) -> None:
        self._mu = float(np.float32(model.mu))
        self._tokens = state.tokens
        self._length_part = np.log(self._mu / (stored_lengths(state.lengths) + self._mu))

    def term(self, documents: Ints, times: Ints, occurrences: int, holders: int, boost: int) -> Floats:  # noqa: ARG002
        share = (occurrences + 1.0) / (self._tokens + 1.0)
        by_times = np.log(1 + np.arange(int(times.max()) + 1) / (self._mu * share))
        scores = by_times[times]
        scores += self._length_part[documents]
        if boost != 1:
            scores *= boost
        np.maximum(scores, 0, out=scores)
        return _single(scores)

    def whole(self, sums: Floats, documents: Ints, size: int) -> Floats:  # noqa: ARG002, as the protocol has it
        return _single(sums)


class _BM25:
    def __init__(self, model: RetrievalModel, state: State) -> None:
        one, k1, b = np.float32(1), np.float32(model.k1), np.float32(model.b)
        self._documents = state.documents
        average = np.float32(state.tokens / state.documents) if state.documents else one
        lengths = stored_lengths(state.lengths).astype(np.float32)
        with np.errstate(divide="ignore"):  # a k1 of 0 makes it infinite, and the score the term's weight, as in Java
            self._norms = one / (k1 * ((one - b) + b * lengths / average))

    def term(self, documents: Ints, times: Ints, occurrences: int, holders: int, boost: int) -> Floats:  # noqa: ARG002
        rarity = np.float32(np.log(1 + (self._documents - holders + 0.5) / (holders + 0.5)))
        weight = np.float32(boost) * rarity
        with np.errstate(invalid="ignore"):  # of documents without the term
            scores = weight - weight / (np.float32(1) + times.astype(np.float32) * self._norms[documents])
        return np.asarray(scores, dtype=np.float64)

    def whole(self, sums: Floats, documents: Ints, size: int) -> Floats:  # noqa: ARG002, as the protocol has it
        return _single(sums)


class _Exact:
    def __init__(self, model: RetrievalModel, state: State) -> None:
        self._mu, self._tokens = model.mu, state.tokens
        self._length_part = np.log1p(state.lengths / model.mu)

    def term(self, documents: Ints, times: Ints, occurrences: int, holders: int, boost: int) -> Floats:  # noqa: ARG002
        share = occurrences / self._tokens
        by_times = boost * np.log1p(np.arange(int(times.max()) + 1) / (self._mu * share))
        scores: Floats = by_times[times]
        return scores

    def whole(self, sums: Floats, documents: Ints, size: int) -> Floats:
        scores: Floats = np.round(sums - size * self._length_part[documents], _TIES)
        return scores


def _single(values: Floats) -> Floats:
    """Return the values rounded to 32 bits."""
    return values.astype(np.float32).astype(np.float64)
