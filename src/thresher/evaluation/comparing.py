"""Runs evaluated and compared, from Python objects or files: `thresher.evaluate`, `thresher.compare_runs`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.base.defaults import ALPHA, DEFAULT_MEASURES, HOLM, WILCOXON
from thresher.base.errors import InputError
from thresher.base.shown import Shown
from thresher.evaluation.evaluating import check_overlap
from thresher.evaluation.evaluating import evaluate as evaluate_run
from thresher.evaluation.measures import parse_measure
from thresher.evaluation.non_inferiority import MarginComparison, compare_by_margin, parse_margin
from thresher.evaluation.significance import Comparison, compare_all, compare_pairs, is_tested
from thresher.evaluation.topics import Topic, read_topics
from thresher.evaluation.trec_files import collect_qrels, collect_run, read_qrels, read_run

if TYPE_CHECKING:
    from ir_measures import Measure

Qrels = str | Path | Mapping[str, Mapping[str, int]] | Iterable[Any]
"""A file; grades by document by topic; ranx's; records or a data frame with `query_id`, `doc_id` and `relevance`."""
Run = str | Path | Mapping[str, Mapping[str, float]] | Iterable[Any]
"""A file; scores by document by topic; ranx's; records or a data frame with `query_id`, `doc_id` and `score`."""
Topics = str | Path | Mapping[str, str | Topic] | Iterable[Any]
"""A file; queries by id; topics; records or a data frame with `query_id` and `query`, or `text` as ir_datasets has it."""


_PYTERRIER_COLUMNS = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
"""PyTerrier's names of columns, each with ir-measures' name."""
_QUERY_FIELDS = ("query", "text", "title")
"""The fields that may have a topic's query; the first of them in a record is taken."""
_RECORD_FIELDS = ("_fields", "__dataclass_fields__", "__dict__")
"""The attributes that hold the names of a record's fields: of named tuples, dataclasses and other objects."""


@dataclass(frozen=True, repr=False)
class ComparedRuns(Shown):
    """Runs with their measures over the same topics, and their comparisons with the baseline.

    Args:
        baseline: the run that all other runs are compared with.
        topics: the ids of the topics.
        values: the values by run, measure and topic.
        comparisons: the comparisons by run but the baseline, and measure.
        alpha, correction, test: see `compare_all`.
        margin: the accepted loss, as it was asked for; empty without one.
        margins: by run and measure, whether the run loses less than the margin; empty without a margin.
        pairs: comparisons by pair of runs and measure, corrected over all of them; empty unless they were asked for.
        missing: the number of topics without a retrieved document in any run; they count as 0 in all runs.
    """

    baseline: str
    topics: tuple[str, ...]
    values: Mapping[str, Mapping[str, Mapping[str, float]]]
    comparisons: Mapping[str, Mapping[str, Comparison]]
    alpha: float = ALPHA
    correction: str = HOLM
    margin: str = ""
    margins: Mapping[str, Mapping[str, MarginComparison]] = field(default_factory=dict)
    missing: int = 0
    test: str = WILCOXON
    pairs: Mapping[tuple[str, str], Mapping[str, Comparison]] = field(default_factory=dict)

    @property
    def tests(self) -> int:
        """The number of tests against the baseline, over which p is corrected."""
        return sum(map(len, self.comparisons.values()))

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """The means over the topics, by run and measure."""
        means: dict[str, dict[str, float]] = {}
        for run, by_measure in self.values.items():
            means[run] = {}
            for measure, by_topic in by_measure.items():
                means[run][measure] = sum(by_topic.values()) / len(by_topic)
        return means


