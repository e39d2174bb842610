"""What a choice is made by: stated before topics are looked at."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.defaults import ALPHA, DEFAULT_FAMILIES, MARGIN, MOST_EMPTIED
from thresher.evaluation.non_inferiority import Margin, parse_margin

FEWEST_FAMILIES = 4
"""A family never has more of `alpha` than this share of it, as Student's t errs in up to 8 of 100 samples at level .05 where
baselines are near 1 and losses are rare."""


@dataclass(frozen=True)
class Terms:
    """The accepted loss, the allowed error, and what is chosen from.

    Args:
        margin: the largest mean loss that is accepted, in every deciding measure.
        alpha: the probability of recommending an index that loses the margin or more; in (0, 0.5).
        emptied: the largest share of the pages with text that an index may leave without any, in [0, 1].
        families: the sweeps that are tested, by canonical name, each once.
        deciding: the measures that must not be lost besides the main one; empty for AP, if it is measured.
    """

    margin: Margin = parse_margin(MARGIN)
    alpha: float = ALPHA
    emptied: float = MOST_EMPTIED
    families: tuple[str, ...] = DEFAULT_FAMILIES
    deciding: tuple[str, ...] = ()

    @property
    def level(self) -> float:
        """The level of each family's tests: those that were not explored count too."""
        return self.alpha / max(len(self.families), FEWEST_FAMILIES)
