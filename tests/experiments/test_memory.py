"""Experiments whose pages, topics and judgments are in memory are those of the same files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest
from messages import assert_names

import thresher
from thresher.base.errors import ConfigError, ConfigErrors, InputError, StateError
from thresher.collections import Page, documents
from thresher.evaluation.topics import read_topics
from thresher.evaluation.trec_files import read_qrels, read_run
from thresher.experiments.config import Experiment

DOCS = Path(__file__).parents[2] / "docs" / "experiment-files.md"
HTML = {
    "north": "<ul><li>Home</ul><p>Rain is expected in the north tonight.",
    "south": "<ul><li>Home</ul><p>The south stays dry, with no rain at all.",
}
TABLES: dict[str, Any] = {
    "experiment": "mine",
    "collection": HTML,
    "topics": {"1": "rain  tonight"},
    "qrels": {"1": {"north": 1, "south": 0}},
}


def pages(experiment: Experiment) -> list[tuple[str, bool, str]]:
    found = documents(experiment.collection.open())
    return [(one.id, one.is_text, (one.content or b"").decode()) for one in found]


def test_all_that_is_in_memory_is_kept_as_files(tmp_path: Path) -> None:
    more = {
        "held_out": {"topics": [{"qid": 2, "query": "dry"}], "qrels": [ir_measures.Qrel("2", "south", 1)]},
        "cleaners": ["words@5"],
        "sweep": {"scorer": "words", "cutoffs": {"from": 2, "to": 4, "step": 1}},
        "text": [{"name": "own", "path": {"north": "Rain.", "south": "Dry."}}],
        "system": [{"name": "other", "path": {"1": {"south": 0.125, "north": 1}}}],
        "evaluation": {"measures": [ir_measures.AP, ir_measures.nDCG @ 10], "alpha": 0.1},
        "measure": 0,
        "index": {"positions": True},
    }
    experiment = thresher.load_experiment({**TABLES, **more}, tmp_path)
    inputs = tmp_path / "mine" / "inputs"
    assert experiment.file == inputs / "mine.toml"
    assert [variant.name for variant in experiment.variants[2:6]] == ["words@3", "words@4", "words@5", "text(own)"]
    assert (experiment.evaluation.measures, experiment.evaluation.alpha) == (("AP", "nDCG@10"), 0.1)
    assert (experiment.measure_seconds, experiment.index.positions) == (0, True)
    assert pages(experiment) == [(name, False, html) for name, html in HTML.items()]
    assert read_topics(inputs / "topics.tsv")["1"].query == "rain tonight"
    assert read_qrels(inputs / "qrels.txt") == TABLES["qrels"]
    assert read_topics(inputs / "held-out-topics.tsv")["2"].query == "dry"
    assert read_qrels(inputs / "held-out-qrels.txt") == {"2": {"south": 1}}
    assert read_run(experiment.systems[0].path) == {"1": {"south": 0.125, "north": 1}}
    assert (inputs / "text-0.jsonl").read_text().count("\n") == 2
    assert len(repr(experiment)) < 300
    # An experiment, and its file, are taken as they are; what is the same again stays untouched, so that a rerun is one.
    assert thresher.load_experiment(experiment) is experiment
    assert thresher.load_experiment(str(experiment.file)).digest == experiment.digest
    before = {path: path.stat().st_mtime_ns for path in inputs.iterdir()}
    thresher.load_experiment({**TABLES, **more}, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in inputs.iterdir()} == before


def test_pages_that_were_scored_are_replaced_only_where_that_is_asked_for(tmp_path: Path) -> None:
    other = {**TABLES, "collection": {**HTML, "east": "<p>Fog."}}
    thresher.load_experiment(TABLES, tmp_path)
    thresher.load_experiment(other, tmp_path)
    (tmp_path / "mine" / "scores").mkdir()
    with pytest.raises(StateError, match=r"pages\.jsonl: .*fresh=True"):
        thresher.load_experiment(TABLES, tmp_path)
    assert len(pages(thresher.load_experiment(other, tmp_path))) == 3
    assert len(pages(thresher.load_experiment(TABLES, tmp_path, fresh=True))) == 2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (pd.DataFrame({"docno": [1, 2], "html": ["<p>a", "<p>b"]}), [("1", False, "<p>a"), ("2", False, "<p>b")]),
        (pd.DataFrame({"doc_id": ["x"], "text": ["a <b"], "url": [None]}), [("x", True, "a <b")]),
        ([{"id": "x", "contents": "a\ud800"}], [("x", True, "a?")]),
        (iter([Page("x", b"\xe9", charset="latin-1"), Page("y", b"t", is_text=True)]), [("x", False, "é"), ("y", True, "t")]),
        ({"x": "<meta charset=latin-1>é".encode("latin-1")}, [("x", False, "<meta charset=latin-1>é")]),
        ({"path": {"x": "<p>a"}}, [("x", False, "<p>a")]),
    ],
    ids=["PyTerrier", "ir_datasets", "records", "pages", "bytes", "table"],
)  # fmt: skip
def test_pages_are_taken_as_people_have_them(tmp_path: Path, given: Any, expected: list[Any]) -> None:
    assert pages(thresher.load_experiment({**TABLES, "collection": given}, tmp_path)) == expected


def test_paths_are_relative_to_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crawl").mkdir()
    experiment = thresher.load_experiment({**TABLES, "collection": "crawl"}, "results")
    assert experiment.collection.location == Path("crawl")
    known = thresher.load_experiment({"experiment": "known", "collection": "ir_datasets:vaswani"}, "results")
    assert str(known.collection.location) == str(known.topics.qrels) == "ir_datasets:vaswani"


@pytest.mark.parametrize(
    ("changed", "error", "facts"),
    [
        ({"experiment": "../up"}, ConfigError, ("experiment: ", "name '../up'", "cannot name a folder")),
        ({"collection": [{"html": "<p>a"}]}, InputError, ("pages: ", "a page without id")),
        ({"collection": ["<p>a"]}, InputError, ("pages: ", "a page without id")),
        ({"collection": {"x": None}}, InputError, ("has id, html",)),
        ({"topics": [{"query_id": "1"}]}, InputError, ("topics: ", "no query")),
        ({"qrels": [{"qid": "1", "docno": "x"}]}, InputError, ("qrels: ", "no relevance")),
        ({"cleaner": ["words@2"]}, ConfigErrors, ("unknown table [cleaner]", "Fix: ", "'cleaners'")),
        ({"cleaners": ["wrods@2"]}, ConfigErrors, ("unknown scorer 'wrods'",)),
        ({"evaluation": {"mesures": ["AP"]}}, ConfigErrors, ("unknown key 'mesures'",)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    tmp_path: Path, changed: dict[str, Any], error: type[Exception], facts: tuple[str, ...]
) -> None:
    with pytest.raises(error) as raised:
        thresher.load_experiment({**TABLES, **changed}, tmp_path)
    assert_names(raised.value, *facts)
    assert not (tmp_path.parent / "up").exists()


@pytest.mark.slow
def test_the_experiment_of_the_page_runs_is_explored_chosen_and_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"thresher": thresher}
    monkeypatch.chdir(tmp_path)
    exec(code, names)
    assert names["results"].table().mean("AP").tolist() == [1, 1, 1]
    tables = {**names["tables"], "measure": 0}
    assert "words" in thresher.explore(tables, workers=1).table().sweeps
    assert thresher.choose(tables, margin="5%", families=["words"]).models[0].smallest is None
    why = thresher.explain("results/mine", "1", variant="words@5")
    assert why.topics[0].query == "rain tonight"
    assert len(repr(why)) < 300
    assert list(why.to_pandas()["topic"]) == ["1"]
    assert "<td>rain tonight</td>" in why._repr_html_()


def test_paths_of_models_are_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "model.arpa").touch()
    name = "perplexity(lm=wiki)@5"
    loaded = thresher.load_experiment({**TABLES, "cleaners": [name], "choose": {"families": ["perplexity(lm=wiki)"]}})
    assert ([variant.name for variant in loaded.variants], loaded.criteria.families) == (
        ["none", name],
        ("perplexity(lm=wiki)",),
    )
