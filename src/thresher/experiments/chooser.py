"""Chooses an index for an experiment from what was explored or run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from thresher.base.defaults import DEFAULT_FAMILIES, ID_RULES, LANGUAGE
from thresher.base.errors import ConfigError, StateError
from thresher.base.locks import held
from thresher.base.machine import Power, read_machine
from thresher.cleaners.scorer import SENTENCE
from thresher.cleaners.scorers.extractor import FileText
from thresher.evaluation.measures import parse_measure
from thresher.evaluation.non_inferiority import parse_margin
from thresher.evaluation.significance import is_tested
from thresher.experiments.choosing.choices import Choice, ChosenIndex, ModelChoice, read_choice, write_choice
from thresher.experiments.choosing.criteria import ChoiceCriteria
from thresher.experiments.choosing.deciding import choose_variants
from thresher.experiments.choosing.families import parse_family
from thresher.experiments.choosing.savings import Savings, Timings, savings
from thresher.experiments.choosing.shared import SharedChoice, choose_shared, write_shared
from thresher.experiments.config import Experiment, checked_measure
from thresher.experiments.inputs import score_experiment
from thresher.experiments.measuring import power_of
from thresher.experiments.results import RESULTS_FILE, Results, read_results
from thresher.experiments.schema import ID_KEYS, INDEX_KEYS, READING_KEYS, Document, as_options
from thresher.experiments.stages import evidence_key
from thresher.experiments.table import VariantTable, main_measure
from thresher.indexes.pruning.treatments import Treatment

QUERIES = 1_000_000
_SECOND = "AP"
"""Decides besides the main measure, unless others are named."""


@dataclass(frozen=True)
class ChooseOptions:
    """A choice to make: by the measure (None for the main one) and criteria (None for the experiment's), over many queries."""

    measure: str | None = None
    criteria: ChoiceCriteria | None = None
    queries: int = QUERIES

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        measure: str | None = None,
        queries: int = QUERIES,
        *,
        margin: str | float | None = None,
        alpha: float | None = None,
        emptied: float | None = None,
        families: Sequence[str] = (),
        deciding: Sequence[str] = (),
    ) -> ChooseOptions:
        """Return the options by an experiment's criteria, but for those that are given, as the command line takes them."""
        given: dict[str, Any] = {
            "families": tuple(dict.fromkeys(parse_family(family).name for family in families)),
            "margin": None if margin is None else parse_margin(margin),
            "alpha": alpha,
            "deciding": tuple(checked_measure(name, experiment.evaluation.measures, "--deciding") for name in deciding),
            "emptied": emptied,
        }
        changed = {name: value for name, value in given.items() if value not in (None, ())}
        return cls(measure, replace(experiment.criteria, **changed), queries)


def choose_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    options: ChooseOptions = ChooseOptions(),
    say: Callable[[str], None] = lambda _: None,
) -> Choice:
    """Choose among explored and run variants; write `choice.json`.

    `results` is the folder with `<experiment>/`; `say` is called with a line for each stage that begins.
    """
    folder = results / experiment.name
    with _found(experiment, folder, say) as found:
        choice = _choose(experiment, results, options, found, say)
        write_choice(choice, folder)
    return choice


def choose_for_all(
    experiments: Sequence[Experiment],
    results: Path = Path("results"),
    options: ChooseOptions = ChooseOptions(),
    say: Callable[[str], None] = lambda _: None,
) -> SharedChoice:
    """Choose one setting for several collections, by the first experiment's criteria; write `shared-choice.json`.

    Args:
        experiments: as they were explored or run, with the same deciding measures; their first retrieval model counts.
        results: the folder with `<experiment>/` of each.
        options: what is asked; its queries have no part.
        say: called with a line for each stage that begins.
    """
    criteria, model = options.criteria or experiments[0].criteria, experiments[0].retrieval.models[0].name
    asked = [_deciding(options.measure, criteria, config.evaluation.measures) for config in experiments]
    tables: dict[str, VariantTable] = {}
    for config, measures in zip(experiments, asked, strict=True):
        if config.name in tables:
            raise ConfigError(f"two experiments are named {config.name}", "name each once", str(config.file))
        if measures != asked[0] or model not in [one.name for one in config.retrieval.models]:
            what = f"it does not have the first one's model and measures: {model}, {' and '.join(asked[0])}"
            raise ConfigError(what, "use the same in all experiments, or --measure and --deciding", str(config.file))
        with _found(config, results / config.name, say) as found:
            tables[config.name] = found.table(model)
    shared = choose_shared(tables, asked[0], replace(criteria, deciding=asked[0][1:]))
    if shared.variant:
        treatment = tables[experiments[0].name].treatment(shared.variant)
        shared = replace(shared, commands=_commands(treatment, ["PAGES"], []))
    write_shared(shared, results)
    return shared


@contextmanager
def _found(experiment: Experiment, folder: Path, say: Callable[[str], None]) -> Iterator[Results]:
    """Yield what was explored or run of the experiment as it is now; nobody else writes to the folder meanwhile."""
    if not (folder / RESULTS_FILE).exists():
        fix = f"run `{command_of('explore', experiment, folder)}` first"
        raise StateError("nothing was explored or run yet", fix, str(folder))
    with held(folder):
        scored = score_experiment(experiment, folder, False, say)
        found = read_results(folder)
        verb = "explore" if found.was_explored else "run"
        check_key(found.facts.key, evidence_key(experiment, scored), experiment, folder / RESULTS_FILE, verb)
        yield found


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


