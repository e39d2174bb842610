"""The segments of each page, best first: what floors and quotas take from the beginning of.

The order of a page's segments: kept headings (`headings=keep`) come first, then better scores; NaN is the worst. Ties are in
the document's order; of scorers that decide, all of whose scores are ties, segments with more words come first. Dropped
headings (`headings=drop`) have no words.

**Floors** are the best segments of each page, which stay whatever the cutoff.

Let K be what a cut keeps of a page, with headings if it keeps them. If K has fewer than W words, the other segments are added
in the order of their scores, best first, until W words are kept or no segment is left. Ties are in the document's order. All
that a scorer drops by its own decision are ties: of these, the segments with the most words come first.

K need not be known. Take all segments, without headings if they are dropped, in one order: headings if they are kept, then by
score, then as ties are. K is the beginning of this order, whatever the cutoff: it has all headings and, with a score, all
better ones. Let F be the shortest beginning with at least W words, or the whole page if it has fewer. Of two beginnings of one
order, one holds the other. If K has fewer than W words, F holds K and is what adding segments leads to; otherwise K holds F.
So what is kept is K ∪ F, and F does not depend on the cutoff: since a laxer cutoff's K holds a stricter one's, so does what
they keep with a floor.

**Quotas** take of each page the best-scored segments, up to a percentage of its words.

`words@doc50` takes a page's segments in that order until at least 50 % of its words are kept: the segment that reaches the
quota is kept whole. So a segment has one number, the per cent of the page's words that come before it, and is kept if this
number is below the quota. Larger quotas keep all that smaller ones do.

- A page's words are those that the cuts before this keep, without the headings that it drops. Kept headings come first: they
  use up the quota, and stay beyond it.
- What no number as a cutoff keeps, no quota does: NaN, and the infinity at the bad end of the scores. Its words count.
- `doc100` keeps all the rest, also what has no words and comes last. A page without words stays whole at any quota. So no
  quota empties a page on which a segment can be kept.
- A floor works as for any cutoff.

The numbers are exact: a quotient is rounded as a quota's decimals are, so 70 % of ten words are seven.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.pages.plain import Ints
from thresher.scorers.base import BLOCK, KEEP_HIGH, Scores
from thresher.scorers.cleaners import DROP, KEEP, Cut

Mask = npt.NDArray[np.bool_]
Shares = npt.NDArray[np.float64]
# What comes after all words of its page is kept at 100 % alone.
_LAST = np.nextafter(100.0, 0.0)


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


def shares_before(cut: Cut, scores: Scores, layout: Layout, kept_before: Mask) -> Shares:
    """Return for each sentence the per cent of its page's words that come before it, or before its block if blocks are scored.

    Below 100; infinite for what no quota keeps. Dropped headings are not marked.

    Args:
        cut: its cutoff does not matter.
        scores: one per block or sentence, as the cut's scorer scores.
        layout: of the sentences.
        kept_before: for each sentence, whether the cuts before this keep it; only words of such sentences are counted.
    """
    order = best_first(cut, scores, layout, kept_before)
    # A page without words has 0 / 1.
    shares = np.minimum(100 * order.before / np.maximum(order.all_words, 1), _LAST)
    shares[~(order.bad < np.inf)] = np.inf
    return shares[layout.blocks] if cut.scorer.segment == BLOCK else shares
