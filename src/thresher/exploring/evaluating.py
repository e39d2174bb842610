"""Measures at every step of every sweep: computed in this process, or by workers where there is more to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import joblib
import numpy as np

from thresher.exploring.judged_ranks import Judges
from thresher.exploring.match_chunks import MatchChunks
from thresher.exploring.matching import Query
from thresher.exploring.ranking import rankings
from thresher.exploring.similarity import Floats
from thresher.files import temporary_folder
from thresher.lucene.retrieval import RetrievalModel
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import Progress, progress

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
"""By step, the values of each judge; shape (measures, topics of the judge)."""


@dataclass(frozen=True)
class RankingJob:
    """What all tasks share. `queries` are the topics of all judges, one judge after the other."""

    chunks: MatchChunks
    queries: Sequence[Query]
    judges: Sequence[Judges]
    models: Sequence[RetrievalModel]
    depth: int

    def do(self, task: RankingTask) -> StepValues:
        """Return the values at the steps of a task that differ from the ones before."""
        model = self.models[task.model]
        values: dict[int, Sequence[Floats]] = {}
        statistics = self.chunks.statistics[task.sweep]
        for steps, ranked in rankings(self.chunks, statistics, self.queries, task.sweep, model, self.depth, task.turn):
            documents = (of_topic.documents for of_topic in ranked)
            of_judges = [judge.values(islice(documents, judge.topics), len(steps)) for judge in self.judges]
            values.update(zip(steps.tolist(), zip(*of_judges, strict=True), strict=True))
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
    """Return the values of measures by sweep and judge; shape of each (models, measures, steps, topics of the judge).

    Args:
        job: what to rank and how to judge it.
        sweeps: how many.
        backend: the workers, if there is much to do; None for this process.
        folder: for temporary files, which workers on other machines must see under the same path.
    """
    every, models = range(sweeps), range(len(job.models))
    amount = job.postings() * sum(map(job.steps, every)) * len(models)
    parallel = backend is not None and not backend.is_this_process and amount >= _MUCH
    # The longest first, so that workers end at about the same time.
    order = sorted(every, key=job.steps, reverse=True)
    turns = {sweep: job.turns(sweep, parallel) for sweep in every}
    tasks = [
        RankingTask(sweep, model, (turn, turns[sweep]))
        for sweep in order
        for model in models
        for turn in range(turns[sweep])
    ]
    if backend is None or not parallel:
        done = {task: job.do(task) for task in progress(tasks, "ranking", len(tasks), "tasks")}
    else:
        done = _by_workers(job, tasks, backend, folder)
    values = []
    for sweep in every:
        by_model = [_whole(job.steps(sweep), _joined(done, sweep, model)) for model in models]
        values.append([np.array(by_judge) for by_judge in zip(*by_model, strict=True)])
    return values


def _joined(done: Mapping[RankingTask, StepValues], sweep: int, model: int) -> StepValues:
    own = (values for task, values in done.items() if (task.sweep, task.model) == (sweep, model))
    return {step: values for of_task in own for step, values in of_task.items()}


def _whole(steps: int, values: StepValues) -> list[Floats]:
    """Return the values at all steps by judge; steps that add nothing have those of the step before."""
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
    """Do a task in a worker, and write its values to a file."""
    job: RankingJob = joblib.load(temporary / _WORK)
    joblib.dump(job.do(tasks[number]), temporary / f"{number}.joblib")
    return number
