"""Gold standards: pages cleaned by hand, in the formats that are about.

A collection is a folder with the pages in `input/` and what people made of them in `GoldStandard/` or `gold/`, matched by
file stem; or pages anywhere with a JSON file that holds the text of each.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.cleaneval.labels import LabelledText
from thresher.collections.html_folder import HTML_SUFFIXES
from thresher.errors import InputError
from thresher.files import read_text, user_error

INPUT = "input"
GOLD_FOLDERS = ("GoldStandard", "gold")
GOLD_SUFFIXES = (".txt",)

_URL = re.compile(r"\s*URL:[^\n]*(?:\n|$)")
_MARKER = re.compile(r"<(/?)([hpl])>", re.IGNORECASE)
_MARKED_LINE = re.compile(r"^[ \t]*<[hpl]>", re.IGNORECASE | re.MULTILINE)
# `!@#$%^&*()  COMMENTS`. Some annotators of Dragnet slipped in its first half.
_COMMENTS = re.compile(r"^[!@#$% \t]*%\^&\*\(\)[ \t]+COMMENTS[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class GoldPage:
    """A page and what of it is content: segments in the page's order, none if nothing is."""

    stem: str
    path: Path
    segments: tuple[LabelledText, ...]

    @property
    def text(self) -> str:
        """The segments' text, one a line or more."""
        return "\n".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class GoldStandard:
    """The pages with gold, by stem; and the stems of pages without gold and of gold without a page, in order."""

    pages: tuple[GoldPage, ...]
    without_gold: tuple[str, ...]
    without_page: tuple[str, ...]


def read_gold(folder: Path, gold: Path | None = None, comments: bool = False) -> GoldStandard:
    """Read a gold standard.

    Args:
        folder: holds the pages in `input/`, or itself where there is no such folder.
        gold: the folder of gold texts or a JSON file of `{stem: {"articleBody": text}}`; by default the folder's
            `GoldStandard/` or `gold/`.
        comments: whether what readers commented, below Dragnet's mark, is content.

    Raises:
        InputError: if the pages or the gold are missing or unreadable, two files have the same stem, the JSON has
            another form, or no page has gold.
    """
    gold = gold or _gold_folder(folder)
    pages = _by_stem(_pages_folder(folder), HTML_SUFFIXES)
    if gold.suffix.lower() == ".json":
        texts = _article_bodies(gold)
    else:
        # Gold without a page is only listed, so it is not read.
        files = _by_stem(gold, GOLD_SUFFIXES)
        texts = {stem: _read(path) if stem in pages else "" for stem, path in files.items()}
    both = sorted(pages.keys() & texts.keys())
    if not both:
        raise InputError(
            "no page has a gold text of the same stem", "name both alike, such as 1.html and 1.txt", str(gold)
        )
    return GoldStandard(
        tuple(GoldPage(stem, pages[stem], parse_gold(texts[stem], comments)) for stem in both),
        tuple(sorted(pages.keys() - texts.keys())),
        tuple(sorted(texts.keys() - pages.keys())),
    )


def parse_gold(text: str, comments: bool = False) -> tuple[LabelledText, ...]:
    """Return the segments of a gold text, white space around each stripped, empty ones left out.

    A text is CleanEval's if it begins with a line `URL:` or a line begins with a segment marker. There a marker may stand
    anywhere, is closed by the next, and what is before the first has no label; character references mean their
    characters, which CleanPortalEval needs. Any other text is one segment as it stands, up to Dragnet's comments mark.

    Args:
        text: the gold text.
        comments: whether what stands below Dragnet's comments mark is a segment too.
    """
    if (url := _URL.match(text)) or _MARKED_LINE.search(text):
        parts = _marked(text[url.end() :] if url else text)
    else:
        found = _COMMENTS.split(text)
        parts = ((None, part) for part in (found if comments else found[:1]))
    segments = (LabelledText(label, part.strip()) for label, part in parts)
    return tuple(segment for segment in segments if segment.text)


def decode_gold(content: bytes) -> str:
    """Decode a gold file: UTF-8, with or without byte order mark, or else windows-1252; line ends become line feeds."""
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


def _pages_folder(folder: Path) -> Path:
    inside = folder / INPUT
    return inside if inside.is_dir() else folder


def _gold_folder(folder: Path) -> Path:
    for name in GOLD_FOLDERS:
        if (folder / name).is_dir():
            return folder / name
    if not folder.is_dir():
        raise InputError("there is no such folder", "check the path", str(folder))
    names = " or ".join(f"{name}/" for name in GOLD_FOLDERS)
    raise InputError(f"the folder holds no gold ({names})", "add one, or name the gold by --gold", str(folder))


def _by_stem(folder: Path, suffixes: tuple[str, ...]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in _files(folder):
        if not path.name.lower().endswith(suffixes):
            continue
        if (other := found.setdefault(path.stem, path)) is not path:
            raise InputError(f"{path.name} has the same stem as {other.name}", "keep one of them", str(folder))
    if not found:
        raise InputError(f"the folder holds no file ending in {', '.join(suffixes)}", "check the path", str(folder))
    return found


def _files(folder: Path) -> Iterable[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise user_error(error, folder) from error


def _read(path: Path) -> str:
    try:
        return decode_gold(path.read_bytes())
    except OSError as error:
        raise user_error(error, path) from error


def _article_bodies(path: Path) -> dict[str, str]:
    try:
        found: Any = json.loads(read_text(path))
    except ValueError as error:
        raise InputError(f"it is no JSON ({error})", "correct the file", str(path)) from error
    form = 'write {"stem": {"articleBody": "text"}, ...}'
    if not isinstance(found, dict):
        raise InputError("it is no JSON object of pages by stem", form, str(path))
    texts: dict[str, str] = {}
    for stem, entry in found.items():
        body = entry.get("articleBody") if isinstance(entry, dict) else None
        if not isinstance(body, str):
            raise InputError(f"the page {stem!r} has no text `articleBody`", form, str(path))
        texts[stem] = body
    return texts
