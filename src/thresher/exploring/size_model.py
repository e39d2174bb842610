"""How many bytes an index of known counts has, learnt from indexes that were built.

A sum of so much a document, posting, term and further occurrence, none negative, chosen for the least relative errors; times
what the indexes nearest in kind were off by that (Gaussian-process regression on the logarithms, as in Rasmussen and
Williams, "Gaussian Processes for Machine Learning", 2006, Eq. 2.25). Only indexes of one collection and one set of options
have a price in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.exploring.records import Size, SizeErrors
from thresher.exploring.similarity import Floats

FEWEST = 8
"""Of fewer indexes nothing is learnt."""

COUNTED_SHARE = 0.1
"""Errors are told of indexes with at least this share of the largest one's bytes."""

# Of headers and lists of fields in the files of any index.
_FIXED = 1700.0
# Ratios of counts that are e^2 apart have little to do with each other; the sum is off by 10 % before it is corrected; and
# files of the same counts differ by 0.3 %.
_DISTANCE, _OFF, _NOISE = 2.0, 0.1, 0.003


@dataclass(frozen=True)
class BuiltIndex:
    """An index that was built: what it holds, and its bytes."""

    size: Size
    bytes: int


class SizeModel:
    """Estimates bytes from counts.

    Args:
        built: at least one index with tokens.
    """

    def __init__(self, built: Sequence[BuiltIndex]) -> None:
        sizes = [index.size for index in built]
        held = np.array([index.bytes for index in built], dtype=np.float64)
        parts = _parts(sizes)
        # SciPy takes as long to load as a small collection to explore, and is of use only here.
        from scipy.optimize import nnls

        self._prices: Floats = nnls(parts / held[:, None], np.ones(len(built)))[0]
        self._places = _places(sizes)
        near = _likeness(self._places, self._places) + _NOISE**2 * np.eye(len(built))
        self._off: Floats = np.linalg.solve(near, np.log(held / (parts @ self._prices)))

    def bytes(self, size: Size) -> int:
        """Return the bytes of an index, 0 for one without tokens."""
        if not size.tokens:
            return 0
        correction = _likeness(_places([size]), self._places) @ self._off
        return round(float((_parts([size]) @ self._prices * np.exp(correction))[0]))


def fit(built: Sequence[BuiltIndex]) -> SizeModel | None:
    """Return what can be learnt from indexes of one collection and one set of options; None of fewer than `FEWEST`."""
    different = _different(built)
    return SizeModel(different) if len(different) >= FEWEST else None


def leave_one_out(built: Sequence[BuiltIndex]) -> SizeErrors | None:
    """Return the errors of estimates of each index from all others; None of fewer than `FEWEST` indexes."""
    different = _different(built)
    if len(different) < FEWEST:
        return None
    least = COUNTED_SHARE * max(index.bytes for index in different)
    errors = [
        abs(SizeModel(different[:place] + different[place + 1 :]).bytes(index.size) / index.bytes - 1)
        for place, index in enumerate(different)
        if index.bytes >= least
    ]
    return SizeErrors(len(errors), float(np.mean(errors)), max(errors))


def _different(built: Sequence[BuiltIndex]) -> list[BuiltIndex]:
    """Return the indexes with tokens, those of the same counts once: cutoffs may keep the same text."""
    return list({index.size: index for index in built if index.size.tokens}.values())


def _parts(sizes: Sequence[Size]) -> Floats:
    return np.array(
        [[_FIXED, size.documents, size.postings, size.vocabulary, size.tokens - size.postings] for size in sizes],
        dtype=np.float64,
    )


def _places(sizes: Sequence[Size]) -> Floats:
    """Return where indexes lie by kind: their size, and how often terms come in a document, in all documents, again."""
    ratios = [
        [
            size.postings,
            size.postings / size.documents,
            size.postings / max(size.vocabulary, 1),
            size.tokens / size.postings,
        ]
        for size in sizes
    ]
    found: Floats = np.log(np.array(ratios))
    return found


def _likeness(some: Floats, others: Floats) -> Floats:
    distances = ((some[:, None] - others[None]) ** 2).sum(axis=-1)
    found: Floats = _OFF**2 * np.exp(-distances / (2 * _DISTANCE**2))
    return found
