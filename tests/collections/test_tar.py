"""Tar archives of HTML files: what is read, what is passed over, and that damage never looks like the end."""

import io
import re
import tarfile
import tracemalloc
from pathlib import Path

import pyarrow
import pytest
from file_ranges import read_range, read_whole
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import Message

from thresher.collections.interface import IdRule, ReadOptions
from thresher.collections.sources import Source
from thresher.collections.tar import Tar

PAGES = {f"pages/{number}.html": f"<p>{number} ".encode() + bytes(number * 37 % 1500) for number in range(60)}
FORMATS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]


def pack(path: Path, members: dict[str, bytes], mode: str = "w", **kwargs) -> Path:
    with tarfile.open(path, mode, **kwargs) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def read(path: Path, **options) -> list[Source]:
    return read_whole(Tar(), path, ReadOptions(**options))


def contents(path: Path, **options) -> dict[str, bytes | None]:
    return {source.id: source.content for source in read(path, **options)}


def test_names():
    kind = Tar()
    assert kind.name == "tar"
    assert sorted(kind.suffixes) == [".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tar.zst", ".tgz"]
    assert not kind.can_split(Path("a.tar"))


@pytest.mark.parametrize("packed", ["", "gz", "bz2", "xz", "zst"])
def test_all_pages_in_the_order_of_the_archive(tmp_path, packed):
    path = pack(tmp_path / "a", dict(reversed(PAGES.items())), "w:" + packed.replace("zst", ""))
    if packed == "zst":
        path.write_bytes(pyarrow.compress(path.read_bytes(), "zstd", asbytes=True))
    result, span = read_range(Tar(), path, 0, path.stat().st_size, ReadOptions(), True)
    assert [(source.id, source.content) for source in result] == [
        (name.removesuffix(".html"), content) for name, content in reversed(PAGES.items())
    ]
    assert {(source.file, source.problem, source.charset, source.is_text) for source in result} == {
        ("a", None, None, False)
    }
    assert [source.size for source in result] == [len(source.content) for source in result]
    assert (span.first, span.after) == (0, path.stat().st_size)
    with tarfile.open(pack(tmp_path / "plain", dict(reversed(PAGES.items())))) as archive:
        assert [source.offset for source in result] == [member.offset for member in archive]


