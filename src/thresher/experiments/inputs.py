"""What an experiment reads, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thresher.collections import Collection, open_collection
from thresher.collections.pydoc import generate
from thresher.errors import InputError
from thresher.experiments.config import Experiment
from thresher.experiments.topic_sets import TopicSet, read_topic_set, same_queries
from thresher.pruning.failures import failures
from thresher.pruning.score_pass import ScoreReport
from thresher.pruning.store import first_document, missing_documents


@dataclass(frozen=True)
class Inputs:
    """Collection, topics, and the topics that are held out. `digests` are of all of them, by name."""

    collection: Collection
    topics: TopicSet
    held_out: TopicSet | None
    notices: tuple[str, ...]
    digests: Mapping[str, str]


def read_inputs(experiment: Experiment) -> Inputs:
    """Read topics and qrels, and open the collection (making it first if the experiment says so and it is not there).

    Raises:
        InputError: if any of them is missing, broken, or does not belong with the others.
    """
    topics = read_topic_set(experiment.topics)
    held_out = read_topic_set(experiment.held_out) if experiment.held_out else None
    notices = list(topics.notices)
    digests = dict(topics.digests)
    if held_out:
        notices += [f"held-out topics: {notice}" for notice in held_out.notices]
        if shared := same_queries(topics, held_out):
            notices.append(f"held-out topics with the query of a topic that cutoffs are chosen on: {', '.join(shared)}")
        digests |= {f"held-out {name}": value for name, value in held_out.digests.items()}
    place = experiment.collection
    if experiment.generate and isinstance(place, Path) and not place.exists():
        report = generate(place)
        if report.skipped:
            notices.append(f"{len(report.skipped)} modules of the standard library cannot be imported here")
    collection = open_collection(Path(str(place)), experiment.reading, experiment.format)
    return Inputs(collection, topics, held_out, tuple(notices), {"collection": collection.fingerprint(), **digests})


def check_scored(inputs: Inputs, scores: ScoreReport, store: Path) -> None:
    """Check, before the long work, that the scored collection is of use.

    Raises:
        InputError: if no page has text, or no judged document is in the collection.
    """
    if not scores.scored:
        first = next(failures(store), None)
        reasons = f", the first is {first.name}: {first.reason}" if first else ""
        raise InputError(
            f"none of its {scores.documents} pages has text ({scores.emptied} without text, {scores.failed} failed{reasons})",
            "check that they are HTML pages",
            str(inputs.collection.path),
        )
    for topics, which in ((inputs.topics, ""), (inputs.held_out, "held-out ")):
        if topics is not None and len(missing_documents(store, topics.judged)) == len(topics.judged):
            known, judged = first_document(store), min(topics.judged)
            raise InputError(
                f"no judged document is in the collection (its first id is {known}, that of the {which}qrels {judged})",
                "make the ids those of the qrels with the keys `ids`, `prefix`, `keep_suffix`, `id_pattern` of [collection]",
                str(inputs.collection.path),
            )
