"""What blocks are in their pages, by tags and by words of class, id and role: the first kind in `BlockKind` that holds.

- title: the page's title.
- comment, footer, menu: in a FOOTER or NAV, or in an element with such a word in its class, id or role (`comment`, `footer`,
  `sidebar`, `toc`, ...) that does not wrap the page: no H1 is in it, and of a menu half of the words or more are in links.
- heading: H1 to H6.
- code, table, list: the innermost element around the block of PRE, XMP; TD, TH, CAPTION; LI, DT, DD. But a paragraph (P,
  BLOCKQUOTE) in a cell is text, as in tables that lay out a page.
- link: more than half of the words are in links. Before table and list, after code. - text: all the rest.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.pages import Segments
from thresher.pages.parsing import TITLE_LEVEL


class BlockKind(StrEnum):
    """What a block is in its page. The score store has their numbers in this order."""

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
_CODE, _LINK, _TABLE, _LIST, _TEXT = (_NUMBER[kind] for kind in KINDS[5:])
_STRUCTURE = {
    **dict.fromkeys(("pre", "xmp"), _CODE),
    **dict.fromkeys(("td", "th", "caption"), _TABLE),
    **dict.fromkeys(("li", "dt", "dd"), _LIST),
    **dict.fromkeys(("p", "blockquote"), _TEXT),
}
_NONE = -1
# The last of these that holds counts.
_REGIONS = {
    BlockKind.MENU: re.compile(
        r"\b(nav|navbar|navigation|menus?|(bread)?crumbs?|sidebar|toc|toctree|pagination|pager)\b"
    ),
    BlockKind.FOOTER: re.compile(r"\b(footer|contentinfo|colophon)\b"),
    BlockKind.COMMENT: re.compile(r"\b(comments?|commentlist|disqus|reply|replies)\b"),
}
_REGION_TAGS = {"nav": BlockKind.MENU, "footer": BlockKind.FOOTER}
_WHOLE = ("html", "body", "meta")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
# Each match of `_REGIONS` has one of these, for which a search takes a fraction of the time.
_LIKELY = re.compile(r"nav|menu|crumb|sidebar|toc|pag|foot|contentinfo|colophon|comment|disqus|repl")


@lru_cache(maxsize=50_000)
def _says(description: str) -> int:
    """Return what an element is by its description: its structure, its region by its tag and that by its words.

    From the lowest, four bits for each: one more than the number, so that 0 is none.
    """
    tag, _, words = description.partition(" ")
    named = _NONE
    if words and tag not in _WHOLE and _LIKELY.search(words.lower()):
        words = _CAMEL.sub(" ", words).lower()
        named = next((_NUMBER[kind] for kind in reversed(_REGIONS) if _REGIONS[kind].search(words)), _NONE)
    region = _NUMBER[_REGION_TAGS[tag]] if tag in _REGION_TAGS else _NONE
    return _STRUCTURE.get(tag, _NONE) + 1 | region + 1 << 4 | named + 1 << 8


def kinds_of(segments: Segments) -> npt.NDArray[np.uint8]:
    """Return the number of each block's kind in `KINDS`, of a page that was read with its elements; shape (blocks,)."""
    elements, levels = segments.elements, segments.levels
    # Of most elements, such as images and words of a sentence, no block is a part.
    begun = np.flatnonzero(elements.after_blocks > elements.first_blocks)
    said = np.zeros(len(elements.descriptions), dtype=np.int64)
    said[begun] = [*map(_says, map(elements.descriptions.__getitem__, begun.tolist()))]
    structure, region, named = ((said >> shift & 15) - 1 for shift in (0, 4, 8))
    kinds = _structures(structure, elements.parents, int(elements.depths.max()))[elements.innermost].astype(np.uint8)
    kinds[(segments.linked_words_in_blocks * 2 > segments.words_in_blocks) & (kinds != _CODE)] = _LINK
    kinds[levels > 0] = _NUMBER[BlockKind.HEADING]
    sums = np.zeros((3, len(levels) + 1), dtype=np.int64)
    np.cumsum((levels == 1, segments.words_in_blocks, segments.linked_words_in_blocks), axis=1, out=sums[:, 1:])
    at = np.flatnonzero((region != _NONE) | (named != _NONE))
    region, named, first, after = region[at], named[at], elements.first_blocks[at], elements.after_blocks[at]
    headlines, words, linked = sums[:, after] - sums[:, first]
    wraps = (headlines > 0) | ((named == _NUMBER[BlockKind.MENU]) & (2 * linked < words))
    for kind in _REGIONS:
        of_kind = (region == _NUMBER[kind]) | ((named == _NUMBER[kind]) & ~wraps)
        for begin, end in zip(first[of_kind].tolist(), after[of_kind].tolist(), strict=True):
            kinds[begin:end] = _NUMBER[kind]
    kinds[levels == TITLE_LEVEL] = _NUMBER[BlockKind.TITLE]
    return kinds


def _structures(own: Ints, parents: Ints, depth: int) -> Ints:
    """Return for each element the number of code, table, list or text that it is in."""
    of_paragraph = _nearest(own, parents, depth)
    found = _nearest(np.where(own == _TEXT, _NONE, own), parents, depth)
    return np.where((found == _NONE) | ((found == _TABLE) & (of_paragraph == _TEXT)), _TEXT, found)


def _nearest(own: Ints, parents: Ints, depth: int) -> Ints:
    """Return what each element is, or else the innermost one around it that is anything; `_NONE` if none is."""
    nearest = np.where(own != _NONE, np.arange(len(own)), np.maximum(parents, 0))
    # Each learns at once from those around it: from 1, then from 2, 4 and so on.
    for _ in range(depth.bit_length()):
        nearest = nearest[nearest]
    return own[nearest]
