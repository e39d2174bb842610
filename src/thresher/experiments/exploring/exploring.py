"""Exploring: all cutoffs of all scorers from one pass over the stored scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thresher.base.defaults import DEFAULT_MEASURES
from thresher.base.files import temporary_folder
from thresher.base.numbers import Floats, Ints
from thresher.base.processes import Backend
from thresher.cleaners.cleaner import Cleaner, Cut
from thresher.evaluation.topics import Topic
from thresher.experiments.exploring.counting import (
    Counting,
    HashedTerms,
    StepCounts,
    StoreCounts,
    add_up,
    shard_counter,
)
from thresher.experiments.exploring.judged_ranks import Evaluator, RankingJob, evaluated
from thresher.experiments.exploring.lexicon import hash_texts
from thresher.experiments.exploring.matching import MatchChunks, Query, query_postings
from thresher.experiments.exploring.nested_sweeps import NestedSweep, nested_sweeps, spread_cutoffs
from thresher.experiments.table import Row, Variant, VariantTable
from thresher.indexes.analysis import RetrievalModel, english_analyzer, tokens_of_each
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.work import IndexStatistics
from thresher.scores.percentiles import resolve_all
from thresher.scores.store import text_store


@dataclass(frozen=True)
class RankedSweep:
    """Variants that were ranked together, the strictest first.

    Args:
        variants, words, sizes: by variant.
        query_postings: shape (variants, topics).
        values: of the topics, and of the held-out ones if there are any; shapes (models, measures, variants, topics).
    """

    variants: Sequence[Variant]
    words: Sequence[int]
    sizes: Sequence[IndexStatistics]
    query_postings: Ints
    values: Sequence[Floats]


def with_sweeps(tables: Sequence[VariantTable], sweeps: Sequence[RankedSweep]) -> tuple[VariantTable, ...]:
    """Return tables, one for each model, with the variants of further sweeps behind their own."""
    if not sweeps:
        return tuple(tables)
    rows, postings, values, held_out = _joint(sweeps)
    return tuple(table.extended(rows, values[at], postings, held_out[at]) for at, table in enumerate(tables))


def _joint(sweeps: Sequence[RankedSweep]) -> tuple[tuple[Row, ...], Floats, Floats, Floats]:
    """Return rows, postings of queries, values, and values on held-out topics, of all sweeps, one after the other."""
    rows = tuple(
        Row(variant, size, words, explored=True)
        for sweep in sweeps
        for variant, size, words in zip(sweep.variants, sweep.sizes, sweep.words, strict=True)
    )
    postings = np.concatenate([sweep.query_postings for sweep in sweeps]).astype(np.float64)
    own, *others = (np.concatenate(values, axis=2) for values in zip(*(sweep.values for sweep in sweeps), strict=True))
    return rows, postings, own, others[0] if others else np.zeros((*own.shape[:3], 0))


POINTS = 100
"""Fewest cutoffs of each sweep, where the scorer gives as many different scores."""

_CHUNK = 1 << 22
"""Sentences and occurrences of query terms that are ranked at once, some 100 bytes each: chunks are as large whatever the
collection, and ranking each costs a little more than ranking all of them at once.
"""


@dataclass(frozen=True)
class JudgedTopics:
    """Topics, qrels and measures; `ids` are the evaluated topics, see `thresher.evaluation`."""

    topics: Mapping[str, Topic]
    qrels: Mapping[str, Mapping[str, int]]
    ids: tuple[str, ...]
    measures: tuple[str, ...] = DEFAULT_MEASURES


@dataclass(frozen=True)
class Search:
    """What every sweep is searched by.

    Args:
        options: how text is analysed.
        depth: the most hits per topic.
        held_out: further topics with their qrels; the measures are those of `topics`.
        backend: the workers, where there is much to count or to rank; None for this process. Workers on other machines must
            see the folder that holds the store under the same path. The result does not depend on it.
    """

    topics: JudgedTopics
    models: Sequence[RetrievalModel]
    options: IndexOptions
    depth: int = 1000
    held_out: JudgedTopics | None = None
    backend: Backend | None = None

    @property
    def sets(self) -> tuple[JudgedTopics, ...]:
        """The topics, and the held-out ones if there are any."""
        return (self.topics,) if self.held_out is None else (self.topics, self.held_out)

    def queries(self) -> tuple[list[Query], list[str]]:
        """Return the queries of all topics, and the terms behind their numbers."""
        return analyse_queries([one.topics[topic].query for one in self.sets for topic in one.ids], self.options)

    def evaluators(self, chunks: MatchChunks) -> list[Evaluator]:
        """Return one for the topics, and one for the held-out ones if there are any."""
        named = {document for one in self.sets for grades in one.qrels.values() for document in grades}
        numbers = chunks.numbers(named)
        return [Evaluator(one.qrels, one.ids, numbers, self.topics.measures) for one in self.sets]


def explore(
    store: Path, sweeps: Sequence[Cut], cleaners: Sequence[Cleaner], search: Search, points: int = POINTS
) -> tuple[VariantTable, ...]:
    """Return the values that an index of each variant would give, without building any: a table for each retrieval model.

    Args:
        store: the score store, with the scores of all that is asked for.
        sweeps: templates (cuts without a cutoff) of scorers to explore over all their cutoffs.
        cleaners: to explore as they are; those that differ from a template by the cutoff alone join its sweep. Percentiles
            become numbers, in names too. The baseline is always added.
        points: fewest cutoffs of each sweep, where there are as many different scores.
    """
    wanted = [in_numbers(cleaner) for cleaner in resolve_all(store, [Cleaner(), *cleaners])]
    texts = dict.fromkeys([*(cleaner.input_name for cleaner in wanted), *(sweep.scorer.input_name for sweep in sweeps)])
    ranked: list[RankedSweep] = []
    for text in texts:
        of_text = [cleaner for cleaner in wanted if cleaner.input_name == text]
        own_sweeps = [cut for cut in sweeps if cut.scorer.input_name == text]
        found, measures = _explored(store, text, own_sweeps, of_text, search, points)
        ranked += found
    rows, postings, own, others = _joint(ranked)
    held_out = search.held_out.ids if search.held_out else ()
    # The first variant of the first sweep is the baseline.
    return tuple(
        VariantTable(model.name, measures, search.topics.ids, rows, own[at], postings, held_out, others[at])
        for at, model in enumerate(search.models)
    )


def _explored(
    main: Path, text: str, sweeps: Sequence[Cut], cleaners: Sequence[Cleaner], search: Search, points: int
) -> tuple[list[RankedSweep], tuple[str, ...]]:
    """Return the sweeps over one text of the pages, ranked, and the measures; the other args are those of `explore`."""
    store = text_store(main, text)
    every = nested_sweeps(spread_cutoffs(store, sweeps, points), cleaners)
    with temporary_folder(main.parent) as temporary:
        with shard_counter(store, every, search.options, temporary, search.backend) as count:
            queries, terms = search.queries()
            chunks = count_store(count, every, terms, temporary)
        evaluators = search.evaluators(chunks)
        job = RankingJob(chunks, queries, evaluators, search.models, search.depth)
        values = evaluated(job, len(every), search.backend, main.parent)
    counts = [statistics.counts for statistics in chunks.statistics]
    ids = search.topics.ids
    ranked = [
        RankedSweep(
            sweep.variants,
            np.cumsum(counts[number].words)[:-1].tolist(),
            _sizes(counts[number], chunks.vocabulary, number),
            query_postings(chunks.statistics[number], queries[: len(ids)]),
            values[number],
        )
        for number, sweep in enumerate(every)
    ]
    return ranked, evaluators[0].names


def analyse_queries(texts: Sequence[str], options: IndexOptions) -> tuple[list[Query], list[str]]:
    """Return queries as Anserini's bags of words, and the terms behind their numbers."""
    counts = [*map(Counter, tokens_of_each(english_analyzer(options.stemmer, options.stopwords), texts))]
    terms = sorted({term for count in counts for term in count})
    number = {term: index for index, term in enumerate(terms)}
    return [Query({number[term]: times for term, times in count.items()}, count.total()) for count in counts], terms


