"""Collections that lie in files: which files count, of what kind they are, how they are cut, and what cannot be read."""

from __future__ import annotations

import bz2
import gzip
import inspect
import io
import json
import lzma
import os
import random
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import Message, assert_names
from shard_rows import store_rows

from thresher.base.errors import ConfigError, InputError
from thresher.base.processes import Backend
from thresher.collections import FORMATS, IdRule, Page, Part, ReadOptions, Source, documents, open_collection
from thresher.collections import file_collection as files_module
from thresher.collections.file_collection import (
    HTML,
    KINDS,
    MANY,
    PAGE_FORMATS,
    RANGE_BYTES,
    WHOLE_BYTES,
    Files,
    LeftOut,
    chosen,
    kind_of,
    left_out,
)
from thresher.collections.interface import UNFIT_ID
from thresher.collections.listing import walk
from thresher.collections.sources import SOURCE_BYTES, CollectionChanged, FileState, Span
from thresher.scores.lost_pages import failures, write_failures
from thresher.scores.score_pass import ScorePlan, score_collection

KNOWN = (
    ".html, .htm, .xhtml, .shtml, .txt, .text, .warc, .warc.gz, .warc.zst, .wet, .wet.gz, .warc.wet.gz, "
    ".trecweb, .trecweb.gz, .trecweb.bz2, .trecweb.xz, .trecweb.zst, .trec, .trec.gz, .trec.bz2, .trec.xz, .trec.zst, "
    ".jsonl, .jsonl.gz, .jsonl.bz2, .jsonl.xz, .jsonl.zst, .ndjson, .ndjson.gz, .ndjson.bz2, .ndjson.xz, .ndjson.zst, "
    ".tar, .tgz, .tar.gz, .tar.bz2, .tar.xz, .tar.zst, .parquet"
)
SHOWN = ".html, .txt, .warc, .trecweb, .jsonl, .tar, .parquet"
FORMAT_NAMES = "html, text, warc, trec-web, jsonl, tar, parquet"


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{name}", encoding="utf-8")


def badly_named(folder: Path, *names: bytes) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"<p>badly named, well written")


def line(number: int, words: int = 3) -> str:
    return json.dumps({"id": f"d{number}", "contents": f"number {number} " + "word " * words}) + "\n"


def html(folder: Path, **rule: object) -> Files:
    return Files(folder, HTML, ReadOptions(IdRule(**rule)))  # type: ignore[arg-type]


def ids(folder: Path, **rule: object) -> list[str]:
    return [source.id for source in documents(html(folder, **rule))]


def forbid(path: Path) -> None:
    path.chmod(0)
    if os.access(path, os.R_OK):
        path.chmod(0o700)
        pytest.skip("this user may read everything")


# Which files there are.


def test_files_below_a_folder_by_code_point_of_their_paths(tmp_path: Path) -> None:
    names = ["a/z.html", "a.html", "a-b.htm", "é.html", "Z.HTML", "a/b/c.xhtml", "a b.shtml", "中.html", "~.html"]
    put(tmp_path, *names, "a/readme.txt", "a.html.bak", "html", "b.pdf")
    assert [source.where for source in documents(html(tmp_path))] == sorted(names)
    assert ids(tmp_path, keep_suffix=True) == sorted(names)
    assert ids(tmp_path, ids="stem") == ["Z", "a b", "a-b", "a", "c", "z", "~", "é", "中"]
    result = walk(tmp_path)
    assert [(file.name, file.path) for file in result] == [(file.name, tmp_path / file.name) for file in result]
    assert [file.state for file in result] == [FileState.of(file.path.stat()) for file in result]
    (z,) = (file for file in result if file.name == "a/z.html")
    assert walk(tmp_path / "a" / "z.html") == [replace(z, name="z.html")]


def test_hidden_files_count_and_hidden_folders_do_not(tmp_path: Path) -> None:
    put(tmp_path, ".a.html", ".b/c.html", ".html", ".DS_Store", "..html")
    assert ids(tmp_path) == [".", ".a", ".html"]
    assert left_out(tmp_path, "") == LeftOut(hidden=2)


def test_files_of_macos_are_no_pages(tmp_path: Path) -> None:
    put(tmp_path, "a.html", "._a.html", "__MACOSX/._a.html", "__MACOSX/b.html", "sub/._b.html", "sub/b.html")
    assert ids(tmp_path) == ["a", "sub/b"]
    assert left_out(tmp_path, "") == LeftOut(hidden=3)


