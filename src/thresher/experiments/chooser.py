"""Chooses an index for an experiment among its explored and built variants, or one setting for several experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.base.defaults import DEFAULT_FAMILIES
from thresher.base.errors import ConfigError, StateError
from thresher.base.locks import exclusive_folders
from thresher.base.machine import Power, read_machine
from thresher.evaluation.measures import parse_measure
from thresher.evaluation.non_inferiority import parse_margin
from thresher.evaluation.significance import tested_measures
from thresher.experiments.announcements import Announce, Announcement, Step, ignore_announcement
from thresher.experiments.choosing.choices import Choice, ChosenIndex, ModelChoice, read_choice, write_choice
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.deciding import choose_variants
from thresher.experiments.choosing.families import families_for, parse_family
from thresher.experiments.choosing.savings import Savings, Timings, savings
from thresher.experiments.choosing.shared import SharedChoice, choose_shared, write_shared
from thresher.experiments.choosing.sizes import parse_size
from thresher.experiments.config import Experiment, checked_measure
from thresher.experiments.inputs import score_experiment
from thresher.experiments.measuring import power_of
from thresher.experiments.results import RESULTS_FILE, Results, read_results
from thresher.experiments.shell_commands import clean_and_index, command_of, treatment_commands
from thresher.experiments.stages import evidence_key
from thresher.experiments.table import VariantTable, main_measure

QUERIES = 1_000_000
"""The number of queries that savings are computed for by default."""
_SECOND_MEASURE = "AP"
"""The measure that decides besides the main one, unless the criteria name others."""


@dataclass(frozen=True)
class ChoiceRequest:
    """A choice to make: the deciding measures, the main one first; the criteria; the number of queries for savings."""

    measures: tuple[str, ...]
    criteria: ChoiceCriteria
    queries: int


@dataclass(frozen=True)
class ChooseOptions:
    """Options of a choice, as the command line has them; without an option, the value of the experiment file holds.

    Args:
        measure: the main measure; None for the first nDCG, or else the last.
        queries: the number of queries that savings are computed for.
        margin: the accepted loss, such as `5%` or 0.01.
        alpha: the probability of recommending an index that loses the margin or more.
        emptied: the largest share of the pages that an index may leave without text.
        families: the sweeps to choose from.
        deciding: further measures that must not be lost.
        bytes: a size, such as `4M`; the best index within it is also named.
        engine: one of `thresher.base.defaults.ENGINES`.
    """

    measure: str | None = None
    queries: int = QUERIES
    margin: str | float | None = None
    alpha: float | None = None
    emptied: float | None = None
    families: Sequence[str] = ()
    deciding: Sequence[str] = ()
    bytes: str | int | None = None
    engine: str | None = None

    def request(self, experiment: Experiment) -> ChoiceRequest:
        """Return the choice to make of an experiment.

        Raises:
            ConfigError: if an option is no margin, measure or family, or the experiment has no measure to choose by.
        """
        criteria = self.criteria(experiment)
        measures = self.measures(experiment, criteria)
        return ChoiceRequest(measures, replace(criteria, deciding=measures[1:]), self.queries)

    def criteria(self, experiment: Experiment) -> ChoiceCriteria:
        """Return the experiment's criteria with these options in place of its file's values.

        Raises:
            ConfigError: if an option is no margin, measure or family.
        """
        criteria = experiment.criteria
        if self.margin is not None:
            criteria = replace(criteria, margin=parse_margin(self.margin))
        if self.alpha is not None:
            criteria = replace(criteria, alpha=self.alpha)
        if self.emptied is not None:
            criteria = replace(criteria, emptied=self.emptied)
        if self.bytes is not None:
            criteria = replace(criteria, bytes=parse_size(self.bytes))
        if self.engine is not None:
            criteria = replace(criteria, engine=self.engine)
        if self.families or self.engine is not None:
            families = _family_names(self.families or experiment.criteria.families, criteria.engine)
            criteria = replace(criteria, families=families)
        if self.deciding:
            measures = experiment.evaluation.measures
            deciding = [checked_measure(name, measures, "--deciding") for name in self.deciding]
            criteria = replace(criteria, deciding=tuple(deciding))
        return criteria

    def measures(self, experiment: Experiment, criteria: ChoiceCriteria) -> tuple[str, ...]:
        """Return the deciding measures of an experiment, the main one first.

        Raises:
            ConfigError: if the experiment lacks the measure of `measure`, or measures no effectiveness.
        """
        tested = tested_measures(experiment.evaluation.measures)
        if not tested:
            raise ConfigError("the experiment has no measure of effectiveness", "add one, such as nDCG@10", "measures")
        main = main_measure(tested)
        if self.measure:
            main = checked_measure(self.measure, tested, "--measure")
        deciding = [main]
        if criteria.deciding:
            deciding.extend(criteria.deciding)
        else:
            for name in tested:
                if parse_measure(name).NAME == _SECOND_MEASURE:
                    deciding.append(name)
                    break
        return tuple(dict.fromkeys(deciding))


def _family_names(families: Sequence[str], engine: str) -> tuple[str, ...]:
    """Return the canonical names of the families that an engine can take, each once."""
    parsed = [parse_family(family) for family in families]
    names: dict[str, None] = {}
    for family in families_for(engine, parsed):
        names.setdefault(family.name)
    return tuple(names)


def choose_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    options: ChooseOptions = ChooseOptions(),
    announce: Announce = ignore_announcement,
) -> Choice:
    """Choose among explored and built variants, and write `choice.json`.

    Args:
        experiment: an experiment that was explored or run before.
        results: the folder with `<experiment>/`.
        options: options of the choice.
        announce: called with each step that begins.

    Raises:
        ConfigError: if an option is wrong, or there is nothing to choose among.
        StateError: if there are no results, or they were computed from other inputs.
    """
    request = options.request(experiment)
    folder = results / experiment.name
    with _locked_results(experiment, folder, announce) as explored:
        choice = choose_among(experiment, explored, request, folder, announce)
        write_choice(choice, folder)
    return choice


def choose_among(
    experiment: Experiment,
    results: Results,
    request: ChoiceRequest,
    folder: Path,
    announce: Announce = ignore_announcement,
) -> Choice:
    """Choose among the variants in results.

    Args:
        experiment: the experiment of the results.
        results: explored and built variants.
        request: the choice to make.
        folder: the experiment's folder of results, for commands.
        announce: called with each step that begins.

    Raises:
        ConfigError: if there is nothing to choose among, or a family that is no default has no explored variant.
    """
    table = results.table()
    _check_candidates(table, request.criteria)
    announce(Announcement(Step.TESTING, {"variants": len(table.candidates), "measures": request.measures}))
    power = _power(experiment, results)
    models = []
    for model_table in results.tables:
        save = _saver(model_table, results, request.queries, power)
        models.append(choose_variants(model_table, request.measures, request.criteria, save))
    commands = {}
    source = str(experiment.collection.location)
    lengths = experiment.index.lengths
    for model in models:
        for index in model.named:
            treatment = table.treatment(index.variant)
            commands[index.variant] = treatment_commands(experiment.document, source, treatment, lengths)
    return Choice(
        title=experiment.title,
        key=results.facts.key,
        measures=request.measures,
        criteria=request.criteria,
        queries=request.queries,
        power=power,
        models=tuple(models),
        commands=commands,
        check=command_of("run", experiment, folder, "--chosen"),
        notices=results.facts.notices,
    )


def choose_for_all(
    experiments: Sequence[Experiment],
    results: Path = Path("results"),
    options: ChooseOptions = ChooseOptions(),
    announce: Announce = ignore_announcement,
) -> SharedChoice:
    """Choose one setting for several collections by the first experiment's criteria, and write `shared-choice.json`.

    Args:
        experiments: experiments that were explored or run before, with the same deciding measures; the first retrieval model
            of the first counts.
        results: the folder with `<experiment>/` of each.
        options: options of the choice; its number of queries does not matter.
        announce: called with each step that begins.

    Raises:
        ConfigError: if an option is wrong, or the experiments do not belong together.
        StateError: if an experiment has no results, or they were computed from other inputs.
    """
    first = experiments[0]
    for experiment in experiments:
        if options.bytes is not None or experiment.criteria.bytes is not None:
            what = "a size in bytes is for one collection's index, and several experiments are named"
            raise ConfigError(what, "leave out `bytes` of [choose] or --bytes, or name one", str(experiment.file))
    criteria = options.criteria(first)
    model = first.retrieval.models[0].name
    measures_of_each = [options.measures(experiment, criteria) for experiment in experiments]
    measures = measures_of_each[0]
    tables: dict[str, VariantTable] = {}
    for experiment, measures_of_experiment in zip(experiments, measures_of_each, strict=True):
        if experiment.name in tables:
            raise ConfigError(f"two experiments are named {experiment.name}", "name each once", str(experiment.file))
        if measures_of_experiment != measures or model not in experiment.retrieval.names:
            what = f"it lacks the first experiment's model or measures: {model}, {' and '.join(measures)}"
            fix = "use this model and these measures in all experiments, or set --measure and --deciding"
            raise ConfigError(what, fix, str(experiment.file))
        with _locked_results(experiment, results / experiment.name, announce) as explored:
            tables[experiment.name] = explored.table(model)
    shared = choose_shared(tables, measures, replace(criteria, deciding=measures[1:]))
    if shared.variant is not None:
        treatment = tables[first.name].treatment(shared.variant)
        shared = replace(shared, commands=clean_and_index(treatment, ["PAGES"]))
    write_shared(shared, results)
    return shared


def last_choice(folder: Path, key: str) -> Choice | None:
    """Return the choice in an experiment's folder if it was made from the evidence with this key, else None."""
    choice = read_choice(folder)
    if choice is None or choice.key != key:
        return None
    return choice


