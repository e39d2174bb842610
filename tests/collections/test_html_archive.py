"""A tar archive of HTML files: what is read, what is passed over, and that damage never looks like the end."""

import io
import tarfile
from pathlib import Path

import pytest

from thresher.collections import IdRule, Page, open_collection
from thresher.collections.html_archive import HtmlArchive
from thresher.errors import InputError

PAGES = {f"pages/{number}.html": f"<p>{number} ".encode() + bytes(number * 37 % 1500) for number in range(60)}


def pack(path: Path, members: dict[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def read(path: Path, **rule) -> dict[str, bytes]:
    return {source.id: source.page().content for source in HtmlArchive(path, IdRule(**rule)).sources()}


@pytest.mark.parametrize("ending", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_all_pages_in_the_order_of_the_archive(tmp_path, ending):
    mode = {"tar": "w", "tgz": "w:gz"}.get(ending) or "w:" + ending[4:]
    path = pack(tmp_path / f"a.{ending}", dict(reversed(PAGES.items())), mode)
    found = [*open_collection(path).sources()]
    assert [source.id for source in found] == [f"pages/{number}" for number in reversed(range(60))]
    assert [source.page() for source in found] == [
        Page(name.removesuffix(".html"), content) for name, content in reversed(PAGES.items())
    ]
    assert found[0].where == f"{path}:pages/59.html"
    assert [source.size for source in found] == [len(source.content) for source in found]


def test_only_html_files_count(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for name, kind in (
            ("folder.html", tarfile.DIRTYPE),
            ("link.html", tarfile.SYMTYPE),
            ("pipe.html", tarfile.FIFOTYPE),
            ("a.txt", tarfile.REGTYPE),
            ("./b.HTM", tarfile.REGTYPE),
            ("é/c.html", tarfile.REGTYPE),
        ):
            member = tarfile.TarInfo(name)
            member.type = kind
            archive.addfile(member)
    assert read(path) == {"b": b"", "é/c": b""}
    assert read(path, keep_suffix=True, ids="stem") == {"b.HTM": b"", "c.html": b""}


def test_names_that_climb_out_are_ids_and_nothing_else(tmp_path):
    path = pack(tmp_path / "a.tar", {"../../x.html": b"1", "/etc/y.html": b"2", "a/../b.html": b"3"})
    assert read(path) == {"../../x": b"1", "/etc/y": b"2", "a/../b": b"3"}


def test_long_names(tmp_path):
    name = "/".join(["folder"] * 60) + "/page"
    assert read(pack(tmp_path / "a.tar", {name + ".html": b"x"})) == {name: b"x"}


def test_a_member_over_the_limit_is_listed_without_its_bytes(tmp_path):
    path = pack(tmp_path / "a.tar.gz", {"a.html": b"x" * 9, "b.html": b"x" * 10, "c.html": b"x" * 11}, "w:gz")
    found = list(open_collection(path, max_bytes=10).sources())
    assert [(source.id, source.size, source.content and len(source.content)) for source in found] == [
        ("a", 9, 9),
        ("b", 10, 10),
        ("c", 11, None),
    ]


BROKEN = "{}: the archive is broken after {} pages ({}). Fix: fetch or pack it again."


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(HtmlArchive(path).sources())
    return str(caught.value)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_clipped_anywhere_it_is_an_error(tmp_path, mode):
    whole = pack(tmp_path / "whole", {**PAGES, "note.txt": b"x" * 5000, **PAGES}, mode).read_bytes()
    path = tmp_path / "clipped"
    if mode == "w":
        # The end of the archive is two blocks of zeros; what pads the file after them is nothing lost.
        end = len(whole.rstrip(b"\0"))
        whole = whole[: end + 512 - end % 512 + 512]
        assert len(whole) % 512 == 0
        lengths = [0, 1, *range(511, len(whole) - 511, 1024 + 256)]
    else:
        lengths = [0, 1, 8, *range(20, len(whole) - 120, len(whole) // 40)]
    for length in lengths:
        path.write_bytes(whole[:length])
        assert ": the archive is broken after " in problem(path), length


def test_messages_of_broken_archives(tmp_path):
    path = pack(tmp_path / "a.tar", {"a.html": b"x" * 600, "b.html": b"y"})
    whole = path.read_bytes()
    path.write_bytes(whole[: 512 + 300])
    assert problem(path) == BROKEN.format(path, 1, "unexpected end of data")
    path.write_bytes(whole[: 512 + 1024])
    assert problem(path) == BROKEN.format(path, 1, "empty header")
    path.write_bytes(whole[: 512 + 1024 + 100])
    assert problem(path) == BROKEN.format(path, 1, "truncated header")
    path.write_bytes(whole[: 512 + 1024] + b"#" * 512 + whole[2048:])
    assert problem(path) == BROKEN.format(path, 1, "invalid header")
    path.write_bytes(b"")
    assert problem(path) == BROKEN.format(path, 0, "empty header")
    path.write_bytes(b"this is no archive" * 100)
    assert problem(path) == BROKEN.format(path, 0, "invalid header")


def test_an_archive_without_pages(tmp_path):
    for members in ({}, {"a.txt": b"x"}):
        path = pack(tmp_path / "a.tar", members)
        assert problem(path) == f"{path}: the archive holds no HTML file. Fix: check collection.path."


def test_no_archive(tmp_path):
    path = tmp_path / "a.tar"
    assert problem(path) == f"{path}: there is no such file or folder. Fix: check the path."
    with pytest.raises(InputError) as caught:
        HtmlArchive(path).fingerprint()
    assert str(caught.value) == f"{path}: there is no such file or folder. Fix: check the path."
    path.mkdir()
    assert problem(path) == f"{path}: it cannot be used (Is a directory). Fix: check the path and the disk."


def test_the_fingerprint_is_of_the_file(tmp_path):
    path = pack(tmp_path / "a.tar", {"a.html": b"x"})
    first = HtmlArchive(path).fingerprint()
    assert HtmlArchive(path, IdRule(ids="stem"), 5).fingerprint() == first
    path.write_bytes(path.read_bytes() + b"\0")
    assert HtmlArchive(path).fingerprint() != first


def test_real_archives(shared_data):
    cacm = list(open_collection(shared_data / "retrieval" / "cacm" / "cacm.tar.gz", IdRule(ids="stem")).sources())
    assert (len(cacm), cacm[0].id[:5]) == (3204, "CACM-")
    manual = shared_data / "retrieval" / "postgresql-manual" / "pages.tar.gz"
    assert len({source.id for source in open_collection(manual, IdRule(prefix="pages")).sources()}) == 1165