def test_a_mirror_made_by_wget(tmp_path: Path) -> None:
    pages = ["about", "index.html", "index.html?p=2", "index.php?id=1", "index.php?id=2", "list.pl?p=1", "page.aspx"]
    other_files = ["feed.xml", "notes.txt", "robots.txt", "style.css", "style.css?v=2", "x.warc"]
    put(tmp_path, *pages, *other_files)
    mirror = open_collection(tmp_path, format="html")
    assert [source.id for source in documents(mirror)] == ["about", "index", *pages[2:]]
    left = left_out(tmp_path, "html")
    assert (left.other_files, left.endings, left.by_name) == (6, ((".txt", 2), (".css", 2), (".xml", 1)), False)
    # By names alone.
    (tmp_path / "x.warc").unlink()
    assert [source.id for source in documents(open_collection(tmp_path))] == ["index", "index.html?p=2"]
    left = left_out(tmp_path, "")
    assert (left.other_files, left.by_name) == (10, True)


def test_what_is_left_out_of_other_sources(tmp_path: Path) -> None:
    put(tmp_path, "a.html", "sub/b.pdf")
    assert left_out(tmp_path / "a.html", "") == LeftOut()
    assert left_out(Path("ir_datasets:vaswani"), "") == LeftOut()
    assert left_out(tmp_path, "") == LeftOut(1, ((".pdf", 1),))


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_what_is_left_out_of_archives(tmp_path: Path, packed: str) -> None:
    put(tmp_path, "w/index.html", "w/index.html.1", "w/a.php?id=1", "w/a.php?id=2", "w/._a.html", "w/.git/b.html")
    archive = tmp_path / f"mirror.tar{packed}"
    with tarfile.open(archive, "w:gz" if packed else "w") as members:
        members.add(tmp_path / "w", "w")
    assert left_out(archive, "") == LeftOut(3, ((".php", 2), (".1", 1)), hidden=2)
    archive.write_bytes(archive.read_bytes()[:-9000] if not packed else archive.read_bytes()[:-20])
    assert left_out(archive, "").other_files <= 3


def test_links_to_files_are_followed_and_links_to_folders_are_not(tmp_path: Path) -> None:
    put(tmp_path, "pages/a.html", "elsewhere/b.html")
    (tmp_path / "pages" / "link.html").symlink_to(tmp_path / "elsewhere" / "b.html")
    (tmp_path / "pages" / "broken.html").symlink_to(tmp_path / "nothing.html")
    (tmp_path / "pages" / "folder.html").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "pages" / "itself.html").symlink_to(tmp_path / "pages" / "itself.html")
    # A link to a folder could make a circle.
    (tmp_path / "pages" / "circle").symlink_to(tmp_path / "pages")
    assert ids(tmp_path / "pages") == ["a", "link"]
    assert left_out(tmp_path / "pages", "") == LeftOut(not_files=4)
    # The collection itself may be a link.
    (tmp_path / "linked").symlink_to(tmp_path / "pages")
    assert ids(tmp_path / "linked") == ["a", "link"]


def test_only_files_are_files(tmp_path: Path) -> None:
    put(tmp_path, "a.html/b.html")
    os.mkfifo(tmp_path / "pipe.html")
    assert ids(tmp_path, keep_suffix=True) == ["a.html/b.html"]
    assert left_out(tmp_path, "") == LeftOut(not_files=1)


def test_folders_may_be_deep(tmp_path: Path) -> None:
    put(tmp_path, "/".join(["d"] * 300) + "/a.html")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        (result,) = walk(tmp_path)
    finally:
        sys.setrecursionlimit(limit)
    assert result.name == "d/" * 300 + "a.html"


def test_files_and_folders_that_go_while_they_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.html", "b.html", "c/d.html", "e/f.html")

    def scandir(folder: Path | str) -> os.ScandirIterator[str]:
        result = real(folder)
        if folder == tmp_path:
            (tmp_path / "b.html").unlink()
            (tmp_path / "c" / "d.html").unlink()
            (tmp_path / "c").rmdir()
        return result

    # The folder's entries are read with what is there, and looked at when some of it is not any more.
    real = os.scandir
    entries = list(real(tmp_path))
    assert len(entries) == 4
    monkeypatch.setattr(
        os, "scandir", lambda folder: _Listed(entries, scandir(folder)) if folder == tmp_path else real(folder)
    )
    assert [result.name for result in walk(tmp_path)] == ["a.html", "e/f.html"]


