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

import numpy as np

from thresher.base.files import scratch_folder
from thresher.base.machine import Machine, Power, counted_joules, find_tdp
from thresher.base.progress import Progress
from thresher.base.repeats import Repeats, ThreadClock, are_narrow, compare_times, measure_times
from thresher.cleaners.cleaner import BASELINE, Cleaner
from thresher.experiments.config import Experiment
from thresher.experiments.exploring.pruned_postings import build_pruned
from thresher.experiments.schema import CostsTable
from thresher.experiments.table import Cost
from thresher.indexes.anserini import is_blank
from thresher.indexes.indexing import IndexOptions, IndexReport, Origin, build_index
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.searching import QueryTimes, rounds_of, time_queries
from thresher.scores.cutting import cleaned_documents
from thresher.scores.lost_pages import language_of_emptied


@dataclass(frozen=True)
class VariantBuild:
    """A built index, and what cleaning for it left.

    Args:
        emptied: documents of which nothing is left, and which are not indexed.
        words: kept by the cleaner.
        cutting: what reading and cutting took, which is cleaning; nothing for pruned variants, which have no such step.
        naming: what naming the languages of emptied documents took.
        languages: of emptied documents.
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
    original: bool,
    advance: Callable[[], None] = lambda: None,
    languages: bool = False,
    origin: Origin | None = None,
) -> VariantBuild:
    """Build the index of a variant into `folder`, which is replaced on success.

    Args:
        treatment: with numbers for percentiles.
        original: whether a pruned index is ranked with the statistics of the unpruned collection.
        advance: called for each document.
        languages: whether to name the languages of emptied documents.
    """
    if treatment.pruning is None:
        documents = TimedCutting(store, treatment.cleaner, advance, languages)
        index = build_index(documents.texts(), folder, options, origin)
        return VariantBuild(index, index.empty, documents.words, documents.cutting, documents.naming, documents.emptied)
    pruned = build_pruned(store, treatment.cleaner, treatment.pruning, folder, options, original, advance, origin)
    naming = ThreadClock()
    by_language: Counter[str] = Counter()
    if languages and pruned.blank:
        with naming:
            emptied = (page for page in cleaned_documents(store, treatment.cleaner) if is_blank(page.text))
            by_language.update(map(language_of_emptied, emptied))
    return VariantBuild(pruned.index, pruned.blank, pruned.words, ThreadClock(), naming, by_language)


class TimedCutting:
    """Cleaned documents of a store, with the words kept and the time that reading and cutting took.

    Java indexes one batch while this thread cuts the next. With `languages`, `emptied` counts what is not indexed by language,
    which `naming` is the time of.
    """

    def __init__(
        self, folder: Path, cleaner: Cleaner, advance: Callable[[], None] = lambda: None, languages: bool = False
    ) -> None:
        self._source = cleaned_documents(folder, cleaner)
        self._advance, self._languages = advance, languages
        self.cutting, self.naming = ThreadClock(), ThreadClock()
        self.words = 0
        self.emptied: Counter[str] = Counter()

    def texts(self) -> Iterator[tuple[str, str]]:
        """Give each document's id and text."""
        while True:
            with self.cutting:
                document = next(self._source, None)
            if document is None:
                return
            self.words += document.words
            if self._languages and is_blank(document.text):
                with self.naming:
                    self.emptied[language_of_emptied(document)] += 1
            self._advance()
            yield document.id, document.text


WIDTH = 0.05
"""Intervals of ratios are narrow enough if they extend less than this share to both sides."""
RESTARTS = 10
"""Times that all indexes are opened anew, unless time is up before: the fewer, the wider the intervals."""
CHECKED = 5
"""Restarts between two looks at the intervals; a look takes as long as a restart."""
FEWEST_BUILDS = 5
"""Builds of every index in a row: collections for which time is too short to build them so often are indexed once."""
_COPY = "copy of the baseline"
# Java compiles what runs often: without this, the first index would pay for it.
_WARM_UP_DOCUMENTS = 3000
_warmed_up_with = -1


