"""The files of a gold standard, as the sets are distributed: pages, gold, and the pairs of them.

| set | pages | gold |
|---|---|---|
| CleanEval, CleanPortalEval | `input/N.html`, `finalrun-input/N.html` | `GoldStandard/N.txt` |
| CleanEval with web2text | `orig/N.html` | `clean/N.txt`, `clean/N-cleaned.txt` |
| Dragnet, CETR as Dragnet has it | `HTML/N.html` | `Corrected/N.html.corrected.txt` |
| L3S-GN1, CETD | `original/N.html` | `annotated/N.html`, `gold/N.txt` |
| Google-Trends-2017 (BoilerNet) | `raw_html/N.html` | `prepared_html/N.html` |
| CANOLA (KrdWrd), merged by its app | `original/N.html` | `annotated/N.html` |
| Readability | `N/source.html` | `N/expected.html` |
| goose, newspaper | `N.html`, `html/N.html` | `N.txt`, `text/N.txt` |

Sources: the readers of dragnet (`data_processing`), of web2text, and of Bevendorff et al. (2023), the
web-content-extraction-benchmark; for CANOLA `merge.js` of KrdWrd's app, which names merged pages `N`: add `.html`. Mercury's
fixtures have no gold of whole pages: its tests compare the first words.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path, PurePosixPath
from typing import TypeVar

from thresher.base.errors import InputError
from thresher.base.files import user_errors
from thresher.base.streams import COMPRESSIONS
from thresher.collections.sources import HTML_SUFFIXES

PAGE_FOLDERS = ("input", "original", "html", "orig", "finalrun-input", "raw_html")
"""Folders of pages, in any case of letters."""
GOLD_FOLDERS = ("GoldStandard", "gold", "annotated", "ground-truth", "Corrected", "clean", "text", "prepared_html")
"""Folders of gold, in any case of letters."""
GOLD_FILE = "ground-truth.json"
TEXT_SUFFIXES = (".txt",)
JSON_SUFFIXES = (".json",)
_COMPRESSED_TEXT = tuple(map("".join, product(TEXT_SUFFIXES, COMPRESSIONS)))
_COMPRESSED_HTML = tuple(map("".join, product(HTML_SUFFIXES, COMPRESSIONS)))
PAGE_SUFFIXES = HTML_SUFFIXES + _COMPRESSED_HTML
DUMP_SUFFIXES = TEXT_SUFFIXES + _COMPRESSED_TEXT
"""Suffixes of text dumps of pages, as in CleanEval's "text" task; read if a folder has no page in HTML."""
WHOLE_PAGE = "expected.html"
"""Gold of Readability: a page that is content throughout."""
_READABILITY_PAGE = "source.html"
_READABILITY_PAGES = "test-pages"
_GOLD_ENDINGS = (".corrected", "-cleaned")
_UTF16_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# A file with a larger share of control characters is not text.
_MOST_CONTROLS = 1 / 20
_CONTROLS = bytes(sorted({*range(32), 127} - {*b"\t\n\f\r"}))

Gold = TypeVar("Gold")


def decode_gold(content: bytes) -> str:
    """Decode a gold file and make its line ends line feeds.

    A byte order mark decides; else the text is UTF-8, UTF-16 if every other byte is mostly 0, or windows-1252, which has
    the letters of ISO-8859-1.
    """
    encoding = _utf16(content)
    if encoding:
        text = content.decode(encoding, "replace").removeprefix("\ufeff")
    else:
        text = _eight_bits(content)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_text(content: bytes) -> bool:
    """Return whether a gold file is text: control characters are no more than a twentieth of it."""
    controls = len(content) - len(content.translate(None, _CONTROLS))
    return bool(_utf16(content)) or controls <= _MOST_CONTROLS * len(content)


def _utf16(content: bytes) -> str:
    """Return the encoding of a text in UTF-16, with a byte order mark or mostly in Latin letters; else an empty string."""
    for mark, encoding in _UTF16_BOMS.items():
        if content.startswith(mark):
            return encoding
    half = len(content) // 2
    first = content[0::2].count(0)
    second = content[1::2].count(0)
    if 2 * second > half and not first:
        return "utf-16-le"
    if 2 * first > half and not second:
        return "utf-16-be"
    return ""


