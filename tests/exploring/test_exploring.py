"""Exploring against the indexes that Lucene builds of the same cleaned documents: sizes, scores, rankings, measures."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle, repeat
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from odd_pages import QUERIES
from rankings_by_step import rankings_by_step
from real_collections import REAL, some_pages
from sweep_views import same_tables, sweep_of, sweeps_of

from thresher.base.defaults import DEFAULT_MEASURES
from thresher.base.errors import InputError
from thresher.base.processes import Backend
from thresher.base.tables import Table, Texts, read_table, write_table
from thresher.cleaners.cleaner import Cleaner, Cut, parse_cleaner, parse_sweep
from thresher.collections import IdRule, ReadOptions, open_collection
from thresher.evaluation.evaluating import JudgedTopics, evaluate, topic_set
from thresher.evaluation.topics import Topic, read_topics
from thresher.evaluation.trec_files import read_qrels
from thresher.experiments.exploring import exploring
from thresher.experiments.exploring import nested_sweeps as nested_sweeps_module
from thresher.experiments.exploring.exploring import Search, analyse_queries, explore, in_chunks
from thresher.experiments.exploring.match_chunks import MatchChunks, store_matches
from thresher.experiments.exploring.nested_sweeps import NestedSweep, nested_sweeps, spread_cutoffs
from thresher.experiments.exploring.shard_counts import CountingJob, count_shards
from thresher.experiments.table import VariantTable
from thresher.indexes import lexicon
from thresher.indexes.analysis import Analysis, RetrievalModel, analyse, parse_retrieval, text_analyzer
from thresher.indexes.exact_ranking import ExactRanking
from thresher.indexes.indexing import LENGTHS, IndexOptions, IndexReport, build_index, open_index
from thresher.indexes.searching import LuceneRanking, Searcher
from thresher.scores.cutting import CleanedDocument, cleaned_documents
from thresher.scores.score_pass import ScorePlan, score_collection
from thresher.scores.store import read_shard, shards

pytestmark = pytest.mark.slow

MODELS = ("qld", "qld(exact)", "bm25", "qld(mu=50)", "bm25(b=0.9,k1=0)", "qld(exact,mu=37.5)", "classic")
OPTIONS = IndexOptions(lengths=True)
SWEEPS = ("words", "density(headings=keep)", "words(headings=drop)", "perplexity(lm=books)")
CLEANERS = ("bte", "words@4+perplexity(lm=books)@100000", "words@1.5", "perplexity(lm=books)@p70", "density@9")
MEASURES = (*DEFAULT_MEASURES, "AP(rel=2)@20", "nDCG", "RR", "P@5000")
QUOTAS = ("words@doc", "perplexity(lm=books,headings=keep)@doc")
QUOTA_CLEANERS = ("words@doc33.3", "perplexity(headings=keep)@doc50", "words(headings=drop)@doc50+perplexity@doc40")


def quota_sweep(name: str) -> Cut:
    return replace(parse_sweep(name.removesuffix("@doc")), quota=True)


def built(folder: Path, store: Path, cleaner: Cleaner, options: IndexOptions = OPTIONS) -> IndexReport:
    return build_index(((page.id, page.text) for page in cleaned_documents(store, cleaner)), folder, options)


def lucene_ranks(folder: Path, model: RetrievalModel, queries: Sequence[str], depth: int) -> list[dict[str, float]]:
    """What Lucene finds, in its order, with scores rounded to four places but not lowered."""
    with open_index(folder) as reader:
        analyzer = text_analyzer(Analysis())
        ranking: LuceneRanking | ExactRanking
        if model.exact:
            ranking = ExactRanking(reader, analyzer, model.mu, depth, folder / LENGTHS)
        else:
            ranking = LuceneRanking(reader, analyzer, model, depth)
        return [dict(zip(*ranking.rank(query), strict=True)) for query in queries]


def counted_store(store: Path, every: Sequence[NestedSweep], terms: list[str], folder: Path) -> MatchChunks:
    counted = count_shards(store, CountingJob(every, OPTIONS, lexicon.hash_texts(terms)))
    return store_matches(len(terms), in_chunks(counted, [len(sweep.cleaners) for sweep in every]), folder)


def ids_of(store: Path) -> list[str]:
    return [identifier for path in shards(store) for identifier in read_shard(path, ["id"]).texts("id").tolist()]


def check_against_lucene(
    store: Path,
    every: Sequence[NestedSweep],
    chosen: set[str],
    queries: Sequence[str],
    models_of_sweeps: Iterable[Sequence[str]],
    folder: Path,
) -> int:
    """Compare the rankings of the chosen cleaners for every query by the models of their sweep; return how many."""
    analysed = analyse_queries(queries, OPTIONS)
    of_chunks = folder.with_name("chunks")
    of_chunks.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploring, "_CHUNK", 100)
        chunks = counted_store(store, every, analysed.terms, of_chunks)
    assert len(chunks.chunks) > 1
    ids = {number: identifier for identifier, number in chunks.numbers(ids_of(store)).items()}
    compared = 0
    for place, (sweep, of_sweep) in enumerate(zip(every, models_of_sweeps, strict=False)):
        explored = {
            name: rankings_by_step(chunks, analysed.queries, place, parse_retrieval(name), 1000) for name in of_sweep
        }
        for step, cleaner in enumerate(sweep.cleaners):
            if cleaner.name not in chosen:
                continue
            report = built(folder, store, cleaner)
            assert report.documents == int(np.cumsum(chunks.statistics[place].counts.documents)[step])
            for name in of_sweep:
                ranked = explored[name][max(known for known in explored[name] if known <= step)]
                lucene = lucene_ranks(folder, parse_retrieval(name), queries, 1000)
                for ours, theirs in zip(ranked, lucene, strict=True):
                    assert [ids[place] for place in ours] == [*theirs], (cleaner.name, name)
                    assert_allclose([*ours.values()], [*theirs.values()], rtol=0, atol=6e-5)
                    compared += 1
    return compared


def test_rankings_are_those_of_built_indexes(store: Path, tmp_path: Path) -> None:
    sweeps = [*map(parse_sweep, SWEEPS), *map(quota_sweep, QUOTAS)]
    cleaners = [Cleaner(), *map(parse_cleaner, (*CLEANERS[:3], *QUOTA_CLEANERS))]
    every = nested_sweeps(spread_cutoffs(store, sweeps, 12), cleaners)
    chosen = {cleaner.name for sweep in every for cleaner in sweep.cleaners[:: 11 if sweep.has_cutoffs else 1]}
    chosen |= {"words@doc33.3", "perplexity(lm=books,headings=keep)@doc100"}
    assert (
        check_against_lucene(store, every, chosen, QUERIES, cycle((MODELS[::2], MODELS[1::2])), tmp_path / "index")
        > 400
    )


@pytest.mark.parametrize(("place", "topics", "rule"), REAL[1:])
def test_rankings_of_real_collections(shared_data: Path, tmp_path: Path, place: str, topics: str, rule: IdRule) -> None:
    """Of every third page and topic."""
    archive = shared_data / "retrieval" / place
    fewer = some_pages(archive, tmp_path, 3)
    sweeps = [parse_sweep("words"), parse_sweep("density"), quota_sweep("words@doc")]
    plan = ScorePlan(open_collection(fewer, ReadOptions(rule)), tuple(sweep.scorer for sweep in sweeps[:2]))
    score_collection(plan, tmp_path / "scores", Backend(workers=2))
    queries = [topic.query for topic in read_topics(archive.with_name(topics)).values()][::3]
    cutoffs = spread_cutoffs(tmp_path / "scores", sweeps, 100)
    assert min(map(len, cutoffs.values())) >= 61
    some = {sweep: result[20::40] for sweep, result in cutoffs.items()}
    every = nested_sweeps(some, [Cleaner()])
    chosen = {"none", *(sweep.cleaners[1].name for sweep in every[1:])}
    assert "words@doc61" in chosen
    compared = check_against_lucene(tmp_path / "scores", every, chosen, queries, repeat(MODELS[:3]), tmp_path / "index")
    assert compared == 12 * len(queries)


@pytest.fixture(scope="module")
def judged(pages: dict[str, str]) -> JudgedTopics:
    topics = {str(number): Topic(str(number), query) for number, query in enumerate(QUERIES)}
    ids = sorted(pages)
    qrels = {
        topic: {ids[(7 * place + number) % len(ids)]: place % 4 - 1 for place in range(40)} | {"elsewhere": 2}
        for number, topic in enumerate(topics)
    }
    return JudgedTopics(topics, qrels, tuple(topics)[::-1])


def test_an_exploration_tells_what_building_every_index_would(
    store: Path, judged: JudgedTopics, tmp_path: Path
) -> None:
    sweeps = [*map(parse_sweep, SWEEPS), *map(quota_sweep, QUOTAS)]
    models = [parse_retrieval(name) for name in MODELS[:2]]
    cleaners = [*map(parse_cleaner, (*CLEANERS, *QUOTA_CLEANERS))]
    explored = explore(store, sweeps, cleaners, Search(judged, models, OPTIONS, 30, MEASURES), 9)
    assert [table.retrieval for table in explored] == ["qld", "qld(exact)"]
    measures = explored[0].measures
    assert explored[0].topics == judged.ids
    assert measures[3:7] == ("nDCG(dcg='exp-log2')@10", "Judged@10", "AP(rel=2)@20", "nDCG")
    combined = "words(headings=drop)@doc50+perplexity(lm=books)@doc40"
    names = ["none", "bte", "words@4+perplexity(lm=books)@100000", "density@9", combined, *SWEEPS, *QUOTAS]
    assert [sweep.name for sweep in sweeps_of(explored)] == names
    percentile = sweep_of(explored, "perplexity(lm=books)").cutoffs
    assert percentile == tuple(sorted(percentile))
    quotas = sweep_of(explored, "words@doc")
    assert quotas.cutoffs == tuple(sorted([33.3, *(100 * step / 9 for step in range(1, 10))]))
    assert quotas.variants[2:5] == ("words@doc33.3", "words@doc33.333333333333336", "words@doc44.44444444444444")
    # Pages keep at least the quota of their words, and so does the collection.
    assert all(
        words >= quota / 100 * quotas.words[-1] for quota, words in zip(quotas.cutoffs, quotas.words, strict=True)
    )
    baseline = sweep_of(explored, "none")
    assert (quotas.sizes[-1], quotas.words[-1]) == (baseline.sizes[0], baseline.words[0])
    assert quotas.values[:, :, -1].tolist() == baseline.values[:, :, 0].tolist()
    assert "words@1.5" in sweep_of(explored, "words").variants
    check_middle_variants(explored, store, judged, models, tmp_path / "index")
    with pytest.raises(KeyError):
        sweep_of(explored, "ncleaner")


def check_middle_variants(
    explored: Sequence[VariantTable], store: Path, judged: JudgedTopics, models: Sequence[RetrievalModel], index: Path
) -> None:
    """Build the index of a variant of each sweep, and compare counts and measures."""
    analyzer = text_analyzer(Analysis())
    measures = explored[0].measures
    tokens_of: dict[str, list[str]] = {}
    for sweep in sweeps_of(explored):
        step = len(sweep.variants) // 2
        cleaner = parse_cleaner(sweep.variants[step])
        documents: list[CleanedDocument] = [*cleaned_documents(store, cleaner)]
        report = built(index, store, cleaner)
        for document in documents:
            if document.text not in tokens_of:
                tokens_of[document.text] = analyse(analyzer, document.text)
        tokens = [tokens_of[document.text] for document in documents]
        assert sweep.words[step] == sum(document.words for document in documents)
        size = sweep.sizes[step]
        assert (size.documents, size.tokens) == (report.documents, sum(map(len, tokens)))
        assert size.postings == sum(len(set(some)) for some in tokens)
        assert size.vocabulary == len({token for some in tokens for token in some})
        for number, model in enumerate(models):
            with Searcher(index, model, 30) as searcher:
                run = {topic: dict(searcher.search(judged.topics[topic].query)) for topic in judged.ids}
            expected = evaluate(judged.qrels, run, MEASURES, judged.ids)
            assert [*expected] == [*measures]
            values = np.array([[*expected[name].values()] for name in measures])
            assert sweep.values[number, :, step] == pytest.approx(values, abs=1e-12)
            position = explored[number].position[sweep.variants[step]]
            assert explored[number].mean("AP")[position] == pytest.approx(np.mean([*expected["AP"].values()]))


def test_held_out_topics_are_explored_as_if_they_were_alone(store: Path, judged: JudgedTopics) -> None:
    """Ids of both sets coincide, and stand for other queries and judgments."""
    held_out = JudgedTopics(
        {topic: Topic(topic, QUERIES[(place + 3) % len(QUERIES)]) for place, topic in enumerate(judged.ids)},
        {topic: {page: 2 - grade for page, grade in judged.qrels[topic].items()} for topic in judged.ids[2:]},
        judged.ids[2:],
    )
    asked = (
        [parse_sweep("words"), parse_sweep("density")],
        [parse_cleaner("bte")],
        [*map(parse_retrieval, MODELS[:3])],
        OPTIONS,
    )
    sweeps, cleaners, models, options = asked
    both = explore(store, sweeps, cleaners, Search(judged, models, options, 20, MEASURES, held_out), 8)
    plain = explore(store, sweeps, cleaners, Search(judged, models, options, 20, MEASURES), 8)
    other = explore(store, sweeps, cleaners, Search(held_out, models, options, 20, MEASURES), 8)
    assert (both[0].topics, both[0].held_out_topics) == (judged.ids, judged.ids[2:])
    assert (plain[0].held_out_topics, plain[0].held_out.shape[-1]) == ((), 0)
    for sweep, expected, tested in zip(*map(sweeps_of, (both, plain, other)), strict=True):
        assert sweep.values.tolist() == expected.values.tolist()
        assert sweep.held_out.tolist() == tested.values.tolist()
        assert sweep.sizes == expected.sizes == tested.sizes
        assert (sweep.values[:, 2] > 0).any()
        assert (sweep.held_out[:, 2] > 0).any()


def test_shards_add_up_in_any_order_and_in_chunks(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = nested_sweeps(spread_cutoffs(store, [parse_sweep("words")], 20), [Cleaner()])
    analysed = analyse_queries(QUERIES, OPTIONS)
    paths = sorted(store.glob("shard-*.npz"))
    assert len(paths) > 3
    for number, path in enumerate(reversed(paths)):
        shutil.copy(path, tmp_path / f"shard-{number:06}-000000.npz")
    one = counted_store(store, every, analysed.terms, tmp_path)
    monkeypatch.setattr(exploring, "_CHUNK", 600)
    (tmp_path / "chunks").mkdir()
    other = counted_store(tmp_path, every, analysed.terms, tmp_path / "chunks")
    assert len(one.chunks) == 1 < len(other.chunks) < len(paths)
    assert one.numbers(ids_of(store)) == other.numbers(ids_of(store))
    for some, others in zip(one.statistics, other.statistics, strict=True):
        for name in ("words", "tokens", "documents", "with_tokens", "postings"):
            assert getattr(some.counts, name).tolist() == getattr(others.counts, name).tolist()
        assert (some.cf.tolist(), some.df.tolist()) == (others.cf.tolist(), others.df.tolist())
    assert one.vocabulary.terms.tolist() == other.vocabulary.terms.tolist()
    for model in map(parse_retrieval, MODELS):
        ranked, again = (rankings_by_step(chunks, analysed.queries, 1, model, 50) for chunks in (one, other))
        assert [*ranked] == [*again]
        for step, topics in ranked.items():
            assert [[*topic.items()] for topic in topics] == [[*topic.items()] for topic in again[step]]


def test_what_is_explored_does_not_depend_on_chunks(
    store: Path, judged: JudgedTopics, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Other tests explore the same store, and work beside it.
    own = tmp_path / "scores"
    own.symlink_to(store)
    asked = (
        own,
        [parse_sweep("words")],
        [parse_cleaner("bte")],
        Search(judged, [*map(parse_retrieval, MODELS[:3])], OPTIONS, 25, MEASURES),
    )
    explored = []
    for size in (1 << 22, 1):
        monkeypatch.setattr(exploring, "_CHUNK", size)
        explored.append(explore(*asked, points=12))
    assert same_tables(*explored)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores"]


def test_memory_does_not_grow_with_the_collection(
    store: Path, judged: JudgedTopics, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """That of Python, with small chunks, few words that are remembered and few scores that wait to be counted."""
    monkeypatch.setattr(exploring, "_CHUNK", 2_000)
    monkeypatch.setattr(lexicon, "_MOST_WORDS", 1000)
    monkeypatch.setattr(nested_sweeps_module, "_AT_ONCE", 1000)
    peaks = []
    # What is made once is made for the first.
    for times in (1, 3, 9):
        folder = tmp_path / str(times)
        folder.mkdir()
        for path in shards(store)[::2]:
            table = read_table(path)
            for copy in range(times):
                ids = Texts.of([f"{identifier}-{copy}" for identifier in table.texts("id").tolist()])
                number = len(list(folder.iterdir()))
                copied = Table({**table.columns, "id": ids})
                write_table(folder / f"shard-{number:06}-000000.npz", copied, "")
        tracemalloc.start()
        explore(folder, [parse_sweep("words")], [], Search(judged, [parse_retrieval("qld")], OPTIONS, 10), 30)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # Threads differ in what they hold at once; what grew with the collection would be three times as much.
    assert peaks[2] < 1.5 * peaks[1]


def test_what_cannot_be_evaluated_is_told(store: Path, judged: JudgedTopics) -> None:
    qrels = {topic: {"a": 30} for topic in judged.ids}
    wrong = JudgedTopics(judged.topics, qrels, judged.ids)
    with pytest.raises(InputError, match="the grade 30, too large"):
        explore(store, [], [], Search(wrong, [parse_retrieval("qld")], OPTIONS))


def test_topics_are_read_as_in_an_experiment(shared_data: Path) -> None:
    folder = shared_data / "retrieval" / "postgresql-manual"
    topics = read_topics(folder / "topics.tsv")
    ids, _ = topic_set(topics, read_qrels(folder / "qrels.txt"))
    analysed = analyse_queries([topics[topic].query for topic in ids], OPTIONS)
    analyzer = text_analyzer(Analysis())
    for topic, query in zip(ids, analysed.queries, strict=True):
        tokens = analyse(analyzer, topics[topic].query)
        assert query.size == len(tokens)
        assert {analysed.terms[number]: times for number, times in query.counts.items()} == {
            token: tokens.count(token) for token in tokens
        }
