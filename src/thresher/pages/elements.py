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
    places, begun = marks.element_marks
    # How many elements are open before each mark that begins one, and after each that ends one.
    depths = np.cumsum(np.where(begun, 1, -1)) - begun
    # Of one depth, each that begins is followed by its end. Small numbers are sorted faster.
    order = np.argsort(depths.astype(np.min_scalar_type(len(depths))), kind="stable")
    begins, ends = order[::2], np.empty_like(order)
    ends[begins] = order[1::2]
    firsts, lasts = np.flatnonzero(begun), ends[begun]
    elements = np.cumsum(begun)
    # The element around is the last one before of one depth less.
    size, depth = len(places), depths[firsts]
    around = np.searchsorted(depths[begins] * size + begins, (depth - 1) * size + firsts) - 1
    parents = np.concatenate(([-1], np.where(depth > 0, elements[begins[around]], 0)))
    # A block is in the element that begins at the mark before it, or in the one around that which ends there.
    inside = elements.copy()
    inside[lasts] = parents[1:]
    blocks = np.searchsorted(marks.firsts, places)
    return Elements(
        ["", *descriptions],
        parents,
        np.concatenate(([0], depth + 1)),
        np.concatenate(([len(parents)], elements[lasts] + 1)),
        np.concatenate(([0], blocks[firsts])),
        np.concatenate(([len(marks.firsts)], blocks[lasts])),
        np.concatenate(([0], inside))[np.searchsorted(places, marks.firsts)],
    )
