"""Which members of JSON lines and columns of Parquet likely hold ids and pages, where other names were looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from thresher.collections.file_collection import chosen, walk
from thresher.collections.interface import JsonFields
from thresher.collections.json_lines import JsonLines, json_object
from thresher.collections.parquet_rows import ParquetRows, rows_of
from thresher.errors import ThresherError
from thresher.streams import open_stream

_LOOKED_AT, _MOST_BYTES, _MOST_MEMBERS, _DEEPEST = 20, 2**20, 12, 3
_TAGS = re.compile(r"<[a-zA-Z!/][^>]*>")
_IDS = re.compile(r"(^|[._-])(id|docno|docid|doc_id|uuid|key)$", re.IGNORECASE)
_ADDRESS, _SPACE = re.compile(r"https?://\S+"), re.compile(r"\s|^$")


@dataclass(frozen=True)
class LikelyFields:
    """The members of the first lines of a file, by name, and by use (`id`, `html`, `text`, `url`) which are likely meant.

    `likely` has only uses for which the fields that were looked for are not there.
    """

    members: tuple[str, ...] = ()
    likely: Mapping[str, str] = field(default_factory=dict)


def likely_fields(path: Path, format: str, wanted: JsonFields) -> LikelyFields:
    """Look at the first records of a file, or of the first file in a folder, for members to read instead of `wanted`.

    The id is the member called so, else the first whose values differ and have no spaces; page or text is the longest one, the
    address the first that has nothing else.

    Args:
        path: the collection.
        format: its format; only JSON lines and Parquet have members.
        wanted: the members that were looked for.
    """
    rows: list[Any] = []
    with suppress(OSError, ThresherError):
        # Not what else is in the folder.
        first = chosen(walk(path), format, path)[1][0].path
        if format == JsonLines.name:
            rows = _lines(first)
        if format == ParquetRows.name:
            rows = list(islice(rows_of(first), _LOOKED_AT))
    values: dict[str, list[str]] = {}
    for row in rows:
        for name, value in _members(row, ""):
            values.setdefault(name, []).append(value)
    likely: dict[str, str] = {}
    if values and not any(name in values for name in wanted.id):
        likely |= _likely_id(values)
    contents = {name: max(map(len, texts)) for name, texts in values.items() if name not in likely.values()}
    if contents and not any(name in values for name in (*wanted.html, *wanted.text)):
        longest = max(contents, key=lambda name: contents[name])
        if not any(map(_ADDRESS.fullmatch, values[longest])):
            likely["html" if any(map(_TAGS.search, values[longest])) else "text"] = longest
    addresses = [name for name, texts in values.items() if all(map(_ADDRESS.fullmatch, texts))]
    if addresses and not any(name in values for name in wanted.url):
        likely["url"] = addresses[0]
    return LikelyFields(tuple(values)[:_MOST_MEMBERS], likely)


def _lines(path: Path) -> list[Any]:
    rows = []
    with open_stream(path) as stream:
        for _ in range(_LOOKED_AT):
            with suppress(ValueError):
                rows.append(json_object(stream.readline(_MOST_BYTES)))
    return rows


def _likely_id(values: Mapping[str, Sequence[str]]) -> dict[str, str]:
    fit = [
        name for name, texts in values.items() if len(set(texts)) == len(texts) and not any(map(_SPACE.search, texts))
    ]
    called = [name for name in fit if _IDS.search(name)]
    return {"id": (called or fit)[0]} if fit else {}


def _members(value: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the members of an object that are texts or whole numbers, with dots for nesting."""
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        if isinstance(inner, dict) and prefix.count(".") < _DEEPEST:
            yield from _members(inner, f"{prefix}{name}.")
        elif isinstance(inner, str) or (isinstance(inner, int) and not isinstance(inner, bool)):
            yield prefix + name, str(inner)
