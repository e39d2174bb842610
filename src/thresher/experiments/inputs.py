"""What an experiment reads, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thresher.collections import Collection, open_collection
from thresher.collections.pydoc import generate
from thresher.errors import InputError
from thresher.evaluation import Topic, read_qrels, read_topics, topic_set
from thresher.experiments.config import Experiment
from thresher.files import file_digest
from thresher.pruning.score_pass import ScoreReport
from thresher.pruning.store import document_ids, failed_pages


@dataclass(frozen=True)
class Inputs:
    """Collection, topics and qrels. `topic_ids` are the topics with a judgment, in order: those that are evaluated."""

    collection: Collection
    topics: Mapping[str, Topic]
    qrels: Mapping[str, Mapping[str, int]]
    topic_ids: tuple[str, ...]
    notices: tuple[str, ...]
    digests: Mapping[str, str]


def read_inputs(experiment: Experiment) -> Inputs:
    """Read topics and qrels, and open the collection (making it first if the experiment says so and it is not there).

    Raises:
        InputError: if any of them is missing, broken, or does not belong with the others.
    """
    topics = read_topics(experiment.topics, field=experiment.topic_field)
    qrels = read_qrels(experiment.qrels)
    topic_ids, notices = topic_set(topics, qrels)
    if experiment.generate and not experiment.collection.exists():
        report = generate(experiment.collection)
        if report.skipped:
            notices.append(f"{len(report.skipped)} modules of the standard library cannot be imported here")
    collection = open_collection(experiment.collection, experiment.ids, int(experiment.limits.mib * 2**20))
    return Inputs(
        collection,
        topics,
        qrels,
        tuple(topic_ids),
        tuple(notices),
        {
            "collection": collection.fingerprint(),
            "topics": file_digest(experiment.topics),
            "qrels": file_digest(experiment.qrels),
        },
    )


def check_scored(inputs: Inputs, scores: ScoreReport, store: Path) -> None:
    """Check, before the long work, that the scored collection is of use.

    Raises:
        InputError: if no page has text, or no judged document is in the collection.
    """
    if not scores.scored:
        reasons = ", the first is " + ": ".join(next(failed_pages(store))) if scores.failed else ""
        raise InputError(
            f"none of its {scores.documents} pages has text ({scores.emptied} without text, {scores.failed} failed{reasons})",
            "check that they are HTML pages",
            str(inputs.collection.path),
        )
    known = document_ids(store)
    judged = {document for topic in inputs.topic_ids for document in inputs.qrels[topic]}
    if not known & judged:
        raise InputError(
            f"no judged document is in the collection (its first id is {min(known)}, that of the qrels {min(judged)})",
            "make the ids those of the qrels with the keys `ids`, `prefix`, `keep_suffix`, `id_pattern` of [collection]",
            str(inputs.collection.path),
        )
