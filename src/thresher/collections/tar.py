"""Tar archives read from a stream in bounded memory: V7, ustar, GNU and pax headers.

Python's tarfile treats damage as the end of the archive, keeps all members in memory, and reads headers of any size.
Sources: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block"; GNU tar's manual, "Basic Tar Format".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar

from thresher.base.errors import InputError
from thresher.base.number_text import counted
from thresher.base.streams import COMPRESSIONS, open_stream, skip
from thresher.collections.interface import ReadOptions
from thresher.collections.listing import is_hidden_path
from thresher.collections.sources import PACKED_SUFFIXES, Part, Reading, Source, Span, is_page_name, too_large

_BLOCK = 512
# No name needs a larger header.
_LARGEST_HEADER = 2**20
_PIECE = 2**20
_TO_THE_END = 1 << 62
_REGULAR = (b"0", b"\0", b"7")
_LONG_NAME = b"L"
_LONG_LINK = b"K"
_PAX = b"x"
_PAX_SUN = b"X"
_PAX_GLOBAL = b"g"
_GNU_SPARSE = b"S"
_EXTENDED = (_LONG_NAME, _LONG_LINK, _PAX, _PAX_SUN, _PAX_GLOBAL)
# Links, devices and folders hold no data, even if their size field says otherwise.
_LINKS = (b"1", b"2")
_WITHOUT_DATA = (b"1", b"2", b"3", b"4", b"5", b"6")
_NOT_READ = "it is {}, which is not read in an archive: unpack it"
_PAX_RECORD = re.compile(rb"([0-9]{1,9}) ([^=\n]+)=")
_PAX_KEYS = ("path", "size", "GNU.sparse.name", "GNU.sparse.map", "GNU.sparse.major", "GNU.sparse.size")


class TarDamage(Exception):
    """The rest of the archive is unreadable; the message says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member: its name, the offset of its first header, the bytes of its data in the archive.

    `regular`: it is a file, or a link to a file. `unread`: why its data are not the content of the file.
    """

    name: str
    offset: int
    size: int
    regular: bool
    unread: str


class TarReader:
    """Iterates over the members of an archive; `read` gives the data of the current member.

    `offset` is the offset of the next member's header, or of the broken header.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.offset = 0
        self._stream = stream
        self._position = 0
        self._global: dict[str, str] = {}

    def __iter__(self) -> Iterator[Member]:
        while member := self._member():
            after = self._position + _padded(member.size)
            yield member
            missing = after - self._position
            if skip(self._stream, missing)[0] < missing:
                raise TarDamage("it ends within a file")
            self.offset = self._position = after

    def read(self, member: Member) -> bytes:
        """Return the data of the current member; may be called once."""
        return self._take(member.size, "a file")

    def _member(self) -> Member | None:
        """Return the next member; None at the end of the archive."""
        extended = dict(self._global)
        block = self._take(_BLOCK, "a header")
        while any(block) and _checked(block)[156:157] in _EXTENDED:
            self._extend(extended, block)
            block = self._take(_BLOCK, "a header")
        if not any(block):
            return None
        kind = block[156:157]
        name = extended.get("GNU.sparse.name") or extended.get("path") or _name(block)
        size = _decimal(extended["size"]) if "size" in extended else _number(block[124:136])
        unread = ""
        if kind in _LINKS:
            unread = "a link"
        elif kind == _GNU_SPARSE or any(key.startswith("GNU.sparse") for key in extended):
            unread = "packed as a sparse file"
        if kind == _GNU_SPARSE:
            self._skip_sparse_headers(block)
        is_file = kind in _REGULAR or kind == _GNU_SPARSE
        if kind in _WITHOUT_DATA or (kind == b"\0" and name.endswith("/")):
            size = 0
            is_file = False
        return Member(name, self.offset, size, is_file or kind in _LINKS, unread)

    def _skip_sparse_headers(self, block: bytes) -> None:
        """Move past the headers that continue the map of a sparse file; a byte of each header says whether one follows."""
        more = block[482]
        while more:
            more = self._take(_BLOCK, "a header")[504]

    def _extend(self, extended: dict[str, str], block: bytes) -> None:
        kind = block[156:157]
        size = _number(block[124:136])
        if size > _LARGEST_HEADER:
            raise TarDamage(f"a header of {size} bytes")
        data = self._take(_padded(size), "a header")[:size]
        if kind == _LONG_NAME:
            extended["path"] = _text(data)
        elif kind != _LONG_LINK:
            records = _pax_records(data)
            extended.update(records)
            if kind == _PAX_GLOBAL:
                self._global.update(records)

    def _take(self, size: int, what: str) -> bytes:
        data = b"".join(self._pieces(size))
        self._position += len(data)
        if not data and size:
            raise TarDamage("it ends without the mark of its end")
        if len(data) < size:
            raise TarDamage(f"it ends within {what}")
        return data

    def _pieces(self, size: int) -> Iterator[bytes]:
        """Yield the next `size` bytes, as far as they exist, without allocating the declared size."""
        while size and (piece := self._stream.read(min(size, _PIECE))):
            size -= len(piece)
            yield piece


