"""From runs and records to the table of variants: values, comparisons, costs, title bias.

Title bias: how many relevant pages have all words of their topic in title or headings.

Where many have, an index of keywords is enough, and cleaners that keep titles and headings look better than they clean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.base.errors import StateError
from thresher.base.machine import Footprint, Power, footprint, read_machine
from thresher.base.numbers import Floats, Interval
from thresher.base.repeats import MeasuredTime, break_even
from thresher.evaluation.evaluating import check_overlap, evaluate
from thresher.evaluation.significance import Comparison, compare_all
from thresher.evaluation.topics import About, Notice, notice
from thresher.evaluation.trec_files import read_run
from thresher.experiments.announcements import Announcement, Say, Step
from thresher.experiments.config import Experiment
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
from thresher.experiments.stages import RowKey, VariantRun
from thresher.experiments.table import Built, Cost, NoiseFloor, Row, VariantTable
from thresher.indexes.analysis import english_analyzer, tokens_of_each
from thresher.indexes.indexing import IndexOptions
from thresher.indexes.work import QueryWork
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scores.lost_pages import failures
from thresher.scores.score_pass import ScoreReport
from thresher.scores.store import FAILED, missing_documents, read_shard, shards

# A crawl may have millions, which are in failures.jsonl.
_REASONS_KEPT = 10_000


def kept_results(folder: Path, key: str, say: Say) -> Results | None:
    """Return the results in a folder; None where there are none, or they rest on other evidence, which is said."""
    if not (folder / RESULTS_FILE).exists():
        return None
    try:
        results = read_results(folder)
    except StateError as error:
        say(Announcement(Step.UNREADABLE_RESULTS, {"problem": error.what}))
        return None
    if results.facts.key != key:
        say(Announcement(Step.OTHER_EVIDENCE))
        return None
    return results


def facts_of(experiment: Experiment, scored: Scored, key: str) -> Facts:
    """Return what holds for all variants, before any of them is built."""
    inputs, scores = scored.inputs, scored.report
    index, held_out = experiment.index, inputs.held_out
    held = {"positions": index.positions, "stored text": index.stored, "document vectors": index.vectors}
    reasons = ((failure.name, failure.reason) for failure in islice(failures(scored.store), _REASONS_KEPT))
    return Facts(
        experiment=experiment.name,
        title=experiment.title,
        key=key,
        topics=_queries(inputs.topics),
        held_out_topics=_queries(held_out) if held_out else {},
        pages=Pages(scores.documents, scores.scored, scores.emptied, scores.failed, scores.words, tuple(reasons)),
        setup=Setup(
            blocks=experiment.pages.blocks,
            language=experiment.pages.language,
            mib=experiment.collection.limits.mib,
            seconds=experiment.collection.limits.seconds,
            scorers=tuple(scorer.canonical_name for scorer in experiment.scorers),
            stemmer=index.stemmer,
            stopwords=index.stopwords,
            holds=tuple(name for name, on in held.items() if on),
            depth=experiment.retrieval.depth,
            seed=experiment.evaluation.seed,
            workers=scores.workers,
            timed=experiment.measure_seconds,
            power=power_of(experiment.costs, read_machine()),
        ),
        notices=tuple(_notices(scored)),
        alpha=experiment.evaluation.alpha,
        correction=experiment.evaluation.correction,
    )


def _queries(topics: TopicSet) -> dict[str, str]:
    return {topic: topics.topics[topic].query for topic in topics.ids}


def _notices(scored: Scored) -> list[Notice]:
    inputs = scored.inputs
    notices = list(inputs.notices)
    for topics in (inputs.topics, inputs.held_out):
        judged = {document for grades in (topics.qrels if topics else {}).values() for document in grades}
        missing = sorted(missing_documents(scored.store, judged)) if judged else []
        if missing:
            notices.append(notice(About.MISSING, missing, topics is inputs.held_out))
    return notices


Run = Mapping[str, Mapping[str, float]]
"""Scores by topic and document."""
SEARCHES = (10_000, 1_000_000)
"""Numbers of searches for which the PyPlexity paper gives costs."""


def title_bias(store: Path, topics: TopicSet, options: IndexOptions) -> TitleBias:
    """Count the relevant pages of a store that have all words of their topic in the title, and in title or headings.

    A page counts once for each topic that it is relevant for, that is, judged with a grade above 0. Words are compared after
    the index's analysis; no page has those of a topic of which this leaves no word. Pages that failed count nowhere.
    """
    analyzer = english_analyzer(options.stemmer, options.stopwords)
    wanted: dict[str, list[frozenset[str]]] = {}
    queries = tokens_of_each(analyzer, [topics.topics[topic].query for topic in topics.ids])
    for topic, words in zip(topics.ids, queries, strict=True):
        for document, grade in topics.qrels[topic].items():
            if grade > 0:
                wanted.setdefault(document, []).append(frozenset(words))
    relevant = in_title = in_headings = 0
    for path in shards(store):
        pages = [*_titles(path, wanted)]
        texts = [text for _, *of_page in pages for text in of_page]
        found = [*map(frozenset, tokens_of_each(analyzer, texts))]
        for (document, *_), title, headings in zip(pages, found[::2], found[1::2], strict=True):
            for of_topic in wanted[document]:
                relevant += 1
                in_title += bool(of_topic) and of_topic <= title
                in_headings += bool(of_topic) and of_topic <= title | headings
    return TitleBias(relevant, in_title, in_headings)


def _titles(path: Path, wanted: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the id, the title and the headings of a shard's pages among `wanted`."""
    table = read_shard(path, ["id", "status", "text", "levels"])
    if not len(table):
        return
    levels, texts = table.lists("levels"), table.texts("text")
    for row, (document, status) in enumerate(
        zip(table.texts("id").tolist(), table.texts("status").tolist(), strict=True)
    ):
        if document not in wanted or status == FAILED:
            continue
        # Blocks are joined by line feeds.
        blocks = [*zip(texts[row].split("\n"), levels[row].tolist(), strict=False)]
        title = "\n".join(block for block, level in blocks if level == TITLE_LEVEL)
        headings = "\n".join(block for block, level in blocks if 0 < level < TITLE_LEVEL)
        yield document, title, headings


