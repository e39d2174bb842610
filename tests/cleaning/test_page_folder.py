"""A folder with a file for each page: names that stay in it and keep pages apart, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.base.errors import ConfigError, InputError, ThresherError
from thresher.scores.cleaning import Output, clean_collection
from thresher.scores.cleaning.page_folder import page_file, page_folder

PAGES = {
    "guide/first page": "<h1>First</h1><p>The hive is full of bees.</p>",
    "index": "<p>The queen</p><p>lives here.</p>",
    "../out": "<p>Out of the hive.</p>",
    "empty": "<p></p>",
}
TEXTS = {
    "guide/first page.txt": "First\nThe hive is full of bees.\n",
    "index.txt": "The queen\nlives here.\n",
    "%2E%2E/out.txt": "Out of the hive.\n",
    "empty.txt": "",
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"id": name, "html": html}) + "\n" for name, html in PAGES.items()))
    return path


def files(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def test_a_file_a_page(tmp_path: Path, pages: Path) -> None:
    assert clean_collection(pages, "none", f"{tmp_path}/new/").documents == len(PAGES)
    assert files(tmp_path / "new") == TEXTS
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("stays")
    for _ in range(2):
        clean_collection(pages, "none", tmp_path / "there", how=Output("md", min_words=1))
        written = files(tmp_path / "there")
        assert written.keys() == {"mine", "guide/first page.md", "index.md", "%2E%2E/out.md"}
        assert written["guide/first page.md"] == (
            '---\nid: "guide/first page"\n---\n\n# First\n\nThe hive is full of bees.\n\n'
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "pages.jsonl", "there"]


@pytest.mark.parametrize("ids", [("a", "a.txt/b"), ("a.txt/b", "a"), ("a", "a.txt/b/c", "a%2Etxt/b")])
def test_a_folder_has_the_name_of_no_file(tmp_path: Path, ids: tuple[str, ...]) -> None:
    with page_folder(tmp_path / "folder", "txt") as add:
        for document_id in ids:
            add(document_id, document_id.encode())
    assert sorted(files(tmp_path / "folder").values()) == sorted(ids)


def test_texts_in_one_file_have_an_empty_line_between_them(tmp_path: Path, pages: Path) -> None:
    clean_collection(pages, "none", tmp_path / "o.txt")
    assert (tmp_path / "o.txt").read_text() == "\n".join(text for text in TEXTS.values() if text)


@pytest.mark.parametrize(
    ("output", "how", "error", "fact"),
    [
        ("out/", Output("jsonl"), ConfigError, "txt, markdown, html"),
        ("new/out/", Output(), InputError, "no such folder"),
        ("pages/1.html/", Output(), InputError, "it is a file"),
        ("pages/", Output(), ConfigError, "the collection"),
        ("pages/out/", Output(), ConfigError, "the collection"),
        ("", Output(), ConfigError, "the collection"),
    ],
)
def test_folders_that_cannot_be(
    tmp_path: Path, output: str, how: Output, error: type[ThresherError], fact: str
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "1.html").write_text("<p>The hive is full of bees.</p>")
    with pytest.raises(error, match=fact):
        clean_collection(tmp_path / "pages", "none", f"{tmp_path}/{output}", how=how)
    assert files(tmp_path).keys() == {"pages/1.html"}


def test_after_an_error_no_file_is_there(tmp_path: Path) -> None:
    def write_twice() -> None:
        with page_folder(tmp_path / "out", "txt") as add:
            add("a", b"1")
            add("a", b"2")

    with pytest.raises(InputError, match=r"'a'.*share a file"):
        write_twice()
    assert list(tmp_path.iterdir()) == []


IDS = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
    | st.text("%2eEFf./\0", max_size=9)
    | st.lists(st.sampled_from(["a", "/", ".txt", "%2E"]), max_size=6).map("".join)
)


@given(st.sets(IDS))
def test_files_stay_in_the_folder_and_apart(ids: set[str]) -> None:
    names = {page_file(document_id, "txt") for document_id in ids}
    assert len(names) == len(ids)
    for name in names:
        path = PurePosixPath(name)
        assert not path.is_absolute()
        assert ".." not in path.parts
        assert "\0" not in name
        assert str(path) == name
        assert not names.intersection(map(str, path.parents))


@pytest.mark.parametrize("document_id", ["é" * 127 + "a", "x" * 9000, "a/" * 1500, "/".join(["x" * 150] * 30)])
def test_names_of_long_ids_are_short_and_apart(tmp_path: Path, document_id: str) -> None:
    names = [page_file(document_id, "txt"), page_file(document_id + "b", "txt")]
    assert names[0] != names[1]
    assert max(len(os.fsencode(name)) for name in names) < 255
    with page_folder(tmp_path / "out", "txt") as add:
        add(document_id, b"text")
    assert files(tmp_path / "out") == {names[0]: "text"}