class _Listed:
    """What a folder held, whatever it holds now."""

    def __init__(self, entries: list[os.DirEntry[str]], opened: os.ScandirIterator[str]) -> None:
        self.entries, self.opened = entries, opened

    def __enter__(self) -> Iterator[os.DirEntry[str]]:
        return iter(self.entries)

    def __exit__(self, *_: object) -> None:
        self.opened.close()


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    put(tmp_path, "pages/a/b.html")
    with pytest.raises(InputError) as missing:
        walk(tmp_path / "gone")
    assert_names(missing.value, f"{tmp_path / 'gone'}: ", "file or folder", "Fix: ", "check the path")
    folder = tmp_path / "pages" / "a"
    forbid(folder)
    try:
        with pytest.raises(InputError) as caught:
            walk(tmp_path / "pages")
    finally:
        folder.chmod(0o700)
    assert_names(caught.value, f"{folder}: ", "read or written", "Fix: ", "choose another path")


# What kind they are of.


def test_kinds_by_suffix() -> None:
    assert (*PAGE_FORMATS, *(kind.name for kind in KINDS)) == FORMATS
    suffixes = {
        HTML: (".html", ".htm", ".xhtml", ".shtml"),
        "": (".txt", ".text"),
        **{kind.name: kind.suffixes for kind in KINDS},
    }
    assert ", ".join(suffix for own in suffixes.values() for suffix in own) == KNOWN
    for name, own in suffixes.items():
        # Names of text dumps imply nothing where there are others.
        for suffix in own:
            assert name != HTML or [kind_of(f"a{suffix}{packed}") for packed in (".gz", ".ZST", ".br")] == [HTML] * 3
            assert kind_of(f"a/b{suffix}") == kind_of(f"B{suffix.upper()}") == kind_of(suffix) == name
    for other in ("a", "a.txt", "html", "a.html.bak", "a.gz", "a.json", "a.warc/b", "a.html/b", "warc.gz", ""):
        assert kind_of(other) == ""


PACKED_PAGE = b"<p>" + b"well written, " * 1000


def put_packed(folder: Path, page: bytes = PACKED_PAGE) -> dict[str, bytes]:
    """Write a page in all three compressions and return what is in the files."""
    files = {
        "a/page.html.gz": gzip.compress(page),
        "b.htm.zst": pa.Codec("zstd").compress(page, asbytes=True),
        "c.html.br": pa.Codec("brotli").compress(page, asbytes=True),
    }
    (folder / "a").mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return files


def test_compressed_pages_are_read_and_named_as_they_were_before(tmp_path: Path) -> None:
    put_packed(tmp_path)
    (tmp_path / "plain.html").write_bytes(PACKED_PAGE)
    (tmp_path / "plain.html.gz").write_bytes(PACKED_PAGE)
    (tmp_path / "x.html.br").write_bytes(PACKED_PAGE)
    collection = open_collection(tmp_path)
    sources = list(documents(collection))
    assert [source.id for source in sources] == ["a/page", "b", "c", "plain", "plain", "x"]
    assert {source.page().content for source in sources} == {PACKED_PAGE}
    kept = ["a/page.html", "b.htm", "c.html", "plain.html", "plain.html", "x.html"]
    assert ids(tmp_path, keep_suffix=True) == kept


def test_damaged_and_oversized_compressed_pages_cost_themselves_alone(tmp_path: Path) -> None:
    for name, content in put_packed(tmp_path / "cut").items():
        (tmp_path / "cut" / name).write_bytes(content[:-9])
    put_packed(tmp_path / "large", b"<p>" + b" " * 2**21)
    (tmp_path / "large" / "d.html.br").write_bytes(b"<p>" + b" " * 2**21)  # not compressed at all
    reasons = []
    for folder in ("cut", "large"):
        collection = open_collection(tmp_path / folder, ReadOptions(max_bytes=2**20))
        assert isinstance(collection, Files)
        reasons += [failed["reason"] for failed in scored(collection, tmp_path / f"{folder}-scores")[1]]
    assert reasons[:3] == [
        "the compressed data end too early",
        reasons[1],
        "the compressed data are broken",
    ]
    assert "compressed data" in reasons[1]
    assert reasons[3:] == [Message("too large", "1 MiB", "unpacking")] * 4


def packed(content: bytes) -> dict[str, bytes]:
    return {
        "plain": content,
        "gzip": gzip.compress(content),
        "bzip2": bz2.compress(content),
        "xz": lzma.compress(content),
        "marked": b"\xef\xbb\xbf" + content,
        "below empty lines": b"\r\n\n" + content,
    }


