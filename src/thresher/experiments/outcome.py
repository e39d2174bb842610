"""Makes the table of variants from runs and records: values, comparisons, costs, title bias.

The title bias of a topic set is the share of relevant pages with all words of their topic in title or headings. If it is high,
an index of keywords is enough, and cleaners that keep titles and headings look better than they clean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from thresher.base.errors import StateError
from thresher.base.machine import Footprint, Power, footprint, read_machine
from thresher.base.numbers import Floats, Interval
from thresher.base.repeats import BreakEven, ExtraSeconds, MeasuredTime, break_even, co2_break_even
from thresher.evaluation.evaluating import check_overlap, evaluate
from thresher.evaluation.significance import Comparison
from thresher.evaluation.topics import About, Notice, notice
from thresher.evaluation.trec_files import read_run
from thresher.experiments.announcements import Announce, Announcement, Step
from thresher.experiments.config import Experiment
from thresher.experiments.index_contents import index_contents
from thresher.experiments.inputs import Scored, TopicSet
from thresher.experiments.measuring import CostMeter, Measurements, power_of
from thresher.experiments.results import (
    RESULTS_FILE,
    BaselineRun,
    Facts,
    Pages,
    Results,
    Setup,
    TitleBias,
    read_results,
)
from thresher.experiments.stages import VariantRun
from thresher.experiments.table import Built, Cost, NoiseFloor, Row, VariantTable
from thresher.experiments.testing import TestedKey, Values, compared
from thresher.indexes.analysis import text_analyzer, tokens_of_each
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.work import QueryWork
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores.lost_pages import failures
from thresher.scores.score_pass import ScoreReport
from thresher.scores.sites import SITES
from thresher.scores.store import FAILED, missing_documents, read_shard, shards

Run = Mapping[str, Mapping[str, float]]
"""Scores by topic and document."""
SEARCHES = (10_000, 1_000_000)
"""The numbers of searches in the cost tables of the PyPlexity paper."""
_MOST_REASONS = 10_000
"""The most failed pages that results list. A crawl may have millions; all of them are in `failures.jsonl`."""


def earlier_results(folder: Path, key: str, announce: Announce) -> Results | None:
    """Return the results in a folder; None without results, or if they were computed from other inputs, which is announced."""
    if not (folder / RESULTS_FILE).exists():
        return None
    try:
        results = read_results(folder)
    except StateError as error:
        announce(Announcement(Step.UNREADABLE_RESULTS, {"problem": error.what}))
        return None
    if results.facts.key != key:
        announce(Announcement(Step.OTHER_EVIDENCE))
        return None
    return results


def facts_of(experiment: Experiment, scored: Scored, key: str) -> Facts:
    """Return the facts that hold for all variants, before any of them is built."""
    inputs = scored.inputs
    scores = scored.report
    index = experiment.index
    extras: list[str] = []
    if index.positions:
        extras.append("positions")
    if index.stored:
        extras.append("stored text")
    if index.vectors:
        extras.append("document vectors")
    held_out_topics: dict[str, str] = {}
    if inputs.held_out:
        held_out_topics = _queries(inputs.held_out)
    reasons: list[tuple[str, str]] = []
    for failure in islice(failures(scored.store), _MOST_REASONS):
        reasons.append((failure.name, failure.reason))
    power = power_of(experiment.costs, read_machine())
    return Facts(
        experiment=experiment.name,
        title=experiment.title,
        key=key,
        topics=_queries(inputs.topics),
        held_out_topics=held_out_topics,
        pages=Pages(scores.documents, scores.scored, scores.emptied, scores.failed, scores.words, tuple(reasons)),
        setup=Setup(
            blocks=experiment.pages.blocks,
            language=experiment.pages.language,
            mib=experiment.collection.limits.mib,
            seconds=experiment.collection.limits.seconds,
            scorers=tuple(scorer.canonical_name for scorer in experiment.scorers),
            stemmer=index.stemmer,
            stopwords=index.stopwords,
            holds=tuple(extras),
            depth=experiment.retrieval.depth,
            seed=experiment.evaluation.seed,
            workers=scores.workers,
            timed=experiment.measure_seconds,
            power=replace(power, machines=max(power.machines, scores.machines)),
            machines=scores.machines,
            index_language=index.language,
        ),
        notices=tuple(_notices(scored)),
        alpha=experiment.evaluation.alpha,
        correction=experiment.evaluation.correction,
        test=experiment.evaluation.test,
        contents=index_contents(experiment, scored),
        labels=experiment.labels,
    )


def _queries(topics: TopicSet) -> dict[str, str]:
    return {topic: topics.topics[topic].query for topic in topics.ids}


def _notices(scored: Scored) -> list[Notice]:
    inputs = scored.inputs
    notices = list(inputs.notices)
    for topics in (inputs.topics, inputs.held_out):
        if topics is None:
            continue
        judged: set[str] = set()
        for grades in topics.qrels.values():
            judged.update(grades)
        missing = sorted(missing_documents(scored.store, judged))
        if missing:
            notices.append(notice(About.MISSING, missing, topics is inputs.held_out))
    return notices


def title_bias(store: Path, topics: TopicSet, options: IndexOptions) -> TitleBias:
    """Count the relevant pages of a store that have all words of their topic in the title, and in title or headings.

    A page counts once for each topic that judges it with a grade above 0. Words are compared after the index's analysis; a
    topic without a word after analysis is in no title. Pages that failed count nowhere.
    """
    analyzer = text_analyzer(options.analysis)
    words_by_document = _words_of_topics(topics, analyzer)
    relevant = in_title = in_headings = 0
    for path in shards(store):
        for page in _titled_pages(path, words_by_document, analyzer):
            for words in words_by_document[page.document]:
                relevant += 1
                # A topic without a word is in no title.
                if words and words <= page.title:
                    in_title += 1
                if words and words <= page.title | page.headings:
                    in_headings += 1
    return TitleBias(relevant, in_title, in_headings)


def _words_of_topics(topics: TopicSet, analyzer: Any) -> dict[str, list[frozenset[str]]]:
    """Return, by relevant document, the words of each topic that it is relevant for."""
    words_by_document: dict[str, list[frozenset[str]]] = {}
    queries = tokens_of_each(analyzer, list(_queries(topics).values()))
    for topic, words in zip(topics.ids, queries, strict=True):
        for document, grade in topics.qrels[topic].items():
            if grade > 0:
                words_by_document.setdefault(document, []).append(frozenset(words))
    return words_by_document


class _TitledPage(NamedTuple):
    """The index terms of a page's title and of its headings."""

    document: str
    title: frozenset[str]
    headings: frozenset[str]


