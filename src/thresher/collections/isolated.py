"""Documents and fields of files whose reader may crash: a separate process reads them, so that this process goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn

from thresher.base.errors import InputError, ThresherError
from thresher.base.isolation import CRASHES, Result, call_silently, run_isolated
from thresher.base.processes import worker_ended
from thresher.base.streams import open_stream
from thresher.collections import Collection, Part, Source, documents
from thresher.collections.file_collection import Files, chosen
from thresher.collections.interface import JsonFields
from thresher.collections.json_lines import JsonLines, json_object
from thresher.collections.json_values import holds_values, json_values
from thresher.collections.listing import walk
from thresher.collections.parquet_rows import ParquetRows, rows_of

_PAGES = 256
_LOOKED_AT = 20
_MOST_BYTES = 2**20
_MOST_MEMBERS = 12
_DEEPEST = 3
_TAGS = re.compile(r"<[a-zA-Z!/][^>]*>")
_IDS = re.compile(r"(^|[._-])(id|docno|docid|doc_id|uuid|key)$", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+")
_SPACE = re.compile(r"\s|^$")


def documents_apart(collection: Collection, most: int = 1 << 62, most_bytes: int = 1 << 62) -> Iterator[Source]:
    """Yield the documents of a collection in order; a reader that may crash runs in a separate process.

    At most `most` documents of each part are read, and none after `most_bytes`.
    """
    if not isinstance(collection, Files) or collection.format != ParquetRows.name:
        yield from documents(collection)
        return
    read = partial(_read, collection=collection, most=most, most_bytes=most_bytes)
    yield from chain.from_iterable(apart(read, collection.parts(_PAGES)))


def likely_fields_apart(path: Path, format: str, fields: JsonFields) -> LikelyFields:
    """Return the result of `likely_fields`; no fields for a file whose reader ends its process."""
    if format != ParquetRows.name:
        return likely_fields(path, format, fields)
    try:
        (likely,) = apart(partial(likely_fields, format=format, fields=fields), [path])
    except InputError:
        return LikelyFields()
    return likely


def _read(part: Part, collection: Files, most: int, most_bytes: int) -> list[Source]:
    sources: list[Source] = []
    size = 0
    for source in collection.read(part):
        sources.append(source)
        size += source.size
        if len(sources) >= most or size > most_bytes:
            break
    return sources


def apart(function: Callable[[Any], Result], tasks: Iterable[Part | Path]) -> Iterator[Result]:
    """Call a function for each task in a separate process; the end of this process is an `InputError`."""
    return run_isolated(1, partial(call_silently, function=function), tasks, _refused)


def _refused(task: Part | Path, code: int | None) -> NoReturn:
    path = str(task)
    if isinstance(task, Part):
        path = str(task.path)
    if code not in CRASHES:
        raise worker_ended("reading", path)
    raise InputError("its reader crashes", "write the file again, or take it out of the folder", path)


@dataclass(frozen=True)
class LikelyFields:
    """The names of the members in the first lines of a file, and the likely member for each use (`id`, `html`, `text`, `url`).

    `likely` has only uses whose wanted fields are missing.
    """

    members: tuple[str, ...] = ()
    likely: Mapping[str, str] = field(default_factory=dict)


def likely_fields(path: Path, format: str, fields: JsonFields) -> LikelyFields:
    """Look at the first records of a file, or of the first file in a folder, for members to read instead of `fields`.

    The id is the member with a name such as `id`, else the first member whose values differ and have no spaces. The page or
    text is the longest member, and the address is the first member with addresses alone. Only JSON lines and Parquet have
    members.
    """
    rows = _first_rows(path, format)
    values: dict[str, list[str]] = {}
    for row in rows:
        for name, value in _members(row, ""):
            values.setdefault(name, []).append(value)
    likely: dict[str, str] = {}
    if values and values.keys().isdisjoint(fields.id):
        likely |= _likely_id(values)
    # A column of nulls is no member. An id or address is no candidate for the missing text.
    used = set(likely.values()).union(fields.id, fields.url)
    lengths: dict[str, int] = {}
    for name, texts in values.items():
        if name not in used:
            lengths[name] = max(map(len, texts))
    if lengths and values.keys().isdisjoint(chain(fields.html, fields.text)):
        longest = max(lengths, key=lambda name: lengths[name])
        is_address = any(map(_ADDRESS.fullmatch, values[longest]))
        has_tags = any(map(_TAGS.search, values[longest]))
        if has_tags and not is_address:
            likely["html"] = longest
        elif not is_address:
            likely["text"] = longest
    addresses = [name for name in values if all(map(_ADDRESS.fullmatch, values[name]))]
    if addresses and values.keys().isdisjoint(fields.url):
        likely["url"] = addresses[0]
    return LikelyFields(tuple(values)[:_MOST_MEMBERS], likely)


def _first_rows(path: Path, format: str) -> list[Any]:
    """Return the first records of a file, or of the first file of the format in a folder; until the first damage."""
    rows: list[Any] = []
    with suppress(OSError, ThresherError, ValueError):
        first = chosen(walk(path), format, path).files[0].path
        if format == JsonLines.name:
            rows = _lines(first)
        if format == ParquetRows.name:
            for row in islice(rows_of(first), _LOOKED_AT):
                rows.append(row)
    return rows


def _lines(path: Path) -> list[Any]:
    rows = []
    with open_stream(path) as stream:
        if holds_values(path):
            records = [value.content or b"" for value in islice(json_values(stream, _MOST_BYTES), _LOOKED_AT)]
        else:
            records = [stream.readline(_MOST_BYTES) for _ in range(_LOOKED_AT)]
    for record in records:
        with suppress(ValueError):
            rows.append(json_object(record))
    return rows


def _likely_id(values: Mapping[str, Sequence[str]]) -> dict[str, str]:
    fitting: list[str] = []
    for name, texts in values.items():
        is_unique = len(set(texts)) == len(texts)
        if is_unique and not any(map(_SPACE.search, texts)):
            fitting.append(name)
    for name in fitting:
        if _IDS.search(name):
            return {"id": name}
    if fitting:
        return {"id": fitting[0]}
    return {}


def _members(value: Any, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the members of an object that are texts or whole numbers, with dots for nesting."""
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        if isinstance(inner, dict) and prefix.count(".") < _DEEPEST:
            yield from _members(inner, f"{prefix}{name}.")
        elif isinstance(inner, str) or (isinstance(inner, int) and not isinstance(inner, bool)):
            yield prefix + name, str(inner)
