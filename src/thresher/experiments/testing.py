"""Variants and other systems tested against their baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from thresher.base.numbers import Floats
from thresher.evaluation.significance import Comparison, compare_all
from thresher.experiments.config import Experiment
from thresher.experiments.results import Results
from thresher.experiments.stages import RowKey
from thresher.experiments.table import Row, VariantTable

TestedKey = RowKey | str
"""A variant and its retrieval model, or the name of another system."""
Values = Mapping[str, Mapping[str, float]]
"""The values of a run by measure and topic."""
Comparisons = Mapping[TestedKey, Mapping[str, Comparison]]


def compared(experiment: Experiment, values: Mapping[TestedKey, Values], select: bool = True) -> Comparisons:
    """Return the comparisons of runs with their baselines, by run and measure.

    Args:
        experiment: the experiment, with the test, its level and its correction.
        values: the values of each run. The first run of each retrieval model is its baseline; the first of all runs is the
            baseline of other systems.
        select: whether `choose` selects variants on these topics.
    """
    evaluation = experiment.evaluation

    def compare_family(baseline_of: Mapping[TestedKey, TestedKey]) -> dict[TestedKey, dict[str, Comparison]]:
        return compare_all(
            values, baseline_of, evaluation.alpha, evaluation.correction, evaluation.seed, evaluation.test
        )

    families = _families_of_tests(experiment, values)
    comparisons = compare_family(families.declared)
    for run, comparisons_of_run in compare_family(families.chosen).items():
        comparisons[run] = _selected(comparisons_of_run) if select else comparisons_of_run
    return comparisons


def _selected(comparisons: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """Mark the comparisons of a variant that was selected on the same topics: its p-values say nothing."""
    selected: dict[str, Comparison] = {}
    for measure, comparison in comparisons.items():
        selected[measure] = replace(comparison, selected=True)
    return selected


class _TestFamilies(NamedTuple):
    """Two families of tests, each corrected by itself: by run, the baseline that it is compared with.

    Attributes:
        declared: the variants of the experiment file and the other systems, so that the file alone fixes the number of tests.
        chosen: the variants that `choose` named. They were selected on the topics, so that only held-out topics test them.
    """

    declared: dict[TestedKey, TestedKey]
    chosen: dict[TestedKey, TestedKey]


def _families_of_tests(experiment: Experiment, values: Mapping[TestedKey, Values]) -> _TestFamilies:
    baselines: dict[str, RowKey] = {}
    in_file = {variant.name for variant in experiment.variants}
    declared: dict[TestedKey, TestedKey] = {}
    chosen: dict[TestedKey, TestedKey] = {}
    for key in values:
        if isinstance(key, str):
            declared[key] = next(iter(values))
            continue
        variant, model = key
        baseline = baselines.setdefault(model, key)
        if key != baseline:
            family = declared if variant in in_file else chosen
            family[key] = baseline
    return _TestFamilies(declared, chosen)


def tested_again(experiment: Experiment, results: Results) -> Results:
    """Return results with the tests of the experiment file as it is now, which may differ from the tests of the results."""
    facts = results.facts
    evaluation = experiment.evaluation
    before = facts.test, facts.alpha, facts.correction, facts.setup.seed
    now = evaluation.test, evaluation.alpha, evaluation.correction, evaluation.seed
    if before == now:
        return results
    values: dict[TestedKey, Values] = {}
    held_out: dict[TestedKey, Values] = {}
    for table in results.tables:
        for index in table.built:
            key = table.rows[index].name, table.retrieval
            values[key] = _values(table.measures, table.topics, table.values[:, index])
            held_out[key] = _values(table.measures, table.held_out_topics, table.held_out[:, index])
    for system in facts.systems:
        values[system.name] = _values(results.measures, list(facts.topics), system.values)
    comparisons = compared(experiment, values)
    held_out_comparisons: Comparisons = {}
    if facts.held_out_topics:
        held_out_comparisons = compared(experiment, held_out, select=False)
    systems = [replace(system, comparisons=comparisons[system.name]) for system in facts.systems]
    facts = replace(
        facts,
        test=evaluation.test,
        alpha=evaluation.alpha,
        correction=evaluation.correction,
        setup=replace(facts.setup, seed=evaluation.seed),
        systems=tuple(systems),
    )
    tables = [_with_comparisons(table, comparisons, held_out_comparisons) for table in results.tables]
    return replace(results, facts=facts, tables=tuple(tables))


def _values(measures: Sequence[str], topics: Sequence[str], values: Floats) -> Values:
    """Return values of shape (measures, topics) by measure and topic."""
    by_measure: dict[str, dict[str, float]] = {}
    for measure, by_topic in zip(measures, values.tolist(), strict=True):
        by_measure[measure] = dict(zip(topics, by_topic, strict=True))
    return by_measure


def _with_comparisons(table: VariantTable, comparisons: Comparisons, held_out: Comparisons) -> VariantTable:
    rows: list[Row] = []
    for row in table.rows:
        key = row.name, table.retrieval
        if row.built:
            built = replace(row.built, comparisons=comparisons.get(key, {}), held_out=held_out.get(key, {}))
            row = replace(row, built=built)
        rows.append(row)
    return table.with_rows(rows)