def _titled_pages(path: Path, documents: Collection[str], analyzer: Any) -> Iterator[_TitledPage]:
    """Yield the pages of a shard among `documents`, except failed ones."""
    table = read_shard(path, ["id", "status", "text", "levels"])
    if not len(table):
        return
    levels = table.lists("levels")
    texts = table.texts("text")
    statuses = table.texts("status").tolist()
    ids: list[str] = []
    titles: list[str] = []
    headings: list[str] = []
    for row, document in enumerate(table.texts("id").tolist()):
        if document in documents and statuses[row] != FAILED:
            title_blocks: list[str] = []
            heading_blocks: list[str] = []
            # Blocks are joined by line feeds.
            for block, level in zip(texts[row].split("\n"), levels[row].tolist(), strict=False):
                if level == TITLE_LEVEL:
                    title_blocks.append(block)
                elif level > 0:
                    heading_blocks.append(block)
            ids.append(document)
            titles.append("\n".join(title_blocks))
            headings.append("\n".join(heading_blocks))
    title_tokens = tokens_of_each(analyzer, titles)
    heading_tokens = tokens_of_each(analyzer, headings)
    for document, in_title, in_headings in zip(ids, title_tokens, heading_tokens, strict=True):
        yield _TitledPage(document, frozenset(in_title), frozenset(in_headings))


@dataclass(frozen=True)
class CostSources:
    """The records that costs are computed from.

    Args:
        scores: the report on scoring.
        measured: the times of all variants together; None if nothing was timed.
        meter: power and emission factors.
    """

    scores: ScoreReport
    measured: Measurements | None
    meter: CostMeter


def assemble(
    experiment: Experiment,
    scored: Scored,
    runs: Sequence[VariantRun],
    costs: CostSources,
    key: str,
    systems: Mapping[str, Run] = MappingProxyType({}),
) -> Results:
    """Evaluate all runs: a table for each retrieval model, and the facts.

    Args:
        experiment: the experiment that was run.
        scored: its inputs and scores.
        runs: the runs of all variants and retrieval models, on the topics and on held-out topics; the baseline is the first
            of each model.
        costs: the records of costs and times.
        key: the key of the evidence.
        systems: baseline runs by name; they are compared with the first model's baseline.
    """
    topics = scored.inputs.topics
    held_out_topics = scored.inputs.held_out
    main_runs: list[VariantRun] = []
    held_out_runs: list[VariantRun] = []
    for run in runs:
        if run.held_out:
            held_out_runs.append(run)
        else:
            main_runs.append(run)
    evaluated = _evaluated(experiment, topics, main_runs, systems)
    held_out: _Evaluated | None = None
    if held_out_topics is not None:
        held_out = _evaluated(experiment, held_out_topics, held_out_runs, select=False)
    tables: list[VariantTable] = []
    for model in experiment.retrieval.models:
        runs_of_model: list[VariantRun] = []
        for run in main_runs:
            if run.model.name == model.name:
                runs_of_model.append(run)
        tables.append(_table(runs_of_model, topics, evaluated, held_out, costs))
    facts = replace(
        facts_of(experiment, scored, key),
        noise=_noise_floors(costs.measured),
        systems=tuple(_baseline_runs(experiment, evaluated, systems)),
    )
    return Results.of(facts, tables)


