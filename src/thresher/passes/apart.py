"""Files read in a process of their own, as reading may end it: no `except` sees what Arrow throws at some Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from thresher.collections import Collection, Part, Source, documents
from thresher.collections.file_collection import Files
from thresher.collections.interface import JsonFields
from thresher.collections.likely_fields import LikelyFields, likely_fields
from thresher.collections.parquet_rows import ParquetRows
from thresher.errors import InputError
from thresher.passes.backends import worker_ended
from thresher.passes.workers import CRASHES, Result, in_silence, run_watched

_PAGES = 256


def documents_apart(collection: Collection, most: int, most_bytes: int = 1 << 62) -> Iterator[Source]:
    """Yield the documents of a collection in order, whose reader may end its process, but not this one.

    Args:
        collection: the collection.
        most: documents that are wanted at most of a part.
        most_bytes: of them, before the last one.

    Raises:
        InputError: if a file's reader ends its process; as `documents`.
        ResourceError: if that process is ended by somebody else.
        OSError: if a file cannot be read.
    """
    if not isinstance(collection, Files) or collection.format != ParquetRows.name:
        yield from documents(collection)
        return
    read = partial(_read, collection=collection, most=most, most_bytes=most_bytes)
    yield from chain.from_iterable(_apart(read, collection.parts(_PAGES)))


def likely_fields_apart(path: Path, format: str, wanted: JsonFields) -> LikelyFields:
    """Return what `likely_fields` does, and nothing for a file whose reader ends its process."""
    if format != ParquetRows.name:
        return likely_fields(path, format, wanted)
    try:
        (found,) = _apart(partial(likely_fields, format=format, wanted=wanted), [path])
    except InputError:
        return LikelyFields()
    return found


def _read(part: Part, collection: Files, most: int, most_bytes: int) -> list[Source]:
    sources: list[Source] = []
    size = 0
    for source in collection.read(part):
        sources.append(source)
        size += source.size
        if len(sources) >= most or size > most_bytes:
            break
    return sources


def _apart(function: Callable[[Any], Result], tasks: Iterable[Part | Path]) -> Iterator[Result]:
    return run_watched(1, partial(in_silence, function=function), tasks, _refused)


def _refused(task: Part | Path, code: int | None) -> NoReturn:
    path = str(task.path if isinstance(task, Part) else task)
    if code not in CRASHES:
        raise worker_ended("reading", path)
    raise InputError("its reader crashes", "write the file again, or take it out of the folder", path)
