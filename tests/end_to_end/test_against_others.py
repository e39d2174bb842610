"""Runs against Pyserini's own searcher, measures against trec_eval's library, statistics against golden values."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from commands import Done
from small_web import Finished, Web

from thresher.evaluation.topics import read_topics
from thresher.experiments.results import read_results
from thresher.indexes.jvm import start

Call = Callable[..., Done]
GOLDEN = Path(__file__).parent / "golden.json"
MEASURES = ("P@5", "P@10", "AP", "nDCG(dcg='exp-log2')@10", "Judged@10")


def read_columns(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


def judged(path: Path) -> dict[str, dict[str, int]]:
    result: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in read_columns(path):
        result.setdefault(topic, {})[document] = int(grade)
    return result


def retrieved(path: Path) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    for topic, _, document, _, score, _ in read_columns(path):
        result.setdefault(topic, {})[document] = float(score)
    return result


def exponential_ndcg(grades: Mapping[str, int], ranking: list[str], depth: int) -> float:
    """Burges et al. 2005: gains 2^grade - 1, discount log2(rank + 1), over the best ranking there is."""

    def gain(values: list[int]) -> float:
        return sum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(values[:depth], start=1))

    best = gain(sorted((max(grade, 0) for grade in grades.values()), reverse=True))
    return gain([max(grades.get(document, 0), 0) for document in ranking]) / best if best else 0.0


def expected_measures(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, float]:
    """Means over all judged topics, by trec_eval's library and, for what it lacks, by the definition."""
    result = pytrec_eval.RelevanceEvaluator(qrels, {"P.5,10", "map"}).evaluate(run)
    totals = dict.fromkeys(MEASURES, 0.0)
    for topic, grades in qrels.items():
        by_topic: Any = result.get(topic, {})
        documents = run.get(topic, {})
        ranking = sorted(documents, key=lambda document: (documents[document], document), reverse=True)
        top = ranking[:10]
        values = {
            "P@5": by_topic.get("P_5", 0.0),
            "P@10": by_topic.get("P_10", 0.0),
            "AP": by_topic.get("map", 0.0),
            "nDCG(dcg='exp-log2')@10": exponential_ndcg(grades, ranking, 10),
            "Judged@10": sum(document in grades for document in top) / len(top) if top else 0.0,
        }
        for measure, value in values.items():
            totals[measure] += value
    return {measure: total / len(qrels) for measure, total in totals.items()}


def simple_searcher(index: Path, mu: float) -> Any:
    """Pyserini's own: what `pyserini.search.lucene.LuceneSearcher` wraps."""
    start()
    from pyserini.pyclass import autoclass

    searcher = autoclass("io.anserini.search.SimpleSearcher")(str(index))
    searcher.set_qld(mu)
    return searcher


def assert_run_is_theirs(index: Path, topics: dict[str, str], run: Path, depth: int) -> int:
    searcher = simple_searcher(index, 2000)
    lines = read_columns(run)
    for topic, query in topics.items():
        ours = [(line[2], float(line[4])) for line in lines if line[0] == topic and int(line[3]) <= depth]
        theirs = searcher.search(query, depth)
        assert [document for document, _ in ours] == [hit.docid for hit in theirs], topic
        assert [score for _, score in ours] == pytest.approx([hit.score for hit in theirs], abs=1e-4)
    searcher.close()
    return len(lines)


def tsv_topics(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text().splitlines())


def rows(results: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((results / "results.csv").read_text().splitlines()))


def test_every_run_is_that_of_pyserini(finished: Finished) -> None:
    topics = tsv_topics(finished.web.folder / "topics.tsv")
    lines = [
        assert_run_is_theirs(finished.indexes / run.stem, topics, run, 40)
        for run in sorted((finished.results / "runs").glob("*.trec"))
    ]
    assert len(lines) == 6
    assert min(lines) > 50


def test_every_measure_is_that_of_trec_eval(finished: Finished) -> None:
    qrels = judged(finished.web.folder / "qrels.txt")
    for row, run in zip(rows(finished.results), runs_in_order(finished), strict=True):
        expected = expected_measures(qrels, retrieved(run))
        result = {measure: float(row[measure]) for measure in MEASURES}
        assert result == pytest.approx(expected, abs=5e-5), row["variant"]


def runs_in_order(finished: Finished) -> list[Path]:
    variants = manifest(finished.results)["variants"].values()
    return [finished.results / "runs" / variant["run"] for variant in variants]


def manifest(results: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((results / "manifest.json").read_text())
    return result


def summary(results: Path) -> dict[str, Any]:
    """What must not change: counts, bytes of postings and terms (other files name the machine), measures to 4 places."""
    result, pages = {}, read_results(results).facts.pages
    for row, variant in zip(rows(results), manifest(results)["variants"].values(), strict=True):
        sizes = variant["index"]["bytes_by_type"]
        result[row["variant"]] = {
            "documents": pages.documents,
            "indexed": int(row["documents"]),
            "emptied": int(row["emptied"]) + pages.emptied,
            "failed": pages.failed,
            "words_kept": int(row["words"]),
            "bytes": {suffix: sizes[suffix] for suffix in (".doc", ".tim")},
            "measures": {measure: round(float(row[measure]), 4) for measure in MEASURES},
        }
    return result


def golden(name: str, result: dict[str, Any]) -> Any:
    """Return the golden values; where THRESHER_WRITE_GOLDEN is set, they are first replaced by what was found."""
    stored = json.loads(GOLDEN.read_text())
    if os.environ.get("THRESHER_WRITE_GOLDEN"):
        stored[name] = result
        GOLDEN.write_text(json.dumps(stored, indent=2) + "\n")
    return stored[name]


def test_the_small_web_gives_its_golden_values(finished: Finished) -> None:
    result = summary(finished.results)
    assert result == golden("web", result)


def test_cacm_gives_its_golden_values(shared_data: Path, tmp_path: Path, call: Call) -> None:
    """The baseline over the CACM abstracts: statistics, measures, and the run itself against Pyserini."""
    cacm = shared_data / "retrieval" / "cacm"
    file = Web(tmp_path).write(
        "cacm",
        collection=f"path = '{cacm / 'cacm.tar.gz'}'\nid_pattern = '-0+'\nid_replacement = '-'",
        topics=f"path = '{cacm / 'topics.cacm.txt'}'",
        qrels=f"path = '{cacm / 'qrels.cacm.txt'}'",
        sweep="",
        cleaners="",
        retrieval="",
    )
    assert call("run", file.name, cwd=tmp_path).code == 0
    results = tmp_path / "results" / "cacm"
    result = summary(results)
    assert result == golden("cacm", result)
    run = results / "runs" / "none.trec"
    assert expected_measures(judged(cacm / "qrels.cacm.txt"), retrieved(run)) == pytest.approx(
        result["none"]["measures"], abs=1e-4
    )
    topics = {topic.id: topic.query for topic in read_topics(cacm / "topics.cacm.txt").values()}
    assert assert_run_is_theirs(tmp_path / "indexes" / "cacm" / "none", topics, run, 100) > 30_000
