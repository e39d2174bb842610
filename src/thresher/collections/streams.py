"""Files that may be compressed, read as a stream in bounded memory. What is read before damage stays."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""How the names of compressed files end."""

_MAGIC_BYTES = 6
_BLOCK = 256 * 2**10
# What is decompressed at once, for nothing of a piece is had that holds damage; and what is read for it.
_PIECE = 16 * 2**10
_PACKED = 64 * 2**10
# xz files may ask for 4 GiB; `xz -9` asks for 65 MiB.
_XZ_MEMORY = 256 * 2**20
_CLIPPED = "the compressed data end too early"


class Stream(io.BufferedReader):
    """The bytes of a file, decompressed if need be: see `open_stream`."""

    @property
    def damage(self) -> str:
        """Why the stream ended before its end, once it was read to where it ended; empty if it did not."""
        return getattr(self.raw, "damage", "")


def open_stream(path: Path) -> Stream:
    """Open a file for reading; its first bytes say how it is compressed, not its name.

    Several compressed members in a row are one stream. Only a file that is not compressed can be sought in. Damage of what is
    compressed is no error: the stream ends there, and `damage` says so.

    Raises:
        OSError: if the file cannot be read, also while reading.
    """
    handle = path.open("rb", buffering=0)
    try:
        unpack = _unpacker(handle.read(_MAGIC_BYTES))
        handle.seek(0)
    except OSError:
        handle.close()
        raise
    return Stream(_Unpacked(handle, unpack) if unpack else handle, _BLOCK)


def is_plain(path: Path) -> bool:
    """Return whether a file can be read and is not compressed."""
    with suppress(OSError), path.open("rb") as handle:
        return not _unpacker(handle.read(_MAGIC_BYTES))
    return False


def skip(stream: BinaryIO, size: int, newline: bool = False) -> tuple[int, bool]:
    """Read on without keeping what is read.

    Args:
        stream: read from where it is.
        size: how many bytes at most.
        newline: whether to stop behind the end of a line.

    Returns:
        How many bytes were read, and whether the last of them ends a line (always False without `newline`).
    """
    count = 0
    while count < size:
        limit = min(_BLOCK, size - count)
        piece = stream.readline(limit) if newline else stream.read(limit)
        count += len(piece)
        if newline and piece.endswith(b"\n"):
            return count, True
        if not piece:
            break
    return count, False


def too_large(size: int, limit: float) -> str:
    """Return the problem of a document of `size` bytes where `limit` are allowed."""
    return f"too large: {size / 2**20:.1f} MiB, the limit is {limit / 2**20:g} MiB"


class _Unpacked(io.RawIOBase):
    """What a compressed file decompresses to, up to the first damage."""

    def __init__(self, handle: BinaryIO | io.FileIO, unpack: Callable[[Any], Iterator[bytes]]) -> None:
        self.damage = ""
        self._handle = handle
        self._pieces = unpack(handle)
        self._piece = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._piece:
            try:
                self._piece = memoryview(next(self._pieces))
            except StopIteration:
                return 0
            except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # about the disk, not the data
                self.damage = str(error) if isinstance(error, EOFError) else f"the compressed data are broken ({error})"
                return 0
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def close(self) -> None:
        self._pieces = iter(())
        self._handle.close()
        super().close()


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gzip:
    """zlib's decompressor in the manner of the other two."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


def _unpacker(magic: bytes) -> Callable[[Any], Iterator[bytes]] | None:
    if magic.startswith(b"\x1f\x8b"):
        return lambda handle: _members(handle, _Gzip)
    if magic.startswith(b"BZh"):
        return lambda handle: _members(handle, bz2.BZ2Decompressor)
    if magic.startswith(b"\xfd7zXZ\x00"):
        return lambda handle: _members(handle, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY))
    # A frame, or one to be skipped, which pzstd writes first.
    if magic.startswith(b"\x28\xb5\x2f\xfd") or (magic[1:4] == b"\x2a\x4d\x18" and magic[0] >> 4 == 5):
        return _zstd
    return None


def _members(handle: BinaryIO, new: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """Give the pieces of one member after the other; zeros behind a member pad the file.

    Raises:
        EOFError: if the file ends within a member.
        OSError: also for broken data, then without `errno`; so do zlib.error and LZMAError.
    """
    data = handle.read(_PACKED)
    while data:
        inner = new()
        while not inner.eof:
            piece = inner.decompress(data, _PIECE)
            data = b""
            if piece:
                yield piece
            if inner.eof or piece or not inner.needs_input:
                continue
            data = handle.read(_PACKED)
            if not data:
                raise EOFError(_CLIPPED)
        data = inner.unused_data.lstrip(b"\0")
        while not data and (data := handle.read(_PACKED)):
            data = data.lstrip(b"\0")


def _zstd(handle: BinaryIO) -> Iterator[bytes]:
    import pyarrow

    with pyarrow.CompressedInputStream(pyarrow.PythonFile(handle, mode="r"), "zstd") as stream:
        while piece := stream.read(_PIECE):
            yield piece
