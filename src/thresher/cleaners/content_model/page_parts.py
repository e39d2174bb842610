"""Parts of a page that rules find without the network: its footer, and code between texts."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.cleaners.content_model.page_tree import FAMILIES, WHOLE_PAGE, PageTree, describe
from thresher.pages import Segments
from thresher.pages.marks import Elements
from thresher.pages.parsing import TITLE_LEVEL

Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.float64]

FOOTER, NAMED = 1, 2
"""Kinds of elements: the page's footer by HTML; an element that is named a footer."""
_SECTIONS = ("article", "aside", "main", "nav", "section", "blockquote", "details", "dialog", "fieldset", "figure")
"""A FOOTER within these belongs to them, not to the page."""
_NAMES = re.compile(
    r"(?:(?:site|page|main|global|bottom)[-_]?)?footer(?:[-_]?(?:wrapper|wrap|container|inner|content|area|bottom))?"
    r"|colophon"
)
_SIGNS = ("©", "Ⓒ", "ⓒ", "(c)", "(C)", "opyright", "OPYRIGHT")
_SIGN = r"(?:[©Ⓒⓒ]|\([cC]\)|\b(?:[cC]opyright|COPYRIGHT))"
_COPYRIGHT = re.compile(rf"^\W*[©Ⓒⓒ]|{_SIGN}\D{{0,40}}\b(?:19|20)\d\d|\b(?:19|20)\d\d\D{{0,10}}{_SIGN}")
"""A line that begins with the sign, or has sign and year near each other."""
_COPYRIGHT_WORDS = 25
"""A line of copyright is no longer."""
_TEXT_WORDS = 5
"""Code between shorter blocks, such as labels of tabs, is not between texts."""


@dataclass(frozen=True)
class PageParts:
    """Parts of a page; masks have the shape (blocks,).

    Attributes:
        footers: the blocks in the page's footer.
        endings: the blocks in elements that are named footers, and lines of copyright: a footer if no content follows.
        code: blocks of code.
        without_code: all blocks without code, except the page's title.
        texts: the blocks of `without_code` outside elements of code, of `_TEXT_WORDS` words or more.
        main_part: the blocks of the smallest element with nearly all of the page's prose.
        comments: the blocks in elements that are named comments. Names within code do not count, since highlighted code has
            them for the comments of a program.
    """

    footers: Mask
    endings: Mask
    code: Mask
    without_code: Mask
    texts: Mask
    main_part: slice
    comments: Mask


def parts_of(segments: Segments, tree: PageTree, words: Words, main_part: slice, comments: Mask) -> PageParts:
    """Return the parts of a page that has at least one block.

    `words` are the numbers of words of the blocks; `comments` marks the blocks in elements that are named comments.
    """
    elements = segments.elements
    kinds = _footer_kinds(tree)
    footers = kinds == FOOTER
    named = kinds == NAMED
    if footers.any() or named.any():
        in_sections = _inside(elements, _with_tags(tree, _SECTIONS))
        footers &= ~((tree.tag == tree.tags.get("footer", -1)) & in_sections)
        named &= ~in_sections
    endings = _blocks_in(elements, named) | _copyright_lines(segments, words)
    code_elements = _code_elements(segments, tree)
    in_code = _blocks_in(elements, code_elements)
    code = in_code & ~segments.marks.is_control & _has_letters(segments, in_code)
    prose = ~code & (segments.levels < TITLE_LEVEL)
    texts = prose & ~in_code & (words >= _TEXT_WORDS)
    comments = _comments(elements, tree, code_elements, comments)
    return PageParts(_blocks_in(elements, footers), endings, code, prose, texts, main_part, comments)


def _footer_kinds(tree: PageTree) -> Ints:
    """Return of each element 0, `FOOTER` or `NAMED`."""
    kinds = np.zeros(len(tree.texts), dtype=np.int64)
    for number, description in enumerate(tree.texts):
        # Most descriptions have none of these words, and looking for the words is fast.
        if "oot" in description or "OOT" in description or "olophon" in description or "contentinfo" in description:
            kinds[number] = _footer_kind(description.lower())
    return kinds[tree.description]


