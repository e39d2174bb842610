"""Annotated pages: L3S-GN1 marks content in the page itself."""

from __future__ import annotations

from html import escape
from typing import Any

from lxml import etree

from thresher.cleaneval.gold_texts import LabelledText
from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.pages.marked_text import marked_segments

_CONTENT = frozenset({"x-nc-sel1", "x-nc-sel2", "x-nc-sel3"})
_COMMENTS = "x-nc-sel5"
_MARKS = _CONTENT | {"x-nc-sel0", "x-nc-sel4", _COMMENTS}

# Control characters, which the page parser reads as spaces; some would not survive being parsed twice.
_CONTROLS = bytes(32 if code < 32 or code == 127 else code for code in range(256))
# Elements without content, which have no end tag.
_VOID_TAGS = frozenset("area base basefont br col frame hr img input link meta param".split())
# Elements in which character references are not resolved, so that escaped text would not be read back.
_LITERAL_TAGS = frozenset({"listing", "plaintext", "xmp"})


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

    Raises:
        lxml.etree.LxmlError: if libxml2 cannot parse the page.
    """
    target = _MarkedOnly(_CONTENT | {_COMMENTS} if comments else _CONTENT)
    # Parser events have no limit of depth.
    parser = etree.HTMLParser(encoding="utf-8", target=target, huge_tree=True)
    parser.feed(decode(content).utf8.translate(_CONTROLS))
    html: str = parser.close()
    return tuple(LabelledText(segment.label, segment.text) for segment in marked_segments(read_html(html)))


class _MarkedOnly:
    """A parser target that writes the page again, with a space for each text that is not content."""

    def __init__(self, content: frozenset[str]) -> None:
        self._content = content
        self._pieces: list[str] = []
        # For each open element whether text in it is content.
        self._kept = [False]

    def start(self, tag: str, attributes: Any) -> None:
        mark = next((name for name in attributes.get("class", "").split() if name in _MARKS), None)
        self._kept.append(mark in self._content if mark else self._kept[-1])
        self._pieces.append(f"<{_written(tag)}>")

    def end(self, tag: str) -> None:
        self._kept.pop()
        if tag not in _VOID_TAGS:
            self._pieces.append(f"</{_written(tag)}>")

    def data(self, text: str) -> None:
        self._pieces.append(escape(text, quote=False) if self._kept[-1] else " ")

    def close(self) -> str:
        return "".join(self._pieces)


def _written(tag: str) -> str:
    return "pre" if tag in _LITERAL_TAGS else tag
