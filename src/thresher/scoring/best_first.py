"""The segments of each page, best first: what floors and quotas take from the beginning of.

The order of a page's segments: kept headings (`headings=keep`) come first, then better scores; NaN is the worst. Ties are in
the document's order; of scorers that decide, all of whose scores are ties, segments with more words come first. Dropped
headings (`headings=drop`) have no words.
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


@dataclass(frozen=True)
class BestFirst:
    """The blocks or sentences that a cut scores, in the document's order; all arrays have one entry for each.

    Args:
        before: words of the segments of the same page that come before it, best first.
        all_words: of its page.
        dropped: whether it is a heading that the cut drops.
        bad: scores with the best lowest.
    """

    before: Ints
    all_words: Ints
    dropped: Mask
    bad: Scores


def best_first(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> BestFirst:
    """Return the words before each segment in the order that this module defines.

    Args:
        cut: its cutoff does not matter.
        scores: one per block or sentence, as the cut's scorer scores.
        layout: of the sentences.
        kept_before: for each sentence, whether the cuts before this keep it; only words of such sentences are counted.
    """
    pages = np.repeat(np.arange(len(layout.pages) - 1), np.diff(layout.pages))
    headings, words = layout.headings, layout.words * kept_before
    if cut.scorer.segment == BLOCK:
        words = np.bincount(layout.blocks, weights=words, minlength=len(headings)).astype(np.int64)
    else:
        pages, headings = pages[layout.blocks], headings[layout.blocks]
    # Sorting is stable, and NaN sorts last.
    bad = -scores if cut.scorer.keep == KEEP_HIGH else scores
    dropped = headings & (cut.headings == DROP)
    words = np.where(dropped, 0, words)
    keys = [bad, ~(headings & (cut.headings == KEEP)), pages]
    order = np.lexsort([-words, *keys] if cut.scorer.decides else keys)
    reached = np.concatenate(([0], np.cumsum(words[order])))
    # Pages are in their order, so that words before a page are those before its first segment.
    first, after = np.searchsorted(pages, pages), np.searchsorted(pages, pages, side="right")
    before = np.empty(len(order), dtype=np.int64)
    before[order] = reached[:-1]
    return BestFirst(before - reached[first], reached[after] - reached[first], dropped, bad)
