"""Search with Lucene's retrieval models or the exact one; scores keep their order in a run file.

trec_eval and the tools built on it read scores as 32-bit floats and break ties by document id, descending. They would
reorder scores that differ by less than the spacing of 32-bit floats (2e-6 near 20).
"""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.errors import ConfigError, InputError
from thresher.indexes.analysis import RetrievalModel, analyse, text_analyzer
from thresher.indexes.exact_ranking import ExactRanking, RankedDocuments
from thresher.indexes.indexing import LENGTHS, IndexOptions, open_index, settings_of
from thresher.indexes.jvm import java_cast, java_class
from thresher.indexes.original_statistics import ORIGINAL_STATISTICS, OriginalStatistics, QueryBuilder
from thresher.indexes.work import QueryWork, mean_work, postings_of

Hits = list[tuple[str, float]]
"""(document id, score), best first."""

_MICRO = 10**6


def strictly_decreasing(scores: Sequence[float]) -> list[float]:
    """Return the scores (finite, best first) as a list that is strictly decreasing, also with six decimals and in 32
    bits.

    Scores are rounded to a grid of 1, 2 or 5 times a power of ten, no finer than 1e-6 and coarser than the spacing of 32-bit
    floats of their size; a score that is not below the one before it is lowered to the next grid point. Scores of four
    decimals, below 500 and not tied, are unchanged.
    """
    if not len(scores):
        return []
    values = np.asarray(scores, dtype=np.float64)
    micros = _grid_in_micros(float(np.abs(values).max()), len(values))
    points = np.rint(values * (_MICRO / micros)).astype(np.int64)
    rank = np.arange(len(values))
    points = np.minimum.accumulate(points + rank) - rank
    lowered: list[float] = (points * micros / _MICRO).tolist()
    return lowered


def _grid_in_micros(largest: float, count: int) -> int:
    """Return the spacing of the grid in millionths.

    It exceeds the spacing of 32-bit floats at the largest score, and at the last score if all `count` scores are ties:
    numbers further apart than neighbouring floats round to different floats.
    """
    power = 1
    while True:
        for micros in (power, 2 * power, 5 * power):
            furthest = np.float32(largest + count * micros / _MICRO)
            if micros / _MICRO > float(np.spacing(furthest)):
                return micros
        power *= 10


class LuceneHits(NamedTuple):
    """The ids of hits, best first, and their scores as Lucene gives them."""

    ids: list[str]
    scores: npt.NDArray[np.float32]


class LuceneRanking:
    """Ranks by Lucene's similarity for `qld`, `bm25` or `classic`: the same hits as Anserini's `SimpleSearcher`.

    Ids come from the sort keys that break ties, so no stored document is read.

    Args:
        reader: the open index (a Java object).
        analyzer: of queries and documents (a Java object).
        model: of any family, but not exact.
        depth: the most hits.
        original: for a pruned index that is ranked with the statistics of the unpruned collection.
    """

    def __init__(
        self, reader: Any, analyzer: Any, model: RetrievalModel, depth: int, original: OriginalStatistics | None = None
    ) -> None:
        self._reader = reader
        self._analyzer = analyzer
        self._depth = depth
        self._searcher = java_class("org.apache.lucene.search.IndexSearcher")(reader)
        self._searcher.setSimilarity(_similarity(model))
        self._queries = QueryBuilder(self._searcher, analyzer, original)
        self._sort = _score_then_id()
        self._json = java_class("com.fasterxml.jackson.databind.ObjectMapper")()
        self._top: Any = None

    def rank(self, query: str) -> RankedDocuments:
        """Return the hits with their scores rounded to four decimals, as in Anserini."""
        hits = self.hits(query)
        rounded = np.floor(hits.scores.astype(np.float64) * 1e4 + 0.5) / 1e4
        return RankedDocuments(hits.ids, rounded.tolist())

    def hits(self, query: str) -> LuceneHits:
        """Return the hits."""
        self.search(query)
        # One call copies all hits: Java writes them as JSON.
        copied = json.loads(self._json.writeValueAsString(self._top))
        self.forget()
        ids: list[str] = []
        scores: list[float] = []
        for hit in copied["scoreDocs"]:
            score, identifier = hit["fields"]
            scores.append(score)
            start_of_id = identifier["offset"]
            ids.append(b64decode(identifier["bytes"])[start_of_id : start_of_id + identifier["length"]].decode())
        return LuceneHits(ids, np.array(scores, dtype=np.float32))

    def search(self, query: str) -> None:
        """Search in Java, and leave the hits there."""
        self._top = self._searcher.search(self._queries.build(query), self._depth, self._sort)

    def forget(self) -> None:
        """Drop the hits that are left in Java."""
        self._top = None

    def work(self, query: str) -> QueryWork:
        """Search once more and return the work of the search."""
        self.search(query)
        documents = self._top.totalHits.value
        self.forget()
        words = Counter(analyse(self._analyzer, query))
        return QueryWork(postings_of(self._reader, words), documents)


