"""Collections in files: opening them, finding the files, detecting their format, splitting them into parts."""

from __future__ import annotations

import mimetypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from thresher.base.defaults import FORMATS
from thresher.base.errors import ConfigError, InputError
from thresher.base.files import digest, plugins
from thresher.base.streams import open_stream
from thresher.collections import sources
from thresher.collections.catalogue import CATALOGUE_PREFIX, Catalogue
from thresher.collections.interface import TEXT_SUFFIXES, Collection, FileKind, ReadOptions, read_sources
from thresher.collections.json_lines import JsonLines
from thresher.collections.json_values import is_array
from thresher.collections.listing import FileEntry, is_hidden_path, listing, walk
from thresher.collections.parquet_rows import MAGIC, ParquetRows
from thresher.collections.tar import Tar, members_left_out
from thresher.collections.trec_web import TrecWeb, looks_like
from thresher.collections.warc import Warc

HTML = "html"
TEXT = "text"
PAGE_FORMATS = (HTML, TEXT)
"""Formats of files that are one page each."""
KINDS: tuple[FileKind, ...] = (Warc(), TrecWeb(), JsonLines(), Tar(), ParquetRows())

RANGE_BYTES = 2 * 2**20
"""The largest part of a splittable file, in bytes on disk: a second or two of a worker's time."""

WHOLE_BYTES = 512 * 2**10
"""Files up to this size that cannot be split are one part; the parent process reads larger ones and hands out their pages."""

MANY = 32
MANY_WHOLE_BYTES = 16 * 2**20
"""With this many files, a file that cannot be split is a single part, read by its worker, up to this size."""

_FIRST_BYTES = 4096
# The types that a page in HTML may have by its name: `index.php`, `about` and `list.pl?page=2` have one of these.
_PAGE_TYPES = (None, "text/html", "application/xhtml+xml", "text/plain")
# Python's own types: the system's types differ between machines.
_TYPES = mimetypes.MimeTypes(filenames=())
_MOST_ENDINGS = 3


def kinds() -> tuple[FileKind, ...]:
    """Return the known formats, with entry points of other packages for `thresher.collections`, which are told by suffix."""
    all_kinds = list(KINDS)
    for entry in plugins("thresher.collections").values():
        all_kinds.append(entry.load()())
    return tuple(all_kinds)


class FilesDigest(NamedTuple):
    """The digest of a collection's files, and their number."""

    fingerprint: str
    files: int


