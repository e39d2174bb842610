"""Whether a page is a forum's. What readers write is the content of a forum, and beside the content of other pages.

A page's type before its blocks: after Foley's rs-trafilatura (WCXB, 2026), whose rules depend on a learned type.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from thresher.content_models.features import Floats, Wide, feature_names
from thresher.content_models.sequence import THOUSAND

_PAGE, _AROUND = "page_", "in_"
_SHARE = "share_"
# Comments stay from this probability of a forum up, or with no more words of content besides.
_FORUM, _WORDS = 0.25, 100


def forum_names() -> tuple[str, ...]:
    """Return the names of the features that tell forums."""
    own, around = _rows(feature_names())
    names = feature_names()
    return (*(names[row] for row in own), *(f"{_SHARE}{names[row]}" for row in around))


def forum_features(names: tuple[str, ...], values: Floats, words: Wide) -> Floats:
    """Return a page's features: those that all its blocks share, and the share of its words in elements of each kind.

    Args:
        names: of blocks' features.
        values: of these; shape (features, blocks).
        words: of each block; shape (blocks,).

    Returns:
        shape (features, 1).
    """
    own, around = _rows(names)
    weights = words + 1
    # Sums of halves are exact.
    shares = values.take(around, axis=0).astype(np.float64) @ weights / weights.sum()
    return np.concatenate((values[own, 0], shares))[:, None].astype(np.float32)


def without_comments(probabilities: Wide, words: Wide, comments: npt.NDArray[np.bool_], forum: float) -> Wide:
    """Return a page's probabilities with 0 for comments where they are beside the content.

    That is so where the page is no forum's and 100 words of content are expected outside of comments.

    Args:
        probabilities: of content; shape (blocks,).
        words: of each block; shape (blocks,).
        comments: which blocks are in an element that is called a comment; shape (blocks,).
        forum: the probability that the page is a forum's.

    Returns:
        shape (blocks,).
    """
    # Whole thousandths, so that sums over blocks are exact.
    outside = float((words * np.rint(THOUSAND * probabilities))[~comments].sum()) / THOUSAND
    beside = forum < _FORUM and outside > _WORDS
    return np.where(comments, 0, probabilities) if beside else probabilities


@cache
def _rows(names: tuple[str, ...]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the rows of the page's own features, and of those that say what is around a block."""
    own, around = (
        np.array([row for row, name in enumerate(names) if name.startswith(begin)]) for begin in (_PAGE, _AROUND)
    )
    return own, around
