"""Full stops by words."""

from __future__ import annotations

import re

import numpy as np

from thresher.pages import Segments
from thresher.pages.plain import count_by_end
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scorer, Scores
from thresher.scorers.unspaced import words_or_estimate

# The dots of addresses and numbers are followed by a letter or digit; of several dots in a row the last one counts.
_FULL_STOP = re.compile(r"\.(?![\w.])|[。｡।۔።]")


class FullStops(Scorer):
    """Full stops of the block by its words; in scripts without spaces two letters count as a word.

    A full stop is a dot that no letter, digit or dot follows, or the full stop of another script.
    """

    name = "fullstops"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "full stops per word"
    low = 0
    grid = (0.01, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.08, 0.1)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the ratio of each block; 0 for a block without words."""
        stops = np.array([match.start() for match in _FULL_STOP.finditer(segments.text)], dtype=np.int64)
        words = words_or_estimate(segments)
        counts = count_by_end(stops, segments.block_ends)
        return np.where(words > 0, counts / np.maximum(words, 1), 0).astype(np.float32)
