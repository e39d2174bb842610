"""HTML to lines of text: one block per line, with marks for links and headings.

libxml2 parses the page (through lxml) and reports each tag and text, from which one text is written: a line feed ends a block,
and other control characters are marks. The page's own control characters, character references included, are removed first.
No tree is built, so time and memory are proportional to the page, however deep its elements and however many its attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree

from thresher.pages.references import WATCHED, ReferenceReader, References
from thresher.pages.unshown import (
    CLOSED_TAG,
    DROPPED_TAGS,
    HIDING,
    LEFT_OUT,
    Version,
    hides,
    is_invisible,
    is_visible,
)

# A tab and the character after it are one mark; of a heading, its level. A carriage return stands before and after the
# description of an element.
MARK = "\t"
_DESCRIBED = "\r"
_HEADING = f"\n{MARK}{{}}\n"
TITLE_LEVEL = 7
_HEADINGS = {**{f"h{level}": level for level in range(1, 7)}, "title": TITLE_LEVEL}

# Marks that only some scorers need; see `thresher.pages.marks`. Those of blocks follow the line feed.
INLINE, INLINE_END, SOFT, SOFT_END, BREAK, DROPPED, ITEM, IMAGE, LINK, LINK_END = "-_~^/=*!@#"
BUTTON, BUTTON_END, SELECT, SELECT_END, TEXTAREA, TEXTAREA_END = "[]{}:;"
# Where elements begin and end, innermost of the marks at a tag; see `thresher.pages.marks`.
ELEMENT, ELEMENT_END = "<)"
CONTROL = BUTTON + SELECT + TEXTAREA
CONTROL_END = BUTTON_END + SELECT_END + TEXTAREA_END
WITHIN_PARAGRAPH = SOFT + SOFT_END + BREAK + DROPPED + IMAGE + CONTROL + CONTROL_END
BEGIN = INLINE + SOFT + LINK + IMAGE + CONTROL + ITEM + "01234567"
# Elements that are lines, paragraphs, lists or tables of their own by the HTML standard, 15.3: all others, unknown ones
# included, stand within a line. Kohlschuetter et al. define a block as text not interrupted by a tag other than A; their
# released code ignores tags that style words as well, as is the default here for all tags within a line. SELECT and TEXTAREA,
# inline-blocks in the standard, are here too: the text in them belongs to no sentence around them.
BLOCK_TAGS = frozenset(
    (
        "address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset"
        " figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main"
        " menu nav ol optgroup p plaintext pre search section select summary table tbody td textarea tfoot th thead title"
        " tr ul xmp"
    ).split()
)
# Elements within a line that are boxes of their own: they part words, but no sentences. So does what is left out, but for
# hidden elements that are no boxes. LABEL is no box in the standard, but the words of two labels are no one word.
BOX_TAGS = frozenset("button embed img input keygen label marquee meter mtd object progress".split())
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
_VOID_TAGS = frozenset(("area", "base", "basefont", "frame", "hr", "img", "input", "link", "meta", "param"))
# Elements that no block is in, and that say nothing of the page: their attributes are left out.
_UNDESCRIBED = (_VOID_TAGS | {"br"}) - {"meta"}
# Attributes that describe an element besides its tag, and those whose value tells it; one mark stands for all that hide it.
_NAMING = frozenset(("class", "id", "role", "itemprop", "itemtype", "rel"))
_TELLING = HIDING | {"content"}
HIDDEN = "\x7f"
_PAGE_TYPE = "og:type"

# In a written page: descriptions of elements, marks, other white space.
_NO_TEXT = rf"{_DESCRIBED}[^{_DESCRIBED}]*{_DESCRIBED}|{MARK}."
_MARKS = re.compile(_NO_TEXT)
_MARKS_OR_FEEDS = re.compile(rf"[{MARK}{_DESCRIBED}\n]")
_NO_CHARACTER = re.compile(rf"{_NO_TEXT}|[^\S{MARK}{_DESCRIBED}]+")
CONTROL_REFERENCE = re.compile(
    rb"&(?:#0*(?:[12]?[0-9]|3[01]|127)(?![0-9]);?|#[xX]0*(?:1?[0-9a-fA-F]|7[fF])(?![0-9a-fA-F]);?|NewLine;|Tab;)"
)
_BREAK_END = re.compile(rb"</[bB][rR]\s*/?>")
_SPACE = ord(" ")
_LINE_FEED = ord("\n")
_NO_HEADING = ord("0")
# In UTF-8, the first two bits of each byte of a character but the first.
_FIRST_BITS = 0xC0
_CONTINUES = 0x80
_StartTag = Callable[[str, Mapping[str, str]], None]
_EndTag = Callable[[str], None]


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
    """The texts that are written for tags.

    Attributes:
        begin: texts for begin tags, by tag; None if the tag alone may leave out its element.
        end: texts for end tags, by tag.
        other_begin, other_end: texts for tags that are in neither.
        suspects: texts for begin tags that are None in `begin`.
        left_out: texts for elements that are left out, by tag.
        other_left_out: the text for other elements that are left out.
    """

    begin: Mapping[str, str | None]
    end: Mapping[str, str]
    other_begin: str
    other_end: str
    suspects: Mapping[str, str]
    left_out: Mapping[str, str]
    other_left_out: str


class FlatPage(NamedTuple):
    """A page as text with marks, in UTF-8; and its references, None if they were not asked for."""

    marked: bytes
    references: References | None


class _Target(NamedTuple):
    """The functions that lxml's parser calls."""

    start: _StartTag
    end: _EndTag
    data: Callable[[str], None]
    close: Callable[[], FlatPage]


