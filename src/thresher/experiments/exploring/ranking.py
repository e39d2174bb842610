"""The best documents of every topic at every step of a sweep, as one index for each step would rank them.

Work grows with the postings that the topics touch: each is scored at all steps of a block at once, for all topics of a batch
that have its term, and a topic is ranked among the documents that match it. Of topics with many, those that cannot be among
the best at any step of the block are left out first (see `thresher.experiments.exploring.ranking`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats, Ints
from thresher.experiments.exploring.matching import Block, Kept, Matches, Query, SweepStatistics, blocks
from thresher.experiments.exploring.similarity import Similarity, Singles, by_lengths, similarity
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.pruning.postings import Hashes, Numbers, ranges

Flags = npt.NDArray[np.bool_]

FOUND = 1e-300
"""Added to the score of a term in a document, which may be 0: it is lost in any 32-bit score."""

# Above the rounding error of a score, relative to what it is summed from; `qld(exact)` rounds to 1e-10.
_SLACK, _SMALL = 2e-6, 1e-3


@dataclass(frozen=True)
class Contenders:
    """Documents that may be among the best, ascending, and their pairs of each of the query's terms, in its order."""

    documents: Ints
    pairs: Sequence[Ints]


class Bounds:
    """Bounds of documents' scores at the steps of a block, by term; those of terms in several of the queries are kept."""

    def __init__(self, kept: Kept, block: Block, scoring: Similarity, queries: Sequence[Query]) -> None:
        self._kept = kept
        self._highest, self._lowest = scoring.highest(), scoring.lowest()
        self._by_shortest = self._highest.by_length(block.lengths[:1])[0]
        self._by_longest = self._lowest.by_length(block.lengths[-1:])[0]
        self._first, self._last = block.times, block.after
        self._asked = Counter((term, boost) for query in queries for term, boost in query.counts.items())
        self._known: dict[tuple[int, int], Floats] = {}
        # By document, 0 between two queries: a query touches its postings and no more.
        self._sums = np.zeros(len(self._by_shortest))
        self._may = np.zeros(len(self._by_shortest), dtype=np.bool_)

    def contenders(self, query: Query, depth: int, reached: float, likely: Ints | None) -> Contenders:
        """Return the documents that may be among the `depth` best at any step.

        Args:
            reached: what `depth` documents of other chunks of the collection score at least at every step; minus infinity if
                there are none.
            likely: documents that may well be among the best, best of all those of neighbouring steps, if known.
        """
        if reached == -np.inf and likely is not None:
            reached = self._reached(query, depth, likely)
        if reached == -np.inf:
            reached = self._reached(query, depth, None)
        highest = self._highest.columns(query.terms)
        every = [self._kept.documents(term) for term in query.counts]
        bounds = [self._at_most(term, boost) for term, boost in query.counts.items()]
        ceilings = np.array([bound.max(initial=0) for bound in bounds])
        slack = _SLACK * (float(ceilings.sum()) + highest.ceiling(query.boosts) + _SMALL)
        needed = highest.sums_reaching(reached - slack, self._by_shortest, query.size)
        rest = float(ceilings.sum())
        for index in np.argsort(-ceilings, kind="stable").tolist():
            # Of documents without the terms before.
            rest -= ceilings[index]
            documents = every[index]
            limits = needed if isinstance(needed, float) else needed[documents]
            self._may[documents[bounds[index] >= limits - rest - slack]] = True
        chosen = [np.flatnonzero(np.take(self._may, documents)) for documents in every]
        for documents, bound, some in zip(every, bounds, chosen, strict=True):
            self._sums[documents[some]] += bound[some]
        touched = np.flatnonzero(self._may)
        limits = needed if isinstance(needed, float) else needed[touched]
        self._may[touched] = self._sums[touched] >= limits
        self._sums[touched] = 0
        touched = touched[self._may[touched]]
        pairs = [
            self._kept.pairs(term)[some[self._may[documents[some]]]]
            for term, documents, some in zip(query.counts, every, chosen, strict=True)
        ]
        self._may[touched] = False
        return Contenders(touched, pairs)

    def _reached(self, query: Query, depth: int, likely: Ints | None) -> float:
        """Return what `depth` documents, of those that are likely if any are, score at least at every step; minus infinity if
        fewer match at every step.
        """
        if likely is not None:
            self._may[likely] = True
        for term, boost in query.counts.items():
            documents, pairs = self._kept.documents(term), self._kept.pairs(term)
            if likely is not None:
                some = np.flatnonzero(np.take(self._may, documents))
                documents, pairs = documents[some], pairs[some]
            times = self._first[pairs]
            scores = _scores(self._lowest, term, boost, times, self._by_longest[documents])
            scores += FOUND
            np.copyto(scores, 0, where=times == 0)
            self._sums[documents] += scores
        if likely is not None:
            self._may[likely] = False
        always = np.flatnonzero(self._sums) if likely is None else likely[self._sums[likely] > 0]
        sure = self._lowest.columns(query.terms).whole(self._sums[always], self._by_longest, always, query.size)
        self._sums[always] = 0
        return float(np.partition(sure, len(sure) - depth)[len(sure) - depth]) if len(sure) >= depth else -np.inf

    def _at_most(self, term: int, boost: int) -> Floats:
        known = self._known.get((term, boost))
        if known is None:
            times, documents = np.take(self._last, self._kept.pairs(term)), self._kept.documents(term)
            known = _scores(self._highest, term, boost, times, np.take(self._by_shortest, documents))
            if self._asked[term, boost] > 1:
                self._known[term, boost] = known
        return known