def assemble(
    experiment: Experiment,
    scored: Scored,
    runs: Sequence[VariantRun],
    measured: Measurements | None,
    meter: CostMeter,
    key: str,
    systems: Mapping[str, Run] = MappingProxyType({}),
) -> Results:
    """Evaluate all runs: a table for each retrieval model, and the facts.

    `systems` are baseline runs by name; they are compared with the first model's baseline.
    """
    inputs, scores = scored.inputs, scored.report
    main, others = ([run for run in runs if run.held_out is held_out] for held_out in (False, True))
    own = _evaluated(experiment, inputs.topics, main, systems)
    held_out = _evaluated(experiment, inputs.held_out, others) if inputs.held_out else None
    facts = facts_of(experiment, scored, key)
    baselines = {run.model.name: run for run in reversed(main)}
    tables = []
    # Of all topics that were searched, those that count.
    places = [*map([*inputs.topics.topics].index, inputs.topics.ids)]
    for model in experiment.retrieval.models:
        of_model = [run for run in main if run.model.name == model.name]
        work = [run.search.work.of(places) for run in of_model]
        parts = own, held_out, scores, measured, meter
        rows = [_row(run, one, baselines[model.name], *parts) for run, one in zip(of_model, work, strict=True)]
        tables.append(
            VariantTable(
                model.name,
                experiment.evaluation.measures,
                inputs.topics.ids,
                tuple(rows),
                own.array([run.key for run in of_model]),
                np.array([one.by_query for one in work], dtype=np.float64),
                inputs.held_out.ids if inputs.held_out else (),
                held_out.array([run.key for run in of_model])
                if held_out
                else np.zeros((len(experiment.evaluation.measures), len(of_model), 0)),
            )
        )
    return Results(
        replace(
            facts,
            noise=tuple(
                NoiseFloor(model, repeats.copy, repeats.restarts, repeats.rounds)
                for model, repeats in ((*measured.queries.items(), ("", measured.indexing)) if measured else ())
                if repeats
            ),
            systems=tuple(_baseline_runs(experiment, own, systems)),
        ),
        tuple(tables),
    )


@dataclass(frozen=True)
class _Evaluated:
    """Values by run, measure and topic, and comparisons with the baseline by run and measure."""

    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Mapping[RowKey | str, Mapping[str, Mapping[str, float]]]
    comparisons: Mapping[RowKey | str, Mapping[str, Comparison]]

    def array(self, keys: Sequence[RowKey | str]) -> Floats:
        """Return values as an array of shape (measures, runs, topics)."""
        return np.array(
            [[[self.values[key][measure][topic] for topic in self.topics] for key in keys] for measure in self.measures]
        )


