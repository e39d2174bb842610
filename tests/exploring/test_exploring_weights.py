"""Explored variants with weights against indexes that are built from weighted text and that Lucene searches."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from numpy.testing import assert_allclose
from odd_pages import QUERIES

from thresher.cleaners.cleaner import Cleaner, parse_cleaner, parse_sweep
from thresher.evaluation.evaluating import JudgedTopics, evaluate
from thresher.evaluation.topics import Topic
from thresher.experiments.exploring.exploring import Search, WeightedSweeps, explore
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning
from thresher.experiments.measuring import build_variant
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.pruning.treatments import parse_pruning
from thresher.indexes.searching import Searcher
from thresher.scores.percentiles import resolved
from thresher.scores.weighting import Weights

pytestmark = pytest.mark.slow

OPTIONS = IndexOptions(lengths=True)
MODELS = ("qld", "qld(exact)", "bm25")
MEASURES = ("AP", "nDCG@10")
WEIGHTS = Weights(title=3, headings=2, anchors=0)
NAME = "weights(title=3,headings=2,anchors=0)"


@pytest.mark.parametrize("original", [True, False])
def test_explored_variants_with_weights_are_what_their_indexes_give(
    store: Path, pages: dict[str, str], tmp_path: Path, original: bool
) -> None:
    shutil.copytree(store, tmp_path / "scores")
    folder = tmp_path / "scores"
    topics = {str(number): Topic(str(number), query) for number, query in enumerate(QUERIES)}
    ids = sorted(pages)
    qrels = {topic: {ids[(11 * place + int(topic)) % len(ids)]: place % 3 for place in range(60)} for topic in topics}
    judged = JudgedTopics(topics, qrels, tuple(topics))
    search = Search(judged, [parse_retrieval(name) for name in MODELS], OPTIONS, measures=MEASURES)
    alone = WeightedSweeps(WEIGHTS, [parse_sweep("words(headings=headline)")], [Cleaner(), parse_cleaner("words@p30")])
    tables = explore(folder, [parse_sweep("words(headings=headline)")], [], search, 4, [alone])
    sweeps = [
        PruningSweep(Cleaner(), parse_pruning("dcp").method, (), 3, weights=WEIGHTS),
        PruningSweep(Cleaner(), parse_pruning("gain").method, (), 3, weights=WEIGHTS),
        PruningSweep(parse_cleaner("words@4"), parse_pruning("dcp").method, (), 2, True, WEIGHTS),
        PruningSweep(Cleaner(), parse_pruning("dcp").method, (), 2),
    ]
    tables = explore_pruning(tables, folder, sweeps, search, original)
    # The pages are documentation of modules, whose members depend on what else has been imported.
    percentile = resolved(folder, parse_cleaner("words@p30")).cuts[0].cutoff
    assert 25 < percentile < 36
    names = dict.fromkeys(row.variant.sweep or row.name for row in tables[0].rows)
    assert [*names] == [
        "none",
        "words(headings=headline)",
        f"none|{NAME}",
        f"words@{percentile:g}|{NAME}",
        f"words(headings=headline)|{NAME}",
        f"none|{NAME}|dcp",
        f"none|{NAME}|{parse_pruning('gain').name}",
        f"words|{NAME}|dcp",
        "none|dcp",
    ]
    for place, row in enumerate(tables[0].rows):
        built = build_variant(folder, row.variant.treatment, tmp_path / "index", OPTIONS, original)
        assert built.index.statistics == row.index, row.name
        assert built.words == row.words
        table = tables[place % len(MODELS)]
        with Searcher(tmp_path / "index", parse_retrieval(table.retrieval)) as searcher:
            report = searcher.search_topics([(topic, QUERIES[int(topic)]) for topic in topics], warm_up=0)
            assert searcher.work(QUERIES).by_query == tuple(table.query_postings[place].tolist())
        values = evaluate(qrels, {topic: dict(hits) for topic, hits in report.hits.items()}, MEASURES, judged.ids)
        for number, measure in enumerate(table.measures):
            expected = [values[measure][topic] for topic in judged.ids]
            assert_allclose(table.values[number, place], expected, atol=1e-9, err_msg=f"{row.name} {table.retrieval}")