def _eight_bits(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def stem_of(name: str) -> str:
    """Return a file's name without its last suffix and without the suffix of a compression after it.

    >>> stem_of("a.b.html"), stem_of("a.b.html.gz"), stem_of("gz")
    ('a.b', 'a.b', 'gz')
    """
    path = PurePosixPath(name)
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.stem


def page_files(folder: Path) -> dict[str, Path]:
    """Return the pages of a gold standard by stem."""
    pages = _subfolder(folder, PAGE_FOLDERS)
    if pages is None:
        by_folder = _readability(folder, _READABILITY_PAGE)
        if by_folder:
            return by_folder
    return files_by_stem(pages or folder, PAGE_SUFFIXES, DUMP_SUFFIXES)


def gold_files(gold: Path) -> dict[str, Path]:
    """Return the files of a folder of gold by stem."""
    return _readability(gold, WHOLE_PAGE) or files_by_stem(gold, TEXT_SUFFIXES, PAGE_SUFFIXES, JSON_SUFFIXES)


def gold_of(folder: Path) -> Path:
    """Return the folder or JSON file with the gold of a gold standard."""
    if folder.is_file():
        raise InputError("it is not a folder", "give a folder with pages and gold; unpack archives", str(folder))
    if not folder.is_dir():
        raise InputError("there is no such folder", "check the path", str(folder))
    gold = _subfolder(folder, GOLD_FOLDERS)
    if gold:
        return gold
    if (folder / GOLD_FILE).is_file():
        return folder / GOLD_FILE
    if _readability(folder, WHOLE_PAGE) or _texts_beside_pages(folder):
        return folder
    folders = "/, ".join(GOLD_FOLDERS)
    raise InputError(
        f"the folder holds no gold ({folders}/ or {GOLD_FILE})", "add one, or name the gold by --gold", str(folder)
    )


def matched(gold: Mapping[str, Gold], pages: Iterable[str]) -> dict[str, Gold]:
    """Return gold by the stems of the `pages`, for names such as `1.html.corrected.txt` and `1-cleaned.txt` too.

    Gold that belongs to no page keeps its stem.
    """
    stems = set(pages)
    by_page: dict[str, Gold] = {}
    for stem, entry in gold.items():
        page_stem = stem
        if stem not in stems:
            page_stem = _without_endings(stem)
        if page_stem in stems and page_stem not in gold:
            by_page[page_stem] = entry
        else:
            by_page[stem] = entry
    return by_page


def _without_endings(stem: str) -> str:
    for ending in _GOLD_ENDINGS:
        stem = stem.removesuffix(ending)
    for suffix in HTML_SUFFIXES:
        if stem.lower().endswith(suffix):
            return stem[: -len(suffix)]
    return stem


def files_by_stem(folder: Path, *choices: tuple[str, ...]) -> dict[str, Path]:
    """Return a folder's files by stem, with the first choice of suffixes that any file has."""
    files = _visible_files(folder)
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
    raise InputError(
        f"the folder holds no file ending in {', '.join(_uncompressed(choices))}", "check the path", str(folder)
    )


def _visible_files(folder: Path) -> list[Path]:
    files: list[Path] = []
    with user_errors(folder):
        for path in sorted(folder.iterdir()):
            if path.is_file() and not path.name.startswith("."):
                files.append(path)
    return files


def _uncompressed(choices: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Give the suffixes of files that are not compressed."""
    for suffixes in choices:
        for suffix in suffixes:
            if not suffix.endswith(COMPRESSIONS):
                yield suffix


def _subfolder(folder: Path, names: Sequence[str]) -> Path | None:
    """Return the first of the folders `names`, in any case of letters, that a folder has."""
    folders: dict[str, Path] = {}
    with user_errors(folder):
        for path in sorted(folder.iterdir()):
            if path.is_dir():
                folders[path.name.lower()] = path
    for name in names:
        if name.lower() in folders:
            return folders[name.lower()]
    return None


def _readability(folder: Path, name: str) -> dict[str, Path]:
    """Return the files `name` in the folders of a folder, or of its folder `test-pages`, by the folders' names."""
    if (folder / _READABILITY_PAGES).is_dir():
        folder = folder / _READABILITY_PAGES
    return {path.parent.name: path for path in sorted(folder.glob(f"*/{name}"))}


def _texts_beside_pages(folder: Path) -> bool:
    """Return whether a folder has a page and a text of one stem."""
    page_stems: set[str] = set()
    text_stems: set[str] = set()
    for path in folder.iterdir():
        name = path.name.lower()
        if name.endswith(PAGE_SUFFIXES):
            page_stems.add(stem_of(name))
        if name.endswith(TEXT_SUFFIXES):
            text_stems.add(stem_of(name))
    return not page_stems.isdisjoint(text_stems)
