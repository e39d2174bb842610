"""`thresher classify` on small sets of pages by class and group."""

from __future__ import annotations

import csv
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import thresher

from thresher.classifying.labelled_pages import LabelledCollection, labelled_pages, without_header
from thresher.classifying.page_classification import classify_pages
from thresher.classifying.text_classifiers import LinearClassifier
from thresher.errors import InputError
from thresher.scorers.cleaners import parse_cleaner

HEADER = "Server: NCSA/1.4\nDate: Mon, 02 Dec 1996 15:04:25 GMT\nContent-type: text/html\n\n"
GROUPS = ("cornell", "texas", "misc")
# Of each class words that it shares between groups, and a menu that says nothing.
WORDS = {"course": "lecture homework exam", "faculty": "professor research publications"}
MENU = "<ul><li>exam</ul>"


def write_pages(folder: Path, each: int = 4, words: dict[str, str] = WORDS) -> Path:
    for label, text in words.items():
        for group in GROUPS:
            (folder / label / group).mkdir(parents=True)
            for number in range(each):
                page = f"{HEADER}{MENU}<p>Here is the {text} of page {number} in {group}, as it was given by the department"
                (folder / label / group / f"http^^{number}.edu^~home").write_text(page)
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_files_of_a_classification(tmp_path: Path) -> None:
    folder = write_pages(tmp_path / "web")
    # A third class whose pages have nothing but short blocks.
    for group in GROUPS:
        (folder / "staff" / group).mkdir(parents=True)
        for number in range(3):
            (folder / "staff" / group / f"{number}.html").write_text(f"{HEADER}<p>staff<p>office {number}")
    done = thresher("classify", folder, "-c", "words@5", "-c", "words@6", "-o", tmp_path / "out")
    assert (done.code, done.errors) == (0, [])
    assert "33 documents: 33 pages classified, 0 failed." in done.out
    cleaners = {row["cleaner"]: row for row in rows(tmp_path / "out" / "cleaners.csv")}
    assert [*cleaners] == ["none", "words@5", "words@6"]
    assert float(cleaners["none"]["macro_f1"]) == 1
    assert (cleaners["none"]["emptied"], cleaners["none"]["p"]) == ("0", "")
    assert (cleaners["words@5"]["emptied"], float(cleaners["words@5"]["macro_f1"])) == ("9", 1)
    assert (cleaners["words@5"]["gained"], cleaners["words@5"]["lost"], float(cleaners["words@5"]["p"])) == (
        "0",
        "0",
        1,
    )
    pages = rows(tmp_path / "out" / "pages.csv")
    assert Counter(row["cleaner"] for row in pages) == {"none": 33, "words@5": 33, "words@6": 33}
    assert {(row["class"], row["group"]) for row in pages} == {
        (label, group) for label in (*WORDS, "staff") for group in GROUPS
    }
    assert all(row["class"] == row["predicted"] for row in pages if row["cleaner"] == "none")
    classes = {(row["cleaner"], row["class"]): row for row in rows(tmp_path / "out" / "classes.csv")}
    assert classes["none", "staff"]["pages"] == "9"
    assert classes["none", "macro"]["f1"] == cleaners["none"]["macro_f1"]
    groups = [row for row in rows(tmp_path / "out" / "groups.csv") if row["cleaner"] == "none"]
    assert [(row["group"], row["pages"], float(row["accuracy"])) for row in groups] == [
        ("cornell", "11", 1),
        ("misc", "11", 1),
        ("texas", "11", 1),
    ]
    assert (tmp_path / "out" / "f1.svg").read_text().startswith("<?xml")
    # The header is not text, neither of the page nor of what is classified.
    assert "NCSA" not in (tmp_path / "out" / "table.md").read_text()


class Recorded:
    """Learns nothing; keeps what it was given."""

    name, fingerprint = "recorded", ""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], list[str]]] = []

    def predict(self, texts, labels, others):
        self.calls.append((list(texts), list(others)))
        return np.zeros(len(others), dtype=np.int64)


def test_a_classifier_never_sees_a_page_of_the_left_out_group(tmp_path: Path) -> None:
    write_pages(tmp_path / "web")
    recorded = Recorded()
    classify_pages(tmp_path / "web", [parse_cleaner("words@5")], recorded, tmp_path / "out")
    assert len(recorded.calls) == 2 * len(GROUPS)
    for train, test in recorded.calls:
        (group,) = {group for text in test for group in GROUPS if f"in {group}," in text}
        assert (len(train), len(test)) == (16, 8)
        assert not [text for text in train if f"in {group}," in text]
    # What the header says has come to no classifier; what the cleaner drops has not either.
    assert not [text for train, _ in recorded.calls for text in train if "NCSA" in text or "GMT" in text]
    assert [all("exam\n" in f"{text}\n" for text in train if "lecture" not in text) for train, _ in recorded.calls] == [
        *[True] * 3,
        *[False] * 3,
    ]
    again = Recorded()
    classify_pages(tmp_path / "web", [parse_cleaner("words@5")], again, tmp_path / "out")
    assert again.calls == [], "predictions are kept"


