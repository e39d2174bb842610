"""Page classification on a small set; F1, intervals and groups against scikit-learn and resampling page by page."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from page_classification import classify, f1_by_class, f1_difference, read_pages, run, without_header
from text_classifiers import Ints, linear_classifier
from thresher.base.errors import InputError

HEADER = "Server: NCSA/1.4\nDate: Mon, 02 Dec 1996 15:04:25 GMT\nContent-type: text/html\n\n"
GROUPS = ("cornell", "texas", "misc")
# Short blocks say what a page is, long ones only sometimes.
SAID = {"course": "lecture homework exam", "faculty": "professor research papers", "staff": "office phone desk"}
NOISE = "here are some words on it that are about the same on all pages of the department"

GOLDEN_F1 = {
    "macro_f1": [0.8381, 0.6667, 0.6667],
    "course": [0.8, 0.6667, 0.6667],
    "faculty": [0.8571, 0.6667, 0.6667],
    "staff": [0.8571, 0.6667, 0.6667],
}
GOLDEN_TESTS = {
    "words": [828, 738, 378],
    "emptied": [0, 0, 18],
    "right": [0.8333, 0.6667, 0.6667],
    "difference": [0, -0.1714, -0.1714],
    "low": [0, -0.3643, -0.3643],
    "high": [0, 0.0085, 0.0085],
    "gained": [0, 3, 3],
    "lost": [0, 9, 9],
    "p": [0, 0.146, 0.146],
    "p_holm": [0, 0.292, 0.292],
}


def write_pages(folder: Path, pages: int = 4) -> Path:
    for group in GROUPS:
        for label, said in SAID.items():
            (folder / label / group).mkdir(parents=True)
            for number in range(pages):
                about = said if number % 3 else "exam office"
                page = f"{HEADER}<p>{said if number % 2 else ''} {number}<p>{about} {NOISE} {number}"
                (folder / label / group / f"http^^{number}.edu^~home").write_text(page)
    return folder


def test_a_small_set(tmp_path: Path) -> None:
    run(write_pages(tmp_path / "web"), ["words@5", "words@p60"], tmp_path / "out")
    table, f1 = (pd.read_csv(tmp_path / "out" / f"{name}.csv").set_index("cleaner") for name in ("tests", "f1"))
    assert f1.round(4).to_dict("list") == GOLDEN_F1
    assert table.fillna(0).round(4)[[*GOLDEN_TESTS]].to_dict("list") == GOLDEN_TESTS
    pages = pd.read_csv(tmp_path / "out" / "pages.csv")
    assert len(pages) == 36
    for cleaner in f1.index:
        expected = f1_score(pages["class"], pages[cleaner], average=None, labels=sorted(SAID))
        assert f1.loc[cleaner, sorted(SAID)].tolist() == pytest.approx(expected)
        assert (pages[cleaner] == pages["class"]).mean() == pytest.approx(table.right[cleaner])
    assert "NCSA" not in "".join(path.read_text() for path in (tmp_path / "out").iterdir())


def test_a_classifier_never_sees_a_page_of_the_left_out_group() -> None:
    pages = pd.DataFrame([(label, group) for group in GROUPS for label in SAID], columns=["class", "group"])
    texts = [f"{row.group} {at}" for at, row in enumerate(pages.itertuples())]
    calls = []

    def record(train, labels, others):
        calls.append((train, others))
        return np.zeros(len(others), dtype=np.int64)

    classify(pages, {"none": texts}, record, 1)
    assert sorted(text for _, others in calls for text in others) == sorted(texts)
    for train, others in calls:
        (group,) = {text.split()[0] for text in others}
        assert (len(train), [text for text in train if group in text]) == (6, [])


def test_a_group_may_always_be_trained_on() -> None:
    groups = ["a", "b", "misc"] * 2
    pages = pd.DataFrame({"class": ["one", "one", "one", "two", "two", "two"], "group": groups})
    seen: list[tuple[list[str], list[str]]] = []

    def record(texts: Sequence[str], labels: Ints, others: Sequence[str]) -> Ints:
        seen.append((list(texts), list(others)))
        return np.zeros(len(others), dtype=np.int64)

    found = classify(pages, {"none": [f"{group}{row}" for row, group in enumerate(groups)]}, record, 1, ["misc"])
    assert seen == [(["b1", "misc2", "b4", "misc5"], ["a0", "a3"]), (["a0", "misc2", "a3", "misc5"], ["b1", "b4"])]
    assert found.group.tolist() == ["a", "b"] * 2
    with pytest.raises(InputError, match="there is no group 'c'"):
        classify(pages, {"none": [*groups]}, record, 1, ["c"])


def test_an_archive_is_read_as_the_folder(tmp_path: Path) -> None:
    folder = write_pages(tmp_path / "web")
    (folder / "course" / "misc" / ".hidden").write_text("x")
    with tarfile.open(tmp_path / "web.tar.xz", "w:xz") as archive:
        for path in sorted(folder.rglob("http*")):
            archive.add(path, path.relative_to(tmp_path))
    read = [*read_pages(folder)]
    assert read == [*read_pages(tmp_path / "web.tar.xz")]
    assert read[0] == ("course", "cornell", f"<p> 0<p>exam office {NOISE} 0")


def test_headers() -> None:
    page = b"<p>Rain"
    assert without_header(HEADER.encode() + page) == (page, None)
    found = without_header(b"HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n" + page)
    assert found == (page, "koi8-r")
    # Headers of WebKB that were overwritten in places.
    assert without_header(b"MIME-Version: 1.0\nDate: Mcp: No match.\n96 00:28\nServer: CERN\n\n" + page) == (page, None)
    for text in (b"Note: no header\n\n<p>x", page, b"", b"\n\nDate: x\n\n"):
        assert without_header(text) == (text, None)


@pytest.mark.parametrize("names", [["a/x", "b/x"], ["a/x", "a/y"], ["a/x", "a/y", "b/y"]])
def test_classes_that_cannot_be_learned_without_a_group(names: list[str]) -> None:
    pages = pd.DataFrame([name.split("/") for name in names], columns=["class", "group"])
    with pytest.raises(InputError, match="no pages of a class"):
        classify(pages, {"none": ["text"] * len(names)}, linear_classifier, 1)


def test_pages_out_of_place(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("text")
    for path, what in ((tmp_path, "'page' is in no class"), (tmp_path / "page", "cannot be read")):
        with pytest.raises(InputError, match=what):
            next(read_pages(path))


def macro_f1(labels, guessed):
    """The mean over four classes of 2 TP / (2 TP + FP + FN)."""
    hits = [np.count_nonzero((labels == one) & (guessed == one)) for one in range(4)]
    either = [np.count_nonzero(labels == one) + np.count_nonzero(guessed == one) for one in range(4)]
    return np.mean(2 * np.array(hits) / either)


def test_intervals_are_those_of_drawing_pages() -> None:
    draw = np.random.default_rng(7)
    labels = draw.choice(4, 300, p=(0.6, 0.25, 0.1, 0.05))
    guessed, other = (np.where(draw.random(300) < share, labels, draw.integers(0, 4, 300)) for share in (0.5, 0.65))
    differences = []
    for _ in range(2000):
        pages = draw.integers(0, 300, 300)
        differences.append(macro_f1(labels[pages], other[pages]) - macro_f1(labels[pages], guessed[pages]))
    difference, low, high = f1_difference(labels, other, guessed, 4)
    expected = f1_score(labels, other, average="macro") - f1_score(labels, guessed, average="macro")
    assert difference == pytest.approx(expected)
    assert macro_f1(labels, guessed) == pytest.approx(f1_score(labels, guessed, average="macro"))
    assert (low, high) == pytest.approx(np.quantile(differences, (0.025, 0.975)), abs=0.01)
    # A class that neither occurs nor is predicted.
    assert f1_by_class(np.array([[2, 0], [0, 0]])).tolist() == [1, 0]
