"""How much of a collection each part is: pages of folders, bytes of everything else, all of it in the end."""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.base.progress import BYTES
from thresher.collections import Collection, open_collection
from thresher.scores.amounts import amount, with_amounts

LETTERS = random.Random(3)
PAGES = [f"<p>{LETTERS.randbytes(4000).hex()}" for _ in range(400)]


def amounts(collection: Collection, pages: int = 64) -> tuple[int | None, str, list[int]]:
    files = collection.files()
    total, unit = amount(collection, files)
    parts = [*collection.parts(pages)]
    found = [*with_amounts(collection.parts(pages), unit, files)]
    assert [part.number for part, _ in found] == [part.number for part in parts]
    return total, unit, [more for _, more in found]


def write_tar(path: Path) -> Path:
    packed = path.suffix[1:].replace("tar", "")
    fast = {"gz": {"compresslevel": 1}, "xz": {"preset": 0}}.get(packed, {})
    with tarfile.open(path, f"w:{packed}", **fast) as archive:  # type: ignore[call-overload]
        for number, page in enumerate(PAGES):
            member = tarfile.TarInfo(f"{number:03}.html")
            member.size = len(page)
            archive.addfile(member, io.BytesIO(page.encode()))
    return path


def test_of_folders_the_pages(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"{number}.html").write_text(PAGES[number])
    (tmp_path / "notes.txt").write_text("none of them")
    assert amounts(open_collection(tmp_path)) == (150, "pages", [64, 64, 22])


@pytest.mark.parametrize("name", ["pages.tar", "pages.tar.gz", "pages.tar.xz"])
def test_of_archives_that_are_read_here_the_bytes_read_so_far(tmp_path: Path, name: str) -> None:
    path = write_tar(tmp_path / name)
    total, unit, found = amounts(open_collection(path))
    assert (total, unit, sum(found), len(found)) == (path.stat().st_size, BYTES, total, 7)
    # Pages are of one size, and reading is ahead by less than a part.
    for number in range(7):
        reached = sum(found[: number + 1])
        assert (
            64 * (number + 1) / 400 * total * 0.95 <= reached <= (64 * (number + 2) / 400) * total or reached == total
        )


def test_of_files_that_workers_read_the_bytes_of_their_ranges(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": f"d{number}", "html": page}) + "\n" for number, page in enumerate(PAGES))
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "a.jsonl").write_text(lines)
    (tmp_path / "lines" / "b.jsonl").write_text(lines[:1000])
    (tmp_path / "lines" / "c.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    sizes = [(tmp_path / "lines" / name).stat().st_size for name in ("a.jsonl", "b.jsonl", "c.jsonl.gz")]
    total, unit, found = amounts(open_collection(tmp_path / "lines"))
    assert (total, unit, sum(found)) == (sum(sizes), BYTES, sum(sizes))
    assert found[:3] == [2 * 2**20, sizes[0] - 2 * 2**20, 1000]
    assert min(found) >= 0
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"id": [f"d{number}" for number in range(400)], "html": PAGES}), path)
    total, unit, found = amounts(open_collection(path))
    assert (total, unit, sum(found)) == (path.stat().st_size, BYTES, path.stat().st_size)
