"""Runs evaluated and compared, as Python has them or from files: `thresher.evaluate`, `thresher.compare_runs`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.base.defaults import ALPHA, DEFAULT_MEASURES, HOLM
from thresher.base.errors import InputError
from thresher.evaluation.measures import check_overlap, parse_measure
from thresher.evaluation.measures import evaluate as evaluate_run
from thresher.evaluation.significance import ComparedRuns, compare_all, is_tested
from thresher.evaluation.topics import Topic, read_topics
from thresher.evaluation.trec_files import collect_qrels, collect_run, read_qrels, read_run

if TYPE_CHECKING:
    from ir_measures import Measure

    from thresher.evaluation.non_inferiority import MarginComparison

Qrels = str | Path | Mapping[str, Mapping[str, int]] | Iterable[Any]
"""A file; grades by document by topic; ranx's; records or a data frame with `query_id`, `doc_id` and `relevance`."""
Run = str | Path | Mapping[str, Mapping[str, float]] | Iterable[Any]
"""A file; scores by document by topic; ranx's; records or a data frame with `query_id`, `doc_id` and `score`."""
Topics = str | Path | Mapping[str, str | Topic] | Iterable[Any]
"""A file; queries by id; topics; records or a data frame with `query_id` and `query`, or `text` as ir_datasets has it."""


