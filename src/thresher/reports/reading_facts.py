"""What is known of a cleaner beside what a decision holds: text that is left, and means on held-out topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from thresher.exploring.records import Exploration
from thresher.reports.records import Results


@dataclass(frozen=True)
class Facts:
    """`words` kept of the collection as a share, None where it has none; means on the held-out topics by measure, empty where
    there are none.
    """

    words: float | None
    held_out: Mapping[str, float]


def facts_by_name(retrieval: str, exploration: Exploration | None, results: Results | None) -> Mapping[str, Facts]:
    """Return what exploring, or else the runs, found of each cleaner searched by one retrieval model, the baseline's too.

    A cleaner that neither has seen is left out.
    """
    if exploration is not None and retrieval in exploration.retrieval:
        return _explored(exploration, exploration.retrieval.index(retrieval))
    return {} if results is None else _measured(results, retrieval)


def _explored(exploration: Exploration, model: int) -> dict[str, Facts]:
    found = {}
    for curve in exploration.curves:
        held_out = {
            measure: means
            for number, measure in enumerate(exploration.measures)
            if (means := curve.held_out_means(model, number)) is not None
        }
        for point, name in enumerate(curve.cleaners):
            found[name] = Facts(
                curve.words[point] / exploration.words if exploration.words else None,
                {measure: float(means[point]) for measure, means in held_out.items()},
            )
    return found


def _measured(results: Results, retrieval: str) -> dict[str, Facts]:
    tested = results.held_out.rows if results.held_out else ()
    held_out = {row.variant: row.measures for row in tested if row.retrieval == retrieval}
    return {
        row.variant: Facts(row.words_kept / row.words_total if row.words_total else None, held_out.get(row.variant, {}))
        for row in results.rows
        if row.retrieval == retrieval
    }
