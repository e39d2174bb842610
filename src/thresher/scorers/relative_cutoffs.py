"""Cutoffs that are percentiles instead of numbers: `p70` of the collection, `r70` of a language model's reference text.

`p70` is the smallest score such that the segments with this score or a lower one hold at least 70 % of the collection's words.
So `perplexity@p70`, which keeps low scores, keeps the best 70 % of the words, and `words@p30`, which keeps high scores, drops
the lowest 30 %, but nothing at the percentile itself. Segments are weighted by their words; otherwise a site's many short ones
would dominate. Infinite scores come last.

`r70` is a percentile of the scores of a reference text: of the perplexities in a language model's card, by sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.errors import ConfigError
from thresher.scorers.base import Scorer

COLLECTION, REFERENCE = "p", "r"

_PERCENTILE = re.compile(r"(?P<kind>[pr])(?P<value>[\d.].*)")


@dataclass(frozen=True)
class Percentile:
    """A cutoff that is a percentile of scores: `kind` is `COLLECTION` or `REFERENCE`, `value` within (0, 100)."""

    kind: str
    value: float

    @property
    def name(self) -> str:
        """The spelling in canonical names: `p70`, `r99.5`."""
        return f"{self.kind}{self.value!r}".removesuffix(".0")


Cutoff = float | Percentile


def parse_cutoff(text: str, example: str, where: str) -> Cutoff:
    """Parse a cutoff.

    Args:
        text: `8000`, `p70` or `r70`.
        example: the scorer's name, for the fix.
        where: the location named in errors.

    Raises:
        ConfigError: if it is neither a number nor a percentile. Ranges are not checked.
    """
    match = _PERCENTILE.fullmatch(text.strip())
    try:
        return Percentile(match["kind"], float(match["value"])) if match else float(text)
    except ValueError as error:
        raise ConfigError(
            f"the cutoff {text!r} is no number", f"write it like {example}@10, or {example}@p70 for a percentile", where
        ) from error


def same_kind(cutoffs: Sequence[Cutoff]) -> bool:
    """Return whether cutoffs are all numbers, or all percentiles of one kind."""
    return len({cutoff.kind if isinstance(cutoff, Percentile) else "" for cutoff in cutoffs}) <= 1


def check_percentile(percentile: Percentile, scorer: Scorer, where: str) -> Percentile:
    """Return the percentile if it may be a cutoff of the scorer.

    Raises:
        ConfigError: if it is out of range, or of a reference text that the scorer does not have.
    """
    if not 0 < percentile.value < 100:
        raise ConfigError(
            f"the percentile of {scorer.name!r} is out of range: {percentile.value:g}",
            "choose one above 0 and below 100",
            where,
        )
    if percentile.kind == REFERENCE and not scorer.reference:
        instead = Percentile(COLLECTION, percentile.value).name
        raise ConfigError(
            f"the scorer {scorer.name!r} has no reference text, so {percentile.name} means nothing",
            f"write {instead}, a percentile of the collection",
            where,
        )
    return percentile


def reference_cutoff(scorer: Scorer, percentile: Percentile, where: str) -> float:
    """Return the score at a percentile of the reference text, linear between the percentiles that are known.

    Raises:
        ConfigError: as `check_percentile`, and if no percentiles are known, or none around this.
        ThresherError: as `Scorer.reference_percentiles`.
    """
    check_percentile(percentile, scorer, where)
    table = scorer.reference_percentiles()
    if not table:
        raise ConfigError(
            f"the language model {str(scorer.values[scorer.reference])!r} has no percentiles of a reference text",
            "take one that `thresher lm train` wrote, or a percentile of the collection, such as p70",
            where,
        )
    first, last = min(table), max(table)
    if not first <= percentile.value <= last:
        raise ConfigError(
            f"the model's card has no percentiles below {first:g} or above {last:g}, so {percentile.name} is unknown",
            f"choose one from r{first:g} to r{last:g}",
            where,
        )
    return float(np.interp(percentile.value, list(table), list(table.values())))