def take_qrels(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return judgments, grade by document by topic."""
    if isinstance(qrels, str | Path):
        return read_qrels(Path(qrels))
    return collect_qrels(_triples(qrels, "relevance", "qrels"), "qrels", "give an integer", "give some")


def take_run(run: Run) -> dict[str, dict[str, float]]:
    """Return what was retrieved, score by document by topic."""
    if isinstance(run, str | Path):
        return read_run(Path(run))
    return collect_run(_triples(run, "score", "run"), "run")


def take_topics(topics: Topics) -> list[tuple[str, str]]:
    """Return the topics' ids and queries."""
    if isinstance(topics, str | Path):
        topics = read_topics(Path(topics))
    if isinstance(topics, Mapping):
        return [(str(topic), one.query if isinstance(one, Topic) else one) for topic, one in topics.items()]
    return [(topic, query) for topic, query in map(_topic, as_records(topics))]


def _topic(record: Mapping[str, Any]) -> tuple[str, str]:
    name = next((name for name in ("id", "query_id") if name in record), "query_id")
    query = next((name for name in ("query", "text", "title") if name in record), "query")
    if missing := [one for one in (name, query) if one not in record]:
        raise _lacks(missing, "topics")
    return str(record[name]), str(record[query])


def _triples(source: Any, value: str, what: str) -> Iterator[tuple[str, str, Any]]:
    if type(source).__module__.startswith("ranx."):
        source = source.to_dict()
    if isinstance(source, Mapping):
        yield from ((str(topic), str(document), one) for topic, of in source.items() for document, one in of.items())
        return
    names = ("query_id", "doc_id", value)
    for record in as_records(source):
        if missing := [name for name in names if name not in record]:
            raise _lacks(missing, what)
        yield str(record["query_id"]), str(record["doc_id"]), record[value]


def as_records(source: Any) -> Iterator[Mapping[str, Any]]:
    """Give records, or the rows of a data frame, as mappings by ir-measures' names, which PyTerrier's become."""
    for one in source.to_dict("records") if hasattr(source, "itertuples") else source:
        fields = (getattr(one, name) for name in ("_fields", "__dataclass_fields__", "__dict__") if hasattr(one, name))
        record = one if isinstance(one, Mapping) else {name: getattr(one, name) for name in next(fields, ())}
        yield {**{own: record[name] for name, own in _AS_PYTERRIER.items() if name in record}, **record}


_AS_PYTERRIER = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
"""Columns of PyTerrier's data frames, and ir-measures' names for them."""


def _lacks(names: list[str], what: str) -> InputError:
    fix = "name fields and columns as ir-measures does (query_id, doc_id, relevance, score, query), or as PyTerrier"
    return InputError(f"there is no {' and no '.join(names)}", fix, what)


def evaluate(qrels: Qrels, run: Run, measures: Sequence[str | Measure] = ()) -> dict[str, dict[str, float]]:
    """Return the value of each measure for each topic with a judgment, by measure and topic.

    Args:
        qrels: a file, grades by document by topic, or ir-measures' records of judgments, also as a data frame.
        run: a file, scores by document by topic, or ir-measures' records of hits, also as a data frame.
        measures: as ir-measures or trec_eval name them, or ir-measures' own; by default `DEFAULT_MEASURES`.

    Raises:
        ConfigError: if a measure does not parse.
        InputError: if a file or record is broken, or the run retrieved no judged document.
    """
    judged = take_qrels(qrels)
    return _values(judged, take_run(run), measures, str(run) if isinstance(run, str | Path) else None)


def _values(
    judged: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[str | Measure],
    where: str | None,
) -> dict[str, dict[str, float]]:
    names = [str(parse_measure(name)) for name in measures or DEFAULT_MEASURES]
    topics = tuple(topic for topic in judged if judged[topic])
    check_overlap(run, judged, topics, where)
    return evaluate_run(judged, run, names, topics)


def compare_runs(
    qrels: Qrels,
    runs: Sequence[str | Path] | Mapping[str, Run],
    measures: Sequence[str | Measure] = (),
    baseline: str | Path | None = None,
    alpha: float = ALPHA,
    correction: str = HOLM,
    margin: str | float | None = None,
) -> ComparedRuns:
    """Evaluate runs over all topics with a judgment and test each against the baseline, the first run by default.

    Args:
        qrels: as `evaluate` takes them.
        runs: files, or runs as `evaluate` takes them by name.
        measures: as for `evaluate`.
        baseline: the file or name of the run that the others are compared with.
        alpha: the significance level.
        correction: how p is corrected for the number of tests: "holm" or "none".
        margin: an accepted loss, `5%` of the baseline's mean or `0.01` in units of the measure. Each run is then also tested
            for non-inferiority and superiority, at `alpha` each.

    Raises:
        ConfigError: if a measure does not parse.
        InputError: if a file is broken, or a run retrieved no judged document.
    """
    judged = take_qrels(qrels)
    named = dict(runs) if isinstance(runs, Mapping) else {str(path): path for path in runs}
    if not named:
        raise InputError("there are no runs to compare", "give two or more")
    first = next(iter(named)) if baseline is None else str(baseline)
    named = {first: named.get(first, first), **named}
    values, retrieved = {}, set[str]()
    for name, run in named.items():
        hits = take_run(run)
        values[name] = _values(judged, hits, measures, name)
        retrieved |= {topic for topic, found in hits.items() if found}
    comparisons = compare_all(values, {one: first for one in named if one != first}, alpha=alpha, correction=correction)
    topics = tuple(topic for topic in judged if judged[topic])
    asked = "" if margin is None else str(margin)
    margins = _margins(values, first, asked, alpha) if asked else {}
    missing = len({*topics} - retrieved)
    return ComparedRuns(first, topics, values, comparisons, alpha, correction, asked, margins, missing)


def _margins(
    values: Mapping[str, Mapping[str, Mapping[str, float]]], baseline: str, asked: str, alpha: float
) -> dict[str, dict[str, MarginComparison]]:
    from thresher.evaluation.non_inferiority import compare_by_margin, parse_margin

    margin = parse_margin(asked)
    found: dict[str, dict[str, MarginComparison]] = {name: {} for name in values if name != baseline}
    for measure in filter(is_tested, values[baseline]):
        by_topic = values[baseline][measure]
        base = np.array([*by_topic.values()])
        margin.checked(measure, base)
        for name, of_run in found.items():
            run = np.array([values[name][measure][topic] for topic in by_topic])
            of_run[measure] = compare_by_margin(run, base, margin, alpha)
    return found
