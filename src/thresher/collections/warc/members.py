"""The members of a gzip file and the frames of a zstd file, one by one: found, bounded, and unpacked piece by piece."""

from __future__ import annotations

import io
import struct
from typing import BinaryIO, Protocol, cast

from fastwarc.stream_io import ZstdReader
from isal import isal_zlib

from thresher.streams import reason

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"

_BLOCK = 1 << 18
_INPUT = 1 << 15
_OUTPUT = 1 << 20
_MOST_DICTIONARY = 1 << 24


class Blocks:
    """A file read in blocks, of which the last is kept."""

    def __init__(self, file: BinaryIO) -> None:
        self.size = file.seek(0, io.SEEK_END)
        self._file = file
        self._begin = 0
        self._data = b""

    def view(self, offset: int, least: int = 1, most: int = _BLOCK) -> memoryview:
        """Return the bytes from `offset` on: at least `least` unless the file ends before, at most `most`."""
        at = offset - self._begin
        if at < 0 or at + least > len(self._data):
            self._file.seek(offset)
            self._begin, at = offset, 0
            self._data = self._file.read(max(least, _BLOCK))
        return memoryview(self._data)[at : at + most]

    def find(self, magic: bytes, offset: int, end: int) -> int:
        """Return where `magic` comes at `offset` or later, below `end`; -1 if it does not."""
        while offset < end:
            self.view(offset, len(magic))
            found = self._data.find(magic, offset - self._begin)
            if found >= 0:
                return self._begin + found if self._begin + found < end else -1
            offset = max(offset, self._begin + len(self._data) - len(magic)) + 1
        return -1


class Member(Protocol):
    """A member or frame that begins at `offset`.

    `end` is where it ends, None as long as that is not known; `problem` says why it could not be read to its end. `read`
    gives its bytes as `thresher.collections.warc.window.Feed` has it, and none at the end or where the damage is.
    `taken` and `given` are the bytes read and unpacked so far.
    """

    offset: int
    end: int | None
    problem: str | None
    taken: int
    given: int

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB; none at the end."""
        ...


class Packing(Protocol):
    """A way to pack records one by one."""

    @property
    def magic(self) -> bytes:
        """What a member begins with."""
        ...

    def member(self, offset: int) -> Member:
        """Open what lies at `offset`."""
        ...


class GzipMember:
    """A member of a gzip file (RFC 1952)."""

    def __init__(self, blocks: Blocks, offset: int) -> None:
        self.offset = offset
        self.end: int | None = None
        self.problem: str | None = None
        self.taken = self.given = 0
        self._blocks = blocks
        self._inflater = isal_zlib.decompressobj(31)
        self._rest = b""
        if blocks.view(offset, 3, 3) != GZIP_MAGIC:
            self.problem = "bytes that are no gzip member"

    def read(self) -> bytes:
        """Return the next bytes, at most a MiB; none at the end."""
        pieces: list[bytes] = []
        size = 0
        while size < _OUTPUT and self.end is None and self.problem is None:
            packed = self._rest or self._blocks.view(self.offset + self.taken, 1, _INPUT)
            if not packed:
                self.problem = "clipped: the file ends within a gzip member"
                break
            self.taken += 0 if self._rest else len(packed)
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
    """Members of gzip."""

    magic = GZIP_MAGIC

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks

    def member(self, offset: int) -> Member:
        """Open what lies at `offset`."""
        return GzipMember(self._blocks, offset)


class _Slice:
    """A stretch of a file, to be read by `ZstdReader`."""

    def __init__(self, blocks: Blocks, begin: int, end: int) -> None:
        self._blocks = blocks
        self.at = begin
        self._end = end

    def read(self, size: int = -1) -> bytes:
        size = self._end - self.at if size < 0 else min(size, self._end - self.at)
        data = bytes(self._blocks.view(self.at, 1, size)) if size else b""
        self.at += len(data)
        return data

    def tell(self) -> int:
        return self.at


class ZstdFrame:
    """A frame of a zstd file (RFC 8878); one that is to be skipped gives no bytes.

    Its end follows from the sizes of its blocks, so that nothing need be unpacked to find the next.
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
        if self.end is None:
            self.problem = "bytes that are no zstd frame" if magic[:4] != ZSTD_MAGIC else "a broken zstd frame"
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
    """Frames of zstd, with the dictionary that a first skippable frame may hold.

    Source: "Zstandard Compression for WARC Files 1.0" (IIPC, proposed).
    """

    magic = ZSTD_MAGIC

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._dictionary: bytes | None = None
        head = bytes(blocks.view(0, 8, 8))
        if len(head) == 8 and head.startswith(DICTIONARY_MAGIC):
            size = min(int.from_bytes(head[4:], "little"), _MOST_DICTIONARY)
            stored = bytes(blocks.view(8, size, size))
            self._dictionary = _unpack(stored) if stored.startswith(ZSTD_MAGIC) else stored

    def member(self, offset: int) -> Member:
        """Open what lies at `offset`."""
        return ZstdFrame(self._blocks, offset, self._dictionary)


def _unpack(stored: bytes) -> bytes | None:
    try:
        return ZstdReader(io.BytesIO(stored)).read(_MOST_DICTIONARY)
    except OSError:
        return None


def _frame_end(blocks: Blocks, offset: int) -> int | None:
    """Return where a frame ends, by its header and the headers of its blocks; None if there is no frame or it is broken."""
    head = blocks.view(offset, 5, 5)
    if len(head) < 5 or head[:4] != ZSTD_MAGIC:
        return None
    flags = head[4]
    single = flags >> 5 & 1
    at = offset + 5 + (1 - single) + (0, 1, 2, 4)[flags & 3] + (single, 2, 4, 8)[flags >> 6]
    while True:
        block = blocks.view(at, 3, 3)
        if len(block) < 3:
            return blocks.size + 1
        (value,) = struct.unpack("<I", bytes(block) + b"\0")
        kind = value >> 1 & 3
        if kind == 3 or flags & 8:
            return None
        at += 3 + (1 if kind == 1 else value >> 3)
        if value & 1:
            return at + (4 if flags & 4 else 0)
