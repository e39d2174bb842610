"""Explores all cutoffs of all scorers in one pass over the stored scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from thresher.base.defaults import DEFAULT_MEASURES
from thresher.base.files import temporary_folder
from thresher.base.numbers import Floats, Ints
from thresher.base.processes import Backend
from thresher.cleaners.cleaner import Cleaner, Cut
from thresher.evaluation.evaluating import JudgedTopics
from thresher.experiments.exploring.counts import HashedTerms, ShardCounts, StepCounts, add_up
from thresher.experiments.exploring.match_chunks import MatchChunks, store_matches
from thresher.experiments.exploring.matching import Query
from thresher.experiments.exploring.nested_sweeps import NestedSweep, nested_sweeps, spread_cutoffs
from thresher.experiments.exploring.rank_measures import Evaluator
from thresher.experiments.exploring.ranking_job import RankingJob, evaluate_sweeps
from thresher.experiments.exploring.shard_counts import CountingJob, count_shards
from thresher.experiments.table import Row, Variant, VariantTable
from thresher.indexes.analysis import RetrievalModel, text_analyzer, tokens_of_each
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.lexicon import hash_texts
from thresher.indexes.work import IndexStatistics
from thresher.scores.percentiles import resolve_all
from thresher.scores.store import text_store
from thresher.scores.weighting import Weights, weighted_store

POINTS = 100
"""Fewest cutoffs of each sweep, if the scorer gives as many different scores."""

_CHUNK = 1 << 22
"""Sentences and occurrences of query terms that are ranked at once, some 100 bytes each.

Memory does not grow with the collection. Ranking chunk by chunk takes a little longer than ranking the whole at once.
"""


@dataclass(frozen=True)
class Search:
    """How every sweep is searched and evaluated.

    Args:
        topics: the topics with their qrels.
        models: the retrieval models.
        options: the analysis of text.
        depth: the most hits per topic.
        measures: names for `parse_measure`.
        held_out: further topics with their qrels.
        backend: the workers, if there is much to count or to rank; None for this process. Workers on other machines must see
            the store's parent folder under the same path. The result does not depend on the backend.
    """

    topics: JudgedTopics
    models: Sequence[RetrievalModel]
    options: IndexOptions
    depth: int = 1000
    measures: tuple[str, ...] = DEFAULT_MEASURES
    held_out: JudgedTopics | None = None
    backend: Backend | None = None

    @property
    def sets(self) -> tuple[JudgedTopics, ...]:
        """The topics, and the held-out topics if there are any."""
        return (self.topics,) if self.held_out is None else (self.topics, self.held_out)

    def queries(self) -> AnalysedQueries:
        """Return the queries of all sets of topics, set by set."""
        texts: list[str] = []
        for topics in self.sets:
            for topic in topics.ids:
                texts.append(topics.topics[topic].query)
        return analyse_queries(texts, self.options)

    def job(self, chunks: MatchChunks, queries: Sequence[Query]) -> RankingJob:
        """Return the work of ranking and evaluating the sweeps over a collection."""
        judged: set[str] = set()
        for topics in self.sets:
            judged.update(*topics.qrels.values())
        numbers = chunks.numbers(judged)
        evaluators: list[Evaluator] = []
        for topics in self.sets:
            evaluators.append(Evaluator(topics.qrels, topics.ids, numbers, chunks.documents, self.measures))
        return RankingJob(chunks.chunks, chunks.statistics, chunks.pairs, queries, evaluators, self.models, self.depth)


@dataclass(frozen=True)
class AnalysedQueries:
    """Queries as Anserini's bags of words, and the terms by number."""

    queries: list[Query]
    terms: list[str]


@dataclass(frozen=True)
class RankedSweep:
    """Variants that were ranked together, the strictest first.

    Args:
        variants: the variants.
        words: the number of words of each variant after cleaning.
        sizes: the size of the index of each variant.
        query_postings: shape (variants, topics).
        values: the values of the topics, and of the held-out topics if there are any; shapes (models, measures, variants,
            topics).
    """

    variants: Sequence[Variant]
    words: Sequence[int]
    sizes: Sequence[IndexStatistics]
    query_postings: Ints
    values: Sequence[Floats]

    @property
    def rows(self) -> list[Row]:
        """The rows of the variants in a table."""
        rows: list[Row] = []
        for variant, size, words in zip(self.variants, self.sizes, self.words, strict=True):
            rows.append(Row(variant, size, words, explored=True))
        return rows


