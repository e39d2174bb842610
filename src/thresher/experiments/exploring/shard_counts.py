"""Counts the shards of a store at every step of every sweep; counts of shards add up in whatever order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import joblib
import numpy as np
import numpy.typing as npt

import thresher.base.arrow as pa
from thresher.base.numbers import Ints
from thresher.base.processes import Backend, compute
from thresher.base.progress import progress
from thresher.base.tables import Table
from thresher.cleaners.scorer import Scores
from thresher.experiments.exploring.lexicon import Analysed, Lexicon, ShardWords, split_words, tokens_of_shard
from thresher.experiments.exploring.nested_sweeps import NestedSweep, Steps, scorers_of
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.jvm import start_in_worker
from thresher.indexes.pruning.postings import Hashes, Numbers
from thresher.scores.cutting import shard_columns, shard_layout
from thresher.scores.store import read_shard, shards

_Kind = TypeVar("_Kind", bound=np.generic)

MOST_TERMS = 1 << 16
"""Most terms of the vocabulary that are held; its size is estimated from their share (0.4 % off, typically)."""


@dataclass(frozen=True)
class StepCounts:
    """Counts that each step of a sweep adds; shapes are (steps + 1,), with text that no cleaner keeps in the last entry.

    Args:
        documents: with more than white space.
        with_tokens: documents with a token.
        postings: pairs of a document and a term.
    """

    words: Ints
    tokens: Ints
    documents: Ints
    with_tokens: Ints
    postings: Ints


@dataclass(frozen=True)
class HashedTerms:
    """The terms with a hash of at most `limit`, ascending, and by sweep the first step of each; shapes (terms,)."""

    terms: Hashes
    steps: tuple[Steps, ...]
    limit: int


@dataclass(frozen=True)
class Sentences:
    """The sentences with a token of the documents with a query term.

    Args:
        document: row of each sentence's document.
        tokens: number of tokens of each sentence.
        steps: by sweep, the step at which each sentence comes in; shape (sweeps, sentences).
    """

    document: Numbers
    tokens: Numbers
    steps: Steps


@dataclass(frozen=True)
class Occurrences:
    """The query terms in sentences: the row of the sentence, the number of the term, and its tf in the sentence."""

    sentence: Numbers
    term: Numbers
    tf: Numbers


@dataclass(frozen=True)
class ShardCounts:
    """The documents of some shards with a query term, and counts of all documents.

    Args:
        ids: of the documents with a query term.
        sentences, occurrences: of these documents.
        counts: by sweep, of all documents.
        vocabulary: of all documents.
    """

    ids: tuple[str, ...]
    sentences: Sentences
    occurrences: Occurrences
    counts: tuple[StepCounts, ...]
    vocabulary: HashedTerms


def add_up(counted: Sequence[ShardCounts], steps: Sequence[int]) -> ShardCounts:
    """Return the sum of the counts of several shards; documents are ordered by id, as Lucene compares ids.

    `steps` has the number of steps of each sweep.
    """
    ids = [identifier for shard in counted for identifier in shard.ids]
    # Python compares code points, Lucene bytes of UTF-8: the order is the same.
    order = sorted(range(len(ids)), key=ids.__getitem__)
    row_of_document = np.empty(len(ids), dtype=np.int32)
    row_of_document[order] = np.arange(len(ids))
    document, sentence = [], []
    documents_before = sentences_before = 0
    for shard in counted:
        document.append(row_of_document[shard.sentences.document + documents_before])
        sentence.append(shard.occurrences.sentence + np.int32(sentences_before))
        documents_before += len(shard.ids)
        sentences_before += len(shard.sentences.document)
    no_steps = np.zeros((len(steps), 0), dtype=np.uint16)
    return ShardCounts(
        ids=tuple(ids[place] for place in order),
        sentences=Sentences(
            document=_joined(document, np.int32),
            tokens=_joined([shard.sentences.tokens for shard in counted], np.int32),
            steps=np.concatenate([no_steps, *(shard.sentences.steps for shard in counted)], axis=1),
        ),
        occurrences=Occurrences(
            sentence=_joined(sentence, np.int32),
            term=_joined([shard.occurrences.term for shard in counted], np.int32),
            tf=_joined([shard.occurrences.tf for shard in counted], np.int32),
        ),
        counts=tuple(add_counts([shard.counts[sweep] for shard in counted], size) for sweep, size in enumerate(steps)),
        vocabulary=add_vocabularies([shard.vocabulary for shard in counted], len(steps)),
    )


def add_counts(every: Sequence[StepCounts], steps: int) -> StepCounts:
    """Return the sum of the counts of one sweep of so many steps."""
    names = ("words", "tokens", "documents", "with_tokens", "postings")
    none = np.zeros(steps + 1, dtype=np.int64)
    return StepCounts(*(sum((getattr(counts, name) for counts in every), none) for name in names))


def add_vocabularies(every: Sequence[HashedTerms], sweeps: int) -> HashedTerms:
    """Return the joint vocabulary, with at most `MOST_TERMS` terms."""
    limit = min([2**64 - 1, *(vocabulary.limit for vocabulary in every)])
    terms, inverse = np.unique(_joined([vocabulary.terms for vocabulary in every], np.uint64), return_inverse=True)
    steps = []
    for sweep in range(sweeps):
        of_sweep = _joined([vocabulary.steps[sweep] for vocabulary in every], np.uint16)
        steps.append(_first_steps(of_sweep, inverse, len(terms)))
    if len(terms) > MOST_TERMS:
        limit = min(limit, int(terms[MOST_TERMS - 1]))
    held = int(np.searchsorted(terms, np.uint64(limit), side="right"))
    return HashedTerms(terms[:held], tuple(first[:held] for first in steps), limit)


def _joined(arrays: Sequence[npt.NDArray[_Kind]], kind: type[_Kind]) -> npt.NDArray[_Kind]:
    return np.concatenate([np.zeros(0, dtype=kind), *arrays])


_AHEAD = 2
"""Shards that are read ahead."""

SplitShard = tuple[Table, ShardWords]


@contextmanager
def split_shards(store: Path, columns: Sequence[str]) -> Iterator[Iterator[SplitShard]]:
    """Give an iterator over the shards with a page, read and split by a thread that starts at once.

    `columns` are those to read, `text` and `sentence_ends` among them.
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
    for number in progress(range(len(paths)), "exploring", len(paths), "shards"):
        split = waiting.popleft().result()
        if number + _AHEAD < len(paths):
            waiting.append(pool.submit(_split, paths[number + _AHEAD], columns))
        if split is not None:
            yield split


