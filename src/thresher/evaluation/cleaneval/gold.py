"""Gold standards: pages and the content that people marked on them, in the formats of CleanEval, Dragnet, L3S-GN1, AEB and
WCXB. The last two are JSON:

- AEB: `{stem: {"articleBody": text, "url": ...}}`.
- WCXB: an object per page with `url`, `_internal.page_type.primary` and `ground_truth`, which has `main_content` and the
  snippets `with`, which must stay, and `without`, which must go.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from lxml import etree
from lxml.etree import LxmlError

from thresher.base.errors import InputError
from thresher.base.files import fit_text, read_bytes, read_text
from thresher.collections import Page
from thresher.evaluation.cleaneval.gold_files import (
    DUMP_SUFFIXES,
    JSON_SUFFIXES,
    TEXT_SUFFIXES,
    WHOLE_PAGE,
    decode_gold,
    gold_files,
    gold_of,
    is_text,
    matched,
    page_files,
)
from thresher.pages import Detail, Segments, read_html, read_page
from thresher.pages.decoding import decode
from thresher.pages.marked_text import marked_segments
from thresher.pages.parsing import with_breaks

_URL = re.compile(r"\s*URL:[^\n]*(?:\n|$)")
# Some annotators of CleanEval put the address on a line of its own.
_ADDRESS = re.compile(r"\s*URL:\s*(https?://[^\n]*)", re.IGNORECASE)
_MARKER = re.compile(r"<(/?)([hpl])>", re.IGNORECASE)
_MARKED_LINE = re.compile(r"^[ \t]*<[hpl]>", re.IGNORECASE | re.MULTILINE)
# `!@#$%^&*()  COMMENTS`. Some annotators of Dragnet mistyped the first half.
_COMMENTS_MARK = re.compile(r"^[!@#$% \t]*%\^&\*\(\)[ \t]+COMMENTS[ \t]*$", re.MULTILINE)
_CONTENT = frozenset({"x-nc-sel1", "x-nc-sel2", "x-nc-sel3", "krdwrd-tag-3"})
_COMMENTS = "x-nc-sel5"
# An attribute of BoilerNet's pages; by value, the equivalent mark of L3S-GN1.
_BOILERNET = "__boilernet_label"
_BOILERNET_MARKS = {"0": "x-nc-sel0", "1": "x-nc-sel2"}
# KrdWrd's marks: good (3, green), uncertain (2, yellow), bad (1, red), and annotators that disagree.
_KRDWRD = frozenset(f"krdwrd-tag-{name}" for name in ("1", "2", "null", "mrgtie", "mrgerr"))
_MARKS = _CONTENT | _KRDWRD | {"x-nc-sel0", "x-nc-sel4", _COMMENTS}
# Control characters, which the page parser reads as spaces; some would not survive being parsed twice.
_CONTROLS = bytes(32 if code < 32 or code == 127 else code for code in range(256))
# Elements without content, which have no end tag.
_VOID_TAGS = frozenset("area base basefont br col frame hr img input link meta param".split())
# Elements whose character references are not resolved: escaped text in them would not be read back.
_LITERAL_TAGS = frozenset({"listing", "plaintext", "xmp"})
_WITHOUT_CONTENT = "gold without the page's content"
_EMPTY = "empty gold"
_NO_TEXT = "gold that is not text (control bytes)"
_BODIES_FORM = 'write {"stem": {"articleBody": "text"}, ...}'
_PAGE_FORM = 'write {"ground_truth": {"main_content": "text", "with": ["text"], "without": ["text"]}, ...}'


@dataclass(frozen=True)
class LabelledText:
    """A part of a page's text: its label `h` (heading), `p` (paragraph), `l` (list item) or None, and its text."""

    label: str | None
    text: str


