"""Chooses a cutoff for an experiment from what was explored or measured, and estimates how it does on held-out topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from thresher.choosing.choices import Choice, read_choice, write_choice
from thresher.choosing.deciding import Terms, decide
from thresher.choosing.decisions import Decision, Evidence, QueryCosts, RuleName, Savings, SizeKind, Values
from thresher.choosing.evidence import explored_evidence, measured_evidence
from thresher.choosing.guards import Guards
from thresher.choosing.recommending import recommend
from thresher.choosing.same_size import SameSize, same_size, with_builds
from thresher.choosing.savings import Timed, Timings, savings
from thresher.costs import MeasuredTime, Power, read_machine
from thresher.errors import ConfigError, StateError
from thresher.evaluation import is_tested, parse_measure
from thresher.evaluation.non_inferiority import Margin
from thresher.experiments.config import Experiment, checked_measure
from thresher.experiments.energy import power_of
from thresher.experiments.inputs import score_experiment
from thresher.experiments.stages import evidence_key
from thresher.explaining.explanations import read_explained
from thresher.exploring.exploration import FILE as EXPLORED_FILE
from thresher.exploring.exploration import Exploration, read_exploration
from thresher.locks import held
from thresher.progress import Progress
from thresher.pruning_methods.treatments import parse_treatment
from thresher.reports.choice_tables import write_choice_csv
from thresher.reports.report_files import write_report
from thresher.reports.same_size_tables import write_same_size_csv
from thresher.results.experiment_results import RESULTS_FILE, Results, VariantResult, read_results
from thresher.results.selection import baseline_row, main_of, retrievals, variant_rows

QUERIES = 1_000_000
_SECOND = "AP"
"""Decides besides the main measure, unless others are named."""


@dataclass(frozen=True)
class Question:
    """What is asked: the measure (None for the main one), the terms, for how many queries, among which sweeps (all if none).

    `measured` asks for the variants that were run, even where an exploration is there. `guards` and `deciding`, the measures
    that must not be lost besides the main one, are those of the experiment where they are None.
    """

    measure: str | None = None
    terms: Terms = field(default_factory=Terms)
    queries: int = QUERIES
    sweeps: tuple[str, ...] = ()
    measured: bool = False
    guards: Guards | None = None
    deciding: tuple[str, ...] | None = None


def parse_margin(text: str) -> Margin:
    """Read `5%` as a share of the baseline's mean and `0.01` as units of the measure.

    Raises:
        ConfigError: if it is neither.
    """
    share = text.rstrip().endswith("%")
    try:
        return Margin(float(text.rstrip().removesuffix("%")) / (100 if share else 1), share)
    except ValueError as error:
        fix = "write a share above 0% and below 100%, such as 5%, or a number above 0"
        raise ConfigError(f"{text!r} is not a margin", fix, "--margin") from error


def choose_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    question: Question = Question(),
    say: Callable[[str], None] = lambda _: None,
) -> Choice:
    """Choose among explored cutoffs, or measured variants, and write `choice.json`, `choice.csv` and `report.html`.

    Args:
        experiment: as it was explored or run.
        results: the folder with `<experiment>/`.
        question: what is asked.
        say: called with a line for each stage that begins.

    Raises:
        StateError: if nothing was explored or run yet, or it rests on something else than the experiment is now.
        ConfigError: if the experiment lacks the measure or a scorer.
        ThresherError: as `score_experiment`, `read_exploration`, `read_results` and `decide`.
    """
    folder = results / experiment.name
    explored = (folder / EXPLORED_FILE).exists() and not question.measured
    if not explored and not (folder / RESULTS_FILE).exists():
        before = "run" if question.measured else "explore"
        raise StateError(
            f"nothing was {_PAST[before]} yet", f"run `thresher {before} {experiment.file}` first", str(folder)
        )
    with held(folder):
        scored = score_experiment(experiment, folder, False, say)
        key = evidence_key(experiment, scored)
        exploration = read_exploration(folder) if explored else None
        check_key(exploration, key, experiment, folder / EXPLORED_FILE, "explore")
        measured = read_results(folder) if (folder / RESULTS_FILE).exists() else None
        if exploration is None:
            check_key(measured, key, experiment, folder / RESULTS_FILE, "run")
        elif measured and measured.key != key:
            say("results.json rests on other inputs than the exploration: its times are left out")
            measured = None
        choice = _choose(experiment, question, key, exploration, measured, say)
        choice = replace(choice, notices=scored.inputs.notices)
        write_choice(choice, folder)
        write_choice_csv(choice, folder)
        write_same_size_csv(choice, folder)
        explained = read_explained(folder, measured.key) if measured else None
        write_report(folder, measured, choice, exploration, explained)
    return choice


def last_choice(folder: Path, key: str) -> tuple[Choice | None, Exploration | None]:
    """Return what was chosen in an experiment's folder, and the exploration that it was made of, where both rest on `key`.

    Raises:
        StateError: if one of them is damaged or of another version.
    """
    choice = read_choice(folder)
    if choice is None or choice.key != key:
        return None, None
    exploration = read_exploration(folder) if choice.decisions[0].explored else None
    return choice, exploration if exploration and exploration.key == key else None


def measured_again(choice: Choice, experiment: Experiment, measured: Results, folder: Path) -> Choice:
    """Return a choice with what it saves by new times, and write it to the folder; nothing else of it rests on times."""
    power = power_of(experiment.costs, read_machine())
    decisions = {model.main.retrieval: model.main for model in choice.models}
    recommendations = tuple(
        replace(one, savings=_savings(decisions[one.retrieval], one.savings.queries, measured, power))
        if one.savings
        else one
        for one in choice.recommendations
    )
    costs = tuple(_costs(choice.decisions, measured))
    same = tuple(with_builds(one, _builds(measured, one.retrieval)) for one in choice.same_size)
    changed = replace(choice, recommendations=recommendations, costs=costs, co2_method=str(power), same_size=same)
    if changed != choice:
        write_choice(changed, folder)
        write_same_size_csv(changed, folder)
    return changed


_PAST = {"run": "run", "explore": "explored or run"}


def check_key(record: Exploration | Results | None, key: str, experiment: Experiment, path: Path, verb: str) -> None:
    """Check that what was made by `thresher` and `verb` rests on what the experiment has now; None does.

    Raises:
        StateError: if it does not.
    """
    if record is not None and record.key != key:
        raise StateError(
            "it rests on another collection, other topics or options than the experiment has now",
            f"run `thresher {verb} {experiment.file}` again",
            str(path),
        )


def _choose(
    experiment: Experiment,
    question: Question,
    key: str,
    exploration: Exploration | None,
    measured: Results | None,
    say: Callable[[str], None],
) -> Choice:
    measures = [name for name in experiment.measures if is_tested(name)]
    main = _main(question.measure, measures)
    deciding = _deciding(experiment, question, main, measures)
    guards = question.guards or experiment.guards
    ordered = [main, *(name for name in measures if name != main)]
    gathered = [
        [_evidence(exploration, measured, model.name, name, question.sweeps) for name in ordered]
        for model in experiment.retrieval
    ]
    _check_sweeps(gathered[0][0], question.sweeps, exploration, measured)
    say(f"judging {len(gathered[0][0].variants)} variants by {', '.join(ordered)}")
    power = power_of(experiment.costs, read_machine())
    decisions: list[Decision] = []
    recommendations = []
    same: list[SameSize | None] = []
    with Progress("choosing", len(experiment.retrieval) * len(RuleName), "rules") as bar:
        for evidence, *more in gathered:
            others = [(one, decide(one, question.terms, False)) for one in more]
            also = [(one, decision) for one, decision in others if one.measure in deciding]
            decision = decide(evidence, question.terms, True, lambda _: bar.advance(), also, guards)
            decisions += [decision, *(other for _, other in others)]
            saved = _savings(decision, question.queries, measured, power)
            name = evidence.retrieval
            postings, builds = _query_postings(exploration, measured, name), _builds(measured, name)
            recommendations.append(recommend(decision, [other for _, other in also], guards, saved, postings))
            means = {variant: float(held.mean()) for variant, held in postings.items()}
            same += [same_size(one, means, builds) for one in (decision, *(other for _, other in also))]
    return Choice(
        title=experiment.title,
        key=key,
        measure=main,
        recommendations=tuple(recommendations),
        decisions=tuple(decisions),
        costs=tuple(_costs(decisions, measured)) if measured else (),
        co2_method=str(power),
        same_size=tuple(one for one in same if one),
    )


def _main(asked: str | None, measures: Sequence[str]) -> str:
    if asked is None:
        if not measures:
            raise ConfigError("the experiment has no measure of effectiveness", "add one, such as nDCG@10", "measures")
        return main_of(measures)
    return checked_measure(asked, measures, "--measure")


def _deciding(experiment: Experiment, question: Question, main: str, measures: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that decide besides the main one."""
    named = experiment.deciding
    if question.deciding is not None:
        named = tuple(checked_measure(name, measures, "--deciding") for name in question.deciding)
    if not named:
        named = tuple(name for name in measures if parse_measure(name).NAME == _SECOND)[:1]
    return tuple(name for name in dict.fromkeys(named) if name != main)


