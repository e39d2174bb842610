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
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.base.numbers import Floats, Ints
from thresher.evaluation.evaluating import evaluate
from thresher.evaluation.measures import FURTHER, parse_measure
from thresher.indexes.pruning.postings import Numbers

UNJUDGED = np.iinfo(np.int32).min
"""Stands for the grade of a document without a judgment."""

_SET_MEASURES = frozenset({"SetP", "SetR", "SetF", "SetAP"}).union(FURTHER)
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
        set_measures: list[str] = []
        rank_measures: list[str] = []
        for measure in self._measures:
            if _is_computed_here(measure):
                continue
            if measure.NAME in _SET_MEASURES:
                set_measures.append(str(measure))
            else:
                rank_measures.append(str(measure))
        evaluated = self._evaluated(set_measures, ranked, to_the_end=True)
        evaluated |= self._evaluated(rank_measures, ranked, to_the_end=False)
        values: list[list[Floats] | Floats] = []
        for measure in self._measures:
            if _is_computed_here(measure):
                compute = _MEASURES[str(measure.NAME)]
                values.append([compute(topic, measure) for topic in ranked])
            else:
                values.append(evaluated[str(measure)])
        return np.array(values).transpose(2, 0, 1)

    def _ranked(self, rankings: Sequence[Numbers | Ints]) -> list[_RankedTopic]:
        # One table for all topics, since it is as long as the collection. Its last entry is for -1, which is no document.
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
        distinct = self._distinct_runs(ranked, to_the_end)
        evaluations = [evaluate(self._qrels, run, measures, list(run)) for run in distinct.runs]
        values: dict[str, Floats] = {}
        for measure in measures:
            values[measure] = np.zeros(distinct.run_of_step.shape)
            for row, (topic, run_of_step) in enumerate(zip(self.topics, distinct.run_of_step.tolist(), strict=True)):
                values[measure][row] = [evaluations[run][measure][topic] for run in run_of_step]
        return values

    def _distinct_runs(self, ranked: Sequence[_RankedTopic], to_the_end: bool) -> _DistinctRuns:
        """Return as few runs as hold all distinct rankings: those of one topic are in different runs."""
        runs: list[dict[str, dict[str, float]]] = []
        run_of_step = np.zeros((len(ranked), len(ranked[0].grades)), dtype=np.int64)
        for row, (name, topic) in enumerate(zip(self.topics, ranked, strict=True)):
            run_by_ranking: dict[_JudgedRanking, int] = {}
            for step in range(len(topic.grades)):
                ranking = topic.judged_ranking(step, to_the_end)
                if ranking not in run_by_ranking:
                    run = len(run_by_ranking)
                    run_by_ranking[ranking] = run
                    if run == len(runs):
                        runs.append({})
                    runs[run][name] = self._scores(ranking)
                run_of_step[row, step] = run_by_ranking[ranking]
        return _DistinctRuns(runs, run_of_step)

    def _scores(self, ranking: _JudgedRanking) -> dict[str, float]:
        """Return a ranking of a topic as scores by document, with the judged documents at their ranks."""
        # Ids have no white space.
        names = [f"unjudged {rank}" for rank in range(ranking.size)]
        for rank, number in zip(ranking.ranks, ranking.documents, strict=True):
            names[rank] = self._ids[number]
        return {name: float(-rank) for rank, name in enumerate(names)}


class _JudgedRanking(NamedTuple):
    """The part of a topic's ranking that measures depend on: its size, and the ranks and numbers of judged documents."""

    size: int
    ranks: tuple[int, ...]
    documents: tuple[int, ...]


class _DistinctRuns(NamedTuple):
    """Rankings as runs.

    Attributes:
        runs: scores by topic and document.
        run_of_step: the number of the run with the ranking of each topic at each step; shape (topics, steps).
    """

    runs: list[dict[str, dict[str, float]]]
    run_of_step: Ints


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

    def judged_ranking(self, step: int, to_the_end: bool) -> _JudgedRanking:
        """Return the ranking at a step; it ends at its last document, or else at the last judged one."""
        ranks = np.flatnonzero(self.grades[step] != UNJUDGED)
        size = _size(self.retrieved[step], ranks, to_the_end)
        documents = self.documents[step, ranks]
        return _JudgedRanking(size, tuple(ranks.tolist()), tuple(documents.tolist()))

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
