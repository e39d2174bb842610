"""The kind of each block in its page, by tags and by words of class, id and role: the first kind in `BlockKind` that holds.

- title: the page's title.
- comment, footer, menu: in a FOOTER or NAV, or in an element with a typical word in its class, id or role (`comment`,
  `footer`, `sidebar`, `toc`, ...) that does not wrap the page: no H1 is in it, and of a menu half of the words or more
  are in links.
- heading: H1 to H6.
- code, table, list: the innermost element around the block of PRE, XMP; TD, TH, CAPTION; LI, DT, DD. But a paragraph (P,
  BLOCKQUOTE) in a cell is text, as in tables that lay out a page.
- link: more than half of the words are in links. Before table and list, after code. - text: all the rest.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages import Segments
from thresher.pages.parsing import TITLE_LEVEL

_NONE = -1
_WHOLE = ("html", "body", "meta")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
# Each match of `_REGIONS` contains one of these; searching for them takes a fraction of the time.
_LIKELY = re.compile(r"nav|menu|crumb|sidebar|toc|pag|foot|contentinfo|colophon|comment|disqus|repl")


class BlockKind(StrEnum):
    """The kind of a block in its page. The score store has the numbers of kinds in this order."""

    TITLE = "title"
    COMMENT = "comment"
    FOOTER = "footer"
    MENU = "menu"
    HEADING = "heading"
    CODE = "code"
    LINK = "link"
    TABLE = "table"
    LIST = "list"
    TEXT = "text"


KINDS = tuple(BlockKind)
_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
_CODE = _NUMBER[BlockKind.CODE]
_LINK = _NUMBER[BlockKind.LINK]
_TABLE = _NUMBER[BlockKind.TABLE]
_LIST = _NUMBER[BlockKind.LIST]
_TEXT = _NUMBER[BlockKind.TEXT]
_STRUCTURE = {
    **dict.fromkeys(("pre", "xmp"), _CODE),
    **dict.fromkeys(("td", "th", "caption"), _TABLE),
    **dict.fromkeys(("li", "dt", "dd"), _LIST),
    **dict.fromkeys(("p", "blockquote"), _TEXT),
}
# The last condition that holds decides.
_REGIONS = {
    BlockKind.MENU: re.compile(
        r"\b(nav|navbar|navigation|menus?|(bread)?crumbs?|sidebar|toc|toctree|pagination|pager)\b"
    ),
    BlockKind.FOOTER: re.compile(r"\b(footer|contentinfo|colophon)\b"),
    BlockKind.COMMENT: re.compile(r"\b(comments?|commentlist|disqus|reply|replies)\b"),
}
_REGION_TAGS = {"nav": BlockKind.MENU, "footer": BlockKind.FOOTER}


class _ElementKinds(NamedTuple):
    """The kinds of an element by its description: numbers of `KINDS`, or `_NONE`.

    Attributes:
        structure: code, table, list or text, by the tag.
        region: menu or footer, by the tag.
        named_region: menu, footer or comment, by the words of class, id and role.
    """

    structure: int
    region: int
    named_region: int


@lru_cache(maxsize=50_000)
def _kinds_of_element(description: str) -> _ElementKinds:
    tag, _, words = description.partition(" ")
    structure = _STRUCTURE.get(tag, _NONE)
    region = _NUMBER[_REGION_TAGS[tag]] if tag in _REGION_TAGS else _NONE
    named_region = _NONE
    if words and tag not in _WHOLE and _LIKELY.search(words.lower()):
        words = _CAMEL.sub(" ", words).lower()
        for kind, pattern in _REGIONS.items():
            if pattern.search(words):
                named_region = _NUMBER[kind]
    return _ElementKinds(structure, region, named_region)


def kinds_of(segments: Segments) -> npt.NDArray[np.uint8]:
    """Return the number of each block's kind in `KINDS`, of a page that was read with its elements; shape (blocks,)."""
    elements = segments.elements
    levels = segments.levels
    # Most elements, such as images and words of a sentence, contain no block.
    with_blocks = np.flatnonzero(elements.after_blocks > elements.first_blocks)
    of_elements = [_kinds_of_element(elements.descriptions[number]) for number in with_blocks.tolist()]
    columns = np.full((len(_ElementKinds._fields), len(elements.descriptions)), _NONE, dtype=np.int64)
    columns[:, with_blocks] = np.fromiter(chain.from_iterable(of_elements), np.int64).reshape(-1, len(columns)).T
    structure = columns[0]
    region = columns[1]
    named_region = columns[2]
    kinds = _structures(structure, elements.parents, int(elements.depths.max()))[elements.innermost].astype(np.uint8)
    mostly_linked = segments.linked_words_in_blocks * 2 > segments.words_in_blocks
    kinds[mostly_linked & (kinds != _CODE)] = _LINK
    kinds[levels > 0] = _NUMBER[BlockKind.HEADING]
    named_region = np.where(_wraps_the_page(segments, named_region), _NONE, named_region)
    for kind in _REGIONS:
        is_region = (region == _NUMBER[kind]) | (named_region == _NUMBER[kind])
        spans = zip(elements.first_blocks[is_region].tolist(), elements.after_blocks[is_region].tolist(), strict=True)
        for first, after in spans:
            kinds[first:after] = _NUMBER[kind]
    kinds[levels == TITLE_LEVEL] = _NUMBER[BlockKind.TITLE]
    return kinds


def _wraps_the_page(segments: Segments, named_region: Ints) -> npt.NDArray[np.bool_]:
    """Return for each element whether it contains an H1, or is a menu by name with less than half of its words in
    links.
    """
    elements = segments.elements
    wraps = np.zeros(len(named_region), dtype=np.bool_)
    named = np.flatnonzero(named_region != _NONE)
    first = elements.first_blocks[named]
    after = elements.after_blocks[named]
    headlines = _sums_between(segments.levels == 1, first, after)
    words = _sums_between(segments.words_in_blocks, first, after)
    linked = _sums_between(segments.linked_words_in_blocks, first, after)
    is_menu = named_region[named] == _NUMBER[BlockKind.MENU]
    wraps[named] = (headlines > 0) | (is_menu & (2 * linked < words))
    return wraps


def _sums_between(values: npt.NDArray[np.generic], first: Ints, after: Ints) -> Ints:
    """Return the sum of the values of each range, which ends before `after`."""
    sums = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return sums[after] - sums[first]


def _structures(structure: Ints, parents: Ints, depth: int) -> Ints:
    """Return for each element the number of code, table, list or text that it is in."""
    with_paragraphs = _nearest(structure, parents, depth)
    without_paragraphs = _nearest(np.where(structure == _TEXT, _NONE, structure), parents, depth)
    is_text = (without_paragraphs == _NONE) | ((without_paragraphs == _TABLE) & (with_paragraphs == _TEXT))
    return np.where(is_text, _TEXT, without_paragraphs)


def _nearest(structure: Ints, parents: Ints, depth: int) -> Ints:
    """Return the structure of each element, or else of the innermost element around it with a structure, or `_NONE`."""
    nearest = np.where(structure != _NONE, np.arange(len(structure)), np.maximum(parents, 0))
    # Each step doubles the number of enclosing elements that are examined: 1, 2, 4 and so on.
    for _ in range(depth.bit_length()):
        nearest = nearest[nearest]
    return structure[nearest]
