"""`thresher study` on small gold standards."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from commands import thresher

from thresher.cleaneval.gold import read_whole_gold
from thresher.errors import InputError
from thresher.studying import page_folds
from thresher.studying.block_study import study_blocks
from thresher.studying.stored_features import FEATURES

MENU = "".join(f'<div><a href="/{item}">{item}</a></div>' for item in ("Home", "News", "Contact"))
PROSE = "On day {0} the rain came down on the harbour, and it did not stop before late in the evening of Monday."
PAGES = 12


def write_set(folder: Path, pages: int = PAGES, gold: str = "<h>Rain {0}\n<p>" + PROSE + "\n") -> Path:
    """Write pages of six blocks: three links, a headline, prose, a notice."""
    for name in ("input", "GoldStandard"):
        (folder / name).mkdir(parents=True)
    for number in range(pages):
        page = f"<title>Title</title>{MENU}<h2>Rain {number}</h2><p>{PROSE.format(number)}</p>Page {number} | 2008"
        (folder / "input" / f"{number:02}.html").write_text(page)
        (folder / "GoldStandard" / f"{number:02}.txt").write_text(gold.format(number))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    write_set(folder / "rain")
    (folder / "rain" / "input" / "empty.html").write_text("<title>Only a title</title>")
    (folder / "rain" / "GoldStandard" / "empty.txt").write_text("Text")
    (folder / "rain" / "input" / "more.html").write_text("<p>No gold")
    done = thresher("study", folder / "rain", "-o", folder / "out", "--folds", "4")
    assert (done.code, done.errors) == (0, [])
    assert "pages without gold (1): more" in done.err
    assert "pages without blocks (1): empty" in done.err
    assert "13 pages: 12 with blocks, 1 without, 0 that cannot be parsed." in done.out
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_one_row_a_block_with_its_neighbours(made: Path) -> None:
    table = pq.read_table(made / "out" / "blocks.parquet")
    assert table.column_names == ["page", "page_type", "text", "class", "content", "tokens", *FEATURES]
    assert len(table) == 6 * PAGES
    first = table.slice(0, 6).to_pylist()
    assert [row["text"] for row in first[:4]] == ["Home", "News", "Contact", "Rain 0"]
    assert [row["class"] for row in first] == [*["boilerplate"] * 3, "headline", "full text", "boilerplate"]
    assert [row["content"] for row in first] == [False, False, False, True, True, False]
    assert [row["words"] for row in first] == [1, 1, 1, 2, 22, 3]
    assert [row["tokens"] for row in first] == [1, 1, 1, 2, 22, 4]
    assert [row["index"] for row in first] == [0, 1, 2, 3, 4, 5]
    assert [row["previous_words"] for row in first] == [0, 1, 1, 1, 2, 22]
    assert [row["next_words"] for row in first] == [1, 1, 2, 22, 3, 0]
    assert [row["words_quotient"] for row in first] == pytest.approx([1, 1, 1, 2, 11, 3 / 22])
    assert [row["frequency"] for row in first] == [12, 12, 12, 1, 1, 1]
    assert [row["previous_frequency"] for row in first] == [0, 12, 12, 12, 1, 1]
    assert [row["h2"] for row in first] == [0, 0, 0, 1, 0, 0]
    assert [row["next_h2"] for row in first] == [0, 0, 1, 0, 0, 0]
    assert [row["div"] for row in first] == [1, 1, 1, 0, 0, 0]
    assert [row["p"] for row in first] == [0, 0, 0, 0, 1, 0]
    assert [row["a"] for row in first] == [1, 1, 1, 0, 0, 0]
    assert [row["capitals"] for row in first] == [1, 1, 1, 1, 2, 1]
    assert [row["dates"] for row in first] == [0, 0, 0, 0, 1, 1]
    assert [row["bars"] for row in first] == [0, 0, 0, 0, 0, 1]
    # Neighbours end with the page.
    assert table.slice(6, 1).to_pylist()[0]["previous_words"] == 0


def test_counts_add_up(made: Path) -> None:
    classes = {row["class"]: row for row in rows(made / "out" / "classes.csv")}
    assert {name: int(row["blocks"]) for name, row in classes.items()} == {
        "boilerplate": 48,
        "any content": 24,
        "full text": 12,
        "headline": 12,
    }
    assert int(classes["boilerplate"]["words"]) == 12 * 6
    assert float(classes["any content"]["words_share"]) == pytest.approx(24 / 30)
    bins = rows(made / "out" / "histogram.csv")
    for feature in ("words", "density"):
        assert sum(int(row["blocks"]) for row in bins if row["feature"] == feature) == 72
        assert sum(int(row["words"]) for row in bins if row["feature"] == feature) == 12 * 30
        assert sum(int(row["linked_words"]) for row in bins if row["feature"] == feature) == 12 * 3


def test_classifiers_and_figures(made: Path) -> None:
    found = {(row["problem"], row["classifier"]): row for row in rows(made / "out" / "classifiers.csv")}
    assert {problem for problem, _ in found} == {"two", "four"}
    # Of 30 words 24 are content, and all are called that.
    zero = found["two", "ZeroR"]
    share = 24 / 30
    assert float(zero["words_recall"]) == pytest.approx(share)
    assert float(zero["words_f1"]) == pytest.approx(share * 2 * share / (1 + share))
    assert float(zero["published_f1"]) == 0.497
    # Headlines have two words: a rule of fifteen loses those, by blocks a third of the content.
    words = found["two", "words @15"]
    assert float(words["words_recall"]) == pytest.approx(28 / 30)
    assert float(words["blocks_recall"]) == pytest.approx(60 / 72)
    assert float(found["two", "link density @0.33"]["blocks_recall"]) == pytest.approx(60 / 72)
    assert float(found["four", "linear SVM: all local + frequency"]["words_f1"]) == 1
    assert {row["page_type"] for row in rows(made / "out" / "page_types.csv")} == {"all"}
    for name in ("information-gain-two", "information-gain-four", "words", "density", "random-writers"):
        assert (made / "out" / f"{name}.svg").read_text().startswith("<?xml")
    gains = [row for row in rows(made / "out" / "gains.csv") if row["problem"] == "two"]
    assert sorted(row["feature"] for row in gains) == sorted(FEATURES)
    # By words, content is 24 of 30: no feature says more than that.
    bound = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    assert all(float(row["by_words"]) <= bound + 1e-9 for row in gains)
    assert float(gains[0]["by_words"]) == pytest.approx(bound)


def test_what_is_there_is_not_computed_again(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standard = read_whole_gold(made / "rain")
    learned: list[str] = []

    def learn(classifier: object, *_: object) -> None:
        learned.append(getattr(classifier, "name"))  # noqa: B009
        raise InterruptedError

    monkeypatch.setattr(page_folds, "learn", learn)
    again = study_blocks("rain", standard, made / "out", 4)
    assert learned == []
    assert next(row.name for row in again.classifiers if row.problem == "two") == "ZeroR"
    (made / "out" / "folds" / "two-ZeroR.npz").write_bytes(b"damaged")
    with pytest.raises(InterruptedError):
        study_blocks("rain", standard, made / "out", 4)
    assert set(learned) == {"ZeroR"}


def test_types_of_pages(tmp_path: Path) -> None:
    for number in range(PAGES):
        (tmp_path / "html").mkdir(exist_ok=True)
        (tmp_path / "ground-truth").mkdir(exist_ok=True)
        (tmp_path / "html" / f"{number}.html").write_text(f"{MENU}<p>{PROSE.format(number)}")
        kind = "forum" if number % 4 else "article"
        gold = {"_internal": {"page_type": {"primary": kind}}, "ground_truth": {"main_content": PROSE.format(number)}}
        (tmp_path / "ground-truth" / f"{number}.json").write_text(json.dumps(gold))
    found = study_blocks("types", read_whole_gold(tmp_path), tmp_path / "out", 3)
    assert [(row.page_type, row.pages, row.blocks) for row in found.types] == [
        ("all", 12, 48),
        ("forum", 9, 36),
        ("article", 3, 12),
    ]
    assert {row.problem for row in found.classifiers} == {"two"}
    assert found.types[1].content_blocks == 0.25


@pytest.mark.parametrize(
    ("gold", "pages", "facts"),
    [
        ("Nothing of this", PAGES, "no block is content"),
        ("Home News Contact\nRain {0}\n" + PROSE + " Page {0} | 2008", PAGES, "all blocks are content"),
        (PROSE, 9, "9 pages with blocks make no 10 folds"),
    ],
)
def test_gold_that_cannot_be_studied(tmp_path: Path, gold: str, pages: int, facts: str) -> None:
    write_set(tmp_path / "rain", pages, gold)
    done = thresher("study", tmp_path / "rain", "-o", tmp_path / "out")
    assert done.code == 3
    (error,) = done.errors
    assert facts in error
    assert "Fix: " in error


def test_a_class_on_the_pages_of_one_fold_alone(tmp_path: Path) -> None:
    write_set(tmp_path / "rain", gold=PROSE)
    (tmp_path / "rain" / "GoldStandard" / "03.txt").write_text("<h>Rain 3\n<p>" + PROSE.format(3))
    with pytest.raises(InputError, match="all blocks of the class 'headline' are on the pages of fold"):
        study_blocks("rain", read_whole_gold(tmp_path / "rain"), tmp_path / "out", 4)


def test_without_text_without_whole_gold_without_the_extra(tmp_path: Path) -> None:
    write_set(tmp_path / "rain")
    done = thresher("study", tmp_path / "rain", "-o", tmp_path / "out", without=("sklearn",))
    assert done.code == 4
    assert re.search(r"pip install 'thresher\[classification\]'", done.errors[0])
    for page in (tmp_path / "rain" / "input").iterdir():
        page.write_text("<title>x</title>")
    done = thresher("study", tmp_path / "rain", "-o", tmp_path / "out")
    assert (done.code, "no page has a block" in done.err) == (3, True)
    (tmp_path / "evaldata.json").write_text(
        json.dumps({"http://x.org": {"file": "1.html", "with": ["a"], "without": []}})
    )
    (tmp_path / "eval").mkdir()
    (tmp_path / "eval" / "1.html").write_text("<p>a")
    done = thresher("study", tmp_path, "-o", tmp_path / "out2")
    assert (done.code, "snippets" in done.errors[0]) == (3, True)
