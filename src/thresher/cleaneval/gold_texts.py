"""Gold texts: in CleanEval's format, in Dragnet's, or plain; and L3S-GN1's pages, which mark content in themselves."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from lxml import etree

from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.pages.marked_text import marked_segments

_URL = re.compile(r"\s*URL:[^\n]*(?:\n|$)")
# Some annotators of CleanEval put the address on a line of its own.
_ADDRESS = re.compile(r"\s*URL:\s*(https?://[^\n]*)", re.IGNORECASE)
_MARKER = re.compile(r"<(/?)([hpl])>", re.IGNORECASE)
_MARKED_LINE = re.compile(r"^[ \t]*<[hpl]>", re.IGNORECASE | re.MULTILINE)
# `!@#$%^&*()  COMMENTS`. Some annotators of Dragnet mistyped the first half.
_COMMENTS_MARK = re.compile(r"^[!@#$% \t]*%\^&\*\(\)[ \t]+COMMENTS[ \t]*$", re.MULTILINE)
_CONTENT = frozenset({"x-nc-sel1", "x-nc-sel2", "x-nc-sel3"})
_COMMENTS = "x-nc-sel5"
_MARKS = _CONTENT | {"x-nc-sel0", "x-nc-sel4", _COMMENTS}
# Control characters, which the page parser reads as spaces; some would not survive being parsed twice.
_CONTROLS = bytes(32 if code < 32 or code == 127 else code for code in range(256))
# Elements without content, which have no end tag.
_VOID_TAGS = frozenset("area base basefont br col frame hr img input link meta param".split())
# Elements in which character references are not resolved, so that escaped text would not be read back.
_LITERAL_TAGS = frozenset({"listing", "plaintext", "xmp"})


@dataclass(frozen=True)
class LabelledText:
    """A part of a page's text: its label `h` (heading), `p` (paragraph), `l` (list item) or None, and its text."""

    label: str | None
    text: str


def parse_gold(text: str, comments: bool = False) -> tuple[LabelledText, ...]:
    """Return the segments of a gold text, stripped, without empty ones.

    A text is in CleanEval's format if it begins with a line `URL:` or if any line begins with a segment marker. A marker may
    then stand anywhere and ends the segment before it; text before the first has no label; character references are resolved,
    as CleanPortalEval needs. Any other text is one segment, up to Dragnet's comments mark.

    Args:
        text: the gold text.
        comments: whether the text below Dragnet's comments mark is a segment too.
    """
    if (url := _URL.match(text)) or _MARKED_LINE.search(text):
        parts = _marked(text[url.end() :] if url else text)
    else:
        body = _COMMENTS_MARK.split(text)
        parts = ((None, part) for part in (body if comments else body[:1]))
    segments = (LabelledText(label, part.strip()) for label, part in parts)
    return tuple(segment for segment in segments if segment.text)


def url_of(text: str) -> str:
    """Return the URL at the beginning of a gold text in CleanEval's format, or on the line after; empty without."""
    url = _ADDRESS.match(text)
    return url[1].strip() if url else ""


def decode_gold(content: bytes) -> str:
    """Decode a gold file: UTF-8, with or without byte order mark, else windows-1252; line ends become line feeds."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _marked(text: str) -> Iterator[tuple[str | None, str]]:
    label: str | None = None
    begin = 0
    for marker in _MARKER.finditer(text):
        yield label, html.unescape(text[begin : marker.start()])
        label, begin = None if marker[1] else marker[2].lower(), marker.end()
    yield label, html.unescape(text[begin:])


def parse_annotated(content: bytes, comments: bool = False) -> tuple[LabelledText, ...]:
    """Return the marked content of an annotated page of L3S-GN1, in the blocks of the page without its marks.

    The innermost mark around a text applies, so that text in nested marks counts once; of several marks on one element the
    first applies. Unmarked text is not content, not even the page's title. Labels follow the page's tags, not the annotators:
    heading, list item (its first block), else paragraph.

    Args:
        content: the page's bytes.
        comments: whether readers' comments are content.

    Returns:
        the blocks; none if nothing is marked.
    """
    html = rewritten(content, MarkRewriter(_CONTENT | {_COMMENTS} if comments else _CONTENT))
    return tuple(LabelledText(segment.label, segment.text) for segment in marked_segments(read_html(html)))


def rewritten(content: bytes, target: MarkRewriter) -> str:
    """Return an annotated page as the target writes it."""
    # Parser events have no limit of depth.
    parser = etree.HTMLParser(encoding="utf-8", target=target, huge_tree=True)
    parser.feed(decode(content).utf8.translate(_CONTROLS))
    html: str = parser.close()
    return html


class MarkRewriter:
    """A parser target that writes an annotated page again, with a space for each text whose innermost mark is not content."""

    def __init__(self, content: frozenset[str] = _CONTENT) -> None:
        self._content = content
        self._pieces: list[str] = []
        # For each open element the mark that applies to it.
        self._marks: list[str] = [""]

    def written(self, text: str, mark: str) -> str:
        """Return how text under a mark is written."""
        return escape(text, quote=False) if mark in self._content else " "

    def start(self, tag: str, attributes: Any) -> None:
        """Write a begin tag without attributes."""
        mark = next((name for name in attributes.get("class", "").split() if name in _MARKS), None)
        self._marks.append(mark or self._marks[-1])
        self._pieces.append(f"<{_written(tag)}>")

    def end(self, tag: str) -> None:
        """Write an end tag, unless the element has none."""
        self._marks.pop()
        if tag not in _VOID_TAGS:
            self._pieces.append(f"</{_written(tag)}>")

    def data(self, text: str) -> None:
        """Write text as `written` says."""
        self._pieces.append(self.written(text, self._marks[-1]))

    def close(self) -> str:
        """Return the page."""
        return "".join(self._pieces)


def _written(tag: str) -> str:
    return "pre" if tag in _LITERAL_TAGS else tag
