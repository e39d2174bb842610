"""Measures of rankings at every step of a sweep.

P, R, RR, Success, AP, nDCG and Judged are computed over arrays of grades by rank, added in trec_eval's order: values
equal the values of `thresher.evaluation.evaluating.evaluate` to the last bit. `evaluate` itself computes all other
measures, once for all steps of a block at which the judged documents of a topic have the same ranks.

A sweep has some hundred steps, and a topic has another ranking at nearly each of them: `evaluate` would take longer for these
rankings than ranking takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats, Ints
from thresher.evaluation.evaluating import evaluate
from thresher.evaluation.measures import FURTHER, parse_measure
from thresher.indexes.pruning.postings import Numbers

UNJUDGED = np.iinfo(np.int32).min
"""Stands for the grade of a document without a judgment."""

_OF_SETS = frozenset({"SetP", "SetR", "SetF", "SetAP"}).union(FURTHER)
"""Measures that depend on the number of unjudged documents behind the last judged one."""


class Evaluator:
    """Computes measures for the rankings of a set of topics.

    Args:
        qrels: grade by document by topic.
        topics: the topics, in the order of the rankings.
        numbers: numbers of documents in rankings, by id; documents without a judgment may be missing.
        documents: upper bound of the numbers, not included.
        measures: names for `parse_measure`.

    Raises:
        InputError: the qrels cannot be evaluated by these measures.
    """

    def __init__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        topics: Sequence[str],
        numbers: Mapping[str, int],
        documents: int,
        measures: Sequence[str],
    ) -> None:
        self.topics = topics
        self._qrels = qrels
        self._documents = documents
        self._measures = [parse_measure(name) for name in measures]
        # Qrels that cannot be evaluated are an error before the work.
        evaluate(qrels, {topic: {"unjudged": 0.0} for topic in topics}, measures, topics)
        self._ids: dict[int, str] = {}
        self._judged: list[_Judged] = []
        for topic in topics:
            grades = qrels.get(topic, {})
            numbers_of_judged: list[int] = []
            grades_of_judged: list[int] = []
            for document, grade in grades.items():
                if document in numbers:
                    self._ids[numbers[document]] = document
                    numbers_of_judged.append(numbers[document])
                    grades_of_judged.append(grade)
            judged = _Judged(
                documents=_ints(numbers_of_judged),
                grades=_ints(grades_of_judged),
                best_first=_ints(sorted(grades.values(), reverse=True)),
            )
            self._judged.append(judged)

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the measures."""
        return tuple(str(measure) for measure in self._measures)

    def values(self, rankings: Sequence[Numbers | Ints]) -> Floats:
        """Return the values of the measures; shape (steps, measures, topics).

        Args:
            rankings: of each topic, documents at each step, best first, then -1; shape (steps, ranks).
        """
        ranked = self._ranked(rankings)
        of_sets: list[str] = []
        of_ranks: list[str] = []
        for measure in self._measures:
            if _is_computed_here(measure):
                continue
            if measure.NAME in _OF_SETS:
                of_sets.append(str(measure))
            else:
                of_ranks.append(str(measure))
        evaluated = self._evaluated(of_sets, ranked, to_the_end=True)
        evaluated |= self._evaluated(of_ranks, ranked, to_the_end=False)
        values: list[list[Floats] | Floats] = []
        for measure in self._measures:
            if _is_computed_here(measure):
                compute = _MEASURES[str(measure.NAME)]
                values.append([compute(topic, measure) for topic in ranked])
            else:
                values.append(evaluated[str(measure)])
        return np.array(values).transpose(2, 0, 1)

    def _ranked(self, rankings: Sequence[Numbers | Ints]) -> list[_RankedTopic]:
        # One table for all topics, since it is as long as the collection; -1 is its last place.
        grade_of = np.full(self._documents + 1, UNJUDGED, dtype=np.int32)
        ranked: list[_RankedTopic] = []
        for documents, judged in zip(rankings, self._judged, strict=True):
            grade_of[judged.documents] = judged.grades
            grades = grade_of[documents]
            grade_of[judged.documents] = UNJUDGED
            retrieved = np.count_nonzero(documents >= 0, axis=1)
            ranked.append(_RankedTopic(documents, grades, retrieved, judged.best_first))
        return ranked

    def _evaluated(
        self, measures: Sequence[str], ranked: Sequence[_RankedTopic], to_the_end: bool
    ) -> dict[str, Floats]:
        """Return the values that `evaluate` gives, by measure; shapes (topics, steps).

        Rankings end at their last document, or else at the last judged one.
        """
        if not measures:
            return {}
        # Different rankings of one topic are evaluated in different runs.
        runs: list[dict[str, dict[str, float]]] = []
        run_of: dict[tuple[int, int], int] = {}
        for number, (name, topic) in enumerate(zip(self.topics, ranked, strict=True)):
            different: dict[tuple[object, ...], int] = {}
            for step in range(len(topic.grades)):
                ranks = np.flatnonzero(topic.grades[step] != UNJUDGED)
                size = _size(topic.retrieved[step], ranks, to_the_end)
                documents = topic.documents[step, ranks]
                ranking = (size, tuple(ranks.tolist()), tuple(documents.tolist()))
                if ranking not in different:
                    different[ranking] = len(different)
                    if len(different) > len(runs):
                        runs.append({})
                    runs[different[ranking]][name] = self._run(size, ranks, documents)
                run_of[number, step] = different[ranking]
        evaluations = [evaluate(self._qrels, run, measures, list(run)) for run in runs]
        shape = (len(ranked), len(ranked[0].grades))
        values: dict[str, Floats] = {}
        for measure in measures:
            values[measure] = np.zeros(shape)
        for (number, step), run in run_of.items():
            for measure in measures:
                values[measure][number, step] = evaluations[run][measure][self.topics[number]]
        return values

    def _run(self, size: int, ranks: Ints, documents: Numbers | Ints) -> dict[str, float]:
        """Return a ranking of a topic as a run, with the judged documents at their ranks."""
        # Ids have no white space.
        names = [f"unjudged {rank}" for rank in range(size)]
        for rank, number in zip(ranks.tolist(), documents.tolist(), strict=True):
            names[rank] = self._ids[number]
        return {name: float(-rank) for rank, name in enumerate(names)}


