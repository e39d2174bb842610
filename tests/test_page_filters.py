"""The example of a package of scorers, installed and used through the public API."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import thresher as run

import thresher

ROOT = Path(__file__).parents[1]
RAIN = "It rained all day in the north."
GOOD = "The storm of the north will be here with rain and snow . " * 5


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package is installed."""
    folder = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--no-compile", "--quiet"]
    package = str(ROOT / "examples" / "page_filters")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(folder), package],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(autouse=True)
def _filters(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(installed)


def score(name: str, text: str) -> float:
    scores = thresher.score_text(text, name).scores[name]
    assert len({str(score) for score in scores.tolist()}) == 1
    return float(scores[0])


@pytest.mark.slow
def test_the_command_lists_and_runs_them(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "thresher", "cleaners", "--json"]
    environment = {"PYTHONPATH": f"{installed}:{ROOT / 'src'}", "THRESHER_CACHE": os.environ["THRESHER_CACHE"]}
    listed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    names = {entry["name"] for entry in json.loads(listed)}
    assert {"c4", "content-share", "distinct", "divergence", "gopher"} <= names
    (tmp_path / "pages.jsonl").write_text(
        "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in (("a", GOOD), ("b", RAIN)))
    )
    done = run("clean", "pages.jsonl", "-c", "gopher", "-o", "out.jsonl", "--text-field", "text", cwd=tmp_path)
    assert (done.code, done.errors) == (0, [])
    documents = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {document["id"]: bool(document["contents"]) for document in documents} == {"a": True, "b": False}


def test_distinct_words() -> None:
    assert score("distinct", "a b\nA c") == 0.75
    assert math.isnan(score("distinct", "... --"))


def test_the_share_of_content_is_that_of_the_scorer_content() -> None:
    page = f"<p>{RAIN * 9}</p><ul><li><a href=x>Home</a></ul>"
    scored = thresher.score_html(page, ["content", "content-share"])
    assert scored.segments is not None
    words = scored.segments.words_in_blocks
    share = words[scored.scores["content"] >= 0.5].sum() / words.sum()
    assert scored.scores["content-share"].tolist() == [np.float32(share)] * 2


def test_divergence_is_the_sum_over_the_collections_words(tmp_path: Path) -> None:
    learning = thresher.TrainingData(lambda: [["rain " * 6, "wind wind"], ["wind snow"]], "en", 1)
    learnt = thresher.scorer("divergence").for_collection(learning, tmp_path)
    in_collection = {"rain": 0.6, "wind": 0.3, "snow": 0.1}
    page = Counter("rain rain wind other".split())
    expected = 0.0
    for word, share in in_collection.items():
        expected += share * math.log2(share / (0.9 * page[word] / 4 + 0.1 * share))
    segments = thresher.score_text("rain rain\nwind other", "words").segments
    assert segments is not None
    assert learnt.score(segments).tolist() == pytest.approx([expected] * 2, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (f"{RAIN}\n{RAIN} {RAIN}", True),
        (f"{RAIN}\n{RAIN} {RAIN}\nmenu\nSee our privacy policy", True),
        (f"{RAIN}\n{RAIN}", False),
        (f"{RAIN}\n{RAIN} {RAIN}\nvar a = {{", False),
        (f"{RAIN}\n{RAIN} {RAIN}\nLorem ipsum", False),
        # Lines without an end mark, of less than five words, and with phrases do not count.
        (f"{RAIN}\n{RAIN[:-1]}\nIt rained all day here.\n{RAIN}\nIt rained.", True),
        (f"{RAIN}\n{RAIN[:-1]}\nIt rained here.\n{RAIN}", False),
        (f"{RAIN}\n{RAIN}\nPlease enable Javascript to see all this.", False),
        (f"{RAIN}\n{RAIN}\nThis site and its shop uses cookies.", False),
    ],
)
def test_c4(text: str, passes: bool) -> None:
    assert score("c4", text) == passes


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (GOOD, True),
        (" ".join(GOOD.split()[:49]), False),
        ("the be " + "abcdefghijkl " * 60, False),
        ("the be " + "ab " * 60, False),
        (GOOD + "# " * 8, False),
        (GOOD + "# " * 5, True),
        (GOOD + "a... " * 8, False),
        (GOOD + "42 " * 11, False),
        (GOOD.replace("The", "A").replace("the", "a").replace("of", "a").replace("be", "a").replace("and", "a"), False),
        ("\n".join(f"- {line}" for line in ["the storm of snow"] * 20), False),
        ("\n".join(f"- {line}" for line in ["the storm of snow"] * 18) + "\nthe\nsnow", True),
        ("\n".join(["the storm of the whole north…"] * 3 + ["the storm of the whole north"] * 7), True),
        ("\n".join(["the storm of the whole north…"] * 4 + ["the storm of the whole north"] * 6), False),
    ],
)
def test_gopher(text: str, passes: bool) -> None:
    assert score("gopher", text) == passes


def test_behind_a_cleaner_they_score_what_it_leaves() -> None:
    html = f"<ul><li>rain<li>rain<li>rain</ul><p>{RAIN}"
    assert thresher.clean_html(html, "distinct@0.9") == ""
    assert thresher.clean_html(html, "words@5+distinct@0.9") == RAIN
    assert thresher.clean_html(html, "words@5+distinct@0.9+gopher") == ""
