"""A collection that lies in files: a folder of them or a single one, cut into parts that are read by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from thresher.collections.base import FileKind, ReadOptions, read_sources
from thresher.collections.kinds import HTML, KINDS, chosen
from thresher.collections.records import Part, Reading, Source, grouped
from thresher.collections.walking import Found, walk
from thresher.errors import InputError
from thresher.files import digest

# What a part of a file holds at most, in bytes on the disk: a worker's second or two. Compressed, WARC is a fifth of its size.
RANGE_BYTES = 2 * 2**20
# A file that can only be read from its beginning is one part up to this size; else the parent reads it, and hands out pages.
WHOLE_BYTES = 512 * 2**10
# Unless there are many: then each is one part, which its worker reads, up to this size.
MANY, MANY_WHOLE_BYTES = 32, 16 * 2**20


@dataclass(frozen=True)
class Files:
    """Documents in files of one format (see `thresher.collections.kinds`), in the order of the files' paths by code point."""

    path: Path
    format: str
    options: ReadOptions = field(default_factory=ReadOptions)

    def fingerprint(self) -> str:
        """Return a digest over names, sizes and modification times of the files.

        Raises:
            InputError: as `parts`.
        """
        return digest([self.format, [(found.name, found.size, found.modified) for found in self._files()]])

    def parts(self, pages: int) -> Iterator[Part]:
        """Give the parts, by the files' sizes; HTML files go together, and so do pages of files that the parent must read.

        Raises:
            InputError: if there is no file of the format.
        """
        files = self._files()
        if self.format == HTML:
            yield from grouped(self._html(files), 0, self.path, "", pages)
            return
        kind = _kind(self.format)
        whole = MANY_WHOLE_BYTES if len(files) >= MANY else WHOLE_BYTES
        for number, found in enumerate(files):
            if found.size > WHOLE_BYTES and kind.can_split(found.path):
                for place, begin in enumerate(range(0, found.size, RANGE_BYTES)):
                    end = min(begin + RANGE_BYTES, found.size)
                    yield Part(number, place, found.path, found.shown, begin, end, exact=not begin)
            elif found.size <= whole:
                yield Part(number, 0, found.path, found.shown, 0, found.size)
            else:
                yield from grouped(self._streamed(kind, found, number), number, found.path, found.shown, pages)

    def read(self, part: Part) -> Reading:
        """Give the documents of a part.

        Raises:
            OSError: if its file cannot be read.
        """
        if part.sources is not None or part.begin > part.end:
            return read_sources(part)
        return _kind(self.format).read(part, self.options)

    def _files(self) -> tuple[Found, ...]:
        return chosen(walk(self.path.absolute()), self.format, self.path)[1]

    def _html(self, files: Iterable[Found]) -> Iterator[Source]:
        for found in files:
            try:
                document_id, problem = self.options.rule.apply(found.name), None
            except InputError as error:
                document_id, problem = "", error.what
            yield Source(document_id, found.shown, found.size, path=found.path, problem=problem)

    def _streamed(self, kind: FileKind, found: Found, number: int) -> Iterator[Source]:
        try:
            yield from kind.read(Part(number, 0, found.path, found.shown, 0, found.size), self.options)
        except OSError as error:
            yield Source("", found.shown, found.size, problem=f"cannot be read: {error.strerror or error}")


def _kind(format: str) -> FileKind:
    return next(kind for kind in KINDS if kind.name == format)