BEGINNINGS = {
    "warc": b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n",
    "trec-web": b"<DOC>\n<DOCNO>d1</DOCNO>\n<p>one</DOC>\n",
    "jsonl": line(1).encode(),
}


@pytest.mark.parametrize("name", BEGINNINGS)
@pytest.mark.parametrize("how", ["plain", "gzip", "bzip2", "xz", "marked", "below empty lines"])
def test_kinds_by_first_bytes_where_no_name_says_it(tmp_path: Path, name: str, how: str) -> None:
    (tmp_path / "docs").mkdir()
    content = packed(BEGINNINGS[name] + random.Random(3).randbytes(20_000))[how]
    (tmp_path / "docs" / "part-00000").write_bytes(content)
    # Clipped, it still begins so.
    (tmp_path / "docs" / "part-00001").write_bytes(content[:-7])
    (tmp_path / "docs" / "README").write_text("These are documents.")
    (tmp_path / "docs" / "empty").write_text("")
    collection = open_collection(tmp_path / "docs")
    assert isinstance(collection, Files)
    assert collection.format == name
    assert {part.name for part in collection.parts(256)} == {"part-00000", "part-00001"}
    assert open_collection(tmp_path / "docs" / "part-00001").format == name  # type: ignore[attr-defined]


def test_files_whose_names_say_what_they_are_go_before_others(tmp_path: Path) -> None:
    put(tmp_path, "a.warc.gz", "b/c.WARC", "README", "checksums.md5", "notes.txt")
    (tmp_path / "list").write_text('{"id": "looks like JSON lines"}')
    files = walk(tmp_path)
    assert [result.name for result in chosen(files, "", tmp_path)[1]] == ["a.warc.gz", "b/c.WARC"]
    assert chosen(files, "warc", tmp_path) == chosen(files, "", tmp_path)


def test_several_kinds_need_a_word(tmp_path: Path) -> None:
    put(tmp_path, "a.warc", "b.warc", "c.html", "README")
    (tmp_path / "d.jsonl").write_text(line(1))
    with pytest.raises(InputError) as caught:
        open_collection(tmp_path)
    assert_names(caught.value, f"{tmp_path}: ", "html (1), jsonl (1), warc (2)", "Fix: ", "`format`: html, jsonl, warc")
    for name, own in (("warc", ["a.warc", "b.warc"]), ("html", ["README", "c.html"]), ("jsonl", ["d.jsonl"])):
        collection = open_collection(tmp_path, format=name)
        assert (
            sorted(
                {source.file for part in collection.parts(9) for source in part.sources or ()}
                or {part.name for part in collection.parts(9)}
            )
            == own
        )
    # So do several kinds that no name tells.
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "one").write_bytes(BEGINNINGS["warc"])
    (tmp_path / "bare" / "two").write_bytes(BEGINNINGS["jsonl"])
    with pytest.raises(InputError, match=r"jsonl \(1\), warc \(1\)\. Fix: .*: jsonl, warc\.$"):
        open_collection(tmp_path / "bare")
    assert [source.id for source in documents(open_collection(tmp_path / "bare", format="jsonl"))] == ["d1"]


def test_a_format_that_is_given_is_believed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("one.txt", "two"):
        (tmp_path / "docs" / name).write_text("<p>a page</p>")
    assert ids(tmp_path / "docs") == ["one", "two"]
    assert [source.id for source in documents(open_collection(tmp_path / "docs" / "two", format="html"))] == ["two"]
    (tmp_path / "one.html").write_text(line(1))
    assert [source.id for source in documents(open_collection(tmp_path / "one.html", format="jsonl"))] == ["d1"]


def test_text_dumps_are_pages_where_there_is_nothing_else(tmp_path: Path) -> None:
    put(tmp_path, "dumps/a.txt", "dumps/sub/b.TEXT", "dumps/c.pdf", "pages/a.html", "pages/notes.txt")
    put(tmp_path, "dumps/a.txt")

    def found(name: str, format: str = "") -> list[tuple[str, bool]]:
        return [(source.id, source.is_text) for source in documents(open_collection(tmp_path / name, format=format))]

    assert found("dumps") == [("a", True), ("sub/b", True)]
    assert found("dumps/a.txt") == [("a", True)]
    assert found("pages") == [("a", False)]
    assert found("pages", "text") == [("notes", True)]
    # What it begins with says more than its name.
    (tmp_path / "dumps" / "a.txt").write_text('{"id": "x", "contents": "y"}\n', encoding="utf-8")
    assert found("dumps/a.txt") == [("x", True)]


