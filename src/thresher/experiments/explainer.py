"""Explains a finished experiment: why topics won or lost with a variant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from thresher.base.errors import ConfigError, StateError, ThresherError
from thresher.base.locks import exclusive
from thresher.base.progress import progress
from thresher.evaluation import read_run
from thresher.experiments import stages
from thresher.experiments.chooser import check_key, command_of, last_choice
from thresher.experiments.choosing.choices import read_choice
from thresher.experiments.config import Experiment, load_experiment
from thresher.experiments.explaining.causes import total_change
from thresher.experiments.explaining.explanations import Explanation, Named, TopicExplanation
from thresher.experiments.explaining.topic_explaining import CutPage, TopicRuns, cut_page, explain_topic, needed_pages
from thresher.experiments.inputs import Folders, Scored, TopicSet, score_experiment
from thresher.experiments.results import RESULTS_FILE, Results, read_results
from thresher.experiments.table import Variant
from thresher.experiments.variants import folder_name
from thresher.indexes.analysis import RetrievalModel, analyse
from thresher.indexes.jvm import check_installed
from thresher.indexes.pruning.treatments import Treatment
from thresher.indexes.score_inputs import ScoredIndex
from thresher.scores.percentiles import resolved
from thresher.scores.removed import explained_pages
from thresher.scores.store import shards

_SAME = 1e-9
_NEAR = 3
_LISTED = 5
"""Documents that overtook one, where all topics are explained: all of all would be by far the most of the record."""


@dataclass(frozen=True)
class Why:
    """The topic to explain (None for all), with a variant (None for the recommended one), a document, a retrieval model."""

    topic: str | None = None
    variant: str | None = None
    document: str | None = None
    retrieval: str | None = None


def experiment_of(folder: Path, file: Path | None = None) -> Experiment:
    """Return the experiment whose results are in a folder: its `file`, or None to look where it was when it was run."""
    if not (folder / RESULTS_FILE).exists():
        raise StateError("there are no results", "name the folder of a finished run: results/NAME", str(folder))
    if file is not None:
        return load_experiment(file)
    try:
        config = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["config"]
        name, path = config["file"], config.get("path", "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        choice = read_choice(folder)
        fix = f"run `{choice.check}`" if choice else "name the experiment file with --experiment"
        raise StateError("the manifest does not say what was run", fix, str(folder / "manifest.json")) from error
    # Results of versions that kept no path are mostly in `results/` beside the file.
    for candidate in ([folder / path] if path else []) + [folder / ".." / ".." / name, Path(name)]:
        if candidate.is_file():
            return load_experiment(candidate.resolve())
    fix = "name it with --experiment"
    raise StateError(f"the experiment file {name} is not where it was when it was run", fix, str(folder))


def explain_experiment(
    experiment: Experiment,
    folder: Path,
    indexes: Path = Path("indexes"),
    why: Why = Why(),
    say: Callable[[str], None] = lambda _: None,
) -> Explanation:
    """Explain one topic of a finished experiment, or all.

    `folder` has its results, `indexes` has `<experiment>/<variant>/`; `say` is called with a line for each stage that begins.
    """
    check_installed()
    if not shards(folder / "scores"):
        raise StateError("the stored scores are missing", _run_again(experiment, folder), str(folder / "scores"))
    with exclusive(folder):
        results = read_results(folder)
        scored = score_experiment(experiment, folder, False, say)
        check_key(results.facts.key, stages.evidence_key(experiment, scored), experiment, folder / RESULTS_FILE, "run")
        return _Explaining(experiment, Folders(folder, indexes / experiment.name), results, scored, why).all(say)


def _run_again(experiment: Experiment, folder: Path) -> str:
    return f"run the experiment again: `{command_of('run', experiment, folder)}`"


class _Explaining:
    """A variant against the baseline."""

    def __init__(self, experiment: Experiment, folders: Folders, results: Results, scored: Scored, why: Why) -> None:
        self.experiment, self.folders, self.results, self.scored, self.why = experiment, folders, results, scored, why
        self.again = _run_again(experiment, folders.results)
        self.model = self._model()
        self.table = results.table(self.model.name)
        self.main = self.table.main
        self.row, self.named = self._variant()
        treatment = self.table.rows[self.row].variant.treatment
        self.treatment = Treatment(resolved(scored.store, treatment.cleaner), treatment.pruning)
        self.topics: TopicSet = scored.inputs.topics

    def all(self, say: Callable[[str], None]) -> Explanation:
        ids = self._topics()
        both = (Treatment(), self.treatment)
        folders = [self._index(treatment) for treatment in both]
        before, after = (self._run(treatment) for treatment in both)
        with ExitStack() as stack:
            first, second = (stack.enter_context(ScoredIndex(index, self.model.exact)) for index in folders)
            # Another experiment of this name may have put its own in place before they were open.
            for treatment in both:
                self._index(treatment)
            every = [self._topic_runs(topic, first, before, after) for topic in ids]
            say(f"reading the pages of {len(every)} topics")
            pages = self._pages(every, second)
            say(f"explaining scores: {self.name} against {self.table.baseline.name}")
            explained = [
                explain_topic(
                    runs,
                    self.model,
                    first,
                    second,
                    pages,
                    self.treatment,
                    self.results.measures,
                    self.main,
                    _LISTED if self.why.topic is None else None,
                )
                for runs in progress(every, "topics", len(every), "topics")
            ]
        self._check_values(explained)
        whole = self.why.topic is None
        return Explanation(
            experiment=self.results.facts.experiment,
            variant=self.name,
            retrieval=self.model.name,
            measure=self.main,
            named=self.named,
            depth=self.experiment.depth,
            topics=tuple(explained),
            loss=total_change(explained, True) if whole else None,
            gain=total_change(explained, False) if whole else None,
        )

    def _model(self) -> RetrievalModel:
        models = {model.name: model for model in self.experiment.retrieval}
        if self.why.retrieval is None:
            return self.experiment.retrieval[0]
        if self.why.retrieval not in models:
            raise _missing("retrieval model", self.why.retrieval, models, "--model")
        return models[self.why.retrieval]

    @property
    def name(self) -> str:
        """The variant's canonical name."""
        return self.table.rows[self.row].name

    def _variant(self) -> tuple[int, tuple[Named, int]]:
        built = {self.table.rows[index].name: index for index in self.table.built if index}
        if self.why.variant is not None:
            if self.why.variant not in built:
                raise _missing("variant", self.why.variant, built, "--variant")
            return built[self.why.variant], (Named.ASKED, len(built))
        choice = last_choice(self.folders.results, self.results.facts.key)
        model = choice.of(self.model.name) if choice else None
        if choice and model and model.first:
            if model.first.variant not in built:
                fix = f"run `{choice.check}`, or name another with --variant"
                raise StateError(f"the recommended {model.first.variant} was not built", fix, self.experiment.name)
            return built[model.first.variant], (Named.RECOMMENDED, len(built))
        if not built:
            raise StateError("nothing but the baseline was run", "add a sweep to the experiment", self.experiment.name)
        means = self.table.mean(self.main)
        largest = max(built.values(), key=lambda index: abs(means[index] - means[0]))
        return largest, (Named.LARGEST_CHANGE, len(built))

    def _topics(self) -> tuple[str, ...]:
        if self.why.topic is None:
            return self.topics.ids
        if self.why.topic not in self.topics.ids:
            raise _missing("topic", self.why.topic, self.topics.ids, "TOPIC")
        return (self.why.topic,)

    def _index(self, treatment: Treatment) -> Path:
        variant = Variant(treatment)
        folder = self.folders.indexes / folder_name(variant)
        path, key = self.folders.stage(f"index-{folder_name(variant)}"), self._index_key(treatment)
        if stages.finished(stages.INDEXES, path, key) is None:
            what = f"the record of the index of {variant.name} is missing or of another configuration"
            raise StateError(what, self.again, str(path))
        if not folder.is_dir():
            fix = f"name the folder of indexes with --indexes, or {self.again}"
            raise StateError(f"the index of {variant.name} is not there", fix, str(folder))
        if stages.finished_index(path, key, folder) is None:
            raise StateError(
                f"the index of {variant.name} is damaged or of another experiment", self.again, str(folder)
            )
        return folder

    def _index_key(self, treatment: Treatment) -> str:
        return stages.index_origin(
            self.scored, treatment, self.experiment.index, self.experiment.original_statistics
        ).key

    def _run(self, treatment: Treatment) -> dict[str, dict[str, float]]:
        variant = Variant(treatment)
        path = self.folders.run(variant, self.model, len(self.experiment.retrieval) == 1, False)
        if not path.exists():
            raise StateError(f"the run of {variant.name} is not there", self.again, str(path))
        key = stages.search_key(self._index_key(treatment), self.model, self.experiment.depth, self.topics)
        if stages.finished_run(self.folders.stage(f"search-{path.stem}"), key, path) is None:
            raise StateError(f"the run of {variant.name} is not what was searched", self.again, str(path))
        return read_run(path)

    def _topic_runs(
        self,
        topic: str,
        index: ScoredIndex,
        before: Mapping[str, Mapping[str, float]],
        after: Mapping[str, Mapping[str, float]],
    ) -> TopicRuns:
        query, qrels = self.topics.topics[topic].query, self.topics.qrels[topic]
        runs = before.get(topic, {}), after.get(topic, {})
        asked = self.why.document
        if asked is not None and asked not in {**runs[0], **runs[1]}:
            raise _missing("document", asked, {**runs[0], **runs[1]}, f"topic {topic}", "retrieved by either run")
        return TopicRuns(topic, query, Counter(analyse(index.analyzer, query)), qrels, *runs, asked)

    def _pages(self, every: Iterable[TopicRuns], index: ScoredIndex) -> dict[str, CutPage]:
        wanted: set[str] = set()
        terms: set[str] = set()
        for runs in every:
            wanted |= needed_pages(runs, self.treatment)
            terms |= {*runs.terms}
        return {
            page.id: cut_page(page, index.analyzer, terms)
            for page in explained_pages(self.scored.store, self.treatment.cleaner, wanted)
        }

    def _check_values(self, explained: Iterable[TopicExplanation]) -> None:
        known, position = self.table.of(self.main), {topic: number for number, topic in enumerate(self.table.topics)}
        for topic in explained:
            for row, values in ((0, topic.before), (self.row, topic.after)):
                if abs(known[row, position[topic.topic]] - values[self.main]) > _SAME:
                    raise StateError(
                        f"the run of {self.table.rows[row].name} is not the one in results.json: topic {topic.topic} differs",
                        self.again,
                        str(self.folders.results),
                    )


def _missing(what: str, name: str, known: Collection[str], where: str, how: str = "") -> ThresherError:
    near = get_close_matches(name, known, _NEAR) or sorted(known)[:_NEAR]
    more = ", …" if 1 < len(near) < len(known) else ""
    fix = f"use {'one of ' if len(near) > 1 else ''}{', '.join(near)}{more}" if near else "choose another"
    problem = f"the {what} {name!r} was not {how}" if how else f"there is no {what} {name!r}"
    return ConfigError(problem, fix, where)
