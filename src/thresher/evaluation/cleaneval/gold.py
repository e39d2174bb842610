"""Gold standards: pages and what people marked on them as content, in the formats of CleanEval, Dragnet, L3S-GN1, AEB and
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
from itertools import chain, product
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree
from lxml.etree import LxmlError

from thresher.base.errors import InputError
from thresher.base.files import fit_text, read_bytes, read_text, user_errors
from thresher.base.streams import COMPRESSIONS
from thresher.collections import Page
from thresher.collections.sources import HTML_SUFFIXES
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
_CONTENT = frozenset({"x-nc-sel1", "x-nc-sel2", "x-nc-sel3"})
_COMMENTS = "x-nc-sel5"
_MARKS = _CONTENT | {"x-nc-sel0", "x-nc-sel4", _COMMENTS}
# Control characters, which the page parser reads as spaces; some would not survive being parsed twice.
_CONTROLS = bytes(32 if code < 32 or code == 127 else code for code in range(256))
# Elements without content, which have no end tag.
_VOID_TAGS = frozenset("area base basefont br col frame hr img input link meta param".split())
# Elements in which character references are not resolved, so that escaped text would not be read back.
_LITERAL_TAGS = frozenset({"listing", "plaintext", "xmp"})
_BODIES_FORM = 'write {"stem": {"articleBody": "text"}, ...}'
_PAGE_FORM = 'write {"ground_truth": {"main_content": "text", "with": ["text"], "without": ["text"]}, ...}'
PAGE_FOLDERS = ("input", "original", "html")
GOLD_FOLDERS = ("GoldStandard", "gold", "annotated", "ground-truth")
GOLD_FILE = "ground-truth.json"
_TEXT_SUFFIXES = (".txt",)
_JSON_SUFFIXES = (".json",)
_PAGE_SUFFIXES = HTML_SUFFIXES + tuple(map("".join, product(HTML_SUFFIXES, COMPRESSIONS)))
_DUMP_SUFFIXES = _TEXT_SUFFIXES + tuple(map("".join, product(_TEXT_SUFFIXES, COMPRESSIONS)))
"""Suffixes of text dumps of pages, as in CleanEval's "text" task; read if a folder has no page in HTML."""


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
        begin = url.end() if url else 0
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


def decode_gold(content: bytes) -> str:
    """Decode a gold file: UTF-8, with or without byte order mark, else windows-1252; line ends become line feeds."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


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
    """Return the marked content of an annotated page of L3S-GN1, in the blocks of the page without its marks.

    The innermost mark around a text applies, so that text in nested marks counts once; of several marks on one element the
    first applies. Unmarked text is not content, not even the page's title, and readers' comments are only with `comments`.
    Labels follow the page's tags, not the annotators: heading, list item (its first block), else paragraph.
    """
    content_marks = _CONTENT
    if comments:
        content_marks = _CONTENT | {_COMMENTS}
    page = read_html(rewritten(content, MarkRewriter(content_marks)))
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
        """Return how text under a mark is written."""
        return escape(text, quote=False) if mark in self._content else " "

    def start(self, tag: str, attributes: Any) -> None:
        """Write a begin tag without attributes."""
        mark = self._marks[-1]
        for name in attributes.get("class", "").split():
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
    return {stem: _article(stem, entry, path) for stem, entry in entries.items()}


def read_entry(path: Path) -> GoldEntry:
    """Read a file of WCXB's form, of one page; without `main_content` its text is None."""
    content = _read_json(path)
    gold = content.get("ground_truth") if isinstance(content, dict) else None
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


def stem_of(name: str) -> str:
    """Return a file's name without its last suffix, and without that of a compression after it.

    >>> stem_of("a.b.html"), stem_of("a.b.html.gz"), stem_of("gz")
    ('a.b', 'a.b', 'gz')
    """
    path = PurePosixPath(name)
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.stem


def _article(stem: str, entry: Any, path: Path) -> GoldEntry:
    body = entry.get("articleBody") if isinstance(entry, dict) else None
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
    """Return the snippets of a member; none if it is missing. A blank one would be in every text."""
    value = gold.get(member)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(text, str) and text.strip() for text in value):
        raise InputError(f"its `{member}` is not a list of texts", _PAGE_FORM, str(path))
    return tuple(map(fit_text, value))


@dataclass(frozen=True)
class GoldPage:
    """A page and what its gold says.

    Attributes:
        stem: the names of page and gold without their suffixes.
        path: the page's file, which may be compressed: see `read_page_bytes`.
        segments: the page's content, in the page's order; none if nothing on it is content.
        url: where the page is from; empty if not known.
        page_type: its kind, such as `article`; empty if not known.
        required: snippets of the content that must stay.
        forbidden: snippets of the rest that must go.
        gold: the file of its gold text or annotated page; None where JSON says what is content.
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
        return self.path.name.lower().endswith(_DUMP_SUFFIXES)

    @property
    def text(self) -> str:
        """The segments' texts, each starting a new line."""
        return "\n".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class GoldStandard:
    """The pages and gold of a folder, each in one of four groups; stems are sorted.

    Attributes:
        pages: the pages with gold, sorted by stem, at least one.
        without_gold: stems of pages without gold.
        without_page: stems of gold without a page.
        without_content: stems of pages whose gold lacks their content.
    """

    pages: tuple[GoldPage, ...]
    without_gold: tuple[str, ...]
    without_page: tuple[str, ...]
    without_content: tuple[str, ...] = ()

    @property
    def left_out(self) -> dict[str, tuple[str, ...]]:
        """The stems that `pages` lacks, by the reason."""
        return {
            "pages without gold": self.without_gold,
            "gold without a page": self.without_page,
            "gold without the page's content": self.without_content,
        }


