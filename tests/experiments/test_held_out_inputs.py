"""The experiment of the paper's protocol: its file, its two sets of topics and qrels as TREC published them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from thresher.base.files import file_digest
from thresher.evaluation.topics import About, Notice, Topic
from thresher.experiments.config import load_experiment
from thresher.experiments.inputs import read_topic_set, same_queries

FILE = Path(__file__).parents[2] / "experiments" / "clueweb12-perplexity.toml"


def test_topics_of_two_tracks(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUEWEB12_B13", str(tmp_path))
    for variable in ("TREC_TOPICS", "TREC_QRELS"):
        monkeypatch.setenv(variable, str(shared_data / "topics-qrels"))
    experiment = load_experiment(FILE)
    assert (experiment.name, experiment.collection.location, experiment.collection.format) == (
        FILE.stem,
        tmp_path,
        "warc",
    )
    assert [variant.name for variant in experiment.variants] == [
        "none",
        *(f"perplexity(lm=books,sentences=page)@{thousands}000" for thousands in (1, 2, 4, 6, 8, 10, 12, 14)),
        *(f"perplexity(lm=books)@{thousands}000" for thousands in (1, 2, 4, 6, 8, 10, 12, 14)),
        "justext",
    ]
    assert (experiment.index.positions, experiment.index.stored, experiment.index.vectors) == (False, False, False)
    assert experiment.evaluation.measures == ("P@5", "P@10", "AP", "nDCG(dcg='exp-log2')@10", "Judged@10")
    assert experiment.held_out is not None

    decision, web = read_topic_set(experiment.topics), read_topic_set(experiment.held_out)
    assert list(decision.topics) == [str(number) for number in range(1, 52)]
    assert decision.topics["1"] == Topic("1", "cranberries urinary tract infections")
    assert list(web.topics) == [str(number) for number in range(201, 251)]
    assert web.topics["201"] == Topic("201", "raspberry pi")
    # No one judged topic 14 of the Decision Track.
    assert set(decision.topics) - set(decision.ids) == {"14"}
    assert decision.notices == (Notice(About.UNJUDGED, 1, ("14",)),)
    assert (web.ids, web.notices) == (tuple(web.topics), ())
    assert same_queries(decision, web) == []

    grades = [
        Counter(grade for judged in result.qrels.values() for grade in judged.values()) for result in (decision, web)
    ]
    assert grades == [
        {0: 18694, 1: 3137, 2: 1028},
        {-2: 234, 0: 10090, 1: 3044, 2: 920, 3: 179, 4: 7},
    ]
    assert (grades[0].total(), grades[1].total()) == (22859, 14474)
    # Columns are relevance, effectiveness, credibility: 2 3 1.
    assert decision.qrels["1"]["clueweb12-0002wb-08-02435"] == 2
    assert web.qrels["201"]["clueweb12-0108wb-86-18203"] == 2
    assert {"clueweb12-0000wb-03-01030", "clueweb12-0000wb-54-11923"} <= decision.judged
    assert web.digests["qrels"] == file_digest(shared_data / "topics-qrels" / "qrels.web.201-250.txt")