def _noise_floors(measured: Measurements | None) -> tuple[NoiseFloor, ...]:
    """Return the noise of each retrieval model's queries, and of indexing if it was repeated."""
    if measured is None:
        return ()
    floors: list[NoiseFloor] = []
    for model, repeats in measured.queries.items():
        floors.append(NoiseFloor(model, repeats.copy, repeats.restarts, repeats.rounds))
    if measured.indexing:
        repeats = measured.indexing
        floors.append(NoiseFloor("", repeats.copy, repeats.restarts, repeats.rounds))
    return tuple(floors)


# Effectiveness


@dataclass(frozen=True)
class _Evaluated:
    """Values by run, measure and topic, and comparisons with the baseline by run and measure."""

    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Mapping[TestedKey, Values]
    comparisons: Mapping[TestedKey, Mapping[str, Comparison]]

    def array(self, keys: Sequence[TestedKey]) -> Floats:
        """Return values as an array of shape (measures, runs, topics)."""
        values = np.empty((len(self.measures), len(keys), len(self.topics)))
        for place, measure in enumerate(self.measures):
            for row, key in enumerate(keys):
                by_topic = self.values[key][measure]
                values[place, row] = [by_topic[topic] for topic in self.topics]
        return values


def _evaluated(
    experiment: Experiment,
    topics: TopicSet,
    runs: Sequence[VariantRun],
    systems: Mapping[str, Run] = MappingProxyType({}),
    select: bool = True,
) -> _Evaluated:
    """Return the values of runs and their comparisons; `select` says whether `choose` selects variants on these topics."""
    evaluation = experiment.evaluation
    values: dict[TestedKey, Values] = {}
    for run in runs:
        retrieved = read_run(run.path)
        if run.variant.treatment.is_baseline:
            check_overlap(retrieved, topics.qrels, topics.ids)
        values[run.key] = evaluate(topics.qrels, retrieved, evaluation.measures, topics.ids)
    for name, system in systems.items():
        values[name] = evaluate(topics.qrels, system, evaluation.measures, topics.ids)
    return _Evaluated(evaluation.measures, topics.ids, values, compared(experiment, values, select))


def _baseline_runs(experiment: Experiment, evaluated: _Evaluated, systems: Mapping[str, Run]) -> Iterator[BaselineRun]:
    for system in experiment.systems:
        if system.name not in systems:
            continue
        run = systems[system.name]
        retrieved = 0
        for topic in evaluated.topics:
            if run.get(topic):
                retrieved += 1
        yield BaselineRun(
            name=system.name,
            values=evaluated.array([system.name])[:, 0],
            comparisons=evaluated.comparisons[system.name],
            retrieved=retrieved,
            index_bytes=system.bytes or None,
        )


def _table(
    runs: Sequence[VariantRun],
    topics: TopicSet,
    evaluated: _Evaluated,
    held_out: _Evaluated | None,
    costs: CostSources,
) -> VariantTable:
    """Return the table of a retrieval model, whose first run is the baseline's."""
    # All topics were searched, but only topics with judgments count.
    searched = list(topics.topics)
    places = [searched.index(topic) for topic in topics.ids]
    keys: list[TestedKey] = []
    rows: list[Row] = []
    query_postings: list[tuple[float, ...]] = []
    for run in runs:
        work = run.search.work.of(places)
        built = _built(run, runs[0], work, costs)
        built = replace(built, comparisons=evaluated.comparisons.get(run.key, {}))
        if held_out is not None:
            built = replace(built, held_out=held_out.comparisons.get(run.key, {}))
        rows.append(Row(run.variant, run.index.statistics, run.index.words, run.index.bytes, built=built))
        query_postings.append(work.by_query)
        keys.append(run.key)
    table = VariantTable(
        retrieval=runs[0].model.name,
        measures=evaluated.measures,
        topics=topics.ids,
        rows=tuple(rows),
        values=evaluated.array(keys),
        query_postings=np.array(query_postings, dtype=np.float64),
        held_out_topics=(),
        held_out=np.zeros((len(evaluated.measures), len(runs), 0)),
    )
    if held_out is None:
        return table
    return replace(table, held_out_topics=held_out.topics, held_out=held_out.array(keys))


