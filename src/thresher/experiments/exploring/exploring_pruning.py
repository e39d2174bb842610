"""Explores pruning methods: every cutoff from the postings of the topics' terms, and the index's size from all postings.

A posting leaves at one cutoff, so the score of a document is a step function of the cutoff with at most as many steps as the
topic has terms. With the original statistics of the collection, documents keep their lengths, and terms their cf and df.
With the statistics of the pruned index, lengths, cf and df change with the cutoff.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from thresher.base.files import temporary_folder
from thresher.base.numbers import Floats, Ints
from thresher.base.processes import Backend
from thresher.base.progress import progress
from thresher.cleaners.cleaner import Cleaner
from thresher.experiments.exploring.counts import (
    ALL_HASHES,
    HashedTerms,
    Occurrences,
    Sentences,
    ShardCounts,
    StepCounts,
    Steps,
    add_counts,
    add_up,
)
from thresher.experiments.exploring.exploring import POINTS, RankedSweep, Search, in_chunks, with_sweeps
from thresher.experiments.exploring.match_chunks import MatchChunks, store_matches
from thresher.experiments.exploring.nested_sweeps import ScoreSpread, spread_evenly
from thresher.experiments.exploring.ranking_job import RankingJob, evaluate_sweeps
from thresher.experiments.exploring.similarity import StepStatistics
from thresher.experiments.table import Row, Variant, VariantTable
from thresher.indexes.lexicon import Lexicon, ShardTokenizer, hash_texts
from thresher.indexes.pruning.collected_postings import CollectedPostings, collected_postings
from thresher.indexes.pruning.method import KEEP_SHARE, PruningMethod, steps, strictest_first
from thresher.indexes.pruning.postings import CollectionStatistics, DocumentPostings, Hashes, Numbers
from thresher.indexes.pruning.treatments import Pruning, Treatment, combination_name
from thresher.indexes.work import IndexStatistics
from thresher.scores.weighting import Weights, weighted_store

_DIGITS = 4
"""Significant digits of cutoffs."""


@dataclass(frozen=True)
class PruningSweep:
    """A method to explore over a cleaned collection.

    Args:
        cleaner: the cleaner, with numbers in place of percentiles.
        method: the pruning method.
        cutoffs: cutoffs to explore in any case.
        points: the fewest cutoffs, if the indexes have as many different numbers of postings.
        combined: whether the cleaner is one cutoff of a sweep over the cutoffs of a scorer and of the pruning method.
        weights: the weights of the parts of pages; None without weights.
    """

    cleaner: Cleaner
    method: PruningMethod
    cutoffs: tuple[float, ...] = ()
    points: int = POINTS
    combined: bool = False
    weights: Weights | None = None

    def variant(self, cutoff: float) -> Variant:
        """Return the variant at a cutoff."""
        template = Pruning(self.method, None)
        treatment = Treatment(self.cleaner, self.weights, Pruning(self.method, cutoff))
        if not self.combined:
            return Variant(treatment, Treatment(self.cleaner, self.weights, template).name, cutoff)
        (cut,) = self.cleaner.cuts
        return Variant(treatment, combination_name(cut, self.weights, template), cutoff, cut.threshold)


def explore_pruning(
    tables: Sequence[VariantTable], store: Path, sweeps: Sequence[PruningSweep], search: Search, original: bool = True
) -> tuple[VariantTable, ...]:
    """Return tables of the same models and topics with the values that a pruned index of each variant would give.

    No index is built. Sweeps of one cleaner and weights share a pass over its postings. With `original` the statistics of the
    unpruned collection rank.
    """
    analysed = search.queries()
    tokenizer = ShardTokenizer(Lexicon(search.options.analysis))
    numbers_by_collection: dict[Treatment, list[int]] = {}
    for number, sweep in enumerate(sweeps):
        numbers_by_collection.setdefault(Treatment(sweep.cleaner, sweep.weights), []).append(number)
    collections = progress(numbers_by_collection.items(), "pruning", len(numbers_by_collection), "collections")
    ranked: dict[int, RankedSweep] = {}
    for collection, numbers in collections:
        source = weighted_store(store, collection.weights)
        sweeps_of_collection = [sweeps[number] for number in numbers]
        with temporary_folder(store.parent) as folder:
            with collected_postings(source, collection.cleaner, tokenizer, store.parent / "postings") as postings:
                counted_sweeps = count_pruning(
                    postings, sweeps_of_collection, hash_texts(analysed.terms), original, folder
                )
            for number, counted in zip(numbers, counted_sweeps, strict=True):
                with temporary_folder(store.parent) as chunk_folder:
                    job = search.job(counted.matches(chunk_folder), analysed.queries)
                    ranked[number] = _ranked(sweeps[number], counted, job, search.backend, store.parent)
    return with_sweeps(tables, [ranked[number] for number in range(len(sweeps))])


def spread_over_sizes(table: VariantTable, sweep: str, count: int) -> list[float]:
    """Return at most `count` cutoffs of an explored scorer, spread evenly over the postings that they keep."""
    rows: list[Row] = []
    for row in table.rows:
        if row.variant.sweep == sweep:
            rows.append(row)
    postings = np.array([row.index.postings for row in rows])
    equal_steps = np.linspace(postings.min(), postings.max(), count + 1)[1:]
    nearest = np.unique(np.abs(postings[:, None] - equal_steps).argmin(axis=0))
    cutoffs: list[float] = []
    for index in nearest.tolist():
        if postings[index]:
            cutoffs.append(rows[index].variant.cutoff or 0.0)
    return cutoffs


@dataclass(frozen=True)
class CountedPruning:
    """A sweep's cutoffs, the index at each cutoff, and the postings of the queries.

    Args:
        cutoffs: the cutoffs, the strictest first.
        words: the number of words of the cleaned collection.
        sizes: the size of the index at each cutoff.
        terms: the number of different terms of the queries.
        counts: by step, counts of all documents.
        blocks: the number of blocks in the file.
        file: a file with the postings of the queries' terms, block by block.
        fixed: statistics to rank by at every cutoff, as one step; None to rank by the statistics of each cutoff.
    """

    cutoffs: Floats
    words: int
    sizes: tuple[IndexStatistics, ...]
    terms: int
    counts: StepCounts
    blocks: int
    file: Path
    fixed: StepStatistics | None

    def matches(self, folder: Path) -> MatchChunks:
        """Return the matches of the queries' terms, for ranking; `folder` is for files of chunks."""
        return store_matches(self.terms, in_chunks(self._read(), [len(self.cutoffs)]), folder, self.fixed)

    def _read(self) -> Iterator[ShardCounts]:
        yield replace(add_up([], [len(self.cutoffs)]), counts=(self.counts,))
        with self.file.open("rb") as file:
            for _ in range(self.blocks):
                # Only this process reads and writes it.
                block: ShardCounts = pickle.load(file)
                yield block


