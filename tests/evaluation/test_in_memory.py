"""Qrels, runs and topics from files, mappings, records and data frames are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from messages import assert_names

import thresher
from thresher.base.errors import ConfigError, InputError
from thresher.evaluation.comparing import take_qrels, take_run, take_topics
from thresher.evaluation.topics import Topic
from thresher.reports.compared_runs import runs_table

JUDGED = {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
RETRIEVED = {"1": {"b": 3.5, "a": 2.25}, "2": {"d": 1.0}}


def qrels(folder: Path) -> list[Any]:
    file = folder / "qrels.txt"
    file.write_text("".join(f"{topic} 0 {one} {grade}\n" for topic, of in JUDGED.items() for one, grade in of.items()))
    records = list(ir_measures.read_trec_qrels(str(file)))
    frame = pd.DataFrame(records)
    numbers = frame.assign(query_id=frame["query_id"].astype(int), more="x")
    pyterrier = frame.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    return [file, str(file), JUDGED, records, iter(records), frame, numbers, pyterrier]


def runs(folder: Path) -> list[Any]:
    file = folder / "run.trec"
    file.write_text(
        "".join(f"{topic} Q0 {one} 1 {score} t\n" for topic, of in RETRIEVED.items() for one, score in of.items())
    )
    records = list(ir_measures.read_trec_run(str(file)))
    frame = pd.DataFrame(records)
    pyterrier = frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    return [file, str(file), RETRIEVED, records, iter(records), frame, frame, pyterrier]


def test_all_ways_are_the_same(tmp_path: Path) -> None:
    for judged in qrels(tmp_path):
        assert take_qrels(judged) == JUDGED
    for run in runs(tmp_path):
        assert take_run(run) == RETRIEVED
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\train\n2\tsnow tonight\n")
    queries = [("1", "rain"), ("2", "snow tonight")]
    for given in (
        topics,
        str(topics),
        dict(queries),
        [Topic(*one) for one in queries],
        {"1": "rain", 2: "snow tonight"},
        pd.DataFrame({"qid": [1, 2], "query": ["rain", "snow tonight"]}),
        [{"query_id": "1", "text": "rain"}, {"query_id": "2", "title": "snow tonight"}],
    ):
        assert take_topics(given) == queries  # type: ignore[arg-type]


def test_what_is_evaluated_is_what_ir_measures_says(tmp_path: Path) -> None:
    names = ["AP", "nDCG@10", "P@1"]
    for judged, run in zip(qrels(tmp_path), runs(tmp_path), strict=False):
        values = thresher.evaluate(judged, run, names)
        expected = ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], JUDGED, RETRIEVED)
        for one in expected:
            assert values[str(one.measure)][one.query_id] == pytest.approx(one.value, abs=1e-12)
    compared = thresher.compare_runs(JUDGED, {"one": RETRIEVED, "two": {"1": {"a": 1.0}}}, ["AP"], baseline="two")
    assert compared.baseline == "two"
    assert compared.values["two"]["AP"] == {"1": 1.0, "2": 0.0}
    assert list(compared.comparisons) == ["one"]
    assert (list(compared.means), compared.means["two"]) == (["two", "one"], {"AP": 0.5})
    assert compared.missing == 0
    # Nobody retrieved anything for topic 2.
    parts = {name: {"1": {"a": 1.0}, "2": {}} for name in ("one", "two")}
    compared = thresher.compare_runs(JUDGED, parts, ["AP"])
    assert (compared.topics, compared.missing) == (("1", "2"), 1)
    assert_names(runs_table(compared).caption, "2 topics", "1 of them in no run", "count as 0")


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        ({"1": {"a": 1.5}}, "1.5"),
        ({"1": {"a": 10**6}}, "1000000"),
        ({}, "no judgments"),
        ([ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("1", "a", 2)], "grades 1 and 2"),
        ([ir_measures.ScoredDoc("1", "a", 1.0)], "no relevance"),
        (pd.DataFrame({"query_id": ["1"], "document": ["a"]}), "no doc_id and no relevance"),
    ],
)
def test_broken_qrels_are_refused(judged: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        take_qrels(judged)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"1": {"a": float("nan")}}, "nan"),
        ({"1": {"a": "high"}}, "high"),
        ([ir_measures.ScoredDoc("1", "a", 1.0)] * 2, "twice"),
        ([ir_measures.Qrel("1", "a", 1)], "no score"),
    ],
)
def test_broken_runs_are_refused(run: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        take_run(run)


def test_numpy_numbers_are_numbers() -> None:
    assert take_qrels({"1": {"a": np.int64(2)}}) == {"1": {"a": 2}}
    assert take_run({"1": {"a": np.float32(0.5)}}) == {"1": {"a": 0.5}}


def test_runs_are_compared_at_a_margin(tmp_path: Path) -> None:
    dice = np.random.default_rng(3)
    judged = {str(topic): {"a": 1, "b": 0, "c": 0} for topic in range(60)}

    def run(errors: float) -> dict[str, dict[str, float]]:
        return {topic: {"a": 2.0 if dice.random() > errors else 0.5, "b": 1.0, "c": 0.2} for topic in judged}

    runs = {"base": run(0.3), "bad": run(1.0)}
    runs |= {"same": runs["base"], "good": run(0.0), "noise": run(0.4)}
    found = thresher.compare_runs(judged, runs, ["AP"], margin="5%")
    values = {name: np.array([*of["AP"].values()]) for name, of in found.values.items()}
    verdicts = {name: of["AP"].verdict for name, of in found.margins.items()}
    assert verdicts == {"bad": "inferior", "same": "non-inferior", "good": "superior", "noise": "inconclusive"}
    for name, of in found.margins.items():
        one, base = of["AP"], values["base"]
        assert one.margin == pytest.approx(0.05 * base.mean())
        if name != "same":
            tested = values[name] - 0.95 * base
            assert one.p == pytest.approx(scipy.stats.ttest_1samp(tested, 0, alternative="greater").pvalue)
            difference = scipy.stats.ttest_1samp(values[name] - base, 0, alternative="greater")
            assert one.p_superior == pytest.approx(difference.pvalue)
    frame = found.to_pandas()
    assert frame.loc[frame["run"] == "good", "verdict"].tolist() == ["superior"]
    assert "superior" in found._repr_html_()
    with pytest.raises(ConfigError, match="'much' is not a margin"):
        thresher.compare_runs(judged, runs, ["AP"], margin="much")
    nothing = {topic: {"b": 1.0, "a": 0.5} for topic in judged}
    assert found.margin == "5%"
    assert thresher.compare_runs(judged, runs, ["AP"]).margins == {}
    assert thresher.compare_runs(judged, runs, ["AP", "Judged@10"], margin="5%").margins["good"].keys() == {"AP"}
    with pytest.raises(InputError, match="the baseline's P@1 is 0"):
        thresher.compare_runs(judged, {"zero": nothing, "good": runs["good"]}, ["P@1"], margin="5%")


def test_what_a_comparison_cannot_take() -> None:
    judged, runs = {"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}, "2": {"b": 1.0, "a": 0.5}}}
    runs["y"] = runs["x"]
    with pytest.raises(InputError, match="no runs"):
        thresher.compare_runs(judged, [])
    with pytest.raises(ConfigError, match=r"no correction 'Holm'.*holm, bh, none"):
        thresher.compare_runs(judged, runs, ["AP"], correction="Holm")
    with pytest.raises(ConfigError, match="3 is no level of significance"):
        thresher.compare_runs(judged, runs, ["AP"], alpha=3)
    assert thresher.compare_runs(judged, runs, ["AP"], margin=0.01).margin == "0.01"
    one = {"1": judged["1"]}
    with pytest.raises(InputError, match="one topic"):
        thresher.compare_runs(one, runs, ["AP"], margin=0.01)
    with pytest.raises(ConfigError, match="there is no measure `Accuracy`"):
        thresher.evaluate(judged, runs["x"], ["Accuracy"])


def test_measures_of_ir_measures_and_data_frames_of_pyterrier_are_taken() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 2.0}, "2": {"c": 1.0, "b": 0.5}}
    asked = [ir_measures.AP, ir_measures.nDCG @ 10]
    found = thresher.evaluate(qrels, run, asked)
    assert found == thresher.evaluate(qrels, run, ["AP", "nDCG@10"])
    judged = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "label": [1, 1]})
    hits = pd.DataFrame({"qid": ["1", "2", "2"], "docno": ["a", "c", "b"], "rank": [0, 0, 1], "score": [2.0, 1.0, 0.5]})
    assert thresher.evaluate(judged, hits, asked) == found
