"""Runs an experiment: score once, then cut, index and search every variant, evaluate, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.costs.machine import read_machine
from thresher.costs.repeats import ThreadClock
from thresher.errors import ConfigError, InputError, StateError
from thresher.evaluation import read_run, write_run
from thresher.experiments.chooser import last_choice, measured_again
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Folders, Inputs, Scored, TopicSet, score_experiment
from thresher.experiments.manifest import git_state, write_manifest, write_run_metadata
from thresher.experiments.measuring import Measurements, Meter, build_variant, measure, power_of, warm_up_indexing
from thresher.experiments.outcome import Run, assemble, kept_results, title_bias
from thresher.experiments.stages import (
    BIASES,
    INDEXES,
    MEASURES,
    SEARCHES,
    BiasRecord,
    IndexRecord,
    MeasureRecord,
    SearchRecord,
    VariantRun,
    evidence_key,
    finished,
    finished_index,
    finished_run,
    index_origin,
    search_key,
    stage_key,
)
from thresher.experiments.variants import folder_name
from thresher.explaining.explanations import read_explained
from thresher.files import file_digest
from thresher.locks import held
from thresher.lucene.analysis import RetrievalModel
from thresher.lucene.jvm import check_installed
from thresher.lucene.searching import Searcher
from thresher.progress import Progress, progress
from thresher.pruning_methods.treatments import Treatment
from thresher.reports import write_all
from thresher.scorers.cleaners import Cleaner, Cut
from thresher.scoring.lost_pages import by_count
from thresher.scoring.percentiles import resolved
from thresher.variants.files import RESULTS_FILE, write_results
from thresher.variants.results import Results, TitleBias
from thresher.variants.table import Cost, Variant


def run_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    indexes: Path = Path("indexes"),
    fresh: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Results:
    """Run an experiment, or the rest of an interrupted run, and write its report.

    Args:
        experiment: what to run.
        results: the folder that gets `<experiment>/` with scores, runs and reports.
        indexes: the folder that gets `<experiment>/<variant>/`.
        fresh: drop scores of another configuration instead of refusing.
        say: called with a line for each stage that begins.
    """
    check_installed()
    folders = Folders(results / experiment.name, indexes / experiment.name)
    with held(folders.results, folders.indexes):
        return _Run(experiment, folders, say).all(fresh)


def measure_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    indexes: Path = Path("indexes"),
    say: Callable[[str], None] = lambda _: None,
) -> Results:
    """Measure the times of a finished experiment again and write its report; everything else stays as it is.

    Args:
        experiment, results, indexes, say: as for `run_experiment`.
    """
    check_installed()
    if not experiment.measure_seconds:
        raise ConfigError("the experiment measures no times", "set `seconds` in [measure]", str(experiment.file))
    folders = Folders(results / experiment.name, indexes / experiment.name)
    if not (folders.results / RESULTS_FILE).exists():
        raise StateError("the experiment has not been run", "run it first: `thresher run`", str(folders.results))
    with held(folders.results, folders.indexes):
        return _Run(experiment, folders, say, build=False).all()


class _Run:
    """The stages of one run, which share what was read.

    Without `build` nothing but times is made: it is an error if a variant is missing, and times are measured anew.
    """

    def __init__(
        self, experiment: Experiment, folders: Folders, say: Callable[[str], None], build: bool = True
    ) -> None:
        self.experiment, self.folders, self.say, self.build = experiment, folders, say, build
        self.machine = read_machine()
        self.meter = Meter(power_of(experiment.costs, self.machine))
        # By variant, what it does with numbers for percentiles; by scorer, the time to compute them.
        self.treatments: dict[str, Treatment] = {}
        self.finding: dict[str, ThreadClock] = {}

    def all(self, fresh: bool = False) -> Results:
        experiment = self.experiment
        scored = score_experiment(experiment, self.folders.results, fresh, self.say)
        inputs, scores = scored.inputs, scored.report
        systems = self._systems(inputs.topics)
        self._find_cutoffs()
        self.say(f"indexing and searching {len(experiment.variants)} variants of {scores.documents} pages")
        runs = []
        for variant in progress(experiment.variants, "variants", len(experiment.variants), "variants"):
            index = self._index(variant, scored)
            for model in experiment.retrieval:
                runs.append(self._search(variant, model, index, inputs.topics))
                if inputs.held_out:
                    runs.append(self._search(variant, model, index, inputs.held_out, held_out=True))
        measured = self._measured(runs, inputs)
        key = evidence_key(experiment, scored)
        outcome = assemble(experiment, scored, runs, measured, self.meter, key, systems)
        outcome = replace(outcome, facts=replace(outcome.facts, **self._title_biases(scored)))
        before = kept_results(self.folders.results, key, self.say)
        if before:
            outcome = outcome.with_explored(before)
        code = git_state()
        write_manifest(self.folders.results, experiment, inputs, scores, runs, self.machine, self.meter, code)
        write_run_metadata(experiment, inputs, scores, runs, outcome, self.machine, self.meter, code)
        write_results(outcome, self.folders.results)
        choice = last_choice(self.folders.results, key)
        if choice:
            choice = measured_again(choice, experiment, outcome, self.folders.results)
        explained = read_explained(self.folders.results, key)
        write_all(outcome, self.folders.results, choice, explained)
        return outcome

    def _systems(self, topics: TopicSet) -> dict[str, Run]:
        """Read the runs of other systems, before the long work."""
        runs: dict[str, Run] = {system.name: read_run(system.path) for system in self.experiment.systems}
        for system in self.experiment.systems:
            if not any(topic in topics.qrels for topic in runs[system.name]):
                what = "no topic of the run is one of the experiment's judged topics"
                raise InputError(what, "name a run for the same topics", str(system.path))
        return runs

    def _find_cutoffs(self) -> None:
        variants = self.experiment.variants
        resolved_cuts: dict[str, Cut] = {}
        for scorer in self.experiment.scorers:
            cuts = {
                cut.name: cut
                for variant in variants
                for cut in variant.cleaner.cuts
                if cut.percentile is not None and cut.scorer.canonical_name == scorer.canonical_name
            }
            if cuts:
                self.say(f"finding percentiles of {scorer.canonical_name}")
                with self.finding.setdefault(scorer.canonical_name, ThreadClock()):
                    found = resolved(self.folders.scores, Cleaner(tuple(cuts.values())))
                resolved_cuts |= {cut.name: cut for cut in found.cuts}
        self.treatments = {
            variant.name: Treatment(
                Cleaner(tuple(resolved_cuts.get(cut.name, cut) for cut in variant.cleaner.cuts)), variant.pruning
            )
            for variant in variants
        }

    def _index(self, variant: Variant, scored: Scored) -> IndexRecord:
        scores, options = scored.report, self.experiment.index
        original = self.experiment.original_statistics
        treatment = self.treatments[variant.name]
        origin = index_origin(scored, treatment, options, original)
        path = self.folders.stage(f"index-{folder_name(variant)}")
        folder = self.folders.indexes / folder_name(variant)
        record = finished_index(path, origin.key, folder)
        if record is not None:
            return record
        self._may_build(f"the index of {variant.name}", folder)
        warm_up_indexing(self.folders.scores, options, scores.documents)
        with Progress(f"indexing {variant.name}", scores.documents, "pages") as bar, self.meter.stage() as work:
            built = build_variant(self.folders.scores, treatment, folder, options, original, bar.advance, True, origin)
            report = built.index
        if report.documents + built.emptied + scores.failed != scores.documents:
            raise StateError(
                f"the counts do not add up: {scores.documents} pages, {report.documents} indexed, {built.emptied} emptied, "
                f"{scores.failed} failed",
                f"delete {self.folders.scores} and run again",
                str(folder),
            )
        # Reading the scores and cutting is cleaning, not indexing; it is done in between. Naming languages is neither.
        cost = work.cost
        cutting, naming = built.cutting, built.naming
        wall_seconds = max(cost.wall - cutting.wall - naming.wall, 0.0)
        cpu_seconds = max(cost.cpu - cutting.cpu - naming.cpu, 0.0)
        waited_for = {cut.scorer.canonical_name for cut in treatment.cleaner.cuts if cut.percentile}
        record = IndexRecord(
            key=origin.key,
            indexed=report.documents,
            emptied=built.emptied,
            words=built.words,
            bytes=report.bytes,
            bytes_by_type=report.bytes_by_type,
            statistics=report.statistics,
            cut_wall=cutting.wall + sum(self.finding[scorer].wall for scorer in waited_for),
            cut_cpu=cutting.cpu + sum(self.finding[scorer].cpu for scorer in waited_for),
            cost=Cost(wall_seconds, cpu_seconds, cost.peak, self.meter.grams(wall_seconds)),
            cutoffs=treatment.cleaner.resolved_cutoffs,
            emptied_languages=by_count(built.languages),
        )
        INDEXES.write(path, record)
        return record

    def _search(
        self, variant: Variant, model: RetrievalModel, index: IndexRecord, topics: TopicSet, held_out: bool = False
    ) -> VariantRun:
        experiment = self.experiment
        path = self.folders.run(variant, model, len(experiment.retrieval) == 1, held_out)
        key = search_key(index.key, model, experiment.depth, topics)
        done = self.folders.stage(f"search-{path.stem}")
        record = finished_run(done, key, path)
        if record is None:
            self._may_build(f"the run of {variant.name}", path)
            record = self._searched(variant, model, topics, path, key)
            SEARCHES.write(done, record)
        return VariantRun(variant, model, path, index, record, held_out)

    def _searched(
        self, variant: Variant, model: RetrievalModel, topics: TopicSet, path: Path, key: str
    ) -> SearchRecord:
        queries = [(topic.id, topic.query) for topic in topics.topics.values()]
        with Searcher(self.folders.indexes / folder_name(variant), model, self.experiment.depth) as searcher:
            with self.meter.stage() as stage:
                report = searcher.search_topics(queries, warm_up=0)
            work = searcher.work([query for _, query in queries])
        write_run(path, report.hits, variant.name)
        return SearchRecord(key, file_digest(path), work, stage.cost)

    def _title_biases(self, scored: Scored) -> dict[str, Any]:
        inputs = scored.inputs
        biases = {"title_bias": self._title_bias("title-bias", inputs.topics, scored)}
        if inputs.held_out is not None:
            biases["held_out_title_bias"] = self._title_bias("title-bias.held-out", inputs.held_out, scored)
        return biases

    def _title_bias(self, name: str, topics: TopicSet, scored: Scored) -> TitleBias:
        options = self.experiment.index
        key = stage_key(
            scores=scored.key,
            digests=dict(topics.digests),
            read=[topics.source.field, topics.source.column],
            analysis=[options.stemmer, options.stopwords],
        )
        path = self.folders.stage(name)
        record = finished(BIASES, path, key)
        if record is None:
            record = BiasRecord(key, title_bias(self.folders.scores, topics, options))
            BIASES.write(path, record)
        return record.bias

    def _may_build(self, what: str, path: Path) -> None:
        if not self.build:
            raise StateError(
                f"{what} is missing or of another configuration", "run it first: `thresher run`", str(path)
            )

    def _measured(self, runs: Sequence[VariantRun], inputs: Inputs) -> Measurements | None:
        """Return the times of all variants, measured before or now; None if the experiment wants none."""
        experiment, topics = self.experiment, inputs.topics
        if not experiment.measure_seconds:
            return None
        records = {run.variant.name: run.index for run in runs}
        key = stage_key(
            indexes=[record.key for record in records.values()],
            models=[model.name for model in experiment.retrieval],
            depth=experiment.depth,
            topics=topics.digests["topics"],
            field=topics.source.field,
            seconds=experiment.measure_seconds,
        )
        path = self.folders.stage("measure")
        record = finished(MEASURES, path, key) if self.build else None
        if record is None:
            self.say(f"timing {len(records)} variants together")
            measured = measure(
                experiment,
                {variant.name: self.folders.indexes / folder_name(variant) for variant in experiment.variants},
                self.treatments,
                self.folders.scores,
                [topic.query for topic in topics.topics.values()],
                sum(record.cost.wall + record.cut_wall for record in records.values()),
            )
            record = MeasureRecord(key, measured)
            MEASURES.write(path, record)
        return record.measured