def _split(path: Path, columns: Sequence[str]) -> SplitShard | None:
    table = read_shard(path, columns)
    return (table, split_words(table)) if len(table) else None


_MUCH = 1 << 26
"""Bytes of shards worth starting workers for, each with a Java of its own."""

_JOB = "counting.joblib"


@dataclass(frozen=True)
class CountingJob:
    """The data that all shards of a store share. `terms` are hashes of the query terms, by their numbers."""

    sweeps: Sequence[NestedSweep]
    options: IndexOptions
    terms: Hashes


Counting = Callable[[Hashes], Iterator[ShardCounts]]
"""Counts each shard with a page, in order, from hashes of the query terms by their numbers."""


@contextmanager
def shard_counter(
    store: Path, sweeps: Sequence[NestedSweep], options: IndexOptions, folder: Path, backend: Backend | None = None
) -> Iterator[Counting]:
    """Give the counter of a store. Where this process counts, a thread begins to read at once, so that Java starts meanwhile.

    The workers of `backend` count where there is much to count; None for this process. Workers on other machines must see the
    score store and `folder`, which is for a temporary file, under the same paths.
    """
    if backend is None or backend.is_this_process or sum(path.stat().st_size for path in shards(store)) < _MUCH:
        with split_shards(store, columns(sweeps)) as split:
            yield partial(_here, split, sweeps, options)
    else:
        yield partial(_by_workers, store, sweeps, options, folder, backend)


def _here(
    split: Iterator[SplitShard], sweeps: Sequence[NestedSweep], options: IndexOptions, terms: Hashes
) -> Iterator[ShardCounts]:
    lexicon = Lexicon(options.stemmer, options.stopwords)
    return (count_shard(table, words, sweeps, lexicon, terms) for table, words in split)


def _by_workers(
    store: Path, sweeps: Sequence[NestedSweep], options: IndexOptions, folder: Path, backend: Backend, terms: Hashes
) -> Iterator[ShardCounts]:
    joblib.dump(CountingJob(sweeps, options, terms), folder / _JOB)
    paths = shards(store)
    calls = ((folder / _JOB, path) for path in paths)
    counted = compute(backend, _count_in_worker, calls, "counting", str(store), ordered=True)
    return (of_shard for of_shard in progress(counted, "exploring", len(paths), "shards") if of_shard is not None)


_ONE_AT_A_TIME = threading.Lock()


def _count_in_worker(job: Path, shard: Path) -> ShardCounts | None:
    """Count a shard in a process that has its own Java and keeps the words it has met; threads take turns."""
    with _ONE_AT_A_TIME:
        work = _read_job(job)
        split = _split(shard, columns(work.sweeps))
        if split is None:
            return None
        start_in_worker()
        return count_shard(*split, work.sweeps, _lexicon(work.options.stemmer, work.options.stopwords), work.terms)


_read_job: Callable[[Path], CountingJob] = lru_cache(maxsize=1)(joblib.load)
_lexicon = lru_cache(maxsize=1)(Lexicon)


_EVERY = 2**64 - 1


def columns(sweeps: Sequence[NestedSweep]) -> list[str]:
    """Return the columns of a shard that `count_shard` needs."""
    return shard_columns([sweep.cleaners[0] for sweep in sweeps])


