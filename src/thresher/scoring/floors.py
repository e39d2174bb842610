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

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.pages.plain import Ints
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scores
from thresher.scorers.cleaners import DROP, KEEP, Cut

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Layout:
    """The sentences of one or several pages.

    Args:
        blocks: for each sentence, the index of its block, never falling.
        words: of each sentence.
        headings: for each block, whether it is the title or a heading.
        pages: the first block of each page and, at the end, the number of blocks; shape (pages + 1,).
    """

    blocks: Ints
    words: Ints
    headings: Mask
    pages: Ints


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
    pages = np.repeat(np.arange(len(layout.pages) - 1), np.diff(layout.pages))
    headings, words = layout.headings, layout.words * kept_before
    by_block = cut.scorer.segment == BLOCK
    if by_block:
        words = np.bincount(layout.blocks, weights=words, minlength=len(headings)).astype(np.int64)
    else:
        pages, headings = pages[layout.blocks], headings[layout.blocks]
    # Sorting is stable, and NaN sorts last.
    worst_last = -scores if cut.scorer.keep == KEEP_HIGH else scores
    dropped = headings & (cut.headings == DROP)
    words = np.where(dropped, 0, words)
    keys = [worst_last, ~(headings & (cut.headings == KEEP)), pages]
    order = np.lexsort([-words, *keys] if cut.scorer.decides else keys)
    before = np.concatenate(([0], np.cumsum(words[order])))[:-1]
    # Pages are in their order, so that words before a page are those before its first segment.
    first = np.searchsorted(pages, pages)
    held = np.zeros(len(order), dtype=np.bool_)
    held[order] = before - before[first] < cut.floor
    held &= ~dropped
    return held[layout.blocks] if by_block else held
