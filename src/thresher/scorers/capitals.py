"""Words that begin in upper case."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.pages.plain import LETTER, count_by_end
from thresher.scorers.base import BLOCK, KEEP_LOW, Scorer, Scores


class Capitals(Scorer):
    """Share of the block's words whose first letter or digit is an upper-case letter; 0 in scripts without case."""

    name = "capitals"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "share of words"
    low, high = 0.0, 1.0
    grid = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the share of each block, in [0, 1]; 0 for a block without words."""
        starts = segments.word_starts
        letters = np.flatnonzero(segments.plain.classes & LETTER)
        # Quotes and brackets may come before a word's first letter.
        firsts = letters[np.searchsorted(letters, starts)].tolist()
        upper = np.array([segments.text[at].istitle() for at in firsts], dtype=np.bool_)
        counts = count_by_end(starts[upper], segments.block_ends)
        return (counts / np.maximum(segments.words_in_blocks, 1)).astype(np.float32)
