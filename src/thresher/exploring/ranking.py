"""The best documents of every topic at every step of a sweep, as one index for each step would rank them.

Many steps share their candidates: documents whose upper bound over a block of steps stays below what others reach at least
are never scored. Bounds come from the monotony of the similarities (see `thresher.exploring.similarity`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from thresher.exploring.counting import StoreCounts
from thresher.exploring.similarity import Floats, Integers, Similarity, Singles, States, similarity
from thresher.lucene.retrieval import RetrievalModel
from thresher.pages.plain import Ints

Numbers = npt.NDArray[np.int32]

_AT_ONCE = 1 << 20
"""Occurrences summed at a time; it takes many times their memory."""


class Matches:
    """The pairs of a query term and a document with it in its whole text, by term, then by document id.

    `document` is the document of each pair; `parts` has the slice of each term's pairs.
    """

    def __init__(self, counted: StoreCounts, terms: int) -> None:
        self.counted = counted
        size = max(len(counted.ids), 1)
        pairs, inverse = np.unique(
            counted.term * np.int64(size) + counted.document[counted.sentence], return_inverse=True
        )
        self.pair_of_occurrence: Numbers = inverse.astype(np.int32)
        # Indices of 64 bits: numpy would convert smaller ones each time.
        self.document: Ints = pairs % size
        bounds = np.searchsorted(pairs, np.arange(terms + 1) * np.int64(size)).tolist()
        self.parts = [slice(first, after) for first, after in pairwise(bounds)]

    def forget(self) -> None:
        """Free the memory of all but the counts, for workers that read the rest from a file."""
        none = np.zeros(0, dtype=np.int32)
        self.counted = replace(
            self.counted, ids=(), document=none, tokens=none, steps=(), sentence=none, term=none, times=none
        )
        self.pair_of_occurrence, self.document = none, none.astype(np.int64)


@dataclass(frozen=True)
class Block:
    """Consecutive steps of a sweep, without those that add no token.

    Args:
        steps: their numbers, shape (rows,).
        states: of the collection at each.
        lengths: of the matching documents at each; shape (rows, documents).
        times, after: tf of each pair at the first and at the last step; shape (pairs,).
        added: what the steps after the first add: pairs, ascending; the row; how many occurrences.
    """

    steps: Ints
    states: States
    lengths: Numbers
    times: Numbers
    after: Numbers
    added: tuple[Ints, Ints, Numbers]


def blocks(matches: Matches, sweep: int, rows: int, turn: tuple[int, int] = (0, 1)) -> Iterator[Block]:
    """Give the steps of a sweep in blocks; a block is valid until the next is asked for.

    Args:
        matches: of the collection.
        sweep: its number.
        rows: the most steps of a block.
        turn: (first, stride) of the blocks to give.
    """
    counted = matches.counted
    counts, steps = counted.counts[sweep], counted.steps[sweep]
    size = len(counts.tokens) - 1
    chosen = np.flatnonzero(counts.tokens[:size])
    chosen = chosen if size and counts.tokens[0] else np.concatenate(([0], chosen))[:size]
    occurrences, holders = _by_term(matches, steps, size)
    tokens, documents = np.cumsum(counts.tokens), np.cumsum(counts.with_tokens)
    sentences, sentence_bounds = _by_step(steps, size)
    order, bounds = _by_step(steps[counted.sentence], size)
    lengths = np.zeros(len(counted.ids), dtype=np.int32)
    times = np.zeros(len(matches.document), dtype=np.int32)
    reached = 0
    for first in range(turn[0] * rows, len(chosen), turn[1] * rows):
        part = chosen[first : first + rows]
        # What was added before the block, and at its first step.
        new = sentences[sentence_bounds[reached] : sentence_bounds[part[0] + 1]]
        np.add.at(lengths, counted.document[new], counted.tokens[new])
        new = order[bounds[reached] : bounds[part[0] + 1]]
        np.add.at(times, matches.pair_of_occurrence[new], counted.times[new])
        reached = part[-1] + 1
        new = sentences[sentence_bounds[part[0] + 1] : sentence_bounds[reached]]
        held = np.zeros((len(part), len(lengths)), dtype=np.int32)
        held[0] = lengths
        np.add.at(held, (np.searchsorted(part, steps[new]), counted.document[new]), counted.tokens[new])
        np.cumsum(held, axis=0, out=held)
        new = order[bounds[part[0] + 1] : bounds[reached]]
        new = new[np.argsort(matches.pair_of_occurrence[new], kind="stable")]
        pairs = matches.pair_of_occurrence[new].astype(np.int64)
        added = (pairs, np.searchsorted(part, steps[counted.sentence[new]]), counted.times[new])
        after = times.copy()
        np.add.at(after, pairs, added[2])
        states = States(documents[part], tokens[part], occurrences[part], holders[part])
        yield Block(part, states, held, times, after, added)
        lengths, times = held[-1].copy(), after


def _by_term(matches: Matches, steps: npt.NDArray[np.uint16], size: int) -> tuple[Ints, Ints]:
    """Return cf and df of each term at each step; shapes (steps, terms)."""
    counted, terms = matches.counted, len(matches.parts)
    step = steps[counted.sentence]
    first = np.full(len(matches.document), size, dtype=np.uint16)
    np.minimum.at(first, matches.pair_of_occurrence, step)
    term_of_pair = np.repeat(np.arange(terms, dtype=np.int32), [part.stop - part.start for part in matches.parts])

    def by_step(step: npt.NDArray[np.uint16], term: Numbers, weights: Numbers | None) -> Ints:
        sums = np.zeros((size + 1) * terms, dtype=np.int64)
        for begin in range(0, len(step), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            keys = step[part] * np.int64(terms) + term[part]
            added = np.bincount(keys, None if weights is None else weights[part], len(sums))
            sums += added.astype(np.int64)
        return np.cumsum(sums.reshape(size + 1, terms)[:size], axis=0)

    return by_step(step, counted.term, counted.times), by_step(first, term_of_pair, None)


def _by_step(steps: npt.NDArray[np.uint16], size: int) -> tuple[Numbers, Ints]:
    """Return the indices of `steps` ordered by step, and where those of each step begin, with the end of the last."""
    order = np.argsort(steps, kind="stable").astype(np.int32)
    return order, np.concatenate(([0], np.cumsum(np.bincount(steps, minlength=size + 1))))[: size + 1]


Flags = npt.NDArray[np.bool_]

FOUND = 1e-300
"""Added to the score of a term in a document, which may be 0: it is lost in any 32-bit score."""

_MANY = 2
"""Above this multiple of the depth, documents are bounded before they are scored."""

# Above the rounding error of a score, relative to what it is summed from; `qld(exact)` rounds to 1e-10.
_SLACK, _SMALL = 2e-6, 1e-3


@dataclass(frozen=True)
class Query:
    """tf in the query by term number, and the query's number of tokens (some may be in no document)."""

    counts: Mapping[int, int]
    size: int

    @property
    def terms(self) -> Ints:
        """The terms' numbers."""
        return np.array([*self.counts], dtype=np.int64)

    @property
    def boosts(self) -> Floats:
        """tf of each of the terms in the query."""
        return np.array([*self.counts.values()], dtype=np.float64)


