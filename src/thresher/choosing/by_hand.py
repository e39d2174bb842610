"""What is told of variants that are taken by hand, after looking at all of them."""

from __future__ import annotations

import numpy as np

from thresher.choosing.walks import Sample
from thresher.evaluation.non_inferiority import MINIMUM
from thresher.evaluation.simultaneous import balanced_bounds
from thresher.variants.table import Bounds, Verdict

_FLOOR = 0.25
"""Share of the margin that is the floor of standard deviations. With the whole margin, skewed losses would pass too often."""
_DECIMALS = 6
"""Of bounds: sums of products depend on how a machine orders them."""


def bounds_by_hand(sample: Sample) -> dict[int, Bounds]:
    """Return for each candidate the bounds of its differences from the baseline, by its index.

    Those of a measure hold for all candidates together. There is no verdict with too few topics.
    """
    candidates = list(sample.table.candidates)
    if not candidates:
        return {}
    margins, lows, highs = [], [], []
    for tested, base in zip(sample.tested, sample.baseline, strict=True):
        margins.append(sample.terms.margin.loss(base))
        # Many variants have the same values; sorted, their order does not matter.
        rows, places = np.unique(tested[candidates], axis=0, return_inverse=True)
        low, high = balanced_bounds(rows, _FLOOR * margins[-1], sample.terms.alpha)
        lows.append(np.round(low - margins[-1], _DECIMALS)[places.ravel()])
        highs.append(np.round(high - margins[-1], _DECIMALS)[places.ravel()])
    limits = -np.array(margins)[:, None]
    shown = np.all(np.array(lows) > limits, axis=0).tolist()
    lost = np.any(np.array(highs) < limits, axis=0).tolist()
    found = {}
    for place, index in enumerate(candidates):
        verdict = Verdict.SHOWN if shown[place] else Verdict.LOSES if lost[place] else Verdict.UNDECIDED
        low_by_measure = {measure: float(low[place]) for measure, low in zip(sample.measures, lows, strict=True)}
        found[index] = Bounds(low_by_measure, verdict if sample.topics >= MINIMUM else Verdict.UNDECIDED)
    return found
