"""Variants and other systems tested against their baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from thresher.base.numbers import Floats
from thresher.evaluation.significance import Comparison, compare_all
from thresher.experiments.config import Experiment
from thresher.experiments.results import Results
from thresher.experiments.stages import RowKey
from thresher.experiments.table import VariantTable

TestedKey = RowKey | str
"""A variant and its retrieval model, or the name of another system."""
Values = Mapping[str, Mapping[str, float]]
"""The values of a run by measure and topic."""
Comparisons = Mapping[TestedKey, Mapping[str, Comparison]]


def compared(experiment: Experiment, values: Mapping[TestedKey, Values], select: bool = True) -> Comparisons:
    """Return the comparisons of runs with their baselines, by run and measure.

    Args:
        experiment: has the test, its level and its correction.
        values: by run; the first run of each retrieval model is its baseline, and the first of all is that of other systems.
        select: whether `choose` selects variants on these topics.
    """
    evaluation = experiment.evaluation
    how = evaluation.alpha, evaluation.correction, evaluation.seed, evaluation.test
    declared, chosen = _families_of_tests(experiment, values)
    of_chosen = compare_all(values, chosen, *how)
    if select:
        of_chosen = {run: _selected(of_run) for run, of_run in of_chosen.items()}
    return {**compare_all(values, declared, *how), **of_chosen}


def _selected(comparisons: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """Return the comparisons of a variant that was selected on the same topics: its p is of no use."""
    return {measure: replace(comparison, selected=True) for measure, comparison in comparisons.items()}


def _families_of_tests(
    experiment: Experiment, values: Mapping[TestedKey, Values]
) -> tuple[dict[TestedKey, TestedKey], dict[TestedKey, TestedKey]]:
    """Return the baseline of each run that is compared, in two families.

    The first family has the variants of the experiment file and the other systems, so that the file alone fixes the number
    of its tests. The second family has the variants that `choose` named. They were selected on the topics, so that only
    held-out topics test them, with a correction of their own.
    """
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
    return declared, chosen


def tested_again(experiment: Experiment, results: Results) -> Results:
    """Return results with the tests that the experiment asks for now; they may have been made with others."""
    facts, evaluation = results.facts, experiment.evaluation
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
    of_held_out: Comparisons = compared(experiment, held_out, select=False) if facts.held_out_topics else {}
    systems = [replace(system, comparisons=comparisons[system.name]) for system in facts.systems]
    test, alpha, correction, seed = now
    facts = replace(
        facts,
        test=test,
        alpha=alpha,
        correction=correction,
        setup=replace(facts.setup, seed=seed),
        systems=tuple(systems),
    )
    tables = [_with_comparisons(table, comparisons, of_held_out) for table in results.tables]
    return replace(results, facts=facts, tables=tuple(tables))


def _values(measures: Sequence[str], topics: Sequence[str], values: Floats) -> Values:
    """Return values of shape (measures, topics) by measure and topic."""
    return {
        measure: dict(zip(topics, of_measure, strict=True))
        for measure, of_measure in zip(measures, values.tolist(), strict=True)
    }


def _with_comparisons(table: VariantTable, comparisons: Comparisons, held_out: Comparisons) -> VariantTable:
    rows = []
    for row in table.rows:
        key = row.name, table.retrieval
        if row.built:
            built = replace(row.built, comparisons=comparisons.get(key, {}), held_out=held_out.get(key, {}))
            rows.append(replace(row, built=built))
        else:
            rows.append(row)
    return table.with_rows(rows)
