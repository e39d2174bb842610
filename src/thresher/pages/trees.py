"""The tree of a page: the page without dropped text, and a copy that is safe to show in a browser.

The page is parsed once more, only if its tree is needed, and its line feeds stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree
from lxml.html import HTMLParser

from thresher.pages.parsing import BLOCK_TAGS, BOX_TAGS, CONTROL_REFERENCE, with_breaks
from thresher.pages.unshown import (
    CLOSED_TAG,
    DROPPED_TAGS,
    HIDING,
    LEFT_OUT,
    Version,
    hides,
    is_invisible,
    is_visible,
    shown_style,
)

TEXT, TAIL = "text", "tail"
# In a page that is shown: elements that are left out, the attributes that stay, and elements that contain text alone.
_STRIPPED = DROPPED_TAGS.union(("base", "link", "meta")) - {"style", "option"}
_LOADING = re.compile(r"url\s*\(|@import", re.IGNORECASE)
_TEXT_ALONE = ("title", "textarea")
_LOOKS = frozenset(
    (
        "align alt bgcolor border cellpadding cellspacing class color cols colspan dir disabled face height hidden id lang"
        " noshade nowrap open placeholder rows rowspan size span start style title type valign value width"
    ).split()
)
_CONTROLS = bytes(set(range(32)) - {9, 10})
# Cells are emptied, not dropped: the other cells of their table would move.
_CELLS = ("td", "th")
_DESCRIPTIONS = ("description", "og:description", "twitter:description")
_SPACES = (ord(" "), ord("\n"))
MOST_ATTRIBUTES = 256
"""The most attributes of an element in a tree: libxml2 compares each new attribute with all attributes before it."""
_ATTRIBUTE = r"""[\s/]++[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+"""
_MANY_ATTRIBUTES = re.compile(
    rf"(<[a-z][^\s/>]*+(?:{_ATTRIBUTE}){{{MOST_ATTRIBUTES}}})(?:{_ATTRIBUTE})++".encode(), re.IGNORECASE
)


class TextPlace(NamedTuple):
    """A text of a tree, before the first child of an element or behind the element, and the number of its block."""

    element: etree._Element
    where: str
    block: int

    @property
    def text(self) -> str:
        """The text; empty if there is none."""
        return getattr(self.element, self.where) or ""

    @property
    def parent(self) -> etree._Element | None:
        """The element that the text is in."""
        return self.element if self.where == TEXT else self.element.getparent()

    def put(self, text: str) -> None:
        """Put another text there."""
        setattr(self.element, self.where, text or None)


@dataclass(frozen=True)
class PlacedTexts:
    """The displayed texts of a page in order, its blocks with single spaces between words, and the elements left out."""

    places: Sequence[TextPlace]
    blocks: Sequence[str]
    left_out: Set[etree._Element] = frozenset()


def parsed(utf8: bytes) -> etree._Element | None:
    """Return the root of a page in UTF-8, with line feeds as they are; None if it has no element.

    An element keeps its first `MOST_ATTRIBUTES` attributes. A page without a DOCTYPE gets none.
    """
    feeds = with_breaks(utf8.replace(b"\0", b"").replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    page = CONTROL_REFERENCE.sub(b" ", feeds.translate(bytes.maketrans(_CONTROLS, b" " * 30)))
    page = _MANY_ATTRIBUTES.sub(rb"\1", page)
    html = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, default_doctype=False)
    return etree.fromstring(page.replace(b"\x7f", b" "), html)


def place_texts(root: etree._Element | None, rule: str, version: Version) -> PlacedTexts:
    """Return the displayed texts of a page, cut into blocks as `thresher.pages.parsing` cuts them.

    Args:
        root: the root, as `parsed` returns it.
        rule: a value of `thresher.pages.PageOptions.blocks`.
        version: the page that was parsed.
    """
    texts = _BlockTexts()
    if root is None:
        return texts.placed()
    left_out = _left_out(root, version)
    steps = etree.iterwalk(root, events=("start", "end"))
    for event, element in steps:
        texts.pass_tag(element.tag, rule, element in left_out)
        if event == "end":
            if element is not root:
                texts.add(element, TAIL)
        elif element in left_out:
            steps.skip_subtree()
        else:
            texts.add(element, TEXT)
    texts.end_block()
    return replace(texts.placed(), left_out=left_out)


@dataclass
class _Hidden:
    """An element that is hidden, or visible inside a hidden element, until the walk over the tree leaves it.

    Attributes:
        element: the element.
        most: the length in characters up to which it is left out; -1 if it is visible.
        may_show: whether elements in it may be visible.
        shows: whether an element in it is visible.
        texts: the places of its hidden texts.
        characters: the number of characters in these texts, without white space.
    """

    element: etree._Element
    most: int
    may_show: bool = False
    shows: bool = False
    texts: list[TextPlace] = field(default_factory=list)
    characters: int = 0

    def add(self, element: etree._Element, where: str) -> None:
        place = TextPlace(element, where, -1)
        if place.text:
            self.texts.append(place)
            self.characters += len("".join(place.text.split()))


def _left_out(root: etree._Element, version: Version) -> set[etree._Element]:
    """Return the elements that no reader sees; elements inside an element that its tag hides are not listed.

    If an invisible element contains visible elements, only its invisible text goes: it is taken out of the tree.
    """
    left_out: set[etree._Element] = set()
    hidden: list[_Hidden] = []
    steps = etree.iterwalk(root, events=("start", "end"))
    for event, element in steps:
        if event == "end":
            if hidden and hidden[-1].element is element:
                _end_hidden(hidden, left_out)
            if hidden and element is not root:
                hidden[-1].add(element, TAIL)
            continue
        most = version.most_characters(element.tag, element.attrib)
        if most == LEFT_OUT:
            left_out.add(element)
            steps.skip_subtree()
            continue
        if most >= 0:
            hidden.append(_Hidden(element, most, may_show=is_invisible(element.tag, element.attrib)))
        elif hidden and hidden[-1].may_show and is_visible(element.attrib):
            hidden.append(_Hidden(element, most))
        if hidden:
            hidden[-1].add(element, TEXT)
    return left_out


def _end_hidden(hidden: list[_Hidden], left_out: set[etree._Element]) -> None:
    """End the last of the hidden elements: leave it out unless it is visible, is too long or contains visible elements."""
    ended = hidden.pop()
    around = hidden[-1] if hidden else _Hidden(ended.element, -1)
    if ended.most < 0:
        around.shows = True
    elif ended.characters > ended.most:
        around.characters += ended.characters
    elif ended.shows:
        for place in ended.texts:
            place.put("")
        around.shows = around.shows or around.may_show
    else:
        left_out.add(ended.element)


def ends_block(tag: str, rule: str) -> bool:
    """Return whether a tag ends a block."""
    return tag in BLOCK_TAGS if rule == "join" else tag != "a"


def is_apart(tag: str) -> bool:
    """Return whether a tag that ends no block ends a word."""
    return tag in BOX_TAGS or tag in DROPPED_TAGS


@dataclass
class _BlockTexts:
    """The texts and blocks so far; `pieces` are the texts of the block that has not ended yet."""

    places: list[TextPlace] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def add(self, element: etree._Element, where: str) -> None:
        place = TextPlace(element, where, len(self.blocks))
        if place.text:
            self.places.append(place)
            self.pieces.append(place.text)

    def pass_tag(self, tag: str, rule: str, is_left_out: bool) -> None:
        """End the block or the word at a tag. An element that is left out ends no block if the rule is `join`."""
        if ends_block(tag, rule):
            if is_left_out and rule == "join":
                self.pieces.append(" ")
            else:
                self.end_block()
        elif is_apart(tag):
            self.pieces.append(" ")

    def end_block(self) -> None:
        words = " ".join("".join(self.pieces).split())
        if words:
            self.blocks.append(words)
        self.pieces.clear()

    def placed(self) -> PlacedTexts:
        return PlacedTexts(tuple(self.places), tuple(self.blocks))


def without_text(root: etree._Element, placed: PlacedTexts, stays: npt.NDArray[np.bool_], rule: str) -> str:
    """Return a page as HTML, without the text that does not stay and without the elements that this empties.

    An element is empty if it had text and has none left; images in it go with it. Elements whose text no reader sees, such as
    scripts, and META descriptions go too. Hidden text that stays becomes visible. BR replaces an element that separated two
    blocks. The page declares UTF-8. The tree is changed.

    Args:
        root: the root, as `parsed` returns it.
        placed: its texts.
        stays: for each character of the texts that is no white space, in order, whether it stays.
        rule: see `place_texts`.
    """
    places = placed.places
    with_text_before = _around_texts(places)
    _cut_texts(places, stays)
    # HEAD stays for its BASE and styles.
    with_text = _around_texts(places).union(root.iter("html", "head", "body"))
    surroundings = _Surroundings(with_text, rule)
    for element in list(root.iter()):
        if element.getparent() is None:
            # It is the root, or its cell was emptied.
            continue
        is_emptied = element in with_text_before and element not in with_text
        if is_emptied and element.getparent() in with_text:
            if element.tag in _CELLS:
                _empty(element)
            else:
                surroundings.drop(element, ends_block(element.tag, rule))
        elif element in placed.left_out:
            surroundings.drop(element, rule == "split")
        elif element.tag == "meta" and (_is_charset(element) or _meta_name(element) in _DESCRIPTIONS):
            element.drop_tree()
        else:
            _show(element)
    _declare_utf8(root)
    return str(etree.tostring(root.getroottree(), method="html", encoding="unicode"))


def _show(element: etree._Element) -> None:
    """Take away the attributes and the styles that hide an element."""
    if element.tag == CLOSED_TAG:
        element.set("open", "")
    for name in HIDING.intersection(element.attrib):
        if name == "style":
            element.set(name, shown_style(element.get(name)))
        elif hides(name, element.get(name)):
            del element.attrib[name]


def stays_between(text: str, ends: Sequence[int], kept_parts: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return for each character of a page's text that is no white space whether it is in a kept part.

    Args:
        text: the text of `thresher.pages.Segments`.
        ends: the offset where each part ends, ascending.
        kept_parts: the numbers of the kept parts.
    """
    in_kept_part = np.zeros(len(ends), dtype=np.bool_)
    in_kept_part[list(kept_parts)] = True
    of_characters = np.repeat(in_kept_part, np.diff(ends, prepend=0))
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    return of_characters[~np.isin(codes, _SPACES)]


def _cut_texts(places: Sequence[TextPlace], stays: npt.NDArray[np.bool_]) -> None:
    """Cut the texts of a tree to the characters that stay, with the white space behind them and before a kept block."""
    at = 0
    block, before = -1, False
    for place in places:
        text = place.text
        characters = len("".join(text.split()))
        flags = stays[at : at + characters]
        at += characters
        if place.block != block:
            block = place.block
            is_first = True
        if not characters:
            if not before and not (is_first and at < len(stays) and stays[at]):
                place.put("")
            continue
        if not flags.all() or not (before or is_first):
            place.put(_cut_text(text, flags.tolist(), before, is_first))
        before = bool(flags[-1])
        is_first = False


def _cut_text(text: str, stays: Sequence[bool], before: bool, is_first: bool) -> str:
    """Return the characters of a text that stay.

    Args:
        text: the text of a tree.
        stays: for each character that is no white space whether it stays.
        before: whether the character before the text stays.
        is_first: whether the text is the first of its block.
    """
    pieces: list[str] = []
    flags = iter(stays)
    stays_now = before
    space = ""
    for character in text:
        if character.isspace():
            space += character
            continue
        was_kept = stays_now
        stays_now = next(flags)
        if was_kept or (is_first and stays_now):
            pieces.append(space)
        elif stays_now:
            # One space separates two sentences of a block that were not neighbours.
            pieces.append(" ")
        if stays_now:
            pieces.append(character)
        space = ""
        is_first = False
    if stays_now:
        pieces.append(space)
    return "".join(pieces)


def _around_texts(places: Sequence[TextPlace]) -> set[etree._Element]:
    """Return all elements that contain one of the texts; white space is no text."""
    around: set[etree._Element] = set()
    for place in places:
        if place.text and not place.text.isspace():
            element = place.parent
            while element is not None and element not in around:
                around.add(element)
                element = element.getparent()
    return around


@dataclass(frozen=True)
class _Surroundings:
    """The text around elements that are dropped.

    Attributes:
        with_text: the elements that have text in them.
        rule: see `place_texts`.
    """

    with_text: set[etree._Element]
    rule: str

    def drop(self, element: etree._Element, parts_blocks: bool) -> None:
        """Drop an element; BR takes its place if two blocks would become one, a space if two words would."""
        parts_words = parts_blocks or is_apart(element.tag) or ends_block(element.tag, self.rule)
        if parts_words and self._follows_text(element) and self._is_before_text(element):
            if parts_blocks:
                element.addprevious(element.makeelement("br"))
            else:
                element.tail = f" {element.tail or ''}"
        element.drop_tree()

    def _is_before_text(self, element: etree._Element) -> bool:
        """Return whether text that begins no block comes after an element."""
        while True:
            if element.tail and not element.tail.isspace():
                return True
            following = element.getnext()
            if following is None:
                element = element.getparent()
                if element is None or ends_block(element.tag, self.rule):
                    return False
            elif ends_block(following.tag, self.rule):
                return False
            elif following in self.with_text:
                return True
            else:
                element = following

    def _follows_text(self, element: etree._Element) -> bool:
        """Return whether text that ends no block comes before an element."""
        while True:
            preceding = element.getprevious()
            if preceding is None:
                element = element.getparent()
                if element is None or (element.text and not element.text.isspace()):
                    return element is not None
                if ends_block(element.tag, self.rule):
                    return False
            elif preceding.tail and not preceding.tail.isspace():
                return True
            elif ends_block(preceding.tag, self.rule):
                return False
            elif preceding in self.with_text:
                return True
            else:
                element = preceding


def _empty(element: etree._Element) -> None:
    element.text = None
    for child in list(element):
        element.remove(child)


def _is_charset(meta: etree._Element) -> bool:
    return meta.get("charset") is not None or (meta.get("http-equiv") or "").lower() == "content-type"


def _declare_utf8(root: etree._Element) -> None:
    head = root.find("head")
    if head is None:
        head = root.makeelement("head")
        root.insert(0, head)
    head.insert(0, root.makeelement("meta", {"charset": "utf-8"}))


def _meta_name(meta: etree._Element) -> str:
    name: str = meta.get("property") or meta.get("name") or meta.get("itemprop") or ""
    return name.lower()


def meta_description(utf8: bytes) -> str:
    """Return the longest description of a page's META elements, also of Open Graph and Twitter; empty if there is none."""
    root = parsed(utf8)
    if root is None:
        return ""
    descriptions: dict[str, str] = {}
    for meta in root.iter("meta"):
        content = " ".join((meta.get("content") or "").split())
        if content:
            descriptions.setdefault(_meta_name(meta), content)
    return max((descriptions.get(name, "") for name in _DESCRIPTIONS), key=len)


def harmless(root: etree._Element, places: Sequence[TextPlace]) -> str:
    """Return a page as HTML that runs, loads and links nothing, with elements X-BLOCK around the texts of each block.

    A content security policy must forbid the files that styles load.

    Args:
        root: the root, as `parsed` returns it.
        places: the places of the blocks' texts; none if the blocks are not found in the tree.
    """
    for element in root.iter():
        for name, value in element.items():
            if name not in _LOOKS and not (name == "src" and value.startswith("data:image/")):
                del element.attrib[name]
            elif name == "style":
                element.set(name, _LOADING.sub("none(", value))
        if element.tag == "style" and element.text:
            element.text = _LOADING.sub("none(", element.text)
    for place in places:
        _mark(place)
    etree.strip_elements(root, *_STRIPPED, with_tail=False)
    return str(etree.tostring(root.getroottree(), method="html", encoding="unicode"))


def _mark(place: TextPlace) -> None:
    text = place.text
    if text.isspace() or (place.where == TEXT and place.element.tag in _TEXT_ALONE):
        return
    marked = etree.Element("x-block", {"data-block": str(place.block)})
    marked.text = text
    place.put("")
    if place.where == TEXT:
        place.element.insert(0, marked)
    else:
        place.element.addnext(marked)
