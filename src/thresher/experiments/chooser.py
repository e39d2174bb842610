"""Chooses an index for an experiment from what was explored or run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.choosing.choices import Choice, Gain, ModelChoice, Pick, read_choice, write_choice
from thresher.choosing.deciding import choose_variants
from thresher.choosing.families import Terms
from thresher.choosing.savings import Savings, Timings, savings
from thresher.costs.machine import Power, read_machine
from thresher.errors import ConfigError, StateError
from thresher.evaluation import is_tested, parse_measure
from thresher.experiments.config import Experiment, checked_measure
from thresher.experiments.inputs import score_experiment
from thresher.experiments.measuring import power_of
from thresher.experiments.stages import evidence_key
from thresher.explaining.explanations import read_explained
from thresher.locks import held
from thresher.reports import write_all
from thresher.variants.files import RESULTS_FILE, read_results, write_results
from thresher.variants.results import Results
from thresher.variants.table import VariantTable, main_measure

QUERIES = 1_000_000
_SECOND = "AP"
"""Decides besides the main measure, unless others are named."""


@dataclass(frozen=True)
class Question:
    """What is asked: the measure (None for the main one), the terms (None for the experiment's), over how many queries."""

    measure: str | None = None
    terms: Terms | None = None
    queries: int = QUERIES


def choose_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    question: Question = Question(),
    say: Callable[[str], None] = lambda _: None,
) -> Choice:
    """Choose among explored and run variants; write `choice.json`, the bounds of all variants, and the reports.

    Args:
        experiment: as it was explored or run.
        results: the folder with `<experiment>/`.
        question: what is asked.
        say: called with a line for each stage that begins.
    """
    folder = results / experiment.name
    if not (folder / RESULTS_FILE).exists():
        fix = f"run `thresher explore {experiment.file}` first"
        raise StateError("nothing was explored or run yet", fix, str(folder))
    with held(folder):
        scored = score_experiment(experiment, folder, False, say)
        key, found = evidence_key(experiment, scored), read_results(folder)
        verb = "explore" if found.was_explored else "run"
        check_key(found.facts.key, key, experiment, folder / RESULTS_FILE, verb)
        choice, bounded = _choose(experiment, question, found, say)
        write_results(bounded, folder)
        write_choice(choice, folder)
        write_all(bounded, folder, choice, read_explained(folder, key))
    return choice


def last_choice(folder: Path, key: str) -> Choice | None:
    """Return what was chosen in an experiment's folder, if it rests on `key`."""
    choice = read_choice(folder)
    return choice if choice and choice.key == key else None


def measured_again(choice: Choice, experiment: Experiment, results: Results, folder: Path) -> Choice:
    """Return a choice with what it saves by new times, and write it to the folder; nothing else of it rests on times."""
    power = power_of(experiment.costs, read_machine())
    models = tuple(_saving(model, results, choice.queries, power) for model in choice.models)
    changed = replace(choice, models=models, power=power)
    if changed != choice:
        write_choice(changed, folder)
    return changed


def check_key(found: str, key: str, experiment: Experiment, path: Path, verb: str) -> None:
    """Check that what was made by `thresher` and `verb` rests on what the experiment has now."""
    if found != key:
        raise StateError(
            "it rests on another collection, other topics or options than the experiment has now",
            f"run `thresher {verb} {experiment.file}` again",
            str(path),
        )


def _choose(
    experiment: Experiment, question: Question, found: Results, say: Callable[[str], None]
) -> tuple[Choice, Results]:
    terms = question.terms or experiment.terms
    measures = _deciding(question.measure, terms, experiment.measures)
    table = found.table()
    if not table.candidates:
        raise ConfigError("there is nothing to choose among but the baseline", "add a sweep to the experiment", "sweep")
    say(f"judging {len(table.candidates)} variants by {' and '.join(measures)}")
    power = power_of(experiment.costs, read_machine())
    answers = [
        choose_variants(table, measures, terms, _saver(table, found, question.queries, power)) for table in found.tables
    ]
    choice = Choice(
        title=experiment.title,
        key=found.facts.key,
        measures=measures,
        terms=replace(terms, deciding=measures[1:]),
        queries=question.queries,
        power=power,
        models=tuple(model for model, _ in answers),
        notices=found.facts.notices,
    )
    return choice, replace(found, tables=tuple(bounded for _, bounded in answers))


def _deciding(asked: str | None, terms: Terms, every: Sequence[str]) -> tuple[str, ...]:
    """Return the deciding measures, the main one first."""
    measures = [name for name in every if is_tested(name)]
    if not measures:
        raise ConfigError("the experiment has no measure of effectiveness", "add one, such as nDCG@10", "measures")
    main = checked_measure(asked, measures, "--measure") if asked else main_measure(measures)
    others = terms.deciding or tuple(name for name in measures if parse_measure(name).NAME == _SECOND)[:1]
    return tuple(dict.fromkeys((main, *others)))


def _saver(table: VariantTable, results: Results, queries: int, power: Power) -> Callable[[int], Savings]:
    timings = Timings.of(table, results.facts.noise)
    return lambda index: savings(table, index, timings, queries, power.grams)


def _saving(model: ModelChoice, results: Results, queries: int, power: Power) -> ModelChoice:
    table = results.table(model.retrieval)
    save = _saver(table, results, queries, power)

    def pick(one: Pick | None) -> Pick | None:
        return one and replace(one, savings=save(table.position[one.variant]))

    def gain(one: Gain | None) -> Gain | None:
        return one and replace(one, pick=replace(one.pick, savings=save(table.position[one.pick.variant])))

    return replace(
        model,
        recommended=pick(model.recommended),
        cautious=pick(model.cautious),
        gain=gain(model.gain),
        dominating=gain(model.dominating),
    )