def test_only_html_files_count(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for name, kind in (
            ("folder.html", tarfile.DIRTYPE),
            ("old-folder.html/", tarfile.AREGTYPE),
            ("device.html", tarfile.CHRTYPE),
            ("pipe.html", tarfile.FIFOTYPE),
            ("a.txt", tarfile.REGTYPE),
            ("./b.HTM", tarfile.REGTYPE),
            ("old.html", tarfile.AREGTYPE),
            ("contiguous.html", tarfile.CONTTYPE),
            ("é/c.html", tarfile.REGTYPE),
            ("mirror/a.html?id=2", tarfile.REGTYPE),
            # Of macOS, and of git.
            ("._b.html", tarfile.REGTYPE),
            ("__MACOSX/b.html", tarfile.REGTYPE),
            (".git/b.html", tarfile.REGTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type = kind
            archive.addfile(member)
    assert list(contents(path)) == ["b", "old", "contiguous", "é/c", "mirror/a.html?id=2"]
    rule = IdRule(keep_suffix=True, ids="stem")
    assert list(contents(path, rule=rule)) == ["b.HTM", "old.html", "contiguous.html", "c.html", "a.html?id=2"]


def test_names_that_climb_out_are_ids_and_nothing_else(tmp_path):
    path = pack(tmp_path / "a.tar", {"../../x.html": b"1", "/etc/y.html": b"2", "a/../b.html": b"3"})
    assert contents(path) == {"../../x": b"1", "/etc/y": b"2", "a/../b": b"3"}


def test_a_name_outside_of_the_prefix_is_a_problem_of_that_page(tmp_path):
    path = pack(tmp_path / "a.tar", {"x/a.html": b"1", "y/b.html": b"2", "x/c.html": b"3"})
    assert [(source.id, source.content, source.problem) for source in read(path, rule=IdRule(prefix="x"))] == [
        ("a", b"1", None),
        ("", None, Message("not below the prefix 'x'")),
        ("c", b"3", None),
    ]


NAMES = st.lists(st.text("abé中 .\udcff", min_size=1, max_size=80), min_size=1, max_size=4).map(
    lambda parts: "/".join(f"x{part}" for part in parts) + ".html"
)


@settings(max_examples=25)
@given(st.dictionaries(NAMES, st.binary(max_size=1500), max_size=4), st.sampled_from(FORMATS))
def test_the_same_as_tarfile(tmp_path_factory, pages, format):
    path = tmp_path_factory.mktemp("tar") / "a.tar"
    with tarfile.open(path, "w", format=format) as archive:
        for name, content in pages.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            try:
                archive.addfile(member, io.BytesIO(content))
            except ValueError:
                assert format == tarfile.USTAR_FORMAT  # which cannot hold every long name
    rule = IdRule(keep_suffix=True)
    with tarfile.open(path) as archive:
        expected = [(member.name, archive.extractfile(member).read(), member.offset) for member in archive]
    assert [(source.id, source.content, source.offset) for source in read(path, rule=rule)] == [
        (rule.apply(name), content, offset) for name, content, offset in expected
    ]


@pytest.mark.parametrize("format", FORMATS[1:])
def test_long_names_and_large_numbers(tmp_path, format):
    name = "/".join(["folder"] * 60) + "/page"
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=format, pax_headers={"comment": "of all"}) as archive:
        for place in (name, "x"):
            member = tarfile.TarInfo(place + ".html")
            member.size, member.uid, member.mtime, member.linkname = 1, 2**40, -5, "y" * 200
            archive.addfile(member, io.BytesIO(b"x"))
    assert contents(path) == {name: b"x", "x": b"x"}


def test_a_member_over_the_limit_is_listed_without_its_bytes(tmp_path):
    path = pack(tmp_path / "a", {"a.html": b"x" * 2**20, "b.html": b"x" * (3 * 2**20), "c.html": b"x"}, "w:gz")
    assert [(source.id, source.size, source.problem) for source in read(path, max_bytes=2**20)] == [
        ("a", 2**20, None),
        ("b", 3 * 2**20, Message("too large", "3.0 MiB", "1 MiB")),
        ("c", 1, None),
    ]


NO_END = "without the mark of its end"


def broken(count: str, reason: str, offset: int) -> Source:
    problem = Message("archive is broken", reason, f"after {count}")
    return Source("", "a.tar", 0, offset, problem=problem)  # type: ignore[arg-type]


def test_damage(tmp_path):
    path = pack(tmp_path / "a.tar", {"a.html": b"x" * 600, "b.html": b"y"})
    whole = path.read_bytes()
    a, b = read(path)
    for content, kept, end in (
        (whole[: 512 + 300], [], broken("0 pages", "it ends within a file", 0)),
        (whole[: 512 + 1000], [a], broken("1 page", "it ends within a file", 0)),
        (whole[: 512 + 1024], [a], broken("1 page", NO_END, 1536)),
        (whole[: 512 + 1024 + 100], [a], broken("1 page", "it ends within a header", 1536)),
        (whole[: 512 + 1024] + b"#" * 512 + whole[2048:], [a], broken("1 page", "invalid header", 1536)),
        (whole[:2560], [a, b], broken("2 pages", NO_END, 2560)),
        (b"", [], broken("0 pages", NO_END, 0)),
        (b"this is no archive" * 100, [], broken("0 pages", "invalid header", 0)),
    ):
        path.write_bytes(content)
        assert read(path) == [*kept, end]


@pytest.mark.parametrize("packed", ["", "gz", "bz2", "xz"])
def test_clipped_anywhere_it_is_a_problem(tmp_path, packed):
    whole = pack(tmp_path / "whole", {**PAGES, "note.txt": b"x" * 5000}, "w:" + packed).read_bytes()
    path = tmp_path / "a.tar"
    if not packed:
        # The end of the archive is a block of zeros; what pads the file behind it is nothing lost.
        end = len(whole.rstrip(b"\0"))
        whole = whole[: end + 512 - end % 512]
    lengths = [0, 1, 8, *range(20, len(whole), len(whole) // 40)]
    for length in lengths:
        path.write_bytes(whole[:length])
        *kept, end = read(path)
        assert [(source.id + ".html", source.content) for source in kept] == [*PAGES.items()][: len(kept)]
        assert re.fullmatch(rf"the archive is broken \(.+\), after {len(kept)} pages?", end.problem), length


def header(name: str, kind: bytes, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    return member


def test_links_and_compressed_pages_are_listed(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, kind in (("a.html", tarfile.REGTYPE), ("b.html", tarfile.LNKTYPE), ("c.htm", tarfile.SYMTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "a.html" * (kind != tarfile.REGTYPE)
            archive.addfile(member)
        for name in ("d.html.gz", "e.txt", "f.html.br"):
            archive.addfile(tarfile.TarInfo(name))
        folder = tarfile.TarInfo("folder")
        folder.type, folder.linkname = tarfile.SYMTYPE, "other"
        archive.addfile(folder)
    assert [(source.id, source.problem) for source in read(tmp_path / "a.tar")] == [
        ("a", None),
        ("b", Message("a link", "unpack it")),
        ("c", Message("a link", "unpack it")),
        ("d", Message("compressed", "unpack it")),
        ("f", Message("compressed", "unpack it")),
    ]


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_huge_header_is_not_read(tmp_path, kind):
    path = tmp_path / "a.tar"
    path.write_bytes(header("x", kind, 2**30).tobuf(tarfile.GNU_FORMAT) + b"x" * 5000)
    tracemalloc.start()
    try:
        assert read(path) == [broken("0 pages", "a header of 1073741824 bytes", 0)]
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()


def test_a_size_that_is_not_there_takes_no_memory(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(header("x.html", tarfile.REGTYPE, 2**50).tobuf(tarfile.GNU_FORMAT) + b"x" * 5000)
    assert read(path) == [broken("0 pages", "it ends within a file", 0)]


@pytest.mark.parametrize(
    "records", [b"x", b"5 a=b\n", b"12 path=a\n", b"0 path=a\n", b"12 size=12x\n", b"999999999 path=a\n"]
)
def test_broken_pax_headers(tmp_path, records):
    path = tmp_path / "a.tar"
    start = header("x", tarfile.XHDTYPE, len(records)).tobuf(tarfile.USTAR_FORMAT) + records.ljust(512, b"\0")
    path.write_bytes(start + header("a.html", tarfile.REGTYPE, 0).tobuf() + bytes(1024))
    assert read(path) == [broken("0 pages", "invalid pax header", 0)]


def pax(kind: bytes, **records: str) -> bytes:
    data = b""
    for key, value in records.items():
        record = f" {key.replace('__', '.')}={value}\n".encode()
        data += next(b"%d" % size + record for size in range(200) if len(b"%d" % size + record) == size)
    return header("x", kind, len(data)).tobuf(tarfile.USTAR_FORMAT) + data.ljust(512, b"\0")


def test_pax_headers(tmp_path):
    path = tmp_path / "a.tar"
    short = header("short.html", tarfile.REGTYPE, 0).tobuf()
    path.write_bytes(
        pax(tarfile.XHDTYPE, path="sché.html", size="3", mtime="1.5")
        + short
        + b"abc".ljust(512, b"\0")
        + short
        + pax(tarfile.XGLTYPE, path="all.html")
        + short
        + pax(tarfile.SOLARIS_XHDTYPE, path="one.html")
        + short
        + short
        + bytes(1024)
    )
    expected = [("sché", b"abc"), ("short", b""), ("all", b""), ("one", b""), ("all", b"")]
    assert [(source.id, source.content) for source in read(path)] == expected
    with tarfile.open(path) as archive:
        assert [member.name.removesuffix(".html") for member in archive] == [name for name, _ in expected]


def test_sparse_files_in_pax_headers(tmp_path):
    path = tmp_path / "a.tar"
    records = {"GNU__sparse__major": "1", "GNU__sparse__minor": "0", "GNU__sparse__name": "s.html"}
    entry = pax(tarfile.XHDTYPE, **records) + header("GNUSparseFile.1/s.html", tarfile.REGTYPE, 0).tobuf()
    path.write_bytes(entry + bytes(1024))
    assert [(source.id, source.problem) for source in read(path)] == [("s", Message("sparse file", "unpack it"))]


def test_sparse_files_of_gnu_tar(tmp_path):
    path = tmp_path / "a.tar"
    block = bytearray(header("s.html", tarfile.GNUTYPE_SPARSE, 3).tobuf(tarfile.GNU_FORMAT))
    block[482] = 1  # more of the map follows
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 256 + sum(block[156:]))
    more = bytes(504) + b"\1" + bytes(7)
    path.write_bytes(bytes(block) + more * 3 + bytes(512) + b"abc".ljust(512, b"\0"))
    with path.open("ab") as handle:
        handle.write(header("a.html", tarfile.REGTYPE, 0).tobuf() + bytes(1024))
    assert [(source.id, source.size, source.problem) for source in read(path)] == [
        ("s", 3, Message("sparse file", "unpack it")),
        ("a", 0, None),
    ]


def test_old_checksums_of_signed_bytes(tmp_path):
    path = tmp_path / "a.tar"
    block = bytearray(header("é.html", tarfile.REGTYPE, 0).tobuf(tarfile.GNU_FORMAT))
    signed = sum(byte - 256 * (byte > 127) for byte in block[:148] + block[156:]) + 256
    block[148:156] = b"%06o\0 " % signed
    path.write_bytes(bytes(block) + bytes(1024))
    assert list(contents(path)) == ["é"]


def test_archives_without_pages(tmp_path):
    for members in ({}, {"a.txt": b"x"}):
        path = pack(tmp_path / "a.tar", members)
        assert read_range(Tar(), path, 0, 1, ReadOptions(), True)[0] == []
    with pytest.raises(FileNotFoundError):
        read_range(Tar(), tmp_path / "none", 0, 1, ReadOptions(), True)
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


@pytest.mark.slow
def test_real_archives(shared_data):
    cacm = read(shared_data / "retrieval" / "cacm" / "cacm.tar.gz", rule=IdRule(ids="stem"))
    assert (len(cacm), cacm[0].id[:5], {source.problem for source in cacm}) == (3204, "CACM-", {None})
    path = shared_data / "retrieval" / "postgresql-manual" / "pages.tar.gz"
    manual = contents(path, rule=IdRule(prefix="pages"))
    with tarfile.open(path) as archive:
        members = [member for member in archive if member.isfile()]
        assert manual == {
            member.name.removeprefix("./").removeprefix("pages/").removesuffix(".html"): archive.extractfile(
                member
            ).read()
            for member in members
        }
    assert len(manual) == 1165
