"""Training pages from files: which belong together, and their segments."""

import codecs
from itertools import pairwise

import pytest
from messages import assert_names

from thresher.base.errors import InputError
from thresher.cleaners.characters.training import (
    Pairs,
    find_pairs,
    page_files,
    read_page_file,
    read_pairs,
    segment_texts,
)
from thresher.pages.marked_text import MarkedSegment


@pytest.fixture
def folders(tmp_path):
    clean, raw = tmp_path / "clean", tmp_path / "raw"
    for folder, names in ((clean, ["a.txt", "sub/b.txt"]), (raw, ["a.html", "c.htm", "sub/b.txt", ".hidden.html"])):
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"<p>{name} of {folder.name}\n\nMore.\n")
    return clean, raw


def test_pairs_of_folders(folders):
    clean, raw = folders
    pairs = find_pairs(clean, raw)
    assert pairs == Pairs(((clean / "a.txt", raw / "a.html"), (clean / "sub/b.txt", raw / "sub/b.txt")), 1)
    assert [*read_pairs(pairs)] == [
        (["a.txt of clean", "More."], ["a.html of raw More."]),
        (["sub/b.txt of clean", "More."], ["sub/b.txt of raw", "More."]),
    ]
    assert find_pairs(clean / "a.txt", raw / "c.htm") == Pairs(((clean / "a.txt", raw / "c.htm"),))


def test_some_of_the_pairs(tmp_path):
    clean = tmp_path / "clean"
    clean.mkdir()
    for number in range(30):
        (clean / f"{number:02}.txt").write_text("x")
    drawn = [find_pairs(clean, clean, most).files for most in (0, 5, 10, 29, 30, 99)]
    assert [*map(len, drawn)] == [0, 5, 10, 29, 30, 30]
    for fewer, more in pairwise(drawn):
        assert set(fewer) <= set(more)
        assert list(more) == sorted(more)
    assert find_pairs(clean, clean, 10).files == drawn[2] != drawn[4][:10]


def test_what_does_not_pair(folders, tmp_path):
    clean, raw = folders
    absent = f"{tmp_path / 'none'}: "
    for one, other, facts in (
        (clean, raw / "a.html", (f"{clean}, {raw / 'a.html'}: ", "a folder", "other is not", "Fix: ")),
        (raw, clean, (f"{raw / 'c.htm'}: ", "page 'c'", f"no raw page in {clean}", "Fix: ", "add one")),
        (tmp_path / "none", raw, (absent, "no such file or folder", "Fix: ")),
        (clean, tmp_path / "none", (absent, "no such file or folder", "Fix: ")),
        (tmp_path / "none", tmp_path / "nor", (absent, "no such file or folder", "Fix: ")),
    ):
        with pytest.raises(InputError) as caught:
            find_pairs(one, other)
        assert_names(caught.value, *facts)
    (raw / "a.txt").write_text("again")
    with pytest.raises(InputError) as caught:
        page_files(raw)
    assert_names(caught.value, f"{raw / 'a.txt'}: ", "a.html", "Fix: ", "one of them")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as caught:
        page_files(tmp_path / "empty")
    assert_names(caught.value, f"{tmp_path / 'empty'}: ", "holds no files", "Fix: ", "folder of pages")
    with pytest.raises(InputError) as caught:
        segment_texts(tmp_path / "none")
    assert_names(caught.value, f"{tmp_path / 'none'}: ", "file or folder", "Fix: ", "check the path")


def test_kinds_of_files(tmp_path):
    markup = "<title>T</title><h1>Head</h1><ul><li>café</ul><p>Text"
    text = "# Head\n\n* café\n\nText"
    for name, content in (
        ("a.html", markup.encode()),
        ("b.HTM", markup.encode("cp1252")),
        ("c.xhtml", codecs.BOM_UTF8 + markup.encode()),
    ):
        (tmp_path / name).write_bytes(content)
        assert read_page_file(tmp_path / name) == [
            MarkedSegment("h", "T"),
            MarkedSegment("h", "Head"),
            MarkedSegment("l", "café"),
            MarkedSegment("p", "Text"),
        ]
    for name, content in (("a.txt", text.encode()), ("b", text.encode("cp1252")), ("c.TXT", text.encode("utf-8-sig"))):
        (tmp_path / name).write_bytes(content)
        assert read_page_file(tmp_path / name) == [
            MarkedSegment("h", "Head"),
            MarkedSegment("l", "café"),
            MarkedSegment("p", "Text"),
        ]
    (tmp_path / "empty.html").write_bytes(b"")
    assert segment_texts(tmp_path / "empty.html") == []
