"""Measures at every step of every sweep: computed in this process, or by workers where there is more to do."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import joblib
import numpy as np

from thresher.defaults import LOKY
from thresher.exploring.judged_ranks import Judges
from thresher.exploring.matching import Matches, Query
from thresher.exploring.ranking import rankings
from thresher.exploring.similarity import Floats
from thresher.lucene.retrieval import RetrievalModel
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import Progress, progress

_MUCH = 3 * 10**8
"""Postings times steps worth starting workers for."""

_TURNS = 2
"""Parts of the steps of a sweep that different workers may take."""

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

    matches: Matches
    queries: Sequence[Query]
    judges: Sequence[Judges]
    models: Sequence[RetrievalModel]
    depth: int

    def do(self, task: RankingTask) -> StepValues:
        """Return the values at the steps of a task that differ from the ones before."""
        model = self.models[task.model]
        values: dict[int, Sequence[Floats]] = {}
        for steps, ranked in rankings(self.matches, self.queries, task.sweep, model, self.depth, task.turn):
            documents = (of_topic.documents for of_topic in ranked)
            of_judges = [judge.values(islice(documents, judge.topics), len(steps)) for judge in self.judges]
            values.update(zip(steps.tolist(), zip(*of_judges, strict=True), strict=True))
        return values

    def postings(self) -> int:
        """Return how many pairs of a term and a document the queries touch, at most."""
        parts = self.matches.parts
        return sum(parts[term].stop - parts[term].start for query in self.queries for term in query.counts)

    def steps(self, sweep: int) -> int:
        """Return how many steps a sweep has."""
        return len(self.matches.counted.counts[sweep].tokens) - 1


def evaluated(job: RankingJob, sweeps: int, backend: Backend | None, folder: Path) -> list[list[Floats]]:
    """Return the values of measures by sweep and judge; shape of each (models, measures, steps, topics of the judge).

    Args:
        job: what to rank and how to judge it; its matches are forgotten once workers have them.
        sweeps: how many.
        backend: the workers, if there is much to do; None for this process.
        folder: for temporary files, which workers on other machines must see under the same path.

    Raises:
        ResourceError: if a worker died.
        ThresherError: as `thresher.passes.backends.run`.
    """
    every, models = range(sweeps), range(len(job.models))
    amount = job.postings() * sum(map(job.steps, every)) * len(models)
    alone = backend is None or (backend.name == LOKY and backend.workers == 1)
    turns = 1 if alone or amount < _MUCH else _TURNS
    # The longest first, so that workers end at about the same time.
    order = sorted(every, key=job.steps, reverse=True)
    tasks = [RankingTask(sweep, model, (turn, turns)) for sweep in order for model in models for turn in range(turns)]
    if turns == 1 or backend is None:
        done = {task: job.do(task) for task in progress(tasks, "ranking", len(tasks), "scorers")}
    else:
        done = _by_workers(job, tasks, backend, folder)
    values = []
    for sweep in every:
        by_model = [_whole(job.steps(sweep), _joined(done, sweep, model)) for model in models]
        values.append([np.array(by_judge) for by_judge in zip(*by_model, strict=True)])
    return values


def _joined(done: Mapping[RankingTask, StepValues], sweep: int, model: int) -> StepValues:
    parts = [values for task, values in done.items() if (task.sweep, task.model) == (sweep, model)]
    return {step: values for part in parts for step, values in part.items()}


def _whole(steps: int, values: StepValues) -> list[Floats]:
    """Return the values at all steps by judge; steps that add nothing have those of the step before."""
    every = [values[0]]
    for step in range(1, steps):
        every.append(values.get(step, every[-1]))
    return [np.array(by_step).transpose(1, 0, 2) for by_step in zip(*every, strict=True)]


def _by_workers(
    job: RankingJob, tasks: Sequence[RankingTask], backend: Backend, folder: Path
) -> dict[RankingTask, StepValues]:
    # A name that `remove_leftovers` knows and no other run has: workers may outlive this process.
    temporary = Path(tempfile.mkdtemp(prefix=".exploring.", suffix=f".{os.getpid()}.tmp", dir=folder)).absolute()
    done: dict[RankingTask, StepValues] = {}
    try:
        joblib.dump(job, temporary / _WORK)
        job.matches.forget()
        with Progress("ranking", len(tasks), "parts") as bar:
            numbers = ((temporary, tasks, number) for number in range(len(tasks)))
            for number in run_tasks(backend, _do, numbers, "ranking", str(folder)):
                done[tasks[number]] = joblib.load(temporary / f"{number}.joblib")
                bar.advance()
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return done


def _do(temporary: Path, tasks: Sequence[RankingTask], number: int) -> int:
    """Do a task in a worker, and write its values to a file."""
    # Workers on one machine share the mapped file.
    job: RankingJob = joblib.load(temporary / _WORK, mmap_mode="r")
    joblib.dump(job.do(tasks[number]), temporary / f"{number}.joblib")
    return number
