"""Compressed WARC files: gzip members and zstd frames, and the offsets where a compressed file can be split."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import BinaryIO, cast

from fastwarc.stream_io import ZstdReader
from isal import isal_zlib

from thresher.base.streams import reason
from thresher.collections.warc.framing import start_of_record

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"

_BLOCK = 1 << 18
_INPUT = 1 << 15
_OUTPUT = 1 << 20
_MOST_DICTIONARY = 1 << 24
# Kinds of blocks in a zstd frame.
_REPEATED_BYTE = 1
_RESERVED = 3


class Blocks:
    """A file read in blocks; the last block stays in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self.size = file.seek(0, io.SEEK_END)
        self._file = file
        self._begin = 0
        self._data = b""

    def view(self, offset: int, least: int = 1, most: int = _BLOCK) -> memoryview:
        """Return `least` to `most` bytes from `offset` on, or fewer at the end of the file."""
        at = offset - self._begin
        if at < 0 or at + least > len(self._data):
            self._file.seek(offset)
            self._begin, at = offset, 0
            self._data = self._file.read(max(least, _BLOCK))
        return memoryview(self._data)[at : at + most]

    def find(self, magic: bytes, offset: int, end: int) -> int:
        """Return the first position of `magic` in [`offset`, `end`), or -1."""
        while offset < end:
            self.view(offset, len(magic))
            at = self._data.find(magic, offset - self._begin)
            position = self._begin + at
            if at >= 0 and position < end:
                return position
            if at >= 0:
                return -1
            offset = max(offset, self._begin + len(self._data) - len(magic)) + 1
        return -1


class GzipMember:
    """A member of a gzip file (RFC 1952) at `offset`.

    `end`: where it ends, None while unknown. `problem`: why it cannot be read to its end. `taken` and `given`: the bytes read
    and decompressed so far.
    """

    def __init__(self, blocks: Blocks, offset: int) -> None:
        self.offset = offset
        self.end: int | None = None
        self.problem: str | None = None
        self.taken = self.given = 0
        self._blocks = blocks
        self._inflater = isal_zlib.decompressobj(31)
        self._rest = b""
        if blocks.view(offset, 3, 3) != GZIP_MAGIC:
            self.problem = "bytes that are not a gzip member"

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB; none at the end."""
        pieces: list[bytes] = []
        size = 0
        while size < _OUTPUT and self.end is None and self.problem is None:
            packed: bytes | memoryview = self._rest
            if not packed:
                packed = self._blocks.view(self.offset + self.taken, 1, _INPUT)
                self.taken += len(packed)
            if not packed:
                self.problem = "clipped: the file ends within a gzip member"
                break
            try:
                piece = self._inflater.decompress(packed, _OUTPUT - size)
            except isal_zlib.error as error:  # type: ignore[misc]
                self.problem = f"a broken gzip member ({reason(error).lower()})"
                break
            pieces.append(piece)
            size += len(piece)
            self._rest = self._inflater.unconsumed_tail
            if self._inflater.eof:
                self.end = self.offset + self.taken - len(self._inflater.unused_data)
        self.given += size
        return b"".join(pieces)


class Gzip:
    """The members of a gzip file."""

    magic = GZIP_MAGIC

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks

    def member(self, offset: int) -> GzipMember:
        """Open the member at `offset`."""
        return GzipMember(self._blocks, offset)


class _Slice:
    """A range of a file, as `ZstdReader` reads it."""

    def __init__(self, blocks: Blocks, begin: int, end: int) -> None:
        self._blocks = blocks
        self.at = begin
        self._end = end

    def read(self, size: int = -1) -> bytes:
        remaining = self._end - self.at
        if size < 0 or size > remaining:
            size = remaining
        if not size:
            return b""
        data = bytes(self._blocks.view(self.at, 1, size))
        self.at += len(data)
        return data

    def tell(self) -> int:
        return self.at


class ZstdFrame:
    """A frame of a zstd file (RFC 8878), with the attributes of `GzipMember`; a skippable frame has no bytes.

    Its end follows from the sizes of its blocks, without decompression.
    """

    def __init__(self, blocks: Blocks, offset: int, dictionary: bytes | None) -> None:
        self.offset = offset
        self.problem: str | None = None
        self.taken = self.given = 0
        self._reader: ZstdReader | None = None
        magic = bytes(blocks.view(offset, 8, 8))
        if len(magic) == 8 and magic[1:4] == DICTIONARY_MAGIC[1:] and magic[0] & 0xF0 == 0x50:
            self.end: int | None = offset + 8 + int.from_bytes(magic[4:], "little")
        else:
            self.end = _frame_end(blocks, offset)
        if self.end is None and magic[:4] != ZSTD_MAGIC:
            self.problem = "bytes that are not a zstd frame"
        elif self.end is None:
            self.problem = "a broken zstd frame"
        elif self.end > blocks.size:
            self.problem = "clipped: the file ends within a zstd frame"
        if magic[:4] == ZSTD_MAGIC:
            self._slice = _Slice(blocks, offset, min(self.end or blocks.size, blocks.size))
            self._reader = ZstdReader(cast(BinaryIO, self._slice), dictionary=dictionary)

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB; none at the end."""
        pieces: list[bytes] = []
        size = 0
        try:
            while self._reader and size < _OUTPUT:
                piece = self._reader.read(_OUTPUT - size)
                if not piece:
                    self._reader = None
                pieces.append(piece)
                size += len(piece)
        except OSError as error:
            self._reader = None
            self.problem = self.problem or f"a broken zstd frame ({error})"
        if self._reader is not None:
            self.taken = self._slice.at - self.offset
        self.given += size
        return b"".join(pieces)


