"""Values of measures for each topic of a run, and the topics that are evaluated.

Negative grades are not relevant and gain nothing. Beyond that, `Bpref` and `judged_only` pass over documents with a negative
grade as if they were not judged, `infAP` takes them for pooled but not judged, and `Judged@k` counts them as judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from thresher.base.errors import InputError
from thresher.evaluation.measures import FURTHER, installed_providers, parse_measure, with_gains
from thresher.evaluation.topics import About, Notice, Topic, notice

if TYPE_CHECKING:
    from ir_measures import Measure

Qrels = Mapping[str, Mapping[str, int]]
"""Grades by topic and document."""
Run = Mapping[str, Mapping[str, float]]
"""Scores by topic and document."""
MAX_GRADE_OF_ERR = 4
"""The largest grade that gdeval knows."""
_IDS_SHOWN = 5


@dataclass(frozen=True)
class JudgedTopics:
    """Topics with their qrels.

    Args:
        topics: by id; all of them are searched.
        qrels: grade by document by topic.
        ids: the topics with a judgment, in order, which are evaluated.
    """

    topics: Mapping[str, Topic]
    qrels: Qrels
    ids: tuple[str, ...]

    @property
    def judged(self) -> set[str]:
        """The documents judged for any of the topics that are evaluated."""
        documents: set[str] = set()
        for topic in self.ids:
            documents.update(self.qrels[topic])
        return documents


def evaluate(
    qrels: Qrels, run: Run, measures: Sequence[str | Measure], topics: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Evaluate a run over an explicit set of topics.

    Documents are ordered as trec_eval orders them: by score in single precision, equal scores by document id,
    descending. A topic of which nothing was retrieved, or that has no relevant document, has the value 0.

    `nDCG(dcg='exp-log2')` has the gains 2^grade - 1 (0 for negative grades) over log2(rank + 1), Eq. 6 of the
    PyPlexity paper (Burges et al. 2005); it is trec_eval's nDCG with these gains instead of the grades.

    Args:
        qrels: grade by document by topic.
        run: score by document by topic.
        measures: names that `parse_measure` takes.
        topics: the topics to give values for; nothing else of `qrels` and `run` is looked at.

    Returns:
        Value by topic (in the order of `topics`) by canonical name of the measure; finite, in [0, 1].
    """
    judged = {topic: dict(qrels[topic]) for topic in topics if qrels.get(topic)}
    ranked = {topic: _without_ties(run[topic]) for topic in topics if topic in judged and run.get(topic)}
    values_by_measure: dict[str, dict[str, float]] = {}
    for name in measures:
        # One measure at a time: ir-measures lets measures of one call share the mapped gains of another.
        measure = parse_measure(name)
        values = _values(measure, judged, ranked)
        values_by_measure[str(measure)] = {topic: values.get(topic, 0.0) for topic in topics}
    return values_by_measure


def topic_set(topics: Mapping[str, Topic], qrels: Qrels, where: str | None = None) -> tuple[list[str], list[Notice]]:
    """Return the topics to evaluate: those with a judgment.

    Args:
        topics: the topics by id.
        qrels: grade by document by topic.
        where: the qrels' name in errors.

    Returns:
        The ids in the order of `topics`; and notices about topics without judgments, topics without a relevant document,
        and judgments without a topic.

    Raises:
        InputError: if no topic has judgments.
    """
    judged = [topic for topic in topics if qrels.get(topic)]
    if not judged:
        raise InputError(
            f"no topic has judgments (topics: {_first_ids(topics)}; qrels: {_first_ids(qrels)})",
            "use topics and qrels that belong together",
            where,
        )
    about = {
        About.UNJUDGED: [topic for topic in topics if not qrels.get(topic)],
        About.IRRELEVANT: [topic for topic in judged if max(qrels[topic].values()) <= 0],
        About.UNKNOWN: [topic for topic in qrels if topic not in topics],
    }
    return judged, [notice(subject, ids) for subject, ids in about.items() if ids]


