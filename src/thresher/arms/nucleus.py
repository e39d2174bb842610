"""Nucleus pruning: the heaviest terms of a document, up to a share of its mass."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from thresher.arms.arm import ShareArm
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats
from thresher.arms.term_scores import BM25, bm25
from thresher.scorers.base import Parameter

_SHARES = "mle"


class Nucleus(ShareArm):
    """Keeps of each document the smallest set of its heaviest terms that has a share p of its mass. The Rényi divergence of
    order infinity of what is left from the whole is the logarithm of 1 / the mass kept, so at most ln(1 / p). Ties are
    broken by a hash of the term.
    """

    name = "nucleus"
    unit = "share of each document's mass"
    source = "Chen, Lee, Croft: On Divergence Measures and Static Index Pruning, ICTIR 2015 (Rényi divergence, order infinity)"
    parameters = (
        Parameter(
            "mass",
            str,
            _SHARES,
            "what a term weighs in a document: its share of the tokens, tf / |d| (mle), or its BM25 score by their sum (bm25)",
            (_SHARES, BM25),
        ),
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the share of the mass of the document's terms that are heavier."""
        weights = postings.tf.astype(np.float64) if self.values["mass"] == _SHARES else bm25(postings, statistics)
        place = postings.bounds[postings.document] + postings.rank(weights, statistics.hashes)
        descending = np.empty(len(weights))
        descending[place] = weights
        shares = np.zeros(len(weights))
        # One document after the other, so that rounding does not depend on those before.
        for start, end in pairwise(postings.bounds.tolist()):
            sums = np.cumsum(descending[start:end])
            shares[start + 1 : end] = sums[:-1] / sums[-1:]
        # A share of 1 keeps all, however small the last weight.
        heavier: Floats = np.minimum(shares, np.nextafter(1, 0))[place]
        return heavier
