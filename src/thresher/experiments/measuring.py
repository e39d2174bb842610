"""The stage `measure`: the times of all variants, taken together once all are built."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.files import scratch_folder, temporary_folder, user_errors
from thresher.base.machine import Machine, Power, counted_joules, find_tdp
from thresher.base.numbers import Floats
from thresher.base.progress import Progress
from thresher.base.repeats import Repeats, ThreadClock, are_narrow, compare_times, measure_times
from thresher.cleaners.cleaner import BASELINE, Cleaner
from thresher.experiments.config import Experiment
from thresher.experiments.schema import CostsTable
from thresher.experiments.table import Cost
from thresher.indexes.indexing import IndexOptions, IndexReport, Origin, build_index
from thresher.indexes.json_lines import is_blank
from thresher.indexes.pruning.pruned_index import PrunedIndexOptions, build_pruned
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.query_timing import QueryTimes, TimedSearches, rounds_of, time_queries
from thresher.scores.cutting import cleaned_documents
from thresher.scores.lost_pages import language_of_emptied
from thresher.scores.weighting import weighted_store

WIDTH = 0.05
"""Intervals of ratios are narrow enough if both sides extend by less than this share."""
RESTARTS = 10
"""The number of restarts, which open all indexes anew, if there is time: fewer restarts widen the intervals."""
CHECKED = 5
"""Restarts between two computations of the intervals; a computation takes as long as a restart."""
FEWEST_BUILDS = 5
"""The fewest builds of every index. If there is not enough time for them, indexing is not repeated."""
_COPY = "copy of the baseline"
_WARM_UP_DOCUMENTS = 3000
"""Java compiles code that runs often: without a warm-up, the first index would pay for it."""


class Seconds(NamedTuple):
    """Seconds of a piece of work."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class RunBuild:
    """The part of a build that only runs of an experiment need.

    Args:
        origin: the key of the inputs of the index, stored beside it.
        advance: called for each document.
    """

    origin: Origin
    advance: Callable[[], None]


@dataclass(frozen=True)
class VariantBuild:
    """A built index, and the documents and time that cleaning for it took.

    Args:
        index: the index.
        emptied: documents that cleaning leaves without text, which are not indexed.
        words: words that the cleaner keeps.
        cutting: time of weighing, reading and cutting, which is cleaning; pruned variants read and cut while they prune.
        naming: time of naming the languages of emptied documents.
        languages: emptied documents by language; empty unless the build is part of a run.
    """

    index: IndexReport
    emptied: int
    words: int
    cutting: ThreadClock
    naming: ThreadClock
    languages: Mapping[str, int]


def build_variant(
    store: Path,
    treatment: Treatment,
    folder: Path,
    options: IndexOptions,
    original_statistics: bool,
    run: RunBuild | None = None,
) -> VariantBuild:
    """Build the index of a variant into `folder`, which is replaced on success.

    Args:
        store: the score store.
        treatment: the treatment, with numbers for percentiles.
        folder: the folder of the index.
        options: the content of the index.
        original_statistics: whether a pruned index is ranked with the collection statistics from before pruning.
        run: the run that the build is part of; None outside a run.
    """
    cutting = ThreadClock()
    with cutting:
        store = weighted_store(store, treatment.weights)
    if treatment.pruning is None:
        return _build_cleaned(TimedCutting(store, treatment.cleaner, run, cutting), folder, options, run)
    advance = run.advance if run else _nothing
    origin = run.origin if run else None
    pruned_options = PrunedIndexOptions(options, original_statistics, origin)
    pruned = build_pruned(store, treatment.cleaner, treatment.pruning, folder, pruned_options, advance)
    naming = ThreadClock()
    languages: Mapping[str, int] = {}
    if run is not None and pruned.blank:
        with naming:
            languages = _emptied_languages(store, treatment.cleaner)
    return VariantBuild(pruned.index, pruned.blank, pruned.words, cutting, naming, languages)