@dataclass
class _BegunElement:
    """An element that may be left out, or one in it that is visible, and has not ended.

    Attributes:
        first: its first piece.
        tag: its tag.
        most: the characters up to which it is left out; -1 once it has more.
        may_show: whether elements in it may be visible.
        is_visible: whether it is visible in an element that is not.
        visible: the pieces of visible elements in it: for each the first, and that after the last.
    """

    first: int
    tag: str
    most: int
    may_show: bool = False
    is_visible: bool = False
    visible: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _OpenElements:
    """Elements that may be left out and have not ended, and the pieces that are taken back when they end.

    Attributes:
        pieces: the written pieces of text.
        marks: the marks of the tags.
        version: which elements are left out.
        depths: for each of the elements, how many elements within it are open.
        begun: the elements.
        reader: notes the references, if that was asked for.
    """

    pieces: list[str]
    marks: _Marks
    version: Version
    depths: list[int] = field(default_factory=list)
    begun: list[_BegunElement] = field(default_factory=list)
    reader: ReferenceReader | None = None

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note that an element begins whose tag or attributes may hide it, or show it in a hidden one."""
        most = self.version.most_characters(tag, attributes)
        if most >= 0:
            may_show = most < LEFT_OUT and is_invisible(tag, attributes)
            self._note(_BegunElement(len(self.pieces), tag, most, may_show=may_show))
        elif self.begun and self.begun[-1].may_show and is_visible(attributes):
            self._note(_BegunElement(len(self.pieces), tag, most, is_visible=True))

    def _note(self, element: _BegunElement) -> None:
        self.depths.append(0)
        self.begun.append(element)

    def end(self) -> None:
        """Leave out the innermost of the elements, which ends, unless it is visible or too long; visible ones in it stay."""
        self.depths.pop()
        if self.depths:
            self.depths[-1] -= 1
        element = self.begun.pop()
        around = self.begun[-1] if self.begun else None
        if around and element.is_visible:
            around.visible.append((element.first, len(self.pieces)))
        elif element.most < LEFT_OUT and (element.most < 0 or self._is_longer(element)):
            if around and around.most < LEFT_OUT:
                # The one around is as long, and need not be counted.
                around.most = -1
        elif element.visible:
            for hidden in self._hidden_pieces(element):
                self.pieces[hidden] = [_without_text(piece) for piece in self.pieces[hidden]]
            if around and around.may_show:
                around.visible.append((element.first, len(self.pieces)))
        else:
            del self.pieces[element.first :]
            if self.reader is not None:
                self.reader.take_back(element.first)
            self.pieces.append(self.marks.left_out.get(element.tag, self.marks.other_left_out))

    def _is_longer(self, element: _BegunElement) -> bool:
        """Return whether the hidden text of an element has more characters that are neither white space nor marks."""
        text = "".join(chain.from_iterable(self.pieces[hidden] for hidden in self._hidden_pieces(element)))
        return len(text) > element.most and len(_NO_CHARACTER.sub("", text)) > element.most

    def _hidden_pieces(self, element: _BegunElement) -> list[slice]:
        """Return the pieces of an element that ends, without the pieces of visible elements in it."""
        hidden: list[slice] = []
        begin = element.first
        for first_visible, after_visible in element.visible:
            hidden.append(slice(begin, first_visible))
            begin = after_visible
        hidden.append(slice(begin, len(self.pieces)))
        return hidden

    def close(self) -> FlatPage:
        """Return the written page, and forget it: lxml keeps its target until Python collects garbage."""
        references = self.reader.references() if self.reader is not None else None
        flat = "".join(self.pieces).encode()
        self.pieces.clear()
        del self.version, self.reader
        return FlatPage(flat, references)


def _without_text(piece: str) -> str:
    """Return a piece if it is of marks; a text has no control characters."""
    return piece if _MARKS_OR_FEEDS.search(piece) else ""


def flatten(utf8: bytes, blocks: str = "join", detail: Detail = Detail.TAGS, keeps_hidden: bool = False) -> bytes:
    """Parse a page as `flatten_page`, without its references."""
    return flatten_page(Version(utf8, keeps_hidden), blocks, detail).marked


def flatten_page(version: Version, blocks: str, detail: Detail, with_references: bool = False) -> FlatPage:
    """Parse a page in UTF-8 into text with marks, in UTF-8; those of elements must be taken out by `described`.

    Args:
        version: the page, and whether hidden elements stay.
        blocks: `join` to ignore tags within a line such as B and SPAN, `split` to ignore only A.
        detail: which marks are written.
        with_references: whether references are noted, too.
    """
    utf8 = version.utf8
    html = CONTROL_REFERENCE.sub(b" ", with_breaks(_without_controls(utf8)))
    target = _writer(_marks(blocks, detail), version, detail >= Detail.ELEMENTS, with_references)
    # An eighth less time than for UTF-8.
    encoding = "ascii" if html.isascii() else "utf-8"
    # Without limits of depth and of a text's length. The index of ids is never used.
    parser = etree.HTMLParser(encoding=encoding, target=target, huge_tree=True, collect_ids=False)
    flat: FlatPage = etree.fromstring(html, parser)
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


def _writer(marks: _Marks, version: Version, describes: bool, with_references: bool) -> _Target:
    """Return a parser's target that writes text and marks, and descriptions of elements if it `describes`."""
    open_elements = _OpenElements([], marks, version)
    if with_references:
        open_elements.reader = ReferenceReader(open_elements.pieces, _MARKS)
    start, end = _start_writer(open_elements, describes), _end_writer(open_elements)
    return _Target(start, end, open_elements.pieces.append, open_elements.close)


