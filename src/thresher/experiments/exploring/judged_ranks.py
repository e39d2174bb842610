"""Measures at every step of a sweep, from the ranks of the judged documents and the number of all others.

P, R, RR, Success, AP, nDCG and Judged are computed over arrays of all topics and steps, added in trec_eval's order. All others
are those of `thresher.evaluation.evaluate`, which is asked once for all steps of a block where the judged documents have the
same ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt

from thresher.base.files import temporary_folder
from thresher.base.numbers import Floats, Ints
from thresher.base.processes import Backend, run_tasks
from thresher.base.progress import Progress, progress
from thresher.evaluation.evaluating import evaluate
from thresher.evaluation.measures import FURTHER, parse_measure
from thresher.experiments.exploring.matching import MatchChunks, Query
from thresher.experiments.exploring.ranking import NONE, rankings
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.pruning.postings import Numbers

_BY_ARRAYS = ("P", "R", "RR", "Success", "AP", "nDCG", "Judged")
_SLOTS = 1 << 16
_OF_SETS = ("SetP", "SetR", "SetF", "SetAP", *FURTHER)
"""All others are the same for a ranking that ends at its last judged document."""


@dataclass(frozen=True)
class _Hits:
    """Judged documents in so many rankings, grouped by ranking, then ordered by rank, which is from 0."""

    rankings: int
    ranking: Ints
    rank: Ints
    grade: Ints
    document: Ints

    def some(self, chosen: npt.NDArray[np.bool_]) -> _Hits:
        """Return some of the hits."""
        columns = (self.ranking, self.rank, self.grade, self.document)
        return _Hits(self.rankings, *(column[chosen] for column in columns))

    def sums(self, weights: Floats | None = None) -> Floats:
        """Return by ranking the sum of the hits' weights, added rank by rank; without weights, how many there are."""
        return np.bincount(self.ranking, weights, self.rankings).astype(np.float64)

    def position(self) -> Ints:
        """Return the position of each hit among those of its ranking, from 1."""
        begins = np.flatnonzero(np.diff(self.ranking, prepend=-1))
        return np.arange(1, len(self.ranking) + 1) - np.repeat(begins, np.diff(begins, append=len(self.ranking)))

    def discounted(self, exponential: bool) -> Floats:
        """Return the gain of each hit, its grade or 2^grade - 1, over the binary logarithm of its rank + 1, from 1."""
        gains = np.maximum(self.grade, 0).astype(np.float64)
        if exponential:
            gains = np.exp2(gains) - 1
        # As C computes them: numpy may differ in the last bit.
        logarithms = np.array([math.log2(rank + 2) for rank in range(int(self.rank.max(initial=-1)) + 1)])
        discounted: Floats = gains / logarithms[self.rank]
        return discounted


