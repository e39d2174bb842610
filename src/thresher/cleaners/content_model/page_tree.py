"""Tags, classes, ids and roles of a page's elements, and how these repeat, for the blocks in them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import compress, count
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages.marks import Elements
from thresher.pages.parsing import HIDDEN, INLINE_TAGS

_TEXT = files("thresher.cleaners.content_model").joinpath("families.tsv").read_text(encoding="utf-8")
# Families of words that sites name parts of pages by, and the words of each as a regular expression.
_FAMILIES = dict(line.split("\t") for line in _TEXT.splitlines())
FAMILIES = tuple(_FAMILIES)
TAGS = tuple(
    (
        "article main section header footer nav aside ul ol li dl dt dd table tr td th thead p blockquote figure figcaption"
        " pre form fieldset label button details summary h1 h2 h3 h4 h5 h6 a address center font dialog div span strong em"
        " time code small title body"
    ).split()
)
"""Tags that are features where they are around a block."""
COUNTED = ("p", "img", "a", "li", "input", "button", "br", "tr", "td")
"""Tags that are counted in the elements around a block."""
_TAG_BITS = {tag: 1 << (len(FAMILIES) + number) for number, tag in enumerate(TAGS)}
_HIDDEN_BIT = 1 << (len(FAMILIES) + len(TAGS))
BYTES = -(-_HIDDEN_BIT.bit_length() // 64) * 8
"""The bytes of a description's bits: whole numbers of 64 bits."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What stands before the first letters of a word's pattern; and bits and patterns by the first two letters of their words.
_BEFORE_LETTERS = re.compile(r"(?:\(\?(?:<!\[a-z\]\)|:))*")
_BY_LETTERS: dict[str, dict[int, re.Pattern[str]]] = {}
for _number, _words in enumerate(_FAMILIES.values()):
    for _one in _words.split("|"):
        _two = _BEFORE_LETTERS.sub("", _one, count=1)[:2]
        _BY_LETTERS.setdefault(_two, {})[1 << _number] = re.compile(_words)