def _ranked(
    sweep: PruningSweep, counted: CountedPruning, job: RankingJob, backend: Backend | None, folder: Path
) -> RankedSweep:
    variants = [sweep.variant(cutoff) for cutoff in counted.cutoffs.tolist()]
    queries_of_topics = job.queries[: len(job.evaluators[0].topics)]
    return RankedSweep(
        variants=variants,
        words=[counted.words] * len(variants),
        sizes=counted.sizes,
        query_postings=job.statistics[0].query_postings(queries_of_topics),
        values=evaluate_sweeps(job, backend, folder)[0],
    )


def count_pruning(
    postings: CollectedPostings, sweeps: Sequence[PruningSweep], terms: Hashes, original: bool, folder: Path
) -> list[CountedPruning]:
    """Count all sweeps over one collection, block by block, into files in `folder`."""
    fitted = [sweep.method.fit(postings) for sweep in sweeps]
    cutoffs = _cutoffs(postings, sweeps, fitted)
    counters: list[_PostingCounter] = []
    for number, sweep in enumerate(sweeps):
        file = folder / f"counts-{number}"
        counters.append(_PostingCounter(postings.statistics, sweep.method, fitted[number], cutoffs[number], file))
    numbers = postings.statistics.numbers(terms)
    # The number of each term of the collection among the queries' terms, -1 for all other terms.
    query_terms = np.full(len(postings.statistics.hashes), -1, dtype=np.int32)
    query_terms[numbers[numbers >= 0]] = np.flatnonzero(numbers >= 0)
    for block in postings.blocks():
        documents = _QueryDocuments(block, query_terms)
        for counter in counters:
            steps_of_postings = counter.steps_of(block)
            counter.add(block, steps_of_postings)
            counter.write(documents.counts(steps_of_postings, len(counter.cutoffs), original))
    fixed = None
    if original:
        fixed = _statistics_of_terms(postings.statistics, numbers)
    counted_sweeps: list[CountedPruning] = []
    for counter in counters:
        counted = CountedPruning(
            cutoffs=counter.cutoffs,
            words=postings.words,
            sizes=counter.sizes(postings.indexed),
            terms=len(terms),
            counts=counter.counts(),
            blocks=len(postings.files),
            file=counter.file,
            fixed=fixed,
        )
        counted_sweeps.append(counted)
    return counted_sweeps


def _statistics_of_terms(statistics: CollectionStatistics, numbers: Ints) -> StepStatistics:
    """Return the statistics of the unpruned collection for terms with these numbers; -1 for terms that it lacks."""
    present = numbers >= 0
    cf = np.zeros((1, len(numbers)), dtype=np.int64)
    df = np.zeros((1, len(numbers)), dtype=np.int64)
    cf[0, present] = statistics.cf[numbers[present]]
    df[0, present] = statistics.df[numbers[present]]
    return StepStatistics(np.array([statistics.documents]), np.array([statistics.tokens]), cf, df)