class Evaluator:
    """Computes measures for the rankings of a set of topics.

    Args:
        qrels: grade by document by topic.
        topics: in the order of the rankings.
        numbers: by id, what stands for each document in rankings; those that no qrels name may be missing.
        measures: names, see `parse_measure`.
    """

    def __init__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        topics: Sequence[str],
        numbers: Mapping[str, int],
        measures: Sequence[str],
    ) -> None:
        self._qrels, self._topics = qrels, topics
        self._measures = [parse_measure(name) for name in measures]
        # What cannot be evaluated is an error before the work.
        evaluate(qrels, {}, measures, topics)
        self._ids: dict[int, str] = {}
        self._judged: list[tuple[Ints, Ints]] = []
        best: list[tuple[int, int, int]] = []
        for position, topic in enumerate(topics):
            grades = qrels.get(topic, {})
            judged = sorted((numbers[document], grade) for document, grade in grades.items() if document in numbers)
            self._ids |= {numbers[document]: document for document in grades if document in numbers}
            number_of, grade = _ints(judged).reshape(-1, 2).T
            self._judged.append((number_of, grade))
            best.extend((position, rank, grade) for rank, grade in enumerate(sorted(grades.values(), reverse=True)))
        topic_of, rank_of, grade_of = _ints(best).reshape(-1, 3).T
        # As if all judged documents were retrieved, the best first.
        self._ideal = _Hits(len(topics), topic_of, rank_of, grade_of, np.full(len(best), NONE))

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the measures."""
        return tuple(map(str, self._measures))

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self._topics)

    def values(self, rankings: Iterable[Ints | Numbers], steps: int) -> Floats:
        """Return the values of the measures; shape (steps, measures, topics).

        `rankings` are of each topic in turn: documents at each step, best first, then `NONE`; shape (steps, ranks).
        """
        hits, retrieved = self._hits(rankings, steps)
        others = [measure for measure in self._measures if not _is_computed(measure)]
        of_sets = [str(measure) for measure in others if measure.NAME in _OF_SETS]
        of_ranks = [str(measure) for measure in others if measure.NAME not in _OF_SETS]
        ends = np.zeros(hits.rankings, dtype=np.int64)
        np.maximum.at(ends, hits.ranking, hits.rank + 1)
        evaluated = self._evaluated(of_sets, hits, retrieved) | self._evaluated(of_ranks, hits, ends)
        values = [
            self._value(measure, hits, retrieved) if _is_computed(measure) else evaluated[str(measure)]
            for measure in self._measures
        ]
        return np.array(values).reshape(len(values), steps, len(self._topics)).transpose(1, 0, 2)

    def _hits(self, rankings: Iterable[Ints | Numbers], steps: int) -> tuple[_Hits, Ints]:
        """Return the hits of all rankings, numbered by step, then by topic; and how many documents each ranking has."""
        retrieved = np.zeros((steps, len(self._topics)), dtype=np.int64)
        # By the last bits of a document's number, whether it may be judged: a collection's size does not matter.
        may_be = np.zeros(_SLOTS, dtype=np.bool_)
        hits_by_topic = [(_ints([]),) * 4]
        for topic, (documents, (judged, grades)) in enumerate(zip(rankings, self._judged, strict=True)):
            retrieved[:, topic] = np.count_nonzero(documents != NONE, axis=1)
            if not (len(judged) and documents.size):
                continue
            may_be[judged % _SLOTS] = True
            positions = np.flatnonzero(may_be[documents % _SLOTS])
            may_be[judged % _SLOTS] = False
            hits = documents.ravel()[positions].astype(np.int64)
            of_judged = np.minimum(np.searchsorted(judged, hits), len(judged) - 1)
            same = judged[of_judged] == hits
            step, rank = np.divmod(positions[same], documents.shape[1])
            hits_by_topic.append((step * len(self._topics) + topic, rank, grades[of_judged[same]], hits[same]))
        columns = [np.concatenate(column) for column in zip(*hits_by_topic, strict=True)]
        return _Hits(retrieved.size, *columns), retrieved.ravel()

    def _value(self, measure: Any, hits: _Hits, retrieved: Ints) -> Floats:
        ideal, depth = self._ideal, measure.params.get("cutoff")
        if depth is not None:
            hits, retrieved = hits.some(hits.rank < depth), np.minimum(retrieved, depth)
        if measure.NAME == "Judged":
            return _ratio(hits.sums(), retrieved)
        if measure.NAME == "nDCG":
            exponential = measure["dcg"] == "exp-log2"
            ideal = ideal if depth is None else ideal.some(ideal.rank < depth)
            return self._over(hits.sums(hits.discounted(exponential)), ideal.sums(ideal.discounted(exponential)))
        hits = hits.some(hits.grade >= measure["rel"])
        if measure.NAME == "P":
            return _ratio(hits.sums(), np.full(hits.rankings, depth))
        position = hits.position()
        if measure.NAME in ("RR", "Success"):
            hits = hits.some(position == 1)
            return hits.sums(1 / (hits.rank + 1)) if measure.NAME == "RR" else hits.sums()
        gains = hits.sums() if measure.NAME == "R" else hits.sums(position / (hits.rank + 1))
        return self._over(gains, ideal.some(ideal.grade >= measure["rel"]).sums())

    def _over(self, sums: Floats, by_topic: Floats) -> Floats:
        return _ratio(sums, np.tile(by_topic, len(sums) // max(len(by_topic), 1)))

    def _evaluated(self, measures: Sequence[str], hits: _Hits, sizes: Ints) -> dict[str, Floats]:
        """Return the values that `evaluate` gives for rankings of these sizes, by measure and ranking."""
        if not measures:
            return {}
        order = np.argsort(hits.ranking, kind="stable")
        bounds = np.searchsorted(hits.ranking[order], np.arange(hits.rankings + 1)).tolist()
        documents, ranks = hits.document[order].tolist(), hits.rank[order].tolist()
        # By topic, the number of each different ranking; the n-th ones of all topics are evaluated together.
        different: list[dict[tuple[object, ...], int]] = [{} for _ in self._topics]
        evaluated_in = []
        runs: list[dict[str, dict[str, float]]] = []
        for ranking, count in enumerate(sizes.tolist()):
            own = slice(bounds[ranking], bounds[ranking + 1])
            topic = ranking % len(self._topics)
            key = (count, *documents[own], *ranks[own])
            number = different[topic].setdefault(key, len(different[topic]))
            evaluated_in.append((number, self._topics[topic]))
            if number == len(runs):
                runs.append({})
            if self._topics[topic] not in runs[number]:
                # Ids have no white space.
                run = {f"unjudged {rank}": float(-rank) for rank in range(count)}
                for document, rank in zip(documents[own], ranks[own], strict=True):
                    del run[f"unjudged {rank}"]
                    run[self._ids[document]] = float(-rank)
                runs[number][self._topics[topic]] = run
        evaluations = [evaluate(self._qrels, run, measures, [*run]) for run in runs]
        return {
            measure: np.array([evaluations[number][measure][topic] for number, topic in evaluated_in], dtype=np.float64)
            for measure in measures
        }


def _is_computed(measure: Any) -> bool:
    return measure.NAME in _BY_ARRAYS and not measure.params.get("judged_only")


def _ints(numbers: Sequence[object]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def _ratio(above: Floats, below: npt.NDArray[Any]) -> Floats:
    ratios: Floats = np.zeros(len(below))
    np.divide(above, below, out=ratios, where=below > 0)
    return ratios


_MUCH = 3 * 10**8
"""Postings times steps worth starting workers for."""

_TURNS = 2
"""Tasks that the steps of a sweep are divided into, so that different workers may take them."""

_MOST_HELD, _HELD_BYTES = 1 << 26, {True: 16, False: 8}
"""Bytes of the best documents that are held, at most, and of one: by whether scores have 64 bits."""

_WORK = "work.joblib"


@dataclass(frozen=True)
class RankingTask:
    """Some of the steps of a sweep for one model, both by number; `turn` as in `rankings`."""

    sweep: int
    model: int
    turn: tuple[int, int] = (0, 1)


StepValues = Mapping[int, Sequence[Floats]]
"""By step, the values of each evaluator; shape (measures, topics of the evaluator)."""


@dataclass(frozen=True)
class RankingJob:
    """The data that all tasks share. `queries` are the topics of all evaluators, one evaluator after the other."""

    chunks: MatchChunks
    queries: Sequence[Query]
    evaluators: Sequence[Evaluator]
    models: Sequence[RetrievalModel]
    depth: int

    def do(self, task: RankingTask) -> StepValues:
        """Return the values at the steps of a task that differ from the ones before."""
        model = self.models[task.model]
        values: dict[int, Sequence[Floats]] = {}
        statistics = self.chunks.statistics[task.sweep]
        for steps, ranked in rankings(self.chunks, statistics, self.queries, task.sweep, model, self.depth, task.turn):
            documents = (of_topic.documents for of_topic in ranked)
            by_evaluator = [one.values(islice(documents, one.topics), len(steps)) for one in self.evaluators]
            values.update(zip(steps.tolist(), zip(*by_evaluator, strict=True), strict=True))
        return values

    def postings(self) -> int:
        """Return how many pairs of a term and a document the queries touch, at most."""
        return sum(int(self.chunks.pairs[query.terms].sum()) for query in self.queries)

    def steps(self, sweep: int) -> int:
        """Return how many steps a sweep has."""
        return len(self.chunks.statistics[sweep].cf)

    def turns(self, sweep: int, parallel: bool) -> int:
        """Return how many tasks the steps of a sweep are divided into, for workers and where best documents are held."""
        each = _HELD_BYTES[any(model.exact for model in self.models)]
        held = self.steps(sweep) * len(self.queries) * self.depth * each if len(self.chunks) > 1 else 0
        return max(_TURNS if parallel else 1, -(-held // _MOST_HELD))


def evaluated(job: RankingJob, sweeps: int, backend: Backend | None, folder: Path) -> list[list[Floats]]:
    """Return the values of measures by sweep and evaluator; shape of each (models, measures, steps, topics of the evaluator).

    The workers of `backend` rank if there is much to do; None for this process. Workers on other machines must see `folder`,
    which is for temporary files, under the same path.
    """
    every, models = range(sweeps), range(len(job.models))
    amount = job.postings() * sum(map(job.steps, every)) * len(models)
    parallel = backend is not None and not backend.is_this_process and amount >= _MUCH
    # The longest first, so that workers end at about the same time.
    order = sorted(every, key=job.steps, reverse=True)
    turns = {sweep: job.turns(sweep, parallel) for sweep in every}
    tasks = [RankingTask(of, model, (turn, turns[of])) for of in order for model in models for turn in range(turns[of])]
    if backend is None or not parallel:
        done = {task: job.do(task) for task in progress(tasks, "ranking", len(tasks), "tasks")}
    else:
        done = _by_workers(job, tasks, backend, folder)
    joined: dict[tuple[int, int], dict[int, Sequence[Floats]]] = {}
    for task, of_steps in done.items():
        joined.setdefault((task.sweep, task.model), {}).update(of_steps)
    values = []
    for sweep in every:
        by_model = [_whole(job.steps(sweep), joined[sweep, model]) for model in models]
        values.append([np.array(by_evaluator) for by_evaluator in zip(*by_model, strict=True)])
    return values


def _whole(steps: int, values: StepValues) -> list[Floats]:
    """Return the values at all steps by evaluator; steps that add nothing have those of the step before."""
    every = [values[0]]
    for step in range(1, steps):
        every.append(values.get(step, every[-1]))
    return [np.array(by_step).transpose(1, 0, 2) for by_step in zip(*every, strict=True)]


def _by_workers(
    job: RankingJob, tasks: Sequence[RankingTask], backend: Backend, folder: Path
) -> dict[RankingTask, StepValues]:
    done: dict[RankingTask, StepValues] = {}
    with temporary_folder(folder) as temporary:
        job.chunks.write(temporary)
        joblib.dump(job, temporary / _WORK)
        with Progress("ranking", len(tasks), "tasks") as bar:
            numbers = ((temporary, tasks, number) for number in range(len(tasks)))
            for number in run_tasks(backend, _do, numbers, "ranking", str(folder)):
                done[tasks[number]] = joblib.load(temporary / f"{number}.joblib")
                bar.advance()
    return done


def _do(temporary: Path, tasks: Sequence[RankingTask], number: int) -> int:
    job: RankingJob = joblib.load(temporary / _WORK)
    joblib.dump(job.do(tasks[number]), temporary / f"{number}.joblib")
    return number
