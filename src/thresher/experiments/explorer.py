"""Explores an experiment: every cutoff of its scorers and pruning methods, without building an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from thresher.base.errors import InputError
from thresher.base.locks import exclusive_folders
from thresher.cleaners.cleaner import Cleaner, Cut
from thresher.experiments.announcements import Announce, Announcement, Step, ignore_announcement
from thresher.experiments.choosing.choices import remove_unreadable_choice
from thresher.experiments.choosing.families import DeclaredFamily, parse_family
from thresher.experiments.config import Experiment
from thresher.experiments.exploring.exploring import POINTS, Search, WeightedSweeps, explore, in_numbers
from thresher.experiments.exploring.exploring_pruning import PruningSweep, explore_pruning, spread_over_sizes
from thresher.experiments.exploring.nested_sweeps import template_of
from thresher.experiments.index_contents import index_contents
from thresher.experiments.inputs import Scored, score_experiment
from thresher.experiments.outcome import earlier_results, facts_of
from thresher.experiments.results import Results, write_results
from thresher.experiments.stages import evidence_key
from thresher.experiments.table import Variant, VariantTable
from thresher.experiments.testing import tested_again
from thresher.indexes.jvm import check_installed
from thresher.indexes.pruning.method import PruningMethod
from thresher.indexes.pruning.treatments import Treatment, full_name
from thresher.scores.percentiles import resolve_all
from thresher.scores.weighting import Weights

_COMBINED_POINTS = 25
"""Cutoffs of a pruning method over each cutoff of a scorer that it is combined with."""


def explore_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    fresh: bool = False,
    announce: Announce = ignore_announcement,
) -> Results:
    """Score pages that have no scores yet, explore all cutoffs, and add them to the experiment's results.

    Scorers of the experiment are explored over all their cutoffs. Cleaners that decide by rules, and cleaners of several
    scorers, are explored as they are. See `thresher.experiments.runner.run_experiment` for `results`, `fresh` and `say`.
    """
    check_installed()
    experiment.index.analysis.check_words()
    folder = results / experiment.name
    with exclusive_folders(folder):
        scored = score_experiment(experiment, folder, fresh, announce)
        key = evidence_key(experiment, scored)
        before = earlier_results(folder, key, announce)
        remove_unreadable_choice(folder, announce)
        sweeps = sweeps_of(experiment)
        announce(Announcement(Step.EXPLORING, {"scorers": len(sweeps)}))
        if before:
            before = tested_again(experiment, before)
            facts = replace(before.facts, contents=index_contents(experiment, scored))
        else:
            facts = facts_of(experiment, scored, key)
        explored = Results.of(facts, _explored(experiment, scored, sweeps))
        if before:
            explored = explored.with_built(before)
        write_results(explored, folder)
    return explored


def _explored(experiment: Experiment, scored: Scored, sweeps: Sequence[SweptScorer]) -> tuple[VariantTable, ...]:
    """Return all cutoffs of scorers, then of pruning methods, which are combined with some of the scorers' cutoffs."""
    search = Search(
        topics=scored.inputs.topics,
        models=experiment.retrieval.models,
        options=experiment.index,
        depth=experiment.retrieval.depth,
        measures=experiment.evaluation.measures,
        held_out=scored.inputs.held_out,
        backend=experiment.backend,
    )
    first, *weighted = _by_weights(experiment, sweeps)
    tables = explore(scored.store, first.templates, first.cleaners, search, weighted=weighted)
    if not all(table.values[:, 0].any() for table in tables):
        _check_judged(experiment, scored, search)
    pruning = pruning_sweeps(experiment, scored.store, tables[0])
    return explore_pruning(tables, scored.store, pruning, search, experiment.pruning.original_statistics)


def _check_judged(experiment: Experiment, scored: Scored, search: Search) -> None:
    """Check that each model retrieves a judged document: a run accepts a baseline that scores zero, if one is retrieved."""
    judged = replace(search, measures=(f"Judged@{experiment.retrieval.depth}",))
    for table in explore(scored.store, [], [], judged):
        if not table.values.any():
            fix = "check that topics, qrels and pages belong together"
            raise InputError("no judged document is retrieved for any topic", fix, str(experiment.file))


def _by_weights(experiment: Experiment, sweeps: Sequence[SweptScorer]) -> list[WeightedSweeps]:
    """Return the swept scorers and the cleaners of unpruned variants, by weights: first without weights, then by weighting."""
    templates: dict[Weights | None, list[Cut]] = {None: []}
    cleaners: dict[Weights | None, list[Cleaner]] = {None: []}
    for sweep in sweeps:
        templates.setdefault(sweep.weights, []).append(sweep.template)
    for variant in experiment.variants:
        if not variant.pruning:
            cleaners.setdefault(variant.weights, []).append(variant.cleaner)
    groups: list[WeightedSweeps] = []
    for weights in dict.fromkeys(list(templates) + list(cleaners)):
        groups.append(WeightedSweeps(weights, templates.get(weights, ()), cleaners.get(weights, ())))
    return groups