@dataclass(frozen=True)
class Postings:
    """Pairs of a term and a document, in the order of terms, at some steps.

    Args:
        scoring: at these steps, by the query's terms.
        query: gives boosts and size.
        lengths: of documents at each step; shape (steps, documents).
        times: tf of each pair at each step; shape (steps, pairs).
        term, document: of each pair, as columns of `scoring` and `lengths`.
    """

    scoring: Similarity
    query: Query
    lengths: Integers
    times: Integers
    term: Ints
    document: Ints

    def at(self, steps: slice) -> Postings:
        """Return the postings at some of the steps."""
        return replace(self, scoring=self.scoring.rows(steps), lengths=self.lengths[steps], times=self.times[steps])

    def able(self, depth: int) -> tuple[Postings, Ints]:
        """Return the postings of documents that may be among the `depth` best at any step, and the indices of these."""
        size = self.lengths.shape[1]
        if len(self.times) == 1 or size <= _MANY * depth:
            return self, np.arange(size)
        highest, lowest = self.scoring.highest(), self.scoring.lowest()
        first, last = slice(0, 1), slice(-1, None)
        shortest, longest = highest.by_length(self.lengths[first]), lowest.by_length(self.lengths[last])
        most = replace(self, scoring=highest, lengths=self.lengths[first], times=self.times[last]).sums(shortest)
        least = replace(self, scoring=lowest, lengths=self.lengths[last], times=self.times[first]).sums(longest)
        may = reaching(highest, most[0], least[0], (shortest[0], longest[0]), self.query, depth)
        documents = np.flatnonzero(may)
        number = np.cumsum(may) - 1
        pairs = np.flatnonzero(may[self.document])
        return (
            replace(
                self,
                lengths=self.lengths[:, documents],
                times=self.times[:, pairs],
                term=self.term[pairs],
                document=number[self.document[pairs]],
            ),
            documents,
        )

    def sums(self, by_length: Floats | Singles) -> Floats:
        """Return sums of scores over terms, 0 for documents without any; shape (steps, documents)."""
        steps, documents = self.lengths.shape
        scores = self.scoring.scores(self.times, self.term, self.query.boosts, by_length[:, self.document])
        scores += FOUND
        np.copyto(scores, 0, where=self.times == 0)
        cells = np.arange(steps)[:, None] * documents + self.document
        sums = np.bincount(cells.ravel(), scores.ravel(), steps * documents)
        # Of nothing, bincount returns integers.
        return sums.astype(np.float64, copy=False).reshape(steps, documents)

    def best(self, depth: int) -> Iterator[tuple[Ints, Floats]]:
        """Give the indices of the `depth` best documents at each step, best first, ties by index, with their scores."""
        by_length = self.scoring.by_length(self.lengths)
        sums = self.sums(by_length)
        matching = sums > 0
        scores = self.scoring.whole(sums, by_length, self.query.size)
        if self.scoring.single:
            # Non-negative floats sort as their bits: one integer holds the score and, below it, the index.
            keys = scores.astype(np.float32).view(np.uint32).astype(np.uint64)
            keys = (~keys << np.uint64(32)) | np.arange(scores.shape[1], dtype=np.uint64)
            np.copyto(keys, np.iinfo(np.uint64).max, where=~matching)
            keys.sort(axis=1)
            order = (keys[:, :depth] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        else:
            order = np.argsort(np.where(matching, -scores, np.inf), axis=1, kind="stable")[:, :depth]
        counts = np.minimum(np.count_nonzero(matching, axis=1), depth)
        for row, (best, count) in enumerate(zip(order, counts.tolist(), strict=True)):
            yield best[:count], scores[row, best[:count]]


def reaching(
    scoring: Similarity,
    most: Floats,
    least: Floats,
    by_length: tuple[Floats | Singles, Floats | Singles],
    query: Query,
    depth: int,
) -> Flags:
    """Return which documents may be among the `depth` best, given bounds of their scores.

    `depth` documents score at least the threshold at every step, so none that stays below it at every step is among the best.

    Args:
        scoring: gives whole scores.
        most, least: bounds of sums over terms; 0 for documents that match at no step, or not at every step.
        by_length: see `Similarity.by_length`, of the shortest and the longest length of each document.
        query: the query.
        depth: of the ranking.
    """
    always = np.flatnonzero(least)
    may: Flags = most > 0
    if len(always) >= depth:
        reached = scoring.whole(least[always], by_length[1][always], query.size)
        slack = _SLACK * (float(most.max()) + scoring.ceiling(query.boosts) + _SMALL)
        threshold = np.partition(reached, len(always) - depth)[len(always) - depth] - slack
        may &= scoring.whole(most, by_length[0], query.size) >= threshold
    return may


class Bounds:
    """Bounds of documents' scores at the steps of a block, by term; those of terms in several queries are computed once.

    Args:
        matches: of the collection.
        block: some steps.
        scoring: at these steps.
        queries: all that will be ranked.
    """

    def __init__(self, matches: Matches, block: Block, scoring: Similarity, queries: Sequence[Query]) -> None:
        self._matches = matches
        self._highest, self._lowest = scoring.highest(), scoring.lowest()
        self._by_length = (
            self._highest.by_length(block.lengths[:1])[0],
            self._lowest.by_length(block.lengths[-1:])[0],
        )
        self._times = block.after, block.times
        self._asked = Counter((term, boost) for query in queries for term, boost in query.counts.items())
        self._known: dict[tuple[int, int], tuple[Floats, Floats]] = {}

    def candidates(self, query: Query, depth: int) -> Flags:
        """Return which documents may be among the `depth` best at any step."""
        most, least = (np.zeros(len(lengths)) for lengths in self._by_length)
        for term, boost in query.counts.items():
            highest, lowest = self._of(term, boost)
            documents = self._matches.document[self._matches.parts[term]]
            np.add.at(most, documents, highest)
            np.add.at(least, documents, lowest)
        return reaching(self._highest.columns(query.terms), most, least, self._by_length, query, depth)

    def _of(self, term: int, boost: int) -> tuple[Floats, Floats]:
        known = self._known.get((term, boost))
        if known is None:
            known = self._scores(self._highest, 0, term, boost), self._scores(self._lowest, 1, term, boost)
            if self._asked[term, boost] > 1:
                self._known[term, boost] = known
        return known

    def _scores(self, scoring: Similarity, side: int, term: int, boost: int) -> Floats:
        """Return the scores of a term's pairs; 0 where tf is 0."""
        part = self._matches.parts[term]
        documents, times = self._matches.document[part], self._times[side][part]
        column, boosts = np.zeros(len(documents), dtype=np.int64), np.array([boost], dtype=np.float64)
        by_length = self._by_length[side][documents]
        scores: Floats = scoring.columns(np.array([term])).scores(times[None], column, boosts, by_length[None])[0]
        scores += FOUND
        np.copyto(scores, 0, where=times == 0)
        return scores


NONE = -1
"""Stands behind the end of a ranking."""

_ROWS, _FINE = 16, 8
"""Steps that share bounds: over the whole collection, and again over the documents that are left."""

_FEW = 4
"""Up to this multiple of the depth, all pairs are scored: bounding them would take as long."""


@dataclass(frozen=True)
class Rankings:
    """The best documents of each topic, best first, as indices into `StoreCounts.ids`, then `NONE`; shapes (topics, depth).

    `scores` are those of the similarity, before any rounding; ties are ranked by id.
    """

    documents: Ints
    scores: Floats


def rankings(
    matches: Matches,
    queries: Sequence[Query],
    sweep: int,
    model: RetrievalModel,
    depth: int,
    turn: tuple[int, int] = (0, 1),
) -> Iterator[tuple[int, Rankings]]:
    """Give the steps of a sweep that add tokens, with the rankings there.

    Args:
        matches: of the collection.
        queries: of the topics.
        sweep: its number.
        model: the retrieval model.
        depth: the most documents of a ranking.
        turn: (part, parts) of the steps to rank; parts take about as long as each other.
    """
    for block in blocks(matches, sweep, _ROWS, turn):
        search = _Search(matches, block, model, queries, depth)
        documents = np.full((len(block.steps), len(queries), depth), NONE, dtype=np.int64)
        scores = np.zeros(documents.shape)
        for topic, query in enumerate(queries):
            for row, (best, values) in enumerate(search.rank(query)):
                documents[row, topic, : len(best)] = best
                scores[row, topic, : len(best)] = values
        for row, step in enumerate(block.steps.tolist()):
            yield step, Rankings(documents[row], scores[row])


class _Search:
    """Ranks queries at the steps of one block."""

    def __init__(
        self, matches: Matches, block: Block, model: RetrievalModel, queries: Sequence[Query], depth: int
    ) -> None:
        self._matches, self._block, self._depth = matches, block, depth
        self._scoring = similarity(model, block.states)
        self._bounds = Bounds(matches, block, self._scoring, queries)
        starts = [*(part.start for part in matches.parts), len(block.times)]
        self._added = np.searchsorted(block.added[0], starts)
        self._number = np.full(len(matches.document), NONE, dtype=np.int32)
        self._held = np.zeros(block.lengths.shape[1], dtype=np.bool_)
        self._local = np.zeros(block.lengths.shape[1], dtype=np.int64)

    def rank(self, query: Query) -> Iterator[tuple[Ints, Floats]]:
        """Give the best documents at each step, and their scores."""
        terms = query.terms
        kept = [np.flatnonzero(there) + first for first, there in self._chosen(query)]
        pairs = np.concatenate([np.zeros(0, dtype=np.int64), *kept])
        term = np.repeat(np.arange(len(terms)), [len(pairs_of_term) for pairs_of_term in kept])
        documents = self._matches.document[pairs]
        self._held[documents] = True
        listed = np.flatnonzero(self._held)
        self._held[listed] = False
        self._local[listed] = np.arange(len(listed))
        postings = Postings(
            self._scoring.columns(terms),
            query,
            self._block.lengths[:, listed],
            self._times(pairs, terms),
            term,
            self._local[documents],
        )
        for first in range(0, len(self._block.steps), _FINE):
            candidates, left = postings.at(slice(first, first + _FINE)).able(self._depth)
            for best, scores in candidates.best(self._depth):
                yield listed[left[best]], scores

    def _chosen(self, query: Query) -> Iterator[tuple[int, Flags]]:
        """Give for each term where its pairs begin, and which of them to score."""
        parts = [self._matches.parts[term] for term in query.counts]
        few = sum(part.stop - part.start for part in parts) <= _FEW * self._depth
        candidates = None if few else self._bounds.candidates(query, self._depth)
        for part in parts:
            there = self._block.after[part] > 0
            if candidates is not None:
                there &= candidates[self._matches.document[part]]
            yield part.start, there

    def _times(self, pairs: Ints, terms: Ints) -> Ints:
        """Return tf of some pairs of some terms at each step; shape (steps, pairs)."""
        times = np.zeros((len(self._block.steps), len(pairs)), dtype=np.int64)
        times[0] = self._block.times[pairs]
        self._number[pairs] = np.arange(len(pairs))
        chosen = [np.arange(self._added[term], self._added[term + 1]) for term in terms.tolist()]
        every = np.concatenate([np.zeros(0, dtype=np.int64), *chosen])
        pair, row, counts = self._block.added
        number = self._number[pair[every]]
        self._number[pairs] = NONE
        held = np.flatnonzero(number != NONE)
        np.add.at(times, (row[every[held]], number[held]), counts[every[held]])
        return np.cumsum(times, axis=0, out=times)
