"""HTML to lines of text: one block per line, with marks for links and headings.

libxml2 parses the page (through lxml) and reports each tag and text. This module writes one text from the reports: a line feed
ends a block, and other control characters are marks. The page's own control characters, character references included, are
removed first. No tree is built, so time and memory are proportional to the page, however deep its elements and however many
its attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np
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

# A tab and the character after it are one mark. In a heading's mark this character is the level. A carriage return stands
# before and after the description of an element.
MARK = "\t"
_DESCRIBED = "\r"
_HEADING = f"\n{MARK}{{}}\n"
TITLE_LEVEL = 7
_HEADINGS = {**{f"h{level}": level for level in range(1, 7)}, "title": TITLE_LEVEL}

# Marks that only some scorers need; see `thresher.pages.marks`. Marks of blocks follow the line feed.
INLINE, INLINE_END, SOFT, SOFT_END, BREAK, DROPPED, ITEM, IMAGE, LINK, LINK_END = "-_~^/=*!@#"
BUTTON, BUTTON_END, SELECT, SELECT_END, TEXTAREA, TEXTAREA_END = "[]{}:;"
# Begin and end of an element: the marks next to the element's content; see `thresher.pages.marks`.
ELEMENT, ELEMENT_END = "<)"
CONTROL = BUTTON + SELECT + TEXTAREA
CONTROL_END = BUTTON_END + SELECT_END + TEXTAREA_END
WITHIN_PARAGRAPH = SOFT + SOFT_END + BREAK + DROPPED + IMAGE + CONTROL + CONTROL_END
BEGIN = INLINE + SOFT + LINK + IMAGE + CONTROL + ITEM + "01234567"
# Elements that form lines, paragraphs, lists or tables by the HTML standard, 15.3. All other elements, unknown elements
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
# Elements within a line that are boxes of their own: they separate words, but no sentences. Elements that are left out
# separate words too, except hidden elements that are no boxes. LABEL is no box in the standard, but two labels are never one
# word.
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
# Elements that contain no block and say nothing about the page: their descriptions leave out the attributes.
_UNDESCRIBED = (_VOID_TAGS | {"br"}) - {"meta"}
# Attributes that describe an element besides its tag; and the word that stands for each attribute that hides it.
_NAMING = frozenset(("class", "id", "role", "itemprop", "itemtype", "rel"))
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


@dataclass(frozen=True)
class _Marks:
    """The texts that are written for tags.

    Attributes:
        begin: texts for begin tags, by tag; None if the tag alone may leave out its element.
        end: texts for end tags, by tag.
        other_begin, other_end: texts for tags that `begin` or `end` does not list.
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
    """A page as text with marks, in UTF-8; and its references, None if they were not read."""

    marked: bytes
    references: References | None


class _Target(NamedTuple):
    """The functions that lxml's parser calls."""

    start: _StartTag
    end: _EndTag
    data: Callable[[str], None]
    close: Callable[[], FlatPage]


