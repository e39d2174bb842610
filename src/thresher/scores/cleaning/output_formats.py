"""The formats of cleaned collections, by endings of file names, and the destinations of output.

A file is whole or absent. Standard output, pipes and devices are written through.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from thresher.base.defaults import HTML, MARKDOWN, OUTPUT_FORMATS, TEXT_NAME
from thresher.base.errors import ConfigError, InputError, OutputClosed
from thresher.base.files import atomic_path, real_path, user_error, user_errors
from thresher.cleaners.languages import recognised
from thresher.collections import Collection
from thresher.collections.file_collection import TEXT as TEXT_DUMPS
from thresher.collections.file_collection import Files, kind_of
from thresher.collections.interface import TEXT_SUFFIXES

STANDARD = Path("-")
"""Standard input or output."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_STANDARD_OUTPUT = 1
_NAMED = {"-": _STANDARD_OUTPUT, "/dev/stdout": _STANDARD_OUTPUT, "/dev/stderr": 2}
JSON_LINES = "jsonl"
PARQUET = "parquet"
TEXT = "txt"
GZIP = "gz"
ZSTD = "zst"
_OTHER_MEMBERS = ("id", "url", "title", HTML, MARKDOWN, "language")
FIELDS = ("headings", "repeated", "anchors")
"""The further members of documents with fields."""
_ENDING = re.compile(r"\.((?:jsonl|ndjson)(?:\.gz|\.zst)?|parquet|md|html|txt)\Z", re.IGNORECASE)
# The kinds of formats by endings that differ from the name.
_KINDS = {"md": MARKDOWN, "text": TEXT}
_ENDINGS = {MARKDOWN: "md"}
_FURTHER_ENDINGS = ("md", "html", "txt")
_PER_PAGE = (TEXT, MARKDOWN, HTML)