@dataclass(frozen=True)
class Measurements:
    """What the stage measured: queries by retrieval model; indexing, None where building all indexes often takes too long."""

    queries: Mapping[str, Repeats]
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
        indexes: folders by variant, the baseline first.
        treatments: by variant, in the same order, with numbers for percentiles.
        build_seconds: what it took to build every index once.
    """
    seconds = experiment.measure_seconds
    with scratch_folder(indexes[BASELINE].parent / "copy") as scratch:
        copy = scratch / "index"
        shutil.copytree(indexes[BASELINE], copy)
        folders = [indexes[BASELINE], copy, *list(indexes.values())[1:]]
        measured = {}
        for model in experiment.retrieval.models:
            limit = seconds / len(experiment.retrieval.models)
            label = f"timing {model.name} for up to {limit:,.0f} s"
            with Progress(label, rounds_of(RESTARTS), "rounds") as bar:
                times = time_queries(
                    folders,
                    model,
                    experiment.retrieval.depth,
                    queries,
                    limit,
                    partial(_enough, seed=experiment.evaluation.seed, expect=bar.expect),
                    seed=experiment.evaluation.seed,
                    searched=bar.advance,
                )
            measured[model.name] = compare_times(list(indexes), times.wall, times.cpu, experiment.evaluation.seed)
    if build_seconds * FEWEST_BUILDS > seconds:
        return Measurements(measured, None)
    return Measurements(measured, _measured_indexing(experiment, treatments, scores))


def _enough(times: QueryTimes, seed: int, expect: Callable[[int], None]) -> bool:
    done = len(times.wall)
    if done < RESTARTS or done % CHECKED:
        return False
    if are_narrow(times.wall, WIDTH, seed):
        return True
    expect(rounds_of(done + CHECKED))
    return False


def _measured_indexing(experiment: Experiment, treatments: Mapping[str, Treatment], scores: Path) -> Repeats:
    """Build all indexes again and again, in rounds of random order; what is timed is building without cutting."""
    names = [BASELINE, _COPY, *list(treatments)[1:]]
    chance = random.Random(experiment.evaluation.seed)
    order = list(range(len(names)))
    rounds: list[list[tuple[float, float]]] = []
    warm_up_indexing(scores, experiment.index)
    end = time.perf_counter() + experiment.measure_seconds
    label = f"timing indexing for some {experiment.measure_seconds:,.0f} s"
    total = RESTARTS * len(names)
    with scratch_folder(scores.parent / "builds") as scratch, Progress(label, total, "indexes") as bar:
        while len(rounds) < FEWEST_BUILDS or (len(rounds) < RESTARTS and time.perf_counter() < end):
            chance.shuffle(order)
            spent = [(0.0, 0.0)] * len(names)
            for piece in order:
                treatment = treatments[BASELINE if names[piece] == _COPY else names[piece]]
                spent[piece] = _build_times(treatment, scores, scratch / "index", experiment)
                bar.advance()
            rounds.append(spent)
    # Every round is a restart of its own, with one topic: the collection.
    wall, cpu = ([np.array(spent)[None, :, [column]] for spent in rounds] for column in (0, 1))
    return compare_times(list(treatments), wall, cpu, experiment.evaluation.seed)


def _build_times(treatment: Treatment, scores: Path, folder: Path, experiment: Experiment) -> tuple[float, float]:
    """Return wall and CPU seconds of building an index, without those of cutting."""
    wall, cpu = time.perf_counter(), time.process_time()
    cutting = build_variant(scores, treatment, folder, experiment.index, experiment.pruning.original_statistics).cutting
    return time.perf_counter() - wall - cutting.wall, time.process_time() - cpu - cutting.cpu


def power_of(options: CostsTable, machine: Machine) -> Power:
    """Return the factors of Eq. 9 as configured; what is not is the machine's."""
    if options.measured_watts:
        watts, source = options.measured_watts, "measured power, configured"
    else:
        tdp = find_tdp(machine.cpu_model, machine.sockets, options.tdp_watts or None)
        watts, source = tdp.watts, f"TDP {tdp.source}"
    there = machine.cores or machine.logical_cpus
    return Power(
        watts,
        source,
        min(options.cores / there, 1.0) if options.cores and there else 1.0,
        options.machines,
        options.pue,
        options.carbon_intensity,
        ", ".join(filter(None, (options.region, options.date))),
    )


@dataclass
class StageCost:
    """A stage that is measured; its `cost` is there when its block has ended."""

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