def _similarity(model: RetrievalModel) -> Any:
    similarities = "org.apache.lucene.search.similarities."
    if model.family == "qld":
        return java_class(similarities + "LMDirichletSimilarity")(model.mu)
    if model.family == "classic":
        return java_class(similarities + "ClassicSimilarity")()
    return java_class(similarities + "BM25Similarity")(model.k1, model.b)


def _score_then_id() -> Any:
    field = java_class("org.apache.lucene.search.SortField")
    kind = java_class("org.apache.lucene.search.SortField$Type")
    return java_class("org.apache.lucene.search.Sort")(
        java_cast("org.apache.lucene.search.SortField", field.FIELD_SCORE), field("id", kind.STRING_VAL)
    )


@dataclass(frozen=True)
class SearchReport:
    """The hits of each topic, best first, and their cost.

    `latencies_ms`: the wall time of each query in milliseconds, in the order of the topics, from query text to list of hits.
    """

    hits: dict[str, Hits]
    latencies_ms: list[float]


class Searcher:
    """Searches an index by one retrieval model, for at most `depth` hits a query. A context manager.

    Queries are analysed as the documents were. Ties are ranked by ascending document id, as in Anserini; scores are then made
    strictly decreasing, so that a run file keeps the order.
    """

    def __init__(self, folder: Path, model: RetrievalModel, depth: int = 1000) -> None:
        if depth < 1:
            raise ConfigError(f"a depth of {depth} hits is too small", "give a depth of 1 or more")
        self._folder, self._model, self._depth = folder, model, depth
        self._stack = ExitStack()
        self._ranking: LuceneRanking | ExactRanking | None = None

    def __enter__(self) -> Searcher:
        with ExitStack() as stack:
            reader = stack.enter_context(open_index(self._folder))
            settings = settings_of(self._folder)
            options = settings.options if settings else IndexOptions()
            analyzer = text_analyzer(options.analysis)
            original: OriginalStatistics | None = None
            if settings is not None and settings.original_statistics:
                original = OriginalStatistics(self._folder / ORIGINAL_STATISTICS, reader)
            if self._model.exact:
                lengths = self._folder / LENGTHS
                self._ranking = ExactRanking(reader, analyzer, self._model.mu, self._depth, lengths, original)
            else:
                self._ranking = LuceneRanking(reader, analyzer, self._model, self._depth, original)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._ranking = None
        self._stack.__exit__(*error)

    @property
    def ranking(self) -> LuceneRanking | ExactRanking:
        """The ranking that searches."""
        if self._ranking is None:
            raise RuntimeError("a Searcher is used inside its with block")
        return self._ranking

    def work(self, queries: Sequence[str]) -> QueryWork:
        """Return the work of searching, mean over queries."""
        return mean_work([self.ranking.work(query) for query in queries])

    def search(self, query: str) -> Hits:
        """Return the best documents' (id, score), best first; none for a query without index words."""
        ids, scores = self.ranking.rank(query)
        return list(zip(ids, strictly_decreasing(scores), strict=True))

    def search_topics(self, topics: Sequence[tuple[str, str]], warm_up: int = 1) -> SearchReport:
        """Search (topic id, query) pairs one after another, and time them.

        Before, all are searched `warm_up` times, untimed, for Java's compiler and the disk cache.
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
        for identifier, query in topics:
            started = time.perf_counter()
            hits[identifier] = self.search(query)
            latencies.append((time.perf_counter() - started) * 1000)
        return SearchReport(hits, latencies)
