"""What a method of index pruning is: a number for each posting, and the cutoffs that keep it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from thresher.pages.plain import Ints
from thresher.pruning_methods.postings import CollectionStatistics, DocumentPostings, Flags, Floats, Postings
from thresher.scorers.base import Declared

KEEP_ABOVE, KEEP_SHARE = "keep above", "keep share"
TENTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class PruningMethod(Declared, ABC):
    """Assigns a number to each posting; the docstrings of subclasses have the formula.

    Attributes:
        keep: `KEEP_ABOVE` where a posting stays if its number >= cutoff; `KEEP_SHARE` where the cutoff is a share, above 0,
            and the number is the share before the posting in a ranking: it stays if its number < cutoff, so that 1 keeps all.
        control: whether it is there to be compared with, and not chosen.
    """

    keep: ClassVar[str]
    control: ClassVar[bool] = False

    def fit(self, postings: Postings) -> Any:  # noqa: ARG002, for subclasses
        """Return what the numbers need beyond the statistics, such as a threshold for each term; None if nothing.

        Args:
            postings: all; memory must not grow with them, but may with the terms.
        """
        return None

    @abstractmethod
    def scores(self, postings: DocumentPostings, statistics: CollectionStatistics, fitted: Any) -> Floats:
        """Return the number of each posting; shape (postings,).

        It must depend on the documents and the collection alone, not on which documents are in `postings`.

        Args:
            postings: of some documents.
            statistics: of the collection.
            fitted: what `fit` returned for the collection.
        """


class ShareMethod(PruningMethod):
    """A method of which cutoffs are shares, above 0, of what it ranks."""

    keep = KEEP_SHARE
    low, high = 0.0, 1.0
    grid = TENTHS


def kept(method: PruningMethod, scores: Floats, cutoff: float) -> Flags:
    """Return which postings stay at a cutoff."""
    return scores >= cutoff if method.keep == KEEP_ABOVE else scores < cutoff


def steps(method: PruningMethod, scores: Floats, cutoffs: Floats) -> Ints:
    """Return for each posting the index of the first cutoff that keeps it, `len(cutoffs)` if none does.

    Args:
        method: says which are kept.
        scores: of the postings.
        cutoffs: the strictest first: see `strictest_first`.
    """
    if method.keep == KEEP_ABOVE:
        return np.searchsorted(-cutoffs, -scores, side="left")
    return np.searchsorted(cutoffs, scores, side="right")


def strictest_first(method: PruningMethod, cutoffs: Floats) -> Floats:
    """Return different cutoffs, each of which keeps all that those before it keep."""
    ascending: Floats = np.unique(np.asarray(cutoffs, dtype=np.float64))
    return ascending[::-1] if method.keep == KEEP_ABOVE else ascending
