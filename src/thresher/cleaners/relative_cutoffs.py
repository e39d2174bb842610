"""Relative cutoffs: percentiles of the collection (`p70`) or of a model's reference text (`r70`), and quotas (`doc50`).

`p70` is the smallest score such that segments with at most this score have at least 70 % of the collection's words. So
`perplexity@p70`, which keeps low scores, keeps the best 70 % of the words. `words@p30`, which keeps high scores,
drops the lowest 30 %, but nothing at the percentile itself. Segments are weighted by their words; otherwise a site's many
short segments would dominate. Infinite scores come last.

`r70` is a percentile of the scores of a reference text: of the perplexities in a language model's card, by sentences.

`doc50` is a quota: it keeps, of each page, the best-scored segments with at least 50 % of the page's words: see
`thresher.scores.cutting`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thresher.base.defaults import COLLECTION, DOCUMENT, REFERENCE
from thresher.base.errors import ConfigError
from thresher.cleaners.scorer import Scorer

_RELATIVE = re.compile(rf"(?P<kind>{COLLECTION}|{REFERENCE}|{DOCUMENT})(?P<value>[\d.].*)")


@dataclass(frozen=True)
class Percentile:
    """A cutoff that is a percentile of scores: `kind` is `COLLECTION` or `REFERENCE`, `value` within (0, 100)."""

    kind: str
    value: float

    @property
    def name(self) -> str:
        """The spelling in canonical names: `p70`, `r99.5`."""
        return _name(self.kind, self.value)


@dataclass(frozen=True)
class Quota:
    """A cutoff that is a percentage of each page's words; `value` within (0, 100]."""

    value: float
    kind: ClassVar[str] = DOCUMENT

    @property
    def name(self) -> str:
        """The spelling in canonical names: `doc50`, `doc12.5`."""
        return _name(self.kind, self.value)


def _name(kind: str, value: float) -> str:
    return f"{kind}{value!r}".removesuffix(".0")


Cutoff = float | Percentile | Quota


def parse_cutoff(text: str, example: str, where: str) -> Cutoff:
    """Parse a cutoff: `8000`, `p70`, `r70` or `doc50`; errors name `where`, and the scorer's name as an `example`."""
    match = _RELATIVE.fullmatch(text.strip())
    number = match["value"] if match else text
    try:
        value = float(number)
    except ValueError as error:
        raise ConfigError(
            f"the cutoff {text!r} is not a number",
            f"write a number, {example}@p70 for a percentile or {example}@doc50 for a quota",
            where,
        ) from error
    if match is None:
        return value
    if match["kind"] == DOCUMENT:
        return Quota(value)
    return Percentile(match["kind"], value)


def kind_of(cutoff: Cutoff) -> str:
    """Return `COLLECTION`, `REFERENCE` or `DOCUMENT`; empty for a number."""
    if isinstance(cutoff, Percentile | Quota):
        return cutoff.kind
    return ""


def value_of(cutoff: Cutoff) -> float:
    """Return the number of a cutoff, also of a percentile or quota."""
    if isinstance(cutoff, Percentile | Quota):
        return cutoff.value
    return cutoff


def same_kind(cutoffs: Sequence[Cutoff]) -> bool:
    """Return whether cutoffs are all numbers, all percentiles of one kind, or all quotas."""
    kinds = {kind_of(cutoff) for cutoff in cutoffs}
    return len(kinds) <= 1


def check_quota(quota: Quota, scorer: Scorer, where: str) -> None:
    """Check that the quota may be a cutoff of the scorer."""
    if not 0 < quota.value <= 100:
        raise ConfigError(
            f"the quota of {scorer.name!r} is out of range: {quota.value:g}",
            "choose one above 0 and up to 100, the per cent of each page's words to keep",
            where,
        )


def check_percentile(percentile: Percentile, scorer: Scorer, where: str) -> None:
    """Check that the percentile may be a cutoff of the scorer."""
    if not 0 < percentile.value < 100:
        raise ConfigError(
            f"the percentile of {scorer.name!r} is out of range: {percentile.value:g}",
            "choose one above 0 and below 100",
            where,
        )
    if percentile.kind == REFERENCE and not scorer.reference:
        percentile_of_collection = Percentile(COLLECTION, percentile.value).name
        raise ConfigError(
            f"the scorer {scorer.name!r} has no reference text, so {percentile.name} means nothing",
            f"write {percentile_of_collection}, a percentile of the collection",
            where,
        )


def reference_cutoff(scorer: Scorer, percentile: Percentile, where: str) -> float:
    """Return the score at a percentile of the reference text, linear between the percentiles of the model's card.

    Raises:
        ConfigError: if the model has no percentiles, or none so low or high; it names `where`.
    """
    check_percentile(percentile, scorer, where)
    table = scorer.reference_percentiles()
    if not table:
        raise ConfigError(
            f"the language model {str(scorer.values[scorer.reference])!r} has no percentiles of a reference text",
            "take a model that `thresher lm train` wrote, or a percentile of the collection, such as p70",
            where,
        )
    first = min(table)
    last = max(table)
    if not first <= percentile.value <= last:
        raise ConfigError(
            f"the model's card has no percentiles below {first:g} or above {last:g}, so {percentile.name} cannot be computed",
            f"choose one from r{first:g} to r{last:g}",
            where,
        )
    return float(np.interp(percentile.value, list(table), list(table.values())))
