"""Relative position in the page."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.scorers.base import BLOCK, KEEP_LOW, Parameter, Scorer, Scores


class Position(Scorer):
    """Relative position of the block among the blocks of its page: how far from the middle, or from the top."""

    name = "position"
    segment = BLOCK
    keep = KEEP_LOW
    unit = "share of the way"
    low, high = 0.0, 1.0
    grid = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 3.3 "
        "(boilerplate surrounds the main content)"
    )
    parameters = (
        Parameter(
            "origin",
            str,
            "middle",
            "where it is measured from: the middle of the page (1 is either end), or its top (1 is the bottom)",
            choices=("middle", "top"),
            terse=True,
        ),
    )

    def score(self, segments: Segments) -> Scores:
        """Return (i + 1/2) / n for block i of n, counted from 0, or |2 (i + 1/2) / n - 1|, in [0, 1)."""
        count = len(segments.block_ends)
        positions = (np.arange(count) + 0.5) / max(count, 1)
        if self.values["origin"] == "middle":
            positions = np.abs(2 * positions - 1)
        return positions.astype(np.float32)
