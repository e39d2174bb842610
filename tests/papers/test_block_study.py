"""The block study on small gold standards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from messages import assert_names

from block_features import FEATURES, FOUR, TWO, page_blocks, read_blocks
from block_study import BY_TYPE, by_page_type, study
from thresher.base.errors import InputError
from thresher.evaluation.cleaneval.gold import GoldPage, read_gold

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "papers" / "block_study.py"
MENU = "".join(f'<div><a href="/{item}">{item}</a></div>' for item in ("Home", "News", "Contact"))
PROSE = "On day {0} the rain came down on the harbour, and it did not stop before late in the evening of Monday."
ADVERT = "Buy umbrellas, boots and raincoats of all sizes here today, for less than anywhere else in town. "
PAGES = 12
# By classifier: leaves, F1 by blocks, then F1, false-positive rate and ROC area by words.
GOLDEN = {
    "ZeroR": [1.0, 0.127, 0.4308, 0.5842, 0.4604],
    "1R: sentence length": [4.0, 1.0, 1.0, 0.0, 1.0],
    "tree: element frequency (P/C/N)": [5.0, 0.9082, 0.8624, 0.1852, 0.8944],
    "1R: word length": [4.0, 0.9759, 0.9919, 0.0058, 0.9981],
    "words @15": [2.0, 0.7859, 0.7748, 0.2712, 0.7559],
    "link density @0.33": [2.0, 0.7262, 0.5759, 0.4816, 0.5878],
    "text density @10.5": [2.0, 0.7652, 0.7148, 0.3424, 0.6949],
    "1R: all features": [4.0, 1.0, 1.0, 0.0, 1.0],
    "tree: link density (P/C/N)": [3.0, 0.7262, 0.5759, 0.4816, 0.5858],
    "tree: words (P/C/N)": [3.0, 1.0, 1.0, 0.0, 1.0],
    "tree: all local (C)": [3.0, 1.0, 1.0, 0.0, 1.0],
    "Algorithm 2": [0.0, 0.7499, 0.5967, 0.4645, 0.6024],
    "Algorithm 1": [0.0, 0.7499, 0.5967, 0.4645, 0.6024],
    "CleanEval rule": [0.0, 0.7447, 0.6736, 0.388, 0.6559],
    "pruned tree: words + link density": [2.5, 0.9759, 0.9114, 0.0635, 0.9236],
    "pruned tree: text + link density": [2.5, 0.9759, 0.9114, 0.0635, 0.9236],
    "tree: all local (C) + quotients": [3.5, 0.9641, 0.9858, 0.0143, 0.9926],
    "tree: text + link density (P/C/N)": [3.0, 1.0, 1.0, 0.0, 1.0],
    "tree: all local (P/C/N)": [2.0, 0.9882, 0.9939, 0.0085, 0.9927],
    "tree: all local + frequency": [2.0, 0.9882, 0.9939, 0.0085, 0.9927],
    "linear SVM: all local + frequency": [0.0, 1.0, 1.0, 0.0, 1.0],
}
GOLDEN_FOUR = {"ZeroR": 0.3735, "words @15": 0.7518}
GOLDEN_GAINS = [
    ["density", 0.9795, 0.8631, 4],
    ["index", 0.9795, 0.8631, 3],
    ["next_index", 0.9795, 0.8631, 3],
    ["next_p", 0.9795, 0.8631, 2],
    ["next_position", 0.9795, 0.8631, 3],
    ["position", 0.9795, 0.8631, 3],
]
GOLDEN_WRITERS = [[0.4541, 0.8081, 0.6956, 0.605, 0.04, 0.0398]]


def write_set(folder: Path, pages: int = PAGES, gold: str = "<h>Rain {0}\n<p>" + PROSE + "\n") -> Path:
    """Write pages of seven blocks: three links, a headline, prose, an advertisement that grows by page, a notice."""
    for name in ("input", "GoldStandard"):
        (folder / name).mkdir(parents=True)
    for number in range(pages):
        page = f"<title>Title</title>{MENU}<h2>Rain {number}</h2><p>{PROSE.format(number)}</p>"
        page += f"<p>{ADVERT[: 12 * number + 4]}</p>Page {number} | 2008"
        (folder / "input" / f"{number:02}.html").write_text(page)
        (folder / "GoldStandard" / f"{number:02}.txt").write_text(gold.format(number))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_set(tmp_path_factory.mktemp("study") / "rain")
    (folder / "input" / "empty.html").write_text("<title>Only a title</title>")
    (folder / "GoldStandard" / "empty.txt").write_text("Text")
    (folder / "input" / "more.html").write_text("<p>No gold")
    command = [sys.executable, SCRIPT, folder, "-o", folder / "out", "--folds", "4", "--workers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "pages without gold (1): more\npages without blocks (1): empty\n" in done.stdout
    assert "13 pages: 12 with blocks." in done.stdout
    return folder / "out"


def test_one_row_a_block_with_its_neighbours(made: Path) -> None:
    blocks = pd.read_parquet(made / "blocks.parquet")
    assert [*blocks.columns][-len(FEATURES) :] == [*FEATURES]
    assert len(blocks) == 7 * PAGES
    # On the third page the advertisement is "Buy umbrellas, boots and rai", and the prose has its number.
    page = blocks[blocks.page == "02"].to_dict("list")
    assert page["text"][:4] == ["Home", "News", "Contact", "Rain 2"]
    assert page["class"] == [*["boilerplate"] * 3, "headline", "full text", "boilerplate", "boilerplate"]
    expected = {
        "words": [1, 1, 1, 2, 22, 5, 3],
        "tokens": [1, 1, 1, 2, 22, 5, 4],
        "index": [0, 1, 2, 3, 4, 5, 6],
        "previous_words": [0, 1, 1, 1, 2, 22, 5],
        "next_words": [1, 1, 2, 22, 5, 3, 0],
        "frequency": [12, 12, 12, 1, 1, 1, 1],
        "previous_frequency": [0, 12, 12, 12, 1, 1, 1],
        "h2": [0, 0, 0, 1, 0, 0, 0],
        "next_h2": [0, 0, 1, 0, 0, 0, 0],
        "div": [1, 1, 1, 0, 0, 0, 0],
        "p": [0, 0, 0, 0, 1, 1, 0],
        "a": [1, 1, 1, 0, 0, 0, 0],
        "capitals": [1, 1, 1, 1, 2, 1, 1],
        "upper": [0] * 7,
        "dates": [0, 0, 0, 0, 1, 0, 1],
        "bars": [0, 0, 0, 0, 0, 0, 1],
    }
    assert {name: page[name] for name in expected} == expected
    assert page["words_quotient"] == pytest.approx([1, 1, 1, 2, 11, 5 / 22, 3 / 5])


def test_related_content_is_content_of_two_classes_alone() -> None:
    assert {name: TWO.of_class[name] for name in ("boilerplate", "related", "comments")} == {
        "boilerplate": 0,
        "related": 1,
        "comments": 1,
    }
    assert FOUR.of_class["related"] == 0


def test_words_in_upper_case_and_semicolons(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>The USA won; it was Usa. GO, I said!<p>42 only")
    blocks = page_blocks(GoldPage("page", tmp_path / "page.html", ()))
    assert blocks is not None
    assert (blocks.upper.tolist(), blocks.capitals.tolist()) == ([3, 0], [5, 0])
    assert blocks.upper_share.tolist() == pytest.approx([3 / 9, 0])
    assert blocks.sentence_length.tolist() == [3, 2]


def test_the_golden_figures(made: Path) -> None:
    classes = pd.read_csv(made / "classes.csv").set_index("class")
    assert classes.blocks.to_dict() == {"boilerplate": 60, "any content": 24, "full text": 12, "headline": 12}
    assert classes.words.to_dict() == {"boilerplate": 205, "any content": 288, "full text": 264, "headline": 24}
    assert classes.blocks_published["any content"] == 0.21
    found = pd.read_csv(made / "classifiers-two.csv").set_index("classifier")
    measured = found[["leaves", "blocks_f1", "words_f1", "words_false_positive_rate", "words_roc_area"]]
    assert measured.round(4).fillna(0).T.to_dict("list") == GOLDEN
    assert found.published_f1["ZeroR"] == 0.497
    four = pd.read_csv(made / "classifiers-four.csv").set_index("classifier")
    assert four.words_f1.round(4)[["ZeroR", "words @15"]].to_dict() == GOLDEN_FOUR
    gains = pd.read_csv(made / "gains-two.csv")
    assert sorted(gains.feature) == sorted(FEATURES)
    assert gains[["feature", "by_words", "by_blocks", "intervals"]][:6].round(4).values.tolist() == GOLDEN_GAINS
    types = pd.read_csv(made / "types.csv").round(4)
    assert types[["end", "one_r2", "short", "short_end", "long_end", "two_rmse"]].values.tolist() == GOLDEN_WRITERS
    bins = pd.read_csv(made / "histogram.csv").groupby("feature")[["blocks", "words", "linked_words"]].sum()
    assert bins.to_numpy().tolist() == [[84, 493, 36]] * 2
    for name in ("gains-two", "gains-four", "words", "density"):
        assert (made / f"{name}.svg").read_text().startswith("<svg")
    assert (made / "types.md").read_text().startswith("| page type | pages | blocks | words |")


def test_types_of_pages(tmp_path: Path) -> None:
    for number in range(PAGES):
        (tmp_path / "html").mkdir(exist_ok=True)
        (tmp_path / "ground-truth").mkdir(exist_ok=True)
        (tmp_path / "html" / f"{number}.html").write_text(f"{MENU}<p>{PROSE.format(number)}")
        kind = "forum" if number % 4 else "article"
        gold = {"_internal": {"page_type": {"primary": kind}}, "ground_truth": {"main_content": PROSE.format(number)}}
        (tmp_path / "ground-truth" / f"{number}.json").write_text(json.dumps(gold))
    blocks, _ = read_blocks(read_gold(tmp_path, None).pages, 1)
    labels = TWO.labels(blocks)
    types = by_page_type(blocks, dict.fromkeys(BY_TYPE, np.eye(2, dtype=np.float32)[labels]))
    rows = types[["page_type", "pages", "blocks", "content_blocks"]].values.tolist()
    assert rows == [["all", 12, 48, 0.25], ["forum", 9, 36, 0.25], ["article", 3, 12, 0.25]]
    assert (types[[f"f1_{name}" for name in BY_TYPE]] == 1).all(axis=None)
    # Neither headlines nor comments: no study of four classes.
    assert set(FOUR.labels(blocks)) == {0, 1}


@pytest.mark.parametrize(
    ("gold", "pages", "facts"),
    [
        ("Nothing of this", PAGES, ("no block is content",)),
        (PROSE, 9, ("9 pages with blocks", "10 folds")),
        (PROSE, PAGES, ("all blocks of the class", "'headline'", "pages of fold")),
    ],
)
def test_gold_that_cannot_be_studied(tmp_path: Path, gold: str, pages: int, facts: tuple[str, ...]) -> None:
    write_set(tmp_path, pages, gold)
    if "'headline'" in facts:
        (tmp_path / "GoldStandard" / "03.txt").write_text("<h>Rain 3\n<p>" + PROSE.format(3))
    with pytest.raises(InputError) as caught:
        study(tmp_path, None, tmp_path / "out")
    assert_names(caught.value, *facts)
