"""Document-centric pruning: the terms of a document in which it differs most from the collection."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.arms.arm import ShareArm
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats


class DocumentCentric(ShareArm):
    """Keeps of each document of n different terms the ⌈λ·n⌉ that contribute most to the Kullback-Leibler divergence between
    the document's language model and the collection's: s(t,d) = p(t|d) · ln(p(t|d) / p(t|C)), with p(t|d) = tf / |d| and
    p(t|C) = cf / |C|. Ties are broken by a hash of the term.
    """

    name = "dcp"
    unit = "share of each document's terms"
    source = (
        "Büttcher, Clarke: A Document-Centric Approach to Static Index Pruning in Text Retrieval Systems, CIKM 2006, "
        "with a share of each document's terms"
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the share of the document's terms that are better."""
        shares = postings.tf / postings.lengths[postings.document]
        # |d| · s(t,d), which has the same order within a document.
        values: Floats = np.log(shares / (statistics.cf[postings.term] / statistics.tokens)) * postings.tf
        better: Floats = postings.rank(values, statistics.hashes) / postings.sizes[postings.document]
        return better
