"""Explores an experiment: every cutoff of its scorers and pruning methods, without building an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thresher.base.errors import InputError
from thresher.base.locks import held
from thresher.cleaners.cleaner import Cleaner, Cut
from thresher.experiments.announcements import Announcement, Say, Step, say_nothing
from thresher.experiments.choosing.families import DeclaredFamily, parse_family
from thresher.experiments.config import Experiment
from thresher.experiments.exploring.exploring import POINTS, Search, explore, in_numbers
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning, spread_over_sizes
from thresher.experiments.exploring.nested_sweeps import template_of
from thresher.experiments.index_contents import index_contents
from thresher.experiments.inputs import Scored, score_experiment
from thresher.experiments.outcome import facts_of, kept_results
from thresher.experiments.results import Results, write_results
from thresher.experiments.stages import evidence_key
from thresher.experiments.table import VariantTable
from thresher.indexes.jvm import check_installed
from thresher.indexes.pruning.method import PruningMethod
from thresher.scores.percentiles import resolve_all

_COMBINED_POINTS = 25
"""Cutoffs of a pruning method over each cutoff of a scorer that it is combined with."""


def explore_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    fresh: bool = False,
    say: Say = say_nothing,
) -> Results:
    """Score what is not scored yet, explore all cutoffs, and add them to the experiment's results.

    Scorers that the experiment names are explored over all their cutoffs; cleaners that decide by rules, and combined ones, as
    they are. See `thresher.experiments.runner.run_experiment` for `results`, `fresh` and `say`.
    """
    check_installed()
    experiment.index.analysis.check_words()
    folder = results / experiment.name
    with held(folder):
        scored = score_experiment(experiment, folder, fresh, say)
        key = evidence_key(experiment, scored)
        before = kept_results(folder, key, say)
        sweeps = sweeps_of(experiment)
        say(Announcement(Step.EXPLORING, {"scorers": len(sweeps)}))
        if before:
            facts = replace(before.facts, contents=index_contents(experiment, scored))
        else:
            facts = facts_of(experiment, scored, key)
        explored = Results.of(facts, _explored(experiment, scored, sweeps))
        if before:
            explored = explored.with_built(before)
        write_results(explored, folder)
    return explored


def _explored(experiment: Experiment, scored: Scored, sweeps: Sequence[Cut]) -> tuple[VariantTable, ...]:
    """Return all cutoffs of scorers, then of pruning methods, which are combined with some of the scorers' cutoffs."""
    search = Search(
        scored.inputs.topics,
        experiment.retrieval.models,
        experiment.index,
        experiment.retrieval.depth,
        experiment.evaluation.measures,
        scored.inputs.held_out,
        experiment.backend,
    )
    cleaners = [variant.cleaner for variant in experiment.variants if not variant.pruning]
    tables = explore(scored.store, sweeps, cleaners, search)
    # A collection whose baseline scores zero is accepted, as by a run, if a judged document is retrieved.
    if not all(table.values[:, 0].any() for table in tables):
        asked = replace(search, measures=(f"Judged@{experiment.retrieval.depth}",))
        if not all(table.values.any() for table in explore(scored.store, [], [], asked)):
            fix = "check that topics, qrels and pages belong together"
            raise InputError("no judged document is retrieved for any topic", fix, str(experiment.file))
    pruning = pruning_sweeps(experiment, scored.store, tables[0])
    return explore_pruning(tables, scored.store, pruning, search, experiment.pruning.original_statistics)


def pruning_sweeps(experiment: Experiment, store: Path, table: VariantTable) -> list[PruningSweep]:
    """Return the pruning methods to explore: those of variants and of families, over each cleaner that stands before them.

    Percentiles are those of the score store. The cutoffs to combine are spread evenly over the index sizes in the table of the
    explored scorers.
    """
    sweeps = _PruningSweeps(table, experiment.pruning.combined)
    variants = [variant for variant in experiment.variants if variant.pruning]
    cleaners = resolve_all(store, [variant.cleaner for variant in variants])
    for variant, cleaner in zip(variants, cleaners, strict=True):
        if variant.pruning is None:
            continue
        method, template = variant.pruning.method, template_of(variant.cleaner)
        combined = variant.cleaner_cutoff is not None
        sweeps.add(in_numbers(cleaner), method, (variant.pruning.threshold,), combined)
        if combined and template is not None:
            sweeps.add_combined(template, method)
    for family in families_of(experiment):
        if family.pruning is None:
            continue
        method = family.pruning.method
        if family.cut is not None:
            sweeps.add_combined(family.cut, method)
        elif family.cleaner is not None:
            (cleaner,) = resolve_all(store, [family.cleaner])
            # With cutoffs that all collections have, by which one setting may be chosen for several.
            sweeps.add(in_numbers(cleaner), method, method.grid, combined=False)
    return sweeps.all


class _PruningSweeps:
    """Pruning methods to explore, each once over the same cleaner.

    Args:
        table: of the explored scorers.
        combined: how many cutoffs of a scorer are combined with a pruning method.
    """

    def __init__(self, table: VariantTable, combined: int) -> None:
        self._table = table
        self._combined = combined
        self._sweeps: dict[tuple[str, str], PruningSweep] = {}

    @property
    def all(self) -> list[PruningSweep]:
        """The sweeps, in the order in which they came."""
        return list(self._sweeps.values())

    def add(self, cleaner: Cleaner, method: PruningMethod, cutoffs: tuple[float, ...], combined: bool) -> None:
        """Add a sweep, or the cutoffs to the same sweep."""
        key = cleaner.name, method.canonical_name
        if key in self._sweeps:
            cutoffs = (*self._sweeps[key].cutoffs, *cutoffs)
        points = _COMBINED_POINTS if combined else POINTS
        self._sweeps[key] = PruningSweep(cleaner, method, cutoffs, points, combined)

    def add_combined(self, template: Cut, method: PruningMethod) -> None:
        """Add a sweep over each of some cutoffs of a scorer, spread evenly over the sizes of its indexes."""
        for cutoff in spread_over_sizes(self._table, template.name, self._combined):
            cleaner = Cleaner((replace(template, cutoff=cutoff),))
            if (cleaner.name, method.canonical_name) not in self._sweeps:
                self.add(cleaner, method, (), combined=True)


def families_of(experiment: Experiment) -> list[DeclaredFamily]:
    """Return the declared families that can be explored: a default one needs its scorers named elsewhere in the file."""
    scored = {scorer.canonical_name for scorer in experiment.scorers}
    families: list[DeclaredFamily] = []
    for name in experiment.criteria.families:
        family = parse_family(name)
        if scored.issuperset(scorer.canonical_name for scorer in family.scorers):
            families.append(family)
    return families


def sweeps_of(experiment: Experiment) -> list[Cut]:
    """Return the scorers that are explored over all their cutoffs, each once, as cuts without a cutoff."""
    templates: dict[str, Cut] = {}
    for variant in experiment.variants:
        template = template_of(variant.cleaner)
        if template is not None and (variant.pruning is None or variant.cleaner_cutoff is not None):
            templates.setdefault(template.name, template)
    for family in families_of(experiment):
        if family.cut is not None:
            templates.setdefault(family.cut.name, family.cut)
    return list(templates.values())
