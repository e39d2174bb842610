"""A page's blocks by walking lxml's tree, character by character: slow, and independent of how `thresher.pages` does it."""

from __future__ import annotations

import re
import unicodedata

import lxml.html
from lxml import etree

DROPPED = "script style template noscript noframes iframe noembed applet svg option".split()
STYLING = (
    "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q ruby rb rt rp"
    " s samp small span strike strong sub sup time tt u var wbr"
).split()
LEVELS = {"title": 7, **{f"h{level}": level for level in range(1, 7)}}
BREAK = None


def is_word(token: str) -> bool:
    return any(unicodedata.category(character)[0] in "LNM" for character in token)


def tree_of(utf8: bytes) -> etree._Element | None:
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    # "An end tag whose tag name is br ... act as described ... for a br start tag" (HTML standard, 13.2.6.4.7).
    html = re.sub(rb"(?i)</br\s*/?>", b"<br>", re.sub(rb"[\x01-\x1f\x7f]", b" ", utf8.replace(b"\0", b"")))
    return lxml.html.document_fromstring(html, parser) if html.strip() else None


def blocks_of(utf8: bytes, rule: str = "join") -> list[tuple[str, int, int, int]]:
    """Return each block's text, heading level, words with a letter inside A, and tokens with a character inside A."""
    characters: list[tuple[str, bool, int] | None] = []
    level = 0

    def text(value: str | None, links: int) -> None:
        characters.extend((character, links > 0, level) for character in value or "")

    def walk(element: etree._Element, links: int) -> None:
        nonlocal level
        tag = element.tag
        if isinstance(tag, str):
            passes = tag == "a" or (rule == "join" and tag in STYLING)
            if not passes:
                characters.append(BREAK)
            if tag not in DROPPED:
                level = LEVELS.get(tag, level)
                text(element.text, links + (tag == "a"))
                for child in element:
                    walk(child, links + (tag == "a"))
                    text(child.tail, links + (tag == "a"))
                level = 0 if tag in LEVELS else level
            if not passes:
                characters.append(BREAK)

    try:
        tree = tree_of(utf8)
    except etree.ParserError:
        tree = None
    if tree is not None:
        walk(tree, 0)
    blocks = []
    line: list[tuple[str, bool, int]] = []
    for entry in [*characters, BREAK]:
        if entry is not BREAK:
            line.append(entry)
        elif line:
            blocks.append(_block(line))
            line = []
    return [block for block in blocks if block[0]]


def _block(line: list[tuple[str, bool, int]]) -> tuple[str, int, int, int]:
    controls = dict.fromkeys([*range(1, 32), 127], " ")
    text = "".join(character for character, _, _ in line).translate(controls)
    linked = tokens = 0
    for match in re.finditer(r"\S+", text):
        inside = [character for character, is_linked, _ in line[slice(*match.span())] if is_linked]
        linked += is_word("".join(inside))
        tokens += bool(inside)
    return " ".join(text.split()), line[0][2], linked, tokens
