"""Amounts of work for progress bars: pages or bytes of a collection and its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from thresher.base.progress import BYTES
from thresher.base.streams import bytes_read
from thresher.collections import Collection, Part
from thresher.collections.file_collection import PAGE_FORMATS, Files
from thresher.collections.sources import FileState


class Amount(NamedTuple):
    """An amount and its unit, for a progress bar; the total is None where it is not known."""

    total: int | None
    unit: str


def amount(collection: Collection, files: Mapping[str, FileState]) -> Amount:
    """Return the amount of a collection: pages if each file is a page, else bytes of files; unknown without files."""
    if not files:
        return Amount(None, "pages")
    if isinstance(collection, Files) and collection.format in PAGE_FORMATS:
        return Amount(len(files), "pages")
    return Amount(sum(state.size for state in files.values()), BYTES)


def with_amounts(parts: Iterable[Part], unit: str, files: Mapping[str, FileState]) -> Iterator[tuple[Part, int]]:
    """Yield each part with its amount for a progress bar. The amounts add up to the amount of the collection.

    Args:
        parts: the parts in the collection's order.
        unit: the unit that `amount` returned.
        files: the files of the collection.
    """
    if unit == BYTES:
        yield from _with_bytes(parts, files)
    else:
        for part in parts:
            yield part, len(part.sources or ())


def _with_bytes(parts: Iterable[Part], files: Mapping[str, FileState]) -> Iterator[tuple[Part, int]]:
    """Yield each part with its bytes. The last part has the bytes that remain of the collection."""
    file_name = ""
    bytes_before_file = 0
    bytes_to_end_of_part = 0
    bytes_reported = 0
    previous: Part | None = None
    for part in parts:
        if previous is not None:
            yield previous, bytes_to_end_of_part - bytes_reported
            bytes_reported = bytes_to_end_of_part
        previous = part
        if part.name != file_name:
            bytes_before_file += _size(files, file_name)
            file_name = part.name
        bytes_to_end_of_part = max(bytes_to_end_of_part, bytes_before_file + _end_in_file(part, files))
    if previous is not None:
        yield previous, sum(state.size for state in files.values()) - bytes_reported


def _end_in_file(part: Part, files: Mapping[str, FileState]) -> int:
    """Return the offset in its file at which a part ends."""
    if part.sources is None:
        return part.end
    # This process reads the file for all workers.
    position = bytes_read(part.path)
    return _size(files, part.name) if position is None else position


def _size(files: Mapping[str, FileState], name: str) -> int:
    return files[name].size if name in files else 0
