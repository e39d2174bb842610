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
    name = ""
    bytes_before = 0
    reached = 0
    yielded = 0
    previous: Part | None = None
    for part in parts:
        if previous is not None:
            yield previous, reached - yielded
            yielded = reached
        previous = part
        if unit != BYTES:
            reached += len(part.sources or ())
            continue
        if part.name != name:
            bytes_before += _size(files, name)
            name = part.name
        reached = max(reached, bytes_before + _bytes_reached(part, files))
    if previous is not None:
        if unit == BYTES:
            reached = sum(state.size for state in files.values())
        yield previous, reached - yielded


def _bytes_reached(part: Part, files: Mapping[str, FileState]) -> int:
    """Return the byte of its file that a part reaches."""
    if part.sources is None:
        return part.end
    # This process reads the file for all workers.
    position = bytes_read(part.path)
    return _size(files, part.name) if position is None else position


def _size(files: Mapping[str, FileState], name: str) -> int:
    return files[name].size if name in files else 0
