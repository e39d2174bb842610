"""A page's blocks by walking lxml's tree, character by character: slow, and independent of how `thresher.pages` does it."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

import lxml.html
from lxml import etree

DROPPED = (
    "annotation annotation-xml applet audio canvas iframe noembed noframes noscript option script style svg template video"
).split()
# "display: block", "table" and the like, or "list-item" (HTML standard, 15.3); BR, SELECT and TEXTAREA.
LINES = (
    "address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main"
    " menu nav ol optgroup p plaintext pre search section select summary table tbody td textarea tfoot th thead title"
    " tr ul xmp"
).split()
BOXES = [*DROPPED, *"button embed img input keygen label marquee meter mtd object progress".split()]
LEVELS = {"title": 7, **{f"h{level}": level for level in range(1, 7)}}
BREAK = None
# Characters that are not seen. Those that carry meaning after letters of some scripts are not in the pages of these tests.
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u180b-\u180f\ufe00-\ufe0f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def is_word(token: str) -> bool:
    return any(unicodedata.category(character)[0] in "LNM" for character in token)


def spelled(utf8: bytes) -> bytes:
    """Leave out invisible characters, and compose letters and marks that no tag parts."""

    def resolved(reference: re.Match[str]) -> str:
        character = unescape(reference[0])
        is_mark = unicodedata.category(character[:1] or " ")[0] == "M"
        return character if is_mark or INVISIBLE.fullmatch(character) else reference[0]

    html = re.sub("&#x?[0-9a-f]+;?|&(?:shy;?|zwn?j;|[lr]lm;)", resolved, utf8.decode(), flags=re.IGNORECASE)
    return re.sub("[^<>]+", lambda text: unicodedata.normalize("NFC", INVISIBLE.sub("", text[0])), html).encode()


def tree_of(utf8: bytes) -> etree._Element | None:
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    # "An end tag whose tag name is br ... act as described ... for a br start tag" (HTML standard, 13.2.6.4.7).
    html = re.sub(rb"(?i)</br\s*/?>", b"<br>", re.sub(rb"[\x01-\x1f\x7f]", b" ", spelled(utf8).replace(b"\0", b"")))
    return lxml.html.document_fromstring(html, parser) if html.strip() else None


def hides(element: etree._Element) -> bool:
    style = (element.get("style") or "").lower().replace(" ", "")
    hiding = ("display:none", "visibility:hidden", "visibility:collapse", "content-visibility:hidden")
    names = [declaration for declaration in style.split(";") if declaration.startswith(hiding)]
    by_name = any(element.get(name) is not None for name in ("hidden", "popover"))
    return bool(names) or by_name or element.get("aria-hidden") == "true"


def opens(element: etree._Element, page: str) -> bool:
    if element.get("role") in ("tabpanel", "region"):
        return True
    words = "accordion collaps expand panel carousel slide faq toggle drawer disclosure reveal read-more readmore tab".split()
    if any(word in (element.get("class") or "").lower() for word in words):
        return True
    name = element.get("id")
    quoted = re.split("[\"']", page)
    return bool(name) and sum(quoted.count(form) for form in (name, f"#{name}", f"{name}\\")) > 1


def is_invisible(element: etree._Element) -> bool:
    """Return whether it is hidden, and would not be if it were visible."""
    copy = lxml.html.Element("p", dict(element.attrib))
    copy.set("style", re.sub(r"(?i)(?<![\w-])visibility\s*:\s*(hidden|collapse)", "", copy.get("style") or ""))
    return hides(element) and not hides(copy)


def invisible_texts(element: etree._Element, page: str) -> tuple[list[tuple[etree._Element, str]], bool]:
    """Return where the texts of an invisible element are that no visible element in it holds; and whether there is one."""
    places = [(element, "text")]
    shows = False
    for child in element.iterchildren(etree.Element):
        style = (child.get("style") or "").lower().replace(" ", "")
        is_visible = "visibility:visible" in style.split(";") and (not hides(child) or opens(child, page))
        if (is_visible and child.tag not in DROPPED) or child.get("shows") is not None:
            shows = True
        elif child.get("left-out") is None:
            places_in_child, child_shows = invisible_texts(child, page)
            places += places_in_child
            shows = shows or child_shows
        places.append((child, "tail"))
    return places, shows


def without_hidden(tree: etree._Element, utf8: bytes) -> None:
    """Empty what no reader sees, and mark it."""
    page = utf8.decode()
    for element in reversed(list(tree.iter(etree.Element))):
        if element.tag in DROPPED:
            for child in list(element):
                element.remove(child)
            element.text = None
    for element in reversed(list(tree.iter(etree.Element))):
        is_shown = element.tag in ("html", "head", "body", "title") or not hides(element) or opens(element, page)
        if is_shown:
            continue
        places, shows = invisible_texts(element, page)
        if is_invisible(element) and shows:
            element.set("shows", "")
            for place, where in places:
                setattr(place, where, None)
        elif len("".join(element.text_content().split())) <= 500:
            for child in list(element):
                element.remove(child)
            element.text = None
            element.set("left-out", "")


class _Walk:
    """The characters of a page in a walk over its tree, each with whether it is in A and with its heading level.

    None ends a block.
    """

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.level = 0
        self.characters: list[tuple[str, bool, int] | None] = []

    def add(self, element: etree._Element, links: int = 0) -> None:
        """Add an element; `links` elements A are around it."""
        tag = element.tag
        if not isinstance(tag, str):
            return
        left_out = element.get("left-out") is not None
        passes = tag == "a"
        if self.rule == "join":
            passes = tag not in LINES or left_out
        part = (" ", False, self.level) if passes else BREAK
        separates = not passes or tag in BOXES or (left_out and tag in LINES)
        if separates:
            self.characters.append(part)
        if tag not in DROPPED:
            self._add_inside(element, links + (tag == "a"))
        if separates:
            self.characters.append(part)

    def _add_inside(self, element: etree._Element, links: int) -> None:
        self.level = LEVELS.get(element.tag, self.level)
        self._add_text(element.text, links)
        for child in element:
            self.add(child, links)
            self._add_text(child.tail, links)
        if element.tag in LEVELS:
            self.level = 0

    def _add_text(self, value: str | None, links: int) -> None:
        self.characters.extend((character, links > 0, self.level) for character in value or "")


def blocks_of(utf8: bytes, rule: str = "join") -> list[tuple[str, int, int, int]]:
    """Return each block's text, heading level, words with a letter inside A, and tokens with a character inside A."""
    walk = _Walk(rule)
    try:
        tree = tree_of(utf8)
    except etree.ParserError:
        tree = None
    if tree is not None:
        without_hidden(tree, utf8)
        walk.add(tree)
    blocks = []
    line: list[tuple[str, bool, int]] = []
    for entry in [*walk.characters, BREAK]:
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