def _emptied_languages(store: Path, cleaner: Cleaner) -> Counter[str]:
    """Return the number of documents that a cleaner leaves without text, by language."""
    languages: Counter[str] = Counter()
    for document in cleaned_documents(store, cleaner):
        if is_blank(document.text):
            languages[language_of_emptied(document)] += 1
    return languages


def _build_cleaned(documents: TimedCutting, folder: Path, options: IndexOptions, run: RunBuild | None) -> VariantBuild:
    index = build_index(documents.texts(), folder, options, run.origin if run else None)
    return VariantBuild(
        index=index,
        emptied=index.empty,
        words=documents.words,
        cutting=documents.cutting,
        naming=documents.naming,
        languages=documents.languages,
    )


def _nothing() -> None:
    """Do nothing for a document."""


class TimedCutting:
    """Cleaned documents of a store, with the time that reading and cutting take.

    Java indexes one batch while this thread cuts the next.

    Attributes:
        words: the number of words of the documents so far.
        cutting: the time of reading and cutting, added to the clock's earlier time.
        naming: the time of naming languages.
        languages: emptied documents by language; only in a run.
    """

    def __init__(
        self, store: Path, cleaner: Cleaner, run: RunBuild | None = None, cutting: ThreadClock | None = None
    ) -> None:
        self._source = cleaned_documents(store, cleaner)
        self._run = run
        self.cutting = cutting or ThreadClock()
        self.naming = ThreadClock()
        self.words = 0
        self.languages: Counter[str] = Counter()

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield each document's id and text."""
        while True:
            with self.cutting:
                document = next(self._source, None)
            if document is None:
                return
            self.words += document.words
            if self._run is not None:
                if is_blank(document.text):
                    with self.naming:
                        self.languages[language_of_emptied(document)] += 1
                self._run.advance()
            yield document.id, document.text


def warm_up_indexing(scores: Path, options: IndexOptions) -> None:
    """Index some documents of a score store, and drop the index."""
    with temporary_folder(scores.parent) as folder:
        documents = islice(TimedCutting(scores, Cleaner()).texts(), _WARM_UP_DOCUMENTS)
        build_index(documents, folder / "index", options)


@dataclass(frozen=True)
class Measurements:
    """Times of queries by retrieval model, and of indexing; `indexing` is None if there is too little time to repeat it."""

    queries: Mapping[str, Repeats]
    indexing: Repeats | None


def measure(
    experiment: Experiment,
    indexes: Mapping[str, Path],
    treatment_by_variant: Mapping[str, Treatment],
    scores: Path,
    queries: Sequence[str],
    build_seconds: float,
) -> Measurements:
    """Measure all variants together, each for as long as the experiment allows.

    Args:
        experiment: the experiment, with the seconds for measuring.
        indexes: folders of the indexes by variant, the baseline first.
        treatment_by_variant: treatments by variant, in the same order, with numbers for percentiles.
        scores: the score store.
        queries: the queries of the topics.
        build_seconds: the seconds for building every index once.
    """
    seconds = experiment.measure_seconds
    seed = experiment.evaluation.seed
    models = experiment.retrieval.models
    with scratch_folder(indexes[BASELINE].parent / "copy") as scratch:
        copy = scratch / "index"
        with user_errors(copy):
            shutil.copytree(indexes[BASELINE], copy)
        folders = list(indexes.values())
        # The baseline is the first.
        folders.insert(1, copy)
        measured = {}
        for model in models:
            limit = seconds / len(models)
            label = f"timing {model.name} for up to {limit:,.0f} s"
            with Progress(label, rounds_of(RESTARTS), "rounds") as bar:
                searches = TimedSearches(folders, model, experiment.retrieval.depth, queries, limit, seed)
                times = time_queries(searches, partial(_enough, seed=seed, expect=bar.expect), bar.advance)
            measured[model.name] = compare_times(list(indexes), times.wall, times.cpu, seed)
    if build_seconds * FEWEST_BUILDS > seconds:
        return Measurements(measured, None)
    return Measurements(measured, _measured_indexing(experiment, treatment_by_variant, scores))


