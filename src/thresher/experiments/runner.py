"""Runs an experiment: score once, then cut, index and search every variant, evaluate, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from thresher.base.errors import ConfigError, StateError
from thresher.base.files import file_digest
from thresher.base.locks import exclusive_folders
from thresher.base.machine import read_machine
from thresher.base.progress import Progress, progress
from thresher.base.repeats import ThreadClock
from thresher.cleaners.cleaner import BASELINE, Cleaner, Cut
from thresher.evaluation.evaluating import check_overlap
from thresher.evaluation.trec_files import read_run, write_run
from thresher.experiments import stages
from thresher.experiments.announcements import Announce, Announcement, Step, ignore_announcement
from thresher.experiments.chooser import last_choice, measured_again
from thresher.experiments.choosing.choices import Choice, remove_unreadable_choice
from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Folders, Inputs, Scored, TopicSet, score_experiment
from thresher.experiments.manifest import Provenance, git_state
from thresher.experiments.measuring import (
    CostMeter,
    Measurements,
    RunBuild,
    Seconds,
    VariantBuild,
    build_variant,
    measure,
    power_of,
    warm_up_indexing,
)
from thresher.experiments.outcome import CostSources, Run, assemble, earlier_results, title_bias
from thresher.experiments.results import RESULTS_FILE, Facts, Results, TitleBias, write_results
from thresher.experiments.shell_commands import command_of
from thresher.experiments.table import Cost, Row, Variant
from thresher.experiments.variants import folder_name
from thresher.indexes.analysis import RetrievalModel
from thresher.indexes.jvm import check_installed
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.searching import Searcher
from thresher.scores.lost_pages import by_count
from thresher.scores.percentiles import resolved
from thresher.scores.score_pass import ScoreReport


def run_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    indexes: Path = Path("indexes"),
    fresh: bool = False,
    announce: Announce = ignore_announcement,
    chosen: bool = False,
) -> Results:
    """Run an experiment, or the rest of an interrupted run, and write its results; `thresher.reports.files` writes the report.

    Args:
        experiment: the experiment to run.
        results: the folder that gets `<experiment>/` with scores, runs and reports.
        indexes: the folder that gets `<experiment>/<variant>/`.
        fresh: drop scores of another configuration instead of refusing.
        announce: called with each step that begins.
        chosen: run the indexes that `thresher choose` named, beside earlier ones, instead of all variants of the experiment.
    """
    check_installed()
    folders = Folders(results / experiment.name, indexes / experiment.name)
    with exclusive_folders(folders.results, folders.indexes):
        return _Run(experiment, folders, announce, chosen=chosen).all(fresh)


def measure_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    indexes: Path = Path("indexes"),
    announce: Announce = ignore_announcement,
) -> Results:
    """Measure the times of a finished experiment again and write its results; everything else stays as it is."""
    check_installed()
    if not experiment.measure_seconds:
        raise ConfigError("the experiment measures no times", "set `seconds` in [measure]", str(experiment.file))
    folders = Folders(results / experiment.name, indexes / experiment.name)
    if not (folders.results / RESULTS_FILE).exists():
        raise StateError("the experiment has not been run", "run it first: `thresher run`", str(folders.results))
    with exclusive_folders(folders.results, folders.indexes):
        return _Run(experiment, folders, announce, build=False).all()


class _Run:
    """The stages of a run.

    Args:
        experiment: the experiment to run.
        folders: the folders of its results and indexes.
        announce: called with each step that begins.
        build: whether to build and search; otherwise only times are measured, and a missing variant is an error.
        chosen: whether to run the chosen variants beside the built ones, instead of the experiment's variants.
    """

    def __init__(
        self, experiment: Experiment, folders: Folders, announce: Announce, build: bool = True, chosen: bool = False
    ) -> None:
        self.experiment = experiment
        self.folders = folders
        self.announce = announce
        self.build = build
        self.chosen = chosen
        self.machine = read_machine()
        self.meter = CostMeter(power_of(experiment.costs, self.machine))
        self.variants: tuple[Variant, ...] = ()
        self.treatment_by_variant: dict[str, Treatment] = {}  # by variant, with numbers for percentiles
        self.percentile_clocks: dict[str, ThreadClock] = {}  # by scorer, the time to find its percentiles
        self.is_warm = False  # whether Java has compiled its code for indexing

    def all(self, fresh: bool = False) -> Results:
        """Run all stages that are not done, and write the results; `fresh` drops scores of another configuration."""
        experiment = self.experiment
        folder = self.folders.results
        scored = score_experiment(experiment, folder, fresh, self.announce)
        systems = self._systems(scored.inputs.topics)
        key = stages.evidence_key(experiment, scored)
        before = earlier_results(folder, key, self.announce)
        remove_unreadable_choice(folder, self.announce)
        choice = last_choice(folder, key)
        self.variants = self._variants(before, choice)
        self._find_percentiles()
        runs = self._runs(scored)
        costs = CostSources(scored.report, self._measured(runs, scored.inputs), self.meter)
        outcome = assemble(experiment, scored, runs, costs, key, systems)
        outcome = replace(outcome, facts=self._with_title_bias(outcome.facts, scored))
        if before is not None:
            outcome = outcome.with_explored(before)
        provenance = Provenance(experiment, scored, runs, self.machine, self.meter, git_state())
        provenance.write_manifest(folder)
        provenance.write_metadata(outcome)
        write_results(outcome, folder)
        if choice is not None:
            measured_again(choice, experiment, outcome, folder)
        return outcome

    def _runs(self, scored: Scored) -> list[stages.VariantRun]:
        """Index and search all variants that are not indexed and searched yet."""
        inputs = scored.inputs
        facts = {"variants": len(self.variants), "pages": scored.report.documents}
        self.announce(Announcement(Step.INDEXING, facts))
        runs: list[stages.VariantRun] = []
        for variant in progress(self.variants, "variants", len(self.variants), "variants"):
            index = self._index(variant, scored)
            for model in self.experiment.retrieval.models:
                runs.append(self._search(variant, model, index, inputs.topics))
                if inputs.held_out is not None:
                    runs.append(self._search(variant, model, index, inputs.held_out, held_out=True))
        return runs

    def _variants(self, before: Results | None, choice: Choice | None) -> tuple[Variant, ...]:
        """Return the variants to run, the baseline first; chosen variants that were built before are always among them."""
        if self.chosen and choice is None:
            fix = f"run `{command_of('choose', self.experiment, self.folders.results)}` first"
            raise StateError("no choice was made from these pages, topics and options", fix, str(self.folders.results))
        earlier = _rows_by_name(before)
        built = {name: row for name, row in earlier.items() if row.built is not None}
        variants: dict[str, Variant] = {}
        for variant in self.experiment.variants:
            was_built = variant.name == BASELINE or variant.name in built
            if was_built or not self.chosen:
                variants[variant.name] = variant
        # Without `chosen`, the variants that a choice names are only run again.
        candidates = earlier if self.chosen else built
        for name in self._named_variants(choice):
            if name in candidates:
                variants[name] = candidates[name].variant
        return tuple(variants.values())

    def _named_variants(self, choice: Choice | None) -> list[str]:
        """Return the names of the variants that a choice names for the experiment's retrieval models."""
        names: list[str] = []
        if choice is not None:
            for model in self.experiment.retrieval.models:
                names += choice.named_variants(model.name)
        return names

    def _systems(self, topics: TopicSet) -> dict[str, Run]:
        runs: dict[str, Run] = {}
        for system in self.experiment.systems:
            runs[system.name] = read_run(system.path)
        for system in self.experiment.systems:
            check_overlap(runs[system.name], topics.qrels, topics.ids, str(system.path))
        return runs

    def _find_percentiles(self) -> None:
        """Find the numbers of all percentiles, scorer by scorer."""
        numbers: dict[str, Cut] = {}
        for scorer in self.experiment.scorers:
            at_percentiles = self._percentile_cuts(scorer.canonical_name)
            if not at_percentiles:
                continue
            self.announce(Announcement(Step.FINDING_PERCENTILES, {"scorer": scorer.canonical_name}))
            with self.percentile_clocks.setdefault(scorer.canonical_name, ThreadClock()):
                in_numbers = resolved(self.folders.scores, Cleaner(tuple(at_percentiles.values())))
            for cut in in_numbers.cuts:
                numbers[cut.name] = cut
        for variant in self.variants:
            cuts: list[Cut] = []
            for cut in variant.cleaner.cuts:
                cuts.append(numbers.get(cut.name, cut))
            self.treatment_by_variant[variant.name] = replace(variant.treatment, cleaner=Cleaner(tuple(cuts)))

    def _percentile_cuts(self, scorer: str) -> dict[str, Cut]:
        """Return the cuts of the variants at percentiles of a scorer, by name."""
        cuts = {}
        for variant in self.variants:
            for cut in variant.cleaner.cuts:
                if cut.percentile is not None and cut.scorer.canonical_name == scorer:
                    cuts[cut.name] = cut
        return cuts

    def _index(self, variant: Variant, scored: Scored) -> stages.IndexRecord:
        scores = scored.report
        options = self.experiment.index
        original = self.experiment.pruning.original_statistics
        treatment = self.treatment_by_variant[variant.name]
        origin = stages.index_origin(scored, treatment, options, original)
        path = self.folders.stage(f"index-{folder_name(variant)}")
        folder = self.folders.indexes / folder_name(variant)
        record = stages.finished_index(path, origin.key, folder)
        if record is not None:
            return record
        self._may_build(f"the index of {variant.name}", folder)
        if not self.is_warm:
            warm_up_indexing(self.folders.scores, options)
            self.is_warm = True
        with Progress(f"indexing {variant.name}", scores.documents, "pages") as bar, self.meter.stage() as work:
            run = RunBuild(origin, bar.advance)
            built = build_variant(self.folders.scores, treatment, folder, options, original, run)
        self._check_counts(built, scores, folder)
        report = built.index
        cutting = self._cutting_seconds(treatment, built)
        record = stages.IndexRecord(
            key=origin.key,
            indexed=report.documents,
            emptied=built.emptied,
            words=built.words,
            bytes=report.bytes,
            bytes_by_type=report.bytes_by_type,
            statistics=report.statistics,
            cut_wall=cutting.wall,
            cut_cpu=cutting.cpu,
            cost=self._indexing_cost(work.cost, built),
            cutoffs=treatment.cleaner.resolved_cutoffs,
            emptied_languages=by_count(built.languages),
        )
        stages.INDEXES.write(path, record)
        return record

    def _check_counts(self, built: VariantBuild, scores: ScoreReport, folder: Path) -> None:
        """Check that each page of the collection is indexed, emptied or failed."""
        indexed = built.index.documents
        if indexed + built.emptied + scores.failed != scores.documents:
            raise StateError(
                f"the counts do not add up: {scores.documents} pages, {indexed} indexed, {built.emptied} emptied, "
                f"{scores.failed} failed",
                f"delete {self.folders.scores} and run again",
                str(folder),
            )

    def _cutting_seconds(self, treatment: Treatment, built: VariantBuild) -> Seconds:
        """Return the time to find and apply the cutoffs of a treatment: a part of cleaning, though done while indexing."""
        wall = built.cutting.wall
        cpu = built.cutting.cpu
        scorers: set[str] = set()
        for cut in treatment.cleaner.cuts:
            if cut.percentile:
                scorers.add(cut.scorer.canonical_name)
        for scorer in scorers:
            wall += self.percentile_clocks[scorer].wall
            cpu += self.percentile_clocks[scorer].cpu
        return Seconds(wall, cpu)

    def _indexing_cost(self, cost: Cost, built: VariantBuild) -> Cost:
        """Return the cost of a build less cutting, which is cleaning, and less naming languages, which no cost includes."""
        wall = max(cost.wall - built.cutting.wall - built.naming.wall, 0.0)
        cpu = max(cost.cpu - built.cutting.cpu - built.naming.cpu, 0.0)
        return Cost(wall, cpu, cost.peak, self.meter.grams(wall), cost.joules)

    def _search(
        self,
        variant: Variant,
        model: RetrievalModel,
        index: stages.IndexRecord,
        topics: TopicSet,
        held_out: bool = False,
    ) -> stages.VariantRun:
        experiment = self.experiment
        path = self.folders.run(variant, model, len(experiment.retrieval.models) == 1, held_out)
        key = stages.search_key(index.key, model, experiment.retrieval.depth, topics)
        stage_file = self.folders.stage(f"search-{path.stem}")
        record = stages.finished_run(stage_file, key, path)
        if record is None:
            self._may_build(f"the run of {variant.name}", path)
            record = self._searched(variant, model, topics, path, key)
            stages.SEARCHES.write(stage_file, record)
        return stages.VariantRun(variant, model, path, index, record, held_out)

    def _searched(
        self, variant: Variant, model: RetrievalModel, topics: TopicSet, path: Path, key: str
    ) -> stages.SearchRecord:
        queries = {topic.id: topic.query for topic in topics.topics.values()}
        with Searcher(self.folders.indexes / folder_name(variant), model, self.experiment.retrieval.depth) as searcher:
            with self.meter.stage() as stage:
                report = searcher.search_topics(list(queries.items()), warm_up=0)
            work = searcher.work(list(queries.values()))
        # A tag is one word; paths and names of texts may have spaces.
        write_run(path, report.hits, "_".join(variant.name.split()))
        return stages.SearchRecord(key, file_digest(path), work, stage.cost)

    def _with_title_bias(self, facts: Facts, scored: Scored) -> Facts:
        inputs = scored.inputs
        facts = replace(facts, title_bias=self._title_bias("title-bias", inputs.topics, scored))
        if inputs.held_out is not None:
            held_out = self._title_bias("title-bias.held-out", inputs.held_out, scored)
            facts = replace(facts, held_out_title_bias=held_out)
        return facts

    def _title_bias(self, name: str, topics: TopicSet, scored: Scored) -> TitleBias:
        options = self.experiment.index
        key = stages.stage_key(
            scores=scored.key,
            digests=dict(topics.digests),
            read=[topics.source.field, topics.source.column],
            analysis=[options.language, options.stemmer, options.stopwords],
        )
        path = self.folders.stage(name)
        record = stages.finished(stages.BIASES, path, key)
        if record is None:
            record = stages.BiasRecord(key, title_bias(self.folders.scores, topics, options))
            stages.BIASES.write(path, record)
        return record.bias

    def _may_build(self, what: str, at: Path) -> None:
        if not self.build:
            raise StateError(f"{what} is missing or of another configuration", "run it first: `thresher run`", str(at))

    def _measured(self, runs: Sequence[stages.VariantRun], inputs: Inputs) -> Measurements | None:
        """Return the times of all variants, measured before or now; None if the experiment measures no times."""
        experiment = self.experiment
        topics = inputs.topics
        if not experiment.measure_seconds:
            return None
        records = {run.variant.name: run.index for run in runs}
        key = stages.stage_key(
            indexes=[record.key for record in records.values()],
            models=experiment.retrieval.names,
            depth=experiment.retrieval.depth,
            topics=topics.digests["topics"],
            field=topics.source.field,
            seconds=experiment.measure_seconds,
        )
        path = self.folders.stage("measure")
        record = stages.finished(stages.MEASURES, path, key) if self.build else None
        if record is None:
            record = stages.MeasureRecord(key, self._measured_now(records, topics))
            stages.MEASURES.write(path, record)
        return record.measured

    def _measured_now(self, records: Mapping[str, stages.IndexRecord], topics: TopicSet) -> Measurements:
        step = Step.TIMING if self.build else Step.TIMING_AGAIN
        self.announce(Announcement(step, {"variants": len(records), "seconds": self.experiment.measure_seconds}))
        index_folders: dict[str, Path] = {}
        for variant in self.variants:
            index_folders[variant.name] = self.folders.indexes / folder_name(variant)
        queries = [topic.query for topic in topics.topics.values()]
        build_seconds = 0.0
        for record in records.values():
            build_seconds += record.cost.wall + record.cut_wall
        return measure(
            self.experiment, index_folders, self.treatment_by_variant, self.folders.scores, queries, build_seconds
        )


def _rows_by_name(results: Results | None) -> dict[str, Row]:
    """Return the rows of results by name, of several retrieval models the last one's; none without results."""
    rows: dict[str, Row] = {}
    if results is not None:
        for table in results.tables:
            for row in table.rows:
                rows[row.name] = row
    return rows
