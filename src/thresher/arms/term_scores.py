"""What a posting adds to its document's score under the retrieval models, by which some arms rank postings."""

from __future__ import annotations

import numpy as np

from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats
from thresher.defaults import BM25_B, BM25_K1, QLD_MU
from thresher.scorers.base import Parameter, Value

BM25, QLD = "bm25", "qld"
MODEL = Parameter(
    "model", str, BM25, "the retrieval model that scores postings, with its default parameters", (BM25, QLD)
)


def term_scores(postings: DocumentPostings, statistics: CollectionStatistics, model: Value) -> Floats:
    """Return the score of each posting, A(t,d); shape (postings,).

    Args:
        postings: of some documents.
        statistics: of the collection.
        model: `BM25` or `QLD`.
    """
    return (bm25 if model == BM25 else qld)(postings, statistics)


def bm25(postings: DocumentPostings, statistics: CollectionStatistics) -> Floats:
    """Return Lucene's BM25 with exact document lengths; above 0.

    A(t,d) = ln(1 + (N - df + 0.5) / (df + 0.5)) · tf / (tf + k1 · (1 - b + b · |d| / mean)). Robertson et al.: Okapi at
    TREC-3, 1994, without the constant factor k1 + 1 and with 1 added in the logarithm, as in Lucene.
    """
    frequencies = statistics.df.astype(np.float64)
    idf = np.log1p((statistics.documents - frequencies + 0.5) / (frequencies + 0.5))
    norms = BM25_K1 * (1 - BM25_B + BM25_B * (postings.lengths / max(statistics.mean_length, 1e-300)))
    scores: Floats = idf[postings.term] * (postings.tf / (postings.tf + norms[postings.document]))
    return scores


def qld(postings: DocumentPostings, statistics: CollectionStatistics) -> Floats:
    """Return query likelihood with Dirichlet smoothing; below 0 for terms that are rarer than in the collection.

    A(t,d) = ln(1 + tf / (µ · p(t|C))) + ln(µ / (µ + |d|)), the logarithm of the smoothed p(t|d) by p(t|C). Zhai, Lafferty:
    A Study of Smoothing Methods for Language Models Applied to Information Retrieval, ACM TOIS 22(2), 2004. Lucene's
    score is 0 where this is below, and has p(t|C) = (cf + 1) / (|C| + 1).
    """
    shares = statistics.cf / max(statistics.tokens, 1)
    lengths = np.log1p(postings.lengths / QLD_MU)
    scores: Floats = np.log1p(postings.tf / (QLD_MU * shares[postings.term])) - lengths[postings.document]
    return scores