# The functions see their tables as local variables: attributes of an object would take a tenth of the time of parsing.


def _start_writer(open_elements: _OpenElements, describes: bool) -> _StartTag:
    """Return a function that writes the mark of a begin tag, and the description of its element if it `describes`."""
    marks, depths, append = open_elements.marks, open_elements.depths, open_elements.pieces.append
    begin_mark, other_begin = marks.begin.get, marks.other_begin
    hides_nothing, reader = HIDING.isdisjoint, open_elements.reader

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        if reader is not None and tag in WATCHED:
            reader.note(tag, attributes)
        if depths:
            depths[-1] += 1
        mark = begin_mark(tag, other_begin)
        if mark is None:
            mark = marks.suspects[tag]
            open_elements.begin(tag, attributes)
        elif attributes and not hides_nothing(attributes):
            open_elements.begin(tag, attributes)
        append(mark + _description(tag, attributes) if describes else mark)

    return start


def _description(tag: str, attributes: Mapping[str, str]) -> str:
    """Return the description of an element, between its marks."""
    description = tag
    if attributes and tag not in _UNDESCRIBED:
        for name, value in attributes.items():
            if name in _NAMING:
                description += f" {value}"
            elif name in _TELLING and _tells(tag, name, value, attributes):
                description += f" {HIDDEN if name in HIDING else value}"
    return f"{_DESCRIBED}{description}{_DESCRIBED}"


