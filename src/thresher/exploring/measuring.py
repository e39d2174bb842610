"""Measures of many rankings: P, AP, nDCG and Judged by arrays, all others by `thresher.evaluation.evaluate`.

The values are those of `evaluate`; a sweep of a hundred cutoffs would take it minutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.evaluation import evaluate, parse_measure
from thresher.exploring.similarity import Floats
from thresher.pages.plain import Ints

_BY_ARRAYS = ("P", "AP", "nDCG", "Judged")


class TopicMeasures:
    """Computes measures for the rankings of one topic.

    Args:
        topic: its id.
        judged: grade by document.
        ids: the documents that rankings are made of; rankings hold places in this list.
        places: the place of each id.
        measures: canonical names.

    Raises:
        InputError: as `thresher.evaluation.evaluate`.
    """

    def __init__(
        self,
        topic: str,
        judged: Mapping[str, int],
        ids: Sequence[str],
        places: Mapping[str, int],
        measures: Sequence[str],
    ) -> None:
        self._topic, self._qrels, self._ids, self._names = topic, judged, ids, tuple(measures)
        self._parsed = [parse_measure(name) for name in measures]
        # Whatever cannot be evaluated is told before the work.
        evaluate({topic: judged}, {}, measures, [topic])
        known = sorted((places[document], grade) for document, grade in judged.items() if document in places)
        self._places = np.array([place for place, _ in known] + [len(ids)], dtype=np.int64)
        self._grades = np.array([grade for _, grade in known] + [0], dtype=np.int64)
        self._all_grades = np.array(sorted(judged.values(), reverse=True), dtype=np.int64)

    def values(self, ranking: Ints) -> list[float]:
        """Return the value of each measure for a ranking, best document first."""
        at = np.searchsorted(self._places, ranking)
        is_judged = self._places[at] == ranking
        grades = np.where(is_judged, self._grades[at], 0)
        return [self._value(measure, ranking, grades, is_judged) for measure in self._parsed]

    def _value(self, measure: Any, ranking: Ints, grades: Ints, is_judged: npt.NDArray[np.bool_]) -> float:
        params = measure.params
        if measure.NAME not in _BY_ARRAYS or params.get("judged_only"):
            run = {self._ids[place]: float(len(ranking) - rank) for rank, place in enumerate(ranking.tolist())}
            found = evaluate({self._topic: self._qrels}, {self._topic: run}, [str(measure)], [self._topic])
            return found[str(measure)][self._topic]
        depth = params.get("cutoff") or max(len(ranking), len(self._all_grades))
        if measure.NAME == "Judged":
            return float(is_judged[:depth].mean()) if len(ranking) else 0.0
        if measure.NAME == "nDCG":
            exponential = measure["dcg"] == "exp-log2"
            ideal = _dcg(_gains(self._all_grades[:depth], exponential))
            return _dcg(_gains(grades[:depth], exponential)) / ideal if ideal else 0.0
        relevant = grades[:depth] >= measure["rel"]
        if measure.NAME == "P":
            return float(np.count_nonzero(relevant)) / depth
        count = int(np.count_nonzero(self._all_grades >= measure["rel"]))
        ranks = np.flatnonzero(relevant) + 1
        return float((np.arange(1, len(ranks) + 1) / ranks).sum()) / count if count else 0.0


def _gains(grades: Ints, exponential: bool) -> Floats:
    gains = np.maximum(grades, 0).astype(np.float64)
    return np.exp2(gains) - 1 if exponential else gains


def _dcg(gains: Floats) -> float:
    return float((gains / np.log2(np.arange(len(gains)) + 2)).sum())