@dataclass(frozen=True)
class Files:
    """Documents in files of one format, in the order of the files' paths by code point.

    With `any_name`, on a user's request, all files are pages in HTML unless their names say otherwise.
    """

    path: Path
    format: str
    options: ReadOptions = field(default_factory=ReadOptions)
    any_name: bool = False

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the files."""
        return self.files_digest().fingerprint

    def files_digest(self) -> FilesDigest:
        """Return the fingerprint and the number of the files, both from one listing."""
        files = self._files()
        states = [(entry.name, entry.size, entry.state.modified) for entry in files]
        return FilesDigest(digest([self.format, states]), len(files))

    def files(self) -> dict[str, sources.FileState]:
        """Return the files as they are now, by their printable names."""
        return {entry.shown: entry.state for entry in self._files()}

    def parts(self, pages: int) -> Iterator[sources.Part]:
        """Yield the parts, cut by file size. Files of one page each are grouped, and so are pages read by the parent."""
        files = self._files()
        if self.format in PAGE_FORMATS:
            yield from sources.grouped(self._pages(files), 0, self.path, "", pages)
            return
        kind = _kind(self.format)
        largest_whole = WHOLE_BYTES
        if len(files) >= MANY:
            largest_whole = MANY_WHOLE_BYTES
        for number, file in enumerate(files):
            if file.size > WHOLE_BYTES and kind.can_split(file.path):
                for index, begin in enumerate(range(0, file.size, RANGE_BYTES)):
                    end = min(begin + RANGE_BYTES, file.size)
                    yield sources.Part(
                        number, index, file.path, file.shown, begin, end, not begin, listed_state=file.state
                    )
            elif file.size <= largest_whole:
                yield sources.Part(number, 0, file.path, file.shown, 0, file.size, listed_state=file.state)
            else:
                yield from sources.grouped(self._streamed(kind, file, number), number, file.path, file.shown, pages)

    def read(self, part: sources.Part) -> sources.Reading:
        """Yield the documents of a part."""
        if part.sources is not None or part.begin > part.end:
            return read_sources(part)
        return sources.unchanged(_kind(self.format).read(part, self.options), part.path, part.listed_state, part.name)

    def _files(self) -> tuple[FileEntry, ...]:
        return chosen(walk(self.path.absolute()), self.format, self.path, self.any_name).files

    def _pages(self, files: Iterable[FileEntry]) -> Iterator[sources.Source]:
        for entry in files:
            document_id, problem = "", None
            try:
                document_id = self.options.rule.apply(entry.name)
            except InputError as error:
                problem = error.what
            yield sources.Source(
                document_id,
                entry.shown,
                entry.size,
                path=entry.path,
                is_text=self.format == TEXT,
                problem=problem,
                listed_state=entry.state,
                most=self.options.max_bytes,
                name=entry.name,
            )

    def _streamed(self, kind: FileKind, entry: FileEntry, number: int) -> Iterator[sources.Source]:
        reading = kind.read(sources.Part(number, 0, entry.path, entry.shown, 0, entry.size), self.options)
        try:
            yield from sources.unchanged(reading, entry.path, entry.state, entry.shown)
        except OSError as error:
            yield sources.Source("", entry.shown, entry.size, problem=f"cannot be read: {error.strerror or error}")


def open_collection(path: Path, options: ReadOptions | None = None, format: str = "") -> Collection:
    """Open a collection: a folder or file of HTML, WARC, TREC-web, JSON lines or tar archives of HTML; `ir_datasets:ID`.

    `format` is one of `FORMATS`; empty to detect it by file names, else by first bytes.
    """
    options = options or ReadOptions()
    if str(path).startswith(CATALOGUE_PREFIX):
        if format:
            raise ConfigError("documents of ir_datasets have their own format", "leave it out", "format")
        return Catalogue(str(path).removeprefix(CATALOGUE_PREFIX), options)
    if format and format not in FORMATS:
        raise ConfigError(f"there is no format {format!r}", f"use one of {', '.join(FORMATS)}", "format")
    if not path.exists():
        # `Path` has made one slash of two.
        address = re.fullmatch(r"(https?):/+(.+)", str(path))
        if address:
            url = f"{address[1]}://{address[2]}"
            raise InputError("pages are not fetched", f"fetch it: curl -sL {quote(url)} | thresher clean -", url)
        raise InputError("there is no such file or folder", "check the path", str(path))
    any_name = bool(format)
    return Files(path, chosen(walk(path), format, path, any_name).format, options, any_name)


def kind_of(name: str) -> str:
    """Return the format that a file's name implies, empty if none."""
    if sources.is_page_name(name):
        return HTML
    lower = name.lower()
    for kind in kinds():
        if lower.endswith(kind.suffixes):
            return kind.name
    return ""


class ChosenFiles(NamedTuple):
    """The format of a collection, and its files of that format."""

    format: str
    files: tuple[FileEntry, ...]


def chosen(files: Sequence[FileEntry], format: str, root: Path, any_name: bool = False) -> ChosenFiles:
    """Choose the files of a collection; `any_name` as for `Files`.

    The user's `format` counts. Without it, files whose names imply a format take precedence (a list of checksums beside WARC
    files is not a document). First bytes are examined only if no name implies a format. Text dumps come last: a folder of
    pages may contain notes, too.
    """
    if not files:
        raise InputError("the folder is empty", "check the path", str(root))
    by_format = _by_format(files, [kind_of(entry.name) for entry in files])
    dumps = _by_format(files, [_text_kind(entry.name) for entry in files])
    if format == HTML and any_name:
        pages = [entry for entry in files if _may_be_page(entry.name)]
        return ChosenFiles(format, tuple(pages or files))
    if format:
        # The user's choice overrides names and first bytes.
        named = by_format.get(format) or dumps.get(format)
        matching = named or [entry for entry in files if _sniff(entry.path) == format] or files
        return ChosenFiles(format, tuple(matching))
    by_format = by_format or _by_format(files, [_sniff(entry.path) for entry in files]) or dumps
    if not by_format:
        raise _no_collection(root)
    if len(by_format) > 1:
        counts = [f"{kind} ({len(by_format[kind])})" for kind in sorted(by_format)]
        fix = f"say which is meant with `format`: {', '.join(sorted(by_format))}"
        raise InputError(f"the folder holds files of several kinds: {', '.join(counts)}", fix, str(root))
    ((kind, matching),) = by_format.items()
    return ChosenFiles(kind, tuple(matching))


