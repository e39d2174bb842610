"""HTML to lines of text: one block per line, with marks for links and headings.

libxml2 parses the page (through lxml) and reports each tag and text, from which one text is written: a line feed ends a block,
and other control characters are marks. The page's own control characters, character references included, are removed first.
No tree is built, so time and memory are proportional to the page, however deep its elements and however many its attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree

# A tab and the character after it are one mark; of a heading, its level. A carriage return stands before and after the
# description of an element.
MARK, _DESCRIBED = "\t", "\r"
_HEADING = f"\n{MARK}{{}}\n"
TITLE_LEVEL = 7
_HEADINGS = {**{f"h{level}": level for level in range(1, 7)}, "title": TITLE_LEVEL}

# Marks that only some scorers need; see `thresher.pages.marks`. Those of blocks follow the line feed.
INLINE, INLINE_END, SOFT, SOFT_END, BREAK, DROPPED, ITEM, IMAGE, LINK, LINK_END = "-_~^/=*!@#"
BUTTON, BUTTON_END, SELECT, SELECT_END, TEXTAREA, TEXTAREA_END = "[]{}:;"
# Where elements begin and end, innermost of the marks at a tag; see `thresher.pages.marks`.
ELEMENT, ELEMENT_END = "<)"
_ELEMENT_END_MARK = MARK + ELEMENT_END
CONTROL, CONTROL_END = BUTTON + SELECT + TEXTAREA, BUTTON_END + SELECT_END + TEXTAREA_END
WITHIN_PARAGRAPH = SOFT + SOFT_END + BREAK + DROPPED + IMAGE + CONTROL + CONTROL_END
BEGIN = INLINE + SOFT + LINK + IMAGE + CONTROL + ITEM + "01234567"
# Tags that style words of a sentence. Kohlschuetter et al. define a block as text not interrupted by a tag other than A;
# their released code ignores these tags as well, as is the default here.
INLINE_TAGS = frozenset(
    (
        "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby rb rt rp"
        " s samp small span strike strong sub sup time tt u var wbr"
    ).split()
)
# Tags at which jusText begins a paragraph. Its list has OPTION and TEXTAREA too: here OPTION is dropped, and TEXTAREA has
# marks of its own.
PARAGRAPH_TAGS = frozenset(
    (
        "body blockquote caption center col colgroup dd div dl dt fieldset form h1 h2 h3 h4 h5 h6 legend li optgroup"
        " p pre table td tfoot th thead tr ul"
    ).split()
)
_CONTROL_TAGS = {"button": (BUTTON, BUTTON_END), "select": (SELECT, SELECT_END), "textarea": (TEXTAREA, TEXTAREA_END)}
# Elements without content in libxml2.
_VOID_TAGS = ("area", "base", "basefont", "frame", "hr", "img", "input", "link", "meta", "param")
# Elements that no block is in, and that say nothing of the page: their attributes are left out.
_UNDESCRIBED = frozenset((*_VOID_TAGS, "br")) - {"meta"}
# Not displayed, or only without scripts, frames or objects. Not EMBED: libxml2 puts what follows into it.
DROPPED_TAGS = frozenset("script style template noscript noframes iframe noembed applet svg option".split())
# Attributes that may describe an element besides its tag; one mark stands for all that hide it.
_HIDING = frozenset(("hidden", "aria-hidden", "style"))
_DESCRIBING = _HIDING | {"class", "id", "role", "itemprop", "itemtype", "rel", "content"}
HIDDEN = "\x7f"
_HIDING_STYLES = ("display:none", "visibility:hidden")
_PAGE_TYPE = "og:type"

CONTROL_REFERENCE = re.compile(
    rb"&(?:#0*(?:[12]?[0-9]|3[01]|127)(?![0-9]);?|#[xX]0*(?:1?[0-9a-fA-F]|7[fF])(?![0-9a-fA-F]);?|NewLine;|Tab;)"
)
_BREAK_END = re.compile(rb"</[bB][rR]\s*/?>")
_ASCII = bytes(range(128))
_SPACE, _LINE_FEED, _NO_HEADING = ord(" "), ord("\n"), ord("0")
# In UTF-8, the first two bits of each byte of a character but the first.
_FIRST_BITS, _CONTINUES = 0xC0, 0x80


class Detail(IntEnum):
    """The marks in the text of a page; blocks are the same either way."""

    HEADINGS = 0
    """Headings only."""
    TAGS = 1
    """Links, list items and other tags too: see `thresher.pages.marks`."""
    ELEMENTS = 2
    """The tree of elements too, with their attributes: see `thresher.pages.marks`."""


class DescribedText(NamedTuple):
    """Marked text with the mark `ELEMENT` for each description of an element; and the descriptions, in order."""

    marked: bytes
    descriptions: list[str]


class Lines(NamedTuple):
    """The blocks of marked text.

    Attributes:
        text: the blocks, joined by line feeds, with one space between words.
        levels: each block's heading level: 0 for none, 1 to 6, 7 for the page's title.
        places: where each character of the text is in the marked text, in bytes; of white space, where its run begins. None
            if it was not asked for.
    """

    text: str
    levels: list[int]
    places: npt.NDArray[np.int64] | None


@dataclass(frozen=True)
class _Marks:
    """The marks for begin and end tags, by tag (None for elements that are dropped); for other tags; for a dropped element."""

    begin: Mapping[str, str | None]
    end: Mapping[str, str | None]
    other_begin: str
    other_end: str
    dropped: str


class _Target(NamedTuple):
    """The functions that lxml's parser calls."""

    start: Callable[[str, Mapping[str, str]], None]
    end: Callable[[str], None]
    data: Callable[[str], None]
    close: Callable[[], bytes]