def test_nothing_that_is_known(tmp_path: Path) -> None:
    put(tmp_path, "some/a.bin", "some/b.pdf", "a.pdf")
    (tmp_path / "empty").mkdir()
    for name, what in (
        ("some", "the folder holds no collection"),
        ("a.pdf", "not a known kind of collection"),
    ):
        with pytest.raises(InputError) as caught:
            open_collection(tmp_path / name)
        assert_names(caught.value, f"{tmp_path / name}: ", what, "Fix: ", SHOWN, "`format`", FORMAT_NAMES)
    for call in (
        lambda: open_collection(tmp_path / "empty"),
        lambda: open_collection(tmp_path / "empty", format="html"),
        html(tmp_path / "empty").fingerprint,
    ):
        with pytest.raises(InputError) as empty:
            call()
        assert_names(empty.value, f"{tmp_path / 'empty'}: ", "folder is empty", "Fix: ", "check the path")
    with pytest.raises(InputError) as missing:
        open_collection(tmp_path / "none.html")
    assert_names(missing.value, f"{tmp_path / 'none.html'}: ", "file or folder", "Fix: ", "check the path")
    with pytest.raises(ConfigError) as unknown:
        open_collection(tmp_path / "some", format="pdf")
    assert_names(unknown.value, "format: ", "'pdf'", "Fix: ", "html, text, warc, trec-web, jsonl, tar, parquet")


# HTML files.


def test_a_page_is_read_later(tmp_path: Path) -> None:
    put(tmp_path, "x/a.html")
    collection = open_collection(tmp_path)
    (source,) = documents(collection)
    path = tmp_path / "x" / "a.html"
    assert source == Source("x/a", "x/a.html", 11, path=path, name="x/a.html", listed_state=FileState.of(path.stat()))
    assert source.page() == Page("x/a", path.read_bytes())
    path.write_bytes(b"<p>later")
    with pytest.raises(CollectionChanged, match="x/a"):
        source.page()
    path.unlink()
    with pytest.raises(CollectionChanged, match="x/a"):
        source.page()
    with pytest.raises(FileNotFoundError):
        replace(source, listed_state=None).page()
    put(tmp_path, "x/a.html")
    (alone,) = documents(open_collection(path))
    assert (alone.id, alone.file, alone.size) == ("a", "a.html", 11)


@pytest.mark.parametrize(
    ("count", "size", "shape"),
    [
        (10, 1, [4, 4, 2]),
        (8, 1, [4, 4]),
        (1, SOURCE_BYTES + 1, [1]),
        (5, 7 * 2**20, [2, 2, 1]),
        (3, 9 * 2**20, [1, 1, 1]),
    ],
)
def test_html_files_go_together(tmp_path: Path, count: int, size: int, shape: list[int]) -> None:
    for number in range(count):
        with (tmp_path / f"{number}.html").open("wb") as file:
            file.truncate(size)
    parts = list(html(tmp_path).parts(4))
    assert [len(part.sources or ()) for part in parts] == shape
    assert [(part.file, part.number, part.path) for part in parts] == [(0, n, tmp_path) for n in range(len(parts))]
    assert [source.id for part in parts for source in part.sources or ()] == [str(number) for number in range(count)]
    assert list(html(tmp_path).parts(4)) == parts


def test_names_below_a_wrong_prefix_fail_and_others_do_not(tmp_path: Path) -> None:
    put(tmp_path, "good/a.html", "bad/a.html", "goodish.html")
    assert [(source.id, source.file, source.problem) for source in documents(html(tmp_path, prefix="good"))] == [
        ("", "bad/a.html", Message("not below the prefix 'good'")),
        ("a", "good/a.html", None),
        ("", "goodish.html", Message("not below the prefix 'good'")),
    ]


# How files of many documents are cut.


@dataclass(frozen=True)
class Cut:
    """A part without what says where it is from."""

    begin: int
    end: int
    exact: bool


def cuts(parts: list[Part]) -> list[Cut]:
    return [Cut(part.begin, part.end, part.exact) for part in parts]


