"""HTML to lines of text: one block per line, with marks for links and headings.

libxml2 parses the page (through lxml) and a stylesheet flattens the tree into one text in which a line feed ends a block and
other control characters are marks. The page's own control characters, character references included, are removed first. Pages
too deep or too large for that are flattened by parser events, more slowly, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np
import numpy.typing as npt
from lxml import etree

# Control characters that XML allows in a stylesheet. A tab and the character after it are one mark; of a heading, its level.
# The other stands before and after the description of an element.
MARK, _DESCRIBED = "\t", "\r"
_HEADING = f"\n{MARK}{{}}\n"
TITLE_LEVEL = 7
_HEADINGS = {**{f"h{level}": level for level in range(1, 7)}, "title": TITLE_LEVEL}

# Marks that only some scorers need; see `thresher.pages.marks`. Those of blocks follow the line feed.
INLINE, INLINE_END, SOFT, SOFT_END, BREAK, DROPPED, ITEM, IMAGE, LINK, LINK_END = "-_~^/=*!@#"
BUTTON, BUTTON_END, SELECT, SELECT_END, TEXTAREA, TEXTAREA_END = "[]{}:;"
# Where elements begin and end, innermost of the marks at a tag; see `thresher.pages.marks`.
ELEMENT, ELEMENT_END = "<)"
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
DROPPED_TAGS = "script style template noscript noframes iframe noembed applet svg option".split()
# Attributes that describe an element besides its tag; one mark stands for all that hide it.
_WORDED = ("class", "id", "role", "itemprop", "itemtype", "rel")
HIDDEN = "\x7f"
# And letters that most styles are without.
_HIDING = {"display:none": "yp", "visibility:hidden": "vy"}
_PAGE_TYPE = "og:type"

CONTROL_REFERENCE = re.compile(
    rb"&(?:#0*(?:[12]?[0-9]|3[01]|127)(?![0-9]);?|#[xX]0*(?:1?[0-9a-fA-F]|7[fF])(?![0-9a-fA-F]);?|NewLine;|Tab;)"
)
_BREAK_END = re.compile(rb"</[bB][rR]\s*/?>")
# libxml2's limit is 256. It must not be raised: the stylesheet recurses, and a process with Java has a stack of 1 MiB.
# Elements with text count one level more than others.
_DEEPEST = 250
# libxml2's limit for a text is 10 MB.
_LARGEST = 9_000_000
# A tree takes time with the square of the attributes of a tag: 15 s for 50,000. Events take a line.
MANY_ATTRIBUTES, _LONG_TAG = 2000, 4096
_OPENING, _BETWEEN_ATTRIBUTES = re.compile(rb"<[A-Za-z]"), re.compile(rb"[\s\"'/]+")
_ASCII = bytes(range(128))


class Detail(IntEnum):
    """The marks in the text of a page; blocks are the same either way."""

    HEADINGS = 0
    """Headings only."""
    TAGS = 1
    """Links, list items and other tags too: see `thresher.pages.marks`."""
    ELEMENTS = 2
    """The tree of elements too, with their attributes: see `thresher.pages.marks`."""


def flatten(utf8: bytes, blocks: str = "join", detail: Detail = Detail.TAGS) -> bytes:
    """Parse a page in UTF-8 into text with marks, in UTF-8; those of elements must be taken out by `described`.

    `blocks` is `join` to ignore inline tags such as B and SPAN, `split` to ignore only A.
    """
    html = CONTROL_REFERENCE.sub(b" ", with_breaks(_without_controls(utf8)))
    if len(html) > _LARGEST or has_many_attributes(html):
        return flatten_by_events(html, blocks, detail)
    parser = _parser("ascii" if html.isascii() else "utf-8")
    root = etree.fromstring(html, parser)
    if root is None:
        return b""
    if _is_cut_off(root, parser):
        return flatten_by_events(html, blocks, detail)
    return bytes(_stylesheet(blocks, detail)(root))


def has_many_attributes(html: bytes) -> bool:
    """Return whether a tag may have more than `MANY_ATTRIBUTES`; one with `>` in a value may be overlooked."""
    piece, at = _LONG_TAG // 2, 0
    while at < len(html):
        if html.find(b">", at, at + piece) >= 0:
            at += piece
            continue
        # No tag ends here, and the last one ended in the piece before.
        before, after = html.rfind(b">", max(at - piece, 0), at), html.find(b">", at)
        at = len(html) if after < 0 else after
        opening = _OPENING.search(html, before + 1, at)
        if opening and len(_BETWEEN_ATTRIBUTES.findall(html, opening.start(), at)) > MANY_ATTRIBUTES:
            return True
    return False


def with_breaks(html: bytes) -> bytes:
    """Return a page with BR for its end tags, which browsers take for it and libxml2 ignores."""
    return _BREAK_END.sub(b"<br>", html)


def _without_controls(utf8: bytes) -> bytes:
    """Return the text with a space for each control character, line feeds included."""
    # As `bytes.translate`, in half the time: controls are all bytes below the space, and DEL.
    return np.maximum(np.frombuffer(utf8, dtype=np.uint8), ord(" ")).tobytes().replace(b"\x7f", b" ")


def _is_cut_off(root: etree._Element, parser: etree.HTMLParser) -> bool:
    """Return whether libxml2 reached its depth limit, which drops the rest of the page, or came near it."""
    # Elements after </body> count for the limit, but may be elsewhere in the tree.
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        return True
    depth = 1
    while len(root):
        root = root[-1]
        depth += 1
    return depth >= _DEEPEST


@cache
def _parser(encoding: str) -> etree.HTMLParser:
    # Cached: creating a parser is slow. One for ASCII takes an eighth less time. The index of ids is never used.
    return etree.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, collect_ids=False)


def flatten_by_events(html: bytes, blocks: str = "join", detail: Detail = Detail.TAGS) -> bytes:
    """As `flatten`, by the parser's events, for a page of any depth without control characters."""
    target = _Events(_marks(blocks, detail >= Detail.TAGS), detail >= Detail.ELEMENTS)
    parser = etree.HTMLParser(encoding="utf-8", target=target, huge_tree=True)
    parser.feed(html)
    flat: bytes = parser.close()
    return flat