@dataclass(frozen=True)
class JoinedSweeps:
    """The variants of several sweeps, sweep by sweep; arrays as in `VariantTable`, by model."""

    rows: tuple[Row, ...]
    values: Floats
    query_postings: Floats
    held_out: Floats


def join_sweeps(sweeps: Sequence[RankedSweep]) -> JoinedSweeps:
    """Join at least one sweep."""
    rows: list[Row] = []
    values_of_sweeps: list[Floats] = []
    held_out_of_sweeps: list[Floats] = []
    postings_of_sweeps: list[Ints] = []
    for sweep in sweeps:
        rows.extend(sweep.rows)
        values_of_sweeps.append(sweep.values[0])
        held_out_of_sweeps.extend(sweep.values[1:])
        postings_of_sweeps.append(sweep.query_postings)
    values = np.concatenate(values_of_sweeps, axis=2)
    # No held-out topic.
    held_out = values[..., :0]
    if held_out_of_sweeps:
        held_out = np.concatenate(held_out_of_sweeps, axis=2)
    query_postings = np.concatenate(postings_of_sweeps).astype(np.float64)
    return JoinedSweeps(tuple(rows), values, query_postings, held_out)


def with_sweeps(tables: Sequence[VariantTable], sweeps: Sequence[RankedSweep]) -> tuple[VariantTable, ...]:
    """Return tables, one for each model, with the variants of further sweeps behind their own variants."""
    if not sweeps:
        return tuple(tables)
    joined = join_sweeps(sweeps)
    extended: list[VariantTable] = []
    for model, table in enumerate(tables):
        extended.append(
            table.extended(joined.rows, joined.values[model], joined.query_postings, joined.held_out[model])
        )
    return tuple(extended)


@dataclass(frozen=True)
class WeightedSweeps:
    """The templates and cleaners to explore over pages with the same weights, or with none; see `explore`."""

    weights: Weights | None
    templates: Sequence[Cut]
    cleaners: Sequence[Cleaner]


class _TextReaders(NamedTuple):
    """The templates and cleaners that read the same text of the pages."""

    templates: list[Cut]
    cleaners: list[Cleaner]


def _readers_by_text(store: Path, group: WeightedSweeps) -> dict[str, _TextReaders]:
    """Return templates and cleaners by the name of the text that their scorers read; percentiles become numbers."""
    readers: dict[str, _TextReaders] = {}
    for resolved in resolve_all(store, group.cleaners):
        cleaner = in_numbers(resolved)
        readers.setdefault(cleaner.input_name, _TextReaders([], [])).cleaners.append(cleaner)
    for template in group.templates:
        readers.setdefault(template.scorer.input_name, _TextReaders([], [])).templates.append(template)
    return readers


def explore(
    store: Path,
    templates: Sequence[Cut],
    cleaners: Sequence[Cleaner],
    search: Search,
    points: int = POINTS,
    weighted: Sequence[WeightedSweeps] = (),
) -> tuple[VariantTable, ...]:
    """Return the values that an index of each variant would give, without building any: a table for each retrieval model.

    Args:
        store: the score store, with the scores of all scorers.
        templates: cuts without a cutoff, each of a scorer to explore over all its cutoffs.
        cleaners: cleaners to explore as they are. A cleaner that differs from a template by the cutoff alone joins the
            template's sweep. Percentiles become numbers, in names too. The baseline is always added.
        points: fewest cutoffs of each sweep, if there are as many different scores.
        weighted: templates and cleaners over pages with weights; they are explored last.
    """
    ranked: list[RankedSweep] = []
    measures: tuple[str, ...] = ()
    with_baseline = [Cleaner()]
    with_baseline.extend(cleaners)
    groups = [WeightedSweeps(None, templates, with_baseline)]
    groups.extend(weighted)
    for group in groups:
        for text, readers in _readers_by_text(store, group).items():
            text_folder = text_store(store, text)
            cutoffs = spread_cutoffs(text_folder, readers.templates, points)
            nested = nested_sweeps(cutoffs, readers.cleaners, group.weights)
            explored = _explore_text(weighted_store(text_folder, group.weights), nested, search, store.parent)
            ranked.extend(explored.sweeps)
            measures = explored.measures
    return _tables(join_sweeps(ranked), measures, search)


