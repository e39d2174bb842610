"""The stage `measure`: the times of all variants, taken together once all are built."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from thresher.costs import Repeats, are_narrow, compare_times
from thresher.experiments.config import Experiment
from thresher.experiments.variant_building import TimedCutting, build_variant
from thresher.files import scratch_folder
from thresher.lucene.indexing import IndexOptions, build_index
from thresher.lucene.query_rounds import CollectorPauses, QueryTimes, time_queries
from thresher.progress import Progress
from thresher.pruning_methods.treatments import Treatment
from thresher.scorers.cleaners import BASELINE, Cleaner

WIDTH = 0.05
"""Intervals of ratios are narrow enough if they extend less than this share to both sides."""
OPENINGS = 10
"""Openings of all indexes, unless time is up before: the fewer, the wider the intervals."""
CHECKED = 5
"""Openings between two looks at the intervals; a look takes as long as an opening."""
FEWEST_BUILDS = 5
"""Builds of every index in a row: collections for which time is too short to build them so often are indexed once."""
_TWIN = "twin of the baseline"
# Java compiles what runs often: without this, the first index would pay for it.
_WARM_UP_DOCUMENTS = 3000
_warmed_up_with = -1


@dataclass(frozen=True)
class MeasuredQueries:
    """The times of a query by one retrieval model: by variant, and what the garbage collectors did meanwhile."""

    repeats: Repeats
    pauses: CollectorPauses


@dataclass(frozen=True)
class Measurements:
    """What the stage measured.

    Args:
        queries: by retrieval model.
        indexing: of an index, by variant; None where it would take too long to build every index several times.
    """

    queries: Mapping[str, MeasuredQueries]
    indexing: Repeats | None


def warm_up_indexing(scores: Path, options: IndexOptions, documents: int = _WARM_UP_DOCUMENTS) -> None:
    """Index some of the `documents` of a score store and drop the index, unless this process has done so with as many."""
    global _warmed_up_with
    wanted = min(documents, _WARM_UP_DOCUMENTS)
    if wanted <= _warmed_up_with:
        return
    with scratch_folder(scores.parent / "warm-up") as folder:
        build_index(islice(TimedCutting(scores, Cleaner()).texts(), wanted), folder / "index", options)
    _warmed_up_with = wanted


def measure(
    experiment: Experiment,
    indexes: Mapping[str, Path],
    treatments: Mapping[str, Treatment],
    scores: Path,
    queries: Sequence[str],
    build_seconds: float,
) -> Measurements:
    """Measure all variants together, each for as long as the experiment allows.

    Args:
        experiment: says the retrieval models, the depth, and for how long.
        indexes: folders by variant, the baseline first.
        treatments: by variant, in the same order, with numbers for percentiles.
        scores: the score store.
        queries: of the topics.
        build_seconds: what it took to build every index once.
    """
    seconds = experiment.measure_seconds
    with scratch_folder(indexes[BASELINE].parent / "twin") as scratch:
        twin = scratch / "index"
        shutil.copytree(indexes[BASELINE], twin)
        folders = [indexes[BASELINE], twin, *list(indexes.values())[1:]]
        measured = {}
        for model in experiment.retrieval:
            limit = seconds / len(experiment.retrieval)
            with Progress(f"timing {model.name}", None, "rounds") as bar:
                times = time_queries(
                    folders,
                    model,
                    experiment.depth,
                    queries,
                    limit,
                    lambda times: _enough(times, experiment.seed),
                    seed=experiment.seed,
                    searched=bar.advance,
                )
            repeats = compare_times(list(indexes), times.wall, times.cpu, experiment.seed)
            measured[model.name] = MeasuredQueries(repeats, times.pauses)
    if build_seconds * FEWEST_BUILDS > seconds:
        return Measurements(measured, None)
    return Measurements(measured, _measured_indexing(experiment, treatments, scores))


def _enough(times: QueryTimes, seed: int) -> bool:
    if len(times.wall) < OPENINGS or len(times.wall) % CHECKED:
        return False
    return are_narrow(times.wall, WIDTH, seed)


def _measured_indexing(experiment: Experiment, treatments: Mapping[str, Treatment], scores: Path) -> Repeats:
    """Build all indexes again and again, in rounds of random order; what is timed is building without cutting."""
    names = [BASELINE, _TWIN, *list(treatments)[1:]]
    chance = random.Random(experiment.seed)
    order = list(range(len(names)))
    rounds: list[list[tuple[float, float]]] = []
    warm_up_indexing(scores, experiment.index)
    end = time.perf_counter() + experiment.measure_seconds
    with scratch_folder(scores.parent / "builds") as scratch, Progress("timing indexing", None, "indexes") as bar:
        while len(rounds) < FEWEST_BUILDS or (len(rounds) < OPENINGS and time.perf_counter() < end):
            chance.shuffle(order)
            spent = [(0.0, 0.0)] * len(names)
            for piece in order:
                treatment = treatments[BASELINE if names[piece] == _TWIN else names[piece]]
                spent[piece] = _build_times(treatment, scores, scratch / "index", experiment)
                bar.advance()
            rounds.append(spent)
    # Every round is an opening of its own, with one topic: the collection.
    wall, cpu = ([np.array(spent)[None, :, [column]] for spent in rounds] for column in (0, 1))
    return compare_times(list(treatments), wall, cpu, experiment.seed)


def _build_times(treatment: Treatment, scores: Path, folder: Path, experiment: Experiment) -> tuple[float, float]:
    """Return wall and CPU seconds of building an index, without those of cutting."""
    wall, cpu = time.perf_counter(), time.process_time()
    original = experiment.original_statistics
    cutting = build_variant(scores, treatment, folder, experiment.index, original).cutting
    return time.perf_counter() - wall - cutting.wall, time.process_time() - cpu - cutting.cpu
