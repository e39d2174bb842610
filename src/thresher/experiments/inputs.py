"""The inputs of an experiment: topics, qrels and collection, and the collection's scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from thresher.base.errors import ConfigError, InputError
from thresher.base.files import digest, file_digest, real_path, safe_name
from thresher.cleaners.scorer import input_names
from thresher.cleaners.scorers.extractor import FileText
from thresher.collections import Collection
from thresher.collections.file_collection import Files
from thresher.evaluation.evaluating import JudgedTopics, topic_set
from thresher.evaluation.topics import About, Notice, notice, read_catalogue_topics, read_topics, spelled_as
from thresher.evaluation.trec_files import read_catalogue_qrels, read_qrels
from thresher.experiments.announcements import Announce, Announcement, Step
from thresher.experiments.config import Experiment
from thresher.experiments.locations import CatalogueId, Location, TopicSource
from thresher.experiments.table import Variant
from thresher.experiments.variants import folder_name
from thresher.indexes.analysis import RetrievalModel
from thresher.scores.lost_pages import failures, write_failures
from thresher.scores.score_pass import ScorePlan, ScoreReport, score_collection
from thresher.scores.sites import read_link_report
from thresher.scores.store import first_document, missing_documents

FAILURES_FILE = "failures.jsonl"
"""The list of pages that failed, in the folder of results."""


@dataclass(frozen=True)
class TopicSet(JudgedTopics):
    """The topics and qrels of an experiment, as they were read.

    Args:
        notices: notices on topics and judgments that do not belong together.
        source: the files or datasets, and the field of the topics that is the query.
        digests: the digests of `topics` and `qrels`, by these names.
    """

    notices: tuple[Notice, ...]
    source: TopicSource
    digests: Mapping[str, str]


def read_topic_set(source: TopicSource) -> TopicSet:
    """Read topics and qrels."""
    if isinstance(source.file, CatalogueId):
        topics = read_catalogue_topics(source.file.id, source.field)
    else:
        topics = read_topics(source.file, field=source.field)
    if isinstance(source.qrels, CatalogueId):
        qrels = read_catalogue_qrels(source.qrels.id)
    else:
        qrels = read_qrels(source.qrels, source.column)
    topics = spelled_as(topics, qrels)
    checked = topic_set(topics, qrels, str(source.qrels))
    digests = {
        "topics": _digest(source.file, [[topic.id, topic.query] for topic in topics.values()]),
        "qrels": _digest(source.qrels, qrels),
    }
    return TopicSet(topics, qrels, tuple(checked.ids), tuple(checked.notices), source, digests)


def same_queries(topics: TopicSet, held_out: TopicSet) -> list[str]:
    """Return the held-out topics whose query is also a query of `topics`: the choice has seen their test."""
    seen = {topics.topics[topic].query.casefold() for topic in topics.ids}
    same: list[str] = []
    for topic in held_out.ids:
        if held_out.topics[topic].query.casefold() in seen:
            same.append(topic)
    return same


def _digest(location: Location, content: object) -> str:
    if isinstance(location, CatalogueId):
        return digest(content)
    return file_digest(location)


@dataclass(frozen=True)
class Inputs:
    """Collection, topics and held-out topics, with the digests of all of them by name."""

    collection: Collection
    topics: TopicSet
    held_out: TopicSet | None
    notices: tuple[Notice, ...]
    digests: Mapping[str, str]


def read_inputs(experiment: Experiment) -> Inputs:
    """Read topics and qrels, and open the collection."""
    topics = read_topic_set(experiment.topics)
    held_out = read_topic_set(experiment.held_out) if experiment.held_out else None
    notices = list(topics.notices)
    digests = dict(topics.digests)
    if held_out:
        for about_topics in held_out.notices:
            notices.append(replace(about_topics, held_out=True))
        shared = same_queries(topics, held_out)
        if shared:
            notices.append(notice(About.ASKED, shared, held_out=True))
        for name, value in held_out.digests.items():
            digests[f"held-out {name}"] = value
    collection = experiment.collection.open()
    digests = {"collection": collection.fingerprint(), **digests}
    return Inputs(collection, topics, held_out, tuple(notices), digests)


def check_scored(inputs: Inputs, scores: ScoreReport, store: Path) -> None:
    """Check, before the long work, that the scored collection is usable."""
    if not scores.scored:
        first = next(failures(store), None)
        reasons = ""
        if first:
            reasons = f", the first is {first.name}: {first.reason}"
        raise InputError(
            f"none of its {scores.documents} pages has text ({scores.emptied} without text, {scores.failed} failed{reasons})",
            "check that they are HTML pages",
            str(inputs.collection.path),
        )
    _check_ids(inputs, inputs.topics, store, "qrels")
    if inputs.held_out is not None:
        _check_ids(inputs, inputs.held_out, store, "held-out qrels")


def _check_ids(inputs: Inputs, topics: TopicSet, store: Path, qrels: str) -> None:
    """Check that a judged document is in the scored collection; `qrels` is the name of the judgments in errors."""
    if len(missing_documents(store, topics.judged)) < len(topics.judged):
        return
    first_id = first_document(store)
    judged_id = min(topics.judged)
    raise InputError(
        f"no judged document is in the collection (first id of the pages: {first_id}; of the {qrels}: {judged_id})",
        "make ids as in the qrels with the keys `ids`, `prefix`, `keep_suffix`, `id_pattern` of [collection]",
        str(inputs.collection.path),
    )


def check_apart(folder: Path, collection: Collection, option: str = "--results") -> None:
    """Check that the results are outside the collection: the next run would read them as pages."""
    if isinstance(collection, Files) and real_path(folder).is_relative_to(real_path(collection.path)):
        what = f"it is in the folder of the collection, {collection.path}, and would be read as a part of it"
        fix = f"name another with {option}, or move the collection into a folder of its own"
        raise ConfigError(what, fix, str(folder))


@dataclass(frozen=True)
class Scored:
    """A scored collection.

    Args:
        inputs: the inputs of the experiment.
        plan: the plan of the scoring.
        report: the report on the scoring.
        store: the score store.
        key: the key of the scores and of the content that was read.
    """

    inputs: Inputs
    plan: ScorePlan
    report: ScoreReport
    store: Path
    key: Mapping[str, Any]


def score_experiment(experiment: Experiment, folder: Path, fresh: bool, announce: Announce) -> Scored:
    """Read an experiment's inputs, score the pages that are not scored yet, and list the pages that failed.

    The folder of the experiment's results gets `scores/` and `failures.jsonl`. `fresh` drops scores of another configuration,
    which are refused otherwise; `announce` is called with each step that begins.
    """
    announce(Announcement(Step.READING, {"collection": str(experiment.collection.location)}))
    inputs = read_inputs(experiment)
    check_apart(folder, inputs.collection)
    plan = ScorePlan(inputs.collection, experiment.scorers, experiment.pages, experiment.collection.limits)
    if experiment.needs_links:
        plan = plan.with_links()
    names = ", ".join(scorer.canonical_name for scorer in experiment.scorers)
    announce(Announcement(Step.SCORING, {"scorers": names or "nothing"}))
    store = folder / "scores"
    report = score_collection(plan, store, experiment.backend, fresh)
    write_failures(store, folder / FAILURES_FILE, input_names(experiment.scorers))
    check_scored(inputs, report, store)
    notices = list(inputs.notices)
    notices.extend(text_notices(experiment, store))
    notices.extend(link_notices(store))
    inputs = replace(inputs, notices=tuple(notices))
    key = asdict(plan.key())
    if report.content:
        key["content"] = report.content
    return Scored(inputs, plan, report, store, key)


def text_notices(experiment: Experiment, store: Path) -> Iterator[Notice]:
    """Yield notices on files of other texts: pages without a text in the file, and texts that belong to no page."""
    texts_of_files: dict[str, FileText] = {}
    for scorer in experiment.scorers:
        for text in scorer.required_texts:
            if isinstance(text, FileText):
                texts_of_files[text.canonical_name] = text
    for name, maker in sorted(texts_of_files.items()):
        ids_of_file = set(maker.by_id())
        without_page = missing_documents(store, ids_of_file)
        if len(without_page) == len(ids_of_file):
            fix = f"use the ids of the collection, such as {first_document(store)}"
            raise InputError("no text of the file belongs to a page", fix, str(maker.path))
        without_text = [f"{failure.id} ({name})" for failure in failures(store, name)]
        if without_text:
            yield notice(About.WITHOUT_TEXT, without_text)
        if without_page:
            yield notice(About.WITHOUT_PAGE, [f"{document} ({name})" for document in sorted(without_page)])


def link_notices(store: Path) -> Iterator[Notice]:
    """Yield a notice if no page of a store whose links were gathered links to another one."""
    links = read_link_report(store)
    if links is not None and not links.targets:
        yield notice(About.UNLINKED)


@dataclass(frozen=True)
class Folders:
    """The folders of an experiment's results and indexes."""

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
        """The run file of a variant; its name has the retrieval model if there are several, and `held-out`."""
        name = folder_name(variant)
        if not only_model:
            name += f".{safe_name(model.name)}"
        if held_out:
            name += ".held-out"
        return self.results / "runs" / f"{name}.trec"