@pytest.mark.parametrize(
    "size", [0, 1, WHOLE_BYTES, WHOLE_BYTES + 1, RANGE_BYTES, RANGE_BYTES + 1, 5 * RANGE_BYTES - 9]
)
def test_ranges_are_adjacent_and_cover_the_file(tmp_path: Path, size: int) -> None:
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.truncate(size)
    (tmp_path / "b.jsonl").write_text(line(1))
    parts = list(open_collection(tmp_path).parts(256))
    first = [part for part in parts if part.file == 0]
    assert [(part.path, part.name, part.sources) for part in first] == [
        (tmp_path / "a.jsonl", "a.jsonl", None) for _ in first
    ]
    assert [part.number for part in first] == list(range(max(1, -(-size // RANGE_BYTES))))
    assert (first[0].begin, first[-1].end) == (0, size)
    assert all(one.end == other.begin for one, other in pairwise(first))
    assert [part.exact for part in first] == [not part.number for part in first]
    assert all(0 < part.end - part.begin <= RANGE_BYTES for part in first) or not size
    second = tmp_path / "b.jsonl"
    listed = FileState.of(second.stat())
    assert parts[len(first) :] == [Part(1, 0, second, "b.jsonl", 0, len(line(1)), listed_state=listed)]
    assert {part.listed_state for part in first} == {FileState.of((tmp_path / "a.jsonl").stat())}


def incompressible(count: int) -> bytes:
    """JSON lines of about a kilobyte each, which stay about as long when packed."""
    generator = random.Random(11)
    return "".join(
        json.dumps({"id": f"d{number}", "contents": generator.randbytes(700).hex()}) + "\n" for number in range(count)
    ).encode()


def test_the_parent_reads_a_big_file_that_cannot_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    content = incompressible(1000)
    path.write_bytes(gzip.compress(content, 1))
    assert WHOLE_BYTES < path.stat().st_size < len(content)
    collection = open_collection(path)
    parts = list(collection.parts(300))
    assert [len(part.sources or ()) for part in parts] == [300, 300, 300, 100]
    assert [(part.file, part.number, part.path, part.name) for part in parts] == [
        (0, number, path, "a.jsonl.gz") for number in range(4)
    ]
    lines = content.splitlines(keepends=True)
    offsets = [sum(map(len, lines[:number])) for number in range(1000)]
    result = list(documents(collection, 300))
    assert [(source.id, source.offset) for source in result] == [(f"d{n}", offset) for n, offset in enumerate(offsets)]
    assert result == [source for part in parts for source in part.sources or ()]


def test_a_small_file_that_cannot_be_cut_is_its_workers(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(incompressible(100)))
    assert path.stat().st_size <= WHOLE_BYTES
    listed = FileState.of(path.stat())
    assert list(open_collection(path).parts(9)) == [Part(0, 0, path, "a.jsonl.gz", 0, listed.size, listed_state=listed)]


def test_of_many_files_that_cannot_be_cut_workers_read_the_big_ones_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(incompressible(1000), 1))
    for number in range(MANY - 1):
        (tmp_path / f"b{number:02}.jsonl").write_text(line(number))
    parts = list(open_collection(tmp_path).parts(300))
    assert [(part.file, part.number, part.sources) for part in parts] == [(number, 0, None) for number in range(MANY)]
    (tmp_path / "b00.jsonl").unlink()
    assert [part.sources is None for part in open_collection(tmp_path).parts(300)] == [False] * 4 + [True] * (MANY - 2)


def test_tar_archives_are_never_cut(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for number in range(3):
            member = tarfile.TarInfo(f"{number}.html")
            member.size = WHOLE_BYTES
            archive.addfile(member, io.BytesIO(b"x" * WHOLE_BYTES))
    (part,) = open_collection(tmp_path).parts(256)
    assert [source.id for source in part.sources or ()] == ["0", "1", "2"]


# Reading.


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.integers(0, 40), max_size=12), min_size=1, max_size=3),
    st.integers(1, 90),
    st.integers(0, 60),
)
def test_ranges_in_a_row_are_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: list[list[int]], length: int, whole: int
) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    expected = []
    for number, words in enumerate(groups):
        text = "".join(line(place, count) for place, count in enumerate(words))
        (tmp_path / f"{number}.jsonl").write_text(text)
        expected += [(f"{number}.jsonl", f"d{place}") for place in range(len(words))]
    monkeypatch.setattr(files_module, "RANGE_BYTES", length)
    monkeypatch.setattr(files_module, "WHOLE_BYTES", whole)
    collection = open_collection(tmp_path)
    assert [(source.file, source.id) for source in documents(collection)] == expected
    # Each part by itself, as workers read them, and what they say of where they begin and end.
    result, after = [], 0
    for part in collection.parts(256):
        after = after if part.number else 0
        reading = collection.read(part)
        while True:
            try:
                result.append(next(reading))
            except StopIteration as end:
                span: Span = end.value
                break
        assert span.first == (after if after < part.end else None)
        assert span.after >= part.end
        after = max(after, span.after)
    assert [(source.file, source.id) for source in result] == expected


