"""HTML to lines of text: one block a line, with marks for links and headings.

libxml2 parses the page (through lxml) and a stylesheet flattens the tree into one text in which a line feed ends a block and
other control characters are marks. None can come from the page: control characters are taken out of it first, also where it
spells them as references. A page too deep or too large for that goes through the parser's events instead, which is slower and
gives the same.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
from lxml import etree

# The control characters that XML allows in a stylesheet. A heading's mark is followed by the level that begins there.
LINK, LINK_END, _HEADING_MARK = "\x7f", "\r", "\t"
_HEADING = f"\n{_HEADING_MARK}{{}}\n"
TITLE_LEVEL = 7
_HEADINGS = {**{f"h{level}": level for level in range(1, 7)}, "title": TITLE_LEVEL}

# Tags that style words of a sentence. Kohlschuetter et al. define a block as text not interrupted by a tag other than A;
# the code they released lets these pass as well, and so does the default here.
INLINE_TAGS = frozenset(
    (
        "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby rb rt rp"
        " s samp small span strike strong sub sup time tt u var wbr"
    ).split()
)
BLOCK_RULES = ("join", "split")
# Not shown to a reader, or shown only to one without scripts, frames or objects. EMBED is not among them: it has no content,
# but libxml2 puts what follows into it.
_DROPPED_TAGS = "script style template noscript noframes iframe object noembed applet svg option".split()

_CONTROL_REFERENCE = re.compile(
    rb"&(?:#0*(?:[12]?[0-9]|3[01]|127)(?![0-9]);?|#[xX]0*(?:1?[0-9a-fA-F]|7[fF])(?![0-9a-fA-F]);?|NewLine;|Tab;)"
)
# libxml2 keeps no tree deeper than 256 unless told to, and none should be: the stylesheet recurses, and a process with Java in
# it has a stack of 1 MiB. Elements that hold text count, others are a level less.
_DEEPEST = 250
# Nor does it keep a text of more than 10 MB.
_LARGEST = 9_000_000
_LINK_MARKS = re.compile(f"([{LINK}{LINK_END}])")
_HEADINGS_MARKED = re.compile(_HEADING_MARK + "[0-7]")
_SPACES = re.compile("  +")
_ASCII = bytes(range(128))


def flatten(utf8: bytes, blocks: str = "join") -> str:
    """Parse a page into text with marks.

    Args:
        utf8: the page as UTF-8.
        blocks: `join` to let inline tags such as B and SPAN pass within a block, `split` to let only A.

    Raises:
        lxml.etree.LxmlError: if libxml2 gives the page up.
    """
    html = _CONTROL_REFERENCE.sub(b" ", _without_controls(utf8))
    if len(html) > _LARGEST:
        return flatten_by_events(html, blocks)
    root = etree.fromstring(html, _parser())
    if root is None:
        return ""
    if _is_cut_off(root):
        return flatten_by_events(html, blocks)
    return str(_stylesheet(blocks)(root))


def _without_controls(utf8: bytes) -> bytes:
    """Return the text with a space for each control character, line feeds among them."""
    # What `bytes.translate` would do, in half the time: controls are all the bytes below the space, and DEL.
    return np.maximum(np.frombuffer(utf8, dtype=np.uint8), ord(" ")).tobytes().replace(b"\x7f", b" ")


def _is_cut_off(root: etree._Element) -> bool:
    """Return whether libxml2 stopped at its limit of depth, which drops the rest of the page without a word."""
    depth = 1
    while len(root):
        root = root[-1]
        depth += 1
    return depth >= _DEEPEST


@cache
def _parser() -> etree.HTMLParser:
    # One for all pages, since making one costs; an index of ids would be for lookups that nobody makes.
    return etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)


def flatten_by_events(html: bytes, blocks: str = "join") -> str:
    """Do what `flatten` does through the parser's events, for a page without control characters, however deep."""
    target = _Events(*_marks(blocks))
    parser = etree.HTMLParser(encoding="utf-8", target=target, huge_tree=True)
    parser.feed(html)
    flat: str = parser.close()
    return flat


