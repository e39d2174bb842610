"""What a page's elements are called and how they repeat, for the blocks in them."""

from __future__ import annotations

from dataclasses import dataclass

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
        tags: of the elements.
        counted: the places of tags in `COUNTED`; shape (elements,).
        paths: the path to each element; shape (elements,).
        wider: the nearest element around each that has other blocks too, -1 if none; shape (elements,).
        groups: a number for the siblings of each that say the same, itself included; shape (elements,).
        repeated: of each and those around it, the one of at least two blocks that has most such siblings, the innermost of
            equals; 0 if none; shape (elements,).
        bits: by path, what its elements say: see `Description`; but for those that speak of the whole page.
        near_bits: by path, what its last, near ones say.
        depths: by path, the number of elements before the last; shape (paths,).
        tag_paths: by path, a number for its tags; shape (paths,).
        page_bits: what elements of the whole page say.
    """

    tags: tuple[str, ...]
    counted: Ints
    paths: Ints
    wider: Ints
    groups: Ints
    repeated: Ints
    bits: list[int]
    near_bits: list[int]
    depths: Ints
    tag_paths: Ints
    page_bits: int


class _Paths:
    """The paths of a page, numbered; all that depends on the path alone is worked out once for each."""

    def __init__(self) -> None:
        self.bits, self.depths, self.tag_paths, self.says = [0], [0], [0], [0]
        # What the last element says, with none to three more around it.
        self.near: list[tuple[int, ...]] = [(0,) * NEAR]
        self._tag_paths: dict[tuple[int, str], int] = {}
        self._says: dict[tuple[str, int], int] = {}

    def add(self, parent: int, description: str) -> int:
        """Return the number of a new path: one more element after the path `parent`."""
        tag, own, inline, _ = describe(description)
        own = 0 if tag in _WHOLE else own
        self.bits.append(self.bits[parent] | own)
        self.depths.append(self.depths[parent] + 1)
        self.tag_paths.append(self._tag_paths.setdefault((self.tag_paths[parent], tag), len(self._tag_paths) + 1))
        self.says.append(self._says.setdefault((tag, own), len(self._says) + 1))
        around = self.near[parent] if inline else (0, *self.near[parent][:-1])
        self.near.append(tuple([own | bits for bits in around]))
        return len(self.bits) - 1


def page_tree(elements: Elements) -> PageTree:
    """Return the tree of a page's elements; numbers of those in which no block begins mean nothing."""
    descriptions = elements.descriptions
    tags, own_bits, _, counted = zip(*map(describe, descriptions), strict=True)
    page_bits = 0
    for number, tag in enumerate(tags):
        if tag in _WHOLE:
            page_bits |= own_bits[number]
    parents = elements.parents.tolist()
    firsts, afters = elements.first_blocks.tolist(), elements.after_blocks.tolist()
    path_of, wider, groups, repeated = ([0] * len(parents) for _ in range(4))
    wider[0] = -1
    paths = _Paths()
    known: dict[tuple[int, str], int] = {}
    alike: dict[tuple[int, int], int] = {}
    sizes = [1]
    # Most elements are images, breaks and words of a sentence, in which no block begins.
    begun = np.flatnonzero(elements.after_blocks > elements.first_blocks)[1:].tolist()
    for number in begun:
        parent = parents[number]
        step = (path_of[parent], descriptions[number])
        path = known.get(step)
        if path is None:
            path = known[step] = paths.add(*step)
        path_of[number] = path
        same = firsts[parent] == firsts[number] and afters[parent] == afters[number]
        wider[number] = wider[parent] if same else parent
        sibling = (parent, paths.says[path])
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
    return PageTree(
        tags,
        np.array(counted, dtype=np.int64),
        np.array(path_of, dtype=np.int64),
        np.array(wider, dtype=np.int64),
        np.array(groups, dtype=np.int64),
        np.array(repeated, dtype=np.int64),
        paths.bits,
        [bits[-1] for bits in paths.near],
        np.array(paths.depths, dtype=np.int64),
        np.array(paths.tag_paths, dtype=np.int64),
        page_bits,
    )
