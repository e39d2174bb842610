"""Gold as annotated HTML: the page itself, with marks around what is content, as the collection L3S-GN1 has it.

An element with a class `x-nc-sel0` to `x-nc-sel5`, mostly a SPAN, marks the text in it (the collection's README):

    0  not content         2  full text         4  related content
    1  headline            3  supplemental      5  user comments

Content is what Kohlschuetter et al. (2010, section 4.3.1) call so: headline, full text and supplemental text; related
content, "links to other articles etc.", is boilerplate to them. They count user comments as content too; Bevendorff et al.
(2023) do not, and here that is for the caller to say. The README names one more class, `x-nc-invisible`, for elements that a
reader does not see. It marks nothing here: text in them is what its own mark says.
"""

from __future__ import annotations

from html import escape
from typing import Any

from lxml import etree

from thresher.cleaneval.labels import LabelledText
from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.pages.marked_text import marked_segments

_CONTENT = frozenset({"x-nc-sel1", "x-nc-sel2", "x-nc-sel3"})
_COMMENTS = "x-nc-sel5"
_MARKS = _CONTENT | {"x-nc-sel0", "x-nc-sel4", _COMMENTS}

# What the parser of pages takes for a space; some would not outlive being parsed twice.
_CONTROLS = bytes(32 if code < 32 or code == 127 else code for code in range(256))
# Elements without content, which no end tag may follow.
_VOID_TAGS = frozenset("area base basefont br col frame hr img input link meta param".split())
# Elements in which references are not read, so that what is written there would not be read as it was.
_LITERAL_TAGS = frozenset({"listing", "plaintext", "xmp"})


def parse_annotated(content: bytes, comments: bool = False) -> tuple[LabelledText, ...]:
    """Return what an annotated page marks as content, in the blocks that the page has without its marks.

    The innermost mark around a text says what it is, so that text in nested marks counts once; of several marks on one
    element the first counts. What stands outside marks is not content, nor is the page's title unless marked. Labels are
    those of the page's tags, not the annotators': heading, list item (its first block), else paragraph.

    Args:
        content: the page as it came.
        comments: whether what users commented is content.

    Returns:
        the blocks; none if nothing is marked.

    Raises:
        lxml.etree.LxmlError: if libxml2 gives the page up.
    """
    target = _MarkedOnly(_CONTENT | {_COMMENTS} if comments else _CONTENT)
    # Through events, which know no limit of depth.
    parser = etree.HTMLParser(encoding="utf-8", target=target, huge_tree=True)
    parser.feed(decode(content).utf8.translate(_CONTROLS))
    html: str = parser.close()
    return tuple(LabelledText(segment.label, segment.text) for segment in marked_segments(read_html(html)))


class _MarkedOnly:
    """A parser target that writes the page anew, with a space for each text that is not content."""

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
