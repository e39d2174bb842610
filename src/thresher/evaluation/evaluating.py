"""Values of measures for each topic of a run, and the topics that are evaluated.

Negative grades are not relevant and gain nothing. Beyond that, `Bpref` and `judged_only` pass over documents with a negative
grade as if they were not judged, `infAP` takes them for pooled but not judged, and `Judged@k` counts them as judged.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.base.errors import InputError
from thresher.base.letters import other_forms
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
    descending. A topic without a retrieved document or without a relevant document has the value 0.

    `nDCG(dcg='exp-log2')` has the gains 2^grade - 1 (0 for negative grades) over log2(rank + 1), Eq. 6 of the
    PyPlexity paper (Burges et al. 2005); it is trec_eval's nDCG with these gains instead of the grades.

    Args:
        qrels: grade by document by topic; a judged id that the run has only in NFC or NFD stands for the run's
            spelling.
        run: score by document by topic.
        measures: names that `parse_measure` takes.
        topics: the topics to give values for; the rest of `qrels` and `run` is ignored.

    Returns:
        Value by topic (in the order of `topics`) by canonical name of the measure; finite, in [0, 1].
    """
    judged: dict[str, dict[str, int]] = {}
    ranked: dict[str, dict[str, float]] = {}
    for topic in topics:
        if not qrels.get(topic):
            continue
        judged[topic] = as_retrieved(qrels[topic], run.get(topic, {}))
        if run.get(topic):
            ranked[topic] = _without_ties(run[topic])
    values_by_measure: dict[str, dict[str, float]] = {}
    for name in measures:
        # One measure a call: in one call, ir-measures would apply the mapped gains of a measure to other measures.
        measure = parse_measure(name)
        values = dict.fromkeys(topics, 0.0)
        values.update(_values(measure, judged, ranked))
        values_by_measure[str(measure)] = values
    return values_by_measure


def as_retrieved(grades: Mapping[str, int], hits: Container[str]) -> dict[str, int]:
    """Return judgments with the ids that a run has: in NFC or NFD where the id itself is not in it.

    >>> as_retrieved({"caf\u00e9": 2, "b": 1}, ["cafe\u0301", "c"]) == {"cafe\u0301": 2, "b": 1}
    True
    """
    spelled: dict[str, int] = {}
    for document, grade in grades.items():
        spelled[_retrieved_form(document, grades, hits)] = grade
    return spelled


def _retrieved_form(document: str, judged: Container[str], hits: Container[str]) -> str:
    """Return a document id as a run spells it; a form that is judged itself is another document."""
    if document in hits:
        return document
    for form in other_forms(document):
        if form in hits and form not in judged:
            return form
    return document


class CheckedTopics(NamedTuple):
    """The ids of the topics to evaluate, and notices about topics and judgments that do not belong together."""

    ids: list[str]
    notices: list[Notice]