def _cutoffs(postings: CollectedPostings, sweeps: Sequence[PruningSweep], fitted: Sequence[Any]) -> list[Floats]:
    """Return the cutoffs of each sweep, the strictest first: shares are even, other cutoffs spread over scores that occur."""
    scores_of_sweep: dict[int, _PostingScores] = {}
    for number, sweep in enumerate(sweeps):
        if sweep.method.keep != KEEP_SHARE:
            scores_of_sweep[number] = _PostingScores()
    if scores_of_sweep:
        for block in postings.blocks():
            for number, posting_scores in scores_of_sweep.items():
                posting_scores.add(sweeps[number].method.scores(block, postings.statistics, fitted[number]))
    cutoffs: list[Floats] = []
    for number, sweep in enumerate(sweeps):
        if number in scores_of_sweep:
            cutoffs.append(_cutoffs_of_sweep(sweep, scores_of_sweep[number].spread_cutoffs(sweep.points)))
        else:
            cutoffs.append(_cutoffs_of_sweep(sweep, np.arange(1, sweep.points + 1) / sweep.points))
    return cutoffs


class _PostingScores:
    """The scores of the postings of a collection by one pruning method."""

    def __init__(self) -> None:
        self._spread = ScoreSpread()
        self._lowest = np.inf

    def add(self, scores: Floats) -> None:
        """Add the scores of some postings."""
        self._spread.add(scores.astype(np.float32), np.ones(len(scores), dtype=np.int64))
        self._lowest = min(self._lowest, float(scores.min(initial=np.inf)))

    def spread_cutoffs(self, points: int) -> Floats:
        """Return finite cutoffs that are spread over the scores."""
        self._spread.settle()
        values = spread_evenly(self._spread.values, self._spread.words, points)
        # A spread may leave out the lowest score, which keeps everything.
        cutoffs = np.append(values.astype(np.float64), self._lowest)
        return _rounded_down(cutoffs[np.isfinite(cutoffs)])


def _cutoffs_of_sweep(sweep: PruningSweep, cutoffs: Floats) -> Floats:
    """Return the cutoffs within the method's range and the sweep's own cutoffs, the strictest first."""
    method = sweep.method
    if method.low is not None:
        cutoffs = cutoffs[cutoffs >= method.low]
    if method.high is not None:
        cutoffs = cutoffs[cutoffs <= method.high]
    # All scores are infinite in a collection of one page, for example.
    if not len(cutoffs):
        cutoffs = np.array(method.grid[:1])
    return strictest_first(method, np.concatenate((cutoffs, sweep.cutoffs)))


def _rounded_down(values: Floats) -> Floats:
    """Return values rounded down to `_DIGITS` significant digits: the lowest cutoff still keeps everything."""
    # A little lower first, since the values were rounded to 32 bits.
    lowered = values - np.abs(values) * 2.0**-23
    units = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(lowered), 1e-300))) - _DIGITS + 1)
    rounded = np.floor(lowered / units) * units
    # Multiplying leaves errors in the last bits.
    return np.array([float(f"{value:.{_DIGITS}g}") for value in rounded])


class _PostingCounter:
    """Counts that each cutoff of a sweep adds to the index, with postings that no cutoff keeps in the last entry.

    Args:
        statistics: the statistics of the unpruned collection.
        method: the pruning method.
        fitted: the method's parameters for the collection; see `PruningMethod.fit`.
        cutoffs: the cutoffs, the strictest first.
        file: the file for the postings of the queries' terms.
    """

    def __init__(
        self, statistics: CollectionStatistics, method: PruningMethod, fitted: Any, cutoffs: Floats, file: Path
    ) -> None:
        self._statistics = statistics
        self._method = method
        self._fitted = fitted
        self.cutoffs = cutoffs
        self.file = file
        self._none = len(cutoffs)
        self._tokens = np.zeros(len(cutoffs) + 1, dtype=np.int64)
        self._postings = np.zeros(len(cutoffs) + 1, dtype=np.int64)
        self._documents = np.zeros(len(cutoffs) + 1, dtype=np.int64)
        # By term, the first step that keeps one of its postings.
        self._first_steps = np.full(len(statistics.df), self._none, dtype=np.uint16)

    def steps_of(self, block: DocumentPostings) -> Steps:
        """Return the step of each posting of a block."""
        scores = self._method.scores(block, self._statistics, self._fitted)
        return steps(self._method, scores, self.cutoffs).astype(np.uint16)

    def write(self, counts: ShardCounts) -> None:
        """Append the counts of a block to the file."""
        with self.file.open("ab") as file:
            pickle.dump(counts, file, protocol=5)

    def add(self, block: DocumentPostings, steps_of_postings: Steps) -> None:
        """Count the postings of a block, which has the steps of its postings."""
        size = self._none + 1
        self._postings += np.bincount(steps_of_postings, minlength=size)
        self._tokens += np.bincount(steps_of_postings, weights=block.tf, minlength=size).astype(np.int64)
        np.minimum.at(self._first_steps, block.term, steps_of_postings)
        begins_of_documents = block.bounds[:-1][block.sizes > 0]
        if len(begins_of_documents):
            steps_of_documents = np.minimum.reduceat(steps_of_postings, begins_of_documents)
            self._documents += np.bincount(steps_of_documents, minlength=size)

    def sizes(self, indexed: int) -> tuple[IndexStatistics, ...]:
        """Return the size of the index at each cutoff; the unpruned index has `indexed` documents."""
        terms = np.bincount(self._first_steps, minlength=self._none + 1)
        # Documents without any term, which have only stop words, lose nothing.
        documents = indexed - self._documents.sum() + np.cumsum(self._documents)
        columns = np.stack((documents, np.cumsum(self._tokens), np.cumsum(self._postings), np.cumsum(terms)), axis=1)
        return tuple(IndexStatistics(*row) for row in columns[: self._none].tolist())

    def counts(self) -> StepCounts:
        """Return the counts of all documents."""
        return StepCounts(self._tokens, self._tokens, self._documents, self._documents, self._postings)


