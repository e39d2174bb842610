"""Gold texts: in CleanEval's format, in Dragnet's, or plain."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

_URL = re.compile(r"\s*URL:[^\n]*(?:\n|$)")
# Some annotators of CleanEval put the address on a line of its own.
_ADDRESS = re.compile(r"\s*URL:\s*(https?://[^\n]*)", re.IGNORECASE)
_MARKER = re.compile(r"<(/?)([hpl])>", re.IGNORECASE)
_MARKED_LINE = re.compile(r"^[ \t]*<[hpl]>", re.IGNORECASE | re.MULTILINE)
# `!@#$%^&*()  COMMENTS`. Some annotators of Dragnet mistyped the first half.
_COMMENTS_MARK = re.compile(r"^[!@#$% \t]*%\^&\*\(\)[ \t]+COMMENTS[ \t]*$", re.MULTILINE)


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


def split_comments(text: str) -> tuple[str, str]:
    """Return a gold text up to Dragnet's comments mark, and what is below it; empty without a mark."""
    body, *below = _COMMENTS_MARK.split(text)
    return body, "\n".join(below)


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
