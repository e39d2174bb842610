"""Every number of principal components is what a search of the projected vectors alone finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher
from thresher.base.errors import ConfigError, ConfigErrors, InputError
from thresher.evaluation import Topic
from thresher.experiments.exploring.exploring import JudgedTopics
from thresher.experiments.exploring.vectors import Vectors, explore_vectors, read_vectors
from thresher.indexes.pruning.method import PrincipalComponents

MEASURES = ("nDCG@10", "R@10", "AP")
RANDOM = np.random.default_rng(7)
PAGES, TOPICS, WIDTH = 60, 8, 12
# Dimensions that matter less and less, turned about.
TURNED = np.linalg.qr(RANDOM.normal(size=(WIDTH, WIDTH)))[0]
DOCUMENTS = Vectors(
    tuple(f"d{number}" for number in RANDOM.permutation(PAGES)),
    (RANDOM.normal(size=(PAGES, WIDTH)) * 0.7 ** np.arange(WIDTH)) @ TURNED,
)
QUERIES = Vectors(tuple(map(str, range(TOPICS))), RANDOM.normal(size=(TOPICS, WIDTH)) @ TURNED)


def judged(topics: range) -> JudgedTopics:
    # The five best by all dimensions, some of higher grades.
    qrels = {}
    for topic in topics:
        best = np.argsort(-(DOCUMENTS.matrix @ QUERIES.matrix[topic]))[:5]
        qrels[str(topic)] = {DOCUMENTS.ids[at]: 1 + number % 3 for number, at in enumerate(best)}
    names = tuple(map(str, topics))
    return JudgedTopics({name: Topic(name, "q") for name in names}, qrels, names, MEASURES)


def test_each_number_of_dimensions_is_exact() -> None:
    table = explore_vectors("mine", DOCUMENTS, QUERIES, judged(range(5)), judged(range(5, TOPICS)), 20)
    assert [row.name for row in table.rows] == ["none", *(f"none|pca@{kept}" for kept in range(WIDTH - 1, 0, -1))]
    assert [row.bytes for row in table.rows] == [4 * PAGES * kept for kept in range(WIDTH, 0, -1)]
    assert table.sizes.tolist() == [PAGES * kept for kept in range(WIDTH, 0, -1)]
    # Independently: singular vectors in place of eigenvectors, whole products in place of sums, ranks in Python.
    _, _, turned = np.linalg.svd(DOCUMENTS.matrix, full_matrices=False)
    for row, kept in enumerate(range(WIDTH, 0, -1)):
        pages, queries = DOCUMENTS.matrix @ turned[:kept].T, QUERIES.matrix @ turned[:kept].T
        for topics, values in ((range(5), table.values), (range(5, TOPICS), table.held_out)):
            qrels = judged(topics).qrels
            run = {}
            for topic in topics:
                scores = {name: float(page @ queries[topic]) for name, page in zip(DOCUMENTS.ids, pages, strict=True)}
                best = sorted(scores, key=lambda name: (-scores[name], name))[:20]
                run[str(topic)] = {name: 1.0 / rank for rank, name in enumerate(best, 1)}
            expected = thresher.evaluate(qrels, run, MEASURES)
            for number, measure in enumerate(MEASURES):
                assert values[number, row].tolist() == pytest.approx([*expected[measure].values()], abs=1e-12)
    # By all dimensions the judged are the best, and R@10 is whole; a single one finds less.
    assert table.mean("R@10")[0] == 1 > table.mean("R@10")[-1]


def test_equal_scores_are_ranked_by_id_ascending() -> None:
    pages = Vectors(("b", "a"), np.array([[1.0, 0.0], [1.0, 0.0]]))
    topics = JudgedTopics({"1": Topic("1", "q")}, {"1": {"a": 1}}, ("1",), ("RR",))
    assert explore_vectors("mine", pages, Vectors(("1",), np.eye(2)[:1]), topics, None, 10).mean("RR").tolist() == [
        1,
        1,
    ]


def test_vectors_are_read_from_json_lines_and_parquet(tmp_path: Path) -> None:
    lines = [{"id": "a", "vector": [1, 2.5], "more": "x"}, {"id": "b", "vector": [0, -1]}]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    table = pa.table({"vector": pa.array([[1, 2.5], [0, -1]], pa.list_(pa.float32())), "id": ["a", "b"]})
    pq.write_table(table, tmp_path / "v.parquet")
    for name in ("v.jsonl", "v.parquet"):
        found = read_vectors(tmp_path / name)
        assert (found.ids, found.matrix.tolist()) == (("a", "b"), [[1, 2.5], [0, -1]])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"id": "a"}\n',
        '{"id": "a", "vector": []}\n',
        '{"id": "a", "vector": [1]}\n{"id": "a", "vector": [2]}\n',
        '{"id": "a", "vector": [1]}\n{"id": "b", "vector": [1, 2]}\n',
        '{"id": "a", "vector": [null]}\n',
        '{"id": "a", "vector": "x"}\n',
        "nullnullll",
        f'{{"id": "a", "vector": [{"9" * 400}]}}\n',
        f'{{"id": "a", "vector": {"[" * 5000}\n',
    ],
    ids=[
        "empty",
        "cut off",
        "no vector",
        "no number",
        "twice",
        "other length",
        "null",
        "text",
        "nulls",
        "large",
        "deep",
    ],
)
def test_broken_vectors_are_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_vectors(path)
    assert raised.value.where == str(path)


def test_damaged_vectors_in_parquet_are_told_and_not_read_as_other_numbers(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.parquet"
    # Two values a number: nothing is in a dictionary, and all bytes of a page are numbers.
    table = pa.table({"id": ["a", "b", "c"], "vector": [[1.0, 2.5], [0.0, -1.0], [3.0, 4.5]]})
    pq.write_table(table, path, write_page_checksum=True, use_dictionary=False, compression="none")
    sound = path.read_bytes()
    at = sound.index(np.array([1.0, 2.5]).tobytes())
    for damaged in (sound[:at] + b"\1" + sound[at + 1 :], sound[:-20], b"PAR1", sound[:-8] + b"\xff\xff\xff\x7fPAR1"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"the vectors cannot be read \(the Parquet file is damaged") as raised:
            read_vectors(path)
        assert raised.value.where == str(path)
    pq.write_table(table.rename_columns(["id", "vectors"]), path)
    with pytest.raises(InputError, match=r"cannot be read \('vector'\)"):
        read_vectors(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("queries", "qrels", "what"),
    [
        (Vectors(("1",), np.ones((1, 3))), {"1": {"a": 1}}, "3 dimensions"),
        (Vectors(("2",), np.ones((1, 2))), {"1": {"a": 1}}, "topic 1"),
        (Vectors(("1",), np.ones((1, 2))), {"1": {"x": 1}}, "no judged document"),
    ],
)
def test_vectors_that_do_not_fit_are_told(queries: Vectors, qrels: dict[str, dict[str, int]], what: str) -> None:
    topics = JudgedTopics({"1": Topic("1", "q")}, qrels, ("1",), ("AP",))
    with pytest.raises(InputError, match=what):
        explore_vectors("mine", Vectors(("a", "b"), np.eye(2)), queries, topics, None, 10)


def test_an_experiment_explores_its_vectors(tmp_path: Path) -> None:
    numbers = {name: [float(rank), 1.0, 0.5] for rank, name in enumerate(("north", "south", "east"))}
    tables: dict[str, Any] = {
        "experiment": "mine",
        "collection": {name: f"<p>Rain in the {name} tonight, again." for name in numbers},
        "topics": {"1": "rain north"},
        "qrels": {"1": {"north": 1, "east": 0}},
        "cleaners": ["words@3"],
        "evaluation": ["AP", "nDCG@10"],
        "vectors": [{"name": "model", "path": numbers, "queries": {"1": [-1, 0, 0]}}],
    }
    thresher.explore(tables, tmp_path, workers=1)
    results = thresher.read_results(tmp_path / "mine" / "vectors")
    frame = results.to_pandas()
    assert list(frame["retrieval"]) == ["model"] * 3
    assert list(frame["variant"]) == ["none", "none|pca@2", "none|pca@1"]
    assert list(frame["bytes"]) == [36, 24, 12]
    assert frame["nDCG@10"][0] == frame["R@100"][0] == 1
    assert results.plot()._repr_svg_().startswith("<svg ")
    assert "pca" in (tmp_path / "mine" / "vectors" / "report.html").read_text()
    # Postings have no principal components.
    with pytest.raises(ConfigErrors, match=r"none\|pca@2 prunes vectors"):
        thresher.load_experiment({**tables, "cleaners": ["none|pca@2"]}, tmp_path)
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "contents": "rain"}\n')
    with pytest.raises(ConfigError, match="prunes vectors"):
        thresher.index_json_lines(tmp_path / "texts.jsonl", tmp_path / "index", prune="pca@2")


def test_directions_are_orthonormal_and_the_largest_first() -> None:
    found = PrincipalComponents.directions(DOCUMENTS.matrix)
    assert found.T @ found == pytest.approx(np.eye(WIDTH), abs=1e-12)
    lengths = ((DOCUMENTS.matrix @ found) ** 2).sum(axis=0)
    assert (np.diff(lengths) < 0).all()
