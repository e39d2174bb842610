"""Rankings at many steps against scoring every document at every step by itself, with documents left out early and not."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankings_by_step import rankings_by_step

from thresher.base.errors import ResourceError
from thresher.base.numbers import Floats
from thresher.base.processes import Backend
from thresher.experiments.exploring import ranking, ranking_job
from thresher.experiments.exploring.counts import HashedTerms, Occurrences, Sentences, ShardCounts, StepCounts
from thresher.experiments.exploring.match_chunks import MatchChunks, store_matches
from thresher.experiments.exploring.matching import Query
from thresher.experiments.exploring.rank_measures import Evaluator
from thresher.experiments.exploring.ranking_job import RankingJob, RankingTask, evaluate_sweeps
from thresher.experiments.exploring.similarity import Integers, LengthParts, _Dirichlet, stored_lengths
from thresher.indexes.analysis import RetrievalModel, parse_retrieval
from thresher.indexes.pruning.postings import Numbers

MODELS = (
    "qld",
    "qld(mu=1)",
    "qld(mu=100000)",
    "qld(exact)",
    "qld(exact,mu=3)",
    "bm25",
    "bm25(b=1,k1=0.1)",
    "bm25(k1=0)",
)
TERMS = 5
MANY = 1000
"""Examples of each property in `make fuzz`."""


def collection(seed: int, documents: int, steps: int) -> ShardCounts:
    """Some documents of a few sentences each; every second step adds nothing, and one document is as another."""
    draw = np.random.default_rng(seed)
    sentences = draw.integers(1, 6, documents)
    document = np.repeat(np.arange(documents, dtype=np.int32), sentences)
    step = (2 * draw.integers(0, steps // 2 + 1, len(document))).astype(np.uint16)
    times = draw.poisson(0.6, (len(document), TERMS)) * draw.integers(1, 4, (len(document), 1))
    tokens = (times.sum(axis=1) + draw.integers(1, 60, len(document))).astype(np.int32)
    twin = np.flatnonzero(document == documents - 1)
    if len(twin) == sentences[0]:
        first = np.flatnonzero(document == 0)
        step[twin], times[twin], tokens[twin] = step[first], times[first], tokens[first]
    sentence, term = np.nonzero(times)
    return ShardCounts(
        tuple(f"d{number:03}" for number in range(documents)),
        Sentences(document, tokens, np.minimum(step, steps).astype(np.uint16)[None]),
        Occurrences(sentence.astype(np.int32), term.astype(np.int32), times[sentence, term].astype(np.int32)),
        (step_counts(document, tokens, np.minimum(step, steps), steps),),
        HashedTerms(np.zeros(0, dtype=np.uint64), (np.zeros(0, dtype=np.uint16),), 2**64 - 1),
    )


def step_counts(document: Numbers, tokens: Numbers, step: npt.NDArray[np.uint16], steps: int) -> StepCounts:
    firsts = [int(step[document == number].min()) for number in np.unique(document)]
    zeros = np.zeros(steps + 1, dtype=np.int64)
    return StepCounts(
        zeros,
        np.bincount(step, tokens, steps + 1).astype(np.int64),
        zeros,
        np.bincount(np.array(firsts, dtype=np.int64), minlength=steps + 1),
        zeros,
    )


def chunks_of(whole: ShardCounts, count: int) -> Iterator[ShardCounts]:
    """Every n-th document, so that the ids of a chunk are not consecutive."""
    sentences, occurrences = whole.sentences, whole.occurrences
    for first in range(count):
        chosen = np.flatnonzero(sentences.document % count == first)
        place = np.full(len(sentences.document), -1)
        place[chosen] = np.arange(len(chosen))
        occurring = np.flatnonzero(place[occurrences.sentence] >= 0)
        document, tokens, steps = sentences.document[chosen], sentences.tokens[chosen], sentences.steps[:, chosen]
        yield replace(
            whole,
            ids=whole.ids[first::count],
            sentences=Sentences(document // count, tokens, steps),
            occurrences=Occurrences(
                place[occurrences.sentence[occurring]].astype(np.int32),
                occurrences.term[occurring],
                occurrences.tf[occurring],
            ),
            counts=(step_counts(document, tokens, steps[0], len(whole.counts[0].tokens) - 1),),
        )


def one_by_one(result: ShardCounts, step: int, query: Query, model: RetrievalModel) -> list[tuple[int, float]]:
    """Documents and scores, best first, of the sentences that came in up to a step: the formulas, document by document."""
    sentences, occurrences = result.sentences, result.occurrences
    kept = sentences.steps[0] <= step
    size = int(result.counts[0].tokens[: step + 1].sum())
    holding = int(result.counts[0].with_tokens[: step + 1].sum())
    lengths = np.bincount(sentences.document[kept], sentences.tokens[kept], len(result.ids)).astype(int)
    times = np.zeros((TERMS, len(result.ids)), dtype=int)
    chosen = kept[occurrences.sentence]
    documents = sentences.document[occurrences.sentence[chosen]]
    np.add.at(times, (occurrences.term[chosen], documents), occurrences.tf[chosen])
    one, k1, b = np.float32(1), np.float32(model.k1), np.float32(model.b)
    scored = []
    for document, length in enumerate(lengths.tolist()):
        stored = int(stored_lengths(np.array([length]))[0])
        total, there = 0.0, False
        for term, boost in query.counts.items():
            count, occurrences = int(times[term, document]), int(times[term].sum())
            if not count:
                continue
            there = True
            holders = int(np.count_nonzero(times[term]))
            if model.exact:
                total += boost * math.log1p(count / (model.mu * (occurrences / size)))
            elif model.family == "qld":
                mu = float(np.float32(model.mu))
                value = math.log(1 + count / (mu * ((occurrences + 1) / (size + 1)))) + math.log(mu / (stored + mu))
                total += float(np.float32(max(0.0, boost * value)))
            else:
                rarity = np.float32(math.log(1 + (holding - holders + 0.5) / (holders + 0.5)))
                weight = np.float32(boost) * rarity
                with np.errstate(divide="ignore"):
                    norm = one / (k1 * ((one - b) + b * np.float32(stored) / np.float32(size / holding)))
                total += float(weight - weight / (one + np.float32(count) * norm))
        if there:
            if model.exact:
                scored.append((document, round(total - query.size * math.log1p(length / model.mu), 10)))
            else:
                scored.append((document, float(np.float32(total))))
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


QUERIES = (
    Query({0: 1, 3: 1}, 2),
    Query({1: 2, 0: 1, 4: 3}, 7),
    Query({2: 1}, 1),
    Query({}, 2),
    Query({4: 1, 2: 1, 1: 1}, 3),
)


@functools.cache
def expected_of(seed: int, documents: int, steps: int, step: int, number: int, name: str) -> list[tuple[int, float]]:
    return one_by_one(collection(seed, documents, steps), step, QUERIES[number], parse_retrieval(name))


def stored(folder: Path, chunks: Iterable[ShardCounts]) -> MatchChunks:
    """Write chunks into a new folder."""
    place = folder / f"matches-{len(list(folder.iterdir()))}"
    place.mkdir()
    return store_matches(TERMS, chunks, place)


def check(folder: Path, seed: int, documents: int, steps: int, name: str, depth: int) -> None:
    result = collection(seed, documents, steps)
    ranked = rankings_by_step(stored(folder, [result]), QUERIES, 0, parse_retrieval(name), depth)
    changed = np.flatnonzero(result.counts[0].tokens[:steps]).tolist()
    assert [*ranked] == sorted({0, *changed})
    for step, some in ranked.items():
        for number in range(len(QUERIES)):
            expected = expected_of(seed, documents, steps, step, number, name)
            places, scores = [*some[number]], [*some[number].values()]
            assert scores == pytest.approx([score for _, score in expected[:depth]], abs=1e-6)
            # Libraries differ in the last bit of a logarithm: documents with scores as near as that may change places.
            apart = dict(expected)
            assert len(places) == min(depth, len(expected))
            assert [apart[place] for place in places] == pytest.approx(scores, abs=1e-6)
            ties = zip(pairwise(scores), pairwise(places), strict=True)
            assert all(first < second for (score, other), (first, second) in ties if score == other)


@pytest.mark.slow
@pytest.mark.parametrize("few", [0, 99], ids=["left-out", "all"])
def test_rankings_are_those_of_each_document_by_itself(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "_FEW", few)
    monkeypatch.setattr(ranking, "_ROWS", 5)
    for seed, documents, steps, depth in ((1, 60, 13, 5), (2, 40, 24, 1), (3, 9, 6, 50)):
        for name in MODELS:
            check(tmp_path, seed, documents, steps, name, depth)


def exactly(chunks: MatchChunks, model: RetrievalModel, depth: int) -> list[tuple[int, list[list[tuple[int, float]]]]]:
    ranked = rankings_by_step(chunks, QUERIES, 0, model, depth)
    return [(step, [[*ranking.items()] for ranking in some]) for step, some in ranked.items()]


WAYS = [(rows, few) for rows in (3, 16, 99) for few in (0, 4, 10**6)]
"""Steps of a block, and up to which multiple of the depth all pairs are scored."""


@pytest.mark.slow
@settings(deadline=None, max_examples=200 if settings().max_examples >= MANY else 12)
@given(
    st.integers(0, 2**32),
    st.integers(1, 120),
    st.integers(1, 30),
    st.integers(1, 12),
    st.sampled_from(MODELS),
    st.lists(st.sampled_from(WAYS), min_size=3, max_size=3, unique=True),
)
def test_leaving_out_changes_nothing_nor_do_chunks(
    seed: int, documents: int, steps: int, depth: int, name: str, ways: list[tuple[int, int]]
) -> None:
    """Not one bit of a score, nor the order of equal ones."""
    result, model = collection(seed, documents, steps), parse_retrieval(name)
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(ranking, "_ROWS", 1)
        patch.setattr(ranking, "_FEW", 10**6)
        place = Path(folder)
        one = stored(place, [result])
        expected = exactly(one, model, depth)
        several = [stored(place, chunks_of(result, count)) for count in (2, 7)]
        assert [len(chunks.chunks) for chunks in several] == [2, 7]
        assert [several[1].numbers(result.ids), several[1].numbers(["d000", "elsewhere"])] == [
            {identifier: number for number, identifier in enumerate(result.ids)},
            {"d000": 0},
        ]
        for rows, few in ways:
            patch.setattr(ranking, "_ROWS", rows)
            patch.setattr(ranking, "_FEW", few)
            for chunks in (one, *several):
                assert exactly(chunks, model, depth) == expected


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pairs of a term and a document that are scored at all steps of a block, by term."""
    counts: list[int] = []
    term_scores = _Dirichlet.term_scores

    def counting(scoring: _Dirichlet, term: int, boost: int, tf: Integers, length_parts: LengthParts) -> Floats:
        if len(tf) > 1:
            counts.append(tf.shape[1])
        return term_scores(scoring, term, boost, tf, length_parts)

    monkeypatch.setattr(_Dirichlet, "term_scores", counting)
    return counts


