"""The criteria for choosing an index."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.base.defaults import ALPHA, DEFAULT_FAMILIES, LUCENE, MARGIN, MOST_EMPTIED
from thresher.base.errors import ConfigError
from thresher.evaluation.non_inferiority import Margin, parse_margin


@dataclass(frozen=True)
class ChoiceCriteria:
    """The accepted loss, the allowed error, and the families of indexes to choose from.

    Args:
        margin: the largest mean loss that is accepted in each deciding measure.
        alpha: the probability of recommending an index that loses the margin or more; in (0, 0.5).
        emptied: the largest share of the pages with text that an index may leave without any; in [0, 1].
        families: canonical names of the tested sweeps, each once.
        deciding: the measures that must not be lost besides the main one; empty for AP if the experiment measures it.
        bytes: a size, in bytes; the best index within it is also named. None for no size.
        engine: one of `thresher.base.defaults.ENGINES`; for another engine than Lucene, no pruned index is chosen.

    Raises:
        ConfigError: if `alpha` is out of range.
    """

    margin: Margin = parse_margin(MARGIN)
    alpha: float = ALPHA
    emptied: float = MOST_EMPTIED
    families: tuple[str, ...] = DEFAULT_FAMILIES
    deciding: tuple[str, ...] = ()
    bytes: int | None = None
    engine: str = LUCENE

    def __post_init__(self) -> None:
        """Check the allowed error."""
        if not 0 < self.alpha < 0.5:
            raise ConfigError(f"{self.alpha} is no probability of an error", "give one above 0 and below 0.5", "alpha")
