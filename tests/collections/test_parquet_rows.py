"""Parquet files as collections: rows by any columns, in ranges, and damaged."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_ranges import read_in_ranges, read_whole
from messages import Message

from thresher.base.errors import InputError
from thresher.collections import JsonFields, ReadOptions, documents, open_collection
from thresher.collections.isolated import likely_fields
from thresher.collections.parquet_rows import ParquetRows

ROWS = [
    {"docno": number, "page": {"html": f"<p>The hive {number}"}, "link": f"http://x/{number}", "raw": b"<p>\xe4"}
    for number in range(50)
]
OPTIONS = ReadOptions(fields=JsonFields(("docno",), ("page.html",), ("none",), ("link",)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=7, write_page_checksum=True)
    return path


def test_rows_are_documents(path: Path) -> None:
    found = list(documents(open_collection(path, OPTIONS)))
    assert [(source.id, source.content, source.url, source.charset, source.is_text) for source in found] == [
        (str(number), f"<p>The hive {number}".encode(), f"http://x/{number}", "utf-8", False) for number in range(50)
    ]
    offsets = [source.offset or 0 for source in found]
    assert len(set(offsets)) == 8
    assert offsets == sorted(offsets)
    (raw, *_) = read_whole(ParquetRows(), path, ReadOptions(fields=JsonFields(("docno",), ("raw",))))
    assert (raw.content, raw.charset) == (b"<p>\xe4", None)
    renamed = path.rename(path.with_suffix(".data"))
    assert len(list(documents(open_collection(renamed, OPTIONS)))) == 50


@pytest.mark.parametrize("length", [100, 333, 5000, 10**6])
def test_ranges_add_up(path: Path, length: int) -> None:
    assert read_in_ranges(ParquetRows(), path, length, OPTIONS) == read_whole(ParquetRows(), path, OPTIONS)
    assert ParquetRows().can_split(path)


def test_rows_without_id_or_page_and_large_ones(path: Path) -> None:
    (first, *_) = read_whole(ParquetRows(), path)
    assert (first.id, first.problem, first.content) == ("", "the row has no `id`", None)
    (first, *_) = read_whole(ParquetRows(), path, ReadOptions(fields=JsonFields(("docno",))))
    assert (first.id, first.problem) == ("0", Message("neither `html` nor `contents`"))
    (first, *_) = read_whole(ParquetRows(), path, ReadOptions(max_bytes=5, fields=OPTIONS.fields))
    assert (first.id, str(first.problem)[:20]) == ("0", "too large: 0.0 MiB, ")


def test_damage_costs_its_row_group_alone(path: Path) -> None:
    sound = read_whole(ParquetRows(), path, OPTIONS)
    content = bytearray(path.read_bytes())
    third = sorted({source.offset or 0 for source in sound})[2]
    for at in range(third, third + 400):
        content[at] ^= 0xFF
    path.write_bytes(content)
    found = read_whole(ParquetRows(), path, OPTIONS)
    (damage,) = [source for source in found if source.problem]
    assert (damage.offset, damage.id) == (third, "")
    assert str(damage.problem).startswith("the Parquet file is damaged (")
    assert [source for source in found if not source.problem] == [source for source in sound if source.offset != third]


@pytest.mark.parametrize("keep", [0, 3, 4, 8, 500, -1, -9])
def test_a_clipped_file_is_one_problem(path: Path, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])
    found = read_whole(ParquetRows(), path, OPTIONS)
    assert len(found) == bool(keep)
    assert all(str(source.problem).startswith("the Parquet file is damaged (") for source in found)
    if keep:
        assert read_in_ranges(ParquetRows(), path, path.stat().st_size // 7 + 1, OPTIONS) == found


def test_nothing_is_no_parquet(tmp_path: Path) -> None:
    assert not ParquetRows().can_split(tmp_path / "none.parquet")
    with pytest.raises(FileNotFoundError):
        read_whole(ParquetRows(), tmp_path / "none.parquet")
    (tmp_path / "a.bin").write_bytes(b"PAR")
    with pytest.raises(InputError):
        open_collection(tmp_path / "a.bin")


def test_likely_members(path: Path, tmp_path: Path) -> None:
    found = likely_fields(path, "parquet", JsonFields())
    assert found.members == ("docno", "page.html", "link")
    assert dict(found.likely) == {"id": "docno", "html": "page.html", "url": "link"}
    lines = tmp_path / "a.jsonl"

    def likely(content: bytes) -> dict[str, str]:
        lines.write_bytes(content)
        return dict(likely_fields(lines, "jsonl", JsonFields()).likely)

    text = b'{"uuid": "a", "name": "x y", "text": "Long enough to be a text."}\nnot JSON\n[1]\n'
    assert likely(text) == {"id": "uuid", "text": "text"}
    assert likely(b'{"id": 1, "body": "<p>x</p>"}\n') == {"html": "body"}
    assert likely(b'{"id": 1, "link": "http://x/a/long/address"}\n') == {"url": "link"}
    assert likely(b"\xff\n") == {}
    assert likely_fields(tmp_path / "none", "jsonl", JsonFields()).members == ()
