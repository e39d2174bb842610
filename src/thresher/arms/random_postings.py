"""Postings at random: what other arms must be better than."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from thresher.arms.arm import ShareArm
from thresher.arms.postings import CollectionStatistics, DocumentPostings, Floats, Hashes
from thresher.scorers.base import Parameter


class Random(ShareArm):
    """Keeps each posting with the same probability, independently, as a hash of seed, document and term decides."""

    name = "random"
    unit = "share of postings"
    source = (
        "this project's; mixing after Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014"
    )
    control = True
    parameters = (Parameter("seed", int, 0, "another one draws other postings", low=0),)

    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:  # noqa: ARG002
        """Return a number of each posting, uniform in [0, 1)."""
        names = (f"{self.values['seed']} {id_}" for id_ in postings.ids)
        digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in names)
        documents = np.frombuffer(digests, dtype="<u8").astype(np.uint64)
        mixed = _mix(documents[postings.document] ^ _mix(statistics.hashes)[postings.term])
        numbers: Floats = (mixed >> np.uint64(11)).astype(np.float64) / 2**53
        return numbers


def _mix(values: Hashes) -> Hashes:
    """Return one-to-one images of the values in which every bit depends on all of theirs (the finalizer of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