@dataclass
class _DroppedElements:
    """Leaves out what is written within dropped elements, which may stand in each other."""

    pieces: list[str]
    mark: str
    depth: int = 0
    begin_of_outermost: int = 0

    def begin(self) -> None:
        """Note that a dropped element begins."""
        if not self.depth:
            self.pieces.append(self.mark)
            self.begin_of_outermost = len(self.pieces)
        self.depth += 1

    def end(self) -> None:
        """Note that a dropped element ends."""
        self.depth -= 1
        if not self.depth:
            del self.pieces[self.begin_of_outermost :]


def flatten(utf8: bytes, blocks: str = "join", detail: Detail = Detail.TAGS) -> bytes:
    """Parse a page in UTF-8 into text with marks, in UTF-8; those of elements must be taken out by `described`.

    `blocks` is `join` to ignore inline tags such as B and SPAN, `split` to ignore only A.
    """
    html = CONTROL_REFERENCE.sub(b" ", with_breaks(_without_controls(utf8)))
    marks = _marks(blocks, detail >= Detail.TAGS)
    target = _element_writer(marks) if detail >= Detail.ELEMENTS else _mark_writer(marks)
    # An eighth less time than for UTF-8.
    encoding = "ascii" if html.isascii() else "utf-8"
    # Without limits of depth and of a text's length. The index of ids is never used.
    parser = etree.HTMLParser(encoding=encoding, target=target, huge_tree=True, collect_ids=False)
    flat: bytes = etree.fromstring(html, parser)
    return flat


def with_breaks(html: bytes) -> bytes:
    """Return a page with BR for its end tags, which browsers take for it and libxml2 ignores."""
    return _BREAK_END.sub(b"<br>", html)


def described(flat: bytes) -> DescribedText:
    """Take the descriptions of elements out of marked text.

    A description is the tag, and unless the element is without content the words of its attributes, `HIDDEN` if one hides it.
    """
    pieces = flat.split(_DESCRIBED.encode())
    descriptions: list[str] = []
    if len(pieces) > 1:
        # Decoded at once.
        descriptions = b"\n".join(pieces[1::2]).decode().split("\n")
    return DescribedText((MARK + ELEMENT).encode().join(pieces[::2]), descriptions)


def lines(flat: bytes, placed: bool = False) -> Lines:
    """Return the blocks of marked text, whose only white space is U+0020 and line feeds; their places only if `placed`."""
    codes = np.frombuffer(b"\n%b\n" % flat, dtype=np.uint8)
    marks = (codes == ord(MARK)).nonzero()[0]
    kinds = codes[marks + 1]
    shown = (codes >= _SPACE) | (codes == _LINE_FEED)
    shown[marks + 1] = False
    places = shown.nonzero()[0]
    codes = codes.take(places)
    # Of a run of white space one character remains: a line feed if there is any. The text begins and ends with such a run.
    remains = codes > _SPACE
    edges = (remains[1:] != remains[:-1]).nonzero()[0] + 1
    words, runs = edges[::2], np.concatenate(([0], edges[1::2]))
    # Until the next run: white space is before all else.
    separators = np.minimum.reduceat(codes, runs)
    codes[runs] = separators
    remains[runs] = True
    # There are line feeds on both sides of a heading's mark.
    headings = (kinds >= _NO_HEADING) & (kinds <= _NO_HEADING + TITLE_LEVEL)
    levels = np.concatenate(([0], kinds[headings] - _NO_HEADING))
    first_words = places[words[separators[:-1] == _LINE_FEED]]
    levels_of_blocks = levels[marks[headings].searchsorted(first_words)].tolist()
    remaining = remains.nonzero()[0]
    codes = codes.take(remaining)
    text = codes.tobytes().decode()[1:-1]
    if not placed:
        return Lines(text, levels_of_blocks, None)
    begins_character = codes & _FIRST_BITS != _CONTINUES
    # A line feed was put before the marked text, and one stands at each end of the lines.
    return Lines(text, levels_of_blocks, places.take(remaining.compress(begins_character))[1:-1] - 1)


def one_space(utf8: bytes, outside: set[str]) -> bytes:
    """Return a text with U+0020 for all other white space; `outside` are its characters outside ASCII."""
    for character in outside:
        if character.isspace():
            utf8 = utf8.replace(character.encode(), b" ")
    return utf8


