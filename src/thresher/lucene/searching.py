"""Searching an index, one query at a time or a set of topics with their times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

from thresher.errors import ConfigError, InputError
from thresher.lucene.analysis import english_analyzer
from thresher.lucene.exact import ExactRanking
from thresher.lucene.indexing import LENGTHS, options_of
from thresher.lucene.ranking import LuceneRanking
from thresher.lucene.reader import open_index
from thresher.lucene.retrieval import RetrievalModel
from thresher.lucene.ties import strictly_decreasing

Hits = list[tuple[str, float]]


@dataclass(frozen=True)
class SearchReport:
    """The hits of each topic, best first, and what they took.

    `latencies_ms` is the wall time of each query in milliseconds, in the order of the topics, from the query
    text to the list of hits; `total_seconds` the wall time of the whole set, one query after another, without
    warm-up.
    """

    hits: dict[str, Hits]
    latencies_ms: list[float]
    total_seconds: float


class Searcher:
    """Searches the index in a folder by one retrieval model. Use it as a context manager.

    Queries are analysed as the documents were. Equal scores are ranked by document id, ascending, as in
    Anserini; scores are then made strictly decreasing so that a run file keeps the order
    (`strictly_decreasing`).

    Args:
        folder: the index.
        model: how documents are ranked.
        depth: the most hits a query may have, 1 or more.

    Raises:
        ConfigError: if the depth is below 1.
        InputError: if the folder holds no index that can be read.
        StateError: for `qld(exact)` over an index without exact document lengths.
        MissingDependencyError: if there is no Java.
    """

    def __init__(self, folder: Path, model: RetrievalModel, depth: int = 1000) -> None:
        if depth < 1:
            raise ConfigError(f"a depth of {depth} hits is too small", "give a depth of 1 or more")
        self._folder, self._model, self._depth = folder, model, depth
        self._stack = ExitStack()
        self._ranking: _Ranking | None = None

    def __enter__(self) -> Searcher:
        with ExitStack() as stack:
            reader = stack.enter_context(open_index(self._folder))
            options = options_of(self._folder)
            analyzer = english_analyzer(options.stemmer, options.stopwords)
            if self._model.exact:
                lengths = self._folder / LENGTHS
                self._ranking = ExactRanking(reader, analyzer, self._model.mu, self._depth, lengths)
            else:
                self._ranking = LuceneRanking(reader, analyzer, self._model, self._depth)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ranking = None
        self._stack.__exit__(kind, error, trace)

    def search(self, query: str) -> Hits:
        """Return the best documents' (id, score), best first; none for a query without index words."""
        if self._ranking is None:
            raise RuntimeError("a Searcher is used inside its with block")
        ids, scores = self._ranking.rank(query)
        return list(zip(ids, strictly_decreasing(scores), strict=True))

    def search_topics(self, topics: Sequence[tuple[str, str]], warm_up: int = 1) -> SearchReport:
        """Search (topic id, query) pairs one after another, and time them.

        Args:
            topics: the topics, each id once.
            warm_up: how many times all topics are searched before, untimed: Java compiles what runs often,
                and the disk's pages come into memory.

        Raises:
            InputError: if a topic id occurs twice.
        """
        hits: dict[str, Hits] = {}
        latencies: list[float] = []
        for identifier, _ in topics:
            if identifier in hits:
                raise InputError(f"the topic {identifier!r} occurs twice", "give every topic its own id")
            hits[identifier] = []
        for _ in range(warm_up):
            for _, query in topics:
                self.search(query)
        began = time.perf_counter()
        for identifier, query in topics:
            started = time.perf_counter()
            hits[identifier] = self.search(query)
            latencies.append((time.perf_counter() - started) * 1000)
        return SearchReport(hits, latencies, time.perf_counter() - began)


class _Ranking(Protocol):
    def rank(self, query: str) -> tuple[list[str], list[float]]: ...