def read_gold(folder: Path, gold: Path | None = None, comments: bool = False) -> GoldStandard:
    """Read a gold standard of any format.

    Args:
        folder: has the pages in `input/`, `original/` or `html/`, or directly if there is no such folder. Pages may be
            compressed one by one. If none is HTML, those in `.txt` are read, as text.
        gold: a folder of gold texts, of JSON files as WCXB's or of annotated pages, or a JSON file as AEB's; by default the
            folder's `GoldStandard/`, `gold/`, `annotated/`, `ground-truth/` or `ground-truth.json`.
        comments: whether readers' comments, below Dragnet's mark or inside L3S-GN1's, are content.
    """
    gold = gold or _gold_of(folder)
    entries = _entries(gold)
    paths = _by_stem(_page_folder(folder), _PAGE_SUFFIXES, _DUMP_SUFFIXES)
    shared_stems = sorted(paths.keys() & entries.keys())
    if not shared_stems:
        raise InputError(
            "no page has a gold text of the same stem", "name both alike, such as 1.html and 1.txt", str(gold)
        )
    pages: list[GoldPage] = []
    without_content: list[str] = []
    for stem in shared_stems:
        page = _gold_page(stem, paths[stem], entries[stem], comments)
        if page is None:
            without_content.append(stem)
        else:
            pages.append(page)
    if not pages:
        raise InputError("no page's gold has `main_content`", "add the pages' content", str(gold))
    return GoldStandard(
        pages=tuple(pages),
        without_gold=tuple(sorted(paths.keys() - entries.keys())),
        without_page=tuple(sorted(entries.keys() - paths.keys())),
        without_content=tuple(without_content),
    )


def read_page_bytes(page: GoldPage) -> bytes:
    """Return a page as it was before its file was compressed."""
    return read_bytes(page.path)


def parse_gold_page(page: GoldPage, detail: Detail = Detail.TAGS) -> Segments:
    """Return the segments of the whole page, content or not; `detail` as for `read_page`."""
    return read_page(Page(page.stem, read_page_bytes(page), page.url or None, is_text=page.is_text), detail=detail)[0]


def _page_folder(folder: Path) -> Path:
    for name in PAGE_FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    return folder


def _gold_of(folder: Path) -> Path:
    for name in GOLD_FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    if (folder / GOLD_FILE).is_file():
        return folder / GOLD_FILE
    if folder.is_file():
        raise InputError("it is not a folder", "give a folder with pages and gold; unpack archives", str(folder))
    if not folder.is_dir():
        raise InputError("there is no such folder", "check the path", str(folder))
    folders = "/, ".join(GOLD_FOLDERS)
    raise InputError(
        f"the folder holds no gold ({folders}/ or {GOLD_FILE})", "add one, or name the gold by --gold", str(folder)
    )


def _entries(gold: Path) -> Mapping[str, GoldEntry | Path]:
    """Return entries of JSON, or files of gold texts or annotated pages, by stem."""
    if gold.suffix.lower() in _JSON_SUFFIXES and not gold.is_dir():
        return read_entries(gold)
    files = _by_stem(gold, _TEXT_SUFFIXES, _PAGE_SUFFIXES, _JSON_SUFFIXES)
    entries: dict[str, GoldEntry | Path] = {}
    for stem, path in files.items():
        if path.name.lower().endswith(_JSON_SUFFIXES):
            entries[stem] = read_entry(path)
        else:
            entries[stem] = path
    return entries


def _gold_page(stem: str, path: Path, gold: GoldEntry | Path, comments: bool) -> GoldPage | None:
    """Return a page with its gold; None if the gold lacks the page's content."""
    if isinstance(gold, Path):
        content = read_bytes(gold)
        if not gold.name.lower().endswith(_TEXT_SUFFIXES):
            return GoldPage(stem, path, _annotated(content, gold, comments), gold=gold)
        text = decode_gold(content)
        return GoldPage(stem, path, parse_gold(text, comments), url_of(text), gold=gold)
    if gold.text is None:
        return None
    text = gold.text.strip()
    segments = (LabelledText(None, text),) if text else ()
    return GoldPage(stem, path, segments, gold.url, gold.page_type, gold.required, gold.forbidden)


def _annotated(content: bytes, gold: Path, comments: bool) -> tuple[LabelledText, ...]:
    try:
        return parse_annotated(content, comments)
    except LxmlError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"the annotated page cannot be parsed ({reason})", "correct the file", str(gold)) from error


def _by_stem(folder: Path, *choices: tuple[str, ...]) -> dict[str, Path]:
    """Return a folder's files by stem, with the first choice of suffixes that any file has."""
    with user_errors(folder):
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    for suffixes in choices:
        by_stem: dict[str, Path] = {}
        for path in files:
            if not path.name.lower().endswith(suffixes):
                continue
            stem = stem_of(path.name)
            if stem in by_stem:
                same = by_stem[stem].name
                raise InputError(f"{path.name} has the same stem as {same}", "keep one of them", str(folder))
            by_stem[stem] = path
        if by_stem:
            return by_stem
    readable = [suffix for suffix in chain.from_iterable(choices) if not suffix.endswith(COMPRESSIONS)]
    raise InputError(f"the folder holds no file ending in {', '.join(readable)}", "check the path", str(folder))
