"""The best documents of every topic at every step of a sweep, as one index for each step would rank them.

A topic is ranked among the documents that match it. If they are many, documents that cannot be among the best at any step of a
block are left out first. Terms and tokens are only added from step to step, so tf at the last step and the length at the first
bound a document's score from above, and tf at the first step and the length at the last bound it from below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats, Ints
from thresher.experiments.exploring.match_chunks import StoredChunk
from thresher.experiments.exploring.matching import Matches, Query
from thresher.experiments.exploring.similarity import Similarity, similarity
from thresher.experiments.exploring.steps import Block, SweepStatistics, blocks
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.pruning.postings import Numbers

RankedScores = npt.NDArray[np.floating[Any]]
"""Scores of 32 bits if the similarity is `single`, or else of 64 bits."""

NONE = -1
"""Stands for a document behind the end of a ranking."""

_ROWS = 12
"""Steps of a block, which share bounds."""

_FEW = 4
"""Up to this multiple of the depth, all pairs are scored: bounding their scores would take as long."""

_RELATIVE_ERROR = 2e-6
_SMALLEST_ERROR = 1e-3
"""Above the rounding error of a score, relative to the numbers that it is summed from; `qld(exact)` rounds to 1e-10."""


@dataclass(frozen=True)
class Ranked:
    """The best documents of a topic at some steps, best first, ties by id.

    Args:
        documents: their numbers in the collection, then `NONE`; shape (steps, ranks).
        scores: their scores by the retrieval model, then 0; shape as `documents`.
    """

    documents: Numbers
    scores: RankedScores

    def merged(self, other: Ranked, depth: int) -> Ranked:
        """Return the best of both rankings, which have no document in common."""
        documents = np.concatenate((self.documents, other.documents), axis=1)
        scores: RankedScores = np.concatenate((self.scores, other.scores), axis=1)
        return rank(documents, scores, depth)

    def lowest_at(self, depth: int) -> float:
        """Return the lowest score at rank `depth` of any step; minus infinity if a step has fewer documents."""
        if self.documents.shape[1] < depth or (self.documents[:, depth - 1] == NONE).any():
            return -np.inf
        return float(self.scores[:, depth - 1].min())


def rank(documents: Numbers, scores: RankedScores, depth: int) -> Ranked:
    """Rank documents at each step, at most `depth`.

    Args:
        documents: their numbers, `NONE` where a document does not match; shape (steps, documents).
        scores: 0 where a document does not match; shape as `documents`.
    """
    if scores.dtype == np.float32:
        # Numbers of 0 or more sort as their bits do: one integer holds the inverted bits and, below them, the document.
        keys = (~scores.view(np.uint32)).astype(np.uint64)
        keys <<= np.uint64(32)
        keys |= documents.astype(np.uint32)
        keys.sort(axis=1)
        keys = keys[:, :depth]
        return Ranked(
            documents=keys.astype(np.uint32).view(np.int32),
            scores=(~(keys >> np.uint64(32)).astype(np.uint32)).view(np.float32),
        )
    order = np.lexsort((documents, np.where(documents == NONE, np.inf, -scores)), axis=1)[:, :depth]
    return Ranked(np.take_along_axis(documents, order, axis=1), np.take_along_axis(scores, order, axis=1))


def rank_steps(
    chunks: Iterable[StoredChunk],
    statistics: SweepStatistics,
    queries: Sequence[Query],
    model: RetrievalModel,
    depth: int,
    steps: Ints,
) -> list[RankedBlock]:
    """Rank all queries at some steps of a sweep.

    The scores that the best documents of a chunk reach leave out most documents of the next chunk.

    Args:
        chunks: the chunks of the collection, read one by one.
        statistics: the statistics of the sweep in the whole collection.
        queries: the queries.
        model: the retrieval model.
        depth: the most documents of a ranking.
        steps: see `blocks`.
    """
    ranked: list[RankedBlock] = []
    for chunk in chunks:
        matches = chunk.read()
        for number, block in enumerate(blocks(matches, statistics.sweep, steps, _ROWS)):
            ranking = BlockRanking(matches, block, similarity(model, statistics.at(block.steps)), depth)
            if number == len(ranked):
                ranked.append(RankedBlock(block.steps, [ranking.best(query) for query in queries]))
                continue
            before = ranked[number].topics
            for topic, query in enumerate(queries):
                best = ranking.best(query, before[topic].lowest_at(depth))
                before[topic] = before[topic].merged(best, depth)
    return ranked


@dataclass(frozen=True)
class RankedBlock:
    """The rankings of each topic at the steps of a block."""

    steps: Ints
    topics: list[Ranked]


class BlockRanking:
    """Ranks the documents of a chunk at the steps of one block, at most `depth` for each query."""

    def __init__(self, matches: Matches, block: Block, scoring: Similarity, depth: int) -> None:
        self._matches = matches
        self._block = block
        self._scoring = scoring
        self._depth = depth
        self._length_parts = scoring.length_parts(block.lengths)
        self._highest = _Bounds(scoring.highest(), tf=block.tf[-1], lengths=block.lengths[0])
        self._lowest = _Bounds(scoring.lowest(), tf=block.tf[0], lengths=block.lengths[-1])
        self._postings: dict[int, _Postings] = {}
        self._scored: dict[tuple[int, int], _Scored] = {}

    def best(self, query: Query, floor: float = -np.inf) -> Ranked:
        """Return the best documents at each step; documents that score less than `floor` at every step may be left out."""
        pairs = 0
        candidates = np.zeros(len(self._matches.numbers), dtype=np.bool_)
        for term in query.counts:
            postings = self._postings_of(term)
            pairs += len(postings.pairs)
            candidates[postings.documents] = True
        leave_out = floor > -np.inf or pairs > _FEW * self._depth
        if leave_out:
            candidates &= self._may_be_best(query, floor)
        scored: list[_Scored] = []
        for term, boost in query.counts.items():
            if leave_out:
                scored.append(self._score(term, boost, self._postings_of(term).among(candidates)))
            else:
                scored.append(self._score_all(term, boost))
        return self._ranked(scored, np.flatnonzero(candidates), query.size)

    def _ranked(self, scored: Sequence[_Scored], documents: Ints, query_size: int) -> Ranked:
        columns = np.zeros(len(self._matches.numbers), dtype=np.int64)
        columns[documents] = np.arange(len(documents))
        shape = len(self._block.steps), len(documents)
        sums = np.zeros(shape)
        matching = np.zeros(shape, dtype=np.bool_)
        for term_scores in scored:
            columns_of_term = columns[term_scores.documents]
            sums[:, columns_of_term] += term_scores.scores
            matching[:, columns_of_term] |= term_scores.present
        scores = self._scoring.document_scores(sums, self._length_parts, documents, query_size)
        scores = np.where(matching, scores, 0)
        numbers = np.where(matching, self._matches.numbers[documents], np.int32(NONE))
        return rank(numbers, scores.astype(np.float32) if self._scoring.single else scores, self._depth)

    def _postings_of(self, term: int) -> _Postings:
        """Return the term's pairs that are there at any of the steps."""
        if term not in self._postings:
            pairs = self._matches.pairs(term)
            present = pairs.start + np.flatnonzero(self._block.tf[-1, pairs])
            self._postings[term] = _Postings(present, self._matches.pair_document[present])
        return self._postings[term]

    def _score_all(self, term: int, boost: int) -> _Scored:
        """Score all of the term's pairs, once for all queries."""
        if (term, boost) not in self._scored:
            self._scored[term, boost] = self._score(term, boost, self._postings_of(term))
        return self._scored[term, boost]

    def _score(self, term: int, boost: int, postings: _Postings) -> _Scored:
        tf = self._block.tf[:, postings.pairs]
        scores = self._scoring.term_scores(term, boost, tf, self._length_parts[:, postings.documents])
        present = tf > 0
        return _Scored(postings.documents, np.where(present, scores, 0), present)

    def _may_be_best(self, query: Query, floor: float) -> npt.NDArray[np.bool_]:
        """Return by document whether it may be among the best at any step; true for some documents that do not match."""
        sums = np.zeros(len(self._matches.numbers))
        numbers_summed = _SMALLEST_ERROR
        for term, boost in query.counts.items():
            postings = self._postings_of(term)
            scores = self._highest.term_scores(term, boost, postings)
            sums[postings.documents] += scores
            numbers_summed += float(scores.max(initial=0)) + self._highest.scoring.subtracted(term, boost)
        if floor == -np.inf:
            floor = self._floor(query)
        scores = self._highest.document_scores(sums, np.arange(len(sums)), query.size)
        return scores >= floor - _RELATIVE_ERROR * numbers_summed

    def _floor(self, query: Query) -> float:
        """Return the score that `depth` documents reach at every step; minus infinity if fewer match at every step."""
        sums = np.zeros(len(self._matches.numbers))
        matches_at_every_step = np.zeros(len(sums), dtype=np.bool_)
        for term, boost in query.counts.items():
            postings = self._postings_of(term)
            present = self._block.tf[0, postings.pairs] > 0
            sums[postings.documents] += np.where(present, self._lowest.term_scores(term, boost, postings), 0)
            matches_at_every_step[postings.documents] |= present
        documents = np.flatnonzero(matches_at_every_step)
        if len(documents) < self._depth:
            return -np.inf
        scores = self._lowest.document_scores(sums[documents], documents, query.size)
        place = len(scores) - self._depth
        return float(np.partition(scores, place)[place])


