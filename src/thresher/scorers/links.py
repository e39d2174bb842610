"""Link density."""

from __future__ import annotations

import numpy as np

from thresher.pages import Detail, Segments
from thresher.scorers.base import BLOCK, KEEP_LOW, Scorer, Scores
from thresher.scorers.boilerpipe import Floats, Mask, link_densities
from thresher.scorers.density import COUNT, WORDS
from thresher.scorers.unspaced import unspaced_words


class Links(Scorer):
    """Share of the block's words (or tokens) that are linked; in scripts without spaces, of its characters."""

    name = "links"
    segment = BLOCK
    keep = KEEP_LOW
    detail = Detail.TAGS
    unit = "share of words"
    low, high = 0.0, 1.0
    grid = (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.33, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3 and "
        "Table 2 (@0.33)"
    )
    parameters = (COUNT,)

    def score(self, segments: Segments) -> Scores:
        """Return the share of each block, in [0, 1]; 0 for a block without words."""
        return linked_shares(segments, unspaced_words(segments) > 0, str(self.values["count"])).astype(np.float32)


def linked_shares(segments: Segments, unspaced: Mask, count: str = WORDS) -> Floats:
    """Return the share of each block's words or tokens that are linked, of its characters where `unspaced`; shape (blocks,).

    The page must have been read with its marks.
    """
    shares = link_densities(segments, count)
    if unspaced.any():
        lengths = np.diff(segments.block_ends, prepend=0)
        # All blocks but the last end with a line feed.
        lengths[:-1] -= 1
        shares = np.where(unspaced, segments.linked_characters_in_blocks / lengths, shares)
    return shares
