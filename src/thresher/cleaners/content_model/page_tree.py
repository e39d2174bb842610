"""Tags, classes, ids and roles of a page's elements, and how these repeat, for the blocks in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages.marks import Elements
from thresher.pages.parsing import HIDDEN

Words = npt.NDArray[np.uint64]

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
"""Tags that are features of the blocks in them."""
COUNTED = ("p", "img", "a", "li", "input", "button", "br", "tr", "td")
"""Tags that are counted in the elements around a block."""
_TAG_BITS = {tag: 1 << (len(FAMILIES) + number) for number, tag in enumerate(TAGS)}
_HIDDEN_BIT = 1 << (len(FAMILIES) + len(TAGS))
BYTES = -(-_HIDDEN_BIT.bit_length() // 64) * 8
"""The bytes of a description's bits: whole numbers of 64 bits."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# The signs before the first letters of a word's pattern.
_BEFORE_LETTERS = re.compile(r"(?:\(\?(?:<!\[a-z\]\)|:))*")
WHOLE_PAGE = ("html", "body", "meta")
"""Tags whose descriptions hold for all of the page."""
# Any odd number will do.
_BASE = 0x9E3779B97F4A7C15
_POWERS = np.array([pow(_BASE, power, 2**64) for power in range(3, 3 + BYTES // 8)], dtype=np.uint64)


def _patterns_by_letters() -> dict[str, dict[int, re.Pattern[str]]]:
    """Return the bits of families with their patterns, by the first two letters of the families' words."""
    by_letters: dict[str, dict[int, re.Pattern[str]]] = {}
    for number, words in enumerate(_FAMILIES.values()):
        for word in words.split("|"):
            letters = _BEFORE_LETTERS.sub("", word, count=1)[:2]
            by_letters.setdefault(letters, {})[1 << number] = re.compile(words)
    return by_letters


_BY_LETTERS = _patterns_by_letters()


@lru_cache(maxsize=50_000)
def describe(description: str) -> bytes:
    """Return the meaning of an element's description, as `BYTES` of bits from the lowest up.

    There is one bit for each of `FAMILIES` that its words belong to, then for each of `TAGS`, then whether it is hidden.
    The results are cached, because sites repeat descriptions.
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
    """Return the bits of the families that a word belongs to."""
    word = word.lower()
    tried = matching = 0
    for start in range(len(word) - 1):
        # A search takes longer than looking up two letters.
        for bit, pattern in _BY_LETTERS.get(word[start : start + 2], {}).items():
            if tried & bit:
                continue
            tried |= bit
            if pattern.search(word):
                matching |= bit
    return matching


@dataclass(frozen=True)
class PageTree:
    """Elements in order, the page itself first.

    The values of an element without blocks have no meaning.

    Attributes:
        texts: the different descriptions.
        description: the number of each element's description; shape (elements,).
        tags: numbers of the different tags.
        tag: the number of each element's tag; shape (elements,).
        wider: the nearest element around each element that has further blocks; -1 if none; shape (elements,).
        groups: the number of each element's group, from 1: the element and its siblings alike, that is, with the same
            description; shape (elements,).
        leaders, ranks: the first element of the group, and the number of its elements before each; shape (elements,).
        repeated: the element with most siblings alike, among each element and the elements around it, if of at least two
            blocks; the innermost of equals; 0 if none; shape (elements,).
        around: the descriptions of all elements around each block, except descriptions of the whole page, in bytes as
            `describe` returns them; shape (BYTES, blocks).
        page_bits: the descriptions of the whole page.
    """

    texts: tuple[str, ...]
    description: Ints
    tags: Mapping[str, int]
    tag: Ints
    wider: Ints
    groups: Ints
    leaders: Ints
    ranks: Ints
    repeated: Ints
    around: npt.NDArray[np.uint8]
    page_bits: int


class _Descriptions(NamedTuple):
    """The different descriptions of a page's elements; the first three have one entry for each."""

    whole_page: npt.NDArray[np.bool_]
    """Whether the description holds for all of the page."""
    tag: Ints
    """The number of its tag."""
    texts: tuple[str, ...]
    tags: Mapping[str, int]
    """The number of each tag."""
    of_elements: Ints
    """The number of each element's description."""


def page_tree(elements: Elements) -> PageTree:
    """Return the tree of a page's elements; the page has at least one block."""
    described = _descriptions(elements)
    # Most elements have no block: images, breaks, words of a sentence. The page itself is the first element with a block.
    begun = (elements.after_blocks > elements.first_blocks).nonzero()[0]
    position = np.zeros(len(described.of_elements), dtype=np.int64)
    position[begun] = np.arange(len(begun))
    parent = position[elements.parents[begun]]
    parent[0] = 0
    description = described.of_elements[begun]
    tag = described.tag[description]
    used = np.zeros(len(described.texts), dtype=np.bool_)
    used[description] = True
    bits_of_used = _bits(described, used)
    number_among_used = (used.cumsum() - 1)[description]
    # The description and the tag of an element, and the element around it, as one number.
    keys = (bits_of_used @ _POWERS)[number_among_used] + tag.astype(np.uint64) * _BASE
    siblings = grouped(keys * _BASE + parent.astype(np.uint64))
    bits = bits_of_used.take(number_among_used, axis=0)
    inherited = _inherit(elements, begun, parent, siblings, bits)

    def of_all(values: Ints) -> Ints:
        """Return values for all elements, given the values of the elements with blocks; 0 for elements without."""
        values_of_all = np.zeros(len(position), dtype=np.int64)
        values_of_all[begun] = values
        return values_of_all

    repeated = inherited.repeated
    return PageTree(
        texts=described.texts,
        description=described.of_elements,
        tags=described.tags,
        tag=described.tag[described.of_elements],
        wider=of_all(elements.parents[begun[inherited.widest]]),
        groups=of_all(siblings.numbers + 1),
        leaders=of_all(begun[siblings.leaders]),
        ranks=of_all(siblings.ranks),
        repeated=of_all(np.where(repeated > 0, begun[repeated % len(begun)], 0)),
        around=_bytes_of(inherited.around, position[elements.innermost]),
        page_bits=_page_bits(described),
    )


def _descriptions(elements: Elements) -> _Descriptions:
    number_by_text, of_elements = _numbered(elements.descriptions)
    texts = tuple(number_by_text)
    tags, tag = _numbered(text.partition(" ")[0] for text in texts)
    whole_page = np.array([name in WHOLE_PAGE for name in tags])[tag]
    return _Descriptions(whole_page, tag, texts, tags, of_elements)


def _page_bits(described: _Descriptions) -> int:
    bits = 0
    for text in compress(described.texts, described.whole_page.tolist()):
        bits |= int.from_bytes(describe(text), "little")
    return bits


def _bits(described: _Descriptions, used: npt.NDArray[np.bool_]) -> Words:
    """Return the bits of the used descriptions, 0 for descriptions of the whole page; shape (used, BYTES / 8)."""
    used_texts = compress(described.texts, used.tolist())
    packed = bytearray().join(map(describe, used_texts))
    bits = np.frombuffer(packed, "<u8").reshape(-1, BYTES // 8)
    bits[described.whole_page[used]] = 0
    return bits


class _Inherited(NamedTuple):
    """Values that elements inherit from the elements around them; see `PageTree`."""

    widest: Ints
    """The outermost element with the same blocks."""
    around: Words
    repeated: Ints
    """The number of siblings alike, times the number of elements, plus the element; 0 for none."""


def _inherit(elements: Elements, begun: Ints, parent: Ints, siblings: Groups, bits: Words) -> _Inherited:
    index = np.arange(len(begun))
    first, after = elements.first_blocks[begun], elements.after_blocks[begun]
    same_blocks = (first == first[parent]) & (after == after[parent])
    alike = siblings.sizes[siblings.numbers]
    is_repeated = (alike > 1) & (after - first > 1)
    repeated = np.where(is_repeated, alike * len(begun) + index, 0)
    widest = np.where(same_blocks, parent, index)
    around = bits
    # All elements inherit at once: from the 1 element around them, then from 2, 4 and so on.
    step = parent
    for _ in range(int(elements.depths.max()).bit_length()):
        widest = widest[widest]
        around = around | around.take(step, axis=0)
        repeated = np.maximum(repeated, repeated[step])
        step = step[step]
    return _Inherited(widest, around, repeated)


class _NumberedTexts(NamedTuple):
    """The number of each distinct text, in the order of first occurrences; and the numbers of all texts."""

    number_by_text: dict[str, int]
    numbers: Ints


def _numbered(texts: Iterable[str]) -> _NumberedTexts:
    number_by_text: dict[str, int] = {}
    numbers: list[int] = []
    for text in texts:
        numbers.append(number_by_text.setdefault(text, len(number_by_text)))
    return _NumberedTexts(number_by_text, np.array(numbers, dtype=np.int64))


class Groups(NamedTuple):
    """Entries with equal keys.

    Attributes:
        numbers: the group of each entry, from 0.
        leaders: the first entry of the group of each entry.
        ranks: the number of entries of the group before each entry.
        sizes: the number of entries of each group.
    """

    numbers: Ints
    leaders: Ints
    ranks: Ints
    sizes: Ints


def grouped(keys: npt.NDArray[Any]) -> Groups:
    """Return the groups of equal keys; there is at least one key."""
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    begins = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    group_in_order = begins.cumsum() - 1
    start_in_order = begins.nonzero()[0][group_in_order]
    numbers = np.empty(len(keys), dtype=np.int64)
    leaders = np.empty(len(keys), dtype=np.int64)
    ranks = np.empty(len(keys), dtype=np.int64)
    numbers[order] = group_in_order
    leaders[order] = order[start_in_order]
    ranks[order] = np.arange(len(keys)) - start_in_order
    return Groups(numbers, leaders, ranks, np.bincount(group_in_order))


def _bytes_of(bits: Words, elements: Ints) -> npt.NDArray[np.uint8]:
    """Return the bits of some elements as bytes; shape (BYTES, elements)."""
    return np.ascontiguousarray(bits.take(elements, axis=0).view(np.uint8).T)
