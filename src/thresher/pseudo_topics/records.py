"""What is asked of pseudo-topics, and what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.pseudo_topics.store import Numbers, Truths

TITLES, ANCHORS = "titles", "anchors"
SOURCES = (TITLES, ANCHORS)
"""What topics are made from."""


@dataclass(frozen=True)
class PseudoOptions:
    """Which topics to make.

    Attributes:
        sources: some of `SOURCES`.
        topics: how many at most, of all sources together.
        seed: chooses the sample.
        stop_list: the language whose stop words don't count when a text's length is judged, such as `English`.
    """

    sources: tuple[str, ...] = SOURCES
    topics: int = 500
    seed: int = 0
    stop_list: str = "English"


DEFAULT_OPTIONS = PseudoOptions()


@dataclass(frozen=True)
class PseudoTopic:
    """A known-item topic: its id, its query, what it was made from, and the documents that are the item.

    These are one page, or several documents with one address.
    """

    id: str
    query: str
    source: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Made:
    """The topics, and what became of all that was looked at: counts by reason, by what was looked at.

    In each of `counts` the first number is the sum of all the others.
    """

    topics: tuple[PseudoTopic, ...]
    counts: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Candidates:
    """Pages by their keys, each once, and the number of the text that is to find each."""

    keys: Numbers
    hashes: Numbers

    def take(self, which: Truths) -> Candidates:
        """Return some of them."""
        return Candidates(self.keys[which], self.hashes[which])


def best_of_each(keys: Numbers, hashes: Numbers, votes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each key the place of its text with the most votes; of equals the smallest hash, as good as drawn by lot."""
    order = np.lexsort((hashes, -votes, keys))
    return order[np.unique(keys[order], return_index=True)[1]]


def sample(candidates: Candidates, most: int, seed: int) -> Candidates:
    """Return at most so many candidates, drawn by lot: each page has the same chance, and no other page changes its lot."""
    lots = np.array(
        [
            int.from_bytes(hashlib.blake2b(f"{seed} {key}".encode(), digest_size=8).digest())
            for key in candidates.keys.tolist()
        ],
        dtype=np.uint64,
    )
    chosen = np.zeros(len(lots), dtype=np.bool_)
    chosen[np.lexsort((candidates.keys, lots))[:most]] = True
    return candidates.take(chosen)


def shares(sizes: list[int], most: int) -> list[int]:
    """Split `most` evenly over sources that have `sizes` candidates; what one can't use the next may, the first have the rest.

    >>> shares([10, 1], 5), shares([10, 10], 5)
    ([4, 1], [3, 2])
    """
    found = [0] * len(sizes)
    left = min(most, sum(sizes))
    while left:
        for place, size in enumerate(sizes):
            if left and found[place] < size:
                found[place] += 1
                left -= 1
    return found
