"""The experiment of ClueWeb12 from end to end, on a small collection of its form that a script makes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done

from thresher.experiments.config import load_experiment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILE = ROOT / "experiments" / "clueweb12-perplexity.toml"
PAGES, TOPICS = 120, 30


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the collection, whose parts the variables of the experiment file name."""
    command = [sys.executable, ROOT / "scripts" / "clueweb_sample.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    for variable, name in (("CLUEWEB12_B13", "ClueWeb12-B13"), ("TREC_TOPICS", "topics"), ("TREC_QRELS", "qrels")):
        monkeypatch.setenv(variable, str(tmp_path / name))
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_the_experiment_recommends_a_cutoff_of_perplexity(sample: Path, call: Callable[..., Done]) -> None:
    for verb in (("run", FILE, "--seconds", "0"), ("explore", FILE), ("choose", FILE)):
        done = call(*verb, cwd=sample)
        assert (done.code, done.errors) == (0, []), done.err
    results = sample / "results" / FILE.stem
    pages = json.loads((results / "scores" / "complete.json").read_text())
    assert [pages[count] for count in ("documents", "scored", "emptied", "failed")] == [PAGES, PAGES, 0, 0]

    variants = [variant.name for variant in load_experiment(FILE).variants]
    table = rows(results / "results.csv")
    built = [row["variant"] for row in table if row["bytes"]]
    assert sorted(built) == sorted(variants)
    none = next(row for row in table if row["variant"] == "none")
    for row in table:
        assert int(row["documents"]) + int(row["emptied"]) == PAGES
        assert int(row["words"]) <= int(none["words"])
        assert float(row["words_share"]) == pytest.approx(int(row["words"]) / int(none["words"]))
    # Both sets of topics are searched, and each judged page is in the collection.
    manifest = json.loads((results / "manifest.json").read_text())
    assert [len(manifest[topics]) for topics in ("topics", "held_out_topics")] == [TOPICS, TOPICS]
    by_topic = rows(results / "per_topic.csv")
    for held_out, first in (("0", 1), ("1", 201)):
        own = {row["topic"] for row in by_topic if row["held_out"] == held_out}
        assert own == {str(topic) for topic in range(first, first + TOPICS)}

    (model,) = json.loads((results / "choice.json").read_text())["models"]
    assert model["documents"] == PAGES
    assert model["no_cleaning"]["variant"] == "none"
    for answer in ("smallest", "best"):
        assert model[answer]["variant"].startswith("perplexity(lm=books")
        assert model[answer]["bytes"] < model["no_cleaning"]["bytes"]
    (measure, *_) = model["best"]["effects"]
    assert measure["low"] > 0
