"""What the values that exploring finds rest on."""

from __future__ import annotations

from dataclasses import asdict

from thresher.experiments.config import Experiment
from thresher.experiments.scoring import Scored
from thresher.experiments.stages import stage_key


def evidence_key(experiment: Experiment, scored: Scored) -> str:
    """Return a digest of all that decides the value of a measure at a cutoff, and of nothing else.

    Of explorations with the same key, what one says of a cutoff the other says too, whichever cutoffs the experiment names,
    and whoever worked on them.
    """
    sources = [source for source in (experiment.topics, experiment.held_out) if source is not None]
    return stage_key(
        scores=scored.plan.key(),
        inputs=dict(scored.inputs.digests),
        read=[[source.field, source.column] for source in sources],
        options=asdict(experiment.index),
        models=[model.name for model in experiment.retrieval],
        depth=experiment.depth,
        measures=experiment.measures,
    )