@dataclass(frozen=True)
class _Judged:
    """The judgments of a topic: the documents that the collection has and their grades, and all grades, the best first."""

    documents: Ints
    grades: Ints
    best_first: Ints


@dataclass(frozen=True)
class _RankedTopic:
    """The rankings of a topic at some steps.

    Args:
        documents: best first, then -1; shape (steps, ranks).
        grades: by rank, `UNJUDGED` for documents without a judgment; shape (steps, ranks).
        retrieved: number of documents; shape (steps,).
        best_first: all grades of the topic, the best first.
    """

    documents: Numbers | Ints
    grades: Numbers
    retrieved: Ints
    best_first: Ints

    def relevant(self, measure: Any) -> npt.NDArray[np.bool_]:
        """Return whether the document at each rank is relevant, up to the measure's depth; shape (steps, ranks)."""
        relevant: npt.NDArray[np.bool_] = self.grades[:, : measure.params.get("cutoff")] >= measure["rel"]
        return relevant

    def relevant_count(self, measure: Any) -> int:
        """Return the number of relevant documents, retrieved or not."""
        return int(np.count_nonzero(self.best_first >= measure["rel"]))


def _precision(topic: _RankedTopic, measure: Any) -> Floats:
    return _ratio(_hits(topic, measure), measure["cutoff"])


def _recall(topic: _RankedTopic, measure: Any) -> Floats:
    return _ratio(_hits(topic, measure), topic.relevant_count(measure))


def _success(topic: _RankedTopic, measure: Any) -> Floats:
    return (_hits(topic, measure) > 0).astype(np.float64)


def _hits(topic: _RankedTopic, measure: Any) -> Floats:
    hits: Floats = np.count_nonzero(topic.relevant(measure), axis=1).astype(np.float64)
    return hits


def _reciprocal_rank(topic: _RankedTopic, measure: Any) -> Floats:
    relevant = topic.relevant(measure)
    if not relevant.shape[1]:
        return np.zeros(len(relevant))
    first: Floats = 1 / (relevant.argmax(axis=1) + 1)
    return np.where(relevant.any(axis=1), first, 0.0)


def _average_precision(topic: _RankedTopic, measure: Any) -> Floats:
    relevant = topic.relevant(measure)
    precision = np.cumsum(relevant, axis=1) / np.arange(1, relevant.shape[1] + 1)
    return _ratio(_added_up(np.where(relevant, precision, 0)), topic.relevant_count(measure))


def _ndcg(topic: _RankedTopic, measure: Any) -> Floats:
    depth = measure.params.get("cutoff")
    exponential = measure["dcg"] == "exp-log2"
    gained = _discounted(topic.grades[:, :depth], exponential)
    ideal = _discounted(topic.best_first[None, :depth], exponential)
    return _ratio(_added_up(gained), float(_added_up(ideal)[0]))


def _discounted(grades: Numbers | Ints, exponential: bool) -> Floats:
    """Return by rank the gain of the grade, itself or 2^grade - 1, over the binary logarithm of its rank + 1, from 1."""
    gains = np.maximum(grades, 0).astype(np.float64)
    if exponential:
        gains = np.exp2(gains) - 1
    return gains / _logarithms(grades.shape[1])


@cache
def _logarithms(ranks: int) -> Floats:
    # Computed as C does: numpy may differ in the last bit.
    return np.array([math.log2(rank + 2) for rank in range(ranks)])


def _judged(topic: _RankedTopic, measure: Any) -> Floats:
    depth = measure.params.get("cutoff")
    judged = np.count_nonzero(topic.grades[:, :depth] != UNJUDGED, axis=1)
    retrieved = topic.retrieved if depth is None else np.minimum(topic.retrieved, depth)
    shares: Floats = judged / np.maximum(retrieved, 1)
    return shares


_MEASURES: Mapping[str, Callable[[_RankedTopic, Any], Floats]] = {
    "P": _precision,
    "R": _recall,
    "RR": _reciprocal_rank,
    "Success": _success,
    "AP": _average_precision,
    "nDCG": _ndcg,
    "Judged": _judged,
}


def _is_computed_here(measure: Any) -> bool:
    return str(measure.NAME) in _MEASURES and not measure.params.get("judged_only")


def _size(retrieved: int, judged_ranks: Ints, to_the_end: bool) -> int:
    if to_the_end:
        return int(retrieved)
    if not len(judged_ranks):
        return 0
    return int(judged_ranks[-1]) + 1


def _added_up(by_rank: Floats) -> Floats:
    """Return sums over ranks, added rank by rank; shape (steps,)."""
    if not by_rank.shape[1]:
        return np.zeros(len(by_rank))
    sums: Floats = np.cumsum(by_rank, axis=1)[:, -1]
    return sums


def _ratio(values: Floats, whole: float) -> Floats:
    """Return shares of a whole, 0 of nothing."""
    return values / whole if whole > 0 else np.zeros(len(values))


def _ints(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)