@dataclass(slots=True)
class _BegunElement:
    """An open element that may be left out, or an open element that is visible inside a hidden element.

    Attributes:
        first: the number of its first piece.
        tag: its tag.
        most: the length in characters up to which it is left out; -1 once its text is longer.
        may_show: whether elements in it may be visible.
        is_visible: whether it is visible inside an invisible element.
        visible: the pieces of each visible element in it: the number of the first piece, and the number after the last.
    """

    first: int
    tag: str
    most: int
    may_show: bool = False
    is_visible: bool = False
    visible: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _OpenElements:
    """The open elements that may be left out, and the written pieces, which are taken back for an element that is left out.

    Attributes:
        pieces: the written pieces of text.
        marks: the texts for tags.
        version: decides which elements are left out.
        depths: for each of the open elements, the number of open elements within it.
        begun: the open elements, the innermost last.
        reader: notes the references; None if they are not read.
    """

    pieces: list[str]
    marks: _Marks
    version: Version
    depths: list[int] = field(default_factory=list)
    begun: list[_BegunElement] = field(default_factory=list)
    reader: ReferenceReader | None = None

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note the begin of an element that its tag or attributes may hide, or may show inside a hidden element."""
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
        """End the innermost of the elements: leave it out unless it is visible or too long. Visible elements in it stay."""
        self.depths.pop()
        if self.depths:
            self.depths[-1] -= 1
        element = self.begun.pop()
        around = self.begun[-1] if self.begun else None
        if around and element.is_visible:
            around.visible.append((element.first, len(self.pieces)))
        elif element.most < LEFT_OUT and (element.most < 0 or self._is_longer(element)):
            if around and around.most < LEFT_OUT:
                # The element around it is at least as long, and need not be counted.
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
        pieces: list[str] = []
        for hidden in self._hidden_pieces(element):
            pieces.extend(self.pieces[hidden])
        text = "".join(pieces)
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
        """Return the written page, and free its memory: lxml keeps its target until Python collects garbage."""
        references = None
        if self.reader is not None:
            references = self.reader.references()
        flat = "".join(self.pieces).encode()
        self.pieces.clear()
        del self.version, self.reader
        return FlatPage(flat, references)


def _without_text(piece: str) -> str:
    """Return a piece of marks as it is; an empty text for a piece of text, which has no control characters."""
    if _MARKS_OR_FEEDS.search(piece):
        return piece
    return ""


def flatten(utf8: bytes, blocks: str = "join", detail: Detail = Detail.TAGS, keeps_hidden: bool = False) -> bytes:
    """Parse a page as `flatten_page`, without its references."""
    return flatten_page(Version(utf8, keeps_hidden), blocks, detail).marked


def flatten_page(version: Version, blocks: str, detail: Detail, with_references: bool = False) -> FlatPage:
    """Parse a page in UTF-8 into text with marks, in UTF-8; `described` takes out the descriptions of elements.

    Args:
        version: the page, and whether hidden elements stay.
        blocks: `join` to ignore tags within a line such as B and SPAN, `split` to ignore only A.
        detail: which marks are written.
        with_references: whether references are noted, too.
    """
    utf8 = version.utf8
    html = CONTROL_REFERENCE.sub(b" ", with_breaks(_without_controls(utf8)))
    target = _writer(_marks(blocks, detail), version, detail >= Detail.ELEMENTS, with_references)
    # Parsing ASCII takes an eighth less time than parsing UTF-8.
    encoding = "ascii" if html.isascii() else "utf-8"
    # `huge_tree` lifts the limits of depth and of a text's length. The index of ids is never used.
    parser = etree.HTMLParser(encoding=encoding, target=target, huge_tree=True, collect_ids=False)
    flat: FlatPage = etree.fromstring(html, parser)
    return flat


def with_breaks(html: bytes) -> bytes:
    """Return a page with BR in place of its end tags: browsers read these as BR, and libxml2 ignores them."""
    return _BREAK_END.sub(b"<br>", html)


def described(flat: bytes) -> DescribedText:
    """Take the descriptions of elements out of marked text.

    A description is the tag and the words of the attributes, with `HIDDEN` for an attribute that hides the element. The
    description of an element without content is the tag alone.
    """
    pieces = flat.split(_DESCRIBED.encode())
    descriptions: list[str] = []
    if len(pieces) > 1:
        # Decoding all descriptions at once is faster.
        descriptions = b"\n".join(pieces[1::2]).decode().split("\n")
    return DescribedText((MARK + ELEMENT).encode().join(pieces[::2]), descriptions)


def _writer(marks: _Marks, version: Version, describes: bool, with_references: bool) -> _Target:
    """Return a parser's target that writes text and marks, and descriptions of elements if it `describes`."""
    open_elements = _OpenElements([], marks, version)
    if with_references:
        open_elements.reader = ReferenceReader(open_elements.pieces, _MARKS)
    return _Target(
        start=_start_writer(open_elements, describes),
        end=_end_writer(open_elements),
        data=open_elements.pieces.append,
        close=open_elements.close,
    )


# The functions see their tables as local variables: attributes of an object would take a tenth of the time of parsing.


def _start_writer(open_elements: _OpenElements, describes: bool) -> _StartTag:
    """Return a function that writes the mark of a begin tag, and the description of its element if it `describes`."""
    marks = open_elements.marks
    depths = open_elements.depths
    append = open_elements.pieces.append
    reader = open_elements.reader
    begin_mark = marks.begin.get
    other_begin = marks.other_begin
    hides_nothing = HIDING.isdisjoint

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
        if describes:
            mark += _description(tag, attributes)
        append(mark)

    return start


def _description(tag: str, attributes: Mapping[str, str]) -> str:
    """Return the description of an element, between its marks."""
    description = tag
    if attributes and tag not in _UNDESCRIBED:
        for name, value in attributes.items():
            if name in _NAMING:
                description += f" {value}"
            elif name in HIDING:
                if hides(name, value):
                    description += f" {HIDDEN}"
            elif name == "content" and tag == "meta" and attributes.get("property") == _PAGE_TYPE:
                description += f" {value}"
    return f"{_DESCRIBED}{description}{_DESCRIBED}"