def _footer_kind(description: str) -> int:
    words = description.split()
    tag = words[0]
    names = words[1:]
    if tag == "footer" or "contentinfo" in names:
        return FOOTER
    # Classes of BODY name parts anywhere on the page.
    if tag not in WHOLE_PAGE and any(map(_NAMES.fullmatch, names)):
        return NAMED
    return 0


def _comments(elements: Elements, tree: PageTree, code_elements: Mask, named: Mask) -> Mask:
    """Return `PageParts.comments` from the blocks in elements that are named comments."""
    if not code_elements.any():
        return named
    byte, bit = divmod(FAMILIES.index("comment"), 8)
    names_comments = np.zeros(len(tree.texts), dtype=np.bool_)
    for number, text in enumerate(tree.texts):
        tag = text.partition(" ")[0]
        if tag not in WHOLE_PAGE:
            names_comments[number] = describe(text)[byte] >> bit & 1
    comments = names_comments[tree.description]
    return _blocks_in(elements, comments & ~_inside(elements, code_elements))


def _with_tags(tree: PageTree, tags: tuple[str, ...]) -> Mask:
    """Return which elements have one of these tags."""
    has_tag = np.zeros(len(tree.tags), dtype=np.bool_)
    has_tag[[tree.tags[tag] for tag in tags if tag in tree.tags]] = True
    return has_tag[tree.tag]


def _inside(elements: Elements, chosen: Mask) -> Mask:
    """Return which elements are within chosen ones."""
    begun = chosen.cumsum() - chosen
    ended = np.bincount(elements.after_elements[chosen], minlength=len(chosen) + 1)[:-1].cumsum()
    return begun > ended


def _blocks_in(elements: Elements, chosen: Mask) -> Mask:
    """Return which blocks are in chosen elements."""
    if not chosen.any():
        return np.zeros(len(elements.innermost), dtype=np.bool_)
    return _blocks_between(elements.first_blocks[chosen], elements.after_blocks[chosen], len(elements.innermost))


def _blocks_between(first: Ints, after: Ints, blocks: int) -> Mask:
    begun = np.bincount(first, minlength=blocks + 1)
    ended = np.bincount(np.maximum(first, after), minlength=blocks + 1)
    return (begun - ended)[:-1].cumsum() > 0


def _copyright_lines(segments: Segments, words: Words) -> Mask:
    """Return which blocks are lines of copyright."""
    lines = np.zeros(len(words), dtype=np.bool_)
    for block in _blocks_with(segments, _SIGNS):
        if words[block] <= _COPYRIGHT_WORDS and _COPYRIGHT.search(segments.blocks[block]):
            lines[block] = True
    return lines


def _blocks_with(segments: Segments, signs: tuple[str, ...]) -> list[int]:
    """Return the blocks that hold one of these signs."""
    positions: list[int] = []
    for sign in signs:
        at = segments.text.find(sign)
        while at >= 0:
            positions.append(at)
            at = segments.text.find(sign, at + 1)
    blocks: list[int] = segments.block_ends.searchsorted(positions, side="right").tolist()
    return sorted(set(blocks))


def _code_elements(segments: Segments, tree: PageTree) -> Mask:
    """Return which elements are PRE, or CODE around whole blocks."""
    elements = segments.elements
    in_code = _with_tags(tree, ("pre", "code"))
    if not in_code.any():
        return in_code
    last_blocks = np.maximum(elements.after_blocks, 1) - 1
    is_whole = (elements.after_blocks > elements.first_blocks) & (elements.ends > segments.marks.lasts[last_blocks])
    is_whole_code: Mask = _with_tags(tree, ("code",)) & is_whole
    return is_whole_code | _with_tags(tree, ("pre",))


def _has_letters(segments: Segments, chosen: Mask) -> Mask:
    """Return which of the chosen blocks are more than numbers of lines."""
    has_letters = chosen.copy()
    for block in chosen.nonzero()[0].tolist():
        has_letters[block] = not segments.blocks[block].replace(" ", "").isdecimal()
    return has_letters
