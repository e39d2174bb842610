"""Training text of word models: files of text or JSON lines, compressed or not, and folders of HTML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml.etree import LxmlError

from thresher.collections import documents, open_collection
from thresher.collections.file_collection import HTML, kind_of
from thresher.collections.sources import PageError
from thresher.errors import InputError
from thresher.files import file_digest, user_error
from thresher.language_models.words.word_model import TextFile
from thresher.pages import PageOptions, Segments, read_html, read_text_page
from thresher.streams import open_stream

# Bytes of text per worker task; memory is some 40 times as much.
PORTION_BYTES = 4 * 2**20
_LINES, _JSON, _PAGES = "lines", "JSON lines", "HTML"


@dataclass(frozen=True)
class Portion:
    """Some megabytes of text.

    Attributes:
        kind: what the parts are: lines of text, JSON lines or HTML pages.
        parts: the bytes; for HTML one part per page.
        paths: the path of each part.
        line: the number of the part's first line in its file; 0 for pages.
    """

    kind: str
    parts: tuple[bytes, ...]
    paths: tuple[str, ...]
    line: int = 0


def describe(path: Path) -> TextFile:
    """Return a training text's name, size and digest; a folder's digest is over the names and bytes of its pages."""
    if not path.is_dir():
        digest = file_digest(path)
        return TextFile(path.name, path.stat().st_size, digest)
    sha = hashlib.sha256()
    total = 0
    for page, content in _pages(path):
        sha.update(f"{Path(page).relative_to(path).as_posix()}\0{len(content)}\0".encode("utf-8", "surrogatepass"))
        sha.update(content)
        total += len(content)
    return TextFile(path.name, total, sha.hexdigest())


def portions(paths: Sequence[Path], size: int = PORTION_BYTES) -> Iterator[Portion]:
    """Yield the training text in portions, in the order of the paths.

    Compressed files are decompressed; names with `.jsonl` hold JSON lines, folders HTML pages. A portion of about `size` bytes
    ends where a line ends; text with lines longer than that is cut at a space.
    """
    for path in paths:
        if path.is_dir():
            yield from _page_portions(path, size)
            continue
        kind = _JSON if ".jsonl" in [suffix.lower() for suffix in path.suffixes[-2:]] else _LINES
        line = 1
        for content in _blocks(path, size, may_cut=kind == _LINES):
            yield Portion(kind, (content,), (str(path),), line)
            line += content.count(b"\n")


def segments(portion: Portion, options: PageOptions, field: str) -> Iterator[Segments]:
    """Yield the segments of a portion, the same as when scoring: a line of text is a block, `field` a member of JSON lines."""
    if portion.kind == _PAGES:
        for path, content in zip(portion.paths, portion.parts, strict=True):
            try:
                yield read_html(content, options)
            except PageError as error:
                raise InputError(error.what, "leave the page out", path) from error
            except LxmlError as error:
                what = f"it cannot be parsed ({error})".splitlines()[0]
                raise InputError(what, "leave the page out", path) from error
        return
    content = portion.parts[0]
    try:
        text = content.decode("utf-8-sig" if portion.line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line = portion.line + content.count(b"\n", 0, error.start)
        raise InputError("it is not UTF-8", "convert the file to UTF-8", f"{portion.paths[0]}:{line}") from error
    if portion.kind == _JSON:
        # Not splitlines: JSON strings may contain U+2028 unescaped.
        text = "\n".join(
            _member(line, field, f"{portion.paths[0]}:{number}")
            for number, line in enumerate(text.split("\n"), portion.line)
            if line.strip()
        )
    yield read_text_page(text, options)


def _member(line: str, field: str, where: str) -> str:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the line is not JSON ({error})", "correct or remove the line", where) from error
    text = record.get(field) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise InputError(f"the line has no text in {field!r}", "name the member that holds it: --field", where)
    return text


def _pages(folder: Path) -> Iterator[tuple[str, bytes]]:
    try:
        for source in documents(open_collection(folder, format=HTML)):
            if kind_of(source.file) != HTML:
                raise InputError(
                    "the folder holds no HTML", "give files of text, or folders of HTML pages", str(folder)
                )
            yield str(folder / source.file), source.page().content
    except OSError as error:
        raise user_error(error, error.filename or folder) from error
    except InputError as error:
        if error.where != str(folder):
            raise
        raise InputError(error.what, "give files of text, or folders of HTML pages", error.where) from error


def _page_portions(folder: Path, size: int) -> Iterator[Portion]:
    pages: list[tuple[str, bytes]] = []
    total = 0
    for page in _pages(folder):
        pages.append(page)
        total += len(page[1])
        if total >= size:
            yield _portion(pages)
            pages, total = [], 0
    if pages:
        yield _portion(pages)


def _portion(pages: Sequence[tuple[str, bytes]]) -> Portion:
    paths, contents = zip(*pages, strict=True)
    return Portion(_PAGES, contents, paths)


def _blocks(path: Path, size: int, may_cut: bool) -> Iterator[bytes]:
    """Yield a file's content in blocks that end at a line feed or, if `may_cut`, at a space in overlong lines."""
    waiting = b""
    try:
        with open_stream(path) as stream:
            while read := stream.read(size):
                waiting += read
                if len(waiting) >= size:
                    end = waiting.rfind(b"\n") + 1 or (waiting.rfind(b" ") + 1 if may_cut else 0)
                    if end:
                        yield waiting[:end]
                        waiting = waiting[end:]
            stream.check_whole()
    except OSError as error:
        raise user_error(error, path) from error
    if waiting:
        yield waiting