def test_words_of_one_group_alone_do_not_help(tmp_path: Path) -> None:
    for label in ("a", "b"):
        for group in GROUPS:
            (tmp_path / "web" / label / group).mkdir(parents=True)
            for number in range(3):
                (tmp_path / "web" / label / group / f"{number}.html").write_text(f"<p>{label}{group}word text")
    found = classify_pages(tmp_path / "web", [], LinearClassifier(), tmp_path / "out")
    # Learned from the group itself, all would be right; from others, all pages of a group look alike.
    assert found.cleaners[0].accuracy == 0.5


def test_an_archive_is_read_as_the_folder(tmp_path: Path) -> None:
    folder = write_pages(tmp_path / "web")
    with tarfile.open(tmp_path / "web.tar.xz", "w:xz") as archive:
        archive.add(folder, "web")
    pages = labelled_pages(LabelledCollection(tmp_path / "web.tar.xz"))
    assert Counter((page.label, page.group) for page in pages) == Counter(
        (page.label, page.group) for page in labelled_pages(LabelledCollection(folder))
    )
    done = thresher("classify", tmp_path / "web.tar.xz", "-c", "words@5", "-o", tmp_path / "out")
    assert (done.code, "24 documents: 24 pages classified, 0 failed." in done.out) == (0, True)


def test_headers() -> None:
    page = b"<p>Rain"
    assert without_header(HEADER.encode() + page) == (page, None)
    assert without_header(b"HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n" + page) == (
        page,
        "koi8-r",
    )
    # Headers of WebKB that were overwritten in places.
    assert without_header(b"MIME-Version: 1.0\nDate: Mcp: No match.\n96 00:28\nServer: CERN\n\n" + page) == (page, None)
    assert without_header(b"Server: CERN\n" + page) == (page, None)
    for text in (b"Note: no header\n\n<p>x", page, b"", b"\n\nDate: x\n\n"):
        assert without_header(text) == (text, None)


@pytest.mark.parametrize(
    ("paths", "facts"),
    [
        (["a/x/1", "b/x/1"], ["one group alone, 'x'"]),
        (["a/x/1", "a/y/1"], ["one class alone, 'a'"]),
        (["a/x/1", "a/y/1", "b/y/1", "c/x/1", "c/x/2"], ["'b' in 'y'", "'c' in 'x'"]),
        (["a/x/1", "a/y/1", "b/x/1", "b/y/1", "b/README"], ["1 of 5 pages", "'b/README'"]),
        (["1", "2"], ["2 of 2 pages"]),
        ([".hidden"], ["no pages"]),
    ],
)
def test_pages_that_cannot_be_learned_from(tmp_path: Path, paths: list[str], facts: list[str]) -> None:
    for path in paths:
        (tmp_path / "web" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "web" / path).write_text("<p>text")
    done = thresher("classify", tmp_path / "web", "-c", "words@5", "-o", tmp_path / "out")
    (error,) = done.errors
    assert done.code == 3
    assert all(fact in error for fact in facts), error


def test_a_cleaner_that_leaves_nothing_to_learn_from(tmp_path: Path) -> None:
    write_pages(tmp_path / "web")
    with pytest.raises(InputError, match="there is no text by words@1000"):
        classify_pages(tmp_path / "web", [parse_cleaner("words@1000")], LinearClassifier(), tmp_path / "out")


def test_damaged_archives_and_the_missing_extra(tmp_path: Path) -> None:
    folder = write_pages(tmp_path / "web")
    with tarfile.open(tmp_path / "web.tar", "w") as archive:
        archive.add(folder, "web")
    with tarfile.open(tmp_path / "web.tar") as archive:
        last = archive.getmembers()[-1].offset
    (tmp_path / "web.tar").write_bytes((tmp_path / "web.tar").read_bytes()[: last + 600])
    done = thresher("classify", tmp_path / "web.tar", "-c", "words@5", "-o", tmp_path / "out")
    assert done.code == 0
    assert "1 failed" in done.out
    assert "failed: web.tar" in done.err
    (tmp_path / "none.tar").write_bytes(b"no archive")
    done = thresher("classify", tmp_path / "none.tar", "-c", "words@5", "-o", tmp_path / "out")
    assert (done.code, "there are no pages" in done.errors[0]) == (3, True)
    done = thresher("classify", folder, "-o", tmp_path / "out", without=("sklearn",))
    assert (done.code, "thresher[classification]" in done.errors[0]) == (4, True)
