"""Measures of many rankings: P, AP, nDCG and Judged by arrays, all others by `thresher.evaluation.evaluate`.

The values are those of `evaluate`, which would take minutes for a sweep of a hundred cutoffs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.evaluation import evaluate, parse_measure
from thresher.exploring.ranking import NONE, Rankings
from thresher.exploring.similarity import Floats
from thresher.pages.plain import Ints

_BY_ARRAYS = ("P", "AP", "nDCG", "Judged")
_UNJUDGED = np.iinfo(np.int64).min


class Judges:
    """Computes measures for the rankings of a set of topics.

    Args:
        qrels: grade by document by topic.
        topics: the topics, in the order of the rankings.
        ids: the documents that rankings are made of, as places in this list.
        measures: names that `parse_measure` takes.

    Raises:
        ConfigError, InputError: as `thresher.evaluation.evaluate`.
    """

    def __init__(
        self,
        qrels: Mapping[str, Mapping[str, int]],
        topics: Sequence[str],
        ids: Sequence[str],
        measures: Sequence[str],
    ) -> None:
        self._qrels, self._topics, self._ids = qrels, topics, ids
        self._measures = [parse_measure(name) for name in measures]
        # What cannot be evaluated is told before the work.
        evaluate(qrels, {}, measures, topics)
        self._grades = [
            np.array(sorted(qrels.get(topic, {}).values(), reverse=True), dtype=np.int64) for topic in topics
        ]
        place = {identifier: number for number, identifier in enumerate(ids)}
        judged = sorted(
            (number * len(ids) + place[document], grade)
            for number, topic in enumerate(topics)
            for document, grade in qrels.get(topic, {}).items()
            if document in place
        )
        # Behind the last stands a key that no document has, so that there is always one to compare with.
        self._keys = np.array([*(key for key, _ in judged), len(topics) * len(ids)], dtype=np.int64)
        self._judged = np.array([*(grade for _, grade in judged), _UNJUDGED], dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the measures."""
        return tuple(map(str, self._measures))

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self._topics)

    def values(self, rankings: Rankings) -> Floats:
        """Return the values of the measures; shape (measures, topics)."""
        documents = rankings.documents
        keys = documents + np.arange(len(documents))[:, None] * len(self._ids)
        at = np.searchsorted(self._keys, keys)
        grades = np.where((self._keys[at] == keys) & (documents != NONE), self._judged[at], _UNJUDGED)
        found = np.count_nonzero(documents != NONE, axis=1)
        return np.array([self._value(measure, rankings, grades, found) for measure in self._measures])

    def _value(self, measure: Any, rankings: Rankings, grades: Ints, found: Ints) -> Floats:
        params = measure.params
        if measure.NAME not in _BY_ARRAYS or params.get("judged_only"):
            return self._evaluated(str(measure), rankings)
        depth: int = params.get("cutoff") or max([grades.shape[1], *map(len, self._grades)])
        top = grades[:, :depth]
        if measure.NAME == "Judged":
            return _ratio(np.count_nonzero(top != _UNJUDGED, axis=1), np.minimum(found, depth))
        if measure.NAME == "nDCG":
            exponential = measure["dcg"] == "exp-log2"
            ideal = np.array([_dcg(some[:depth], exponential) for some in self._grades])
            return _ratio(_dcg(top, exponential), ideal)
        least: int = measure["rel"]
        relevant = top >= least
        if measure.NAME == "P":
            return _ratio(np.count_nonzero(relevant, axis=1), np.full(len(top), depth))
        known = np.array([np.count_nonzero(some >= least) for some in self._grades])
        precision = np.cumsum(relevant, axis=1) / np.arange(1, top.shape[1] + 1)
        return _ratio((precision * relevant).sum(axis=1), known)

    def _evaluated(self, measure: str, rankings: Rankings) -> Floats:
        depth = rankings.documents.shape[1]
        run = {
            topic: {self._ids[place]: float(depth - rank) for rank, place in enumerate(places) if place != NONE}
            for topic, places in zip(self._topics, rankings.documents.tolist(), strict=True)
        }
        values = evaluate(self._qrels, run, [measure], self._topics)[measure]
        return np.array([values[topic] for topic in self._topics])


def _ratio(above: npt.NDArray[Any], below: npt.NDArray[Any]) -> Floats:
    """Return quotients, 0 where there is nothing to divide by."""
    found: Floats = np.zeros(len(below))
    np.divide(above, below, out=found, where=below > 0)
    return found


def _dcg(grades: Ints, exponential: bool) -> Floats:
    gains = np.maximum(grades, 0).astype(np.float64)
    if exponential:
        gains = np.exp2(gains) - 1
    found: Floats = (gains / np.log2(np.arange(grades.shape[-1]) + 2)).sum(axis=-1)
    return found
