"""Pruning by the probability ranking principle: the odds that the document is relevant to the term as a query."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.arms.arm import KEEP_ABOVE, Arm
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats

_COLLECTION = 0.6
"""The weight of p(t|C) in p(t|d,r)."""


class ProbabilityRanking(Arm):
    """Keeps the postings whose odds of relevance to the query t are at least ε:
    p(t|d,r) / p(t|r̄) · p(r|d) / (1 - p(r|d)), with p(t|d,r) = 0.4 · tf / |d| + 0.6 · p(t|C), p(t|r̄) = p(t|C) = cf / |C| and
    p(r|d) = 1/2 + tanh((|d| - mean) / deviation) / 10 of document lengths; 1/2 if all are of one length.
    """

    name = "prp"
    keep = KEEP_ABOVE
    unit = "odds"
    low = 0.0
    grid = (0.5, 0.7, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    source = "Blanco, Barreiro: Probabilistic Static Pruning of Inverted Files, ACM TOIS 28(1), 2010"

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the odds of each posting."""
        deviation = statistics.length_deviation
        offsets = (postings.lengths - statistics.mean_length) / deviation if deviation else np.zeros(len(postings.ids))
        priors = 0.5 + np.tanh(offsets) / 10
        odds = priors / (1 - priors)
        shares = postings.tf / postings.lengths[postings.document]
        background = statistics.cf[postings.term] / statistics.tokens
        ratios = (1 - _COLLECTION) * (shares / background) + _COLLECTION
        scores: Floats = ratios * odds[postings.document]
        return scores