class _Lengths(NamedTuple):
    """Tokens that documents get at steps; shape (entries,) each.

    Attributes:
        documents: the number of the document.
        steps: the step at which it gets the tokens.
        tokens: the number of tokens.
    """

    documents: Ints
    steps: Ints
    tokens: Ints


class _QueryDocuments:
    """The documents of a block with a query term, in the form that ranking reads, which is sentences.

    Some pseudo-sentences have the tokens of documents, and no query term. One more for each posting of a query term has the
    term, and no token.
    """

    def __init__(self, block: DocumentPostings, query_terms: Numbers) -> None:
        """Find the documents; `query_terms` has the number of each term among the queries' terms, -1 for other terms."""
        self._block = block
        self._postings = np.flatnonzero(query_terms[block.term] >= 0)
        self._terms = query_terms[block.term[self._postings]]
        self._rows = np.unique(block.document[self._postings])
        # By row of the block, the document's number among the documents with a query term, or -1.
        self._numbers = np.full(len(block.ids), -1, dtype=np.int64)
        self._numbers[self._rows] = np.arange(len(self._rows))

    def counts(self, steps_of_postings: Steps, size: int, original: bool) -> ShardCounts:
        """Return the counts of these documents; counts of all documents are 0.

        Args:
            steps_of_postings: the step of each posting, out of `size`.
            size: the number of steps.
            original: whether documents keep their lengths.
        """
        lengths = self._original_lengths() if original else self._lengths_by_step(steps_of_postings)
        block = self._block
        postings = self._postings
        no_tokens = np.zeros(len(postings), dtype=np.int64)
        # The sentences of lengths come first.
        first = len(lengths.documents)
        return ShardCounts(
            ids=tuple(block.ids[row] for row in self._rows.tolist()),
            sentences=Sentences(
                document=np.concatenate((lengths.documents, self._numbers[block.document[postings]])).astype(np.int32),
                tokens=np.concatenate((lengths.tokens, no_tokens)).astype(np.int32),
                steps=np.concatenate((lengths.steps, steps_of_postings[postings])).astype(np.uint16)[None],
            ),
            occurrences=Occurrences(
                sentence=np.arange(first, first + len(postings), dtype=np.int32),
                term=self._terms,
                tf=block.tf[postings],
            ),
            counts=(add_counts((), size),),
            vocabulary=HashedTerms(np.zeros(0, dtype=np.uint64), (np.zeros(0, dtype=np.uint16),), ALL_HASHES),
        )

    def _original_lengths(self) -> _Lengths:
        """Return the whole length of each document at the first step."""
        documents = np.arange(len(self._rows))
        first_steps = np.zeros(len(self._rows), dtype=np.int64)
        return _Lengths(documents, first_steps, self._block.lengths[self._rows])

    def _lengths_by_step(self, steps_of_postings: Steps) -> _Lengths:
        """Return the tokens of the postings that each document gets at each step."""
        documents = self._numbers[self._block.document]
        has_query_term = documents >= 0
        keys = (documents[has_query_term] << 16) | steps_of_postings[has_query_term]
        distinct_keys, entries = np.unique(keys, return_inverse=True)
        tokens = np.bincount(entries, weights=self._block.tf[has_query_term], minlength=len(distinct_keys))
        return _Lengths(distinct_keys >> 16, distinct_keys & 0xFFFF, tokens.astype(np.int64))