def count_store(count: Counting, every: Sequence[NestedSweep], terms: Sequence[str], folder: Path) -> MatchChunks:
    """Count all shards of a store, in one pass; `terms` are those of the queries, `folder` is for files of chunks."""
    counted = count(hash_texts(list(terms)))
    return MatchChunks(len(terms), in_chunks(counted, [len(sweep.cleaners) for sweep in every]), folder)


def in_chunks(counted: Iterable[StoreCounts], steps: Sequence[int]) -> Iterator[StoreCounts]:
    """Add up neighbouring shards to chunks of at least `_CHUNK` sentences and occurrences, but for the last.

    `steps` says how many steps each sweep has.
    """
    waiting: list[StoreCounts] = []
    size, given = 0, False
    for shard in counted:
        waiting.append(shard)
        size += len(shard.document) + len(shard.term)
        if size >= _CHUNK:
            yield _taken(waiting, steps)
            size, given = 0, True
    if waiting or not given:
        yield _taken(waiting, steps)


def _taken(waiting: list[StoreCounts], steps: Sequence[int]) -> StoreCounts:
    joint = add_up(waiting, steps)
    waiting.clear()
    return joint


def in_numbers(cleaner: Cleaner) -> Cleaner:
    """Return a resolved cleaner with numbers in place of percentiles, in its name too."""
    return Cleaner(tuple(replace(cut, percentile=None) for cut in cleaner.cuts))


def _sizes(counts: StepCounts, vocabulary: HashedTerms, sweep: int) -> list[IndexStatistics]:
    steps = len(counts.tokens) - 1
    # The held terms are those with a hash up to the limit, of 2^64.
    share = (vocabulary.limit + 1) / 2**64
    terms = np.cumsum(np.bincount(vocabulary.steps[sweep], minlength=steps + 1)) / share
    columns = (np.cumsum(counts.documents), np.cumsum(counts.tokens), np.cumsum(counts.postings), np.rint(terms))
    return [IndexStatistics(*(int(column[step]) for column in columns)) for step in range(steps)]
