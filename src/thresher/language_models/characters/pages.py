"""Training pages of character models: pairs of cleaned and raw files, text or HTML."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml.etree import LxmlError

from thresher.errors import InputError
from thresher.files import user_error
from thresher.pages import read_html
from thresher.pages.decoding import decode
from thresher.pages.marked_text import MarkedSegment, marked_segments, read_marked_text

_HTML = (".html", ".htm", ".xhtml")


@dataclass(frozen=True)
class Pairs:
    """Pairs of files of a cleaned and a raw page, and the number of raw pages that have no cleaned one."""

    files: tuple[tuple[Path, Path], ...]
    alone: int = 0


def find_pairs(clean: Path, raw: Path, most: int | None = None, seed: int = 0) -> Pairs:
    """Pair the files of two folders by their names without endings, or two single files.

    Folders include sub-folders. `most` is the size of a random sample, None for all; larger samples contain smaller ones.
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
    """Return the files below a folder by their names without endings, sorted; hidden ones are left out."""
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


def read_pairs(pairs: Pairs) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the segments of each pair's cleaned and raw page."""
    for clean, raw in pairs.files:
        yield segment_texts(clean), segment_texts(raw)


def segment_texts(path: Path) -> list[str]:
    """Return the texts of a page's segments."""
    return [segment.text for segment in read_page_file(path)]


def read_page_file(path: Path) -> list[MarkedSegment]:
    """Return the segments of a page in any encoding: HTML by its suffix (`.html`, `.htm`, `.xhtml`), else marked text."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise user_error(error, path) from error
    if path.suffix.lower() not in _HTML:
        return read_marked_text(decode(content, None).utf8.decode())
    try:
        return marked_segments(read_html(content))
    except LxmlError as error:
        raise InputError(f"it cannot be parsed ({error})".splitlines()[0], "leave the page out", str(path)) from error