def pruning_sweeps(experiment: Experiment, store: Path, table: VariantTable) -> list[PruningSweep]:
    """Return the pruning methods of variants and families to explore, each with the cleaner before it.

    Percentiles are computed over the score store. The cutoffs to combine are spread evenly over the index sizes in the
    table of the explored scorers.
    """
    sweeps = _PruningSweeps(table, experiment.pruning.combined)
    pruned: list[Variant] = []
    for variant in experiment.variants:
        if variant.pruning:
            pruned.append(variant)
    _add_variants(sweeps, pruned, store)
    for family in families_of(experiment):
        if family.pruning is None:
            continue
        method = family.pruning.method
        if family.cut is not None:
            sweeps.add_combined(SweptScorer(family.cut, family.weights), method)
        elif family.cleaner is not None:
            (cleaner,) = resolve_all(store, [family.cleaner])
            # All collections have the cutoffs of the grid, so that one setting may be chosen for several.
            sweeps.add(PruningSweep(in_numbers(cleaner), method, method.grid, weights=family.weights))
    return sweeps.all


def _add_variants(sweeps: _PruningSweeps, variants: Sequence[Variant], store: Path) -> None:
    """Add the pruning methods of variants, each at its cutoff, and their combinations of scorers and methods."""
    cleaners = resolve_all(store, [variant.cleaner for variant in variants])
    for variant, cleaner in zip(variants, cleaners, strict=True):
        if variant.pruning is None:
            continue
        method = variant.pruning.method
        is_combined = variant.cleaner_cutoff is not None
        sweep = PruningSweep(in_numbers(cleaner), method, (variant.pruning.threshold,), combined=is_combined)
        sweeps.add(replace(sweep, weights=variant.weights))
        template = template_of(variant.cleaner)
        if is_combined and template is not None:
            sweeps.add_combined(SweptScorer(template, variant.weights), method)


class _PruningSweeps:
    """Pruning methods to explore, each once over the same cleaner and weights.

    Args:
        table: the table of the explored scorers.
        combined: the number of a scorer's cutoffs that are combined with a pruning method.
    """

    def __init__(self, table: VariantTable, combined: int) -> None:
        self._table = table
        self._combined = combined
        self._sweeps: dict[tuple[Treatment, str], PruningSweep] = {}

    @property
    def all(self) -> list[PruningSweep]:
        """The sweeps, in the order of their addition."""
        return list(self._sweeps.values())

    def add(self, sweep: PruningSweep) -> None:
        """Add a sweep; if an equal one was added, add the cutoffs to it."""
        key = _key(sweep)
        cutoffs = sweep.cutoffs
        if key in self._sweeps:
            cutoffs = self._sweeps[key].cutoffs + cutoffs
        points = _COMBINED_POINTS if sweep.combined else POINTS
        self._sweeps[key] = replace(sweep, cutoffs=cutoffs, points=points)

    def add_combined(self, swept: SweptScorer, method: PruningMethod) -> None:
        """Add a sweep for each of some cutoffs of a scorer, which are spread evenly over the sizes of its indexes."""
        for cutoff in spread_over_sizes(self._table, swept.name, self._combined):
            cleaner = Cleaner((replace(swept.template, cutoff=cutoff),))
            sweep = PruningSweep(cleaner, method, combined=True, weights=swept.weights)
            if _key(sweep) not in self._sweeps:
                self.add(sweep)


def _key(sweep: PruningSweep) -> tuple[Treatment, str]:
    """Return a key that is equal for equal sweeps."""
    return Treatment(sweep.cleaner, sweep.weights), sweep.method.canonical_name


def families_of(experiment: Experiment) -> list[DeclaredFamily]:
    """Return the declared families that can be explored.

    A default family is left out if the pages do not get its scores, or its links are not gathered.
    """
    scored = {scorer.canonical_name for scorer in experiment.scorers}
    families: list[DeclaredFamily] = []
    for name in experiment.criteria.families:
        family = parse_family(name)
        has_links = family.weights is None or not family.weights.anchors or experiment.needs_links
        has_scores = all(scorer.canonical_name in scored for scorer in family.scorers)
        if has_links and has_scores:
            families.append(family)
    return families


@dataclass(frozen=True)
class SweptScorer:
    """A scorer to explore over all its cutoffs: a cut without a cutoff, and the weights of parts of pages, if any."""

    template: Cut
    weights: Weights | None

    @property
    def name(self) -> str:
        """The name of the sweep."""
        return full_name(self.template.name, self.weights, None)


def sweeps_of(experiment: Experiment) -> list[SweptScorer]:
    """Return the scorers that are explored over all their cutoffs, each once for each weighting."""
    swept: list[SweptScorer] = []
    for variant in experiment.variants:
        template = template_of(variant.cleaner)
        if template is not None and (variant.pruning is None or variant.cleaner_cutoff is not None):
            swept.append(SweptScorer(template, variant.weights))
    for family in families_of(experiment):
        if family.cut is not None:
            swept.append(SweptScorer(family.cut, family.weights))
    by_name: dict[str, SweptScorer] = {}
    for scorer in swept:
        by_name.setdefault(scorer.name, scorer)
    return list(by_name.values())
