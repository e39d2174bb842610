"""Collections of pages in files of any format; `open_collection` opens them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shlex import quote

from thresher.base.defaults import FORMATS, ID_RULES
from thresher.base.errors import ConfigError, InputError
from thresher.collections.catalogue import CATALOGUE_PREFIX, Catalogue
from thresher.collections.file_collection import Files, chosen
from thresher.collections.interface import Collection, IdRule, JsonFields, ReadOptions
from thresher.collections.listing import walk
from thresher.collections.sources import Page, Part, Source

__all__ = [
    "FORMATS",
    "ID_RULES",
    "Collection",
    "IdRule",
    "JsonFields",
    "Page",
    "Part",
    "ReadOptions",
    "Source",
    "documents",
    "open_collection",
]

_PAGES = 256


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


def documents(collection: Collection, pages: int = _PAGES) -> Iterator[Source]:
    """Yield all documents of a collection in order; each range of a file begins where the one before it ended."""
    after = 0
    for part in collection.parts(pages):
        if part.sources is None and part.number:
            part = replace(part, begin=after, exact=True)
        span = yield from collection.read(part)
        after = span.after
