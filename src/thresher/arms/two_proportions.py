"""Pruning by a statistical test: the terms that a document has significantly more often than the collection."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.arms.arm import KEEP_ABOVE, Arm
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats


class TwoProportions(Arm):
    """Keeps the postings with Z >= ε in the two-sample two-proportion test of the term's share of the document against its
    share of the collection: Z = (p(t|d) - p(t|C)) / √(P · (1 - P) · (1/|d| + 1/|C|)), with p(t|d) = tf / |d|,
    p(t|C) = cf / |C| and P = (tf + cf) / (|d| + |C|). Z is 0 if the document and the collection are of that term alone.
    """

    name = "2n2p"
    keep = KEEP_ABOVE
    unit = "Z"
    grid = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 40.0)
    source = (
        "Thota, Carterette: Within-Document Term-Based Index Pruning with Statistical Hypothesis Testing, ECIR 2011"
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return Z of each posting."""
        lengths, cf = postings.lengths[postings.document], statistics.cf[postings.term]
        pooled = (postings.tf + cf) / (lengths + statistics.tokens)
        variance = pooled * (1 - pooled) * ((lengths + statistics.tokens) / (lengths * statistics.tokens))
        difference = postings.tf / lengths - cf / statistics.tokens
        return np.divide(difference, np.sqrt(variance), out=np.zeros(len(difference)), where=variance > 0)