def _enough(times: QueryTimes, seed: int, expect: Callable[[int], None]) -> bool:
    restarts = len(times.wall)
    if restarts < RESTARTS or restarts % CHECKED:
        return False
    if are_narrow(times.wall, WIDTH, seed):
        return True
    expect(rounds_of(restarts + CHECKED))
    return False


def _measured_indexing(experiment: Experiment, treatment_by_variant: Mapping[str, Treatment], scores: Path) -> Repeats:
    """Build all indexes again and again, in rounds of random order; the time of cutting does not count."""
    names = list(treatment_by_variant)
    # The baseline is the first.
    names.insert(1, _COPY)
    chance = random.Random(experiment.evaluation.seed)
    order = list(names)
    rounds: list[dict[str, Seconds]] = []
    warm_up_indexing(scores, experiment.index)
    end = time.perf_counter() + experiment.measure_seconds
    label = f"timing indexing for some {experiment.measure_seconds:,.0f} s"
    total = RESTARTS * len(names)
    with scratch_folder(scores.parent / "builds") as scratch, Progress(label, total, "indexes") as bar:
        while len(rounds) < FEWEST_BUILDS or (len(rounds) < RESTARTS and time.perf_counter() < end):
            chance.shuffle(order)
            seconds = {}
            for name in order:
                treatment = treatment_by_variant[BASELINE]
                if name != _COPY:
                    treatment = treatment_by_variant[name]
                seconds[name] = _build_seconds(treatment, scores, scratch / "index", experiment)
                bar.advance()
            rounds.append(seconds)
    wall: list[Floats] = []
    cpu: list[Floats] = []
    for seconds in rounds:
        wall.append(_as_restart([seconds[name].wall for name in names]))
        cpu.append(_as_restart([seconds[name].cpu for name in names]))
    return compare_times(list(treatment_by_variant), wall, cpu, experiment.evaluation.seed)


def _as_restart(seconds: Sequence[float]) -> Floats:
    """Return the seconds of a round as a restart with one topic, the collection; shape (topics, indexes, repeats)."""
    return np.array(seconds).reshape(1, -1, 1)


def _build_seconds(treatment: Treatment, scores: Path, folder: Path, experiment: Experiment) -> Seconds:
    """Return the seconds of building an index, without the seconds of cutting."""
    wall_begin = time.perf_counter()
    cpu_begin = time.process_time()
    built = build_variant(scores, treatment, folder, experiment.index, experiment.pruning.original_statistics)
    wall = time.perf_counter() - wall_begin
    cpu = time.process_time() - cpu_begin
    return Seconds(wall - built.cutting.wall, cpu - built.cutting.cpu)


def power_of(options: CostsTable, machine: Machine) -> Power:
    """Return the factors of Eq. 9: as configured, or else of the machine."""
    if options.measured_watts:
        watts = options.measured_watts
        source = "measured power, configured"
    else:
        tdp = find_tdp(machine.cpu_model, machine.sockets, options.tdp_watts or None)
        watts = tdp.watts
        source = f"TDP {tdp.source}"
    share = 1.0
    cores = machine.cores or machine.logical_cpus
    if options.cores and cores:
        share = min(options.cores / cores, 1.0)
    where_and_when = ", ".join(filter(None, (options.region, options.date)))
    return Power(watts, source, share, options.machines, options.pue, options.carbon_intensity, where_and_when)


@dataclass
class StageCost:
    """A stage that is measured; `cost` is set when its block has ended."""

    cost: Cost = Cost(0.0, 0.0, 0.0, None)


@dataclass(frozen=True)
class CostMeter:
    """Measures stages: time and memory, and CO2 by Eq. 9."""

    power: Power

    def grams(self, wall_seconds: float, machines: int = 1) -> float | None:
        """Estimate the CO2 of work; None below resolution."""
        return self.power.grams(wall_seconds, machines)

    @contextmanager
    def stage(self) -> Iterator[StageCost]:
        """Measure a block."""
        stage = StageCost()
        with counted_joules() as joules, measure_times() as watch:
            yield stage
        times = watch.times
        stage.cost = Cost(times.wall, times.cpu, times.peak, self.grams(times.wall), joules)
