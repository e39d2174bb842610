"""Gold standards: pages and the text on them that people marked as content, in the formats of CleanEval, Dragnet, L3S-GN1 and
trafilatura's evaluation."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

from lxml import etree
from lxml.etree import LxmlError

from thresher.collections import Page
from thresher.collections.interface import HTML_SUFFIXES
from thresher.errors import InputError
from thresher.files import read_text, user_error
from thresher.pages import Segments, read_html, read_page
from thresher.pages.decoding import decode
from thresher.pages.marked_text import marked_segments


@dataclass(frozen=True)
class LabelledText:
    """A part of a page's text: its label `h` (heading), `p` (paragraph), `l` (list item) or None, and its text."""

    label: str | None
    text: str


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


PAGE_FOLDERS = ("input", "original")
GOLD_FOLDERS = ("GoldStandard", "gold", "annotated")
GOLD_SUFFIXES = (".txt",)

_URL = re.compile(r"\s*URL:[^\n]*(?:\n|$)")
_MARKER = re.compile(r"<(/?)([hpl])>", re.IGNORECASE)
_MARKED_LINE = re.compile(r"^[ \t]*<[hpl]>", re.IGNORECASE | re.MULTILINE)
# `!@#$%^&*()  COMMENTS`. Some annotators of Dragnet mistyped the first half.
_COMMENTS_MARK = re.compile(r"^[!@#$% \t]*%\^&\*\(\)[ \t]+COMMENTS[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class GoldPage:
    """A page and its content, as segments in the page's order; none if nothing on it is content."""

    stem: str
    path: Path
    segments: tuple[LabelledText, ...]

    @property
    def text(self) -> str:
        """The segments' texts, each starting a new line."""
        return "\n".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class GoldStandard:
    """The pages with gold, sorted by stem; and the stems of pages without gold and of gold without a page, sorted."""

    pages: tuple[GoldPage, ...]
    without_gold: tuple[str, ...]
    without_page: tuple[str, ...]


def read_gold(folder: Path, gold: Path | None = None, comments: bool = False) -> GoldStandard:
    """Read a gold standard.

    Args:
        folder: has the pages in `input/` or `original/`, or directly if there is no such folder.
        gold: a folder of gold texts or of annotated pages, or a JSON file of `{stem: {"articleBody": text}}`; by default the
            folder's `GoldStandard/`, `gold/` or `annotated/`.
        comments: whether readers' comments, below Dragnet's mark or inside L3S-GN1's, are content.

    Raises:
        InputError: if pages or gold are missing or unreadable, two files have the same stem, the JSON has another form, or no
            page has gold.
    """
    gold = gold or _gold_folder(folder)
    pages = _by_stem(_pages_folder(folder), HTML_SUFFIXES)
    is_json = gold.suffix.lower() == ".json"
    texts: Mapping[str, str | Path] = _article_bodies(gold) if is_json else _by_stem(gold, GOLD_SUFFIXES, HTML_SUFFIXES)
    both = sorted(pages.keys() & texts.keys())
    if not both:
        raise InputError(
            "no page has a gold text of the same stem", "name both alike, such as 1.html and 1.txt", str(gold)
        )
    return GoldStandard(
        tuple(GoldPage(stem, pages[stem], _segments(texts[stem], comments)) for stem in both),
        tuple(sorted(pages.keys() - texts.keys())),
        tuple(sorted(texts.keys() - pages.keys())),
    )


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


def decode_gold(content: bytes) -> str:
    """Decode a gold file: UTF-8, with or without byte order mark, else windows-1252; line ends become line feeds."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_page(page: GoldPage, detailed: bool = True) -> Segments:
    """Return the segments of the whole page, content or not; `detailed` as for `read_page`.

    Raises:
        InputError: if its file cannot be read.
        lxml.etree.LxmlError: if libxml2 cannot parse it.
    """
    return read_page(Page(page.stem, read_bytes(page.path)), detailed=detailed)[0]


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        InputError: if it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise user_error(error, path) from error


def _marked(text: str) -> Iterator[tuple[str | None, str]]:
    label: str | None = None
    begin = 0
    for marker in _MARKER.finditer(text):
        yield label, html.unescape(text[begin : marker.start()])
        label, begin = None if marker[1] else marker[2].lower(), marker.end()
    yield label, html.unescape(text[begin:])


def _segments(gold: str | Path, comments: bool) -> tuple[LabelledText, ...]:
    """Return the segments of a gold text, or of a file: a gold text or an annotated page."""
    if isinstance(gold, str):
        return parse_gold(gold, comments)
    content = read_bytes(gold)
    if gold.name.lower().endswith(GOLD_SUFFIXES):
        return parse_gold(decode_gold(content), comments)
    try:
        return parse_annotated(content, comments)
    except LxmlError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"the annotated page cannot be parsed ({reason})", "correct the file", str(gold)) from error


def _pages_folder(folder: Path) -> Path:
    for name in PAGE_FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    return folder


def _gold_folder(folder: Path) -> Path:
    for name in GOLD_FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    if not folder.is_dir():
        raise InputError("there is no such folder", "check the path", str(folder))
    *first, last = (f"{name}/" for name in GOLD_FOLDERS)
    names = f"{', '.join(first)} or {last}"
    raise InputError(f"the folder holds no gold ({names})", "add one, or name the gold by --gold", str(folder))


def _by_stem(folder: Path, *choices: tuple[str, ...]) -> dict[str, Path]:
    """Return the files by stem, with the first choice of suffixes that any file has."""
    files = list(_files(folder))
    for suffixes in choices:
        by_stem: dict[str, Path] = {}
        for path in files:
            if not path.name.lower().endswith(suffixes):
                continue
            if (other := by_stem.setdefault(path.stem, path)) is not path:
                raise InputError(f"{path.name} has the same stem as {other.name}", "keep one of them", str(folder))
        if by_stem:
            return by_stem
    wanted = ", ".join(chain(*choices))
    raise InputError(f"the folder holds no file ending in {wanted}", "check the path", str(folder))


def _files(folder: Path) -> Iterable[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise user_error(error, folder) from error


def _article_bodies(path: Path) -> dict[str, str]:
    try:
        pages: Any = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is no JSON ({error})", "correct the file", str(path)) from error
    form = 'write {"stem": {"articleBody": "text"}, ...}'
    if not isinstance(pages, dict):
        raise InputError("it is no JSON object of pages by stem", form, str(path))
    texts: dict[str, str] = {}
    for stem, entry in pages.items():
        body = entry.get("articleBody") if isinstance(entry, dict) else None
        if not isinstance(body, str):
            raise InputError(f"the page {stem!r} has no text `articleBody`", form, str(path))
        texts[stem] = body
    return texts
