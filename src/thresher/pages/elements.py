"""The tree of a page's elements, and where its blocks are in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

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
        first_blocks, after_blocks: the first block of each element and the one after its last; shape (elements,).
        innermost: the innermost element around each block; shape (blocks,).
    """

    descriptions: Sequence[str]
    parents: list[int]
    first_blocks: Ints
    after_blocks: Ints
    innermost: Ints

    @cached_property
    def after_elements(self) -> Ints:
        """The number after each element's last descendant; shape (elements,)."""
        after = list(range(1, len(self.parents) + 1))
        for element in range(len(after) - 1, 0, -1):
            parent = self.parents[element]
            if after[element] > after[parent]:
                after[parent] = after[element]
        return np.array(after, dtype=np.int64)


def find_elements(marks: Marks, descriptions: Sequence[str]) -> Elements:
    """Return the elements of a page that was read with them; a text has none but the page itself."""
    begins, ends, firsts = marks.element_begins, marks.element_ends, marks.firsts
    parents, stack, closed = [-1], [0], [0] * (len(begins) + 1)
    # Begin and end tags in order: an end is numbered -1.
    positions = np.concatenate((begins, ends))
    numbers = np.concatenate((np.arange(1, len(begins) + 1), np.full(len(ends), -1)))
    order = np.argsort(positions, kind="stable")
    for position, number in zip(positions[order].tolist(), numbers[order].tolist(), strict=True):
        if number > 0:
            parents.append(stack[-1])
            stack.append(number)
        elif len(stack) > 1:
            closed[stack.pop()] = position
    for number in stack:
        closed[number] = len(marks.marked)
    end_of = np.array(closed, dtype=np.int64)
    first_blocks = np.concatenate(([0], np.searchsorted(firsts, begins)))
    after_blocks = np.searchsorted(firsts, end_of)
    innermost = np.searchsorted(begins, firsts)
    parent_of = np.array(parents, dtype=np.int64)
    while (left := end_of[innermost] <= firsts).any():
        innermost = np.where(left, parent_of[innermost], innermost)
    return Elements(["", *descriptions], parents, first_blocks, after_blocks, innermost)
