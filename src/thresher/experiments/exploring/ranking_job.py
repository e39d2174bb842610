"""Ranks and evaluates all sweeps over a collection, in this process or by workers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher.base.numbers import Floats, Ints
from thresher.base.processes import Backend, compute
from thresher.base.progress import progress
from thresher.experiments.exploring.match_chunks import StoredChunk
from thresher.experiments.exploring.matching import Query
from thresher.experiments.exploring.rank_measures import Evaluator
from thresher.experiments.exploring.ranking import rank_steps
from thresher.experiments.exploring.steps import SweepStatistics
from thresher.indexes.analysis import RetrievalModel

_MUCH = 3 * 10**8
"""Postings times steps worth starting workers for."""

_TASKS = 2
"""Tasks that the steps of a sweep are divided into, so that different workers may take them."""

_MOST_RANKED = 1 << 26
"""Bytes of rankings that a task may hold, about."""

_RANKED_BYTES = 12
"""Bytes of a document in a ranking: its number and its score."""


@dataclass(frozen=True)
class RankingJob:
    """The inputs for any ranking task.

    Args:
        chunks: the matches of the collection, in chunks.
        statistics: by sweep, the statistics of the whole collection.
        pairs: number of documents with each query term; shape (terms,).
        queries: the topics of all evaluators, evaluator by evaluator.
        evaluators: one for the topics, and one for the held-out topics if there are any.
        models: the retrieval models to rank by.
        depth: the most documents of a ranking.
    """

    chunks: tuple[StoredChunk, ...]
    statistics: tuple[SweepStatistics, ...]
    pairs: Ints
    queries: Sequence[Query]
    evaluators: Sequence[Evaluator]
    models: Sequence[RetrievalModel]
    depth: int

    @property
    def postings(self) -> int:
        """The number of pairs of a term and a document that the queries touch, at most."""
        postings = 0
        for query in self.queries:
            postings += int(self.pairs[query.terms].sum())
        return postings


@dataclass(frozen=True)
class RankingTask:
    """Some steps of a sweep to rank by a retrieval model; both are given by number."""

    sweep: int
    model: int
    steps: Ints


def evaluate_sweeps(job: RankingJob, backend: Backend | None, folder: Path) -> list[list[Floats]]:
    """Return the values of measures by sweep and evaluator; shape of each (models, measures, steps, topics of the evaluator).

    If there is much to rank, the workers of `backend` do it; None for this process. Workers on other machines must see the
    chunks' files under the same paths. Errors name `folder`.
    """
    steps = sum(statistics.steps for statistics in job.statistics)
    in_parallel = backend is not None and job.postings * steps * len(job.models) >= _MUCH
    if backend is None or not in_parallel:
        backend = Backend(workers=1)
    tasks = _tasks(job, in_parallel)
    calls = [(job, task) for task in tasks]
    results = compute(backend, evaluate_task, calls, "ranking", str(folder), ordered=True)
    values_of_tasks: dict[tuple[int, int], list[list[Floats]]] = {}
    for task, values in zip(tasks, progress(results, "ranking", len(tasks), "tasks"), strict=True):
        values_of_tasks.setdefault((task.sweep, task.model), []).append(values)
    by_sweep: list[list[Floats]] = []
    for sweep in range(len(job.statistics)):
        by_evaluator: list[Floats] = []
        for evaluator in range(len(job.evaluators)):
            by_evaluator.append(_values_of_sweep(job, values_of_tasks, sweep, evaluator))
        by_sweep.append(by_evaluator)
    return by_sweep


def evaluate_task(job: RankingJob, task: RankingTask) -> list[Floats]:
    """Rank and evaluate; return the values by evaluator, shape of each (steps, measures, topics of the evaluator)."""
    statistics = job.statistics[task.sweep]
    model = job.models[task.model]
    blocks = rank_steps(job.chunks, statistics, job.queries, model, job.depth, task.steps)
    values: list[Floats] = []
    begin = 0
    for evaluator in job.evaluators:
        end = begin + len(evaluator.topics)
        values_of_blocks: list[Floats] = []
        for block in blocks:
            rankings = [ranked.documents for ranked in block.topics[begin:end]]
            values_of_blocks.append(evaluator.values(rankings))
        values.append(np.concatenate(values_of_blocks))
        begin = end
    return values


def _tasks(job: RankingJob, in_parallel: bool) -> list[RankingTask]:
    """Return tasks of neighbouring steps, the longest sweeps first: workers then end at about the same time."""
    tasks: list[RankingTask] = []
    for sweep in sorted(range(len(job.statistics)), key=lambda number: -job.statistics[number].steps):
        steps = job.statistics[sweep].changing()
        ranked = len(steps) * len(job.queries) * job.depth * _RANKED_BYTES
        parts = max(_TASKS if in_parallel else 1, math.ceil(ranked / _MOST_RANKED))
        for model in range(len(job.models)):
            for part in np.array_split(steps, parts):
                if len(part):
                    tasks.append(RankingTask(sweep, model, part))
    return tasks


def _values_of_sweep(
    job: RankingJob, values_of_tasks: Mapping[tuple[int, int], Sequence[Sequence[Floats]]], sweep: int, evaluator: int
) -> Floats:
    """Return the values at all steps; a step that adds nothing has the values of the step before."""
    statistics = job.statistics[sweep]
    last_changing = np.searchsorted(statistics.changing(), np.arange(statistics.steps), side="right") - 1
    by_model: list[Floats] = []
    for model in range(len(job.models)):
        by_task: list[Floats] = []
        for values_of_task in values_of_tasks[sweep, model]:
            by_task.append(values_of_task[evaluator])
        values = np.concatenate(by_task)
        by_model.append(values[last_changing].transpose(1, 0, 2))
    return np.array(by_model)
