"""Measures at every step of every sweep: computed in this process, or by workers where there is more to do.

P, AP, nDCG and Judged are computed over arrays, all others by `thresher.evaluation.evaluate`, whose values they have: it would
take minutes for a sweep of a hundred cutoffs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt

from thresher.defaults import LOKY
from thresher.evaluation import evaluate, parse_measure
from thresher.exploring.ranking import NONE, Matches, Query, Rankings, rankings
from thresher.exploring.similarity import Floats
from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints
from thresher.passes.backends import Backend, run_tasks
from thresher.progress import Progress, progress

_BY_ARRAYS = ("P", "AP", "nDCG", "Judged")
_UNJUDGED = np.iinfo(np.int64).min


class Judges:
    """Computes measures for the rankings of a set of topics.

    Args:
        qrels: grade by document by topic.
        topics: in the order of the rankings.
        ids: of the documents; rankings hold indices into it.
        measures: names, see `parse_measure`.

    Raises:
        ConfigError, InputError: as `thresher.evaluation.evaluate`.
    """

    def __init__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        topics: Sequence[str],
        ids: Sequence[str],
        measures: Sequence[str],
    ) -> None:
        self._qrels, self._topics, self._ids = qrels, topics, ids
        self._measures = [parse_measure(name) for name in measures]
        # What cannot be evaluated is an error before the work.
        evaluate(qrels, {}, measures, topics)
        self._grades = [
            np.array(sorted(qrels.get(topic, {}).values(), reverse=True), dtype=np.int64) for topic in topics
        ]
        index = {identifier: number for number, identifier in enumerate(ids)}
        judged = sorted(
            (number * len(ids) + index[document], grade)
            for number, topic in enumerate(topics)
            for document, grade in qrels.get(topic, {}).items()
            if document in index
        )
        # A last key that no document has, so that there is always one to compare with.
        self._keys = np.array([*(key for key, _ in judged), len(topics) * len(ids)], dtype=np.int64)
        self._judged = np.array([*(grade for _, grade in judged), _UNJUDGED], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the measures."""
        return tuple(map(str, self._measures))

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self._topics)

    def values(self, rankings: Rankings) -> Floats:
        """Return the values of the measures; shape (measures, topics)."""
        documents = rankings.documents
        keys = documents + np.arange(len(documents))[:, None] * len(self._ids)
        at = np.searchsorted(self._keys, keys)
        grades = np.where((self._keys[at] == keys) & (documents != NONE), self._judged[at], _UNJUDGED)
        retrieved = np.count_nonzero(documents != NONE, axis=1)
        return np.array([self._value(measure, rankings, grades, retrieved) for measure in self._measures])

    def _value(self, measure: Any, rankings: Rankings, grades: Ints, retrieved: Ints) -> Floats:
        params = measure.params
        if measure.NAME not in _BY_ARRAYS or params.get("judged_only"):
            return self._evaluated(str(measure), rankings)
        depth: int = params.get("cutoff") or max([grades.shape[1], *map(len, self._grades)])
        top = grades[:, :depth]
        if measure.NAME == "Judged":
            return _ratio(np.count_nonzero(top != _UNJUDGED, axis=1), np.minimum(retrieved, depth))
        if measure.NAME == "nDCG":
            exponential = measure["dcg"] == "exp-log2"
            ideal = np.array([_dcg(grades[:depth], exponential) for grades in self._grades])
            return _ratio(_dcg(top, exponential), ideal)
        least: int = measure["rel"]
        relevant = top >= least
        if measure.NAME == "P":
            return _ratio(np.count_nonzero(relevant, axis=1), np.full(len(top), depth))
        known = np.array([np.count_nonzero(grades >= least) for grades in self._grades])
        precision = np.cumsum(relevant, axis=1) / np.arange(1, top.shape[1] + 1)
        return _ratio((precision * relevant).sum(axis=1), known)

    def _evaluated(self, measure: str, rankings: Rankings) -> Floats:
        depth = rankings.documents.shape[1]
        run = {
            topic: {self._ids[index]: float(depth - rank) for rank, index in enumerate(ranking) if index != NONE}
            for topic, ranking in zip(self._topics, rankings.documents.tolist(), strict=True)
        }
        values = evaluate(self._qrels, run, [measure], self._topics)[measure]
        return np.array([values[topic] for topic in self._topics])


def _ratio(above: npt.NDArray[Any], below: npt.NDArray[Any]) -> Floats:
    """Return quotients, 0 where the divisor is."""
    ratios: Floats = np.zeros(len(below))
    np.divide(above, below, out=ratios, where=below > 0)
    return ratios


def _dcg(grades: Ints, exponential: bool) -> Floats:
    gains = np.maximum(grades, 0).astype(np.float64)
    if exponential:
        gains = np.exp2(gains) - 1
    dcg: Floats = (gains / np.log2(np.arange(grades.shape[-1]) + 2)).sum(axis=-1)
    return dcg


_MUCH = 3 * 10**8
"""Pairs times steps worth starting workers for."""

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
        ranked = rankings(self.matches, self.queries, task.sweep, model, self.depth, task.turn)
        return {step: self._judged(ranking) for step, ranking in ranked}

    def steps(self, sweep: int) -> int:
        """Return how many steps a sweep has."""
        return len(self.matches.counted.counts[sweep].tokens) - 1

    def _judged(self, ranked: Rankings) -> list[Floats]:
        bounds = np.cumsum([judge.topics for judge in self.judges])[:-1]
        parts = zip(np.split(ranked.documents, bounds), np.split(ranked.scores, bounds), self.judges, strict=True)
        return [judge.values(Rankings(documents, scores)) for documents, scores, judge in parts]


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
    amount = len(job.matches.document) * sum(map(job.steps, every)) * len(models)
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
