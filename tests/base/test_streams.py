"""One opener for every compression: the whole text, all of it that precedes damage, and why it ends."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

from thresher.base.errors import InputError
from thresher.base.streams import is_plain, open_stream, zstd_frame

TEXT = b" ".join(b"%d" % (number * number * 7919 % 1_000_003) for number in range(60_000))
MIB = 2**20


def zstd(content: bytes) -> bytes:
    packed: bytes = pyarrow.compress(content, codec="zstd", asbytes=True)
    return packed


Pack = Callable[[bytes], bytes]
EACH = pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])


@EACH
def test_members_in_a_row_are_one_stream(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "a.txt"
    packed = pack(TEXT)
    path.write_bytes(packed + pack(b"") + packed)
    with open_stream(path) as stream:
        assert not stream.seekable()
        assert stream.read() == TEXT * 2
        assert stream.damage == ""
        stream.check_whole()
    assert not is_plain(path)


@EACH
def test_what_precedes_damage_is_kept(tmp_path: Path, pack: Pack) -> None:
    packed = pack(TEXT)
    path = tmp_path / "a.txt"
    middle = len(packed) * 9 // 10
    for content in (packed[:middle], packed[:middle] + bytes(64) + packed[middle + 64 :]):
        path.write_bytes(packed + content)
        with open_stream(path) as stream:
            kept = stream.read()
            assert kept.startswith(TEXT)
            assert kept[: len(TEXT) + 1000] == (TEXT * 2)[: len(kept[: len(TEXT) + 1000])]
            assert stream.damage.startswith("the compressed data ")
            with pytest.raises(InputError, match="Fix: fetch or compress") as caught:
                stream.check_whole()
        assert caught.value.where == str(path)


@pytest.mark.slow
@EACH
def test_a_bomb_takes_no_memory(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(pack(bytes(64 * MIB)))
    tracemalloc.start()
    with open_stream(path) as stream:
        read = 0
        while piece := stream.read(MIB):
            read += len(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == 64 * MIB
    assert peak < 12 * MIB  # of which the dictionary of xz takes 8


def test_a_plain_file_is_itself_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(TEXT)
    with open_stream(path) as stream:
        assert stream.seekable()
        assert stream.read() == TEXT
        stream.check_whole()
    assert is_plain(path)
    assert not is_plain(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        open_stream(tmp_path / "missing")


@pytest.mark.parametrize("size", [0, 1, 2 * MIB, 5 * MIB + 1])
def test_a_frame_is_one_that_others_read(tmp_path: Path, size: int) -> None:
    content = random.Random(size).randbytes(size)
    packed = zstd_frame(content)
    assert pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd").read() == content
    path = tmp_path / "a.zst"
    path.write_bytes(packed)
    with open_stream(path) as stream:
        assert (stream.read(), stream.damage) == (content, "")
    # Its checksum tells of any change.
    path.write_bytes(packed[:-1] + bytes([packed[-1] ^ 1]))
    with open_stream(path) as stream:
        stream.read()
        assert stream.damage.startswith("the compressed data are broken")
