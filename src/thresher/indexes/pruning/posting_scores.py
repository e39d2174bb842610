"""Methods that keep the postings with high scores, against one threshold or the best of their term."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats
from thresher.cleaners.scorer import Parameter
from thresher.indexes.pruning.method import KEEP_ABOVE, TENTHS, PruningMethod
from thresher.indexes.pruning.postings import MODEL, CollectionStatistics, DocumentPostings, Postings, term_scores

_COLLECTION = 0.6
"""The weight of p(t|C) in p(t|d,r)."""


class Uniform(PruningMethod):
    """Keeps postings that add at least ε to their document's score: A(t,d) >= ε."""

    name = "up"
    keep = KEEP_ABOVE
    unit = "score"
    grid = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
    source = "Carmel et al.: Static Index Pruning for Information Retrieval Systems, SIGIR 2001 (uniform pruning)"
    parameters = (MODEL,)

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the score of each posting."""
        return term_scores(postings, statistics, self.values["model"])


class Gain(PruningMethod):
    """Keeps postings with g(t,d) = tf · ln(p(t|d) / p(t|C)) · (mean / |d|)^alpha >= ε: the gain in log-likelihood of the
    term's occurrences under the document's model against the collection's, with p(t|d) = tf / |d|, p(t|C) = cf / |C| and
    the mean document length. alpha = 1 is dcp's criterion with one threshold for the index; a smaller alpha keeps more of
    long documents. The ⌈floor · √n⌉ best of a document's n terms always stay.
    """

    name = "gain"
    keep = KEEP_ABOVE
    unit = "nats"
    grid = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
    source = "this project's: the divergence of Büttcher, Clarke (CIKM 2006) against one threshold as in Carmel et al. (2001)"
    parameters = (
        Parameter("alpha", float, 0.2, "exponent of a document's length against its postings", low=0, high=1),
        Parameter(
            "floor",
            float,
            0.0,
            "terms of each document that stay at any cutoff, as a multiple of √n of its n terms",
            low=0,
        ),
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return g(t,d), infinite for the terms that always stay."""
        lengths = postings.lengths[postings.document]
        background = statistics.cf[postings.term] / statistics.tokens
        likelihood = postings.tf * np.log(postings.tf / lengths / background)
        gains: Floats = likelihood * (statistics.mean_length / lengths) ** float(self.values["alpha"])
        floor = float(self.values["floor"])
        if not floor:
            return gains
        always = np.ceil(floor * np.sqrt(postings.sizes))[postings.document]
        return np.where(postings.rank(gains, statistics.hashes) < always, np.inf, gains)


class TermCentric(PruningMethod):
    """Keeps postings with A(t,d) >= ε·z_t, where z_t is the k-th highest A(t,d) of the term. Terms of at most k documents
    stay whole. Scores below 0, possible with model=qld, count as 0, and these postings leave first.
    """

    name = "tcp"
    keep = KEEP_ABOVE
    unit = "share of the k-th best score"
    low, high = 0.0, 1.0
    grid = TENTHS
    source = "Carmel et al.: Static Index Pruning for Information Retrieval Systems, SIGIR 2001 (term-based, top k)"
    parameters = (
        Parameter("k", int, 10, "rank of the term's score that its other scores are compared with", low=1),
        MODEL,
    )

    def fit(self, postings: Postings) -> Floats:
        """Return z_t by term number, 0 for terms of at most k documents; memory grows with k and the other terms."""
        k = int(self.values["k"])
        statistics = postings.statistics
        frequent = np.flatnonzero(statistics.df > k)
        row = np.full(len(statistics.df), -1, dtype=np.int64)
        row[frequent] = np.arange(len(frequent))
        best = np.zeros((len(frequent), k))
        for block in postings.blocks():
            rows = row[block.term]
            scores = self._scores(block, statistics)
            candidates = np.flatnonzero(rows >= 0)
            candidates = candidates[scores[candidates] > best[rows[candidates], 0]]
            _update(best, rows[candidates], scores[candidates])
        thresholds = np.zeros(len(statistics.df))
        thresholds[frequent] = best[:, 0]
        return thresholds

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Floats) -> Floats:
        """Return A(t,d) / z_t, infinite for terms that are kept whole."""
        scores, best = self._scores(postings, statistics), fitted[postings.term]
        # If fewer than k scores are above 0, z_t is 0 and all of them stay.
        shares = np.where(scores > 0, np.inf, 0.0)
        np.divide(scores, best, out=shares, where=best > 0)
        whole = statistics.df[postings.term] <= int(self.values["k"])
        return np.where(whole, np.inf, shares)

    def _scores(self, postings: DocumentPostings, statistics: CollectionStatistics) -> Floats:
        return np.maximum(term_scores(postings, statistics, self.values["model"]), 0)


def _update(best: Floats, rows: npt.NDArray[np.int64], scores: Floats) -> None:
    """Put scores into their rows of `best`, which hold the highest so far in ascending order."""
    k = best.shape[1]
    order = np.lexsort((-scores, rows))
    rows, scores = rows[order], scores[order]
    touched, starts, counts = np.unique(rows, return_index=True, return_counts=True)
    rank = np.arange(len(rows)) - np.repeat(starts, counts)
    among = rank < k
    merged = np.zeros((len(touched), 2 * k))
    merged[:, :k] = best[touched]
    merged[np.searchsorted(touched, rows[among]), k + rank[among]] = scores[among]
    merged.sort(axis=1)
    best[touched] = merged[:, k:]


class ProbabilityRanking(PruningMethod):
    """Keeps postings whose odds of relevance to the query t are at least ε:
    p(t|d,r) / p(t|r̄) · p(r|d) / (1 - p(r|d)), with p(t|d,r) = 0.4 · tf / |d| + 0.6 · p(t|C), p(t|r̄) = p(t|C) = cf / |C| and
    p(r|d) = 1/2 + tanh((|d| - mean) / deviation) / 10 of document lengths; 1/2 if all lengths are equal.
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
        return ratios * odds[postings.document]
