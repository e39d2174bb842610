"""The shards of a store with their words split, read while others are worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from thresher.exploring.families import Family, Steps, scorers_of
from thresher.exploring.lexicon import Analysed, Hashes, Lexicon, ShardWords, split_words
from thresher.exploring.partial import Counts, Partial, Vocabulary, add_vocabularies
from thresher.pages.plain import Ints
from thresher.progress import progress
from thresher.scorers.base import Scores
from thresher.scoring.cutting import shard_columns
from thresher.scoring.store import blocks_of_sentences, list_column, read_shard, shards

_AHEAD = 2
"""Shards held before they are asked for."""

SplitShard = tuple[pa.Table, ShardWords]


@contextmanager
def split_shards(store: Path, columns: Sequence[str]) -> Iterator[Iterator[SplitShard]]:
    """Give an iterator over the shards that have a page; a thread begins with the first of them at once.

    Args:
        store: the score store.
        columns: those to read, `text` and `sentence_ends` among them.

    Raises:
        StateError: if a shard is damaged or lacks a column, when it is asked for.
    """
    paths = shards(store)
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(_split, path, columns) for path in paths[:_AHEAD])
        try:
            yield _given(paths, columns, pool, waiting)
        finally:
            pool.shutdown(cancel_futures=True)


def _given(
    paths: Sequence[Path], columns: Sequence[str], pool: ThreadPoolExecutor, waiting: deque[Future[SplitShard | None]]
) -> Iterator[SplitShard]:
    for place in progress(range(len(paths)), "exploring", len(paths), "shards"):
        found = waiting.popleft().result()
        if place + _AHEAD < len(paths):
            waiting.append(pool.submit(_split, paths[place + _AHEAD], columns))
        if found is not None:
            yield found


def _split(path: Path, columns: Sequence[str]) -> SplitShard | None:
    table = read_shard(path, columns).combine_chunks()
    return (table, split_words(table)) if len(table) else None


_EVERY = 2**64 - 1


def columns(families: Sequence[Family]) -> list[str]:
    """Return the columns of a shard that `count_shard` needs."""
    # Those of a sweep need the same.
    return shard_columns(
        [cleaner for family in families for cleaner in family.cleaners[: 1 if family.is_sweep else None]]
    )


def count_shard(
    table: pa.Table, words: ShardWords, families: Sequence[Family], lexicon: Lexicon, terms: Hashes
) -> Partial:
    """Count what a shard has for each step of each family.

    Pages that failed have no text, and so no part in anything.

    Args:
        table: a shard with the columns that `columns` names, of at least one page, in one chunk.
        words: those of its texts.
        families: whose steps.
        lexicon: analyses words.
        terms: the hashes of the query terms, in the order of their numbers.
    """
    return _Shard(table, words, lexicon.analyse(words.kinds, words.texts), terms).count(
        _steps(table, families), families
    )


class _Shard:
    """The tokens of a shard, by sentence and term."""

    def __init__(self, table: pa.Table, words: ShardWords, analysed: Analysed, terms: Hashes) -> None:
        self._table, self._words = table, words
        self._kept_words: Ints = list_column(table, "words")[1].astype(np.int64)
        counts = analysed.counts[words.kind]
        self._sentences = len(words.page)
        self.tokens = np.bincount(words.sentence, weights=counts, minlength=self._sentences).astype(np.int64)
        # Different terms get small numbers, so that pairs of a page and a term are numbers too.
        self.terms, numbers = _numbered(analysed.tokens)
        firsts = np.cumsum(analysed.counts) - analysed.counts
        many = counts > 1
        # Most words are one token or none; the others are few.
        one = np.flatnonzero(counts == 1)
        several = np.repeat(np.flatnonzero(many), counts[many])
        within = np.arange(len(several)) - np.repeat(np.cumsum(counts[many]) - counts[many], counts[many])
        place = np.concatenate([firsts[words.kind[one]], firsts[words.kind[several]] + within])
        self.term_of_token = numbers[place]
        self.sentence_of_token = words.sentence[np.concatenate([one, several])]
        self._query = np.full(len(self.terms), -1, dtype=np.int64)
        if len(terms):
            order = np.argsort(terms)
            found = np.minimum(np.searchsorted(terms, self.terms, sorter=order), len(terms) - 1)
            held = terms[order[found]] == self.terms
            self._query[held] = order[found[held]]

    def count(self, steps: Sequence[Steps], families: Sequence[Family]) -> Partial:
        page = self._words.page
        query = self._query[self.term_of_token]
        hits = np.flatnonzero(query >= 0)
        matching = np.zeros(len(self._table), dtype=np.bool_)
        matching[page[self.sentence_of_token[hits]]] = True
        listed = np.flatnonzero(matching[page] & (self.tokens > 0))
        place = np.zeros(self._sentences, dtype=np.int64)
        place[listed] = np.arange(len(listed))
        # One occurrence for each sentence and term.
        keys, times = np.unique(
            place[self.sentence_of_token[hits]] * max(len(self._query), 1) + self.term_of_token[hits],
            return_counts=True,
        )
        documents = np.cumsum(matching) - 1
        every_id = self._table["id"].to_pylist()
        sentence, term = np.divmod(keys, max(len(self._query), 1))
        postings = _Firsts(page[self.sentence_of_token] * len(self.terms) + self.term_of_token)
        firsts = [postings.of(found[self.sentence_of_token]) for found in steps]
        return Partial(
            tuple(every_id[row] for row in np.flatnonzero(matching).tolist()),
            documents[page[listed]].astype(np.int32),
            self.tokens[listed].astype(np.int32),
            tuple(found[listed] for found in steps),
            sentence.astype(np.int32),
            self._query[term].astype(np.int32),
            times.astype(np.int32),
            tuple(
                self._counts(found, len(family.cleaners), first)
                for found, family, first in zip(steps, families, firsts, strict=True)
            ),
            add_vocabularies([self._vocabulary(firsts, postings.keys)], len(families)),
        )

    def _counts(self, steps: Steps, size: int, postings: Steps) -> Counts:
        def sums(weights: Ints) -> Ints:
            return np.bincount(steps, weights=weights, minlength=size + 1).astype(np.int64)

        def pages(chosen: npt.NDArray[np.bool_]) -> Ints:
            first = np.full(len(self._table), size, dtype=np.uint16)
            np.minimum.at(first, self._words.page[chosen], steps[chosen])
            occurring = np.zeros(len(self._table), dtype=np.bool_)
            occurring[self._words.page[chosen]] = True
            return np.bincount(first[occurring], minlength=size + 1)

        return Counts(
            sums(self._kept_words),
            sums(self.tokens),
            pages(~self._words.blank),
            pages(self.tokens > 0),
            np.bincount(postings, minlength=size + 1),
        )

    def _vocabulary(self, postings: Sequence[Steps], keys: Ints) -> Vocabulary:
        """Return all terms, each at the least step of its postings."""
        term = keys % max(len(self.terms), 1)
        order = np.argsort(self.terms)
        firsts = []
        for steps in postings:
            first = np.full(len(self.terms), np.iinfo(np.uint16).max, dtype=np.uint16)
            np.minimum.at(first, term, steps)
            firsts.append(first[order])
        return Vocabulary(self.terms[order], tuple(firsts), _EVERY)


class _Firsts:
    """The least step of all tokens with the same key; `keys` are the different keys, rising."""

    def __init__(self, keys: Ints) -> None:
        self._order = np.argsort(keys)
        ordered = keys[self._order]
        self._begins = np.flatnonzero(np.diff(ordered, prepend=-1))
        self.keys: Ints = ordered[self._begins]

    def of(self, steps: Steps) -> Steps:
        if not len(self._begins):
            return steps[:0]
        return np.minimum.reduceat(steps[self._order], self._begins)


def _steps(table: pa.Table, families: Sequence[Family]) -> tuple[Steps, ...]:
    scores: Mapping[str, Scores] = {
        scorer.canonical_name: list_column(table, f"score:{scorer.canonical_name}")[1]
        for scorer in scorers_of(families)
    }
    block_of_sentence = blocks_of_sentences(table)
    heading = list_column(table, "levels")[1] > 0
    return tuple(family.steps(scores, block_of_sentence, heading) for family in families)


def _numbered(tokens: Hashes) -> tuple[Hashes, Ints]:
    """Return the different tokens, and for each token its number among them."""
    encoded = pa.array(tokens).dictionary_encode()
    return encoded.dictionary.to_numpy().astype(np.uint64), encoded.indices.to_numpy().astype(np.int64)