def command_of(verb: str, experiment: Experiment, folder: Path, *options: str) -> str:
    """Return a command for an experiment whose results are in `folder`."""
    elsewhere = ["--results", str(folder.parent)] if folder.parent != Path("results") else []
    return shlex.join(["thresher", verb, str(experiment.file), *options, *elsewhere])


def check_key(found: str, key: str, experiment: Experiment, path: Path, verb: str) -> None:
    """Check that the key of a result is the experiment's; `verb` would make it again."""
    if found != key:
        fix = f"run `{command_of(verb, experiment, path.parent)}` again"
        raise StateError("it was made from another collection, other topics or other options", fix, str(path))


def _choose(
    experiment: Experiment, folder: Path, options: ChooseOptions, found: Results, say: Callable[[str], None]
) -> Choice:
    criteria = options.criteria or experiment.criteria
    measures = _deciding(options.measure, criteria, experiment.evaluation.measures)
    table = found.table()
    if not table.candidates:
        raise ConfigError("there is nothing to choose among but the baseline", "add a sweep to the experiment", "sweep")
    absent = {*criteria.families}.difference(DEFAULT_FAMILIES, (row.variant.sweep for row in table.rows))
    if absent:
        what = f"nothing of the family {min(absent)} was explored"
        raise ConfigError(what, "add it as a [[sweep]], and explore again", "families")
    say(f"testing {len(table.candidates)} variants by {' and '.join(measures)}")
    power = power_of(experiment.costs, read_machine())
    models = []
    for model_table in found.tables:
        save = _saver(model_table, found, options.queries, power)
        models.append(choose_variants(model_table, measures, criteria, save))
    pages = experiment.document, str(experiment.collection.location)
    return Choice(
        title=experiment.title,
        key=found.facts.key,
        measures=measures,
        criteria=replace(criteria, deciding=measures[1:]),
        queries=options.queries,
        power=power,
        models=tuple(models),
        commands={
            index.variant: treatment_commands(*pages, table.treatment(index.variant), experiment.index.lengths)
            for model in models
            for index in model.named
        },
        check=command_of("run", experiment, folder / experiment.name, "--chosen"),
        notices=found.facts.notices,
    )


def treatment_commands(document: Document, source: str, treatment: Treatment, lengths: bool = False) -> tuple[str, ...]:
    """Return the lines for a shell that do to the pages at `source`, one stage at a time, what a run of an experiment does."""
    # With a language `thresher clean` leaves out pages in others.
    if document.pages.language != LANGUAGE and any(one.segment == SENTENCE for one in treatment.cleaner.scorers):
        return ()
    pages = [source, *as_options(document, "collection", (*READING_KEYS, *ID_KEYS))]
    first = Path(next(filter(Path.is_file, Path(source).rglob("*")), source))
    if document.collection.ids == ID_RULES[0] and ".warc" in first.name:
        pages += ["--ids", "record"]
    index = [*as_options(document, "index", INDEX_KEYS)]
    index += ["--keep-stopwords"] * (not document.index.stopwords) + ["--lengths"] * lengths
    index += as_options(document, "pruning", ["statistics"]) if treatment.pruning else ()
    return _commands(treatment, [*pages, *as_options(document, "pages", ["blocks"])], index)


def _commands(treatment: Treatment, pages: Sequence[str], index: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that apply a treatment to pages; `index` are options of `thresher index`.

    There are none for a text that only an experiment's file names.
    """
    if any(isinstance(maker, FileText) for scorer in treatment.cleaner.scorers for maker in scorer.required_texts):
        return ()
    prune, cleaned = ["--prune", treatment.pruning.name] if treatment.pruning else [], "cleaned.jsonl"
    return (
        _shell_line(["thresher", "clean", *pages, "-c", treatment.cleaner.name, "-o", cleaned]),
        _shell_line(["thresher", "index", cleaned, *index, *prune, "-o", "index"]),
    )


def _shell_line(words: Iterable[str]) -> str:
    """Return a line for a shell; what cannot be printed is written as bash and POSIX (2024) have it."""
    return " ".join(shlex.quote(word) if word.isprintable() else f"$'{_escaped(word)}'" for word in words)


def _escaped(word: str) -> str:
    return "".join(f"\\x{one:02x}" if one in b"'\\" or not 32 <= one < 127 else chr(one) for one in os.fsencode(word))


def _deciding(asked: str | None, criteria: ChoiceCriteria, every: Sequence[str]) -> tuple[str, ...]:
    measures = [name for name in every if is_tested(name)]
    if not measures:
        raise ConfigError("the experiment has no measure of effectiveness", "add one, such as nDCG@10", "measures")
    main = checked_measure(asked, measures, "--measure") if asked else main_measure(measures)
    others = criteria.deciding or tuple(name for name in measures if parse_measure(name).NAME == _SECOND)[:1]
    return tuple(dict.fromkeys((main, *others)))


def _saver(table: VariantTable, results: Results, queries: int, power: Power) -> Callable[[int], Savings]:
    timings = Timings.of(table, results.facts.noise)
    return lambda index: savings(table, index, timings, queries, power.grams)


def _saving(model: ModelChoice, results: Results, queries: int, power: Power) -> ModelChoice:
    table = results.table(model.retrieval)
    save = _saver(table, results, queries, power)

    def with_savings(index: ChosenIndex) -> ChosenIndex:
        return replace(index, savings=save(table.position[index.variant]))

    changed = model
    if model.recommended is not None:
        changed = replace(changed, recommended=with_savings(model.recommended))
    if model.conservative is not None:
        changed = replace(changed, conservative=with_savings(model.conservative))
    if model.gain is not None:
        changed = replace(changed, gain=replace(model.gain, index=with_savings(model.gain.index)))
    return changed