def _end_writer(open_elements: _OpenElements) -> _EndTag:
    """Return a function that writes the mark of an end tag, and leaves out the element that it ends if it is not shown."""
    marks = open_elements.marks
    depths = open_elements.depths
    append = open_elements.pieces.append
    reader = open_elements.reader
    end_mark = marks.end.get
    other_end = marks.other_end

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


class _Edges(NamedTuple):
    """Texts for the tags of elements that have no texts of their own.

    Attributes:
        inline, inline_end: for the tags of an element within a line.
        block, block_end: for the tags of an element that ends blocks.
        left_out: for an element that is left out and ends blocks.
    """

    inline: str
    inline_end: str
    block: str
    block_end: str
    left_out: str


def _edges(detail: Detail) -> _Edges:
    if detail >= Detail.TAGS:
        return _Edges(
            inline=MARK + INLINE,
            inline_end=MARK + INLINE_END,
            block=f"\n{MARK}{SOFT}",
            block_end=f"\n{MARK}{SOFT_END}",
            left_out=f"\n{MARK}{DROPPED}",
        )
    # Only headings have marks: blocks end at other tags, and tags within a line leave nothing.
    return _Edges(inline="", inline_end="", block="\n", block_end="\n", left_out="\n")


@cache
def _marks(blocks: str, detail: Detail) -> _Marks:
    edges = _edges(detail)
    begin: dict[str, str] = dict.fromkeys(BLOCK_TAGS | _VOID_TAGS, edges.block)
    end = dict.fromkeys(BLOCK_TAGS, edges.block_end)
    if blocks == "join":
        box_edge = " "
        begin |= dict.fromkeys(_VOID_TAGS - BLOCK_TAGS, edges.inline)
        begin |= dict.fromkeys(BOX_TAGS, box_edge + edges.inline)
        end |= dict.fromkeys(BOX_TAGS, edges.inline_end + box_edge)
        other_begin = edges.inline
        other_end = edges.inline_end
        left_out = dict.fromkeys(BLOCK_TAGS | BOX_TAGS | DROPPED_TAGS, box_edge)
        other_left_out = ""
    else:
        box_edge = "\n"
        other_begin = edges.block
        other_end = edges.block_end
        left_out = {"a": ""}
        other_left_out = edges.left_out
    end |= dict.fromkeys(_VOID_TAGS | {"br"}, "")
    begin["a"] = ""
    end["a"] = ""
    if detail >= Detail.TAGS:
        _add_details(begin, end, box_edge)
    for tag, level in _HEADINGS.items():
        begin[tag] = _HEADING.format(level)
        end[tag] = _HEADING.format(0)
    if detail >= Detail.ELEMENTS:
        end = {tag: MARK + ELEMENT_END + text for tag, text in end.items()}
        other_end = MARK + ELEMENT_END + other_end
    suspects: dict[str, str] = {}
    for tag in DROPPED_TAGS | {CLOSED_TAG}:
        suspects[tag] = begin.get(tag, other_begin)
    return _Marks(
        begin=begin | dict.fromkeys(suspects),
        end=end,
        other_begin=other_begin,
        other_end=other_end,
        suspects=suspects,
        left_out=left_out,
        other_left_out=other_left_out,
    )


def _add_details(begin: dict[str, str], end: dict[str, str], box_edge: str) -> None:
    """Add texts with the marks of paragraphs, controls, breaks, images, list items and links; see `Detail.TAGS`."""
    begin |= dict.fromkeys(PARAGRAPH_TAGS, "\n")
    end |= dict.fromkeys(PARAGRAPH_TAGS, "\n")
    for tag, (mark, mark_end) in _CONTROL_TAGS.items():
        edge = "\n" if tag in BLOCK_TAGS else box_edge
        begin[tag] = f"{edge}{MARK}{mark}"
        end[tag] = f"{edge}{MARK}{mark_end}"
    begin["br"] = f"\n{MARK}{BREAK}"
    begin["img"] = f"{box_edge}{MARK}{IMAGE}"
    begin["li"] = f"\n{MARK}{ITEM}"
    begin["a"] = MARK + LINK
    end["a"] = MARK + LINK_END


def _without_controls(utf8: bytes) -> bytes:
    """Return the text with a space for each control character, line feeds included; without NULs, which browsers drop."""
    without_nul = utf8.replace(b"\0", b"")
    # As `bytes.translate`, in half the time: controls are all bytes below the space, and DEL.
    return np.maximum(np.frombuffer(without_nul, dtype=np.uint8), _SPACE).tobytes().replace(b"\x7f", b" ")
