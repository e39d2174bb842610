"""Pruning of whole terms, by how they are distributed over documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.base.numbers import Floats
from thresher.indexes.pruning.method import KEEP_ABOVE, PruningMethod
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings


class DocumentFrequency(PruningMethod):
    """Keeps all postings of terms with an inverse document frequency of at least ε: idf(t) = ln(N / df)."""

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
    """Keeps all postings of terms with a residual idf of at least ε: ridf(t) = ln(N / df) + ln(1 - exp(-cf / N)), the
    idf minus the idf of a term whose occurrences are spread at random.
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