def outside_ascii(text: str | bytes) -> set[str]:
    """Return the characters of a text, in UTF-8 if it is bytes, that are not ASCII."""
    if text.isascii():
        return set()
    utf8 = text.encode() if isinstance(text, str) else text
    return set(utf8.translate(None, _ASCII).decode())


def _mark_writer(marks: _Marks) -> _Target:
    """Return a parser's target that writes text and marks.

    The functions see their tables as local variables: attributes of an object would take a tenth of the time of parsing.
    """
    pieces: list[str] = []
    append = pieces.append
    begin_mark, end_mark = marks.begin.get, marks.end.get
    other_begin, other_end = marks.other_begin, marks.other_end
    dropped = _DroppedElements(pieces, marks.dropped)

    def start(tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG001, as lxml calls it
        mark = begin_mark(tag, other_begin)
        if mark is None:
            dropped.begin()
        else:
            append(mark)

    def end(tag: str) -> None:
        mark = end_mark(tag, other_end)
        if mark is None:
            dropped.end()
        else:
            append(mark)

    return _Target(start, end, append, lambda: "".join(pieces).encode())


def _element_writer(marks: _Marks) -> _Target:
    """Return a parser's target that writes the descriptions of elements too, and marks their ends."""
    pieces: list[str] = []
    append = pieces.append
    begin_mark, end_mark = marks.begin.get, marks.end.get
    other_begin, other_end = marks.other_begin, marks.other_end
    dropped = _DroppedElements(pieces, marks.dropped)

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        mark = begin_mark(tag, other_begin)
        if mark is None:
            dropped.begin()
            return
        append(mark)
        append(_DESCRIBED)
        append(tag)
        if attributes and tag not in _UNDESCRIBED:
            for name, value in attributes.items():
                if name in _DESCRIBING and _describes(tag, name, value, attributes):
                    append(" ")
                    append(HIDDEN if name in _HIDING else value)
        append(_DESCRIBED)

    def end(tag: str) -> None:
        mark = end_mark(tag, other_end)
        if mark is None:
            dropped.end()
            return
        append(_ELEMENT_END_MARK)
        append(mark)

    return _Target(start, end, append, lambda: "".join(pieces).encode())


def _describes(tag: str, name: str, value: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an attribute of `_DESCRIBING` describes its element."""
    if name in _HIDING:
        return _hides(name, value)
    if name == "content":
        return tag == "meta" and attributes.get("property") == _PAGE_TYPE
    return True


def _hides(name: str, value: str) -> bool:
    """Return whether an attribute hides its element: HIDDEN, ARIA-HIDDEN, or a STYLE in letters of any case."""
    if name == "aria-hidden":
        return value == "true"
    if name == "style":
        style = value.lower().replace(" ", "")
        return any(hiding in style for hiding in _HIDING_STYLES)
    return True


@cache
def _marks(blocks: str, detailed: bool) -> _Marks:
    # Without detail, only headings have marks: blocks end at other tags, and inline tags leave nothing.
    inline, inline_end, soft, soft_end, dropped = "", "", "\n", "\n", "\n"
    if detailed:
        inline, inline_end = MARK + INLINE, MARK + INLINE_END
        soft, soft_end = f"\n{MARK}{SOFT}", f"\n{MARK}{SOFT_END}"
        dropped = f"\n{MARK}{DROPPED}"
    begin: dict[str, str | None] = dict.fromkeys((*_VOID_TAGS, "br"), soft)
    end: dict[str, str | None] = dict.fromkeys((*_VOID_TAGS, "br"), "")
    if detailed:
        begin["br"] = f"\n{MARK}{BREAK}"
        begin |= dict.fromkeys(PARAGRAPH_TAGS, "\n")
        end |= dict.fromkeys(PARAGRAPH_TAGS, "\n")
        for tag, (mark, mark_end) in _CONTROL_TAGS.items():
            begin[tag] = f"\n{MARK}{mark}"
            end[tag] = f"\n{MARK}{mark_end}"
        begin["img"] = f"\n{MARK}{IMAGE}"
        begin["li"] = f"\n{MARK}{ITEM}"
    if blocks == "join":
        begin |= dict.fromkeys(INLINE_TAGS, inline)
        end |= dict.fromkeys(INLINE_TAGS, inline_end)
    begin["a"] = MARK + LINK if detailed else ""
    end["a"] = MARK + LINK_END if detailed else ""
    for tag, level in _HEADINGS.items():
        begin[tag] = _HEADING.format(level)
        end[tag] = _HEADING.format(0)
    begin |= dict.fromkeys(DROPPED_TAGS)
    end |= dict.fromkeys(DROPPED_TAGS)
    return _Marks(begin, end, soft, soft_end, dropped)


def _without_controls(utf8: bytes) -> bytes:
    """Return the text with a space for each control character, line feeds included; without NULs, which browsers drop."""
    without_nul = utf8.replace(b"\0", b"")
    # As `bytes.translate`, in half the time: controls are all bytes below the space, and DEL.
    return np.maximum(np.frombuffer(without_nul, dtype=np.uint8), _SPACE).tobytes().replace(b"\x7f", b" ")