# Costs


def clean_cost(run: VariantRun, scores: ScoreReport, meter: CostMeter) -> Cost:
    """Return the cost of cleaning with only this variant's scorers: parsing, the scorers, the cut, the links if they count.

    Wall time is the seconds of all workers over their number. CPU time has the variant's share of the wall time.
    """
    names = {"pages"}
    for scorer in run.variant.cleaner.scorers:
        names.add(scorer.canonical_name)
        for text in scorer.required_texts:
            names.add(text.canonical_name)
    if run.variant.weights is not None and run.variant.weights.anchors:
        names.add(SITES)
    variant_seconds = sum(scores.seconds.get(name, 0.0) for name in names)
    all_seconds = sum(scores.seconds.values())
    share = 0.0
    if all_seconds:
        share = variant_seconds / all_seconds
    wall = variant_seconds / scores.workers + run.index.cut_wall
    cpu = scores.times.cpu * share + run.index.cut_cpu
    return Cost(wall, cpu, scores.times.peak, meter.grams(wall, cleaning_machines(scores, meter)))


def cleaning_machines(scores: ScoreReport, meter: CostMeter) -> int:
    """Return the number of machines that cleaned: as configured, or the machines that scored if they were more."""
    return max(meter.power.machines, scores.machines)


def _built(run: VariantRun, baseline: VariantRun, work: QueryWork, costs: CostSources) -> Built:
    """Return the record of building, searching and timing a variant, without comparisons."""
    clean = clean_cost(run, costs.scores, costs.meter)
    query, indexing = _times(run, costs.measured)
    point: BreakEven | None = None
    co2_point: BreakEven | None = None
    if query and run is not baseline:
        saved = query.saved if query.measurable else None
        extra = _extra_seconds(run, baseline, indexing, costs)
        point = break_even(extra.cleaning + extra.indexing, saved)
        co2_point = co2_break_even(extra, saved, costs.meter.power, cleaning_machines(costs.scores, costs.meter))
    footprints = list(_cleaning(clean, costs.scores, costs.meter))
    footprints.extend(_footprints(run.index.cost, query, indexing, costs.meter.power))
    return Built(
        bytes_by_type=run.index.bytes_by_type,
        work=work,
        clean=clean,
        index=run.index.cost,
        search=run.search.cost,
        query=query,
        indexing=indexing,
        break_even=point,
        co2_break_even=co2_point,
        footprints=tuple(footprints),
        cutoffs=run.index.cutoffs,
        emptied_languages=run.index.emptied_languages,
    )


class _Times(NamedTuple):
    """The measured times of a variant; None for a time that was not measured."""

    query: MeasuredTime | None
    indexing: MeasuredTime | None


def _times(run: VariantRun, measured: Measurements | None) -> _Times:
    if measured is None:
        return _Times(None, None)
    name = run.variant.name
    indexing = measured.indexing.times[name] if measured.indexing else None
    return _Times(measured.queries[run.model.name].times[name], indexing)


def _extra_seconds(
    run: VariantRun, baseline: VariantRun, indexing: MeasuredTime | None, costs: CostSources
) -> ExtraSeconds:
    """Return the wall seconds that cleaning and indexing take beyond the baseline's."""
    clean = clean_cost(run, costs.scores, costs.meter)
    baseline_clean = clean_cost(baseline, costs.scores, costs.meter)
    seconds = 0.0
    if indexing is None:
        seconds = run.index.cost.wall - baseline.index.cost.wall
    elif indexing.measurable:
        seconds = -indexing.saved.value
    return ExtraSeconds(clean.wall - baseline_clean.wall, seconds)


def _cleaning(clean: Cost, scores: ScoreReport, meter: CostMeter) -> Iterator[Footprint]:
    parsing = scores.seconds.get("pages", 0.0) / scores.workers
    scoring = clean.wall - parsing
    machines = cleaning_machines(scores, meter)
    yield footprint("tag removal", Interval(parsing, parsing, parsing), meter.power, machines)
    yield footprint("scoring", Interval(scoring, scoring, scoring), meter.power, machines)


def _footprints(
    index: Cost, query: MeasuredTime | None, indexing: MeasuredTime | None, power: Power
) -> Iterator[Footprint]:
    seconds = indexing.wall if indexing else Interval(index.wall, index.wall, index.wall)
    yield footprint("indexing", seconds, power, 1)
    if query is None:
        return
    for count in SEARCHES:
        seconds = Interval(query.wall.value * count, query.wall.low * count, query.wall.high * count)
        yield footprint(f"{count:,} searches", seconds, power, 1)
