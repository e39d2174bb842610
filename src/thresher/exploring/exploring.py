"""Exploring: all cutoffs of all scorers from one pass over the stored scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thresher.evaluation import DEFAULT_MEASURES, Topic
from thresher.exploring.counting import columns, count_shard
from thresher.exploring.families import Family, families
from thresher.exploring.hashing import hash_texts
from thresher.exploring.lexicon import Lexicon
from thresher.exploring.measuring import Judges
from thresher.exploring.partial import Counts, Partial, add_up
from thresher.exploring.ranking import Matches, Query, Rankings, rankings
from thresher.exploring.records import Curve, Exploration, Size
from thresher.exploring.similarity import Floats
from thresher.exploring.size_model import BuiltIndex, SizeModel, fit, leave_one_out
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
            points of its curve. Percentiles become numbers, in names too. The baseline is always there.
        judging: topics, qrels and measures.
        models: how documents are ranked.
        options: how text is analysed; what else an index holds matters to its size alone.
        depth: the most hits of a topic.
        points: cutoffs of each sweep, at least, if there are so many different scores.
        built: bytes of indexes that were built of some of the cleaners, by name: the model of sizes is fitted on them.

    Raises:
        ThresherError: as `resolve_all`, `evaluate` and `read_shard`.
        MissingDependencyError: if there is no Java.
    """
    asked = [Cleaner(), *cleaners]
    wanted = [_in_numbers(cleaner) for cleaner in resolve_all(store, asked)]
    every = families(spread_cutoffs(store, sweeps, points), wanted)
    queries, terms = analyse_queries([judging.topics[topic].query for topic in judging.ids], options)
    counted = count_store(store, every, options, terms)
    judges = Judges(judging.qrels, judging.ids, counted.ids, judging.measures)
    matches = Matches(counted, len(terms))
    sizes = [_sizes(counted, place, len(family.cleaners)) for place, family in enumerate(every)]
    names = [[cleaner.name for cleaner in family.cleaners] for family in every]
    size_of = {
        name: size for some, found in zip(names, sizes, strict=True) for name, size in zip(some, found, strict=True)
    }
    for cleaner, found in zip(asked, wanted, strict=True):
        size_of[cleaner.name] = size_of[found.name]
    known = [BuiltIndex(size_of[name], held) for name, held in (built or {}).items() if name in size_of]
    model = fit(known)
    curves = [
        Curve(
            family.name,
            tuple(names[place]),
            family.cutoffs,
            tuple(np.cumsum(counted.counts[place].words)[: len(family.cleaners)].tolist()),
            tuple(sizes[place]),
            _bytes(model, sizes[place]),
            np.array([_values(rankings(matches, queries, place, kind, depth), judges) for kind in models]),
        )
        for place, family in progress(list(enumerate(every)), "ranking", len(every), "scorers")
    ]
    baseline = next(curve for curve in curves if curve.name == Cleaner().name)
    return Exploration(
        tuple(kind.name for kind in models),
        judges.names,
        judging.ids,
        baseline.sizes[0].documents,
        baseline.words[0],
        depth,
        tuple(curves),
        leave_one_out(known),
    )


def analyse_queries(texts: Sequence[str], options: IndexOptions) -> tuple[list[Query], list[str]]:
    """Return queries as Anserini makes them of texts, a bag of words, and the terms that their numbers mean."""
    analyzer = english_analyzer(options.stemmer, options.stopwords)
    counts = [Counter(analyse(analyzer, text)) for text in texts]
    terms = sorted({term for count in counts for term in count})
    number = {term: place for place, term in enumerate(terms)}
    return [
        Query({number[term]: times for term, times in count.items()}, sum(count.values())) for count in counts
    ], terms


def count_store(store: Path, every: Sequence[Family], options: IndexOptions, terms: Sequence[str]) -> Partial:
    """Count all shards of a store, in one pass; `terms` are those of the queries.

    Raises:
        StateError: if a shard is damaged or lacks scores.
    """
    lexicon = Lexicon(options.stemmer, options.stopwords)
    hashes = hash_texts(list(terms))
    waiting: list[Partial] = []
    paths = shards(store)
    for path in progress(paths, "exploring", len(paths), "shards"):
        table = read_shard(path, columns(every))
        if len(table):
            waiting.append(count_shard(table, every, lexicon, hashes))
        if len(waiting) > _AT_ONCE:
            waiting = [add_up(waiting, every)]
    return add_up(waiting, every)


def _in_numbers(cleaner: Cleaner) -> Cleaner:
    return Cleaner(tuple(replace(cut, percentile=None) for cut in cleaner.cuts))


def _values(ranked: Iterable[Rankings | None], judges: Judges) -> Floats:
    """Return the values of the measures at each step; shape (measures, steps, topics)."""
    found: list[Floats] = []
    for step in ranked:
        found.append(found[-1] if step is None else judges.values(step))
    return np.array(found).transpose(1, 0, 2)


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
