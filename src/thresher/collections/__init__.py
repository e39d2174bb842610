"""Where pages come from. `open_collection` gives any of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from thresher.collections.base import Collection, IdRule, JsonFields, ReadOptions
from thresher.collections.catalogue_records import CATALOGUE_PREFIX
from thresher.collections.files import Files
from thresher.collections.ids import ID_RULES
from thresher.collections.kinds import FORMATS, chosen
from thresher.collections.records import Page, Part, Source
from thresher.collections.walking import walk
from thresher.errors import ConfigError, InputError

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

    Args:
        path: the folder or file.
        options: how documents are read.
        format: one of `FORMATS`; empty to find out by names, or by first bytes where names say nothing.

    Raises:
        ConfigError: if there is no such format.
        InputError: if there is nothing, nothing of a known kind, or files of several kinds at `path`.
    """
    options = options or ReadOptions()
    if str(path).startswith(CATALOGUE_PREFIX):
        # Workers have no use for it, and it is an extra.
        from thresher.collections.catalogue import Catalogue

        return Catalogue(str(path).removeprefix(CATALOGUE_PREFIX), options)
    if format and format not in FORMATS:
        raise ConfigError(f"there is no format {format!r}", f"use one of {', '.join(FORMATS)}", "format")
    if not path.exists():
        raise InputError("there is no such file or folder", "check the path", str(path))
    return Files(path, chosen(walk(path), format, path)[0], options)


def documents(collection: Collection, pages: int = _PAGES) -> Iterator[Source]:
    """Give all documents of a collection in order, one range of a file after the other, without looking for records.

    Raises:
        InputError: as `Collection.parts`.
        OSError: if a file cannot be read.
    """
    after = 0
    for part in collection.parts(pages):
        begun = part if part.sources is not None or not part.number else replace(part, begin=after, exact=True)
        after = (yield from collection.read(begun)).after