@dataclass(frozen=True)
class _Postings:
    """Pairs of one term, and their documents."""

    pairs: Ints
    documents: Ints

    def among(self, candidates: npt.NDArray[np.bool_]) -> _Postings:
        """Return the pairs of some documents."""
        chosen = np.flatnonzero(candidates[self.documents])
        return _Postings(self.pairs[chosen], self.documents[chosen])


@dataclass(frozen=True)
class _Scored:
    """Scores of one term, 0 in documents without it, and whether a document has it; shapes (steps, documents)."""

    documents: Ints
    scores: Floats
    present: npt.NDArray[np.bool_]


class _Bounds:
    """Bounds of documents' scores at the steps of a block: the scores at a step that may not exist."""

    def __init__(self, scoring: Similarity, tf: Numbers, lengths: Numbers) -> None:
        self.scoring = scoring
        self._tf = tf
        self._length_parts = scoring.length_parts(lengths[None])
        self._of_terms: dict[tuple[int, int], Floats] = {}

    def term_scores(self, term: int, boost: int, postings: _Postings) -> Floats:
        """Return the scores of all pairs of a term, computed once for all queries; undefined where tf is 0."""
        if (term, boost) not in self._of_terms:
            tf = self._tf[None, postings.pairs]
            scores = self.scoring.term_scores(term, boost, tf, self._length_parts[:, postings.documents])
            self._of_terms[term, boost] = scores[0]
        return self._of_terms[term, boost]

    def document_scores(self, sums: Floats, documents: Ints, query_size: int) -> Floats:
        """Return the scores of documents from the sums of their terms' scores; shape (documents,)."""
        scores: Floats = self.scoring.document_scores(sums[None], self._length_parts, documents, query_size)[0]
        return scores