def test_most_documents_are_left_out(scored: list[int], tmp_path: Path) -> None:
    """The speed rests on this: few are scored for the best 10 of 3,000."""
    chunks = stored(tmp_path, [collection(5, 3000, 60)])
    assert len(rankings_by_step(chunks, QUERIES[:3], 0, parse_retrieval("qld"), 10)) == 30
    assert max(scored) < 1000


def test_a_term_is_scored_once_for_all_topics_that_have_it(scored: list[int], tmp_path: Path) -> None:
    chunks = stored(tmp_path, [collection(6, 300, 30)])
    sizes = []
    for queries in ([QUERIES[2]], [QUERIES[2]] * 50, [Query({2: 2}, 2), QUERIES[2]], [QUERIES[2], Query({0: 1}, 1)]):
        scored.clear()
        rankings_by_step(chunks, queries, 0, parse_retrieval("qld"), 100)
        sizes.append(sum(scored))
    one, same, boosted, other = sizes
    assert same == one
    assert boosted == 2 * one
    scored.clear()
    rankings_by_step(chunks, [Query({0: 1}, 1)], 0, parse_retrieval("qld"), 100)
    assert other == one + sum(scored)


def test_arrays_of_chunks_have_the_dtypes_of_numpy(tmp_path: Path) -> None:
    """The very objects, without which `ufunc.at` takes thirty times as long."""
    for chunk in stored(tmp_path, chunks_of(collection(4, 50, 10), 2)).chunks:
        matches = chunk.read()
        for numbers in (
            matches.occurrence_pair,
            matches.occurrence_tf,
            matches.sentence_document,
            matches.sentence_tokens,
        ):
            assert type(numbers) is np.ndarray
            assert numbers.dtype is np.dtype(np.int32)