NEAR = 4
"""The number of innermost elements around a block that count as near, inline ones left out."""
# What they say holds for all of the page.
_WHOLE = frozenset(("html", "body", "meta"))
# Odd, and otherwise any.
_BASE = 0x9E3779B97F4A7C15
_ODD = np.array([pow(_BASE, power, 2**64) for power in range(3, 3 + BYTES // 8)], dtype=np.uint64)
Words = npt.NDArray[np.uint64]


def is_inline(tag: str) -> bool:
    """Return whether a tag marks words in a sentence."""
    return tag in INLINE_TAGS or tag == "a"


@lru_cache(maxsize=50_000)
def describe(description: str) -> bytes:
    """Return what the description of an element says, as `BYTES` of bits from the lowest up.

    There is one bit for each of `FAMILIES` that its words belong to, then for each of `TAGS`, then whether it is hidden.
    Sites repeat descriptions, so they are kept.
    """
    tag, _, words = description.partition(" ")
    bits = _TAG_BITS.get(tag, 0)
    for word in _WORD.findall(words):
        bits |= _families(word)
    if HIDDEN in words:
        bits |= _HIDDEN_BIT
    return bits.to_bytes(BYTES, "little")


@lru_cache(maxsize=20_000)
def _families(word: str) -> int:
    word = word.lower()
    tried = found = 0
    # A search takes longer than asking for two letters.
    for two in map(add, word, word[1:]):
        for bit, pattern in _BY_LETTERS.get(two, {}).items():
            if not tried & bit:
                tried |= bit
                found |= bit * bool(pattern.search(word))
    return found


@dataclass(frozen=True)
class PageTree:
    """Elements in order, the page itself first; and the paths that lead to them.

    A path is the elements from the page down to one, so that it repeats wherever a template does.
    Numbers of elements in which no block begins mean nothing.

    Attributes:
        tags: numbers of the different tags.
        tag: the number of each element's tag; shape (elements,).
        wider: the nearest element around each that has other blocks too, -1 if none; shape (elements,).
        groups: a number from 1 for the siblings of each that say the same, itself included; shape (elements,).
        leaders, ranks: the first of these siblings, and how many are before each; shape (elements,).
        repeated: of each and those around it, the one of at least two blocks that has most such siblings, the innermost of
            equals; 0 if none; shape (elements,).
        around: what all elements around each block say, but for those that speak of the whole page, in bytes as by
            `describe`; shape (BYTES, blocks).
        page_bits: what elements of the whole page say.
        paths: if asked for, numbers for the path to each element by tags, and by descriptions; equal where the paths are, and
            else hardly ever, as hashes of 64 bits; shape (2, elements).
        near: if asked for, as `around`, but of the `NEAR` innermost.
    """

    tags: Mapping[str, int]
    tag: Ints
    wider: Ints
    groups: Ints
    leaders: Ints
    ranks: Ints
    repeated: Ints
    around: npt.NDArray[np.uint8]
    page_bits: int
    paths: Ints | None
    near: npt.NDArray[np.uint8] | None


def page_tree(elements: Elements, with_paths: bool = False) -> PageTree:
    """Return the tree of a page's elements, with `paths` and `near` if asked for; the page has at least one block."""
    descriptions = elements.descriptions
    codes, said = _numbered(descriptions)
    tags, number = _numbered(description.partition(" ")[0] for description in codes)
    whole = np.array([tag in _WHOLE for tag in tags])[number]
    page_bits = 0
    for description in compress(codes, whole.tolist()):
        page_bits |= int.from_bytes(describe(description), "little")
    # Most elements are images, breaks and words of a sentence, in which no block begins. The page is the first of the others.
    begun = (elements.after_blocks > elements.first_blocks).nonzero()[0]
    position = np.zeros(len(said), dtype=np.int64)
    position[begun] = index = np.arange(len(begun))
    parent = position[elements.parents[begun]]
    parent[0] = 0
    used = np.zeros(len(codes), dtype=np.bool_)
    used[said[begun]] = True
    code = (used.cumsum() - 1)[said[begun]]
    tag = number[said[begun]]
    own = np.frombuffer(bytearray().join(map(describe, compress(codes, used.tolist()))), "<u8").reshape(-1, BYTES // 8)
    own[whole[used]] = 0
    # What each says, its tag and what is around it in one number.
    alike = (own @ _ODD)[code] + tag.astype(np.uint64) * _BASE
    siblings = grouped(alike * _BASE + parent.astype(np.uint64))
    sizes = siblings.sizes[siblings.numbers]

    first, after = elements.first_blocks[begun], elements.after_blocks[begun]
    same = (first == first[parent]) & (after == after[parent])
    several = (sizes > 1) & (after - first > 1)
    # The siblings alike, then the number of the element.
    repeated = np.where(several, sizes * len(begun) + index, 0)
    # The outermost element of the same blocks.
    widest, around, step = np.where(same, parent, index), own.take(code, axis=0), parent
    # All elements learn at once from those around them: from 1, then from 2, 4 and so on.
    rounds = int(elements.depths.max()).bit_length()
    for _ in range(rounds):
        widest = widest[widest]
        around = around | around.take(step, axis=0)
        repeated = np.maximum(repeated, repeated[step])
        step = step[step]

    def of_all(values: Ints) -> Ints:
        everywhere = np.zeros((*values.shape[:-1], len(said)), dtype=np.int64)
        everywhere[..., begun] = values
        return everywhere

    innermost = position[elements.innermost]
    return PageTree(
        tags,
        number[said],
        of_all(elements.parents[begun[widest]]),
        of_all(siblings.numbers + 1),
        of_all(begun[siblings.leaders]),
        of_all(siblings.ranks),
        of_all(np.where(repeated > 0, begun[repeated % len(begun)], 0)),
        _bytes_of(around, innermost),
        page_bits,
        of_all(_paths(np.array((tag, code)), parent, rounds)) if with_paths else None,
        _bytes_of(_near(own.take(code, axis=0), parent, tags, tag, rounds), innermost) if with_paths else None,
    )


def _paths(numbers: Ints, parent: Ints, rounds: int) -> Ints:
    """Return polynomials of the numbers from the page down, modulo 2 ** 64; the page has 0."""
    paths = numbers.astype(np.uint64) + 1
    paths[:, 0], power, step = 0, _BASE, parent
    for _ in range(rounds):
        paths += power * paths.take(step, axis=1)
        power, step = power * power % 2**64, step[step]
    return paths.view(np.int64)


def _near(near: Words, parent: Ints, tags: Iterable[str], tag: Ints, rounds: int) -> Words:
    inline = np.array([*map(is_inline, tags)])[tag]
    # The innermost element that is not inline, with the inline ones in it.
    outside, step = np.where(inline, parent, np.arange(len(parent))), np.where(inline, parent, 0)
    for _ in range(rounds):
        outside, near, step = outside[outside], near | near.take(step, axis=0), step[step]
    run, beyond = near, parent[outside]
    for _ in range(NEAR - 1):
        run = run.take(beyond, axis=0)
        near = near | run
    return near


def _numbered(things: Iterable[str]) -> tuple[dict[str, int], Ints]:
    """Return the number of each different thing, in the order of the first ones; and those of all."""
    numbers: dict[str, int] = defaultdict(count().__next__)
    return numbers, np.fromiter(map(numbers.__getitem__, things), dtype=np.int64)


class Groups(NamedTuple):
    """Things with equal keys: for each the number of its group, from 0, the first of it and how many are before; the
    sizes of groups.
    """

    numbers: Ints
    leaders: Ints
    ranks: Ints
    sizes: Ints


def grouped(keys: npt.NDArray[Any]) -> Groups:
    """Return the groups of equal keys; there is at least one."""
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    begins = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    starts, in_order = begins.nonzero()[0], begins.cumsum() - 1
    own = starts[in_order]
    numbers, leaders, ranks = np.empty((3, len(keys)), dtype=np.int64)
    numbers[order], leaders[order], ranks[order] = in_order, order[own], np.arange(len(keys)) - own
    return Groups(numbers, leaders, ranks, np.bincount(in_order))


def _bytes_of(said: Words, elements: Ints) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(said.take(elements, axis=0).view(np.uint8).T)
