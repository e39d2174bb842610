"""The best documents of every topic at every step of a sweep, as one index for each step would rank them.

Work grows with the postings that the topics touch: each is scored at all steps of a block at once, for all topics of a batch
that have its term, and a topic is ranked among the documents that match it. Of topics with many, those that cannot be among
the best at any step of the block are left out first (see `thresher.exploring.bounding`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from thresher.arms.postings import ranges
from thresher.exploring.bounding import FOUND, Bounds, Flags
from thresher.exploring.matching import Block, Kept, Matches, Query, blocks
from thresher.exploring.similarity import Floats, by_lengths, similarity
from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints

NONE = -1
"""Stands behind the end of a ranking."""

_ROWS = 12
"""Steps of a block, which share bounds."""

_FEW = 4
"""Up to this multiple of the depth, all pairs are scored: bounding them would take as long."""

_CELLS = 1 << 19
"""Scores, pairs times steps, computed at a time."""


@dataclass(frozen=True)
class Ranked:
    """The best documents of a topic at some steps, best first, ties by id; shape of all (steps, ranks).

    `documents` are indices into `StoreCounts.ids`, then `NONE`.
    """

    documents: Ints
    _columns: Ints
    _scores: Floats

    @property
    def scores(self) -> Floats:
        """Scores of the similarity, before any rounding; 0 behind the end."""
        filled = self.documents != NONE
        scores: Floats = np.zeros(self.documents.shape)
        scores[filled] = self._scores[np.nonzero(filled)[0], self._columns[filled]]
        return scores


def rankings(
    matches: Matches,
    queries: Sequence[Query],
    sweep: int,
    model: RetrievalModel,
    depth: int,
    turn: tuple[int, int] = (0, 1),
) -> Iterator[tuple[Ints, Iterator[Ranked]]]:
    """Give the steps of a sweep that add tokens, in blocks, each with the rankings of every topic in turn at these steps.

    The rankings of a block are valid until the next is asked for.

    Args:
        matches: of the collection.
        queries: of the topics.
        sweep: its number.
        model: the retrieval model.
        depth: the most documents of a ranking.
        turn: (part, parts) of the steps to rank; parts take about as long as each other.
    """
    for block in blocks(matches, sweep, _ROWS, turn):
        yield block.steps, _Search(matches, block, model, queries, depth).ranked()


@dataclass
class _Batch:
    """Queries that are ranked together.

    Args:
        pairs: parts to score, each of one term with one boost.
        terms, boosts: of each part.
        sizes: of each query in tokens.
        uses: parts of the queries: the place among the query's terms, the query, the part.
        whole: parts that hold all pairs of a term, by term and boost.
        used: how many pairs the queries have, those of shared parts counted for each.
    """

    pairs: list[Ints] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    boosts: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    uses: list[tuple[int, int, int]] = field(default_factory=list)
    whole: dict[tuple[int, int], int] = field(default_factory=dict)
    used: int = 0

    def add(self, term: int, boost: int, pairs: Ints) -> int:
        """Add a part; return its number."""
        self.pairs.append(pairs)
        self.terms.append(term)
        self.boosts.append(boost)
        return len(self.pairs) - 1


class _Search:
    """Ranks queries at the steps of one block."""

    def __init__(
        self, matches: Matches, block: Block, model: RetrievalModel, queries: Sequence[Query], depth: int
    ) -> None:
        self._matches, self._block, self._queries, self._depth = matches, block, queries, depth
        self._kept = Kept(matches, block)
        self._scoring = similarity(model, block.states)
        self._by_length = by_lengths(self._scoring, block.lengths)
        self._bounds = Bounds(self._kept, block, self._scoring, queries)
        self._may = np.zeros(block.lengths.shape[1], dtype=np.bool_)

    def ranked(self) -> Iterator[Ranked]:
        """Give the best documents of each query."""
        batch = _Batch()
        for query in self._queries:
            self._add(batch, query)
            if batch.used * len(self._block.steps) >= _CELLS:
                yield from self._best(batch)
                batch = _Batch()
        yield from self._best(batch)

    def _add(self, batch: _Batch, query: Query) -> None:
        many = self._kept.count(query) > _FEW * self._depth
        candidates = self._bounds.candidates(query, self._depth) if many else None
        if candidates is not None:
            self._may[candidates] = True
        for place, (term, boost) in enumerate(query.counts.items()):
            part = None if many else batch.whole.get((term, boost))
            if part is None:
                pairs = self._kept.pairs(term)
                part = batch.add(term, boost, pairs[self._may[self._kept.documents(term)]] if many else pairs)
                if not many:
                    batch.whole[term, boost] = part
            batch.uses.append((place, len(batch.sizes), part))
            batch.used += len(batch.pairs[part])
        if candidates is not None:
            self._may[candidates] = False
        batch.sizes.append(query.size)

    def _best(self, batch: _Batch) -> Iterator[Ranked]:
        """Give the best documents of each query of a batch."""
        size, queries = self._block.lengths.shape[1], len(batch.sizes)
        slots, sums = self._sums(batch)
        query, documents = np.divmod(slots, max(size, 1))
        tokens = np.array(batch.sizes, dtype=np.int64)[query]
        scores = self._scoring.whole(sums.T, self._by_length[:, documents], tokens)
        bounds = np.searchsorted(slots, np.arange(queries + 1) * size).tolist()
        order = _by_bits if self._scoring.single else _by_value
        listed = np.append(documents, NONE)
        for columns in order(scores, sums.T > 0, bounds, self._depth):
            yield Ranked(listed[columns], columns, scores)

    def _sums(self, batch: _Batch) -> tuple[Ints, Floats]:
        """Return the pairs of a query and a document that it may retrieve, ascending, each as one number, and their sums.

        The sums are those of scores over terms; 0 at steps where the document has none of them; shape (pairs, steps).
        """
        pairs = np.concatenate([np.zeros(0, dtype=np.int64), *batch.pairs])
        counts = np.array([len(part) for part in batch.pairs], dtype=np.int64)
        scores = self._scores(batch, pairs, counts)
        # All first terms of queries, then all second ones: each touches a document once, and sums are in the order of terms.
        place, query, part = np.array(sorted(batch.uses), dtype=np.int64).reshape(-1, 3).T
        used = ranges((np.cumsum(counts) - counts)[part], counts[part])
        keys = np.repeat(query, counts[part]) * self._block.lengths.shape[1] + self._matches.document[pairs[used]]
        slots = np.sort(keys)
        slots = slots[np.flatnonzero(np.diff(slots, prepend=-1))]
        slot = np.searchsorted(slots, keys)
        sums = np.zeros((len(slots), len(self._block.steps)))
        ends = np.cumsum(counts[part])[np.flatnonzero(np.diff(place, append=-1))]
        for first, after in pairwise([0, *ends.tolist()]):
            sums[slot[first:after]] += scores[used[first:after]]
        return slots, sums

    def _scores(self, batch: _Batch, pairs: Ints, counts: Ints) -> Floats:
        """Return the scores of the pairs of a batch, 0 where tf is; shape (pairs, steps).

        Args:
            batch: the batch.
            pairs: all its parts, one after the other.
            counts: how many pairs each part has.
        """
        times = self._kept.times(pairs)
        scores = self._scoring.columns(np.array(batch.terms, dtype=np.int64)).scores(
            times,
            np.repeat(np.arange(len(counts)), counts),
            np.array(batch.boosts, dtype=np.float64),
            self._by_length[:, self._matches.document[pairs]],
        )
        scores += FOUND
        np.copyto(scores, 0, where=times == 0)
        return np.ascontiguousarray(scores.T)


def _by_bits(scores: Floats, matching: Flags, bounds: Sequence[int], depth: int) -> Iterator[Ints]:
    """Give, for each two neighbouring bounds, the columns between them by score, highest first; shapes (steps, up to depth).

    The number of all columns stands for those that do not match. Scores are non-negative floats of 32 bits: these sort as
    their bits, and one integer holds the score and, below it, the column.
    """
    count = scores.shape[1]
    keys = np.empty(scores.shape, dtype=np.uint64)
    keys[:] = (~scores.T.astype(np.float32).view(np.uint32)).T
    keys <<= np.uint64(32)
    keys |= np.arange(count, dtype=np.uint64)
    np.copyto(keys, np.uint64((0xFFFFFFFF << 32) | count), where=~matching)
    for first, after in pairwise(bounds):
        best = np.sort(keys[:, first:after], axis=1)[:, :depth]
        yield (best & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _by_value(scores: Floats, matching: Flags, bounds: Sequence[int], depth: int) -> Iterator[Ints]:
    """Give the same for scores of 64 bits."""
    keys = np.where(matching, -scores, np.inf)
    counts = np.where(matching, np.arange(scores.shape[1]), scores.shape[1])
    for first, after in pairwise(bounds):
        order = np.argsort(keys[:, first:after], axis=1, kind="stable")[:, :depth]
        yield np.take_along_axis(counts[:, first:after], order, axis=1)
