"""Pages to segments: decoding, parsing, and splitting into blocks and sentences; see `read_page`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from thresher.base.defaults import BLOCK_RULES, LANGUAGE
from thresher.base.errors import ConfigError
from thresher.base.letters import outside_ascii, readable, readable_html
from thresher.base.numbers import Ints
from thresher.collections.sources import Page, PageError
from thresher.pages.decoding import Decoded, binary_kind, decode
from thresher.pages.marked_text import dump_blocks, heading_mark
from thresher.pages.marks import lines, one_space
from thresher.pages.parsing import Detail, described, flatten_page
from thresher.pages.plain import LINE_FEED, plain_text
from thresher.pages.segments import ABBREVIATIONS, LANGUAGES, Segments
from thresher.pages.trees import harmless, meta_description, parsed, place_texts
from thresher.pages.unshown import Version

__all__ = [
    "BLOCK_RULES",
    "MOST_BLOCKS",
    "Detail",
    "PageOptions",
    "Segments",
    "check_text",
    "read_html",
    "read_page",
    "read_text_page",
    "segment",
    "shown_page",
    "versions_read",
]


MOST_BLOCKS = 100_000
"""Pages with more blocks fail: people write no page with a tenth of them, and each block takes kilobytes in a scorer."""
_FEW_WORDS = 100
_TITLE_WORDS = 25
_NOSCRIPT = re.compile(rb"<(/?)noscript\b", re.IGNORECASE)
_HIDING = re.compile(rb"hidden|display\s*:\s*none|visibility\s*:\s*collapse|<dialog|\spopover", re.IGNORECASE)
_META = re.compile(rb"<meta\b(?:[^<>\"']|\"[^\"]{0,9999}\"|'[^']{0,9999}')*>", re.IGNORECASE)
# A NUL is dropped, as by browsers.
_CONTROLS: dict[int, str | None] = {0: None, 127: " "}
_CONTROLS.update(dict.fromkeys(range(1, 32), " "))


@dataclass(frozen=True)
class PageOptions:
    """Options of cutting pages into segments.

    `blocks`: `join` ignores inline tags such as B and SPAN, as in the code that Kohlschuetter et al. released; `split` ignores
    only A, as in their paper. `language` chooses the sentence splitter's abbreviations, by its code in ISO 639-1.
    """

    blocks: str = BLOCK_RULES[0]
    language: str = LANGUAGE

    def __post_init__(self) -> None:
        """Check the rule and the language."""
        if self.blocks not in BLOCK_RULES:
            raise ConfigError(f"there is no rule {self.blocks!r}", f"use one of {', '.join(BLOCK_RULES)}", "blocks")
        if self.language not in LANGUAGES:
            languages = ", ".join(ABBREVIATIONS)
            fix = f"use {languages}, whose abbreviations are known, or another code of ISO 639-1"
            raise ConfigError(f"there is no language code {self.language!r}", fix, "language")


DEFAULT_OPTIONS = PageOptions()


def read_page(
    page: Page, options: PageOptions = DEFAULT_OPTIONS, detail: Detail = Detail.TAGS, with_references: bool = False
) -> tuple[Segments, Decoded]:
    """Return the segments of a page, and how its bytes were decoded.

    With less detail, reading is faster, but `Segments.marks` or `Segments.elements` are not available. `Segments.references`
    need `with_references`, and a page of HTML.

    Raises:
        PageError: as `check_text`.
    """
    check_text(page)
    decoded = decode(page.content, page.charset)
    if page.is_text:
        return read_text_page(decoded.utf8.decode(), options, by_blank_lines=True), decoded
    return _segments_of(decoded.utf8, options, detail, with_references), decoded


def versions_read(utf8: bytes) -> Iterator[Version]:
    """Yield the versions of a page that `read_page` chooses from, the usual version first."""
    utf8 = readable_html(utf8)
    yield Version(utf8)
    if _NOSCRIPT.search(utf8):
        yield Version(_with_noscript(utf8))
    yield Version(utf8, keeps_hidden=True)
    description = _description(utf8)
    if description:
        yield Version(_with_paragraph(utf8, description))


def shown_page(page: Page, options: PageOptions) -> str:
    """Return a page as HTML that runs, loads and links nothing, with its blocks marked."""
    segments, decoded = read_page(page, options, Detail.HEADINGS)
    if page.is_text:
        return f"<pre>{escape(decoded.utf8.decode())}</pre>"
    utf8 = readable_html(decoded.utf8)
    root = parsed(utf8)
    if root is None:
        return ""
    for keeps_hidden in (False, True):
        placed = place_texts(root, options.blocks, Version(utf8, keeps_hidden))
        if placed.blocks == tuple(segments.blocks):
            return harmless(root, placed.places)
    return harmless(root, ())


def check_text(page: Page) -> None:
    """Check that a page is text, not compressed data, an image or other binary content.

    Raises:
        PageError: if the page is binary; the message is like `not HTML: gzip`.
    """
    if kind := binary_kind(page.content, page.charset):
        expected = "text" if page.is_text else "HTML"
        raise PageError(f"not {expected}: {kind}", "unpack it, or leave it out", page.id or None)


def read_html(html: str | bytes, options: PageOptions = DEFAULT_OPTIONS, detail: Detail = Detail.TAGS) -> Segments:
    """Return the segments of an HTML page given as text or bytes."""
    if isinstance(html, str):
        return _segments_of(html.encode("utf-8", "replace"), options, detail)
    return read_page(Page("", html), options, detail)[0]


def read_text_page(text: str, options: PageOptions = DEFAULT_OPTIONS, by_blank_lines: bool = False) -> Segments:
    """Return the segments of plain text: one block per line, or cut and marked as in `marked_text`."""
    valid = readable(text.encode("utf-8", "replace").decode())
    lines = [line.translate(_CONTROLS) for line in valid.splitlines()]
    blocks: list[str] = []
    levels: list[int] = []
    if by_blank_lines:
        for lines_of_block in dump_blocks(lines):
            level, first_line = heading_mark(lines_of_block[0])
            lines_of_block[0] = first_line
            blocks.append(" ".join(lines_of_block))
            levels.append(level)
    else:
        blocks = lines
        levels = [0] * len(lines)
    texts: list[str] = []
    levels_of_texts: list[int] = []
    for block, level in zip(blocks, levels, strict=True):
        words = " ".join(block.split())
        if words:
            texts.append(words)
            levels_of_texts.append(level)
    return segment("\n".join(texts), levels_of_texts, options)


def segment(  # noqa: PLR0913, the results of a parser
    text: str,
    levels: list[int],
    options: PageOptions = DEFAULT_OPTIONS,
    marked: bytes | None = b"",
    outside: set[str] | None = None,
    descriptions: Sequence[str] | None = (),
    places: Ints | None = None,
) -> Segments:
    """Return the segments of `text`; `Segments` and `plain_text` explain the arguments.

    Raises:
        PageError: if there are more than `MOST_BLOCKS`.
    """
    if len(levels) > MOST_BLOCKS:
        raise PageError(f"{len(levels):,} blocks, more than {MOST_BLOCKS:,}", "split it, or leave it out", None)
    plain = plain_text(text, outside)
    line_feeds = np.flatnonzero(plain.classes & LINE_FEED > 0)
    block_ends = np.append(line_feeds + 1, len(text)) if text else line_feeds
    of_blocks = np.array(levels, dtype=np.int8)
    return Segments(text, plain, block_ends, of_blocks, marked, places, options.language, descriptions)


def _segments_of(
    utf8: bytes, options: PageOptions, detail: Detail = Detail.TAGS, with_references: bool = False
) -> Segments:
    utf8 = readable_html(utf8)
    segments = _displayed(Version(utf8), options, detail, with_references)
    fuller = _fuller(segments, utf8, options, detail)
    if fuller is segments:
        return segments
    return replace(fuller, references=segments.references)


def _fuller(segments: Segments, utf8: bytes, options: PageOptions, detail: Detail) -> Segments:
    """Return the segments of a version of the page with more words if the page has few; else its segments."""
    # More words than `_FEW_WORDS` need not be counted.
    words = max(len(segments.text.split(maxsplit=_FEW_WORDS)) - 1, 0)
    if words < _FEW_WORDS and _NOSCRIPT.search(utf8):
        # Scripts fill the page, as in forums: its text is in the elements that browsers show without scripts.
        without_scripts = _displayed(Version(_with_noscript(utf8)), options, detail)
        if len(without_scripts.spaces) >= 2 * _FEW_WORDS:
            return without_scripts
    if words < _FEW_WORDS and _HIDING.search(utf8):
        # The page is hidden until a script runs.
        with_hidden = _displayed(Version(utf8, keeps_hidden=True), options, detail)
        if len(with_hidden.spaces) > 2 * words:
            return with_hidden
    if words < _TITLE_WORDS:
        description = _description(utf8)
        if len(description.split()) > 2 * words:
            return _displayed(Version(_with_paragraph(utf8, description)), options, detail)
    return segments


def _with_noscript(utf8: bytes) -> bytes:
    return _NOSCRIPT.sub(rb"<\1div", utf8)


def _description(utf8: bytes) -> str:
    return readable(meta_description(b"".join(_META.findall(utf8))))


def _with_paragraph(utf8: bytes, text: str) -> bytes:
    return utf8 + f"<p>{escape(text)}</p>".encode()


def _displayed(version: Version, options: PageOptions, detail: Detail, with_references: bool = False) -> Segments:
    flat, references = flatten_page(version, options.blocks, detail, with_references)
    descriptions = None
    if detail >= Detail.ELEMENTS:
        flat, descriptions = described(flat)
    outside = outside_ascii(flat)
    flat = one_space(flat, outside)
    text, levels, places = lines(flat, detail >= Detail.TAGS)
    marked = None if places is None else flat
    segments = segment(text, levels, options, marked, outside, descriptions, places)
    if references is None:
        return segments
    return replace(segments, references=references)