def _pax_records(data: bytes) -> dict[str, str]:
    """Return the used records of a pax header. Each is its length in decimal, a space, `key=value`, a line feed."""
    values = {}
    at = 0
    while data[at : at + 1] not in (b"", b"\0"):
        record = _PAX_RECORD.match(data, at)
        if record is None:
            raise TarDamage("invalid pax header")
        after = at + int(record[1])
        if after <= record.end() or data[after - 1 : after] != b"\n":
            raise TarDamage("invalid pax header")
        key = record[2].decode("utf-8", "surrogateescape")
        if key in _PAX_KEYS:
            values[key] = data[record.end() : after - 1].decode("utf-8", "surrogateescape")
        at = after
    return values


def _checked(block: bytes) -> bytes:
    """Return a header with a valid checksum: the sum of its bytes (signed in old archives), the checksum counted as spaces."""
    summed = block[:148] + b" " * 8 + block[156:]
    less = sum(summed) - _number(block[148:156])
    if less and less != 256 * sum(byte > 127 for byte in summed):
        raise TarDamage("invalid header")
    return block


def _name(block: bytes) -> str:
    name = _text(block[:100])
    if block[257:263] != b"ustar\0":
        return name
    prefix = _text(block[345:500])
    if not prefix:
        return name
    return f"{prefix}/{name}"


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _number(field: bytes) -> int:
    """Return a number in octal digits or, if the first bit is set, in binary."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.partition(b"\0")[0].strip(b" ")
    if digits.strip(b"01234567"):
        raise TarDamage("invalid header")
    return int(digits or b"0", 8)


def _decimal(value: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", value):
        raise TarDamage("invalid pax header")
    return int(value)


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


@dataclass(frozen=True)
class Tar:
    """The HTML files in a tar archive, in its order; all else is skipped."""

    name: ClassVar[str] = "tar"
    suffixes: ClassVar[tuple[str, ...]] = (".tar", ".tgz", *(f".tar{more}" for more in COMPRESSIONS))

    def can_split(self, path: Path) -> bool:  # noqa: ARG002
        """Return False: members' data may look like headers."""
        return False

    def read(self, part: Part, options: ReadOptions) -> Reading:
        """Yield the pages of an archive, up to the first damage. See `FileKind.read`."""
        count = 0
        damage = ""
        with open_stream(part.path) as stream:
            archive = TarReader(stream)
            try:
                for member in archive:
                    if member.regular and _is_page(member.name):
                        yield _source(archive, member, part.name, options)
                        count += 1
                skip(stream, _TO_THE_END)  # there may be damage after the archive's end
            except TarDamage as error:
                damage = str(error)
            damage = stream.damage or damage
            if damage:
                problem = f"the archive is broken ({damage}), after {counted(count, 'page')}"
                yield Source("", part.name, 0, archive.offset, problem=problem)
        first = None
        if count:
            first = 0
        return Span(first, part.path.stat().st_size)


def members_left_out(path: Path) -> Iterator[str]:
    """Yield the names of the files in an archive that are not read, up to the first damage."""
    with open_stream(path) as stream, suppress(TarDamage, OSError):
        for member in TarReader(stream):
            if member.regular and not _is_page(member.name):
                yield member.name


def _is_page(name: str) -> bool:
    return not is_hidden_path(name) and is_page_name(name)


def _source(archive: TarReader, member: Member, file: str, options: ReadOptions) -> Source:
    document_id = problem = ""
    name = member.name.removeprefix("./")
    try:
        document_id = options.rule.apply(name)
    except InputError as error:
        problem = error.what
    if member.size > options.max_bytes:
        problem = too_large(member.size, options.max_bytes)
    elif member.unread:
        problem = _NOT_READ.format(member.unread)
    elif member.name.lower().endswith(PACKED_SUFFIXES):
        problem = _NOT_READ.format("compressed")
    if problem:
        return Source(document_id, file, member.size, member.offset, problem=problem)
    return Source(document_id, file, member.size, member.offset, content=archive.read(member), name=name)