def _tables(joined: JoinedSweeps, measures: tuple[str, ...], search: Search) -> tuple[VariantTable, ...]:
    """Return a table for each retrieval model; the first variant of the first sweep is the baseline."""
    held_out: tuple[str, ...] = ()
    if search.held_out:
        held_out = search.held_out.ids
    tables: list[VariantTable] = []
    for number, model in enumerate(search.models):
        table = VariantTable(
            retrieval=model.name,
            measures=measures,
            topics=search.topics.ids,
            rows=joined.rows,
            values=joined.values[number],
            query_postings=joined.query_postings,
            held_out_topics=held_out,
            held_out=joined.held_out[number],
        )
        tables.append(table)
    return tuple(tables)


@dataclass(frozen=True)
class _ExploredText:
    """The sweeps over one text of the pages, and the canonical names of the measures."""

    sweeps: list[RankedSweep]
    measures: tuple[str, ...]


def _explore_text(store: Path, sweeps: Sequence[NestedSweep], search: Search, folder: Path) -> _ExploredText:
    """Count, rank and evaluate the sweeps over a store; `folder` is for temporary files."""
    with temporary_folder(folder) as temporary:
        analysed = search.queries()
        counting = CountingJob(sweeps, search.options, hash_texts(analysed.terms))
        counted = count_shards(store, counting, search.backend)
        steps = [len(sweep.cleaners) for sweep in sweeps]
        chunks = store_matches(len(analysed.terms), in_chunks(counted, steps), temporary)
        job = search.job(chunks, analysed.queries)
        values = evaluate_sweeps(job, search.backend, folder)
    queries_of_topics = analysed.queries[: len(search.topics.ids)]
    ranked: list[RankedSweep] = []
    for number, sweep in enumerate(sweeps):
        statistics = chunks.statistics[number]
        ranked_sweep = RankedSweep(
            variants=sweep.variants,
            words=np.cumsum(statistics.counts.words)[:-1].tolist(),
            sizes=_sizes(statistics.counts, chunks.vocabulary, number),
            query_postings=statistics.query_postings(queries_of_topics),
            values=values[number],
        )
        ranked.append(ranked_sweep)
    return _ExploredText(ranked, job.evaluators[0].names)


def analyse_queries(texts: Sequence[str], options: IndexOptions) -> AnalysedQueries:
    """Return queries as Anserini's bags of words."""
    analyzer = text_analyzer(options.analysis)
    bags = [Counter(tokens) for tokens in tokens_of_each(analyzer, texts)]
    terms = sorted(set().union(*bags))
    number_of = dict(zip(terms, range(len(terms)), strict=True))
    queries: list[Query] = []
    for bag in bags:
        counts: dict[int, int] = {}
        for term, tf in bag.items():
            counts[number_of[term]] = tf
        queries.append(Query(counts, bag.total()))
    return AnalysedQueries(queries, terms)


def in_chunks(counted: Iterable[ShardCounts], steps: Sequence[int]) -> Iterator[ShardCounts]:
    """Add up neighbouring shards to chunks of at least `_CHUNK` sentences and occurrences, but for the last chunk.

    `steps` has the number of steps of each sweep. There is at least one chunk.
    """
    shards: list[ShardCounts] = []
    size = chunks = 0
    for shard in counted:
        shards.append(shard)
        size += len(shard.sentences.document) + len(shard.occurrences.term)
        if size >= _CHUNK:
            chunk = add_up(shards, steps)
            shards.clear()
            size = 0
            chunks += 1
            yield chunk
    if shards or not chunks:
        yield add_up(shards, steps)


def in_numbers(cleaner: Cleaner) -> Cleaner:
    """Return a resolved cleaner with numbers in place of percentiles, in its name too."""
    cuts: list[Cut] = []
    for cut in cleaner.cuts:
        cuts.append(replace(cut, percentile=None))
    return Cleaner(tuple(cuts))


def _sizes(counts: StepCounts, vocabulary: HashedTerms, sweep: int) -> list[IndexStatistics]:
    """Return the size of the index at each step of a sweep."""
    steps = len(counts.tokens) - 1
    # Of 2^64 possible hashes, the vocabulary has those up to its limit.
    share = (vocabulary.limit + 1) / 2**64
    terms = np.rint(np.cumsum(np.bincount(vocabulary.steps[sweep], minlength=steps + 1)) / share)
    documents, tokens, postings = np.cumsum([counts.documents, counts.tokens, counts.postings], axis=1)
    sizes: list[IndexStatistics] = []
    for step in range(steps):
        size = IndexStatistics(int(documents[step]), int(tokens[step]), int(postings[step]), int(terms[step]))
        sizes.append(size)
    return sizes