def _end_writer(open_elements: _OpenElements) -> _EndTag:
    """Return a function that writes the mark of an end tag, and leaves out the element that it ends if it is not shown."""
    marks, depths, append = open_elements.marks, open_elements.depths, open_elements.pieces.append
    end_mark, other_end, reader = marks.end.get, marks.other_end, open_elements.reader

    def end(tag: str) -> None:
        if reader is not None and tag == "a":
            reader.close_link()
        append(end_mark(tag, other_end))
        if depths:
            if depths[-1]:
                depths[-1] -= 1
            else:
                open_elements.end()

    return end


def _tells(tag: str, name: str, value: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an attribute of `_TELLING` describes its element."""
    if name in HIDING:
        return hides(name, value)
    return tag == "meta" and attributes.get("property") == _PAGE_TYPE


@cache
def _marks(blocks: str, detail: Detail) -> _Marks:
    joins, detailed = blocks == "join", detail >= Detail.TAGS
    # Without detail, only headings have marks: blocks end at other tags, and tags within a line leave nothing.
    inline, inline_end = (MARK + INLINE, MARK + INLINE_END) if detailed else ("", "")
    soft, soft_end = (f"\n{MARK}{SOFT}", f"\n{MARK}{SOFT_END}") if detailed else ("\n", "\n")
    begin: dict[str, str] = dict.fromkeys((*BLOCK_TAGS, *_VOID_TAGS), soft)
    end = dict.fromkeys(BLOCK_TAGS, soft_end)
    edge, left_out = "\n", f"\n{MARK}{DROPPED}" if detailed else "\n"
    if joins:
        edge, left_out = " ", " "
        begin |= dict.fromkeys(_VOID_TAGS - BLOCK_TAGS, inline) | dict.fromkeys(BOX_TAGS, edge + inline)
        end |= dict.fromkeys(BOX_TAGS, inline_end + edge)
    end |= dict.fromkeys((*_VOID_TAGS, "br"), "")
    if detailed:
        begin |= dict.fromkeys(PARAGRAPH_TAGS, "\n")
        end |= dict.fromkeys(PARAGRAPH_TAGS, "\n")
        for tag, (mark, mark_end) in _CONTROL_TAGS.items():
            edge_of_tag = "\n" if tag in BLOCK_TAGS else edge
            begin[tag] = f"{edge_of_tag}{MARK}{mark}"
            end[tag] = f"{edge_of_tag}{MARK}{mark_end}"
        begin |= {"br": f"\n{MARK}{BREAK}", "img": f"{edge}{MARK}{IMAGE}", "li": f"\n{MARK}{ITEM}"}
    begin["a"], end["a"] = (MARK + LINK, MARK + LINK_END) if detailed else ("", "")
    for tag, level in _HEADINGS.items():
        begin[tag] = _HEADING.format(level)
        end[tag] = _HEADING.format(0)
    other_begin, other_end = (inline, inline_end) if joins else (soft, soft_end)
    if detail >= Detail.ELEMENTS:
        end = {tag: MARK + ELEMENT_END + mark for tag, mark in end.items()}
        other_end = MARK + ELEMENT_END + other_end
    suspects = {tag: begin.get(tag, other_begin) for tag in (*DROPPED_TAGS, CLOSED_TAG)}
    kept_apart = dict.fromkeys((*BLOCK_TAGS, *BOX_TAGS, *DROPPED_TAGS), left_out) if joins else {"a": ""}
    return _Marks(
        begin | dict.fromkeys(suspects), end, other_begin, other_end, suspects, kept_apart, "" if joins else left_out
    )


def _without_controls(utf8: bytes) -> bytes:
    """Return the text with a space for each control character, line feeds included; without NULs, which browsers drop."""
    without_nul = utf8.replace(b"\0", b"")
    # As `bytes.translate`, in half the time: controls are all bytes below the space, and DEL.
    return np.maximum(np.frombuffer(without_nul, dtype=np.uint8), _SPACE).tobytes().replace(b"\x7f", b" ")