def _scores(scoring: Similarity, term: int, boost: int, times: Numbers, by_length: Floats) -> Floats:
    """Return the scores of a term's pairs; undefined where tf is 0."""
    column, boosts = np.zeros(len(times), dtype=np.int64), np.array([boost], dtype=np.float64)
    scores: Floats = scoring.columns(np.array([term])).scores(times[None], column, boosts, by_length[None])[0]
    return scores


NONE = -1
"""Fills a ranking behind its end."""

_BEHIND = np.uint64(2**64 - 1)
"""Its key: of 32 bits, `NONE` has all."""

_ROWS = 12
"""Steps of a block, which share bounds."""

_FEW = 4
"""Up to this multiple of the depth, all pairs are scored: bounding them would take as long."""

_CELLS = 1 << 19
"""Scores, pairs times steps, computed at a time."""


class Ranked(Protocol):
    """The best documents of a topic at some steps, best first, ties by id; shape of all (steps, ranks)."""

    @property
    def documents(self) -> Numbers | Ints:
        """Their numbers in the collection (see `Matches`), then `NONE`."""
        ...

    @property
    def scores(self) -> Floats | Singles:
        """Scores of the similarity, before any rounding; 0 behind the end."""
        ...

    def merged(self, other: Self, depth: int) -> Self:
        """Return the best of both, which have no document in common."""
        ...

    def reached(self, depth: int) -> float:
        """Return the lowest score at rank `depth` of any step; minus infinity if a step has fewer documents."""
        ...


@dataclass(frozen=True)
class _RankedByBits:
    """Ranked by non-negative scores of 32 bits: these sort as their bits, and one integer holds the inverted score and, below
    it, the document. Such `keys` ascend.
    """

    keys: Hashes

    @property
    def documents(self) -> Numbers:
        return self.keys.astype(np.uint32).view(np.int32)

    @property
    def scores(self) -> Singles:
        return (~(self.keys >> np.uint64(32)).astype(np.uint32)).view(np.float32)

    def merged(self, other: Self, depth: int) -> Self:
        new = other.keys
        if self.keys.shape[1] >= depth:
            new = new[:, : np.count_nonzero(new < self.keys[:, -1:], axis=1).max(initial=0)]
        joint = np.sort(np.concatenate((self.keys, new), axis=1), axis=1)
        return replace(self, keys=joint[:, :depth].copy())

    def reached(self, depth: int) -> float:
        last = self.keys[:, depth - 1 : depth]
        return float(replace(self, keys=last).scores.min()) if last.size and (last < _BEHIND).all() else -np.inf


@dataclass(frozen=True)
class _RankedByValue:
    """Ranked by scores of 64 bits."""

    documents: Ints
    scores: Floats

    def merged(self, other: Self, depth: int) -> Self:
        more = other.documents.shape[1]
        if self.documents.shape[1] >= depth and NONE not in self.documents[:, -1]:
            better = (other.documents != NONE) & (other.scores >= self.scores[:, -1:])
            more = np.count_nonzero(better, axis=1).max(initial=0)
        documents = np.concatenate((self.documents, other.documents[:, :more]), axis=1)
        scores = np.concatenate((self.scores, other.scores[:, :more]), axis=1)
        order = np.lexsort((documents, np.where(documents == NONE, np.inf, -scores)), axis=1)[:, :depth]
        return replace(
            self,
            documents=np.take_along_axis(documents, order, axis=1),
            scores=np.take_along_axis(scores, order, axis=1),
        )

    def reached(self, depth: int) -> float:
        documents, scores = (column[:, depth - 1 : depth] for column in (self.documents, self.scores))
        return float(scores.min()) if documents.size and (documents != NONE).all() else -np.inf