class Zstd:
    """The frames of a zstd file, with the dictionary that a first skippable frame may hold.

    Source: "Zstandard Compression for WARC Files 1.0" (IIPC, proposed).
    """

    magic = ZSTD_MAGIC

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._dictionary: bytes | None = None
        head = bytes(blocks.view(0, 8, 8))
        if len(head) == 8 and head.startswith(DICTIONARY_MAGIC):
            size = min(int.from_bytes(head[4:], "little"), _MOST_DICTIONARY)
            stored: bytes | None = bytes(blocks.view(8, size, size))
            if stored and stored.startswith(ZSTD_MAGIC):
                stored = _unpack(stored)
            self._dictionary = stored

    def member(self, offset: int) -> ZstdFrame:
        """Open the frame at `offset`."""
        return ZstdFrame(self._blocks, offset, self._dictionary)


def _unpack(stored: bytes) -> bytes | None:
    try:
        return ZstdReader(io.BytesIO(stored)).read(_MOST_DICTIONARY)
    except OSError:
        return None


def _frame_end(blocks: Blocks, offset: int) -> int | None:
    """Return the end of a frame, by its header and the headers of its blocks; None if it is missing or broken."""
    head = blocks.view(offset, 5, 5)
    if len(head) < 5 or head[:4] != ZSTD_MAGIC:
        return None
    flags = head[4]
    is_single_segment = flags >> 5 & 1
    # RFC 8878, 3.1.1.1: the window's size, the dictionary's id, and the content's size, each with its own length.
    window_bytes = 1
    least_content_bytes = 0
    if is_single_segment:
        window_bytes = 0
        least_content_bytes = 1
    dictionary_bytes = (0, 1, 2, 4)[flags & 3]
    content_bytes = (least_content_bytes, 2, 4, 8)[flags >> 6]
    has_reserved_bit = flags & 8
    has_checksum = flags & 4
    at = offset + 5 + window_bytes + dictionary_bytes + content_bytes
    while True:
        block = blocks.view(at, 3, 3)
        if len(block) < 3:
            return blocks.size + 1
        header = int.from_bytes(block, "little")
        is_last = header & 1
        kind = header >> 1 & 3
        size = header >> 3
        if kind == _RESERVED or has_reserved_bit:
            return None
        if kind == _REPEATED_BYTE:
            size = 1
        at += 3 + size
        if is_last and has_checksum:
            return at + 4
        if is_last:
            return at


Packing = Gzip | Zstd
"""The compression of records one by one."""


@dataclass
class _Opened:
    member: GzipMember | ZstdFrame
    data: bytes

    @property
    def begins(self) -> bool:
        return start_of_record(self.data) >= 0


def _open(packing: Packing, offset: int) -> _Opened:
    member = packing.member(offset)
    return _Opened(member, member.read())


def find_unit(packing: Packing, blocks: Blocks, begin: int, end: int) -> int | None:
    """Return the offset in [`begin`, `end`) of the first member that begins with a record, if any."""
    at = blocks.find(packing.magic, begin, end)
    while at >= 0:
        if _open(packing, at).begins:
            return at
        at = blocks.find(packing.magic, at + 1, end)
    return None


class Unit:
    """A stream of records: the member at `offset` and the members after it that do not begin with a record.

    It can be read without anything before it. At its end, `after` is where the next unit begins (or the file's size),
    `problem` the damage that ended it, `problem_offset` the member with that damage.
    """

    def __init__(self, packing: Packing, blocks: Blocks, offset: int, opened: _Opened | None = None) -> None:
        self.offset = offset
        self.after: int | None = None
        self.problem: str | None = None
        self.problem_offset = offset
        self._packing = packing
        self._blocks = blocks
        self._now = opened or _open(packing, offset)
        self._data = self._now.data
        self._next: _Opened | None = None

    @property
    def inflation(self) -> float:
        """Decompressed bytes per compressed byte in the current member."""
        return self._now.member.given / max(self._now.member.taken, 1)

    def abandon(self) -> None:
        """Read no more of the current member: the next `read` gives the end."""
        self._data = b""
        self._break("the rest of it is skipped: it decompresses beyond the limit", self._now.member.end)

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB; none at the end."""
        if self.after is not None:
            return b""
        data = self._data or self._now.member.read()
        self._data = b""
        while not data:
            member = self._now.member
            if member.problem is not None:
                self._break(member.problem, member.end)
                return b""
            if member.end is None:
                data = member.read()
                continue
            if member.end >= self._blocks.size:
                self.after = self._blocks.size
                return b""
            following = _open(self._packing, member.end)
            if following.begins:
                self.after = member.end
                self._next = following
                return b""
            self._now = following
            data = following.data
        return data

    def following(self) -> Unit:
        """Return the unit at `after`."""
        assert self.after is not None
        return Unit(self._packing, self._blocks, self.after, self._next)

    def _break(self, problem: str, end: int | None) -> None:
        self.problem = problem
        self.problem_offset = self._now.member.offset
        begin = self._now.member.offset + 1
        # The computed end of a broken frame is right only if a member begins there.
        if end is not None and self._blocks.view(end, 1, 4).tobytes().startswith(self._packing.magic):
            begin = end
        self.after = find_unit(self._packing, self._blocks, begin, self._blocks.size)
        if self.after is None:
            self.after = self._blocks.size
