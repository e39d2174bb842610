"""jusText's decisions, on arrays with one entry a paragraph.

Source: Pomikalek, Removing Boilerplate and Duplicate Content from Web Corpora, 2011, and the description of the algorithm at
the authors' site. A class is a number: `BAD`, `SHORT`, `NEAR_GOOD` or `GOOD`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

Classes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BAD, SHORT, NEAR_GOOD, GOOD = range(4)
_GOOD = bytes((GOOD,))
_DOUBT = re.compile(b"[\1\2]+")
CLASS_NAMES = ("bad", "short", "near-good", "good")


@dataclass(frozen=True)
class Thresholds:
    """The parameters of the algorithm. Lengths and the distance are in characters, the others are shares from 0 to 1."""

    max_link_density: float = 0.2
    length_low: int = 70
    length_high: int = 200
    stopwords_low: float = 0.30
    stopwords_high: float = 0.32
    max_heading_distance: int = 200
    no_headings: bool = False


@dataclass(frozen=True)
class Features:
    """What is known of each paragraph, in the page's order.

    `lengths` are characters, `linked` those of them in A; `copyright` is whether a copyright sign is in it, `heading` whether
    it stands in H1 to H6.
    """

    lengths: Ints
    linked: Ints
    copyright: Mask
    heading: Mask


def depends_on_words(features: Features, limits: Thresholds) -> Mask:
    """Return whether a paragraph is long enough, and not bad already, so that stop words decide about it."""
    return (features.lengths >= limits.length_low) & ~_bad(features, limits)


def context_free(features: Features, stopwords: Floats, limits: Thresholds) -> Classes:
    """Return each paragraph's class by itself.

    Args:
        features: of the paragraphs.
        stopwords: the share of stop words among each paragraph's words, where `depends_on_words`.
        limits: the parameters.
    """
    long = features.lengths > limits.length_high
    many = np.where(long, GOOD, NEAR_GOOD)
    by_words = np.where(
        stopwords >= limits.stopwords_high, many, np.where(stopwords >= limits.stopwords_low, NEAR_GOOD, BAD)
    )
    unlinked = np.where(features.linked > 0, BAD, SHORT)
    classes = np.where(features.lengths < limits.length_low, unlinked, by_words)
    classes[_bad(features, limits)] = BAD
    return classes.astype(np.int8)


def _bad(features: Features, limits: Thresholds) -> Mask:
    bad: Mask = features.copyright | (features.linked > limits.max_link_density * features.lengths)
    return bad


def in_context(classes: Classes, features: Features, limits: Thresholds) -> Classes:
    """Return each paragraph's final class, `GOOD` or `BAD`, from those of `context_free`."""
    first = classes.tobytes()
    # Characters before each paragraph; a heading is near if not too many lie between its end and the next good one.
    before = [*accumulate(features.lengths.tolist(), initial=0)]

    def is_near_good(heading: int, among: bytes) -> bool:
        following = among.find(GOOD, heading + 1)
        return following >= 0 and before[following] - before[heading + 1] <= limits.max_heading_distance

    headings = [] if limits.no_headings else np.flatnonzero(features.heading & (classes != BAD)).tolist()
    revised = bytearray(first)
    for heading in headings:
        if first[heading] == SHORT and is_near_good(heading, first):
            revised[heading] = NEAR_GOOD
    final = without_doubt(bytes(revised))
    kept = bytearray(final)
    for heading in headings:
        # Not repeated for the headings that become good by it.
        if final[heading] == BAD and is_near_good(heading, final):
            kept[heading] = GOOD
    return np.frombuffer(kept, dtype=np.int8)


def without_doubt(classes: bytes) -> bytes:
    """Make what is short or near-good good or bad by what stands around it; the page's edges are bad.

    Between two alike it becomes like them. Between a good and a bad paragraph, the near-good one that is nearest to the bad
    one is the last that is good.
    """
    decided = bytearray(classes)
    fenced = bytes((BAD, *classes, BAD))
    for doubt in _DOUBT.finditer(fenced):
        begin, end = doubt.span()
        above, below, size = fenced[begin - 1 : begin], fenced[end : end + 1], end - begin
        turn = size
        if above != below:
            nearest = doubt[0].rfind(NEAR_GOOD) + 1 if above == _GOOD else doubt[0].find(NEAR_GOOD)
            turn = nearest if nearest >= 0 else size
        decided[begin - 1 : end - 1] = above * turn + below * (size - turn)
    return bytes(decided)
