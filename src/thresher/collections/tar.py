"""Tar archives of HTML files, compressed or not. Nothing is unpacked to the disk, and names make ids only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from thresher.collections.base import HTML_SUFFIXES, ReadOptions
from thresher.collections.records import Part, Reading, Source, Span
from thresher.collections.streams import COMPRESSIONS, open_stream, skip, too_large
from thresher.collections.tar_members import Member, TarDamage, TarReader
from thresher.errors import InputError

_TO_THE_END = 1 << 62


@dataclass(frozen=True)
class Tar:
    """The HTML files in a tar archive, in the archive's order. Links and all else in it are passed over."""

    name: ClassVar[str] = "tar"
    suffixes: ClassVar[tuple[str, ...]] = (".tar", ".tgz", *(f".tar{more}" for more in COMPRESSIONS))

    def can_split(self, path: Path) -> bool:  # noqa: ARG002
        """Return False: the data of a member may look like headers."""
        return False

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Give the pages of an archive; what is broken ends it. See `FileKind.read`."""
        count = 0
        damage = ""
        with open_stream(part.path) as stream:
            archive = TarReader(stream)
            try:
                for member in archive:
                    if member.regular and member.name.lower().endswith(HTML_SUFFIXES):
                        yield _source(archive, member, part.name, options)
                        count += 1
                skip(stream, _TO_THE_END)  # there may be damage behind the archive's end
            except TarDamage as error:
                damage = str(error)
            damage = stream.damage or damage
            if damage:
                problem = f"the archive is broken after {count} page{'s' * (count != 1)}: {damage}"
                yield Source("", part.name, 0, archive.offset, problem=problem)
        return Span(0 if count else None, part.path.stat().st_size)


def _source(archive: TarReader, member: Member, file: str, options: ReadOptions) -> Source:
    document_id = problem = ""
    try:
        document_id = options.rule.apply(member.name.removeprefix("./"))
    except InputError as error:
        problem = error.what
    if member.size > options.max_bytes:
        problem = too_large(member.size, options.max_bytes)
    elif member.sparse:
        problem = "it is packed as a sparse file, which is not read"
    if problem:
        return Source(document_id, file, member.size, member.offset, problem=problem)
    return Source(document_id, file, member.size, member.offset, content=archive.read(member))
