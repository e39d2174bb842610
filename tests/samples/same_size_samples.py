"""An exploration with all families: a scorer, two pruning methods, and the scorer's cutoffs before one of them."""

from __future__ import annotations

import numpy as np

from thresher.exploring.exploration import Exploration, ExploredSweep
from thresher.lucene.work import IndexStatistics

TOPICS, BYTES = 30, 1_000_000
MEASURES = ("nDCG@10", "AP")
SCORER, PRUNED, BY_MASS = (2.0, 5.0, 9.0, 20.0), (0.1, 0.25, 0.5, 0.75, 1.0), (0.2, 0.4, 0.6, 0.8)
COMBINED = (5.0, 9.0, 20.0)


def families(seed: int = 4) -> Exploration:
    """Cleaning loses more than pruning, and pruning by mass most; sizes are shares of the baseline's bytes."""
    dice = np.random.default_rng(seed)
    base = dice.beta(4, 3, (1, len(MEASURES), 1, TOPICS))

    def sweep(name: str, cutoffs: tuple[float, ...] | None, kept: list[float], loss: float) -> ExploredSweep:
        share = np.array(kept)
        harm = loss * (1 - share)[None, None, :, None] * dice.uniform(0.5, 1.5, (1, len(MEASURES), len(kept), TOPICS))
        names = (name,) if cutoffs is None else tuple(f"{name}@{cutoff:g}" for cutoff in cutoffs)
        return ExploredSweep(
            name,
            names,
            cutoffs,
            tuple(round(1000 * one) for one in kept),
            tuple(IndexStatistics(100, round(5000 * one), round(4000 * one), 900) for one in kept),
            np.outer(kept, np.tile((20.0, 60.0), TOPICS // 2)),
            tuple(round(BYTES * one) for one in kept),
            np.clip(base - harm, 0, 1),
        )

    left = {cutoff: 1 - cutoff / 30 for cutoff in SCORER}
    sweeps = (
        sweep("none", None, [1.0], 0.0),
        sweep("words", SCORER, [left[cutoff] for cutoff in SCORER], 0.4),
        sweep("none|dcp", PRUNED, [0.2 + 0.8 * cutoff for cutoff in PRUNED], 0.1),
        sweep("none|nucleus(mass=mle)", BY_MASS, [0.2 + 0.8 * cutoff for cutoff in BY_MASS], 0.6),
        *(
            sweep(f"words@{first:g}|dcp", PRUNED, [left[first] * (0.2 + 0.8 * cutoff) for cutoff in PRUNED], 0.15)
            for first in COMBINED
        ),
        sweep("justext", None, [0.55], 0.3),
    )
    return Exploration(("qld",), MEASURES, tuple(map(str, range(TOPICS))), 100, 1000, 1000, sweeps, None)
