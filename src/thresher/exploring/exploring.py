"""Exploring: all cutoffs of all scorers from one pass over the stored scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher.evaluation import DEFAULT_MEASURES, Topic, parse_measure
from thresher.exploring.counting import columns, count_shard
from thresher.exploring.families import Family, families
from thresher.exploring.hashing import hash_texts
from thresher.exploring.lexicon import Lexicon
from thresher.exploring.measuring import TopicMeasures
from thresher.exploring.partial import Counts, Partial, add_up
from thresher.exploring.ranking import Postings, Query, snapshots
from thresher.exploring.records import Curve, Exploration, Size
from thresher.exploring.similarity import Floats
from thresher.exploring.size_model import BuiltIndex, SizeModel, fit
from thresher.exploring.spread_cutoffs import spread_cutoffs
from thresher.lucene.analysis import analyse, english_analyzer
from thresher.lucene.indexing import IndexOptions
from thresher.lucene.retrieval import RetrievalModel
from thresher.progress import progress
from thresher.pruning.percentiles import resolve_all
from thresher.pruning.store import read_shard, shards
from thresher.scorers.cleaners import Cleaner, Cut

POINTS = 100
"""Cutoffs of each scorer, at least, if it gives so many different scores."""

_AT_ONCE = 64


@dataclass(frozen=True)
class Judging:
    """What rankings are made for and judged by: `ids` are the topics that are evaluated; see `thresher.evaluation`."""

    topics: Mapping[str, Topic]
    qrels: Mapping[str, Mapping[str, int]]
    ids: tuple[str, ...]
    measures: tuple[str, ...] = DEFAULT_MEASURES


@dataclass(frozen=True)
class Queries:
    """The evaluated topics' queries as an index has them: `terms` are the different tokens of all.

    By topic: how often the query has each term, by the term's number, and how many tokens it has.
    """

    terms: tuple[str, ...]
    counts: tuple[Query, ...]
    sizes: tuple[int, ...]


def explore(
    store: Path,
    sweeps: Sequence[Cut],
    cleaners: Sequence[Cleaner],
    judging: Judging,
    models: Sequence[RetrievalModel],
    options: IndexOptions,
    depth: int = 1000,
    points: int = POINTS,
    built: Mapping[str, int] | None = None,
) -> Exploration:
    """Return what an index of each cleaner would give, without building any.

    Args:
        store: the score store; it holds the scores of all that is asked for.
        sweeps: templates (cuts without a cutoff) of scorers to be explored over all their cutoffs.
        cleaners: cleaners to be explored exactly as they are; those that differ from a template by their cutoff alone are
            points of its curve. The baseline is always there.
        judging: topics, qrels and measures.
        models: how documents are ranked.
        options: how text is analysed; what else an index holds matters to its size alone.
        depth: the most hits of a topic.
        points: cutoffs of each sweep, at least, if there are so many different scores.
        built: bytes of indexes that were built of cleaners among the points, by name: the model of sizes is fitted on them.

    Raises:
        ThresherError: as `resolve_all`, `evaluate` and `read_shard`.
        MissingDependencyError: if there is no Java.
    """
    wanted = resolve_all(store, [Cleaner(), *cleaners])
    every = families(spread_cutoffs(store, sweeps, points), wanted)
    queries = analyse_queries([judging.topics[topic].query for topic in judging.ids], options)
    counted = count_store(store, every, options, queries)
    measures = tuple(str(parse_measure(name)) for name in judging.measures)
    judges = _judges(counted, judging, measures)
    postings = Postings(counted, len(queries.terms))
    sizes = [_sizes(counted, place, len(family.cleaners)) for place, family in enumerate(every)]
    names = [[cleaner.name for cleaner in family.cleaners] for family in every]
    size_of = {name: size for some, found in zip(names, sizes, strict=True) for name, size in zip(some, found, strict=True)}
    model = fit([BuiltIndex(size_of[name], held) for name, held in (built or {}).items() if name in size_of])
    curves = [
        Curve(
            family.name,
            tuple(names[place]),
            family.cutoffs,
            tuple(np.cumsum(counted.counts[place].words)[: len(family.cleaners)].tolist()),
            tuple(sizes[place]),
            _bytes(model, sizes[place]),
            np.array([_values(postings, place, found, queries, judges, depth) for found in models]),
        )
        for place, family in progress(list(enumerate(every)), "ranking", len(every), "scorers")
    ]
    baseline = next(curve for curve in curves if curve.name == Cleaner().name)
    return Exploration(
        tuple(found.name for found in models),
        measures,
        judging.ids,
        baseline.sizes[0].documents,
        baseline.words[0],
        depth,
        tuple(curves),
        model.error if model else None,
    )


def analyse_queries(texts: Sequence[str], options: IndexOptions) -> Queries:
    """Analyse the queries of topics as Anserini does: a bag of words."""
    analyzer = english_analyzer(options.stemmer, options.stopwords)
    counts = [Counter(analyse(analyzer, text)) for text in texts]
    terms = tuple(sorted({term for count in counts for term in count}))
    number = {term: place for place, term in enumerate(terms)}
    return Queries(
        terms,
        tuple({number[term]: times for term, times in count.items()} for count in counts),
        tuple(sum(count.values()) for count in counts),
    )


def count_store(store: Path, every: Sequence[Family], options: IndexOptions, queries: Queries) -> Partial:
    """Count all shards of a store, in one pass.

    Raises:
        StateError: if a shard is damaged or lacks scores.
    """
    lexicon = Lexicon(options.stemmer, options.stopwords)
    terms = hash_texts(list(queries.terms))
    waiting: list[Partial] = []
    paths = shards(store)
    for path in progress(paths, "exploring", len(paths), "shards"):
        table = read_shard(path, columns(every))
        if len(table):
            waiting.append(count_shard(table, every, lexicon, terms))
        if len(waiting) > _AT_ONCE:
            waiting = [add_up(waiting, every)]
    return add_up(waiting, every)


def _judges(counted: Partial, judging: Judging, measures: Sequence[str]) -> list[TopicMeasures]:
    places = {identifier: place for place, identifier in enumerate(counted.ids)}
    return [
        TopicMeasures(topic, judging.qrels.get(topic, {}), counted.ids, places, measures) for topic in judging.ids
    ]


def _values(
    postings: Postings,
    family: int,
    model: RetrievalModel,
    queries: Queries,
    judges: Sequence[TopicMeasures],
    depth: int,
) -> Floats:
    """Return the values of the measures at each step; shape (measures, steps, topics)."""
    found: list[list[list[float]]] = []
    for snapshot in snapshots(postings, family, model):
        if snapshot is None:
            found.append(found[-1])
            continue
        rankings = [snapshot.rank(query, size, depth) for query, size in zip(queries.counts, queries.sizes, strict=True)]
        found.append([judge.values(ranking.documents) for judge, ranking in zip(judges, rankings, strict=True)])
    return np.array(found).transpose(2, 0, 1)


def _sizes(counted: Partial, family: int, steps: int) -> list[Size]:
    counts: Counts = counted.counts[family]
    vocabulary = counted.vocabulary
    # The terms held are those whose hashes are up to the limit, of 2^64.
    share = (vocabulary.limit + 1) / 2**64
    terms = np.cumsum(np.bincount(vocabulary.steps[family], minlength=steps + 1)) / share
    columns = (np.cumsum(counts.documents), np.cumsum(counts.tokens), np.cumsum(counts.postings), np.rint(terms))
    return [Size(*(int(column[step]) for column in columns)) for step in range(steps)]


def _bytes(model: SizeModel | None, sizes: Sequence[Size]) -> tuple[int, ...] | None:
    return tuple(model.bytes(size) for size in sizes) if model else None