@cache
def _stylesheet(blocks: str) -> etree.XSLT:
    """Return the stylesheet that flattens a tree; marks are the same as `_marks` gives."""
    within, line = "<xsl:apply-templates/>", _literal("\n")
    rules = [f'<xsl:template match="*">{line}{within}{line}</xsl:template>']
    if blocks == "join":
        rules.append(f'<xsl:template match="{"|".join(sorted(INLINE_TAGS))}">{within}</xsl:template>')
    rules.append(f'<xsl:template match="a">{_literal(LINK)}{within}{_literal(LINK_END)}</xsl:template>')
    rules.append(f'<xsl:template match="{"|".join(_DROPPED_TAGS)}">{line}</xsl:template>')
    for tag, level in _HEADINGS.items():
        begin, end = _literal(_HEADING.format(level)), _literal(_HEADING.format(0))
        rules.append(f'<xsl:template match="{tag}">{begin}{within}{end}</xsl:template>')
    return etree.XSLT(
        etree.fromstring(
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
            f'<xsl:output method="text" encoding="utf-8"/>{"".join(rules)}</xsl:stylesheet>'
        )
    )


def _literal(text: str) -> str:
    return "<xsl:text>" + "".join(f"&#{ord(character)};" for character in text) + "</xsl:text>"


@cache
def _marks(blocks: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return what begin and end tags become, by tag; all others become a line feed."""
    starts: dict[str, str] = {}
    ends: dict[str, str] = {}
    if blocks == "join":
        starts = dict.fromkeys(INLINE_TAGS, "")
        ends = dict(starts)
    starts["a"], ends["a"] = LINK, LINK_END
    for tag, level in _HEADINGS.items():
        starts[tag], ends[tag] = _HEADING.format(level), _HEADING.format(0)
    return starts, ends


class _Events:
    """A parser target that appends text and marks to one list."""

    def __init__(self, starts: dict[str, str], ends: dict[str, str]) -> None:
        self._starts, self._ends = starts, ends
        self._pieces: list[str] = []
        self._dropped = 0

    def start(self, tag: str, _attributes: Any) -> None:
        if tag in _DROPPED_TAGS:
            self._dropped += 1
            self._pieces.append("\n")
        elif not self._dropped:
            self._pieces.append(self._starts.get(tag, "\n"))

    def end(self, tag: str) -> None:
        if tag in _DROPPED_TAGS:
            self._dropped -= 1
        elif not self._dropped:
            self._pieces.append(self._ends.get(tag, "\n"))

    def data(self, text: str) -> None:
        if not self._dropped:
            self._pieces.append(text)

    def close(self) -> str:
        return "".join(self._pieces)


def lines(flat: str) -> tuple[str, list[int]]:
    """Split marked text into blocks.

    Returns:
        the blocks with single spaces between words, joined by line feeds; and for each block its heading level (0 for none,
        1 to 6, 7 for the page's title).
    """
    texts: list[str] = []
    levels: list[int] = []
    # Headings are few, so that all work on lines is left to C.
    before, *headed = one_space(unlinked(flat)).split(_HEADING_MARK)
    for level, part in ((0, before), *((int(part[0]), part[1:]) for part in headed)):
        stripped = [*filter(None, map(str.strip, part.split("\n")))]
        texts += stripped
        levels += [level] * len(stripped)
    text = "\n".join(texts)
    return (_SPACES.sub(" ", text) if "  " in text else text), levels


def one_space(text: str) -> str:
    """Return `text` with a plain space for every other space of Unicode; line feeds stay."""
    for character in outside_ascii(text):
        if character.isspace():
            text = text.replace(character, " ")
    return text


def outside_ascii(text: str) -> set[str]:
    """Return the characters of `text` that are not ASCII."""
    return set() if text.isascii() else set(text.encode().translate(None, _ASCII).decode())


def linked_lines(flat: str) -> list[str]:
    """Return for each block that `lines` gives the part of its text inside A elements."""
    linked = []
    inside = 0
    for line in _HEADINGS_MARKED.sub("", one_space(flat)).split("\n"):
        kept = []
        for piece in _LINK_MARKS.split(line):
            if piece in (LINK, LINK_END):
                inside += 1 if piece == LINK else -1
            elif inside:
                kept.append(piece)
            elif " " in piece:
                # Only a space parts words: two links in one word are one word.
                kept.append(" ")
        if unlinked(line).strip():
            linked.append(" ".join("".join(kept).split()))
    return linked


def unlinked(flat: str) -> str:
    """Return marked text without the marks of links."""
    return flat.replace(LINK, "").replace(LINK_END, "")