class _Nested:
    """A kind of file of records "b<digit>", the digit more bytes long, which may themselves look like records."""

    name = "nested"
    suffixes = (".nested",)

    def can_split(self, path: Path) -> bool:
        return True

    def read(self, part: Part, options: ReadOptions) -> Iterator[Source]:
        content = part.path.read_bytes()
        place = part.begin if part.exact else content.find(b"b", part.begin, part.end)
        first = None
        while 0 <= place < part.end:
            first = place if first is None else first
            yield Source(f"d{place}", part.name, 1, place, content=b"x")
            place += 2 + int(content[place + 1 : place + 2])
        return Span(first, place if place >= part.end else part.end)


def test_documents_begin_where_the_range_before_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.nested"
    path.write_bytes(b"b0b5b2b0zb0" + b"b9b0b0b0b0z" + b"b0")
    monkeypatch.setattr(files_module, "KINDS", (_Nested(),))
    monkeypatch.setattr(files_module, "WHOLE_BYTES", 0)
    for length in range(1, 30):
        monkeypatch.setattr(files_module, "RANGE_BYTES", length)
        collection = Files(path, "nested")
        monkeypatch.setattr(files_module, "chosen", lambda files, *_: files_module.ChosenFiles("nested", tuple(files)))
        assert [source.offset for source in documents(collection)] == [0, 2, 9, 11, 22], length


def test_a_range_that_begins_behind_its_end_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line(1) * 3)
    size = len(line(1))
    reading = open_collection(path).read(Part(0, 1, path, "a.jsonl", 2 * size, size))
    with pytest.raises(StopIteration) as end:
        next(reading)
    assert end.value.value == Span(None, 2 * size)


def test_the_fingerprint_changes_with_every_change_of_a_file(tmp_path: Path) -> None:
    put(tmp_path, "a.html", "b.html", "note.txt")
    first = html(tmp_path).fingerprint()
    assert html(tmp_path).fingerprint() == first
    assert Files(tmp_path, "jsonl").fingerprint() != first
    (tmp_path / "note.txt").write_text("more")
    assert html(tmp_path, ids="stem").fingerprint() == first
    seen = {first}
    changes: list[Callable[[], object]] = [
        lambda: os.utime(tmp_path / "a.html", ns=(1, 1)),
        lambda: (tmp_path / "b.html").rename(tmp_path / "c.html"),
        lambda: (tmp_path / "c.html").unlink(),
        lambda: ((tmp_path / "a.html").write_text("longer than before"), os.utime(tmp_path / "a.html", ns=(1, 1))),
    ]
    for number, change in enumerate(changes, 2):
        change()
        seen.add(html(tmp_path).fingerprint())
        assert len(seen) == number


# What cannot be read, from end to end.


def scored(collection: Files, folder: Path) -> tuple[list[tuple[str, str, str | None]], list[dict[str, object]]]:
    """Score a collection; return status, file and id of all pages, and the list of failed ones as it is written."""
    score_collection(ScorePlan(collection, ()), folder, Backend(workers=1))
    write_failures(folder, folder / "failures.jsonl")
    rows = store_rows(folder)
    listed = [json.loads(text) for text in (folder / "failures.jsonl").read_bytes().decode("utf-8").splitlines()]
    assert len(listed) == len(list(failures(folder))) == len([row for row in rows if row["status"] == "failed"])
    return [(row["status"], row["file"], row["id"]) for row in rows], listed


def test_names_that_are_not_utf8_are_kept_apart(tmp_path: Path) -> None:
    badly_named(tmp_path / "pages", b"a\xff.html", b"a\xfe.html", "ä.html".encode())
    assert ids(tmp_path / "pages", escape=True) == ["a%ED%B3%BE", "a%ED%B3%BF", "ä"]
    assert [source.file for source in documents(html(tmp_path / "pages"))] == [r"a\xfe.html", r"a\xff.html", "ä.html"]
    assert len(html(tmp_path / "pages").fingerprint()) == 16