def topic_set(topics: Mapping[str, Topic], qrels: Qrels, where: str | None = None) -> CheckedTopics:
    """Return the topics to evaluate: all topics with a judgment.

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
    judged: list[str] = []
    unjudged: list[str] = []
    for topic in topics:
        if qrels.get(topic):
            judged.append(topic)
        else:
            unjudged.append(topic)
    if not judged:
        raise InputError(
            f"no topic has judgments (topics: {_first_ids(topics)}; qrels: {_first_ids(qrels)})",
            "use topics and qrels that belong together",
            where,
        )
    notices: list[Notice] = []
    if unjudged:
        notices.append(notice(About.UNJUDGED, unjudged))
    without_relevant = [topic for topic in judged if max(qrels[topic].values()) <= 0]
    if without_relevant:
        notices.append(notice(About.IRRELEVANT, without_relevant))
    unknown = [topic for topic in qrels if topic not in topics]
    if unknown:
        notices.append(notice(About.UNKNOWN, unknown))
    return CheckedTopics(judged, notices)


def check_overlap(run: Run, qrels: Qrels, topics: Sequence[str], where: str | None = None) -> None:
    """Check that some topic has a judged document among its hits.

    Args:
        run: score by document by topic.
        qrels: grade by document by topic.
        topics: the topics to check.
        where: the run's name in errors.

    Raises:
        InputError: if none is; it names ids of both sides.
    """
    if not any(run.values()):
        fix = "check that it was written to its end, and that topics and pages are in one language"
        raise InputError("nothing was retrieved for any topic: the run is empty", fix, where)
    for topic in topics:
        hits = run.get(topic, {})
        if not hits.keys().isdisjoint(as_retrieved(qrels.get(topic, {}), hits)):
            return
    judged_topics = [topic for topic in topics if qrels.get(topic)]
    if run.keys().isdisjoint(judged_topics):
        raise InputError(
            f"no topic of the run ({_first_ids(run)}) is among the judged topics ({_first_ids(judged_topics)})",
            "check that run and qrels use the same topic ids",
            where,
        )
    raise InputError(
        "no judged document was retrieved for any topic (the first id in the run is "
        f"{_first_document(run, topics)}, in the qrels {_first_document(qrels, topics)})",
        _fix_of_ids(run, qrels, judged_topics),
        where,
    )


def _fix_of_ids(run: Run, qrels: Qrels, topics: Sequence[str]) -> str:
    """Return how to make the ids of collection and qrels agree: by the suffix, if only that differs."""
    for topic in topics:
        hits = run.get(topic, {})
        for document in qrels[topic]:
            stem, dot, _ = document.rpartition(".")
            if dot and stem in hits:
                return (
                    "keep the suffixes of file names in ids: --keep-suffix of `thresher clean` and `thresher index`, or "
                    "keep_suffix = true in [collection]"
                )
    return "check that collection and qrels use the same document ids: --ids, --prefix, --keep-suffix, or keys of [collection]"


def _values(measure: Measure, judged: Qrels, ranked: Run) -> dict[str, float]:
    """Return the values of topics; a topic that is missing has the value 0."""
    computed = _with_something_to_find(measure, judged)
    if measure.NAME in FURTHER:
        computed = _without_negative(measure, computed)
    retrieved: dict[str, Mapping[str, float]] = {}
    for topic in computed:
        if topic in ranked:
            retrieved[topic] = ranked[topic]
    if not retrieved:
        return {}
    effective = with_gains(measure, judged)
    values: dict[str, float] = {}
    for metric in _provider_of(effective).evaluator([effective], computed).iter_calc(retrieved):
        values[metric.query_id] = float(metric.value)
    return values


def _provider_of(measure: Measure) -> Any:
    """Return the first of ir-measures' providers that computes a measure."""
    for provider in installed_providers():
        if provider.supports(measure):
            return provider
    raise AssertionError(f"{measure} was parsed, but no provider computes it")


def _without_negative(measure: Measure, judged: Qrels) -> dict[str, Mapping[str, int]]:
    """Return judgments with 0 for negative grades, which other programs would turn into negative gains."""
    highest = 0
    without_negative: dict[str, Mapping[str, int]] = {}
    for topic, grades in judged.items():
        grades_from_0: dict[str, int] = {}
        for document, grade in grades.items():
            highest = max(highest, grade)
            grades_from_0[document] = max(grade, 0)
        without_negative[topic] = grades_from_0
    if measure.NAME == "ERR" and highest > MAX_GRADE_OF_ERR:
        raise InputError(
            f"the qrels have the grade {highest}, too large for ERR by gdeval",
            f"use grades up to {MAX_GRADE_OF_ERR} or another measure, nDCG@10",
        )
    return without_negative


def _with_something_to_find(measure: Measure, qrels: Qrels) -> dict[str, Mapping[str, int]]:
    """Leave out the topics whose value is 0 because no document is relevant.

    Not only to save time: trec_eval's library writes beyond its memory for topics whose grades are all
    negative, and reads beyond it where `rel` exceeds all grades.
    """
    if measure.NAME == "Judged":
        return dict(qrels)
    least_relevant = 1
    if "rel" in measure.SUPPORTED_PARAMS:
        least_relevant = measure["rel"]
    with_relevant: dict[str, Mapping[str, int]] = {}
    for topic, grades in qrels.items():
        if max(grades.values()) >= least_relevant:
            with_relevant[topic] = grades
    return with_relevant


def _without_ties(documents: Mapping[str, float]) -> dict[str, float]:
    """Replace scores by distinct scores in trec_eval's order: every provider sees the same ranking."""
    ranking: list[tuple[float, str]] = []
    # A score beyond single precision is infinite.
    with np.errstate(over="ignore"):
        for document, score in documents.items():
            ranking.append((float(np.float32(score)), document))
    ranking.sort(reverse=True)
    distinct_scores: dict[str, float] = {}
    for rank, (_, document) in enumerate(ranking):
        distinct_scores[document] = float(len(ranking) - rank)
    return distinct_scores


def _first_ids(ids: Iterable[str]) -> str:
    shown = list(islice(ids, _IDS_SHOWN + 1))
    if len(shown) > _IDS_SHOWN:
        shown[_IDS_SHOWN] = "…"
    return ", ".join(shown)


def _first_document(documents: Mapping[str, Mapping[str, object]], topics: Sequence[str]) -> str:
    for topic in topics:
        for document in documents.get(topic, {}):
            return document
    return "missing"