def parse_gold(text: str, comments: bool = False) -> tuple[LabelledText, ...]:
    """Return the segments of a gold text, stripped, without empty ones.

    A text is in CleanEval's format if it begins with a line `URL:` or if any line begins with a segment marker. A marker may
    then stand anywhere and ends the segment before it; text before the first has no label; character references are resolved,
    as CleanPortalEval needs. Any other text is one segment, up to Dragnet's comments mark; with `comments`, the text below it
    is a segment too.
    """
    url = _URL.match(text)
    if url or _MARKED_LINE.search(text):
        begin = 0
        if url:
            begin = url.end()
        parts = _marked(text[begin:])
    else:
        parts = _above_and_below_comments_mark(text)
        if not comments:
            parts = parts[:1]
    segments: list[LabelledText] = []
    for part in parts:
        stripped = part.text.strip()
        if stripped:
            segments.append(LabelledText(part.label, stripped))
    return tuple(segments)


def url_of(text: str) -> str:
    """Return the URL at the beginning of a gold text in CleanEval's format, or on the line after; empty without."""
    url = _ADDRESS.match(text)
    return url[1].strip() if url else ""


def _marked(text: str) -> list[LabelledText]:
    """Return the parts between CleanEval's markers; a part after an end marker has no label."""
    parts: list[LabelledText] = []
    label: str | None = None
    begin = 0
    for marker in _MARKER.finditer(text):
        parts.append(LabelledText(label, html.unescape(text[begin : marker.start()])))
        is_end = bool(marker[1])
        label = None if is_end else marker[2].lower()
        begin = marker.end()
    parts.append(LabelledText(label, html.unescape(text[begin:])))
    return parts


def _above_and_below_comments_mark(text: str) -> list[LabelledText]:
    return [LabelledText(None, part) for part in _COMMENTS_MARK.split(text)]


def parse_annotated(content: bytes, comments: bool = False) -> tuple[LabelledText, ...]:
    """Return the marked content of an annotated page of L3S-GN1, Google-Trends-2017 or KrdWrd, in the unmarked page's blocks.

    The innermost mark around a text applies, so that text in nested marks counts once; if an element has several marks,
    the first applies. Unmarked text is not content, not even the page's title, and readers' comments are only with
    `comments`. Labels follow the page's tags, not the annotators: heading, list item (its first block), else paragraph.
    """
    content_marks = _CONTENT
    if comments:
        content_marks = _CONTENT | {_COMMENTS}
    return _labelled(read_html(rewritten(content, MarkRewriter(content_marks))))


def _labelled(page: Segments) -> tuple[LabelledText, ...]:
    return tuple(LabelledText(segment.label, segment.text) for segment in marked_segments(page))


def rewritten(content: bytes, target: MarkRewriter) -> str:
    """Return an annotated page as the target writes it."""
    # Parser events have no limit of depth.
    parser = etree.HTMLParser(encoding="utf-8", target=target, huge_tree=True)
    parser.feed(with_breaks(decode(content).utf8.translate(_CONTROLS)))
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
        """Return text under a mark as it is written: escaped if the mark is of content, or else a blank."""
        if mark in self._content:
            return escape(text, quote=False)
        return " "

    def start(self, tag: str, attributes: Any) -> None:
        """Write a begin tag without attributes."""
        names = [_BOILERNET_MARKS.get(attributes.get(_BOILERNET, ""), "")]
        names += attributes.get("class", "").split()
        # An element without a mark has the mark of the element around it.
        mark = self._marks[-1]
        for name in names:
            if name in _MARKS:
                mark = name
                break
        self._marks.append(mark)
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


@dataclass(frozen=True)
class GoldEntry:
    """A page's entry in JSON gold; see `GoldPage`. `text` is None where there is no text of the whole page."""

    text: str | None
    url: str = ""
    page_type: str = ""
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


def read_entries(path: Path) -> dict[str, GoldEntry]:
    """Read a file of AEB's form; by stem."""
    entries = _read_json(path)
    if not isinstance(entries, dict):
        raise InputError("it is not a JSON object of pages by stem", _BODIES_FORM, str(path))
    if not entries:
        raise InputError("it holds no page", _BODIES_FORM, str(path))
    articles: dict[str, GoldEntry] = {}
    for stem, entry in entries.items():
        articles[stem] = _article(stem, entry, path)
    return articles


