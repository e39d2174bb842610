"""Runs evaluated and compared, as Python has them or from files: `thresher.evaluate`, `thresher.compare_runs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from thresher.defaults import ALPHA, DEFAULT_MEASURES, HOLM
from thresher.evaluation.in_memory import Qrels, Run, take_qrels, take_run
from thresher.evaluation.measures import check_overlap, parse_measure
from thresher.evaluation.measures import evaluate as evaluate_run
from thresher.evaluation.significance import ComparedRuns, compare_all


def evaluate(qrels: Qrels, run: Run, measures: Sequence[str] = ()) -> dict[str, dict[str, float]]:
    """Return the value of each measure for each topic with a judgment, by measure and topic.

    Args:
        qrels: a file, grades by document by topic, or ir-measures' records of judgments, also as a data frame.
        run: a file, scores by document by topic, or ir-measures' records of hits, also as a data frame.
        measures: as ir-measures or trec_eval name them; by default `DEFAULT_MEASURES`.

    Raises:
        ConfigError: if a measure does not parse.
        InputError: if a file or record is broken, or the run retrieved no judged document.
    """
    judged = take_qrels(qrels)
    return _values(judged, take_run(run), measures)


def _values(
    judged: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], measures: Sequence[str]
) -> dict[str, dict[str, float]]:
    names = [str(parse_measure(name)) for name in measures or DEFAULT_MEASURES]
    topics = tuple(topic for topic in judged if judged[topic])
    check_overlap(run, judged, topics)
    return evaluate_run(judged, run, names, topics)


def compare_runs(
    qrels: Qrels,
    runs: Sequence[str | Path] | Mapping[str, Run],
    measures: Sequence[str] = (),
    baseline: str | Path | None = None,
    alpha: float = ALPHA,
    correction: str = HOLM,
) -> ComparedRuns:
    """Evaluate runs over all topics with a judgment and test each against the baseline, the first run by default.

    Args:
        qrels: as `evaluate` takes them.
        runs: files, or runs as `evaluate` takes them by name.
        measures: as for `evaluate`.
        baseline: the file or name of the run that the others are compared with.
        alpha: the significance level.
        correction: how p is corrected for the number of tests: "holm" or "none".

    Raises:
        ConfigError: if a measure does not parse.
        InputError: if a file is broken, or a run retrieved no judged document.
    """
    judged = take_qrels(qrels)
    named = dict(runs) if isinstance(runs, Mapping) else {str(path): path for path in runs}
    first = next(iter(named)) if baseline is None else str(baseline)
    named = {first: named.get(first, first), **named}
    values = {name: _values(judged, take_run(run), measures) for name, run in named.items()}
    comparisons = compare_all(
        values, {name: first for name in named if name != first}, alpha=alpha, correction=correction
    )
    topics = tuple(topic for topic in judged if judged[topic])
    return ComparedRuns(first, topics, values, comparisons, alpha, correction)
