"""Counts the shards of a store at every step of every sweep, in this process or by workers with a Java each."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Ints
from thresher.base.processes import Backend, compute
from thresher.base.progress import progress
from thresher.cleaners.scorer import Scores
from thresher.experiments.exploring.counts import (
    ALL_HASHES,
    HashedTerms,
    Occurrences,
    Sentences,
    ShardCounts,
    StepCounts,
    Steps,
    add_vocabularies,
    first_steps,
)
from thresher.experiments.exploring.nested_sweeps import NestedSweep, scorers_of
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.jvm import start_in_worker
from thresher.indexes.lexicon import Lexicon, TokenizedShard, mix, number_hashes, tokenize_shard
from thresher.indexes.pruning.postings import Hashes
from thresher.scores.cutting import shard_columns, shard_layout
from thresher.scores.store import shards

_MUCH = 1 << 26
"""Bytes of shards worth starting workers for, each with a Java of its own."""

_ONE_AT_A_TIME = threading.Lock()
_lexicon = cache(Lexicon)


@dataclass(frozen=True)
class CountingJob:
    """The inputs for counting any shard. `terms` are the hashes of the query terms, by their numbers."""

    sweeps: Sequence[NestedSweep]
    options: IndexOptions
    terms: Hashes

    @property
    def columns(self) -> list[str]:
        """The names of a shard's columns for counting."""
        return shard_columns([sweep.cleaners[0] for sweep in self.sweeps])


def count_shards(store: Path, job: CountingJob, backend: Backend | None = None) -> Iterator[ShardCounts]:
    """Count each shard that has a page, in order.

    If the shards are large, the workers of `backend` count; None for this process. Workers on other machines must see the
    score store under the same path.
    """
    paths = shards(store)
    if backend is None or backend.is_this_process or sum(path.stat().st_size for path in paths) < _MUCH:
        lexicon = Lexicon(job.options.analysis)
        for path in progress(paths, "exploring", len(paths), "shards"):
            shard = tokenize_shard(path, job.columns, lexicon)
            if shard is not None:
                yield count_shard(shard, job)
        return
    calls = [(job, path) for path in paths]
    counted = compute(backend, _count_in_worker, calls, "counting", str(store), ordered=True)
    for counts in progress(counted, "exploring", len(paths), "shards"):
        if counts is not None:
            yield counts


def _count_in_worker(job: CountingJob, path: Path) -> ShardCounts | None:
    """Count a shard in a process with its own Java, which remembers the words of earlier shards; threads take turns."""
    with _ONE_AT_A_TIME:
        start_in_worker()
        shard = tokenize_shard(path, job.columns, _lexicon(job.options.analysis))
        return None if shard is None else count_shard(shard, job)


def count_shard(shard: TokenizedShard, job: CountingJob) -> ShardCounts:
    """Count a shard at each step of each sweep. Pages that failed have no text and count nowhere.

    Args:
        shard: the shard, with the columns of the job.
        job: the sweeps, and the terms of the queries.
    """
    return _Shard(shard).counts(job)


