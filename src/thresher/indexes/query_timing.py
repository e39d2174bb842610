"""Times of queries over several indexes, in rounds of random order."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.numbers import Floats
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.exact_ranking import ExactRanking
from thresher.indexes.jvm import start
from thresher.indexes.searching import LuceneRanking, Searcher

ROUNDS = 3
"""Timed rounds between two restarts."""
_FIRST_WARM_UP = 3
_WARM_UP = 1
"""Untimed rounds after the first opening of the indexes, and after every later opening."""
_NANO = 1e-9


@dataclass(frozen=True)
class TimedSearches:
    """The searches to time.

    Args:
        folders: the indexes.
        model: the retrieval model.
        depth: the most hits of a query.
        queries: at least one.
        seconds: the time limit; the first timed round is always finished.
        seed: of the order of the searches.
    """

    folders: Sequence[Path]
    model: RetrievalModel
    depth: int
    queries: Sequence[str]
    seconds: float
    seed: int = 0


@dataclass(frozen=True)
class QueryTimes:
    """Times of queries in seconds, by restart, each of shape (rounds, indexes, topics).

    `wall` is from the query's text to the hits in Java (for `qld(exact)` in Python), `cpu` is the CPU time of the
    thread that searches.
    """

    wall: Sequence[Floats]
    cpu: Sequence[Floats]


class _RoundTimes(NamedTuple):
    """Seconds of the searches of a round; shapes (indexes, topics)."""

    wall: Floats
    cpu: Floats


def time_queries(
    searches: TimedSearches, enough: Callable[[QueryTimes], bool], searched: Callable[[], None] = lambda: None
) -> QueryTimes:
    """Search all queries in all indexes, round by round, and open the indexes anew after some rounds.

    Args:
        searches: what to search, and for how long.
        enough: asked after each restart, with all times so far, whether to stop.
        searched: called after each round.
    """
    start()
    order = _Order(searches)
    walls: list[Floats] = []
    cpus: list[Floats] = []
    end = time.perf_counter() + searches.seconds
    while True:
        rounds = _timed_restart(searches, order, end, searched, is_first=not walls)
        if rounds:
            walls.append(np.array([times.wall for times in rounds]))
            cpus.append(np.array([times.cpu for times in rounds]))
        times = QueryTimes(walls, cpus)
        if time.perf_counter() > end or enough(times):
            return times


def rounds_of(restarts: int) -> int:
    """Return the number of rounds of some restarts, warm-up included."""
    return _FIRST_WARM_UP + ROUNDS + (restarts - 1) * (_WARM_UP + ROUNDS)


class _Order:
    """The order of a round's searches: each query in each index."""

    def __init__(self, searches: TimedSearches) -> None:
        self._chance = random.Random(searches.seed)
        self._visits: list[tuple[int, int]] = []
        for index in range(len(searches.folders)):
            for topic in range(len(searches.queries)):
                self._visits.append((index, topic))

    def next_round(self) -> Sequence[tuple[int, int]]:
        """Return the searches of the next round, as numbers of index and topic."""
        self._chance.shuffle(self._visits)
        return self._visits


def _timed_restart(
    searches: TimedSearches, order: _Order, end: float, searched: Callable[[], None], is_first: bool
) -> list[_RoundTimes]:
    """Open all indexes, search for warm-up, and return the times of further rounds, until time is up."""
    rounds: list[_RoundTimes] = []
    with ExitStack() as stack:
        rankings: list[LuceneRanking | ExactRanking] = []
        for folder in searches.folders:
            searcher = stack.enter_context(Searcher(folder, searches.model, searches.depth))
            rankings.append(searcher.ranking)
        for number in range(_FIRST_WARM_UP if is_first else _WARM_UP):
            if number and time.perf_counter() > end:
                break
            _time_round(rankings, searches.queries, order.next_round())
            searched()
        for number in range(ROUNDS):
            must_be_timed = is_first and number == 0
            if not must_be_timed and time.perf_counter() > end:
                break
            rounds.append(_time_round(rankings, searches.queries, order.next_round()))
            searched()
    return rounds


def _time_round(
    rankings: Sequence[LuceneRanking | ExactRanking], queries: Sequence[str], visits: Sequence[tuple[int, int]]
) -> _RoundTimes:
    wall = np.zeros((len(rankings), len(queries)))
    cpu = np.zeros((len(rankings), len(queries)))
    for index, topic in visits:
        ranking = rankings[index]
        query = queries[topic]
        cpu_begin = time.thread_time_ns()
        wall_begin = time.perf_counter_ns()
        ranking.search(query)
        wall_end = time.perf_counter_ns()
        cpu_end = time.thread_time_ns()
        ranking.forget()
        wall[index, topic] = wall_end - wall_begin
        cpu[index, topic] = cpu_end - cpu_begin
    return _RoundTimes(wall * _NANO, cpu * _NANO)
