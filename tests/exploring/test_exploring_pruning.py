"""Explored pruning methods against pruned indexes that Lucene searches: sizes, rankings, scores, measures."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from odd_pages import QUERIES
from rankings_by_step import rankings_by_step
from real_collections import REAL, some_pages
from sweep_views import sweep_of, sweeps_of

from thresher.base.processes import Backend
from thresher.cleaners.cleaner import Cleaner, parse_cleaner, parse_sweep
from thresher.collections import IdRule, ReadOptions, open_collection
from thresher.evaluation.evaluating import JudgedTopics, evaluate
from thresher.evaluation.topics import Topic, read_topics
from thresher.experiments.exploring import exploring
from thresher.experiments.exploring.exploring import Search, analyse_queries, explore
from thresher.experiments.exploring.exploring_pruning import (
    PruningSweep,
    count_pruning,
    explore_pruning,
    spread_over_sizes,
)
from thresher.indexes.analysis import Analysis, parse_retrieval
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.lexicon import Lexicon, ShardTokenizer, hash_texts
from thresher.indexes.pruning.collected_postings import collected_postings
from thresher.indexes.pruning.method import KEEP_SHARE
from thresher.indexes.pruning.pruned_index import PrunedIndexOptions, build_pruned
from thresher.indexes.pruning.treatments import Pruning, methods, parse_pruning, parse_treatment
from thresher.indexes.searching import Searcher
from thresher.scores.score_pass import ScorePlan, score_collection

pytestmark = pytest.mark.slow

MODELS = ("qld", "qld(exact)", "bm25", "qld(mu=50)", "classic")
OPTIONS = IndexOptions(lengths=True)
PRUNING = tuple(methods())
CLEANERS = ("none", "words@4")
MEASURES = ("AP", "nDCG@10", "P@5")


def run_of(folder: Path, model: str, queries: Sequence[str], depth: int = 1000) -> list[tuple[list[str], list[float]]]:
    with Searcher(folder, parse_retrieval(model), depth) as searcher:
        return [searcher.ranking.rank(query) for query in queries]


def compared_rankings(
    store: Path,
    sweeps: Sequence[PruningSweep],
    texts: Sequence[str],
    models: Sequence[str],
    cutoffs: Sequence[float],
    original: bool,
) -> int:
    """Compare explored rankings with those of pruned indexes; return how many were compared.

    Args:
        store: the score store.
        sweeps: of one cleaner.
        texts: of the queries.
        models: retrieval models, which the sweeps take in turn.
        cutoffs: to compare; the first and the middle one of each sweep if empty.
        original: whose statistics.
    """
    analysed = analyse_queries(texts, OPTIONS)
    folder = store.parent / "compared"
    with collected_postings(
        store, sweeps[0].cleaner, ShardTokenizer(Lexicon(Analysis())), folder / "postings"
    ) as postings:
        documents = [id_ for block in postings.blocks() for id_ in block.ids]
        every = count_pruning(postings, sweeps, hash_texts(analysed.terms), original, folder)
    compared = 0
    for number, (sweep, counted) in enumerate(zip(sweeps, every, strict=True)):
        place = folder / str(number)
        place.mkdir()
        chunks = counted.matches(place)
        id_of = {of_id: id_ for id_, of_id in chunks.numbers(documents).items()}
        model = models[number % len(models)]
        explored = rankings_by_step(chunks, analysed.queries, 0, parse_retrieval(model), 1000)
        of_sweep = counted.cutoffs.tolist()
        for cutoff in cutoffs or (of_sweep[0], of_sweep[len(of_sweep) // 2]):
            step, pruning = of_sweep.index(cutoff), Pruning(sweep.method, cutoff)
            built = build_pruned(store, sweep.cleaner, pruning, folder / "index", PrunedIndexOptions(OPTIONS, original))
            assert built.index.statistics == counted.sizes[step], pruning.name
            with Searcher(folder / "index", parse_retrieval(model)) as searcher:
                touched = chunks.statistics[0].query_postings(analysed.queries)
                assert searcher.work(texts).by_query == tuple(touched[step].tolist())
            ranked = explored[max(known for known in explored if known <= step)]
            for ours, (ids, scores) in zip(ranked, run_of(folder / "index", model, texts), strict=True):
                assert [id_of[document] for document in ours] == ids, (pruning.name, model)
                assert_allclose([*ours.values()], scores, rtol=0, atol=6e-5)
                compared += 1
    shutil.rmtree(folder)
    return compared


@pytest.mark.parametrize("original", [True, False])
@pytest.mark.parametrize("cleaner", CLEANERS)
def test_rankings_at_every_cutoff_are_those_of_pruned_indexes(
    store: Path, tmp_path: Path, cleaner: str, original: bool
) -> None:
    """Of every method with both cleaners and both statistics, though not with all four pairs."""
    shutil.copytree(store, tmp_path / "scores")
    some = PRUNING[original == (cleaner == "none") :: 2]
    sweeps = [PruningSweep(parse_cleaner(cleaner), parse_pruning(name).method, points=7) for name in some]
    compared = compared_rankings(tmp_path / "scores", sweeps, QUERIES, MODELS, (), original)
    assert compared == 2 * len(some) * len(QUERIES)


@pytest.mark.parametrize(("place", "topics", "rule"), REAL[:1])
def test_rankings_of_real_collections(shared_data: Path, tmp_path: Path, place: str, topics: str, rule: IdRule) -> None:
    """Of every eighth page and every third topic."""
    archive = shared_data / "retrieval" / place
    fewer = open_collection(some_pages(archive, tmp_path, 8), ReadOptions(rule))
    score_collection(ScorePlan(fewer, ()), tmp_path / "scores", Backend(workers=2))
    queries = [topic.query for topic in read_topics(archive.with_name(topics)).values()][::3]
    for original, cutoff in ((True, "dcp@0.3"), (False, "tcp@0.8")):
        pruning = parse_pruning(cutoff)
        sweep = PruningSweep(Cleaner(), pruning.method, (pruning.threshold,), 3)
        assert compared_rankings(tmp_path / "scores", [sweep], queries, ["bm25"], [pruning.threshold], original) == len(
            queries
        )


@pytest.fixture(scope="module")
def judged(store: Path) -> JudgedTopics:
    topics = {str(number): Topic(str(number), query) for number, query in enumerate(QUERIES)}
    with collected_postings(store, Cleaner(), ShardTokenizer(Lexicon(Analysis())), store.parent / "ids") as postings:
        ids = sorted(id_ for block in postings.blocks() for id_ in block.ids)
    qrels = {
        topic: {ids[(7 * place + number) % len(ids)]: place % 4 - 1 for place in range(40)}
        for number, topic in enumerate(topics)
    }
    return JudgedTopics(topics, qrels, tuple(topics))


def test_values_are_those_of_runs_and_the_laxest_cutoff_is_the_baseline(
    store: Path, judged: JudgedTopics, tmp_path: Path
) -> None:
    models = [parse_retrieval(name) for name in MODELS[:3]]
    search = Search(judged, models, OPTIONS, measures=MEASURES, held_out=judged)
    tables = explore(store, [], [], search)
    baseline = sweep_of(tables, "none")
    sweeps = [
        PruningSweep(Cleaner(), parse_pruning(name).method, (parse_pruning(name).method.grid[1],), 5)
        for name in PRUNING
    ]
    for original in (True, False):
        everything = explore_pruning(tables, store, sweeps, search, original)
        explored = sweeps_of(everything)[1:]
        for sweep, given in zip(explored, sweeps, strict=True):
            assert sweep.name == f"none|{given.method.canonical_name}"
            assert given.cutoffs[0] in sweep.cutoffs
            assert sweep.sizes[-1] == baseline.sizes[0]
            assert sweep.values[:, :, -1].tolist() == baseline.values[:, :, 0].tolist()
            assert sweep.held_out.tolist() == sweep.values.tolist()
            assert all(np.diff([size.postings for size in sweep.sizes]) >= 0)
    dcp = explored[PRUNING.index("dcp")]
    pruning = parse_treatment(dcp.variants[1]).pruning
    assert pruning is not None
    build_pruned(store, Cleaner(), pruning, tmp_path / "index", PrunedIndexOptions(OPTIONS, original_statistics=False))
    for number, model in enumerate(models):
        with Searcher(tmp_path / "index", model, 1000) as searcher:
            run = {topic: dict(searcher.search(judged.topics[topic].query)) for topic in judged.ids}
        expected = evaluate(judged.qrels, run, MEASURES, judged.ids)
        values = np.array([[*of_topic.values()] for of_topic in expected.values()])
        assert dcp.values[number, :, 1] == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("original", [True, False])
def test_values_do_not_depend_on_chunks(
    store: Path, judged: JudgedTopics, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, original: bool
) -> None:
    models = [parse_retrieval(name) for name in MODELS[:2]]
    sweeps = [PruningSweep(Cleaner(), parse_pruning(name).method, points=4) for name in PRUNING[original::2]]
    values, chunks = [], []
    terms = analyse_queries(QUERIES, OPTIONS).terms
    for size in (1 << 22, 1):
        monkeypatch.setattr(exploring, "_CHUNK", size)
        search = Search(judged, models, OPTIONS, 25, MEASURES)
        tables = explore(store, [], [], search)
        explored = sweeps_of(explore_pruning(tables, store, sweeps, search, original))
        values.append([(one.sizes, one.query_postings.tolist(), one.values.tolist()) for one in explored])
        folder = tmp_path / str(size)
        folder.mkdir()
        with collected_postings(store, Cleaner(), ShardTokenizer(Lexicon(Analysis())), folder / "postings") as postings:
            (counted,) = count_pruning(postings, sweeps[:1], hash_texts(terms), original, folder)
        chunks.append(len(counted.matches(folder).chunks))
    assert values[0] == values[1]
    assert chunks[0] == 1 < chunks[1]
    assert not list(store.parent.glob(".thresher-*"))


def test_cutoffs_are_spread_and_named_ones_are_among_them(store: Path, judged: JudgedTopics) -> None:
    model = [parse_retrieval("qld")]
    sweeps = [PruningSweep(Cleaner(), parse_pruning(name).method, (0.123,), 40) for name in ("dcp", "up", "tcp")]
    search = Search(judged, model, OPTIONS, measures=MEASURES)
    tables = explore(store, [], [], search)
    for sweep in sweeps_of(explore_pruning(tables, store, sweeps, search))[1:]:
        assert len(sweep.variants) >= 20
        assert 0.123 in sweep.cutoffs
        strictest_first = sorted(
            sweep.cutoffs, reverse=parse_treatment(sweep.variants[0]).pruning.method.keep != KEEP_SHARE
        )  # type: ignore[union-attr]
        assert list(sweep.cutoffs) == strictest_first
        assert [parse_treatment(name).name for name in sweep.variants] == list(sweep.variants)


def test_infinite_scores_of_a_collection_of_one_page_are_no_cutoffs(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>return a file of a path<p>the file")
    score_collection(ScorePlan(open_collection(tmp_path / "page.html"), ()), tmp_path / "scores", Backend(1))
    sweeps = [PruningSweep(Cleaner(), parse_pruning(f"{name}@0.5").method, (), 20) for name in PRUNING]
    topics = JudgedTopics({"1": Topic("1", "file")}, {"1": {"page": 1}}, ("1",))
    search = Search(topics, [parse_retrieval("qld")], OPTIONS, measures=("AP",))
    tables = explore_pruning(explore(tmp_path / "scores", [], [], search), tmp_path / "scores", sweeps, search)
    found = sweeps_of(tables)[-len(PRUNING) :]
    assert all(len(sweep.cutoffs) and np.isfinite(sweep.cutoffs).all() for sweep in found)


def test_combined_cutoffs_are_spread_over_index_sizes(store: Path, judged: JudgedTopics) -> None:
    tables = explore(store, [parse_sweep("words")], [], Search(judged, [parse_retrieval("qld")], OPTIONS))
    chosen, words = spread_over_sizes(tables[0], "words", 5), sweep_of(tables, "words")
    by_cutoff: Mapping[float, int] = dict(zip(words.cutoffs, (size.postings for size in words.sizes), strict=True))
    kept = [by_cutoff[cutoff] for cutoff in chosen]
    smallest, largest = min(by_cutoff.values()), max(by_cutoff.values())
    nearest: set[int] = set()
    for step in range(1, 6):
        wanted = smallest + step * (largest - smallest) / 5
        nearest.add(min(by_cutoff.values(), key=lambda postings: abs(postings - wanted)))
    assert len(chosen) >= 3
    assert set(kept) == nearest
    assert len(set(kept)) == len(kept)
