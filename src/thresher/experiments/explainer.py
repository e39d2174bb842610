"""Explains a finished experiment: why topics won or lost with a variant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from thresher.base.errors import ConfigError, StateError, ThresherError
from thresher.base.locks import exclusive
from thresher.base.progress import progress
from thresher.evaluation.trec_files import read_run
from thresher.experiments import stages
from thresher.experiments.announcements import Announce, Announcement, Step, ignore_announcement
from thresher.experiments.chooser import check_key, last_choice
from thresher.experiments.choosing.choices import read_choice
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.explaining.explanations import Explanation, Reason, TopicExplanation
from thresher.experiments.explaining.removed_passages import CutPage, cut_page, with_weights
from thresher.experiments.explaining.shares import loss_of
from thresher.experiments.explaining.topic_explaining import Comparison, TopicRuns, needed_pages
from thresher.experiments.inputs import Folders, Scored, score_experiment
from thresher.experiments.results import RESULTS_FILE, Results, read_results
from thresher.experiments.shell_commands import command_of
from thresher.experiments.table import Variant
from thresher.experiments.variants import folder_name
from thresher.indexes.analysis import RetrievalModel, analyse
from thresher.indexes.jvm import check_installed
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.score_inputs import ScoredIndex
from thresher.scores.cutting import cleaned_documents
from thresher.scores.percentiles import resolved
from thresher.scores.removed import explained_pages
from thresher.scores.store import written_shards
from thresher.scores.weighting import weighted_store

Run = Mapping[str, Mapping[str, float]]
"""Scores by topic and document."""
_SAME = 1e-9
"""Values of a measure that differ by less are equal."""
_NOT_RUN = "the experiment was not run yet: there are neither runs nor indexes"
_NEAREST_NAMES = 3
"""The most names that an error suggests."""
_INDEXES = Path("indexes")
"""The folder of indexes that verbs write to and read, unless another is named."""
_MOST_OVERTAKERS = 5
"""The most overtakers of a document that are listed if all topics are explained: a full list would fill most of the
record.
"""


@dataclass(frozen=True)
class ExplainOptions:
    """The topics, the variant and the documents to explain.

    Args:
        topic: the topic; None for all topics.
        variant: the variant; None for the recommended one, or else for the largest change of the main measure.
        document: a document of the topic; None for all judged documents that rose or fell.
        retrieval: the retrieval model; None for the experiment's first.
    """

    topic: str | None = None
    variant: str | None = None
    document: str | None = None
    retrieval: str | None = None

    def __post_init__(self) -> None:
        """Check that a document has its topic."""
        if self.document is not None and self.topic is None:
            raise ConfigError("a document is explained for a topic", "name the topic too", "--document")


def experiment_of(folder: Path, file: Path | None = None) -> Experiment:
    """Return the experiment whose results are in a folder.

    Args:
        folder: the results of the experiment.
        file: the experiment file; None to read it at its path when it was run.
    """
    if not (folder / RESULTS_FILE).exists():
        raise StateError("there are no results", "name the folder of a finished run: results/NAME", str(folder))
    read_results(folder)  # refuses results of other versions before it asks for the experiment file
    return load_experiment(file or experiment_file(folder))


def experiment_file(folder: Path) -> Path:
    """Return the experiment file of results, at its path when it was run.

    Raises:
        StateError: if the path is unknown, or no file is there.
    """
    manifest = folder / "manifest.json"
    try:
        path: str = json.loads(manifest.read_text(encoding="utf-8"))["config"]["path"]
        file = (folder / path).resolve()
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not manifest.exists():
            choice = read_choice(folder)
            command = choice.check if choice else "thresher run FILE"
            raise StateError(_NOT_RUN, f"run `{command}`", str(folder)) from error
        fix = "name the experiment file with --experiment"
        raise StateError("the manifest does not name the experiment file", fix, str(manifest)) from error
    if not file.is_file():
        what = f"the experiment file {file.name} is not where it was when it was run"
        raise StateError(what, "name it with --experiment", str(folder))
    return file


def explain_experiment(
    experiment: Experiment,
    folder: Path,
    indexes: Path = _INDEXES,
    options: ExplainOptions = ExplainOptions(),
    announce: Announce = ignore_announcement,
) -> Explanation:
    """Explain one topic of a finished experiment, or all.

    Args:
        experiment: the experiment that was run.
        folder: the folder of its results.
        indexes: the folder with `<experiment>/<variant>/`. If the default folder has no index of the experiment, the
            folder `indexes` beside the results is read, if it has some.
        options: the topics, the variant and the documents to explain.
        announce: called with each step that begins.

    Raises:
        ConfigError: if the topic, variant, document or retrieval model does not exist.
        StateError: if scores, runs or indexes are missing, damaged or of another configuration.
    """
    check_installed()
    if not written_shards(folder / "scores"):
        raise StateError("the stored scores are missing", _run_again(experiment, folder), str(folder / "scores"))
    with exclusive(folder):
        results = read_results(folder)
        if not results.was_run:
            raise StateError(_NOT_RUN, f"run `{command_of('run', experiment, folder)}`", str(folder))
        scored = score_experiment(experiment, folder, False, announce)
        check_key(results.facts.key, stages.evidence_key(experiment, scored), experiment, folder / RESULTS_FILE, "run")
        folders = Folders(folder, _indexes_of(experiment, folder, indexes))
        return _Explainer(experiment, folders, results, scored, options).explain(announce)


def _indexes_of(experiment: Experiment, folder: Path, indexes: Path) -> Path:
    """Return the folder of an experiment's indexes, in `indexes` or, by default, beside its results."""
    named = indexes / experiment.name
    beside = folder.parent.parent / _INDEXES / experiment.name
    if indexes == _INDEXES and not named.exists() and beside.exists():
        return beside
    return named


