"""A folder of HTML files: which files count, in what order, and what happens to those that cannot be read."""

import os
from pathlib import Path

import pytest

from thresher.collections import IdRule, Page, open_collection
from thresher.collections.html_folder import HtmlFolder
from thresher.errors import InputError


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{name}", encoding="utf-8")


def ids(folder: Path, **rule) -> list[str]:
    return [source.id for source in HtmlFolder(folder, IdRule(**rule)).sources()]


def test_files_below_a_folder_by_code_point_of_their_paths(tmp_path):
    names = ["a/z.html", "a.html", "a-b.htm", "é.html", "Z.HTML", "a/b/c.xhtml", "a b.shtml", "中.html", "~.html"]
    put(tmp_path, *names, "a/readme.txt", "a.html.bak", "html", "b.pdf")
    assert [source.where for source in HtmlFolder(tmp_path).sources()] == [
        str(tmp_path / name) for name in sorted(names)
    ]
    assert ids(tmp_path, keep_suffix=True) == sorted(names)
    assert ids(tmp_path, ids="stem") == ["Z", "a b", "a-b", "a", "c", "z", "~", "é", "中"]


def test_a_source_is_read_later(tmp_path):
    put(tmp_path, "x/a.html")
    (source,) = HtmlFolder(tmp_path).sources()
    path = tmp_path / "x" / "a.html"
    assert (source.id, source.where, source.size, source.path, source.content) == ("x/a", str(path), 11, path, None)
    path.write_bytes(b"<p>later")
    assert source.page() == Page("x/a", b"<p>later")
    path.unlink()
    with pytest.raises(FileNotFoundError):
        source.page()


def test_one_file(tmp_path):
    put(tmp_path, "x/a.html")
    (source,) = open_collection(tmp_path / "x" / "a.html").sources()
    assert (source.id, source.size) == ("a", 11)


def test_symbolic_links(tmp_path):
    put(tmp_path, "pages/a.html", "elsewhere/b.html")
    (tmp_path / "pages" / "link.html").symlink_to(tmp_path / "elsewhere" / "b.html")
    (tmp_path / "pages" / "broken.html").symlink_to(tmp_path / "nothing.html")
    (tmp_path / "pages" / "folder.html").symlink_to(tmp_path / "elsewhere")
    # A link to a folder could make a circle.
    (tmp_path / "pages" / "circle").symlink_to(tmp_path / "pages")
    assert ids(tmp_path / "pages") == ["a", "link"]


def test_a_folder_named_like_a_page_is_a_folder(tmp_path):
    put(tmp_path, "a.html/b.html")
    assert ids(tmp_path, keep_suffix=True) == ["a.html/b.html"]


def test_file_names_that_are_not_utf8_are_kept_apart(tmp_path):
    for name in (b"a\xff.html", b"a\xfe.html"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"x")
    assert ids(tmp_path) == ["a\udcfe", "a\udcff"]
    assert ids(tmp_path, escape=True) == ["a%ED%B3%BE", "a%ED%B3%BF"]
    assert len(HtmlFolder(tmp_path).fingerprint()) == 16


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda path: path.mkdir(),
            "the folder holds no HTML file (.html, .htm, .xhtml, .shtml). Fix: check collection.path.",
        ),
        (
            lambda path: put(path, "a.txt"),
            "the folder holds no HTML file (.html, .htm, .xhtml, .shtml). Fix: check collection.path.",
        ),
        (lambda path: None, "there is no such file or folder. Fix: check the path."),
        (lambda path: path.write_text("x"), "it cannot be used (Not a directory). Fix: check the path and the disk."),
    ],
)
def test_nothing_to_read(tmp_path, make, message):
    path = tmp_path / "pages"
    make(path)
    folder = HtmlFolder(path)
    if path.is_file():
        # A file without a known ending is a page if one asks for it by name.
        assert [source.id for source in folder.sources()] == ["pages"]
        return
    for call in (lambda: list(folder.sources()), folder.fingerprint):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == f"{path}: {message}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(tmp_path):
    put(tmp_path, "a/b.html")
    (tmp_path / "a").chmod(0)
    try:
        with pytest.raises(InputError) as caught:
            list(HtmlFolder(tmp_path).sources())
    finally:
        (tmp_path / "a").chmod(0o700)
    assert str(caught.value) == (
        f"{tmp_path / 'a'}: it may not be read or written. Fix: change its permissions or choose another path."
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_listed(tmp_path):
    put(tmp_path, "a.html", "b.html")
    (tmp_path / "a.html").chmod(0)
    first, second = HtmlFolder(tmp_path).sources()
    assert (first.id, second.page().content) == ("a", b"<p>b.html")
    with pytest.raises(PermissionError):
        first.page()


def test_the_fingerprint_changes_with_every_change_of_a_file(tmp_path):
    put(tmp_path, "a.html", "b.html", "note.txt")
    folder = HtmlFolder(tmp_path)
    first = folder.fingerprint()
    assert folder.fingerprint() == first
    (tmp_path / "note.txt").write_text("more")
    assert folder.fingerprint() == first
    seen = {first}
    os.utime(tmp_path / "a.html", ns=(1, 1))
    seen.add(folder.fingerprint())
    (tmp_path / "b.html").rename(tmp_path / "c.html")
    seen.add(folder.fingerprint())
    (tmp_path / "c.html").unlink()
    seen.add(folder.fingerprint())
    (tmp_path / "a.html").write_text("<p>longer than before")
    os.utime(tmp_path / "a.html", ns=(1, 1))
    seen.add(folder.fingerprint())
    assert len(seen) == 5


def test_open_collection_by_kind(tmp_path):
    put(tmp_path, "x/a.html")
    for name in ("a.tar", "a.tar.gz", "a.TGZ", "a.tar.bz2", "a.tar.xz", "a.jsonl", "a.jsonl.gz", "a.htm", "a.pdf"):
        (tmp_path / name).write_bytes(b"")
    kinds = {
        path.name: type(open_collection(path)).__name__ for path in sorted(tmp_path.iterdir()) if path.suffix != ".pdf"
    }
    assert kinds == {
        "a.TGZ": "HtmlArchive",
        "a.htm": "HtmlFolder",
        "a.jsonl": "JsonLines",
        "a.jsonl.gz": "JsonLines",
        "a.tar": "HtmlArchive",
        "a.tar.bz2": "HtmlArchive",
        "a.tar.gz": "HtmlArchive",
        "a.tar.xz": "HtmlArchive",
        "x": "HtmlFolder",
    }
    with pytest.raises(InputError) as caught:
        open_collection(tmp_path / "none.html")
    assert str(caught.value) == f"{tmp_path / 'none.html'}: there is no such file or folder. Fix: check the path."
    with pytest.raises(InputError) as caught:
        open_collection(tmp_path / "a.pdf")
    assert str(caught.value) == (
        f"{tmp_path / 'a.pdf'}: this is no kind of collection that is known. Fix: give a folder or a file ending in "
        ".html, .htm, .xhtml, .shtml, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .jsonl, .jsonl.gz."
    )


def test_real_folder(shared_data):
    folder = shared_data / "cleaning" / "dragnet-300" / "input"
    sources = list(open_collection(folder).sources())
    assert [source.id for source in sources] == sorted(path.stem for path in folder.iterdir())
    assert sum(source.size for source in sources) == sum(path.stat().st_size for path in folder.iterdir())
    assert len(sources) == 300
