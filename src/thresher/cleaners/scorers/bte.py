"""Body Text Extraction: the span of a page with the most words inside and tags outside."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.base.numbers import Ints
from thresher.cleaners.scorer import BLOCK, KEEP_HIGH, Scorer, Scores
from thresher.pages import Detail, Segments


class BodyText(Scorer):
    """Keeps the span of blocks with the most words inside it and tags outside it."""

    name = "bte"
    segment = BLOCK
    keep = KEEP_HIGH
    decides = True
    detail = Detail.TAGS
    unit = "decision"
    source = (
        "Finn, Kushmerick, Smyth: Fact or fiction: Content classification for digital libraries, DELOS workshop 2001"
    )

    def score(self, segments: Segments) -> Scores:
        """Return 1 for each block inside the best span, else 0."""
        scores = np.zeros(len(segments.block_ends), dtype=np.float32)
        if len(scores):
            marks = segments.marks
            span = best_span(segments.words_in_blocks - marks.tags_inside, marks.tags_before)
            scores[span.first : span.last + 1] = 1
        return scores


class BlockSpan(NamedTuple):
    """The first and the last block of a span."""

    first: int
    last: int


def best_span(gains: Ints, gaps: Ints) -> BlockSpan:
    """Return the span with the largest sum of gains less the gaps between them.

    This is the maximum subarray, in linear time. The most words inside and tags outside are the most words less tags inside,
    since all tags of a page are inside or outside. The widest of equal spans is taken, and the first of equally wide spans.

    Args:
        gains: each block's words less its tags; shape (blocks,), at least one.
        gaps: the tags before each block; shape (blocks,).
    """
    # A span's sum is the running total at its last block less the running total before its first block.
    totals = np.cumsum(gains - gaps)
    starts = gaps - np.concatenate(([0], totals[:-1]))
    best_starts = np.maximum.accumulate(starts)
    rises = np.concatenate(([True], best_starts[1:] > best_starts[:-1]))
    firsts = np.maximum.accumulate(np.where(rises, np.arange(len(gains)), 0))
    sums = totals + best_starts
    lasts = np.flatnonzero(sums == sums.max())
    widest = int(lasts[np.argmax(lasts - firsts[lasts])])
    return BlockSpan(int(firsts[widest]), widest)
