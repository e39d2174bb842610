"""What an index depends on."""

from __future__ import annotations

from dataclasses import asdict

from thresher.experiments.stages import stage_key
from thresher.lucene.indexing import IndexOptions
from thresher.pruning.score_pass import ScorePlan, ScoreReport
from thresher.scorers.cleaners import Cleaner


def index_key(plan: ScorePlan, scores: ScoreReport, cleaner: Cleaner, options: IndexOptions) -> str:
    """Return the key of the stage that indexes what `cleaner`, resolved, leaves of scored pages."""
    cutoffs = cleaner.found_cutoffs
    # A model's card may change under the same scores.
    found = {"cutoffs": cutoffs} if cutoffs else {}
    totals = [scores.documents, scores.scored, scores.emptied, scores.failed, scores.words]
    return stage_key(scores=plan.key(), variant=cleaner.name, options=asdict(options), totals=totals, **found)
