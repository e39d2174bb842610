"""Pages to segments: decoding, parsing, and splitting into blocks and sentences; see `read_page`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple

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

MOST_BLOCKS = 100_000
"""Pages with more blocks fail: no page written by people has a tenth as many, and each block takes kilobytes in a scorer."""
# Pages with fewer spaces between words than this may have their text elsewhere.
_FEW_SPACES = 100
# Pages with fewer spaces between words than this may have no more text than a title.
_SPACES_OF_TITLE = 25
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


class ReadPage(NamedTuple):
    """The segments of a page, and how its bytes were decoded."""

    segments: Segments
    decoded: Decoded


@dataclass(frozen=True)
class ParsedText:
    """The text of a page, as a parser returns it, with the attributes of `Segments`.

    `outside`, if known, is a superset of the text's characters outside ASCII.
    """

    text: str
    levels: list[int]
    marked: bytes | None = b""
    outside: set[str] | None = None
    descriptions: Sequence[str] | None = ()
    places: Ints | None = None


def read_page(
    page: Page, options: PageOptions = DEFAULT_OPTIONS, detail: Detail = Detail.TAGS, with_references: bool = False
) -> ReadPage:
    """Return the segments of a page, and how its bytes were decoded.

    With less detail, reading is faster, but `Segments.marks` or `Segments.elements` are not available. `Segments.references`
    need `with_references`, and a page of HTML.

    Raises:
        PageError: as `check_text`.
    """
    check_text(page)
    decoded = decode(page.content, page.charset)
    if page.is_text:
        return ReadPage(read_text_page(decoded.utf8.decode(), options, by_blank_lines=True), decoded)
    return ReadPage(_segments_of(decoded.utf8, options, detail, with_references), decoded)


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
    return read_page(Page("", html), options, detail).segments


def read_text_page(text: str, options: PageOptions = DEFAULT_OPTIONS, by_blank_lines: bool = False) -> Segments:
    """Return the segments of plain text: one block per line, or cut and marked as in `marked_text`."""
    valid = readable(text.encode("utf-8", "replace").decode())
    lines_of_text = [line.translate(_CONTROLS) for line in valid.splitlines()]
    blocks: list[str] = []
    levels: list[int] = []
    if by_blank_lines:
        for lines_of_block in dump_blocks(lines_of_text):
            level, first_line = heading_mark(lines_of_block[0])
            lines_of_block[0] = first_line
            blocks.append(" ".join(lines_of_block))
            levels.append(level)
    else:
        blocks = lines_of_text
        levels = [0] * len(lines_of_text)
    texts: list[str] = []
    levels_of_texts: list[int] = []
    for block, level in zip(blocks, levels, strict=True):
        words = " ".join(block.split())
        if words:
            texts.append(words)
            levels_of_texts.append(level)
    return segment(ParsedText("\n".join(texts), levels_of_texts), options)


def segment(parsed_text: ParsedText, options: PageOptions = DEFAULT_OPTIONS) -> Segments:
    """Return the segments of a parsed text.

    Raises:
        PageError: if there are more than `MOST_BLOCKS`.
    """
    levels = np.array(parsed_text.levels, dtype=np.int8)
    if len(levels) > MOST_BLOCKS:
        raise PageError(f"{len(levels):,} blocks, more than {MOST_BLOCKS:,}", "split it, or leave it out", None)
    text = parsed_text.text
    plain = plain_text(text, parsed_text.outside)
    block_ends = np.flatnonzero(plain.classes & LINE_FEED > 0)
    if text:
        block_ends = np.append(block_ends + 1, len(text))
    return Segments(
        text,
        plain,
        block_ends,
        levels,
        parsed_text.marked,
        parsed_text.places,
        options.language,
        parsed_text.descriptions,
    )


def _segments_of(
    utf8: bytes, options: PageOptions, detail: Detail = Detail.TAGS, with_references: bool = False
) -> Segments:
    utf8 = readable_html(utf8)
    segments = _displayed(Version(utf8), options, detail, with_references)
    version = _version_with_more_text(segments, utf8, options, detail)
    if version is segments:
        return segments
    return replace(version, references=segments.references)


def _version_with_more_text(segments: Segments, utf8: bytes, options: PageOptions, detail: Detail) -> Segments:
    """Return the segments of a version of the page with more words if the page has few; else its segments."""
    spaces = _spaces_between_words(segments.text)
    if spaces < _FEW_SPACES and _NOSCRIPT.search(utf8):
        # Scripts fill the page, as in forums: its text is in the elements that browsers show without scripts.
        without_scripts = _displayed(Version(_with_noscript(utf8)), options, detail)
        if len(without_scripts.spaces) >= 2 * _FEW_SPACES:
            return without_scripts
    if spaces < _FEW_SPACES and _HIDING.search(utf8):
        # The page is hidden until a script runs.
        with_hidden = _displayed(Version(utf8, keeps_hidden=True), options, detail)
        if len(with_hidden.spaces) > 2 * spaces:
            return with_hidden
    if spaces < _SPACES_OF_TITLE:
        description = _description(utf8)
        if len(description.split()) > 2 * spaces:
            return _displayed(Version(_with_paragraph(utf8, description)), options, detail)
    return segments


def _spaces_between_words(text: str) -> int:
    """Return the number of spaces and line feeds between words, counted up to `_FEW_SPACES`."""
    words_and_rest = text.split(maxsplit=_FEW_SPACES)
    return max(len(words_and_rest) - 1, 0)


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
    blocks = lines(flat, detail >= Detail.TAGS)
    marked: bytes | None = None
    if blocks.places is not None:
        marked = flat
    parsed_text = ParsedText(blocks.text, blocks.levels, marked, outside, descriptions, blocks.places)
    segments = segment(parsed_text, options)
    if references is None:
        return segments
    return replace(segments, references=references)
