"""Pruning of whole terms: by how they are distributed over documents, and by how well they tell documents apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.pages.plain import Ints
from thresher.pruning_methods.method import KEEP_ABOVE, PruningMethod
from thresher.pruning_methods.postings import CollectionStatistics, DocumentPostings, Floats, Postings

_UNIT = 2.0**40
"""Cosines are added up as integers of this share, so that sums do not depend on the order of documents."""


class DocumentFrequency(PruningMethod):
    """Keeps the terms with an inverse document frequency of at least ε, whole: idf(t) = ln(N / df)."""

    name = "idf"
    keep = KEEP_ABOVE
    unit = "nats"
    low = 0.0
    grid = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
    source = "Blanco, Barreiro: Static Pruning of Terms in Inverted Files, ECIR 2007"

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the idf of each posting's term."""
        return _idf(statistics)[postings.term]


class ResidualFrequency(PruningMethod):
    """Keeps the terms with a residual idf of at least ε, whole: what the idf is above that of a term whose occurrences are
    spread at random, ridf(t) = ln(N / df) + ln(1 - exp(-cf / N)).
    """

    name = "ridf"
    keep = KEEP_ABOVE
    unit = "nats"
    grid = (-0.1, 0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
    source = (
        "Blanco, Barreiro: Static Pruning of Terms in Inverted Files, ECIR 2007; Church, Gale: Poisson Mixtures, 1995"
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the residual idf of each posting's term."""
        expected = -np.log(-np.expm1(-statistics.cf / max(statistics.documents, 1)))
        residuals: Floats = _idf(statistics) - expected
        return residuals[postings.term]


def _idf(statistics: CollectionStatistics) -> Floats:
    return np.log(statistics.documents / statistics.df)


class TermDiscrimination(PruningMethod):
    """Keeps the terms with a discrimination value of at least ε, whole: DV(t) = Q_t - Q, where Q is the mean cosine of all
    documents, as vectors of tf, with their centroid, and Q_t the same without the term. It is above 0 for terms without
    which documents would be more alike. The cosine of an empty vector is 0.
    """

    name = "tdv"
    keep = KEEP_ABOVE
    unit = "cosine"
    grid = (-0.001, -0.0001, 0.0, 1e-7, 1e-6, 1e-5, 1e-4)
    source = (
        "Salton, Wong, Yang: A Vector Space Model for Automatic Indexing, CACM 18(11), 1975; "
        "for pruning: Blanco, Barreiro: Static Pruning of Terms in Inverted Files, ECIR 2007"
    )

    def fit(self, postings: Postings) -> Floats:
        """Return DV by term number."""
        statistics = postings.statistics
        cf = statistics.cf.astype(np.float64)
        # The centroid's squared length, with cf instead of the mean tf: cosines are the same.
        squared = math.fsum(np.square(cf).tolist())
        without = np.maximum(squared - np.square(cf), 0)
        whole, changed = 0, np.zeros(len(cf), dtype=np.int64)
        for block in postings.blocks():
            before, after = _cosines(block, statistics, math.sqrt(squared))
            whole += int(before.sum())
            np.add.at(changed, block.term, after - before[block.document])
        shares = np.divide(squared, without, out=np.zeros(len(cf)), where=without > 0)
        return ((whole + changed) * np.sqrt(shares) - whole) / (_UNIT * max(statistics.documents, 1))

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Floats) -> Floats:  # noqa: ARG002
        """Return the discrimination value of each posting's term."""
        return fitted[postings.term]


def _cosines(block: DocumentPostings, statistics: CollectionStatistics, length: float) -> tuple[Ints, Ints]:
    """Return the cosine of each document with the centroid, and of each posting's document without the posting.

    Both by the centroid's whole length, and in units of 1 / `_UNIT`.
    """
    tf = block.tf.astype(np.int64)
    products = statistics.cf[block.term] * tf
    # The exact sums over each document's postings.
    sums = (np.concatenate(([0], np.cumsum(values))) for values in (products, tf**2))
    dots, squares = (np.diff(of_all[block.bounds]) for of_all in sums)
    rest = _units(dots[block.document] - products, squares[block.document] - tf**2, length)
    return _units(dots, squares, length), rest


def _units(dots: Ints, squares: Ints, length: float) -> Ints:
    cosines = np.divide(dots, np.sqrt(squares) * length, out=np.zeros(len(dots)), where=squares > 0)
    return np.rint(cosines * _UNIT).astype(np.int64)