def rankings(
    chunks: Iterable[Matches],
    statistics: SweepStatistics,
    queries: Sequence[Query],
    sweep: int,
    model: RetrievalModel,
    depth: int,
    turn: tuple[int, int] = (0, 1),
) -> Iterator[tuple[Ints, Iterator[Ranked]]]:
    """Give the steps of a sweep that add tokens, in blocks, each with the rankings of every topic in turn at these steps.

    The rankings of a block are valid until the next is asked for. The best of a chunk are held until those of the next are
    merged into them, and the scores that they reached leave out most documents of the next chunk.

    Args:
        chunks: of the collection, any number; in memory one after the other.
        statistics: of the sweep, given by its number, in the whole collection.
        turn: (index, number of turns) of the steps to rank; all turns take about as long.
    """
    waiting = iter(chunks)
    held: dict[int, list[Ranked]] = {}
    matches = next(waiting, None)
    while matches is not None:
        following = next(waiting, None)
        likely: dict[int, Ints] = {}
        for block in blocks(matches, statistics, sweep, _ROWS, turn):
            before = held.pop(int(block.steps[0]), None)
            ranked = _Search(matches, block, model, queries, depth, before, likely).ranked()
            if following is None:
                yield block.steps, ranked
            else:
                held[int(block.steps[0])] = [*ranked]
        matches = following


@dataclass
class _Batch:
    """Queries that are ranked together.

    Args:
        pairs: lists of pairs to score, each of one term with one boost.
        terms, boosts: of each list.
        sizes: of each query in tokens.
        uses: the queries' lists: the position among the query's terms, the query, the list.
        whole: lists that hold all pairs of a term, by term and boost.
        used: how many pairs the queries have, those of shared lists counted for each.
    """

    pairs: list[Ints] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    boosts: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    uses: list[tuple[int, int, int]] = field(default_factory=list)
    whole: dict[tuple[int, int], int] = field(default_factory=dict)
    used: int = 0

    def add(self, term: int, boost: int, pairs: Ints) -> int:
        """Add a list; return its number."""
        self.pairs.append(pairs)
        self.terms.append(term)
        self.boosts.append(boost)
        return len(self.pairs) - 1


