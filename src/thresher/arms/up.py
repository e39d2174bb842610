"""Uniform pruning: one threshold on the score of every posting."""

from __future__ import annotations

from typing import Any

from thresher.arms.arm import KEEP_ABOVE, Arm
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats
from thresher.arms.term_scores import MODEL, term_scores


class Uniform(Arm):
    """Keeps the postings that add at least ε to their document's score: A(t,d) >= ε."""

    name = "up"
    keep = KEEP_ABOVE
    unit = "score"
    grid = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
    source = "Carmel et al.: Static Index Pruning for Information Retrieval Systems, SIGIR 2001 (uniform pruning)"
    parameters = (MODEL,)

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the score of each posting."""
        return term_scores(postings, statistics, self.values["model"])