def measured_again(choice: Choice, experiment: Experiment, results: Results, folder: Path) -> Choice:
    """Return a choice with the savings and bytes of the indexes that were built and timed, and write it to the folder."""
    power = _power(experiment, results)
    models = []
    for model in choice.models:
        table = results.table(model.retrieval)
        models.append(_with_savings(model, table, _saver(table, results, choice.queries, power)))
    changed = replace(choice, models=tuple(models), power=power)
    if changed != choice:
        write_choice(changed, folder)
    return changed


def check_key(key: str, evidence: str, experiment: Experiment, path: Path, verb: str) -> None:
    """Check that a result was computed from the experiment's evidence.

    Args:
        key: the key of the result.
        evidence: the key of the experiment's evidence.
        experiment: the experiment.
        path: the file of the result.
        verb: the command that makes the result again.

    Raises:
        StateError: if the keys differ.
    """
    if key != evidence:
        fix = f"run `{command_of(verb, experiment, path.parent)}` again"
        raise StateError("it was made from another collection, other topics or other options", fix, str(path))


@contextmanager
def _locked_results(experiment: Experiment, folder: Path, announce: Announce) -> Iterator[Results]:
    """Yield the results of the experiment, computed from its present inputs; nobody else writes to the folder meanwhile."""
    path = folder / RESULTS_FILE
    if not path.exists():
        fix = f"run `{command_of('explore', experiment, folder)}` first"
        raise StateError("nothing was explored or run yet", fix, str(folder))
    with exclusive_folders(folder):
        scored = score_experiment(experiment, folder, False, announce)
        results = read_results(folder)
        verb = "explore" if results.was_explored else "run"
        check_key(results.facts.key, evidence_key(experiment, scored), experiment, path, verb)
        yield results


