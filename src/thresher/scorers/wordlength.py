"""Average word length."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.scorers.base import BLOCK, KEEP_LOW, Scorer, Scores


class WordLength(Scorer):
    """Mean number of characters of the block's words, their punctuation included."""

    name = "wordlength"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "characters per word"
    needs_spaces = True
    low = 0
    grid = (4, 4.25, 4.5, 4.75, 5, 5.25, 5.5, 5.75, 6, 6.5, 7, 8, 10)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3"
    )

    def score(self, segments: Segments) -> Scores:
        """Return the mean of each block; 0 for a block without words."""
        starts, ends = segments.word_starts, np.append(segments.spaces, len(segments.text))
        lengths = ends[np.searchsorted(ends, starts)] - starts
        blocks = np.searchsorted(segments.block_ends, starts, side="right")
        characters = np.bincount(blocks, lengths, len(segments.block_ends))
        return (characters / np.maximum(segments.words_in_blocks, 1)).astype(np.float32)
