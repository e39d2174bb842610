"""Quotas: of each page the best-scored segments, up to a percentage of its words.

`words@doc50` takes a page's segments best first, in the order of `thresher.scoring.best_first`, until at least 50 % of its
words are kept: the segment that reaches the quota is kept whole. So a segment has one number, the per cent of the page's words
that come before it, and is kept if this number is below the quota. Larger quotas keep all that smaller ones do.

- A page's words are those that the cuts before this keep, without the headings that it drops. Kept headings come first: they
  use up the quota, and stay beyond it.
- What no number as a cutoff keeps, no quota does: NaN, and the infinity at the bad end of the scores. Its words count.
- `doc100` keeps all the rest, also what has no words and comes last. A page without words stays whole at any quota. So no
  quota empties a page on which a segment can be kept.
- A floor works as for any cutoff: see `thresher.scoring.floors`.

The numbers are exact: a quotient is rounded as a quota's decimals are, so 70 % of ten words are seven.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.scorers.base import BLOCK, Scores
from thresher.scorers.cleaners import Cut
from thresher.scoring.best_first import Layout, Mask, best_first

Shares = npt.NDArray[np.float64]

# What comes after all words of its page is kept at 100 % alone.
_LAST = np.nextafter(100.0, 0.0)


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
