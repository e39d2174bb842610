"""The stage `measure`: the times of all variants, taken together once all are built."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from thresher.costs import Repeats, ThreadClock, are_narrow, compare_times
from thresher.experiments.config import Experiment
from thresher.files import scratch_folder
from thresher.lucene.indexing import IndexOptions, build_index, is_blank
from thresher.lucene.query_rounds import CollectorPauses, QueryTimes, time_queries
from thresher.progress import Progress
from thresher.scorers.cleaners import BASELINE, Cleaner
from thresher.scoring.cutting import cleaned_documents
from thresher.scoring.emptied import language_of_emptied

WIDTH = 0.05
"""Intervals of ratios that are narrower than this share to both sides are narrow enough."""
OPENINGS = 10
"""Openings of all indexes, unless time is up before: the fewer, the wider the intervals."""
CHECKED = 5
"""After so many more openings intervals are looked at, which takes as long as an opening."""
FEWEST_BUILDS = 5
"""Builds of every index in a row: collections for which time is too short to build them so often are indexed once."""
_TWIN = "twin of the baseline"
# Java compiles what runs often: without this, the first index would pay for it.
_WARM_UP_DOCUMENTS = 3000


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


def warm_up_indexing(scores: Path, options: IndexOptions) -> None:
    """Index some documents of a score store and drop the index."""
    documents = islice(TimedCutting(scores, Cleaner()).texts(), _WARM_UP_DOCUMENTS)
    with scratch_folder(scores.parent / "warm-up") as folder:
        build_index(documents, folder / "index", options)


def measure(
    experiment: Experiment,
    indexes: Mapping[str, Path],
    cleaners: Mapping[str, Cleaner],
    scores: Path,
    queries: Sequence[str],
    build_seconds: float,
) -> Measurements:
    """Measure all variants together, each for as long as the experiment allows.

    Args:
        experiment: says the retrieval models, the depth, and for how long.
        indexes: folders by variant, the baseline first.
        cleaners: by variant, in the same order, with numbers for percentiles.
        scores: the score store.
        queries: of the topics.
        build_seconds: what it took to build every index once.

    Raises:
        ThresherError: as `Searcher` and `build_index`.
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
    return Measurements(measured, _measured_indexing(experiment, cleaners, scores))


def _enough(times: QueryTimes, seed: int) -> bool:
    if len(times.wall) < OPENINGS or len(times.wall) % CHECKED:
        return False
    return are_narrow(times.wall, WIDTH, seed)


def _measured_indexing(experiment: Experiment, cleaners: Mapping[str, Cleaner], scores: Path) -> Repeats:
    """Build all indexes again and again, in rounds of random order; what is timed is building without cutting."""
    names = [BASELINE, _TWIN, *list(cleaners)[1:]]
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
                cleaner = cleaners[BASELINE if names[piece] == _TWIN else names[piece]]
                spent[piece] = _build_times(cleaner, scores, scratch / "index", experiment.index)
                bar.advance()
            rounds.append(spent)
    # Every round is an opening of its own, with one topic: the collection.
    wall, cpu = ([np.array(spent)[None, :, [column]] for spent in rounds] for column in (0, 1))
    return compare_times(list(cleaners), wall, cpu, experiment.seed)


def _build_times(cleaner: Cleaner, scores: Path, folder: Path, options: IndexOptions) -> tuple[float, float]:
    """Return wall and CPU seconds of building an index, without those of cutting."""
    documents = TimedCutting(scores, cleaner)
    wall, cpu = time.perf_counter(), time.process_time()
    build_index(documents.texts(), folder, options)
    return time.perf_counter() - wall - documents.cutting.wall, time.process_time() - cpu - documents.cutting.cpu
