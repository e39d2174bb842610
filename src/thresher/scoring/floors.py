"""The floor of a cut: the best segments of each page, which stay whatever the cutoff.

Let K be what a cut keeps of a page, with headings if it keeps them. If K has fewer than W words, the other segments are added
in the order of their scores, best first, until W words are kept or no segment is left. Ties are in the document's order. All
that a scorer drops by its own decision are ties: of these, the segments with the most words come first.

K need not be known. Take all segments, without headings if they are dropped, in one order: headings if they are kept, then by
score, then as ties are. K is the beginning of this order, whatever the cutoff: it has all headings and, with a score, all
better ones. Let F be the shortest beginning with at least W words, or the whole page if it has fewer. Of two beginnings of one
order, one holds the other. If K has fewer than W words, F holds K and is what adding segments leads to; otherwise K holds F.
So what is kept is K ∪ F, and F does not depend on the cutoff: since a laxer cutoff's K holds a stricter one's, so does what
they keep with a floor.
"""

from __future__ import annotations

import numpy as np

from thresher.scorers.base import BLOCK, Scores
from thresher.scorers.cleaners import Cut
from thresher.scoring.best_first import Layout, Mask, best_first


def held_by_floor(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> Mask:
    """Return which sentences the floor of a cut holds: F, as this module defines it; none for a floor of 0.

    Args:
        cut: its cutoff does not matter.
        scores: one per block or sentence, as the cut's scorer scores.
        layout: of the sentences.
        kept_before: for each sentence, whether the cuts before this keep it; only words of such sentences are counted.
    """
    if not cut.floor:
        return np.zeros(len(layout.blocks), dtype=np.bool_)
    order = best_first(cut, scores, layout, kept_before)
    held = (order.before < cut.floor) & ~order.dropped
    return held[layout.blocks] if cut.scorer.segment == BLOCK else held