class _Shard:
    """The tokens of a shard by sentence, and its postings: pairs of a page and a term."""

    def __init__(self, shard: TokenizedShard) -> None:
        tokens = shard.tokens
        self._table = shard.table
        self._tokens = tokens
        self._tokens_of_sentence = np.bincount(tokens.sentence, minlength=len(tokens.page))
        keys = tokens.page[tokens.sentence] * len(tokens.terms) + tokens.term
        postings = number_hashes(mix(keys.astype(np.uint64)))
        self._posting_of_token = postings.numbers
        self._term_of_posting = tokens.term[postings.places]

    def counts(self, job: CountingJob) -> ShardCounts:
        """Return the counts; see `count_shard`."""
        steps = self._steps_of_sentences(job.sweeps)
        steps_of_postings = [self._steps_of_postings(steps_of_sweep) for steps_of_sweep in steps]
        counts: list[StepCounts] = []
        for sweep, steps_of_sweep, posting_steps in zip(job.sweeps, steps, steps_of_postings, strict=True):
            counts.append(self._step_counts(steps_of_sweep, posting_steps, len(sweep.cleaners)))
        query_terms = _numbers_of(job.terms, self._tokens.terms)
        hits = np.flatnonzero(query_terms[self._tokens.term] >= 0)
        matching = np.zeros(len(self._table), dtype=np.bool_)
        matching[self._tokens.page[self._tokens.sentence[hits]]] = True
        sentences_of_matches = np.flatnonzero(matching[self._tokens.page] & (self._tokens_of_sentence > 0))
        ids = self._table.texts("id").tolist()
        return ShardCounts(
            ids=tuple(ids[row] for row in np.flatnonzero(matching).tolist()),
            sentences=self._sentences(sentences_of_matches, matching, steps),
            occurrences=self._occurrences(sentences_of_matches, hits, query_terms),
            counts=tuple(counts),
            vocabulary=add_vocabularies([self._vocabulary(steps_of_postings)], len(job.sweeps)),
        )

    def _steps_of_sentences(self, sweeps: Sequence[NestedSweep]) -> list[Steps]:
        """Return by sweep the step at which each sentence comes in."""
        scores: dict[str, Scores] = {}
        for scorer in scorers_of(sweeps):
            name = scorer.canonical_name
            scores[name] = self._table.lists(f"score:{name}").values
        layout = shard_layout(self._table)
        return [sweep.steps(scores, layout) for sweep in sweeps]

    def _steps_of_postings(self, steps: Steps) -> Steps:
        """Return the step at which each posting comes in."""
        return first_steps(steps[self._tokens.sentence], self._posting_of_token, len(self._term_of_posting))

    def _step_counts(self, steps: Steps, steps_of_postings: Steps, size: int) -> StepCounts:
        words = self._table.lists("words").values
        return StepCounts(
            words=np.bincount(steps, weights=words, minlength=size + 1).astype(np.int64),
            tokens=np.bincount(steps, weights=self._tokens_of_sentence, minlength=size + 1).astype(np.int64),
            documents=self._pages(~self._tokens.blank, steps, size),
            with_tokens=self._pages(self._tokens_of_sentence > 0, steps, size),
            postings=np.bincount(steps_of_postings, minlength=size + 1),
        )

    def _pages(self, chosen: npt.NDArray[np.bool_], steps: Steps, size: int) -> Ints:
        """Return the number of pages that get their first chosen sentence at each step."""
        first = first_steps(steps[chosen], self._tokens.page[chosen], len(self._table))
        return np.bincount(first[first <= size], minlength=size + 1)

    def _vocabulary(self, steps_of_postings: Sequence[Steps]) -> HashedTerms:
        terms = self._tokens.terms
        steps_of_terms: list[Steps] = []
        for steps in steps_of_postings:
            steps_of_terms.append(first_steps(steps, self._term_of_posting, len(terms)))
        return HashedTerms(terms, tuple(steps_of_terms), ALL_HASHES)

    def _sentences(
        self, sentences_of_matches: Ints, matching: npt.NDArray[np.bool_], steps: Sequence[Steps]
    ) -> Sentences:
        """Return the sentences of the matching documents, given by their numbers."""
        row_of_page = np.cumsum(matching) - 1
        steps_of_matches = np.zeros((len(steps), len(sentences_of_matches)), dtype=np.uint16)
        for sweep, steps_of_sweep in enumerate(steps):
            steps_of_matches[sweep] = steps_of_sweep[sentences_of_matches]
        return Sentences(
            document=row_of_page[self._tokens.page[sentences_of_matches]].astype(np.int32),
            tokens=self._tokens_of_sentence[sentences_of_matches].astype(np.int32),
            steps=steps_of_matches,
        )

    def _occurrences(self, sentences_of_matches: Ints, hits: Ints, query_terms: Ints) -> Occurrences:
        """Return the query terms in these sentences, each term once a sentence; `hits` are the tokens of query terms."""
        row_of_sentence = np.zeros(len(self._tokens.page), dtype=np.int64)
        row_of_sentence[sentences_of_matches] = np.arange(len(sentences_of_matches))
        terms = max(len(query_terms), 1)
        keys = row_of_sentence[self._tokens.sentence[hits]] * terms + self._tokens.term[hits]
        occurrences, tf = np.unique(keys, return_counts=True)
        sentence, term = np.divmod(occurrences, terms)
        return Occurrences(sentence.astype(np.int32), query_terms[term].astype(np.int32), tf.astype(np.int32))


def _numbers_of(query_terms: Hashes, terms: Hashes) -> Ints:
    """Return the number of each of `terms` among the query terms, -1 for other terms."""
    numbers = np.full(len(terms), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(terms, query_terms), max(len(terms) - 1, 0))
    for number, (place, query_term) in enumerate(zip(places.tolist(), query_terms, strict=True)):
        if len(terms) and terms[place] == query_term:
            numbers[place] = number
    return numbers