def _run_again(experiment: Experiment, folder: Path) -> str:
    return f"run the experiment again: `{command_of('run', experiment, folder)}`"


@dataclass(frozen=True)
class _ExplainedVariant:
    """The variant to explain: its row in the table, and the reason for its selection."""

    row: int
    reason: Reason


class _Explainer:
    """Explains a variant against the baseline."""

    def __init__(
        self, experiment: Experiment, folders: Folders, results: Results, scored: Scored, options: ExplainOptions
    ) -> None:
        self.experiment = experiment
        self.folders = folders
        self.results = results
        self.scored = scored
        self.options = options
        self.run_again = _run_again(experiment, folders.results)
        self.model = self._model()
        self.table = results.table(self.model.name)
        self.variant = self._variant()
        self.name = self.table.rows[self.variant.row].name
        treatment = self.table.rows[self.variant.row].variant.treatment
        self.treatment = replace(treatment, cleaner=resolved(scored.store, treatment.cleaner))
        self.topics = scored.inputs.topics

    def explain(self, announce: Announce) -> Explanation:
        topics = self._topics()
        index_before = self._index(Treatment())
        index_after = self._index(self.treatment)
        run_before = self._run(Treatment())
        run_after = self._run(self.treatment)
        all_topics = self.options.topic is None
        with ExitStack() as stack:
            before = stack.enter_context(ScoredIndex(index_before, self.model.exact))
            after = stack.enter_context(ScoredIndex(index_after, self.model.exact))
            # Another experiment of this name may have replaced an index before both were open.
            self._index(Treatment())
            self._index(self.treatment)
            runs = [self._topic_runs(topic, before, run_before, run_after) for topic in topics]
            announce(Announcement(Step.READING_TOPICS, {"topics": len(runs)}))
            pages = self._pages(runs, after)
            announce(Announcement(Step.EXPLAINING, {"variant": self.name, "baseline": self.table.baseline.name}))
            comparison = Comparison(
                model=self.model,
                before=before,
                after=after,
                treatment=self.treatment,
                measures=self.results.measures,
                main=self.table.main,
                most_overtakers=_MOST_OVERTAKERS if all_topics else None,
            )
            explained: list[TopicExplanation] = []
            for run in progress(runs, "topics", len(runs), "topics"):
                explained.append(comparison.explain(run, pages))
        self._check_values(explained)
        return Explanation(
            experiment=self.results.facts.experiment,
            variant=self.name,
            retrieval=self.model.name,
            measure=self.table.main,
            reason=self.variant.reason,
            built=len(self._built()),
            depth=self.experiment.retrieval.depth,
            topics=tuple(explained),
            loss=loss_of(explained) if all_topics else None,
        )

    def _model(self) -> RetrievalModel:
        retrieval = self.experiment.retrieval
        if self.options.retrieval is None:
            return retrieval.models[0]
        for model in retrieval.models:
            if model.name == self.options.retrieval:
                return model
        raise _missing("retrieval model", self.options.retrieval, retrieval.names, "--model")

    def _built(self) -> dict[str, int]:
        """Return the rows of the variants that were built, by name, without the baseline."""
        built: dict[str, int] = {}
        for row in self.table.built:
            if row:
                built[self.table.rows[row].name] = row
        return built

    def _variant(self) -> _ExplainedVariant:
        built = self._built()
        if self.options.variant is not None:
            if self.options.variant not in built:
                raise _missing("variant", self.options.variant, built, "--variant")
            return _ExplainedVariant(built[self.options.variant], Reason.NAMED)
        choice = last_choice(self.folders.results, self.results.facts.key)
        model = choice.of(self.model.name) if choice else None
        if choice and model and model.first:
            if model.first.variant not in built:
                fix = f"run `{choice.check}`, or name another with --variant"
                raise StateError(f"the recommended {model.first.variant} was not built", fix, self.experiment.name)
            return _ExplainedVariant(built[model.first.variant], Reason.RECOMMENDED)
        if not built:
            fix = f"add a sweep to the experiment, and run `{command_of('run', self.experiment, self.folders.results)}`"
            raise StateError("nothing but the baseline was run", fix, self.experiment.name)
        means = self.table.mean(self.table.main)
        largest = max(built.values(), key=lambda row: abs(means[row] - means[0]))
        return _ExplainedVariant(largest, Reason.LARGEST_CHANGE)

    def _topics(self) -> tuple[str, ...]:
        if self.options.topic is None:
            return self.topics.ids
        if self.options.topic not in self.topics.ids:
            raise _missing("topic", self.options.topic, self.topics.ids, "TOPIC")
        return (self.options.topic,)

    def _index(self, treatment: Treatment) -> Path:
        """Return the folder of the index of a treatment, after checks that it is whole and of this experiment."""
        variant = Variant(treatment)
        folder = self.folders.indexes / folder_name(variant)
        path = self.folders.stage(f"index-{folder_name(variant)}")
        key = self._index_key(treatment)
        if stages.finished(stages.INDEXES, path, key) is None:
            what = f"the record of the index of {variant.name} is missing or of another configuration"
            raise StateError(what, self.run_again, str(path))
        if not folder.is_dir():
            fix = f"name the folder of indexes with --indexes, or {self.run_again}"
            raise StateError(f"there is no index of {variant.name}", fix, str(folder))
        if stages.finished_index(path, key, folder) is None:
            what = f"the index of {variant.name} is damaged or of another experiment"
            raise StateError(what, self.run_again, str(folder))
        return folder

    def _index_key(self, treatment: Treatment) -> str:
        experiment = self.experiment
        origin = stages.index_origin(self.scored, treatment, experiment.index, experiment.pruning.original_statistics)
        return origin.key

    def _run(self, treatment: Treatment) -> Run:
        variant = Variant(treatment)
        path = self.folders.run(variant, self.model, len(self.experiment.retrieval.models) == 1, False)
        if not path.exists():
            raise StateError(f"there is no run of {variant.name}", self.run_again, str(path))
        key = stages.search_key(self._index_key(treatment), self.model, self.experiment.retrieval.depth, self.topics)
        if stages.finished_run(self.folders.stage(f"search-{path.stem}"), key, path) is None:
            raise StateError(f"the run of {variant.name} is not the run of its search", self.run_again, str(path))
        return read_run(path)

    def _topic_runs(self, topic: str, index: ScoredIndex, before: Run, after: Run) -> TopicRuns:
        query = self.topics.topics[topic].query
        scores_before = before.get(topic, {})
        scores_after = after.get(topic, {})
        document = self.options.document
        retrieved = scores_before.keys() | scores_after.keys()
        if document is not None and document not in retrieved:
            raise _missing("document", document, retrieved, f"topic {topic}", "retrieved by either run")
        return TopicRuns(
            topic=topic,
            query=query,
            terms=Counter(analyse(index.analyzer, query)),
            qrels=self.topics.qrels[topic],
            before=scores_before,
            after=scores_after,
            document=document,
        )

    def _pages(self, runs: Iterable[TopicRuns], index: ScoredIndex) -> dict[str, CutPage]:
        documents: set[str] = set()
        terms: set[str] = set()
        for run in runs:
            documents |= needed_pages(run, self.treatment)
            terms.update(run.terms)
        pages = explained_pages(self.scored.store, self.treatment.cleaner, documents)
        by_id = {page.id: cut_page(page, index.analyzer, terms) for page in pages}
        if self.treatment.weights is None:
            return by_id
        store = weighted_store(self.scored.store, self.treatment.weights)
        return with_weights(by_id, cleaned_documents(store, self.treatment.cleaner), index.analyzer, terms)

    def _check_values(self, topics: Iterable[TopicExplanation]) -> None:
        for topic in topics:
            self._check_value(topic, 0, topic.before)
            self._check_value(topic, self.variant.row, topic.after)

    def _check_value(self, topic: TopicExplanation, row: int, values: Mapping[str, float]) -> None:
        main = self.table.main
        column = self.table.topics.index(topic.topic)
        if abs(self.table.of(main)[row, column] - values[main]) > _SAME:
            raise StateError(
                f"the run of {self.table.rows[row].name} is not the one in results.json: topic {topic.topic} differs",
                self.run_again,
                str(self.folders.results),
            )


def _missing(kind: str, name: str, names: Collection[str], where: str, lacks: str = "") -> ThresherError:
    """Return the error for a missing name, with the nearest names; `lacks` is the property that the name lacks, if any."""
    nearest = get_close_matches(name, names, _NEAREST_NAMES) or sorted(names)[:_NEAREST_NAMES]
    fix = "choose another"
    if len(nearest) == 1:
        fix = f"use {nearest[0]}"
    elif nearest:
        more = ", …" if len(nearest) < len(names) else ""
        fix = f"use one of {', '.join(nearest)}{more}"
    what = f"the {kind} {name!r} was not {lacks}" if lacks else f"there is no {kind} {name!r}"
    return ConfigError(what, fix, where)