@dataclass(frozen=True)
class _Marks:
    """The marks for begin and end tags, by tag; for other tags; and for a dropped element."""

    tags: dict[str, tuple[str, str]]
    others: tuple[str, str]
    dropped: str


@cache
def _marks(blocks: str, detailed: bool) -> _Marks:
    inline = (MARK + INLINE, MARK + INLINE_END) if detailed else ("", "")
    soft, soft_end = (f"\n{MARK}{SOFT}", f"\n{MARK}{SOFT_END}") if detailed else ("\n", "\n")
    tags = dict.fromkeys(_VOID_TAGS, (soft, ""))
    tags["br"] = (f"\n{MARK}{BREAK}" if detailed else soft, "")
    if detailed:
        tags |= dict.fromkeys(PARAGRAPH_TAGS, ("\n", "\n"))
        tags |= {tag: (f"\n{MARK}{begin}", f"\n{MARK}{end}") for tag, (begin, end) in _CONTROL_TAGS.items()}
        tags["img"] = (f"\n{MARK}{IMAGE}", "")
        tags["li"] = (f"\n{MARK}{ITEM}", "\n")
    if blocks == "join":
        tags |= dict.fromkeys(INLINE_TAGS, inline)
    tags["a"] = (MARK + LINK, MARK + LINK_END) if detailed else ("", "")
    tags |= {tag: (_HEADING.format(level), _HEADING.format(0)) for tag, level in _HEADINGS.items()}
    return _Marks(tags, (soft, soft_end), f"\n{MARK}{DROPPED}" if detailed else "\n")


@cache
def _stylesheet(blocks: str, detail: Detail) -> etree.XSLT:
    marks = _marks(blocks, detail >= Detail.TAGS)
    with_elements = detail >= Detail.ELEMENTS
    rules = [
        _template(tag, _element(tag, begin, end, with_elements))
        for tag, (begin, end) in {"*": marks.others, **marks.tags}.items()
    ]
    rules.append(_template("|".join(DROPPED_TAGS), _literal(marks.dropped)))
    if with_elements:
        # What an attribute is made of is text, and text is copied without asking for it.
        value = "<xsl:text> </xsl:text><xsl:apply-templates/>"
        rules += [
            _template("@*", ""),
            _template("|".join(f"@{name}" for name in _WORDED), value),
            _template(f"meta[@property='{_PAGE_TYPE}']/@content", value),
            _template(
                f"@hidden|@aria-hidden[.='true']|@style[{' or '.join(map(_hides, _HIDING))}]", _literal(f" {HIDDEN}")
            ),
        ]
    return etree.XSLT(
        etree.fromstring(
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            f'<xsl:output method="text" encoding="utf-8"/>{"".join(rules)}</xsl:stylesheet>'
        )
    )


def _hides(style: str) -> str:
    """Return the condition that an attribute has a style, in letters of any case, with any spaces."""
    # Translating takes time, the more the more letters are asked for.
    letters = "".join(sorted({*style} - {":"}))
    rare = (f"(contains(., '{letter}') or contains(., '{letter.upper()}'))" for letter in _HIDING[style])
    plain = f"translate(., '{letters.upper()} ', '{letters}')"
    return f"({' and '.join(rare)} and contains({plain}, '{style}'))"


def _template(match: str, body: str) -> str:
    return f'<xsl:template match="{match}">{body}</xsl:template>'


def _literal(text: str) -> str:
    return f"<xsl:text>{''.join(f'&#{ord(character)};' for character in text)}</xsl:text>" if text else ""


