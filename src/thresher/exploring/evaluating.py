"""Measures at every step of every family: computed in this process, or by workers where there is more to do."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import joblib
import numpy as np

from thresher.defaults import LOKY
from thresher.errors import ResourceError
from thresher.exploring.matches import Matches
from thresher.exploring.measuring import Judges
from thresher.exploring.postings import Query
from thresher.exploring.ranking import Rankings, rankings
from thresher.exploring.similarity import Floats
from thresher.lucene.retrieval import RetrievalModel
from thresher.passes.backends import Backend, WorkerDied, run
from thresher.progress import Progress, progress

_MUCH = 3 * 10**8
"""Pairs times steps that are worth starting workers for."""

_TURNS = 2
"""Parts of the steps of a family that different workers may take."""

_WORK = "work.joblib"


@dataclass(frozen=True)
class Task:
    """Some of the steps of a family, ranked by a model: both as numbers; see `rankings` for `turn`."""

    family: int
    model: int
    turn: tuple[int, int] = (0, 1)


Found = Mapping[int, Sequence[Floats]]
"""By step, the values of each of the judges: shape (measures, topics of the judge)."""


@dataclass(frozen=True)
class Work:
    """What all tasks have in common. The judges have the topics of the queries, one judge's behind the other's."""

    matches: Matches
    queries: Sequence[Query]
    judges: Sequence[Judges]
    models: Sequence[RetrievalModel]
    depth: int

    def do(self, task: Task) -> Found:
        """Return what the judges find at the steps of a task that differ from the ones before."""
        model = self.models[task.model]
        ranked = rankings(self.matches, self.queries, task.family, model, self.depth, task.turn)
        return {step: self._judged(found) for step, found in ranked}

    def steps(self, family: int) -> int:
        """Return how many steps a family has."""
        return len(self.matches.counted.counts[family].tokens) - 1

    def _judged(self, ranked: Rankings) -> list[Floats]:
        bounds = np.cumsum([judge.topics for judge in self.judges])[:-1]
        parts = zip(np.split(ranked.documents, bounds), np.split(ranked.scores, bounds), self.judges, strict=True)
        return [judge.values(Rankings(documents, scores)) for documents, scores, judge in parts]


def evaluated(work: Work, families: int, backend: Backend | None, folder: Path) -> list[list[Floats]]:
    """Return the values of measures by family and judge; shape of each (models, measures, steps, topics of the judge).

    Args:
        work: what to rank and how to judge it; given to workers, its matches are forgotten here.
        families: how many there are.
        backend: who works, if there is much to do; None for this process.
        folder: gets files while workers work. Those on other machines must see it under the same path.

    Raises:
        ResourceError: if a worker ended.
        ThresherError: as `thresher.passes.backends.run`.
    """
    every, models = range(families), range(len(work.models))
    amount = len(work.matches.document) * sum(map(work.steps, every)) * len(models)
    alone = backend is None or (backend.name == LOKY and backend.workers == 1)
    turns = 1 if alone or amount < _MUCH else _TURNS
    # The longest first, so that none is left over in the end.
    order = sorted(every, key=work.steps, reverse=True)
    tasks = [Task(family, model, (turn, turns)) for family in order for model in models for turn in range(turns)]
    if turns == 1 or backend is None:
        found = {task: work.do(task) for task in progress(tasks, "ranking", len(tasks), "scorers")}
    else:
        found = _by_workers(work, tasks, backend, folder)
    values = []
    for family in every:
        by_model = [_whole(work.steps(family), _joined(found, family, model)) for model in models]
        values.append([np.array(some) for some in zip(*by_model, strict=True)])
    return values


def _joined(found: Mapping[Task, Found], family: int, model: int) -> Found:
    parts = [values for task, values in found.items() if (task.family, task.model) == (family, model)]
    return {step: values for part in parts for step, values in part.items()}


def _whole(steps: int, found: Found) -> list[Floats]:
    """Return the values at all steps by judge; where nothing was found anew they are those of the step before."""
    every = [found[0]]
    for step in range(1, steps):
        every.append(found.get(step, every[-1]))
    return [np.array(some).transpose(1, 0, 2) for some in zip(*every, strict=True)]


def _by_workers(work: Work, tasks: Sequence[Task], backend: Backend, folder: Path) -> dict[Task, Found]:
    # A name that `remove_leftovers` knows, and that no other run has: workers may outlive this one.
    place = Path(tempfile.mkdtemp(prefix=".exploring.", suffix=f".{os.getpid()}.tmp", dir=folder)).absolute()
    found: dict[Task, Found] = {}
    try:
        joblib.dump(work, place / _WORK)
        work.matches.forget()
        with Progress("ranking", len(tasks), "parts") as bar:
            for number in run(backend, partial(_do, place, tasks), range(len(tasks))):
                found[tasks[number]] = joblib.load(place / f"{number}.joblib")
                bar.advance()
    except WorkerDied as error:
        fix = "look at the machine's memory, then run the same command again"
        raise ResourceError("a worker ended while it ranked", fix, str(folder)) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return found


def _do(place: Path, tasks: Sequence[Task], number: int) -> int:
    """Do a task in a worker, and leave its values in a file."""
    # Workers of one machine share what is mapped.
    work: Work = joblib.load(place / _WORK, mmap_mode="r")
    joblib.dump(work.do(tasks[number]), place / f"{number}.joblib")
    return number