def read_entry(path: Path) -> GoldEntry:
    """Read a file of WCXB's form, of one page; without `main_content` its text is None."""
    content = _read_json(path)
    gold: Any = None
    if isinstance(content, dict):
        gold = content.get("ground_truth")
    if not isinstance(gold, dict):
        raise InputError("it has no object `ground_truth`", _PAGE_FORM, str(path))
    text = gold.get("main_content")
    if text is not None and not isinstance(text, str):
        raise InputError("its `main_content` is not text", _PAGE_FORM, str(path))
    return GoldEntry(
        text,
        url=_optional(content, "url"),
        page_type=_page_type(content),
        required=_strings(gold, "with", path),
        forbidden=_strings(gold, "without", path),
    )


def _page_type(content: dict[str, Any]) -> str:
    """Return `_internal.page_type.primary`, or nothing if a member is missing or of another type."""
    internal = content.get("_internal")
    if not isinstance(internal, dict):
        return ""
    page_type = internal.get("page_type")
    if not isinstance(page_type, dict):
        return ""
    return _optional(page_type, "primary")


def _article(stem: str, entry: Any, path: Path) -> GoldEntry:
    body: Any = None
    if isinstance(entry, dict):
        body = entry.get("articleBody")
    if not isinstance(body, str):
        raise InputError(f"the page {stem!r} has no text `articleBody`", _BODIES_FORM, str(path))
    return GoldEntry(body, _optional(entry, "url"))


def _read_json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not JSON ({error})", "correct the file", str(path)) from error


def _optional(entry: dict[str, Any], member: str) -> str:
    value = entry.get(member)
    return fit_text(value) if isinstance(value, str) else ""


def _strings(gold: dict[str, Any], member: str, path: Path) -> tuple[str, ...]:
    """Return the snippets of a member; none if it is missing. A blank snippet would be in every text."""
    value = gold.get(member)
    if value is None:
        return ()
    problem = InputError(f"its `{member}` is not a list of texts", _PAGE_FORM, str(path))
    if not isinstance(value, list):
        raise problem
    snippets: list[str] = []
    for text in value:
        if not isinstance(text, str) or not text.strip():
            raise problem
        snippets.append(fit_text(text))
    return tuple(snippets)


@dataclass(frozen=True)
class GoldPage:
    """A page and its gold.

    Attributes:
        stem: the names of page and gold without their suffixes.
        path: the page's file, which may be compressed: see `read_page_bytes`.
        segments: the page's content, in the page's order; none if nothing on it is content.
        url: where the page is from; empty if not known.
        page_type: its kind, such as `article`; empty if not known.
        required: snippets of the content that must stay.
        forbidden: snippets of other text that must go.
        gold: the file of its gold text or annotated page; None if JSON lists the content.
    """

    stem: str
    path: Path
    segments: tuple[LabelledText, ...]
    url: str = ""
    page_type: str = ""
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    gold: Path | None = None

    @property
    def is_text(self) -> bool:
        """Whether it is a dump of the page's text."""
        return self.path.name.lower().endswith(DUMP_SUFFIXES)

    @property
    def text(self) -> str:
        """The segments' texts, each starting a new line."""
        return "\n".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class GoldStandard:
    """The pages and gold of a folder, each in one of six groups; stems are sorted.

    Attributes:
        pages: the pages with gold, sorted by stem, at least one.
        without_gold: stems of pages without gold.
        without_page: stems of gold without a page.
        without_content: stems of pages whose gold, in JSON, lacks their content.
        empty: stems of pages whose gold file is empty or blank; a gold file with only a URL says that the page has no content.
        no_text: stems of pages whose gold file is not text.
    """

    pages: tuple[GoldPage, ...]
    without_gold: tuple[str, ...]
    without_page: tuple[str, ...]
    without_content: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    no_text: tuple[str, ...] = ()

    @property
    def left_out(self) -> dict[str, tuple[str, ...]]:
        """The stems that `pages` lacks, by the reason."""
        return {
            "pages without gold": self.without_gold,
            "gold without a page": self.without_page,
            _WITHOUT_CONTENT: self.without_content,
            _EMPTY: self.empty,
            _NO_TEXT: self.no_text,
        }