def _evaluated(
    experiment: Experiment,
    topics: TopicSet,
    runs: Sequence[VariantRun],
    systems: Mapping[str, Run] = MappingProxyType({}),
) -> _Evaluated:
    # The first of each model.
    baselines = {run.model.name: run for run in reversed(runs)}
    values: dict[RowKey | str, Mapping[str, Mapping[str, float]]] = {}
    for run in runs:
        retrieved = read_run(run.path)
        if run.variant.treatment.is_baseline:
            check_overlap(retrieved, topics.qrels, topics.ids)
        values[run.key] = evaluate(topics.qrels, retrieved, experiment.evaluation.measures, topics.ids)
    values |= {
        name: evaluate(topics.qrels, run, experiment.evaluation.measures, topics.ids) for name, run in systems.items()
    }
    first = experiment.retrieval.models[0].name
    baseline_of: dict[RowKey | str, RowKey | str] = {
        run.key: baseline.key for run in runs if run is not (baseline := baselines[run.model.name])
    }
    # What was chosen is corrected apart: the file alone says how many tests it asks for.
    own = {variant.name for variant in experiment.variants}
    chosen = [run.key for run in runs if run.variant.name not in own]
    added: dict[RowKey | str, RowKey | str] = {key: baseline_of.pop(key) for key in chosen}
    comparisons: dict[RowKey | str, Mapping[str, Comparison]] = {}
    for family in (baseline_of | dict.fromkeys(systems, baselines[first].key), added):
        comparisons |= compare_all(
            values, family, experiment.evaluation.alpha, experiment.evaluation.correction, experiment.evaluation.seed
        )
    return _Evaluated(experiment.evaluation.measures, topics.ids, values, comparisons)


def _baseline_runs(experiment: Experiment, evaluated: _Evaluated, systems: Mapping[str, Run]) -> Iterator[BaselineRun]:
    for system in experiment.systems:
        if system.name in systems:
            yield BaselineRun(
                system.name,
                evaluated.array([system.name])[:, 0],
                evaluated.comparisons[system.name],
                sum(bool(systems[system.name].get(topic)) for topic in evaluated.topics),
                system.bytes or None,
            )


def clean_cost(run: VariantRun, scores: ScoreReport, meter: CostMeter) -> Cost:
    """Return what cleaning costs if this variant's scorers are the only ones: parsing, its scorers, the cut.

    Worker seconds are divided by the number of workers for wall time; their CPU time is shared out by wall time.
    """
    scorers = run.variant.cleaner.scorers
    names = {"pages", *(one.canonical_name for scorer in scorers for one in (scorer, *scorer.required_texts))}
    spent = sum(scores.seconds.get(name, 0.0) for name in names)
    everything = sum(scores.seconds.values())
    wall = spent / scores.workers + run.index.cut_wall
    cpu = scores.times.cpu * (spent / everything if everything else 0.0) + run.index.cut_cpu
    return Cost(wall, cpu, scores.times.peak, meter.grams(wall, cleaning_machines(scores, meter)))


def cleaning_machines(scores: ScoreReport, meter: CostMeter) -> int:
    """Return how many machines cleaned: as configured, or those that scored if they were more."""
    return max(meter.power.machines, scores.machines)


def _row(
    run: VariantRun,
    work: QueryWork,
    baseline: VariantRun,
    own: _Evaluated,
    held_out: _Evaluated | None,
    scores: ScoreReport,
    measured: Measurements | None,
    meter: CostMeter,
) -> Row:
    clean = clean_cost(run, scores, meter)
    name = run.variant.name
    query = measured.queries[run.model.name].times[name] if measured else None
    indexing = measured.indexing.times[name] if measured and measured.indexing else None
    more = clean.wall - clean_cost(baseline, scores, meter).wall
    if indexing is None:
        more += run.index.cost.wall - baseline.index.cost.wall
    elif indexing.measurable:
        more -= indexing.saved.value
    built = Built(
        bytes_by_type=run.index.bytes_by_type,
        work=work,
        clean=clean,
        index=run.index.cost,
        search=run.search.cost,
        query=query,
        indexing=indexing,
        break_even=break_even(more, query.saved if query.measurable else None)
        if query and run is not baseline
        else None,
        footprints=(*_cleaning(clean, scores, meter), *_footprints(run.index.cost, query, indexing, meter.power)),
        comparisons=own.comparisons.get(run.key, {}),
        held_out=held_out.comparisons.get(run.key, {}) if held_out else {},
        cutoffs=run.index.cutoffs,
        emptied_languages=run.index.emptied_languages,
    )
    return Row(run.variant, run.index.statistics, run.index.words, run.index.bytes, built=built)


def _cleaning(clean: Cost, scores: ScoreReport, meter: CostMeter) -> Iterator[Footprint]:
    tags = scores.seconds.get("pages", 0.0) / scores.workers
    for work, wall in (("tag removal", tags), ("scoring", clean.wall - tags)):
        yield footprint(work, Interval(wall, wall, wall), meter.power, cleaning_machines(scores, meter))


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