def test_names_that_are_not_utf8_fail_and_are_listed_unless_escaped(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    put(pages, "good.html")
    badly_named(pages, b"a\xff.html")
    badly_named(pages / os.fsdecode(b"caf\xe9"), b"b.html")
    rows, listed = scored(html(pages), tmp_path / "store")
    assert rows == [
        ("failed", r"a\xff.html", "a?"),
        ("failed", r"caf\xe9/b.html", "caf?/b"),
        ("scored", "good.html", "good"),
    ]
    assert listed == [
        {
            "file": r"a\xff.html",
            "offset": None,
            "id": "a?",
            "reason": UNFIT_ID + r": 'a\udcff'",
        },
        {
            "file": r"caf\xe9/b.html",
            "offset": None,
            "id": "caf?/b",
            "reason": UNFIT_ID + r": 'caf\udce9/b'",
        },
    ]
    rows, listed = scored(html(pages, escape=True), tmp_path / "escaped")
    assert rows == [
        ("scored", r"a\xff.html", "a%ED%B3%BF"),
        ("scored", r"caf\xe9/b.html", "caf%ED%B3%A9/b"),
        ("scored", "good.html", "good"),
    ]
    assert listed == []


@pytest.mark.parametrize("big", [False, True])
def test_files_of_documents_may_be_badly_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, big: bool) -> None:
    if big:
        monkeypatch.setattr(files_module, "WHOLE_BYTES", 10)
        monkeypatch.setattr(files_module, "RANGE_BYTES", 100)
    folder = tmp_path / "docs"
    badly_named(folder, b"\xff.jsonl", b"\xfe.jsonl.gz")
    for place, path in enumerate(sorted(folder.iterdir())):
        content = (line(2 * place) + "{\n" + line(2 * place + 1)).encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    rows, listed = scored(Files(folder, "jsonl"), tmp_path / "store")
    assert rows == [
        *(("scored", r"\xfe.jsonl.gz", "d0"), ("failed", r"\xfe.jsonl.gz", ""), ("scored", r"\xfe.jsonl.gz", "d1")),
        *(("scored", r"\xff.jsonl", "d2"), ("failed", r"\xff.jsonl", ""), ("scored", r"\xff.jsonl", "d3")),
    ]
    assert [failure["file"] for failure in listed] == [r"\xfe.jsonl.gz", r"\xff.jsonl"]


class _Going(Files):
    """Loses its files b as soon as its parts are known, which stay what they were."""

    def parts(self, pages: int) -> Iterator[Part]:
        parts = list(_Going.known.setdefault(self.path, list(super().parts(pages))))
        for path in self.path.glob("b*"):
            path.unlink()
        return iter(parts)

    known: ClassVar[dict[Path, list[Part]]] = {}


@pytest.mark.parametrize("many", [False, True])
def test_a_file_that_goes_before_it_is_read_ends_the_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    """Whichever way it was to be read: as a page, whole, in ranges, or by the parent."""
    monkeypatch.setattr(files_module, "WHOLE_BYTES", 100)
    monkeypatch.setattr(files_module, "RANGE_BYTES", 150)
    put(tmp_path / "pages", "a.html", "b.html", "c.html")
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.jsonl").write_text(
            "".join(line(number + ord(name) * 10) for number in range(5 if many else 1))
        )
    for collection, gone in ((_Going(tmp_path / "pages", HTML), "b.html"), (_Going(folder, "jsonl"), "b.jsonl")):
        with pytest.raises(CollectionChanged, match=gone):
            scored(collection, tmp_path / "store" / gone)


def test_files_that_may_not_be_read_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "WHOLE_BYTES", 100)
    put(tmp_path / "pages", "a.html", "b.html")
    (tmp_path / "docs").mkdir()
    for name, count in (("a", 1), ("b", 1), ("c", 9)):
        (tmp_path / "docs" / f"{name}.jsonl").write_text("".join(line(number) for number in range(count)))
    closed = [tmp_path / "pages" / "a.html", tmp_path / "docs" / "b.jsonl", tmp_path / "docs" / "c.jsonl"]
    for path in closed:
        forbid(path)
    reason = "cannot be read: Permission denied"
    rows, listed = scored(html(tmp_path / "pages"), tmp_path / "store")
    assert rows == [("failed", "a.html", "a"), ("scored", "b.html", "b")]
    assert [failure["reason"] for failure in listed] == [reason]
    rows, listed = scored(Files(tmp_path / "docs", "jsonl"), tmp_path / "more")
    assert rows == [("scored", "a.jsonl", "d0"), ("failed", "b.jsonl", ""), ("failed", "c.jsonl", "")]
    assert [failure["reason"] for failure in listed] == [reason, reason]


def test_real_folder(shared_data: Path) -> None:
    folder = shared_data / "cleaning" / "dragnet-300" / "input"
    sources = list(documents(open_collection(folder)))
    assert [source.id for source in sources] == sorted(path.stem for path in folder.iterdir())
    assert sum(source.size for source in sources) == sum(path.stat().st_size for path in folder.iterdir())
    assert len(sources) == 300
