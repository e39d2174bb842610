"""Runs an experiment: score once, then cut, index and search every variant, evaluate, report."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from thresher.costs import read_machine
from thresher.errors import StateError
from thresher.evaluation import write_run
from thresher.experiments.chooser import last_choice
from thresher.experiments.config import Experiment
from thresher.experiments.energy import Meter
from thresher.experiments.inputs import TopicSet, score_experiment
from thresher.experiments.manifest import write_manifest, write_run_metadata
from thresher.experiments.outcome import assemble
from thresher.experiments.stages import (
    INDEXES,
    SEARCHES,
    IndexRecord,
    SearchRecord,
    VariantRun,
    evidence_key,
    exclusive,
    finished,
    index_key,
    stage_key,
)
from thresher.experiments.variants import Variant
from thresher.files import remove_leftovers, safe_name
from thresher.lucene.indexing import IndexOptions, build_index, is_blank
from thresher.lucene.jvm import check_installed
from thresher.lucene.retrieval import RetrievalModel
from thresher.lucene.searching import Searcher
from thresher.progress import Progress, progress
from thresher.reports import write_all
from thresher.results.experiment_results import Cost, Results
from thresher.scorers.cleaners import Cleaner, Cut
from thresher.scoring.cutting import CleanedDocument, cleaned_documents
from thresher.scoring.emptied import by_count, language_of_emptied
from thresher.scoring.percentiles import resolved
from thresher.scoring.score_pass import ScorePlan, ScoreReport

# Java compiles what runs often: without this, the first variant (the baseline) would pay for it.
_WARM_UP_DOCUMENTS = 3000
_WARM_UP_SEARCHES = 3


@dataclass(frozen=True)
class Folders:
    """Where an experiment writes."""

    results: Path
    indexes: Path

    @property
    def scores(self) -> Path:
        """The score store."""
        return self.results / "scores"

    def stage(self, name: str) -> Path:
        """The record of a stage."""
        return self.results / "stages" / f"{name}.json"

    def run(self, variant: Variant, model: RetrievalModel, only_model: bool, held_out: bool) -> Path:
        """The run file of a variant; several retrieval models have their name in it, held-out topics say so."""
        suffix = "" if only_model else f".{safe_name(model.name)}"
        return self.results / "runs" / f"{variant.folder}{suffix}{'.held-out' if held_out else ''}.trec"


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

    Raises:
        ThresherError: for wrong input or configuration, and for lack of resources.
    """
    check_installed()
    folders = Folders(results / experiment.name, indexes / experiment.name)
    with ExitStack() as stack:
        for folder in {folders.results.resolve(): folders.results, folders.indexes.resolve(): folders.indexes}.values():
            stack.enter_context(exclusive(folder))
            remove_leftovers(folder)
        run = _Run(experiment, folders, say)
        return run.all(fresh)


