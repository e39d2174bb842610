"""Word counts."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scorer, Scores


class Words(Scorer):
    """Number of words in the block. A word is a white-space token with a letter, digit or combining mark."""

    name = "words"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "words"
    needs_spaces = True
    low = 0
    grid = tuple(range(1, 101))
    source = "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3"

    def score(self, segments: Segments) -> Scores:
        """Return the number of words of each block."""
        return segments.words_in_blocks.astype(np.float32)
