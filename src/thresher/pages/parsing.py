"""HTML to lines of text: one block a line, with marks for links, headings and dropped elements.

libxml2's HTML parser (through lxml) calls back for every tag and every run of text; each tag becomes a mark in one flat
list, so that no tree is built and the text is never walked again. A line feed ends a block. Marks are control
characters, which cannot come from the page: they are taken out of it first, also where it spells them as references.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

LINK, LINK_END = "\x01", "\x02"
_RAW, _DROP, _DROP_END = "\x03", "\x04", "\x05"
_PLAIN, _TITLE = 0x10, 0x17
TITLE_LEVEL = 7

# Tags that style words of a sentence. Kohlschuetter et al. define a block as text not interrupted by a tag other than A;
# the code they released lets these pass as well, and so does the default here.
INLINE_TAGS = frozenset(
    (
        "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby rb rt rp"
        " s samp small span strike strong sub sup time tt u var wbr"
    ).split()
)
BLOCK_RULES = ("join", "split")
# Not shown to a reader, or shown only to one without scripts, frames or objects.
_RAW_TAGS = ("script", "style")
_DROPPED_TAGS = ("template", "noscript", "noframes", "iframe", "object", "embed", "applet", "svg", "option")
_KNOWN_TAGS = (
    "address article aside audio base basefont bgsound blink blockquote body br button canvas caption"
    " center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame"
    " frameset head header hgroup hr html img input legend li link main map area marquee math menu meta"
    " meter nav ol optgroup output p param picture plaintext pre progress search section select slot"
    " source summary table tbody td textarea tfoot th thead tr track ul video xmp"
).split()

_CONTROLS = bytes.maketrans(bytes(range(32)) + b"\x7f", b" " * 33)
_CONTROL_REFERENCE = re.compile(
    rb"&(?:#0*(?:[12]?[0-9]|3[01]|127)(?![0-9]);?|#[xX]0*(?:1?[0-9a-fA-F]|7[fF])(?![0-9a-fA-F]);?|NewLine;|Tab;)"
)
_LINK_MARKS = re.compile(f"([{LINK}{LINK_END}])")
_SPACES = re.compile("  +")
_ASCII = bytes(range(128))
_DROPPED = re.compile(f"{_DROP}[^{_DROP}{_DROP_END}]*{_DROP_END}")


def _marks(blocks: str) -> tuple[dict[str, str], dict[str, str]]:
    starts = dict.fromkeys(_KNOWN_TAGS, "\n")
    ends = dict(starts)
    inline = "" if blocks == "join" else "\n"
    for tag in INLINE_TAGS:
        starts[tag] = ends[tag] = inline
    starts["a"], ends["a"] = LINK, LINK_END
    for tag in _RAW_TAGS:
        starts[tag], ends[tag] = f"\n{_RAW}", "\n"
    for tag in _DROPPED_TAGS:
        starts[tag], ends[tag] = f"\n{_DROP}", f"{_DROP_END}\n"
    for level in range(1, 7):
        starts[f"h{level}"] = f"\n{chr(_PLAIN + level)}\n"
    starts["title"] = f"\n{chr(_TITLE)}\n"
    for tag in ("title", *(f"h{level}" for level in range(1, 7))):
        ends[tag] = f"\n{chr(_PLAIN)}\n"
    return starts, ends


_MARKS = {rule: _marks(rule) for rule in BLOCK_RULES}


class _Flattener:
    """A parser target that appends text and marks to one list."""

    data: Callable[[str], None]
    start: Callable[[str, Any], None]
    end: Callable[[str], None]

    def __init__(self, starts: dict[str, str], ends: dict[str, str]) -> None:
        self._pieces: list[str] = []
        append = self.data = self._pieces.append

        # Closures over local names, and exceptions for the rare tag: these two run some 1,500 times a page.
        def start(tag: str, _attributes: Any) -> None:
            try:
                append(starts[tag])
            except KeyError:
                append("\n")

        def end(tag: str) -> None:
            try:
                append(ends[tag])
            except KeyError:
                append("\n")

        self.start, self.end = start, end

    def close(self) -> str:
        return "".join(self._pieces)


def flatten(utf8: bytes, blocks: str = "join") -> str:
    """Parse a page into text with marks.

    Args:
        utf8: the page as UTF-8.
        blocks: `join` to let inline tags such as B and SPAN pass within a block, `split` to let only A.

    Raises:
        lxml.etree.LxmlError: if libxml2 gives the page up.
    """
    starts, ends = _MARKS[blocks]
    clean = _CONTROL_REFERENCE.sub(b" ", utf8.translate(_CONTROLS))
    parser = etree.HTMLParser(encoding="utf-8", target=_Flattener(starts, ends), huge_tree=True)
    parser.feed(clean)
    flat: str = parser.close()
    while _DROP in flat:
        flat, count = _DROPPED.subn("", flat)
        if not count:
            flat = flat.replace(_DROP, "").replace(_DROP_END, "")
    return flat


def lines(flat: str) -> tuple[str, list[int]]:
    """Split marked text into blocks.

    Returns:
        the blocks with single spaces between words, joined by line feeds; and for each block its heading level (0 for none,
        1 to 6, 7 for the page's title).
    """
    stripped = [*filter(None, map(str.strip, one_space(unlinked(flat)).split("\n")))]
    # Few lines are marks, so the common work on all lines is left to C.
    marks = [index for index, line in enumerate(stripped) if line[0] < " "]
    levels: list[int] = []
    level = begin = 0
    for index in marks:
        levels += [level] * (index - begin)
        begin = index + 1
        if stripped[index][0] != _RAW:
            level = ord(stripped[index][0]) - _PLAIN
    levels += [level] * (len(stripped) - begin)
    text = "\n".join([line for line in stripped if line[0] >= " "] if marks else stripped)
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
    inside = False
    for line in flat.split("\n"):
        kept = []
        for piece in _LINK_MARKS.split(line):
            if piece in (LINK, LINK_END):
                inside = piece == LINK
            elif inside:
                kept.append(piece)
        text = unlinked(one_space(line)).strip()
        if text and text[0] >= " ":
            linked.append(" ".join(" ".join(kept).split()))
    return linked


def unlinked(flat: str) -> str:
    """Return marked text without the marks of links."""
    return flat.replace(LINK, "").replace(LINK_END, "")