def _evidence(
    exploration: Exploration | None, measured: Results | None, model: str, measure: str, sweeps: tuple[str, ...]
) -> Evidence:
    if exploration is not None:
        numbers = exploration.retrieval.index(model), exploration.measures.index(measure)
        return explored_evidence(exploration, *numbers, sweeps or None)
    assert measured is not None
    return measured_evidence(measured, model, measure, sweeps or None)


def _check_sweeps(
    evidence: Evidence, sweeps: tuple[str, ...], exploration: Exploration | None, measured: Results | None
) -> None:
    if evidence.variants and not set(sweeps) - {variant.sweep for variant in evidence.variants}:
        return
    every = _evidence(exploration, measured, evidence.retrieval, evidence.measure, ())
    known = list(dict.fromkeys(variant.sweep for variant in every.variants))
    if not known:
        raise ConfigError("there is nothing to choose among but the baseline", "add a sweep to the experiment", "sweep")
    missing = next(sweep for sweep in sweeps if sweep not in known)
    raise ConfigError(f"{missing!r} was not looked at", f"use one of {', '.join(known)}", "--scorer")


def _savings(decision: Decision, queries: int, measured: Results | None, power: Power) -> Savings | None:
    """Return what the recommended variant saves, if there is one."""
    variant = decision.recommended
    if variant is None:
        return None
    timings = _timings(measured, decision.retrieval)
    return savings(decision, variant, _scorers(variant.name), timings, queries, power.grams)


