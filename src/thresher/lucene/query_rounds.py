"""Times of queries over several indexes: warm, interleaved, in rounds of random order.

A time that is measured by itself says as much about what ran before it (Java's compiler, the disk cache, the CPU's clock) as
about the index. So all indexes are open at once, and every round searches every topic in every index, in an order of its own.
Where an index happens to lie in memory is worth one or two per cent for as long as it is open, so all are opened several
times.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.lucene.exact import ExactRanking
from thresher.lucene.jvm import java_class, start
from thresher.lucene.retrieval import RetrievalModel
from thresher.lucene.searching import LuceneRanking, Searcher

Seconds = npt.NDArray[np.float64]

ROUNDS = 3
"""Timed rounds of an opening."""
_FIRST_WARM_UP, _WARM_UP = 3, 1
_NANO = 1e-9


@dataclass(frozen=True)
class CollectorPauses:
    """What Java's garbage collectors did: collections, and the seconds they took."""

    collections: int
    seconds: float


@dataclass(frozen=True)
class QueryTimes:
    """Times of queries in seconds, by opening, each of shape (rounds, indexes, topics).

    `wall` is from the query's text to the hits in Java (for `qld(exact)` in Python), `cpu` that of the searching thread.
    `pauses` are those while they went on.
    """

    wall: Sequence[Seconds]
    cpu: Sequence[Seconds]
    pauses: CollectorPauses


def time_queries(
    folders: Sequence[Path],
    model: RetrievalModel,
    depth: int,
    queries: Sequence[str],
    seconds: float,
    enough: Callable[[QueryTimes], bool],
    *,
    seed: int = 0,
    searched: Callable[[], None] = lambda: None,
) -> QueryTimes:
    """Search all queries in all indexes, round by round.

    Args:
        folders: the indexes.
        model: the retrieval model.
        depth: the most hits of a query.
        queries: the topics' texts; at least one.
        seconds: how long to go on; the first timed round is always finished.
        enough: asked after each opening, with all times so far, whether to stop.
        seed: of the order.
        searched: called after each round.
    """
    start()
    chance = random.Random(seed)
    visits = [(index, topic) for index in range(len(folders)) for topic in range(len(queries))]
    walls: list[Seconds] = []
    cpus: list[Seconds] = []
    before, end = _pauses(), time.perf_counter() + seconds
    while True:
        with ExitStack() as stack:
            rankings = [stack.enter_context(Searcher(folder, model, depth)).ranking for folder in folders]
            for number in range(_WARM_UP if walls else _FIRST_WARM_UP):
                if number and time.perf_counter() > end:
                    break
                chance.shuffle(visits)
                _round(rankings, queries, visits)
                searched()
            timed: list[tuple[Seconds, Seconds]] = []
            for _ in range(ROUNDS):
                if (walls or timed) and time.perf_counter() > end:
                    break
                chance.shuffle(visits)
                timed.append(_round(rankings, queries, visits))
                searched()
        if timed:
            wall, cpu = (np.array(times) for times in zip(*timed, strict=True))
            walls.append(wall)
            cpus.append(cpu)
        times = QueryTimes(walls, cpus, _since(before))
        if time.perf_counter() > end or enough(times):
            return times


def _round(
    rankings: Sequence[LuceneRanking | ExactRanking], queries: Sequence[str], visits: Sequence[tuple[int, int]]
) -> tuple[Seconds, Seconds]:
    """Return wall and CPU seconds, each of shape (indexes, topics)."""
    wall, cpu = (np.zeros((len(rankings), len(queries))) for _ in range(2))
    for index, topic in visits:
        ranking, query = rankings[index], queries[topic]
        cpu_begin, wall_begin = time.thread_time_ns(), time.perf_counter_ns()
        ranking.search(query)
        wall_end, cpu_end = time.perf_counter_ns(), time.thread_time_ns()
        ranking.forget()
        wall[index, topic], cpu[index, topic] = wall_end - wall_begin, cpu_end - cpu_begin
    return wall * _NANO, cpu * _NANO


def _pauses() -> CollectorPauses:
    beans = java_class("java.lang.management.ManagementFactory").getGarbageCollectorMXBeans()
    every = [beans.get(number) for number in range(beans.size())]
    return CollectorPauses(
        sum(bean.getCollectionCount() for bean in every), sum(bean.getCollectionTime() for bean in every) / 1000
    )


def _since(before: CollectorPauses) -> CollectorPauses:
    now = _pauses()
    return CollectorPauses(now.collections - before.collections, now.seconds - before.seconds)
