"""Training pages of character models: pairs of cleaned and raw files, text or HTML, which Lynx turns into text.

Source: Evert, NCleaner, LREC 2008, section 2 (first and second module): regular expressions delete images, comments and inline
scripts, mark headings and list items, and turn line breaks into paragraph breaks; then `lynx -dump`.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml.etree import LxmlError

from thresher.errors import InputError, MissingDependencyError
from thresher.files import user_error
from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.pages.marked_text import MarkedSegment, marked_segments, read_marked_text

# Wider than any line, so that no paragraph is wrapped.
_COMMAND = (
    "-dump -nolist -nomargins -force_html -stdin -width=1000 -assume_charset=utf-8 -display_charset=utf-8".split()
)
_SECONDS = 60
_DELETED = re.compile(r"<!--.*?(?:-->|$)|<(script|style)\b.*?(?:</\1\s*>|$)|<img\b[^>]*>", re.IGNORECASE | re.DOTALL)
_LINE_BREAK = re.compile(r"<br\b[^>]*>", re.IGNORECASE)
_HEADING = re.compile(r"<h[1-6]\b[^>]*>", re.IGNORECASE)
_LIST_ITEM = re.compile(r"<li\b[^>]*>", re.IGNORECASE)
_HTML = (".html", ".htm", ".xhtml")


def lynx_dump(content: bytes) -> str:
    """Return Lynx's dump of a page (in any encoding, which `decode` detects), with marks for `marked_text.read_marked_text`.

    Raises:
        MissingDependencyError: if Lynx is not installed.
        InputError: if it fails on this page, or takes longer than a minute.
    """
    program = shutil.which("lynx")
    if not program:
        raise MissingDependencyError(
            "Lynx is not installed",
            "install it (apt install lynx, brew install lynx) or leave out --lynx: pages are then converted without it",
            "lynx",
        )
    page = prepared(decode(content, None).utf8.decode())
    try:
        done = subprocess.run(
            [program, *_COMMAND], input=page.encode(), capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"Lynx took longer than {_SECONDS} s over a page", "leave the page out", "lynx") from error
    if done.returncode:
        reason = " ".join(done.stderr.decode("utf-8", "replace").split()) or f"exit code {done.returncode}"
        raise InputError(f"Lynx cannot convert a page ({reason})", "leave the page out", "lynx")
    return done.stdout.decode("utf-8", "replace")


def prepared(html: str) -> str:
    """Return a page's markup without images, comments, scripts and styles, and with marks that remain in a dump."""
    html = _LINE_BREAK.sub("<p>", _DELETED.sub("", html))
    html = _HEADING.sub(lambda tag: f"{tag[0]}&lt;h&gt; ", html)
    return _LIST_ITEM.sub(lambda tag: f"{tag[0]}&lt;l&gt; ", html)


@dataclass(frozen=True)
class Pairs:
    """Pairs of files of a cleaned and a raw page, and the number of raw pages that have no cleaned one."""

    files: tuple[tuple[Path, Path], ...]
    alone: int = 0


def find_pairs(clean: Path, raw: Path, most: int | None = None, seed: int = 0) -> Pairs:
    """Pair the files of two folders by their names without endings, or two single files.

    Args:
        clean: the cleaned page, or a folder of them, sub-folders included.
        raw: the raw page, or a folder of them.
        most: the size of the random sample; larger samples contain smaller ones. None takes all.
        seed: of the sample.

    Raises:
        InputError: if one is a folder and the other is not, a cleaned page has no raw one, or two files have one name.
    """
    if clean.is_dir() != raw.is_dir():
        raise InputError("one is a folder and the other is not", "give two folders or two files", f"{clean}, {raw}")
    if not clean.is_dir():
        return Pairs(((clean, raw),))
    cleaned, raws = page_files(clean), page_files(raw)
    for name in cleaned:
        if name not in raws:
            raise InputError(
                f"the cleaned page {name!r} has no raw page in {raw}", "add one of the same name", str(cleaned[name])
            )
    names = [*cleaned]
    if most is not None:
        random.Random(seed).shuffle(names)
        names = sorted(names[:most])
    return Pairs(tuple((cleaned[name], raws[name]) for name in names), len(raws) - len(cleaned))


def page_files(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their names without endings, sorted; hidden ones are left out.

    Raises:
        InputError: if there is none, or two have the same name.
    """
    files: dict[str, Path] = {}
    try:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise user_error(error, folder) from error
    for path in paths:
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts):
            continue
        name = inside.with_suffix("").as_posix()
        if name in files:
            raise InputError(f"it has the name of {files[name].name}", "remove or rename one of them", str(path))
        files[name] = path
    if not files:
        raise InputError("it holds no files", "give a folder of pages", str(folder))
    return files


def read_pairs(pairs: Pairs, lynx: bool = False) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the segments of each pair's cleaned and raw page.

    Raises:
        ThresherError: as `read_page_file`.
    """
    for clean, raw in pairs.files:
        yield segment_texts(clean, lynx), segment_texts(raw, lynx)


def segment_texts(path: Path, lynx: bool = False) -> list[str]:
    """Return the texts of a page's segments.

    Raises:
        ThresherError: as `read_page_file`.
    """
    return [segment.text for segment in read_page_file(path, lynx)]


def read_page_file(path: Path, lynx: bool = False) -> list[MarkedSegment]:
    """Return the segments of a page: HTML by its suffix (`.html`, `.htm`, `.xhtml`), else marked text.

    Args:
        path: the page, in any encoding.
        lynx: convert HTML by `lynx -dump` instead of splitting it into blocks.

    Raises:
        InputError: if it is missing or unreadable, or cannot be parsed.
        MissingDependencyError: if Lynx is needed and not installed.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise user_error(error, path) from error
    if path.suffix.lower() not in _HTML:
        return read_marked_text(decode(content, None).utf8.decode())
    if lynx:
        return read_marked_text(lynx_dump(content))
    try:
        return marked_segments(read_html(content))
    except LxmlError as error:
        raise InputError(f"it cannot be parsed ({error})".splitlines()[0], "leave the page out", str(path)) from error