def count_shard(
    table: Table, words: ShardWords, sweeps: Sequence[NestedSweep], lexicon: Lexicon, terms: Hashes
) -> ShardCounts:
    """Count a shard at each step of each sweep. Pages that failed have no text and count nowhere.

    Args:
        table: a shard with the columns that `columns` names, of at least one page; `words` are its own.
        terms: hashes of the query terms, by their numbers.
    """
    names = [scorer.canonical_name for scorer in scorers_of(sweeps)]
    scores: Mapping[str, Scores] = {name: table.lists(f"score:{name}").values for name in names}
    layout = shard_layout(table)
    steps = tuple(sweep.steps(scores, layout) for sweep in sweeps)
    return _Shard(table, words, lexicon.analyse(words.kinds, words.texts), terms).count(steps, sweeps)


class _Shard:
    """The tokens of a shard by sentence and term."""

    def __init__(self, table: Table, words: ShardWords, analysed: Analysed, terms: Hashes) -> None:
        self._table, self._words = table, words
        self._kept_words: Ints = table.lists("words").values.astype(np.int64)
        counts = analysed.counts[words.kind]
        self._sentences = len(words.page)
        self.tokens = np.bincount(words.sentence, weights=counts, minlength=self._sentences).astype(np.int64)
        # Small numbers for terms, so that a pair of a page and a term fits into one number.
        self.terms, numbers = _numbered(analysed.tokens)
        token, self.sentence_of_token = tokens_of_shard(words, analysed)
        self.term_of_token = numbers[token]
        self._query = np.full(len(self.terms), -1, dtype=np.int64)
        if len(terms):
            order = np.argsort(terms)
            nearest = order[np.minimum(np.searchsorted(terms, self.terms, sorter=order), len(terms) - 1)]
            held = terms[nearest] == self.terms
            self._query[held] = nearest[held]

    def count(self, steps: Sequence[Steps], sweeps: Sequence[NestedSweep]) -> ShardCounts:
        page = self._words.page
        hits = np.flatnonzero(self._query[self.term_of_token] >= 0)
        matching = np.zeros(len(self._table), dtype=np.bool_)
        matching[page[self.sentence_of_token[hits]]] = True
        listed = np.flatnonzero(matching[page] & (self.tokens > 0))
        number = np.zeros(self._sentences, dtype=np.int64)
        number[listed] = np.arange(len(listed))
        # One occurrence for each sentence and term.
        keys, times = np.unique(
            number[self.sentence_of_token[hits]] * max(len(self._query), 1) + self.term_of_token[hits],
            return_counts=True,
        )
        documents = np.cumsum(matching) - 1
        every_id = self._table.texts("id").tolist()
        sentence, term = np.divmod(keys, max(len(self._query), 1))
        postings, posting_of_token = _numbered(page[self.sentence_of_token] * len(self.terms) + self.term_of_token)
        firsts = [_first_steps(step[self.sentence_of_token], posting_of_token, len(postings)) for step in steps]
        return ShardCounts(
            ids=tuple(every_id[row] for row in np.flatnonzero(matching).tolist()),
            sentences=Sentences(
                document=documents[page[listed]].astype(np.int32),
                tokens=self.tokens[listed].astype(np.int32),
                steps=np.array([step[listed] for step in steps], dtype=np.uint16).reshape(len(steps), len(listed)),
            ),
            occurrences=Occurrences(
                sentence=sentence.astype(np.int32),
                term=self._query[term].astype(np.int32),
                tf=times.astype(np.int32),
            ),
            counts=tuple(
                self._counts(step, len(sweep.cleaners), first)
                for step, sweep, first in zip(steps, sweeps, firsts, strict=True)
            ),
            vocabulary=add_vocabularies([self._vocabulary(firsts, postings)], len(sweeps)),
        )

    def _counts(self, steps: Steps, size: int, postings: Steps) -> StepCounts:
        def sums(weights: Ints) -> Ints:
            return np.bincount(steps, weights=weights, minlength=size + 1).astype(np.int64)

        def pages(chosen: npt.NDArray[np.bool_]) -> Ints:
            first = _first_steps(steps[chosen], self._words.page[chosen], len(self._table))
            return np.bincount(first[first <= size], minlength=size + 1)

        return StepCounts(
            sums(self._kept_words),
            sums(self.tokens),
            pages(~self._words.blank),
            pages(self.tokens > 0),
            np.bincount(postings, minlength=size + 1),
        )

    def _vocabulary(self, postings: Sequence[Steps], keys: Ints) -> HashedTerms:
        term = keys % max(len(self.terms), 1)
        order = np.argsort(self.terms)
        firsts = tuple(_first_steps(steps, term, len(self.terms))[order] for steps in postings)
        return HashedTerms(self.terms[order], firsts, _EVERY)


def _first_steps(steps: Steps, number: Ints, size: int) -> Steps:
    """Return the first step of all that have the same number, by numbers below `size`; the largest one where none has it."""
    first = np.full(size, np.iinfo(np.uint16).max, dtype=np.uint16)
    np.minimum.at(first, number, steps)
    return first


def _numbered(values: npt.NDArray[_Kind]) -> tuple[npt.NDArray[_Kind], Ints]:
    encoded = pa.number_array(values).dictionary_encode()
    return pa.numpy_array(encoded.dictionary), pa.numpy_array(encoded.indices).astype(np.int64)