def is_stream(path: Path) -> bool:
    """Return whether a path is standard output, an open descriptor, a pipe or a device, also by a link."""
    return _descriptor(path) is not None or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def opened_output(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary file to write to.

    A file appears under its name when the block succeeds, and not at all after an error. A link stays, and its target is
    replaced. Streams are written at once.
    """
    if not is_stream(path):
        with atomic_path(path) as temporary, temporary.open("wb") as out:
            yield out
        return
    descriptor = _descriptor(path)
    try:
        # Not opened by its name, which would begin a redirected file anew.
        with path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb") as out:
            yield out
    except BrokenPipeError as error:
        if descriptor == _STANDARD_OUTPUT:
            raise OutputClosed from error
        raise
    except OSError as error:
        raise user_error(error, path) from error


def check_apart(outputs: Sequence[Path], collection: Collection, named_format: str) -> None:
    """Refuse outputs that would overwrite the collection or later be read as part of it.

    `named_format` is the format that the user names; empty if none.
    """
    if not isinstance(collection, Files):
        return
    root = real_path(collection.path)
    for path in outputs:
        if is_stream(path):
            continue
        target = real_path(path)
        name = path.name.lower()
        if target == root or (target.is_file() and root.is_file() and target.samefile(root)):
            raise ConfigError("it is the collection itself", "write it elsewhere", str(path))
        if not target.is_relative_to(root):
            continue
        kind = TEXT_DUMPS if name.endswith(TEXT_SUFFIXES) else kind_of(name)
        if kind == collection.format:
            raise ConfigError("it would be read as a part of the collection", "write it elsewhere", str(path))
        if kind_of(name) and not named_format:
            what = "the folder that is read would then hold files of several kinds"
            raise ConfigError(what, f"write it elsewhere, or add --format {collection.format}", str(path))


def target_of(path: Path) -> Path:
    """Return the canonical path of a file or descriptor, which may have several names."""
    descriptor = _descriptor(path)
    if descriptor is None:
        return real_path(path)
    return Path(f"/dev/fd/{descriptor}")


def check_writable(path: Path) -> None:
    """Check that a file can be written under a name: its folder exists, and it is no folder and no link to itself."""
    with user_errors(path):
        if is_stream(path):
            return
        if path.is_dir():
            raise InputError("it is a folder", "name a file in it", str(path))
        target = real_path(path) if path.is_symlink() else path
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        folder = target.parent
        if not folder.exists():
            raise InputError("there is no such folder", "make it first, or correct the path", str(folder))
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _descriptor(path: Path) -> int | None:
    name = str(path)
    if name in _NAMED:
        return _NAMED[name]
    match = _DESCRIPTOR.fullmatch(name)
    if match is None:
        return None
    return int(match[1])


@dataclass(frozen=True)
class OutputFormat:
    """A format: `kind` is JSON_LINES, PARQUET, TEXT, MARKDOWN or HTML; `compression` GZIP, ZSTD or empty.

    With `per_page` the output is a folder with a file for each page.
    """

    kind: str
    compression: str = ""
    per_page: bool = False

    @property
    def ending(self) -> str:
        """The ending of file names."""
        return _ENDINGS.get(self.name, self.name)

    @property
    def name(self) -> str:
        """The name, which is also the ending: `jsonl.gz`."""
        if not self.compression:
            return self.kind
        return f"{self.kind}.{self.compression}"


@dataclass(frozen=True)
class Output:
    """Options of writing a cleaned collection.

    Attributes:
        format: one of `thresher.base.defaults.OUTPUT_FORMATS`, `txt`, `markdown` or `html`; empty for the format that the
            file's name ends in.
        valid: whether invalid characters are left out: see `thresher.pages.plain.without_invalid`.
        html: whether documents have the member `html`, the page without the dropped text.
        markdown: whether documents have the member `markdown`.
        with_language: whether documents have the member `language`.
        text_name: the name of the member with the text.
        min_words: documents of fewer words are left out; 1 leaves out documents without text.
        language: an ISO 639-1 code; documents in other languages are left out. Empty for all.
        fields: whether documents have fields, see `thresher.scores.cleaning.page_fields`.
    """

    format: str = ""
    valid: bool = False
    html: bool = False
    markdown: bool = False
    with_language: bool = False
    text_name: str = TEXT_NAME
    min_words: int = 0
    language: str = ""
    fields: bool = False

    def __post_init__(self) -> None:
        """Check the name of the member with the text, and that the language can be recognised."""
        reserved: tuple[str, ...] = _OTHER_MEMBERS
        if self.fields:
            reserved += FIELDS
        if not self.text_name or self.text_name in reserved:
            fix = f"choose another name than {', '.join(reserved)}"
            raise ConfigError(f"the text cannot have the name {self.text_name!r}", fix, "--text-name")
        if self.language and self.language not in recognised():
            fix = f"use one of {', '.join(recognised())} (Norwegian is `no`)"
            raise ConfigError(f"pages in {self.language!r} are not recognised", fix, "--language")


BY_ENDING = Output()
"""The format that the file's name ends in."""


def is_page_folder(path: str | Path) -> bool:
    """Return whether an output is a folder for a file a page: an existing folder, or a name that ends in a slash."""
    return str(path).endswith("/") or (Path(path).is_dir() and not _ENDING.search(Path(path).name))


def output_format(path: str | Path, output: Output) -> OutputFormat:
    """Return the format of a file to write.

    Standard output, pipes and devices get JSON lines, and folders text, unless a format is named.
    """
    if is_page_folder(path):
        kind = _KINDS.get(output.format, output.format) or TEXT
        if kind not in _PER_PAGE:
            fix = f"use one of {', '.join(_PER_PAGE)}, or name a file"
            raise ConfigError(f"files of a page each cannot be {kind!r}", fix, "--output-format")
        return OutputFormat(kind, per_page=True)
    path = Path(path)
    match = _ENDING.search(path.name) or _ENDING.search(real_path(path).name)
    if output.format:
        name = output.format
    elif match:
        name = match[1].lower().replace("ndjson", JSON_LINES)
    elif is_stream(path):
        name = JSON_LINES
    else:
        endings = [f".{ending}" for ending in OUTPUT_FORMATS + _FURTHER_ENDINGS]
        what = f"the name ends in no format: {', '.join(endings)}"
        raise ConfigError(what, "end it in one of them, or in / for a file a page, or say --output-format", str(path))
    name = _KINDS.get(name, name)
    formats = OUTPUT_FORMATS + _PER_PAGE
    if name not in formats:
        raise ConfigError(f"there is no format {name!r}", f"use one of {', '.join(formats)}", "--output-format")
    kind, _, compression = name.partition(".")
    return OutputFormat(kind, compression)