def read_gold(folder: Path, gold: Path | None = None, comments: bool = False) -> GoldStandard:
    """Read a gold standard of any format.

    Args:
        folder: has the pages in `input/`, `original/` or `html/`, or else directly. Pages may be compressed one by one.
            If no page is HTML, the `.txt` files are read, as text.
        gold: a folder of gold texts, of JSON files as WCXB's or of annotated pages, or a JSON file as AEB's; by default the
            folder's first of `gold_files.GOLD_FOLDERS`, or its `ground-truth.json`.
        comments: whether readers' comments, below Dragnet's mark or inside L3S-GN1's, are content.
    """
    gold = gold or gold_of(folder)
    paths = page_files(folder)
    entries = matched(_entries(gold), paths)
    shared_stems = sorted(paths.keys() & entries.keys())
    if not shared_stems:
        raise InputError(
            "no page has a gold text of the same stem", "name both alike, such as 1.html and 1.txt", str(gold)
        )
    pages: list[GoldPage] = []
    left_out: dict[str, list[str]] = {_WITHOUT_CONTENT: [], _EMPTY: [], _NO_TEXT: []}
    for stem in shared_stems:
        page = _gold_page(stem, paths[stem], entries[stem], comments)
        if isinstance(page, GoldPage):
            pages.append(page)
        else:
            left_out[page].append(stem)
    if not pages:
        raise InputError("no page's gold has any text", "add the pages' content", str(gold))
    return GoldStandard(
        pages=tuple(pages),
        without_gold=tuple(sorted(paths.keys() - entries.keys())),
        without_page=tuple(sorted(entries.keys() - paths.keys())),
        without_content=tuple(left_out[_WITHOUT_CONTENT]),
        empty=tuple(left_out[_EMPTY]),
        no_text=tuple(left_out[_NO_TEXT]),
    )


def read_page_bytes(page: GoldPage) -> bytes:
    """Return a page as it was before its file was compressed."""
    return read_bytes(page.path)


def parse_gold_page(page: GoldPage, detail: Detail = Detail.TAGS) -> Segments:
    """Return the segments of the whole page, content or not; `detail` as for `read_page`."""
    return read_page(Page(page.stem, read_page_bytes(page), page.url or None, is_text=page.is_text), detail=detail)[0]


def _entries(gold: Path) -> Mapping[str, GoldEntry | Path]:
    """Return entries of JSON, or files of gold texts or annotated pages, by stem."""
    if gold.suffix.lower() in JSON_SUFFIXES and not gold.is_dir():
        return read_entries(gold)
    files = gold_files(gold)
    entries: dict[str, GoldEntry | Path] = {}
    for stem, path in files.items():
        if path.name.lower().endswith(JSON_SUFFIXES):
            entries[stem] = read_entry(path)
        else:
            entries[stem] = path
    return entries


def _gold_page(stem: str, path: Path, gold: GoldEntry | Path, comments: bool) -> GoldPage | str:
    """Return a page with its gold; if the gold lacks the page's content, why."""
    if isinstance(gold, Path):
        return _gold_page_of_file(stem, path, gold, comments)
    if gold.text is None:
        return _WITHOUT_CONTENT
    text = gold.text.strip()
    segments: tuple[LabelledText, ...] = ()
    if text:
        segments = (LabelledText(None, text),)
    return GoldPage(stem, path, segments, gold.url, gold.page_type, gold.required, gold.forbidden)


def _gold_page_of_file(stem: str, path: Path, gold: Path, comments: bool) -> GoldPage | str:
    content = read_bytes(gold)
    if not content.strip():
        return _EMPTY
    if not gold.name.lower().endswith(TEXT_SUFFIXES):
        return GoldPage(stem, path, _annotated(content, gold, comments), gold=gold)
    if not is_text(content):
        return _NO_TEXT
    text = decode_gold(content)
    if not text.strip():
        return _EMPTY
    return GoldPage(stem, path, parse_gold(text, comments), url_of(text), gold=gold)


def _annotated(content: bytes, gold: Path, comments: bool) -> tuple[LabelledText, ...]:
    try:
        if gold.name == WHOLE_PAGE:
            return _labelled(read_html(content))
        return parse_annotated(content, comments)
    except LxmlError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"the annotated page cannot be parsed ({reason})", "correct the file", str(gold)) from error
