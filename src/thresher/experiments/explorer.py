"""Explores an experiment: every cutoff of its scorers, without building an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored, TopicSet, score_experiment
from thresher.experiments.stages import INDEXES, evidence_key, finished, index_origin
from thresher.exploring.exploration import Exploration, write_exploration
from thresher.exploring.exploring import POINTS, Judging, explore, in_numbers
from thresher.exploring.size_model import with_bytes
from thresher.files import safe_name
from thresher.locks import held
from thresher.lucene.jvm import check_installed
from thresher.passes.backends import Backend
from thresher.pruning.exploring_pruning import PruningSweep, explore_pruning, spread_over_sizes
from thresher.pruning_methods.method import PruningMethod
from thresher.pruning_methods.treatments import Treatment
from thresher.reports.explored import write_explored_csv
from thresher.scorers.cleaners import Cleaner, Cut
from thresher.scoring.percentiles import resolve_all

_COMBINED_POINTS = 25
"""Cutoffs of a pruning method over each cutoff of a scorer that it is combined with."""


def explore_experiment(
    experiment: Experiment,
    results: Path = Path("results"),
    fresh: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Exploration:
    """Score what is not scored yet, explore all cutoffs, and write `explored.json` and `explored.csv`.

    Scorers that the experiment names are explored over all their cutoffs; cleaners that decide by rules, and combined ones, as
    they are. Index sizes are estimated from the indexes that `thresher run` built of the same scores.

    Args:
        experiment: what to explore.
        results: the folder with `<experiment>/`.
        fresh: drop scores of another configuration instead of refusing.
        say: called with a line for each stage that begins.

    Raises:
        ThresherError: for wrong input or configuration, and for lack of resources.
    """
    check_installed()
    folder = results / experiment.name
    with held(folder):
        scored = score_experiment(experiment, folder, fresh, say)
        sweeps = sweeps_of(experiment)
        say(f"exploring all cutoffs of {len(sweeps)} scorers over {scored.report.documents} pages")
        exploration = _explored(experiment, scored, sweeps, _built(experiment, folder, scored))
        exploration = replace(exploration, key=evidence_key(experiment, scored))
        write_exploration(exploration, folder)
        write_explored_csv(exploration, folder)
    return exploration


def _explored(experiment: Experiment, scored: Scored, sweeps: Sequence[Cut], built: Mapping[str, int]) -> Exploration:
    """Return all cutoffs of scorers, then of methods: the first say which cutoffs of a scorer a method is combined with."""
    topics, held_out = scored.inputs.topics, scored.inputs.held_out
    judging = _judging(topics, experiment.measures)
    others = _judging(held_out, experiment.measures) if held_out else None
    backend = Backend(experiment.backend, experiment.workers, experiment.scheduler)
    exploration = explore(
        scored.store,
        sweeps,
        [variant.cleaner for variant in experiment.variants if not variant.pruning],
        judging,
        experiment.retrieval,
        experiment.index,
        experiment.depth,
        held_out=others,
        backend=backend,
    )
    pruned = explore_pruning(
        scored.store,
        pruning_sweeps(experiment, scored.store, exploration),
        judging,
        experiment.retrieval,
        experiment.index,
        experiment.original_statistics,
        experiment.depth,
        held_out=others,
        backend=backend,
    )
    return with_bytes(replace(exploration, sweeps=(*exploration.sweeps, *pruned)), built)


def pruning_sweeps(experiment: Experiment, store: Path, exploration: Exploration) -> list[PruningSweep]:
    """Return the pruning methods to explore: over each cleaner that some variant has before it, and over cutoffs of a scorer.

    Args:
        experiment: says which.
        store: the score store, which percentiles are of.
        exploration: of the scorers: the cutoffs to combine are spread evenly over its index sizes.
    """
    variants = [variant for variant in experiment.variants if variant.pruning]
    cleaners = resolve_all(store, [variant.cleaner for variant in variants])
    cutoffs: dict[tuple[str, str], list[float]] = {}
    known: dict[tuple[str, str], tuple[Cleaner, PruningMethod, int]] = {}
    for variant, cleaner in zip(variants, map(in_numbers, cleaners), strict=True):
        if variant.pruning is None:
            continue
        method = variant.pruning.method
        every = [cleaner]
        if variant.combines is not None:
            chosen = spread_over_sizes(exploration.sweep(variant.combines.name), experiment.combined)
            every += [Cleaner((replace(variant.combines, cutoff=cutoff),)) for cutoff in chosen]
        for one in every:
            key = one.name, method.canonical_name
            known[key] = one, method, POINTS if variant.combines is None else _COMBINED_POINTS
            cutoffs.setdefault(key, [])
        cutoffs[cleaner.name, method.canonical_name].append(variant.pruning.threshold)
    return [
        PruningSweep(cleaner, method, tuple(cutoffs[key]), points) for key, (cleaner, method, points) in known.items()
    ]


def sweeps_of(experiment: Experiment) -> list[Cut]:
    """Return the scorers with cutoffs that stand alone before some method or none, each once, as cuts without a cutoff."""
    templates: dict[str, Cut] = {}
    for variant in experiment.variants:
        if variant.pruning:
            if variant.combines:
                templates.setdefault(variant.combines.name, variant.combines)
        elif len(variant.cleaner.cuts) == 1 and not variant.cleaner.cuts[0].scorer.decides:
            template = replace(variant.cleaner.cuts[0], cutoff=None, percentile=None)
            templates.setdefault(template.name, template)
    return list(templates.values())


def _judging(topics: TopicSet, measures: tuple[str, ...]) -> Judging:
    return Judging(topics.topics, topics.qrels, topics.ids, measures)


def _built(experiment: Experiment, folder: Path, scored: Scored) -> dict[str, int]:
    """Return the bytes of the indexes that were built of these scores, by variant with numbers for percentiles."""
    built = {}
    cleaners = resolve_all(scored.store, [variant.cleaner for variant in experiment.variants])
    for variant, cleaner in zip(experiment.variants, cleaners, strict=True):
        treatment = Treatment(cleaner, variant.pruning)
        path = folder / "stages" / f"index-{safe_name(treatment.name)}.json"
        key = index_origin(scored, treatment, experiment.index, experiment.original_statistics).key
        record = finished(INDEXES, path, key)
        if record is not None:
            built[Treatment(in_numbers(cleaner), variant.pruning).name] = record.bytes
    return built
