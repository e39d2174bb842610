"""Files, compressed (gzip, bzip2, xz, zstd) or not, as streams in bounded memory; data before damage is kept."""

from __future__ import annotations

import bz2
import io
import lzma
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol
from weakref import WeakValueDictionary

from thresher.base.errors import InputError

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
"""File name suffixes of compressed files."""

_MAGIC_BYTES = 6
_BLOCK = 256 * 2**10
# Bytes decompressed and read at once; a damaged piece is lost as a whole.
_PIECE = 16 * 2**10
_PACKED = 64 * 2**10
# The decompressor of an xz file may ask for 4 GiB; `xz -9` asks for 65 MiB.
_XZ_MEMORY = 256 * 2**20
_OPEN: WeakValueDictionary[Path, io.FileIO] = WeakValueDictionary()
_CLIPPED = "the compressed data end too early"


class Stream(io.BufferedReader):
    """A file's bytes, decompressed if necessary: see `open_stream`."""

    @property
    def damage(self) -> str:
        """After reading: why the stream ended early; empty if it is complete."""
        return getattr(self.raw, "damage", "")

    def check_whole(self) -> None:
        """Raise `InputError` if the stream ended early."""
        if self.damage:
            raise InputError(self.damage, "fetch or compress the file again", str(self.name))


def open_stream(path: Path) -> Stream:
    """Open a file for reading; the compression is detected from its first bytes, not its name.

    Consecutive compressed members form one stream. Only uncompressed files are seekable. At damaged compressed data the stream
    ends without an error, and `damage` says why.
    """
    handle = path.open("rb", buffering=0)
    _OPEN[path] = handle
    try:
        unpack = _unpacker(handle.read(_MAGIC_BYTES))
        handle.seek(0)
    except OSError:
        handle.close()
        raise
    if unpack is None:
        return Stream(handle, _BLOCK)
    return Stream(_Unpacked(handle, unpack), _BLOCK)


def bytes_read(path: Path) -> int | None:
    """Return the number of bytes read so far from the file that `open_stream` last opened at a path; None if it is closed."""
    handle = _OPEN.get(path)
    if handle is None or handle.closed:
        return None
    return handle.tell()


def is_plain(path: Path) -> bool:
    """Return whether a file is readable and not compressed."""
    with suppress(OSError), path.open("rb") as handle:
        return not _unpacker(handle.read(_MAGIC_BYTES))
    return False


def reason(error: Exception) -> str:
    """Return a decompressor's message without ISA-L's error number."""
    return re.sub(r"^Error -?\d+ ", "", str(error))


class Skipped(NamedTuple):
    """The number of skipped bytes, and whether they end a line."""

    size: int
    ends_line: bool


def skip(stream: BinaryIO, size: int, newline: bool = False) -> Skipped:
    """Skip at most `size` bytes of a stream, with `newline` to the end of the line.

    Without `newline`, `ends_line` is False.
    """
    count = 0
    while count < size:
        limit = min(_BLOCK, size - count)
        piece = stream.readline(limit) if newline else stream.read(limit)
        count += len(piece)
        if newline and piece.endswith(b"\n"):
            return Skipped(count, ends_line=True)
        if not piece:
            break
    return Skipped(count, ends_line=False)


class _Unpacked(io.RawIOBase):
    """A compressed file decompressed, up to the first damage."""

    def __init__(self, handle: io.FileIO, unpack: Callable[[Any], Iterator[bytes]]) -> None:
        self.damage = ""
        self.name = handle.name
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
            except Exception as error:
                # Decompressors raise various exceptions for bad data; only OS errors carry an errno.
                if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None):
                    raise
                self.damage = f"the compressed data are broken ({reason(error)})"
                if isinstance(error, EOFError):
                    self.damage = str(error)
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


def _unpacker(magic: bytes) -> Callable[[Any], Iterator[bytes]] | None:
    if magic.startswith(b"\x1f\x8b"):
        from isal.igzip_lib import DECOMP_GZIP, IgzipDecompressor

        return partial(_members, new=partial(IgzipDecompressor, flag=DECOMP_GZIP))
    if magic.startswith(b"BZh"):
        return partial(_members, new=bz2.BZ2Decompressor)
    if magic.startswith(b"\xfd7zXZ\x00"):
        return partial(_members, new=partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _XZ_MEMORY))
    # A frame, or the skippable frame that pzstd writes first.
    if magic.startswith(b"\x28\xb5\x2f\xfd") or (magic[1:4] == b"\x2a\x4d\x18" and magic[0] >> 4 == 5):
        return _zstd
    return None


def _members(handle: BinaryIO, new: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """Yield the decompressed pieces of all members; zeros after a member are padding."""
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
    from fastwarc.stream_io import ZstdReader

    reader = ZstdReader(handle)
    while piece := reader.read(_PIECE):
        yield piece


def zstd_frame(content: bytes) -> bytes:
    """Compress, with a checksum, at the fastest level."""
    from fastwarc.stream_io import ZstdWriter

    out = io.BytesIO()
    with ZstdWriter(out, compression_level=1) as writer:
        for begin in range(0, len(content) or 1, _BLOCK):
            # The writer accepts at most 2 MiB at once.
            writer.write(content[begin : begin + _BLOCK])
    return out.getvalue()
