"""Query logs are analysed as the collection is; what is explored with one is what is built with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thresher.errors import ConfigError
from thresher.evaluation import Topic, evaluate
from thresher.exploring.exploring import Judging
from thresher.exploring.lexicon import hash_texts
from thresher.lucene.indexing import IndexOptions
from thresher.lucene.retrieval import parse_retrieval
from thresher.lucene.searching import Searcher
from thresher.pruning.building import analysed_logs, build_pruned
from thresher.pruning.exploring_pruning import PruningSweep, explore_pruning
from thresher.pruning_methods.treatments import Pruning, parse_pruning, parse_treatment
from thresher.scorers.cleaners import Cleaner, parse_cleaner

OPTIONS = IndexOptions(lengths=True)
QUERIES = ("return a list of strings", "file path name", "zzzunknown string", "the exception raised")
LOGS = {"log.tsv": ("Returning lists", "the of", "zzzunknown", "string exceptions"), "other.tsv": ("name",)}


def test_queries_are_analysed_as_the_collection_is() -> None:
    methods = [parse_pruning(name).method for name in ("views(log=log.tsv)", "dcp", "views(log=log.tsv,k=1)")]
    assert analysed_logs(methods[1:2], LOGS, OPTIONS) == {}
    hashes = {text: int(hash_texts([text])[0]) for text in ("return", "list", "zzzunknown", "string", "except")}
    expected = [
        {hashes["return"]: 1, hashes["list"]: 1},
        {},
        {hashes["zzzunknown"]: 1},
        {hashes["string"]: 1, hashes["except"]: 1},
    ]
    assert analysed_logs(methods, LOGS, OPTIONS) == {"log.tsv": expected}
    plain = analysed_logs(methods, {"log.tsv": ("lists lists the",)}, IndexOptions(stemmer="none", stopwords=False))
    assert plain == {"log.tsv": [{int(hash_texts(["lists"])[0]): 2, int(hash_texts(["the"])[0]): 1}]}


def test_a_log_that_is_not_given_is_an_error(store: Path, tmp_path: Path) -> None:
    pruning = parse_pruning("views(log=missing.tsv)@0.5")
    for logs in (None, LOGS):
        with pytest.raises(ConfigError, match=r"missing\.tsv"):
            build_pruned(store, Cleaner(), pruning, tmp_path / "index", OPTIONS, logs=logs)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize(("cleaner", "original"), [("none", True), ("words@4", False)])
def test_explored_values_are_those_of_built_indexes(store: Path, tmp_path: Path, cleaner: str, original: bool) -> None:
    topics = {query: Topic(query, query) for query in QUERIES}
    documents = sorted(set(hits_of(store, cleaner, "dcp@1", original, tmp_path)))
    qrels = {topic: dict.fromkeys(documents[place::5], 1) for place, topic in enumerate(topics)}
    judging = Judging(topics, qrels, tuple(topics), ("AP", "P@5"))
    method = parse_pruning("views(log=log.tsv,k=5,match=any)").method
    sweep = PruningSweep(parse_cleaner(cleaner), method, (0.15,), 4)
    models = [parse_retrieval("bm25")]
    (found,) = explore_pruning(store, [sweep], judging, models, OPTIONS, original, logs=LOGS)
    assert found.cutoffs == (0.15, 0.25, 0.5, 0.75, 1.0)
    for place in (0, 2):
        treatment = parse_treatment(found.variants[place])
        assert treatment.pruning == Pruning(treatment.pruning.method, found.cutoffs[place])  # type: ignore[union-attr]
        built = build_pruned(
            store,
            sweep.cleaner,
            Pruning(method, found.cutoffs[place]),
            tmp_path / "index",
            OPTIONS,
            original,
            logs=LOGS,
        )
        assert built.index.statistics == found.sizes[place]
        with Searcher(tmp_path / "index", models[0], 1000) as searcher:
            run = {topic: dict(searcher.search(topic)) for topic in topics}
        expected = evaluate(qrels, run, judging.measures, judging.ids)
        values = np.array([[*of_topic.values()] for of_topic in expected.values()])
        assert found.values[0, :, place] == pytest.approx(values, abs=1e-12)


def test_results_of_logged_queries_are_still_found_where_the_base_alone_loses_them(store: Path, tmp_path: Path) -> None:
    logs = {"log.tsv": QUERIES}
    whole = top_ids(store, "dcp@1", tmp_path, logs)
    alone, viewed = (
        sum(len(before & after) for before, after in zip(whole, top_ids(store, name, tmp_path, logs), strict=True))
        for name in ("random@0.2", "views(log=log.tsv,match=any,base=random)@0.2")
    )
    assert viewed == sum(map(len, whole)) > alone


def hits_of(store: Path, cleaner: str, method: str, original: bool, tmp_path: Path) -> list[str]:
    build_pruned(store, parse_cleaner(cleaner), parse_pruning(method), tmp_path / "index", OPTIONS, original)
    with Searcher(tmp_path / "index", parse_retrieval("bm25"), 1000) as searcher:
        return [id_ for query in QUERIES for id_, _ in searcher.search(query)]


def top_ids(store: Path, method: str, tmp_path: Path, logs: dict[str, tuple[str, ...]]) -> list[set[str]]:
    """Return the ten best documents of each query that bm25 finds in a pruned index."""
    build_pruned(store, Cleaner(), parse_pruning(method), tmp_path / "index", OPTIONS, logs=logs)
    with Searcher(tmp_path / "index", parse_retrieval("bm25"), 10) as searcher:
        return [{id_ for id_, _ in searcher.search(query)} for query in QUERIES]