def _costs(decisions: Sequence[Decision], measured: Results) -> Iterator[QueryCosts]:
    """Give what every variant saves, for the retrieval models that were timed and whose sizes are bytes."""
    for model in retrievals(measured):
        timings = _timings(measured, model)
        # The first decision is the main one; all have the same variants.
        decision = next((one for one in decisions if one.retrieval == model), None)
        if not timings.rows or decision is None or decision.size_kind is SizeKind.POSTINGS:
            continue
        saved = {one.name: timings.saved_per_query(one.name, one.size)[1] for one in decision.variants}
        yield QueryCosts(model, timings.rows[0].query.wall.value, saved)


def _query_postings(exploration: Exploration | None, measured: Results | None, retrieval: str) -> dict[str, Values]:
    """Return the postings of each query's terms by variant, the baseline among them."""
    if exploration is not None:
        sweeps = exploration.sweeps
        return {name: held for one in sweeps for name, held in zip(one.variants, one.query_postings, strict=True)}
    assert measured is not None
    rows = (baseline_row(measured, retrieval), *variant_rows(measured, retrieval))
    return {row.variant: np.array(row.work.by_query) for row in rows if row.work.by_query}


def _builds(measured: Results | None, retrieval: str) -> dict[str, MeasuredTime]:
    """Return the times of building an index by variant, as far as they were measured."""
    rows = variant_rows(measured, retrieval) if measured else ()
    return {row.variant: row.indexing for row in rows if row.indexing}


def _timings(measured: Results | None, model: str) -> Timings:
    noise = next((floor for floor in measured.noise if floor.retrieval == model), None) if measured else None
    if measured is None or noise is None:
        return Timings()
    base = baseline_row(measured, model)
    rows = tuple(
        Timed(row.variant, _scorers(row.variant), row.index_bytes, row.clean.wall, _index_seconds(row, base), row.query)
        for row in (base, *variant_rows(measured, model))
        if row.query
    )
    return Timings(rows, noise.twin.ratio)


def _index_seconds(row: VariantResult, base: VariantResult) -> float:
    if row.indexing is None or base.indexing is None:
        return row.index.wall
    return row.indexing.wall.value if row.indexing.measurable else base.indexing.wall.value


def _scorers(variant: str) -> tuple[str, ...]:
    return tuple(sorted(scorer.canonical_name for scorer in parse_treatment(variant).cleaner.scorers))