def _element(tag: str, begin: str, end: str, described: bool) -> str:
    """Return what the stylesheet does with an element of a tag, or of any, `*`; its name is asked for only then."""
    if not described:
        return f"{_literal(begin)}<xsl:apply-templates/>{_literal(end)}"
    if tag in _UNDESCRIBED:
        return _literal(begin + _DESCRIBED + tag + _DESCRIBED + MARK + ELEMENT_END + end)
    name, asked = ("", '<xsl:value-of select="name()"/>') if tag == "*" else (tag, "")
    return (
        f'{_literal(begin + _DESCRIBED + name)}{asked}<xsl:apply-templates select="@*"/>'
        f"{_literal(_DESCRIBED)}<xsl:apply-templates/>{_literal(MARK + ELEMENT_END + end)}"
    )


def _described(tag: str, attributes: Mapping[str, str]) -> str:
    values = []
    for name, value in () if tag in _UNDESCRIBED else attributes.items():
        if name in _WORDED or (name == "content" and tag == "meta" and attributes.get("property") == _PAGE_TYPE):
            values.append(f" {value}")
        elif (
            name == "hidden"
            or (name == "aria-hidden" and value == "true")
            or (name == "style" and any(style in value.lower().replace(" ", "") for style in _HIDING))
        ):
            values.append(f" {HIDDEN}")
    return f"{_DESCRIBED}{tag}{''.join(values)}{_DESCRIBED}"


class _Events:
    """A parser target that appends text and marks to one list."""

    def __init__(self, marks: _Marks, with_elements: bool) -> None:
        self._marks = marks
        self._with_elements = with_elements
        self._pieces: list[str] = []
        self._dropped = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in DROPPED_TAGS:
            if not self._dropped:
                self._pieces.append(self._marks.dropped)
            self._dropped += 1
        elif not self._dropped:
            self._pieces.append(self._marks.tags.get(tag, self._marks.others)[0])
            if self._with_elements:
                self._pieces.append(_described(tag, attributes))

    def end(self, tag: str) -> None:
        if tag in DROPPED_TAGS:
            self._dropped -= 1
        elif not self._dropped:
            if self._with_elements:
                self._pieces.append(MARK + ELEMENT_END)
            self._pieces.append(self._marks.tags.get(tag, self._marks.others)[1])

    def data(self, text: str) -> None:
        if not self._dropped:
            self._pieces.append(text)

    def close(self) -> bytes:
        return "".join(self._pieces).encode()


def described(flat: bytes) -> tuple[bytes, list[str]]:
    """Return marked text with the mark `ELEMENT` for each description of an element; and the descriptions, in order:
    the tag, and unless it is without content the words of its attributes, `HIDDEN` if one hides it.
    """
    pieces = flat.split(_DESCRIBED.encode())
    # Decoded at once.
    descriptions = b"\n".join(pieces[1::2]).decode().split("\n") if pieces[1:] else []
    return (MARK + ELEMENT).encode().join(pieces[::2]), descriptions


def lines(flat: bytes, placed: bool = False) -> tuple[str, list[int], npt.NDArray[np.int64] | None]:
    """Return the blocks of marked text, whose only white space is U+0020 and line feeds, with single spaces between
    words, joined by line feeds; each block's heading level (0 for none, 1 to 6, 7 for the page's title); and, if `placed`,
    where each of the characters is in the marked text, white space where its run begins.
    """
    codes = np.frombuffer(b"\n%b\n" % flat, dtype=np.uint8)
    marks = (codes == ord(MARK)).nonzero()[0]
    kinds = codes[marks + 1]
    shown = (codes >= ord(" ")) | (codes == ord("\n"))
    shown[marks + 1] = False
    places = shown.nonzero()[0]
    codes = codes.take(places)
    # Of a run of white space one character remains: a line feed if there is any. The text begins and ends with such a run.
    kept = codes > ord(" ")
    edges = (kept[1:] != kept[:-1]).nonzero()[0] + 1
    words, runs = edges[::2], np.concatenate(([0], edges[1::2]))
    # Until the next run: white space is before all else.
    signs = np.minimum.reduceat(codes, runs)
    codes[runs], kept[runs] = signs, True
    # There are line feeds on both sides of a heading's mark.
    headings = (kinds >= ord("0")) & (kinds <= ord("7"))
    levels = np.concatenate(([0], kinds[headings] - ord("0")))
    of_blocks = levels[marks[headings].searchsorted(places[words[signs[:-1] == ord("\n")]])].tolist()
    left = kept.nonzero()[0]
    codes = codes.take(left)
    # A line feed was put before the marked text. Of the bytes of a character the first.
    of_characters = places.take(left.compress(codes & 0xC0 != 0x80))[1:-1] - 1 if placed else None
    return codes.tobytes().decode()[1:-1], of_blocks, of_characters


def one_space(utf8: bytes, outside: set[str]) -> bytes:
    """Return a text with U+0020 for all other white space; `outside` are its characters outside ASCII."""
    for character in outside:
        if character.isspace():
            utf8 = utf8.replace(character.encode(), b" ")
    return utf8


def outside_ascii(text: str | bytes) -> set[str]:
    """Return the characters of a text, in UTF-8 if it is bytes, that are not ASCII."""
    utf8 = text.encode() if isinstance(text, str) else text
    return set() if text.isascii() else set(utf8.translate(None, _ASCII).decode())
