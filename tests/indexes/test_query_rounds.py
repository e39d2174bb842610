"""Rounds of queries over real indexes: what is searched, how often, in which order; no test of how long it took."""

from __future__ import annotations

from pathlib import Path

import pytest

from thresher.base.errors import InputError
from thresher.indexes.analysis import parse_retrieval
from thresher.indexes.indexing import IndexOptions, build_index
from thresher.indexes.query_timing import ROUNDS, QueryTimes, TimedSearches, rounds_of, time_queries
from thresher.indexes.searching import LuceneRanking

QUERIES = ("red", "blue green", "nothing")


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("rounds")
    for number in (1, 2):
        build_index([("a", "red " * number), ("b", "blue green")], folder / str(number), IndexOptions(lengths=True))
    return [folder / "1", folder / "2"]


@pytest.mark.parametrize("model", ["qld", "qld(exact)"])
def test_every_round_searches_every_topic_in_every_index(indexes: list[Path], model: str) -> None:
    asked: list[int] = []
    rounds: list[int] = []

    def enough(times: QueryTimes) -> bool:
        asked.append(len(times.wall))
        return len(times.wall) == 2

    searches = TimedSearches(indexes, parse_retrieval(model), depth=10, queries=QUERIES, seconds=1000.0)
    times = time_queries(searches, enough, searched=lambda: rounds.append(1))
    assert asked == [1, 2]
    assert [one.shape for one in (*times.wall, *times.cpu)] == [(ROUNDS, 2, 3)] * 4
    assert all((one > 0).all() for one in times.wall)
    assert all((one >= 0).all() for one in times.cpu)
    # Three rounds of warm-up at first, then one an opening.
    assert len(rounds) == rounds_of(2) == 3 + ROUNDS + 1 + ROUNDS


def test_a_round_is_timed_however_short_the_time(indexes: list[Path]) -> None:
    rounds: list[int] = []
    searches = TimedSearches(indexes, parse_retrieval("qld"), depth=10, queries=QUERIES, seconds=0.0)
    times = time_queries(searches, lambda _: False, searched=lambda: rounds.append(1))
    assert [one.shape for one in times.wall] == [(1, 2, 3)]
    assert len(rounds) == 2


def test_orders_are_random_and_repeat_with_the_seed(indexes: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    search = LuceneRanking.search
    monkeypatch.setattr(
        LuceneRanking, "search", lambda ranking, query: (searched.append(query), search(ranking, query))
    )

    def order(seed: int) -> list[str]:
        searched.clear()
        searches = TimedSearches(indexes, parse_retrieval("qld"), 10, QUERIES, seconds=1000.0, seed=seed)
        time_queries(searches, lambda _: True)
        return list(searched)

    first = order(1)
    assert len(first) == (3 + ROUNDS) * 2 * 3
    rounds = [first[start : start + 6] for start in range(0, len(first), 6)]
    assert all(sorted(one) == sorted(QUERIES * 2) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1
    assert order(1) == first
    assert order(2) != first


def test_a_missing_index_is_named(indexes: list[Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no Lucene index"):
        time_queries(TimedSearches([*indexes, tmp_path], parse_retrieval("qld"), 10, QUERIES, 1.0), lambda _: True)
