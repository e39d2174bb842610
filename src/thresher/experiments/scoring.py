"""The first stages of whatever is done with an experiment: its inputs are read, and its collection is scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from thresher.experiments.config import Experiment
from thresher.experiments.inputs import Inputs, check_scored, read_inputs
from thresher.pruning.backends import Backend
from thresher.pruning.failures import write_failures
from thresher.pruning.score_pass import ScorePlan, ScoreReport, score_collection


@dataclass(frozen=True)
class Scored:
    """An experiment's inputs, how its collection was scored, and what that came to; the scores are in `store`."""

    inputs: Inputs
    plan: ScorePlan
    report: ScoreReport
    store: Path


def score_experiment(experiment: Experiment, folder: Path, fresh: bool, say: Callable[[str], None]) -> Scored:
    """Read an experiment's inputs, score what is not scored yet, and list the pages that failed.

    Args:
        experiment: what to score.
        folder: the experiment's results, which get `scores/` and `failures.jsonl`.
        fresh: drop scores of another configuration instead of refusing.
        say: called with a line for each stage that begins.

    Raises:
        ThresherError: as `read_inputs`, `score_collection` and `check_scored`.
    """
    say(f"reading {experiment.collection}")
    inputs = read_inputs(experiment)
    plan = ScorePlan(inputs.collection, experiment.scorers, experiment.pages, experiment.limits)
    say(f"scoring pages by {', '.join(scorer.name for scorer in experiment.scorers) or 'nothing'}")
    store = folder / "scores"
    backend = Backend(experiment.backend, experiment.workers, experiment.scheduler)
    report = score_collection(plan, store, backend, fresh)
    write_failures(store, folder / "failures.jsonl")
    check_scored(inputs, report, store)
    return Scored(inputs, plan, report, store)
