"""Explores an experiment: every cutoff of its scorers, without building an index."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Scored, TopicSet, score_experiment
from thresher.experiments.stages import INDEXES, evidence_key, exclusive, finished, index_key
from thresher.exploring.exploration import Exploration, write_exploration
from thresher.exploring.exploring import Judging, explore
from thresher.files import remove_leftovers, safe_name
from thresher.lucene.jvm import check_installed
from thresher.passes.backends import Backend
from thresher.reports.explored import write_explored_csv
from thresher.scorers.cleaners import Cut
from thresher.scoring.percentiles import resolve_all


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
    with ExitStack() as stack:
        stack.enter_context(exclusive(folder))
        remove_leftovers(folder)
        scored = score_experiment(experiment, folder, fresh, say)
        sweeps = sweeps_of(experiment)
        say(f"exploring all cutoffs of {len(sweeps)} scorers over {scored.report.documents} pages")
        topics, held_out = scored.inputs.topics, scored.inputs.held_out
        exploration = explore(
            scored.store,
            sweeps,
            [variant.cleaner for variant in experiment.variants],
            _judging(topics, experiment.measures),
            experiment.retrieval,
            experiment.index,
            experiment.depth,
            built=_built(experiment, folder, scored),
            held_out=_judging(held_out, experiment.measures) if held_out else None,
            backend=Backend(experiment.backend, experiment.workers, experiment.scheduler),
        )
        exploration = replace(exploration, key=evidence_key(experiment, scored))
        write_exploration(exploration, folder)
        write_explored_csv(exploration, folder)
    return exploration


def sweeps_of(experiment: Experiment) -> list[Cut]:
    """Return the scorers with cutoffs that stand alone in some variant, each once, as cuts without a cutoff."""
    templates: dict[str, Cut] = {}
    for variant in experiment.variants:
        if len(variant.cleaner.cuts) == 1 and not variant.cleaner.cuts[0].scorer.decides:
            template = replace(variant.cleaner.cuts[0], cutoff=None, percentile=None)
            templates.setdefault(template.name, template)
    return list(templates.values())


def _judging(topics: TopicSet, measures: tuple[str, ...]) -> Judging:
    return Judging(topics.topics, topics.qrels, topics.ids, measures)


def _built(experiment: Experiment, folder: Path, scored: Scored) -> dict[str, int]:
    """Return the bytes of the indexes that were built of these scores, by variant."""
    built = {}
    for cleaner in resolve_all(scored.store, [variant.cleaner for variant in experiment.variants]):
        path = folder / "stages" / f"index-{safe_name(cleaner.name)}.json"
        record = finished(INDEXES, path, index_key(scored.plan, scored.report, cleaner, experiment.index))
        if record is not None:
            built[cleaner.name] = record.bytes
    return built
