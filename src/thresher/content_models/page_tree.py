"""What a page's elements are called and how they repeat, for the blocks in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.content_models.markup import describe
from thresher.pages.elements import Elements
from thresher.pages.plain import Ints

NEAR = 4
"""Of the elements around a block, from the innermost, those that are near; inline elements do not count."""
# What they say holds for all of the page.
_WHOLE = frozenset(("html", "body", "meta"))


@dataclass(frozen=True)
class PageTree:
    """Elements in order, the page itself first; and the paths that lead to them.

    A path is what the elements from the page down to one say of themselves, so that it repeats wherever a template does.

    Attributes:
        tags: of the different descriptions.
        said: the number of each element's description; shape (elements,).
        counted: the places of tags in `COUNTED`; shape (elements,).
        paths: the path to each element; shape (elements,).
        wider: the nearest element around each that has other blocks too, -1 if none; shape (elements,).
        groups: a number for the siblings of each that say the same, itself included; shape (elements,).
        repeated: of each and those around it, the one of at least two blocks that has most such siblings, the innermost of
            equals; 0 if none; shape (elements,).
        bits: by path, what its elements say: see `Description`; but for those that speak of the whole page.
        own_bits: by path, what its last element says.
        inline: by path, whether that is inline.
        before: by path, the path of the element around its last.
        depths: by path, the number of elements before the last; shape (paths,).
        tag_paths: by path, a number for its tags; shape (paths,).
        page_bits: what elements of the whole page say.
    """

    tags: list[str]
    said: Ints
    counted: Ints
    paths: Ints
    wider: Ints
    groups: Ints
    repeated: Ints
    bits: list[int]
    own_bits: list[int]
    inline: list[bool]
    before: list[int]
    depths: Ints
    tag_paths: Ints
    page_bits: int

    def near_bits(self, path: int) -> int:
        """Return what the last, near elements of a path say."""
        bits = left = 0
        while path and left < NEAR:
            bits |= self.own_bits[path]
            left += not self.inline[path]
            path = self.before[path]
        return bits


class _Numbers(dict[Any, int]):
    """Numbers things from 1 as they come."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = number = len(self) + 1
        return number


# Pairs of numbers are keys as one number: tuples would keep Python's garbage collector busy.
_PAIR = 1 << 32


def page_tree(elements: Elements) -> PageTree:
    """Return the tree of a page's elements; numbers of those in which no block begins mean nothing."""
    descriptions = elements.descriptions
    # What each different description says; elements have the number of theirs.
    codes = _Numbers()
    code_of = [codes[description] for description in descriptions]
    said = [describe(""), *map(describe, codes)]
    tag_codes, kinds = _Numbers(), _Numbers()
    tag_of = [tag_codes[one.tag] for one in said]
    own_of = [0 if one.tag in _WHOLE else one.bits for one in said]
    kind_of = [kinds[one.tag, own] for one, own in zip(said, own_of, strict=True)]
    page_bits = 0
    for one in said:
        if one.tag in _WHOLE:
            page_bits |= one.bits
    parents = elements.parents.tolist()
    firsts, afters = elements.first_blocks.tolist(), elements.after_blocks.tolist()
    path_of, wider, groups, repeated = ([0] * len(parents) for _ in range(4))
    wider[0] = -1
    # By path; the first is that of the page.
    bits, own_bits, inline, before, depths, tag_paths = [0], [0], [False], [0], [0], [0]
    known: dict[int, int] = {}
    known_tags = _Numbers()
    alike: dict[int, int] = {}
    sizes = [1]
    # Most elements are images, breaks and words of a sentence, in which no block begins.
    begun = np.flatnonzero(elements.after_blocks > elements.first_blocks)[1:].tolist()
    for number in begun:
        parent, code = parents[number], code_of[number]
        around = path_of[parent]
        step = around * _PAIR + code
        path = known.get(step)
        if path is None:
            path = known[step] = len(bits)
            own = own_of[code]
            bits.append(bits[around] | own)
            own_bits.append(own)
            inline.append(said[code].inline)
            before.append(around)
            depths.append(depths[around] + 1)
            tag_paths.append(known_tags[tag_paths[around] * _PAIR + tag_of[code]])
        path_of[number] = path
        same = firsts[parent] == firsts[number] and afters[parent] == afters[number]
        wider[number] = wider[parent] if same else parent
        sibling = parent * _PAIR + kind_of[code]
        group = alike.get(sibling)
        if group is None:
            group = alike[sibling] = len(sizes)
            sizes.append(0)
        groups[number] = group
        sizes[group] += 1
    for number in begun:
        around, size = repeated[parents[number]], sizes[groups[number]]
        several = size > 1 and afters[number] - firsts[number] > 1
        repeated[number] = number if several and (not around or size >= sizes[groups[around]]) else around
    said_by = _array(code_of)
    return PageTree(
        [one.tag for one in said],
        said_by,
        np.array([one.counted for one in said])[said_by],
        _array(path_of),
        _array(wider),
        _array(groups),
        _array(repeated),
        bits,
        own_bits,
        inline,
        before,
        _array(depths),
        _array(tag_paths),
        page_bits,
    )


def _array(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)