def _check_candidates(table: VariantTable, criteria: ChoiceCriteria) -> None:
    """Check that there are variants to choose among, and that each family but the default families has one."""
    if not table.candidates:
        raise ConfigError("there is nothing to choose among but the baseline", "add a sweep to the experiment", "sweep")
    explored = {row.variant.sweep for row in table.rows}
    missing = set(criteria.families) - set(DEFAULT_FAMILIES) - explored
    if missing:
        what = f"nothing of the family {min(missing)} was explored"
        raise ConfigError(what, "add it as a [[sweep]], and explore again", "families")


def _power(experiment: Experiment, results: Results) -> Power:
    """Return the power of a machine, and the number of machines: as configured, or the machines that scored if more."""
    power = power_of(experiment.costs, read_machine())
    return replace(power, machines=max(power.machines, results.facts.setup.machines))


def _saver(table: VariantTable, results: Results, queries: int, power: Power) -> Callable[[int], Savings]:
    timings = Timings.of(table, results.facts.noise)
    return lambda index: savings(table, index, timings, queries, power)


def _with_savings(model: ModelChoice, table: VariantTable, save: Callable[[int], Savings]) -> ModelChoice:
    """Return an answer with the savings and bytes as they are measured now."""

    def measured(index: ChosenIndex) -> ChosenIndex:
        position = table.position[index.variant]
        return replace(
            index,
            bytes=int(table.index_bytes[position]),
            bytes_share=float(table.bytes_shares[position]),
            measured=table.rows[position].bytes is not None,
            savings=save(position),
        )

    changed = replace(model, no_cleaning=measured(model.no_cleaning))
    if model.smallest is not None:
        changed = replace(changed, smallest=measured(model.smallest))
    if model.best is not None:
        changed = replace(changed, best=measured(model.best))
    if model.within is not None:
        changed = replace(changed, within=measured(model.within))
    if model.conservative is not None:
        changed = replace(changed, conservative=measured(model.conservative))
    return changed