def _may_be_page(name: str) -> bool:
    """Return whether a file may be a page in HTML, by its name without a query."""
    path = name.rpartition("/")[2].partition("?")[0]
    if sources.is_page_name(name):
        return True
    if path.startswith(".") or _text_kind(path) or kind_of(path) not in ("", HTML):
        return False
    return _TYPES.guess_type(path)[0] in _PAGE_TYPES


@dataclass(frozen=True)
class LeftOut:
    """The entries of a folder besides the documents of its format.

    Attributes:
        other_files: the number of other files.
        endings: the most frequent endings of the other files, and the number of files with each, in descending order.
        hidden: the number of hidden folders, hidden files and files of macOS.
        not_files: see `Listing`.
        by_name: whether some of the other files might be pages too, and a user could ask for them.
    """

    other_files: int = 0
    endings: tuple[tuple[str, int], ...] = ()
    hidden: int = 0
    not_files: int = 0
    by_name: bool = False

    @property
    def of_rarer_endings(self) -> int:
        """The number of other files whose ending is not among `endings`."""
        return self.other_files - sum(count for _, count in self.endings)


def left_out(path: Path, format: str) -> LeftOut:
    """Return the entries left out of a folder or of archives, read as `format` (empty to detect it); none for other files."""
    if not path.is_dir() and kind_of(path.name) != Tar.name:
        return LeftOut()
    entries = listing(path)
    kind, files = chosen(entries.files, format, path, any_name=bool(format))
    as_pages = {entry.name for entry in files}
    names = [entry.name for entry in entries.files if entry.name not in as_pages]
    if kind == Tar.name:
        for entry in files:
            names += members_left_out(entry.path)
    visible_names = [name for name in names if not _is_out_of_sight(name)]
    hidden_count = entries.hidden + len(names) - len(visible_names)
    endings = Counter(Path(name.partition("?")[0]).suffix.lower() for name in visible_names)
    by_name = kind == HTML and not format and any(map(_may_be_page, visible_names))
    return LeftOut(
        len(visible_names), tuple(endings.most_common(_MOST_ENDINGS)), hidden_count, entries.not_files, by_name
    )


def _is_out_of_sight(name: str) -> bool:
    """Return whether a file is hidden, or within a hidden folder of an archive."""
    return is_hidden_path(name) or name.rpartition("/")[2].startswith(".")


def _text_kind(name: str) -> str:
    """Return `TEXT` if a file's name says that it is a text dump, else an empty string."""
    if name.lower().endswith(TEXT_SUFFIXES):
        return TEXT
    return ""


def _no_collection(root: Path) -> InputError:
    """Return the error for a file or folder that has no document of a known format."""
    what = "the folder holds no collection"
    if root.is_file():
        what = "this is not a known kind of collection"
    suffixes = [sources.HTML_SUFFIXES[0], TEXT_SUFFIXES[0]]
    for kind in kinds():
        suffixes.append(kind.suffixes[0])
    fix = (
        f"give files ending in {', '.join(suffixes)} or alike, or say what they are with `format`: {', '.join(FORMATS)}"
    )
    return InputError(what, fix, str(root))


def _by_format(files: Sequence[FileEntry], formats: Sequence[str]) -> dict[str, list[FileEntry]]:
    groups: dict[str, list[FileEntry]] = {}
    for entry, name in zip(files, formats, strict=True):
        if name:
            groups.setdefault(name, []).append(entry)
    return groups


def _sniff(path: Path) -> str:
    start = b""
    with suppress(OSError), open_stream(path) as stream:
        start = stream.read(_FIRST_BYTES)
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"WARC/"):
        return Warc.name
    if start.startswith(MAGIC):
        return ParquetRows.name
    if looks_like(start):
        return TrecWeb.name
    if text.startswith(b"{") or is_array(text):
        return JsonLines.name
    return ""


def _kind(format: str) -> FileKind:
    return next(kind for kind in kinds() if kind.name == format)
