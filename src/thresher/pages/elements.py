"""The tree of a page's elements, and where its blocks are in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.pages.marks import Marks
from thresher.pages.plain import Ints


@dataclass(frozen=True)
class Elements:
    """A page's displayed elements in the order of their begin tags, after the page itself, which is number 0.

    A block is in the elements around its first character: inline elements that begin later are in the block.

    Attributes:
        descriptions: of each element its tag, the words of its attributes and `parsing.HIDDEN` if one hides it; shape
            (elements,).
        parents: the element around each; -1 for the page; shape (elements,).
        depths: the number of elements around each; shape (elements,).
        after_elements: the number after each element's last descendant; shape (elements,).
        first_blocks, after_blocks: the first block of each element and the one after its last; shape (elements,).
        innermost: the innermost element around each block; shape (blocks,).
    """

    descriptions: Sequence[str]
    parents: Ints
    depths: Ints
    after_elements: Ints
    first_blocks: Ints
    after_blocks: Ints
    innermost: Ints


def find_elements(marks: Marks, descriptions: Sequence[str]) -> Elements:
    """Return the elements of a page that was read with them; a text has none but the page itself."""
    begins, ends, firsts = marks.element_begins, marks.element_ends, marks.firsts
    index = np.arange(len(begins))
    # How many elements are open before each begins, and after each has ended.
    depths = index - np.searchsorted(ends, begins)
    depths_of_ends = np.searchsorted(begins, ends) - index - 1
    # Of one depth, the first that begins is the first that ends, and so on.
    order = np.argsort(depths, kind="stable")
    closed = np.empty_like(begins)
    closed[order] = ends[np.argsort(depths_of_ends, kind="stable")]
    # The element around is the last one before of one depth less.
    size = len(marks.marked) + 1
    keys = depths[order] * size + begins[order]
    around = np.searchsorted(keys, (depths - 1) * size + begins) - 1
    parents = np.where(depths > 0, order[around] + 1, 0) if len(begins) else index
    parents = np.concatenate(([-1], parents))
    begin_of, end_of = np.concatenate(([-1], begins)), np.concatenate(([size], closed))
    innermost = np.searchsorted(begins, firsts)
    while (left := end_of[innermost] <= firsts).any():
        innermost = np.where(left, parents[innermost], innermost)
    return Elements(
        ["", *descriptions],
        parents,
        np.concatenate(([0], depths + 1)),
        np.searchsorted(begin_of, end_of),
        np.searchsorted(firsts, begin_of),
        np.searchsorted(firsts, end_of),
        innermost,
    )