def work(chunks: MatchChunks) -> RankingJob:
    topics = [[f"t{number}" for number in range(2)], [f"t{number}" for number in range(3)]]
    qrels = [
        {
            topic: {f"d{(7 * number + 3 * place) % 50:03}": place % 3 for place in range(20)}
            for number, topic in enumerate(some)
        }
        for some in topics
    ]
    numbers = chunks.numbers(f"d{number:03}" for number in range(50))
    measures = ("AP", "P@5", "nDCG@10")
    evaluators = [
        Evaluator(grades, names, numbers, chunks.documents, measures)
        for grades, names in zip(qrels, topics, strict=True)
    ]
    models = [parse_retrieval("qld"), parse_retrieval("qld(exact)")]
    return RankingJob(chunks.chunks, chunks.statistics, chunks.pairs, QUERIES, evaluators, models, 20)


@pytest.mark.slow
def test_workers_find_the_same_in_one_chunk_and_in_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = collection(4, 50, 70)
    alone = evaluate_sweeps(work(stored(tmp_path, [result])), None, tmp_path)
    assert [values.shape for values in alone[0]] == [(2, 3, 70, 2), (2, 3, 70, 3)]
    monkeypatch.setattr(ranking_job, "_MUCH", 0)
    # Rankings are held at few steps at a time.
    monkeypatch.setattr(ranking_job, "_MOST_RANKED", 5000)
    for count in (1, 4):
        for backend in (Backend(workers=2), Backend(workers=1)):
            job = work(stored(tmp_path, chunks_of(result, count)))
            together = evaluate_sweeps(job, backend, tmp_path)
            for values, expected in zip(together[0], alone[0], strict=True):
                assert values.tolist() == expected.tolist()


def test_steps_are_ranked_by_several_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = work(stored(tmp_path, [collection(4, 50, 70)]))
    changing = job.statistics[0].changing().tolist()
    for in_parallel, most, count in ((False, 1 << 26, 1), (True, 1 << 26, 2), (True, 10_000, 5)):
        monkeypatch.setattr(ranking_job, "_MOST_RANKED", most)
        tasks = [task for task in ranking_job._tasks(job, in_parallel) if task.model == 1]
        assert len(tasks) == count
        assert [step for task in tasks for step in task.steps.tolist()] == changing


@pytest.mark.slow
def test_a_worker_that_ends_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking_job, "_MUCH", 0)
    monkeypatch.setattr(ranking_job, "evaluate_task", _end)
    with pytest.raises(ResourceError) as caught:
        evaluate_sweeps(work(stored(tmp_path, [collection(4, 50, 10)])), Backend(workers=2), tmp_path)
    assert (caught.value.what, caught.value.where) == ("a worker ended while ranking", str(tmp_path))


def _end(job: RankingJob, task: RankingTask) -> list[Floats]:
    os._exit(3)
