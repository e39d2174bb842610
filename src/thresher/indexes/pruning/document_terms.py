"""Methods that keep the terms that matter most in each document; and random postings, the baseline for all methods."""

from __future__ import annotations

from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from thresher.base.numbers import Floats
from thresher.cleaners.scorer import Parameter
from thresher.indexes.pruning.method import KEEP_ABOVE, PruningMethod, ShareMethod
from thresher.indexes.pruning.postings import BM25, CollectionStatistics, DocumentPostings, Hashes, bm25

_SHARES = "mle"


class DocumentCentric(ShareMethod):
    """Keeps the ⌈λ·n⌉ of a document's n terms that add most to the Kullback-Leibler divergence of the document's
    language model from the collection's, s(t,d) = p(t|d) · ln(p(t|d) / p(t|C)), with p(t|d) = tf / |d| and p(t|C) = cf
    / |C|. A hash of the term breaks ties.
    """

    name = "dcp"
    unit = "share of each document's terms"
    source = (
        "Büttcher, Clarke: A Document-Centric Approach to Static Index Pruning in Text Retrieval Systems, CIKM 2006, "
        "with a share of each document's terms"
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the share of the document's terms that have a higher score."""
        shares = postings.tf / postings.lengths[postings.document]
        # |d| · s(t,d), which has the same order within a document.
        values: Floats = np.log(shares / (statistics.cf[postings.term] / statistics.tokens)) * postings.tf
        return postings.rank(values, statistics.hashes) / postings.sizes[postings.document]


class TwoProportions(PruningMethod):
    """Keeps postings with Z >= ε in the two-sample two-proportion test of the term's share of the document against its share
    of the collection: Z = (p(t|d) - p(t|C)) / √(P · (1 - P) · (1/|d| + 1/|C|)), with p(t|d) = tf / |d|, p(t|C) = cf / |C| and
    P = (tf + cf) / (|d| + |C|). Z is 0 if document and collection have no other term.
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


class Nucleus(ShareMethod):
    """Keeps the smallest set of a document's heaviest terms with a share p of its mass. The Rényi divergence (order
    infinity) of the kept terms from the document is then at most ln(1 / p). A hash of the term breaks ties.
    """

    name = "nucleus"
    unit = "share of each document's mass"
    source = "Chen, Lee, Croft: On Divergence Measures and Static Index Pruning, ICTIR 2015 (Rényi divergence, order infinity)"
    parameters = (
        Parameter(
            "mass",
            str,
            _SHARES,
            "a term's weight: its share of the document's tokens, tf / |d| (mle), or of the sum of BM25 scores (bm25)",
            (_SHARES, BM25),
        ),
    )

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return the share of the mass of the document's terms that are heavier."""
        weights = postings.tf.astype(np.float64) if self.values["mass"] == _SHARES else bm25(postings, statistics)
        index = postings.bounds[postings.document] + postings.rank(weights, statistics.hashes)
        descending = np.empty(len(weights))
        descending[index] = weights
        shares = np.zeros(len(weights))
        # Document by document, so that rounding does not depend on earlier documents.
        for start, end in pairwise(postings.bounds.tolist()):
            sums = np.cumsum(descending[start:end])
            shares[start + 1 : end] = sums[:-1] / sums[-1:]
        # A share of 1 keeps all, however small the last weight.
        heavier: Floats = np.minimum(shares, np.nextafter(1, 0))[index]
        return heavier


class Random(ShareMethod):
    """Keeps each posting with the same probability, by a hash of seed, document and term."""

    name = "random"
    unit = "share of postings"
    source = (
        "this project's; mixing after Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014"
    )
    control = True
    parameters = (Parameter("seed", int, 0, "another seed draws other postings", low=0),)

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return a number of each posting, uniform in [0, 1)."""
        names = (f"{self.values['seed']} {id_}" for id_ in postings.ids)
        digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in names)
        documents = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
        mixed = _mix(documents[postings.document] ^ _mix(statistics.hashes)[postings.term])
        return (mixed >> np.uint64(11)).astype(np.float64) / 2**53


def _mix(values: Hashes) -> Hashes:
    """Map values one-to-one to values whose bits each depend on all bits of the original (the finaliser of
    SplitMix64).
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
