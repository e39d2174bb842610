"""Collections in files: finding the files, detecting their format, splitting them into parts."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from thresher.base.defaults import FORMATS
from thresher.base.errors import InputError
from thresher.base.files import digest, is_unfinished, plugins, user_error
from thresher.base.streams import open_stream
from thresher.collections import sources
from thresher.collections.interface import TEXT_SUFFIXES, FileKind, ReadOptions, read_sources
from thresher.collections.json_lines import JsonLines
from thresher.collections.parquet_rows import MAGIC, ParquetRows
from thresher.collections.tar import Tar
from thresher.collections.trec_web import TrecWeb, looks_like
from thresher.collections.warc import Warc

HTML, TEXT = "html", "text"
PAGE_FORMATS = (HTML, TEXT)
"""Formats of files that are one page each."""
KINDS: tuple[FileKind, ...] = (Warc(), TrecWeb(), JsonLines(), Tar(), ParquetRows())

RANGE_BYTES = 2 * 2**20
"""The largest part of a splittable file, in bytes on disk: a second or two of a worker's time."""

WHOLE_BYTES = 512 * 2**10
"""Files up to this size that cannot be split are one part; the parent process reads larger ones and hands out their pages."""

MANY, MANY_WHOLE_BYTES = 32, 16 * 2**20
"""With this many files, one that cannot be split is a single part, read by its worker, up to this size."""

_FIRST_BYTES = 4096
# Temporary files may vanish after the listing; links may be circular.
_NOT_THERE = (errno.ENOENT, errno.ELOOP)


def kinds() -> tuple[FileKind, ...]:
    """Return the formats that are known, those of other packages in `thresher.collections` too, which are told by suffix."""
    return (*KINDS, *(entry.load()() for entry in plugins("thresher.collections").values()))


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file: its path within the folder (with `/`) and on disk, and how it was listed."""

    name: str
    path: Path
    state: sources.FileState

    @property
    def size(self) -> int:
        """In bytes."""
        return self.state.size

    @property
    def shown(self) -> str:
        r"""The name in printable form: bytes that are not UTF-8 become `\xNN`."""
        return self.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Files:
    """Documents in files of one format, in the order of the files' paths by code point."""

    path: Path
    format: str
    options: ReadOptions = field(default_factory=ReadOptions)

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the files."""
        return self.listed()[0]

    def listed(self) -> tuple[str, int]:
        """Return the fingerprint and the number of the files, both from one listing."""
        files = self._files()
        states = [(entry.name, entry.size, entry.state.modified) for entry in files]
        return digest([self.format, states]), len(files)

    def files(self) -> dict[str, sources.FileState]:
        """Return the files as they are now, by their printable names."""
        return {entry.shown: entry.state for entry in self._files()}

    def parts(self, pages: int) -> Iterator[sources.Part]:
        """Yield the parts, cut by file size; files of a page each are grouped, as are pages of files that the parent reads."""
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
                    yield sources.Part(number, index, file.path, file.shown, begin, end, not begin, listed=file.state)
            elif file.size <= largest_whole:
                yield sources.Part(number, 0, file.path, file.shown, 0, file.size, listed=file.state)
            else:
                yield from sources.grouped(self._streamed(kind, file, number), number, file.path, file.shown, pages)

    def read(self, part: sources.Part) -> sources.Reading:
        """Yield the documents of a part."""
        if part.sources is not None or part.begin > part.end:
            return read_sources(part)
        return sources.unchanged(_kind(self.format).read(part, self.options), part.path, part.listed, part.name)

    def _files(self) -> tuple[FileEntry, ...]:
        return chosen(walk(self.path.absolute()), self.format, self.path)[1]

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
                listed=entry.state,
                most=self.options.max_bytes,
            )

    def _streamed(self, kind: FileKind, entry: FileEntry, number: int) -> Iterator[sources.Source]:
        reading = kind.read(sources.Part(number, 0, entry.path, entry.shown, 0, entry.size), self.options)
        try:
            yield from sources.unchanged(reading, entry.path, entry.state, entry.shown)
        except OSError as error:
            yield sources.Source("", entry.shown, entry.size, problem=f"cannot be read: {error.strerror or error}")


def walk(root: Path) -> list[FileEntry]:
    """Return a single file, or all files below a folder by code point of their paths; links to folders are not followed."""
    try:
        if root.is_file():
            return [FileEntry(root.name, root, sources.FileState.of(root.stat()))]
        if not root.is_dir() and root.exists():
            raise InputError(
                "it is not a file or folder", "give a file or folder; `clean` takes `-` for a pipe", str(root)
            )
        return sorted(_below(root), key=lambda entry: entry.name)
    except OSError as error:
        raise user_error(error, error.filename or root) from error


def _below(root: Path) -> Iterator[FileEntry]:
    folders: list[tuple[Path | str, str]] = [(root, "")]
    while folders:
        folder, prefix = folders.pop()
        for entry in _entries(folder, must_be=not prefix):
            name = prefix + entry.name
            if is_unfinished(entry.name):
                # Of a command that writes into the folder, or was killed there.
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append((entry.path, name + "/"))
            elif status := _file_status(entry):
                yield FileEntry(name, Path(entry.path), sources.FileState.of(status))


def _entries(folder: Path | str, must_be: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        if must_be:
            raise
        return []


def _file_status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a file or of a link's target; None if that is not a file."""
    try:
        if entry.is_file():
            return entry.stat()
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
    return None


def kind_of(name: str) -> str:
    """Return the format that a file's name implies, empty if none."""
    lower = name.lower()
    if lower.endswith(sources.PAGE_SUFFIXES):
        return HTML
    for kind in kinds():
        if lower.endswith(kind.suffixes):
            return kind.name
    return ""


def chosen(files: Sequence[FileEntry], format: str, root: Path) -> tuple[str, tuple[FileEntry, ...]]:
    """Return the format of a collection, and its files of that format.

    The user's `format` counts, else files whose names imply one take precedence (a list of checksums beside WARC files
    is not a document); first bytes are examined only if there are none. Text dumps come last: a folder of pages may
    have notes beside them.
    """
    if not files:
        raise InputError("the folder is empty", "check the path", str(root))
    by_format = _by_format(files, [kind_of(entry.name) for entry in files])
    dumps = _by_format(files, [_text_kind(entry.name) for entry in files])
    if format:
        # The user's choice overrides names and first bytes.
        named = {**dumps, **by_format}.get(format)
        matching = named or [entry for entry in files if _sniff(entry.path) == format] or files
        return format, tuple(matching)
    by_format = by_format or _by_format(files, [_sniff(entry.path) for entry in files]) or dumps
    if not by_format:
        raise _no_collection(root)
    if len(by_format) > 1:
        counts = ", ".join(f"{kind} ({len(matching)})" for kind, matching in sorted(by_format.items()))
        fix = f"say which is meant with `format`: {', '.join(sorted(by_format))}"
        raise InputError(f"the folder holds files of several kinds: {counts}", fix, str(root))
    ((kind, matching),) = by_format.items()
    return kind, tuple(matching)


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
    suffixes = [*sources.HTML_SUFFIXES, *TEXT_SUFFIXES]
    for kind in kinds():
        suffixes += kind.suffixes
    fix = f"give files ending in {', '.join(suffixes)}, or say what they are with `format`: {', '.join(FORMATS)}"
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
    if text.startswith(b"{"):
        return JsonLines.name
    return ""


def _kind(format: str) -> FileKind:
    return next(kind for kind in kinds() if kind.name == format)
