"""Methods of index pruning: a number for each posting, and the cutoffs that keep it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from thresher.base.numbers import Floats, Ints
from thresher.cleaners.scorer import Declared
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings, Mask, Postings

KEEP_ABOVE = "keep above"
KEEP_SHARE = "keep share"
TENTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class PruningMethod(Declared, ABC):
    """Assigns a number to each posting by the formula in the subclass's docstring.

    Attributes:
        keep: `KEEP_ABOVE`: postings with a number >= cutoff are kept. `KEEP_SHARE`: postings are ranked and the first share
            `cutoff` is kept; the number is the share that ranks before the posting, and is kept if < cutoff.
        control: whether the method is only a baseline for other methods, never to be chosen.
    """

    keep: ClassVar[str]
    control: ClassVar[bool] = False

    def fit(self, postings: Postings) -> Any:  # noqa: ARG002, for subclasses
        """Return further inputs of `scores`, such as a threshold for each term; None if the statistics suffice.

        Memory may grow with the terms, but not with the postings.
        """
        return None

    @abstractmethod
    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:
        """Return the number of each posting; shape (postings,).

        A document's numbers must not depend on the other documents in `postings`. `fitted` is the value that `fit` returned
        for the collection.
        """


class ShareMethod(PruningMethod):
    """A method that ranks postings; its cutoffs are shares above 0."""

    keep = KEEP_SHARE
    low, high = 0.0, 1.0
    grid = TENTHS


def kept_postings(method: PruningMethod, scores: Floats, cutoff: float) -> Mask:
    """Return which postings stay at a cutoff; shape (postings,)."""
    if method.keep == KEEP_ABOVE:
        return scores >= cutoff
    return scores < cutoff


def steps(method: PruningMethod, scores: Floats, cutoffs: Floats) -> Ints:
    """Return for each posting the index of the first cutoff that keeps it, `len(cutoffs)` if none does.

    Cutoffs are in the order of `strictest_first`.
    """
    if method.keep == KEEP_ABOVE:
        return np.searchsorted(-cutoffs, -scores, side="left")
    return np.searchsorted(cutoffs, scores, side="right")


def strictest_first(method: PruningMethod, cutoffs: Floats) -> Floats:
    """Return the distinct cutoffs, ordered so that each keeps all postings that the cutoffs before it keep."""
    ascending: Floats = np.unique(np.asarray(cutoffs, dtype=np.float64))
    if method.keep == KEEP_ABOVE:
        return ascending[::-1]
    return ascending