class _Search:
    """Ranks queries at the steps of one block."""

    def __init__(
        self,
        matches: Matches,
        block: Block,
        model: RetrievalModel,
        queries: Sequence[Query],
        depth: int,
        before: Sequence[Ranked] | None,
        likely: dict[int, Ints],
    ) -> None:
        self._before, self._likely = before, likely
        self._matches, self._block, self._queries, self._depth = matches, block, queries, depth
        self._kept = Kept(matches, block)
        self._scoring = similarity(model, block.states)
        self._by_length = by_lengths(self._scoring, block.lengths)
        self._bounds = Bounds(self._kept, block, self._scoring, queries)

    def ranked(self) -> Iterator[Ranked]:
        """Give the best documents of each query, those of the chunks before among them."""
        ranked = self._ranked()
        if self._before is None:
            return ranked
        return (before.merged(new, self._depth) for before, new in zip(self._before, ranked, strict=True))

    def _ranked(self) -> Iterator[Ranked]:
        batch = _Batch()
        for number, query in enumerate(self._queries):
            self._add(batch, number, query)
            if batch.used * len(self._block.steps) >= _CELLS:
                yield from self._best(batch)
                batch = _Batch()
        yield from self._best(batch)

    def _add(self, batch: _Batch, number: int, query: Query) -> None:
        reached = self._before[number].reached(self._depth) if self._before else -np.inf
        few = _FEW * self._depth if reached == -np.inf else 0
        contenders = None
        if self._kept.count(query) > few:
            contenders = self._bounds.contenders(query, self._depth, reached, self._likely.get(number))
            self._likely[number] = contenders.documents
        for position, (term, boost) in enumerate(query.counts.items()):
            entry = None if contenders else batch.whole.get((term, boost))
            if entry is None:
                entry = batch.add(term, boost, contenders.pairs[position] if contenders else self._kept.pairs(term))
                if contenders is None:
                    batch.whole[term, boost] = entry
            batch.uses.append((position, len(batch.sizes), entry))
            batch.used += len(batch.pairs[entry])
        batch.sizes.append(query.size)

    def _best(self, batch: _Batch) -> Iterator[Ranked]:
        size, queries = self._block.lengths.shape[1], len(batch.sizes)
        slots, sums = self._sums(batch)
        query, documents = np.divmod(slots, max(size, 1))
        tokens = np.array(batch.sizes, dtype=np.int64)[query]
        scores = self._scoring.whole(sums.T, self._by_length, documents, tokens)
        bounds = np.searchsorted(slots, np.arange(queries + 1) * size).tolist()
        order = _by_bits if self._scoring.single else _by_value
        yield from order(scores, sums.T > 0, self._matches.numbers[documents], bounds, self._depth)

    def _sums(self, batch: _Batch) -> tuple[Ints, Floats]:
        """Return the pairs of a query and a document that it may retrieve, ascending, each as one number, and their sums.

        The sums are those of scores over terms; 0 at steps where the document has none of them; shape (pairs, steps).
        """
        pairs = np.concatenate([np.zeros(0, dtype=np.int64), *batch.pairs])
        counts = np.array([len(one) for one in batch.pairs], dtype=np.int64)
        scores = self._scores(batch, pairs, counts)
        # All first terms of queries, then all second ones: each touches a document once, and sums are in the order of terms.
        position, query, own = np.array(sorted(batch.uses), dtype=np.int64).reshape(-1, 3).T
        used = ranges((np.cumsum(counts) - counts)[own], counts[own])
        keys = np.repeat(query, counts[own]) * self._block.lengths.shape[1] + self._matches.document[pairs[used]]
        slots = np.sort(keys)
        slots = slots[np.flatnonzero(np.diff(slots, prepend=-1))]
        slot = np.searchsorted(slots, keys)
        sums = np.zeros((len(slots), len(self._block.steps)))
        ends = np.cumsum(counts[own])[np.flatnonzero(np.diff(position, append=-1))]
        for first, after in pairwise([0, *ends.tolist()]):
            positions = slot[first:after]
            sums[positions] = np.take(sums, positions, axis=0) + np.take(scores, used[first:after], axis=0)
        return slots, sums

    def _scores(self, batch: _Batch, pairs: Ints, counts: Ints) -> Floats:
        """Return the scores of the pairs of a batch's lists, `counts` in each, 0 where tf is; shape (pairs, steps)."""
        times = self._kept.times(pairs)
        scores = self._scoring.columns(np.array(batch.terms, dtype=np.int64)).scores(
            times,
            np.repeat(np.arange(len(counts)), counts),
            np.array(batch.boosts, dtype=np.float64),
            self._by_length.take(self._matches.document[pairs], axis=1),
        )
        scores += FOUND
        return np.ascontiguousarray(np.where(times > 0, scores, 0).T)


def _by_bits(
    scores: Floats, matching: Flags, numbers: Numbers, bounds: Sequence[int], depth: int
) -> Iterator[_RankedByBits]:
    """Give, for each two neighbouring bounds, the documents between them that match, best first.

    `scores` and `matching`, whether a document matches, have the shape (steps, documents); `bounds` are columns.
    """
    keys = np.empty(scores.shape, dtype=np.uint64)
    keys[:] = (~scores.T.astype(np.float32).view(np.uint32)).T
    keys <<= np.uint64(32)
    keys |= numbers.astype(np.uint64)
    np.copyto(keys, _BEHIND, where=~matching)
    for first, after in pairwise(bounds):
        yield _RankedByBits(np.sort(keys[:, first:after], axis=1)[:, :depth].copy())


def _by_value(
    scores: Floats, matching: Flags, numbers: Numbers, bounds: Sequence[int], depth: int
) -> Iterator[_RankedByValue]:
    """Give the same for scores of 64 bits."""
    keys = np.where(matching, -scores, np.inf)
    documents = np.where(matching, numbers.astype(np.int64), NONE)
    scores = np.where(matching, scores, 0)
    for first, after in pairwise(bounds):
        order = np.argsort(keys[:, first:after], axis=1, kind="stable")[:, :depth]
        yield _RankedByValue(
            np.take_along_axis(documents[:, first:after], order, axis=1),
            np.take_along_axis(scores[:, first:after], order, axis=1),
        )