class _Run:
    """The stages of one run, which share what was read."""

    def __init__(self, experiment: Experiment, folders: Folders, say: Callable[[str], None]) -> None:
        self.experiment, self.folders, self.say = experiment, folders, say
        self.machine = read_machine()
        self.meter = Meter.of(experiment.costs, self.machine)
        self.indexing_is_warm = self.searching_is_warm = False
        # By variant, its cleaner with numbers for percentiles; by scorer, the seconds it took to compute them.
        self.cleaners: dict[str, Cleaner] = {}
        self.finding_seconds: dict[str, float] = {}

    def all(self, fresh: bool) -> Results:
        experiment = self.experiment
        scored = score_experiment(experiment, self.folders.results, fresh, self.say)
        inputs, plan, scores = scored.inputs, scored.plan, scored.report
        self._find_cutoffs()
        self.say(f"indexing and searching {len(experiment.variants)} variants of {scores.documents} pages")
        runs = []
        for variant in progress(experiment.variants, "variants", len(experiment.variants), "variants"):
            index = self._index(variant, plan, scores)
            for model in experiment.retrieval:
                runs.append(self._search(variant, model, index, inputs.topics))
                if inputs.held_out:
                    runs.append(self._search(variant, model, index, inputs.held_out, held_out=True))
        outcome = replace(
            assemble(experiment, inputs, scores, runs, self.folders.scores, self.meter),
            key=evidence_key(experiment, scored),
        )
        write_manifest(self.folders.results, experiment, inputs, scores, runs, self.machine, self.meter)
        write_run_metadata(experiment, inputs, scores, runs, outcome, self.machine)
        write_all(outcome, self.folders.results, *last_choice(self.folders.results, outcome.key))
        return outcome

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
                begin = perf_counter()
                resolved_cuts |= {
                    cut.name: cut for cut in resolved(self.folders.scores, Cleaner(tuple(cuts.values()))).cuts
                }
                self.finding_seconds[scorer.canonical_name] = perf_counter() - begin
        self.cleaners = {
            variant.name: Cleaner(tuple(resolved_cuts.get(cut.name, cut) for cut in variant.cleaner.cuts))
            for variant in variants
        }

    def _index(self, variant: Variant, plan: ScorePlan, scores: ScoreReport) -> IndexRecord:
        options = self.experiment.index
        cleaner = self.cleaners[variant.name]
        key = index_key(plan, scores, cleaner, options)
        path = self.folders.stage(f"index-{variant.folder}")
        folder = self.folders.indexes / variant.folder
        record = finished(INDEXES, path, key)
        if record is not None and folder.is_dir():
            return record
        self._warm_up(options)
        cutting = _Cutting(self.folders.scores, cleaner)
        with (
            Progress(f"indexing {variant.name}", scores.documents, "pages") as bar,
            self.meter.stage() as work,
        ):
            report = build_index(((doc.id, doc.text) for doc in cutting.documents(bar)), folder, options)
        if report.documents + report.empty + scores.failed != scores.documents:
            raise StateError(
                f"the counts do not add up: {scores.documents} pages, {report.documents} indexed, {report.empty} emptied, "
                f"{scores.failed} failed",
                f"delete {self.folders.scores} and run again",
                str(folder),
            )
        # Reading the scores and cutting is cleaning, not indexing; it is done in between. Naming languages is neither.
        cost = work.cost
        wall_seconds = max(cost.wall - cutting.seconds - cutting.naming_seconds, 0.0)
        cpu_seconds = max(cost.cpu - cutting.seconds - cutting.naming_seconds, 0.0)
        waited_for = {cut.scorer.canonical_name for cut in cleaner.cuts if cut.percentile}
        record = IndexRecord(
            key=key,
            indexed=report.documents,
            emptied=report.empty,
            words=cutting.words,
            bytes=report.bytes,
            bytes_by_type=report.bytes_by_type,
            cut_seconds=cutting.seconds + sum(self.finding_seconds[scorer] for scorer in waited_for),
            cost=Cost(wall_seconds, cpu_seconds, cost.peak, self.meter.part(cost, wall_seconds)),
            cutoffs=cleaner.resolved_cutoffs,
            emptied_languages=by_count(cutting.emptied),
        )
        INDEXES.write(path, record)
        return record

    def _search(
        self,
        variant: Variant,
        model: RetrievalModel,
        index: IndexRecord,
        topics: TopicSet,
        held_out: bool = False,
    ) -> VariantRun:
        experiment = self.experiment
        path = self.folders.run(variant, model, len(experiment.retrieval) == 1, held_out)
        key = stage_key(
            index=index.key,
            model=model.name,
            depth=experiment.depth,
            topics=topics.digests["topics"],
            field=topics.source.field,
        )
        done = self.folders.stage(f"search-{path.stem}")
        record = finished(SEARCHES, done, key)
        if record is None or not path.exists():
            record = self._searched(variant, model, topics, path, key)
            SEARCHES.write(done, record)
        return VariantRun(variant, model, path, index, record, held_out)

    def _searched(
        self, variant: Variant, model: RetrievalModel, topics: TopicSet, path: Path, key: str
    ) -> SearchRecord:
        queries = [(topic.id, topic.query) for topic in topics.topics.values()]
        with Searcher(self.folders.indexes / variant.folder, model, self.experiment.depth) as searcher:
            searcher.search_topics(queries, warm_up=0 if self.searching_is_warm else _WARM_UP_SEARCHES)
            self.searching_is_warm = True
            with self.meter.stage() as work:
                report = searcher.search_topics(queries, warm_up=0)
        write_run(path, report.hits, variant.name)
        latencies = tuple(round(latency, 4) for latency in report.latencies_ms)
        return SearchRecord(key, latencies, replace(work.cost, wall=report.total_seconds))

    def _warm_up(self, options: IndexOptions) -> None:
        if self.indexing_is_warm:
            return
        self.indexing_is_warm = True
        documents = itertools.islice(cleaned_documents(self.folders.scores, Cleaner()), _WARM_UP_DOCUMENTS)
        with tempfile.TemporaryDirectory(prefix="thresher-") as folder:
            build_index(((doc.id, doc.text) for doc in documents), Path(folder) / "warm-up", options)


class _Cutting:
    """Cleaned documents of a store, with the time that reading and cutting took, the words that were kept, and those emptied.

    `emptied` counts what is not indexed by language, for which `naming_seconds` were needed.
    """

    def __init__(self, folder: Path, cleaner: Cleaner) -> None:
        self._source = cleaned_documents(folder, cleaner)
        self.seconds = self.naming_seconds = 0.0
        self.words = 0
        self.emptied: Counter[str] = Counter()

    def documents(self, bar: Progress) -> Iterator[CleanedDocument]:
        while True:
            begin = perf_counter()
            document = next(self._source, None)
            self.seconds += perf_counter() - begin
            if document is None:
                return
            self.words += document.words
            if is_blank(document.text):
                begin = perf_counter()
                self.emptied[language_of_emptied(document)] += 1
                self.naming_seconds += perf_counter() - begin
            bar.advance()
            yield document
