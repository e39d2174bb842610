"""NCleaner's heuristics without its models, against navigation bars and blocks without words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.pages import Segments
from thresher.pages.marked_text import is_bar
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scorer, Scores

Mask = npt.NDArray[np.bool_]


class Bars(Scorer):
    """Decides against blocks of three or more short fields separated by `|`, and against those that hold no word."""

    name = "bars"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    unit = "decision"
    source = "Evert: A Lightweight and Efficient Tool for Cleaning Web Pages, LREC 2008, Table 2 (heuristics only)"

    def score(self, segments: Segments) -> Scores:
        """Return 0 for each bar and each block without a word, else 1."""
        scores = (segments.words_in_blocks > 0).astype(np.float32)
        scores[bars(segments)] = 0
        return scores


def bars(segments: Segments) -> Mask:
    """Return which blocks are three or more short fields separated by `|`; shape (blocks,)."""
    if "|" not in segments.text:
        return np.zeros(len(segments.block_ends), dtype=np.bool_)
    return np.array(["|" in block and is_bar(block) for block in segments.blocks])