def take_qrels(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return judgments, grade by document by topic."""
    if isinstance(qrels, str | Path):
        return read_qrels(Path(qrels))
    return collect_qrels(_triples(qrels, "relevance", "qrels"), "qrels", "give an integer", "give some")


def take_run(run: Run) -> dict[str, dict[str, float]]:
    """Return a run, score by document by topic."""
    if isinstance(run, str | Path):
        return read_run(Path(run))
    return collect_run(_triples(run, "score", "run"), "run")


def take_topics(topics: Topics) -> list[tuple[str, str]]:
    """Return the topics' ids and queries."""
    if isinstance(topics, str | Path):
        topics = read_topics(Path(topics))
    if not isinstance(topics, Mapping):
        return [_topic(record) for record in as_records(topics)]
    queries: list[tuple[str, str]] = []
    for topic_id, topic in topics.items():
        if isinstance(topic, Topic):
            queries.append((str(topic_id), topic.query))
        else:
            queries.append((str(topic_id), topic))
    return queries


def _topic(record: Mapping[str, Any]) -> tuple[str, str]:
    id_name = "query_id"
    if "id" in record:
        id_name = "id"
    query_name = "query"
    for name in _QUERY_FIELDS:
        if name in record:
            query_name = name
            break
    _check_fields(record, (id_name, query_name), "topics")
    return str(record[id_name]), str(record[query_name])


def _triples(source: Any, value: str, what: str) -> Iterator[tuple[str, str, Any]]:
    if type(source).__module__.startswith("ranx."):
        source = source.to_dict()
    if isinstance(source, Mapping):
        for topic, by_document in source.items():
            for document, number in by_document.items():
                yield str(topic), str(document), number
        return
    for record in as_records(source):
        _check_fields(record, ("query_id", "doc_id", value), what)
        yield str(record["query_id"]), str(record["doc_id"]), record[value]


def as_records(source: Any) -> Iterator[Mapping[str, Any]]:
    """Give records, or the rows of a data frame, as mappings by ir-measures' names, which PyTerrier's become."""
    if hasattr(source, "itertuples"):
        source = source.to_dict("records")
    for row in source:
        record = row
        if not isinstance(row, Mapping):
            record = _fields_of(row)
        renamed: dict[str, Any] = {}
        for column, name in _PYTERRIER_COLUMNS.items():
            if column in record:
                renamed[name] = record[column]
        yield renamed | dict(record)


def _fields_of(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for attribute in _RECORD_FIELDS:
        if hasattr(record, attribute):
            for name in getattr(record, attribute):
                fields[name] = getattr(record, name)
            break
    return fields


def _check_fields(record: Mapping[str, Any], names: Sequence[str], what: str) -> None:
    missing = [name for name in names if name not in record]
    if missing:
        fix = "name fields and columns as ir-measures does (query_id, doc_id, relevance, score, query), or as PyTerrier"
        raise InputError(f"there is no {' and no '.join(missing)}", fix, what)


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
    where: str | None = None
    if isinstance(run, str | Path):
        where = str(run)
    return _values(judged, take_run(run), measures, where)


def _values(
    judged: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[str | Measure],
    where: str | None,
) -> dict[str, dict[str, float]]:
    names = [str(parse_measure(name)) for name in measures or DEFAULT_MEASURES]
    topics = _topics_with_judgments(judged)
    check_overlap(run, judged, topics, where)
    return evaluate_run(judged, run, names, topics)


def _topics_with_judgments(qrels: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    topics: list[str] = []
    for topic, grades in qrels.items():
        if grades:
            topics.append(topic)
    return tuple(topics)


def compare_runs(  # noqa: PLR0913, keywords of the public API
    qrels: Qrels,
    runs: Sequence[str | Path] | Mapping[str, Run],
    measures: Sequence[str | Measure] = (),
    baseline: str | Path | None = None,
    alpha: float = ALPHA,
    correction: str = HOLM,
    margin: str | float | None = None,
    test: str = WILCOXON,
    pairs: bool = False,
) -> ComparedRuns:
    """Evaluate runs over all topics with a judgment and test each against the baseline, the first run by default.

    Args:
        qrels: as `evaluate` takes them.
        runs: files, or runs as `evaluate` takes them by name.
        measures: as for `evaluate`.
        baseline: the file or name of the run that all other runs are compared with.
        alpha: the significance level.
        correction: the correction of p for the number of tests: "holm", "bh" (Benjamini & Hochberg) or "none".
        margin: an accepted loss, `5%` of the baseline's mean or `0.01` in units of the measure. Each run is then also tested
            for non-inferiority and superiority, at `alpha` each.
        test: "wilcoxon", "t" or "randomisation", paired by topic and two-sided.
        pairs: whether every two runs are compared too, with one correction over all pairs and measures.

    Raises:
        ConfigError: if a measure does not parse.
        InputError: if a file is broken, or a run retrieved no judged document.
    """
    judged = take_qrels(qrels)
    evaluated = _evaluate_runs(judged, _baseline_first(runs, baseline), measures)
    values = evaluated.values
    margin_text = "" if margin is None else str(margin)
    margins = _margins(evaluated, margin_text, alpha)
    pair_comparisons: Mapping[tuple[str, str], Mapping[str, Comparison]] = {}
    if pairs:
        pair_comparisons = compare_pairs(values, alpha, correction, test=test)
    return ComparedRuns(
        baseline=evaluated.baseline,
        topics=_topics_with_judgments(judged),
        values=values,
        comparisons=compare_all(values, evaluated.baseline_of, alpha=alpha, correction=correction, test=test),
        alpha=alpha,
        correction=correction,
        margin=margin_text,
        margins=margins,
        missing=evaluated.missing,
        test=test,
        pairs=pair_comparisons,
    )


def _baseline_first(runs: Sequence[str | Path] | Mapping[str, Run], baseline: str | Path | None) -> dict[str, Run]:
    """Return the runs by name, the baseline first; a baseline that is not among the runs is a file."""
    named: dict[str, Run] = {}
    if isinstance(runs, Mapping):
        named.update(runs)
    else:
        for path in runs:
            named[str(path)] = path
    if not named:
        raise InputError("there are no runs to compare", "give two or more")
    if baseline is None:
        return named
    name = str(baseline)
    return {name: named.get(name, name), **named}


class _EvaluatedRuns(NamedTuple):
    """The values of runs by run, measure and topic, the baseline first; for `missing` topics no run retrieved anything."""

    values: dict[str, dict[str, dict[str, float]]]
    missing: int

    @property
    def baseline(self) -> str:
        return next(iter(self.values))

    @property
    def baseline_of(self) -> dict[str, str]:
        """The baseline, by the name of each other run."""
        run_names = list(self.values)
        return dict.fromkeys(run_names[1:], self.baseline)


def _evaluate_runs(
    judged: Mapping[str, Mapping[str, int]], runs: Mapping[str, Run], measures: Sequence[str | Measure]
) -> _EvaluatedRuns:
    """Evaluate runs one by one, so that only one run is in memory."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    missing = set(_topics_with_judgments(judged))
    for name, run in runs.items():
        hits = take_run(run)
        values[name] = _values(judged, hits, measures, name)
        for topic, documents in hits.items():
            if documents:
                missing.discard(topic)
    return _EvaluatedRuns(values, len(missing))


def _margins(evaluated: _EvaluatedRuns, margin_text: str, alpha: float) -> dict[str, dict[str, MarginComparison]]:
    """Test each run but the baseline against the accepted loss, by run and measure; no test without a margin."""
    if not margin_text:
        return {}
    margin = parse_margin(margin_text)
    values = evaluated.values
    comparisons: dict[str, dict[str, MarginComparison]] = {}
    for name in evaluated.baseline_of:
        comparisons[name] = {}
    for measure, baseline_by_topic in values[evaluated.baseline].items():
        if not is_tested(measure):
            continue
        baseline_values = np.array(list(baseline_by_topic.values()))
        margin.checked(measure, baseline_values)
        for name, by_measure in comparisons.items():
            run_values = np.array([values[name][measure][topic] for topic in baseline_by_topic])
            by_measure[measure] = compare_by_margin(run_values, baseline_values, margin, alpha)
    return comparisons
