"""Quotients to neighbours."""

from __future__ import annotations

import numpy as np

from thresher.pages import Segments
from thresher.pages.parsing import TITLE_LEVEL
from thresher.scorers.base import BLOCK, KEEP_HIGH, Parameter, Scorer, Scores
from thresher.scorers.boilerpipe import neighbourhood
from thresher.scorers.density import densities


class Quotient(Scorer):
    """Words or text density of the block by that of a neighbour, which counts as 1 if it is less or there is none.

    The page's title has no neighbours and is nobody's neighbour.
    """

    name = "quotient"
    segment = BLOCK
    keep = KEEP_HIGH
    unit = "quotient"
    needs_spaces = True
    low = 0
    grid = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
    source = (
        "Kohlschuetter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010, section 4.3.1 and "
        "Figure 1"
    )
    parameters = (
        Parameter("of", str, "words", "the feature", choices=("words", "density")),
        Parameter("to", str, "previous", "the neighbour", choices=("previous", "next"), terse=True),
    )

    def score(self, segments: Segments) -> Scores:
        """Return the quotient of each block, at least 0."""
        feature = densities(segments) if self.values["of"] == "density" else segments.words_in_blocks
        title = segments.levels == TITLE_LEVEL
        around = neighbourhood(feature, title[1:] != title[:-1])
        other = around.previous if self.values["to"] == "previous" else around.next
        return (around.current / np.maximum(other, 1)).astype(np.float32)