def check_overlap(run: Run, qrels: Qrels, topics: Sequence[str], where: str | None = None) -> None:
    """Check that at least one judged document is retrieved for one of the topics.

    Args:
        run: score by document by topic.
        qrels: grade by document by topic.
        topics: the topics that are looked at.
        where: the run's name in errors.

    Raises:
        InputError: if none is; it names ids of both sides.
    """
    if not any(run.values()):
        fix = "check that it was written to its end, and that topics and pages are in one language"
        raise InputError("nothing was retrieved for any topic: the run is empty", fix, where)
    for topic in topics:
        if not run.get(topic, {}).keys().isdisjoint(qrels.get(topic, {})):
            return
    judged_topics = [topic for topic in topics if qrels.get(topic)]
    if not any(topic in run for topic in judged_topics):
        raise InputError(
            f"no topic of the run ({_first_ids(run)}) is among the judged ones ({_first_ids(judged_topics)})",
            "check that run and qrels use the same topic ids",
            where,
        )
    raise InputError(
        "no judged document was retrieved for any topic (the first id in the run is "
        f"{_first_document(run, topics)}, in the qrels {_first_document(qrels, topics)})",
        "check that collection and qrels use the same document ids",
        where,
    )


def _values(measure: Measure, judged: Qrels, ranked: Run) -> dict[str, float]:
    """Return the values of topics that have some; all others have 0."""
    computed = _with_something_to_find(measure, judged)
    if measure.NAME in FURTHER:
        computed = _without_negative(measure, computed)
    retrieved = {topic: ranked[topic] for topic in computed if topic in ranked}
    if not retrieved:
        return {}
    effective = with_gains(measure, judged)
    for provider in installed_providers():
        if provider.supports(effective):
            evaluator = provider.evaluator([effective], computed)
            return {metric.query_id: float(metric.value) for metric in evaluator.iter_calc(retrieved)}
    raise AssertionError(f"{measure} was parsed, but no provider computes it")


def _without_negative(measure: Measure, judged: Qrels) -> dict[str, Mapping[str, int]]:
    """Return judgments with 0 for negative grades, from which other programs would take negative gains."""
    most = max((grade for grades in judged.values() for grade in grades.values()), default=0)
    if measure.NAME == "ERR" and most > MAX_GRADE_OF_ERR:
        raise InputError(
            f"the qrels have the grade {most}, too large for ERR by gdeval",
            f"use grades up to {MAX_GRADE_OF_ERR} or another measure, nDCG@10",
        )
    return {topic: {name: max(grade, 0) for name, grade in grades.items()} for topic, grades in judged.items()}


def _with_something_to_find(measure: Measure, qrels: Qrels) -> dict[str, Mapping[str, int]]:
    """Leave out the topics whose value is 0 because no document is relevant.

    Not only to save time: trec_eval's library writes beyond its memory for topics whose grades are all
    negative, and reads beyond it where `rel` exceeds all grades.
    """
    if measure.NAME == "Judged":
        return dict(qrels)
    least = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1
    return {topic: judged for topic, judged in qrels.items() if max(judged.values()) >= least}


def _without_ties(documents: Mapping[str, float]) -> dict[str, float]:
    """Replace scores by ones without ties, in trec_eval's order: every provider sees the same ranking."""
    # A score beyond single precision is infinite.
    with np.errstate(over="ignore"):
        scores = {document: float(np.float32(score)) for document, score in documents.items()}
    order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
    return {document: float(len(order) - rank) for rank, document in enumerate(order)}


def _first_ids(ids: Iterable[str]) -> str:
    shown = [*islice(ids, _IDS_SHOWN + 1)]
    end = ", …" if len(shown) > _IDS_SHOWN else ""
    return ", ".join(shown[:_IDS_SHOWN]) + end


def _first_document(documents: Mapping[str, Mapping[str, object]], topics: Sequence[str]) -> str:
    for topic in topics:
        for document in documents.get(topic, {}):
            return document
    return "missing"
