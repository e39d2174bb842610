"""Cutoffs that are percentiles instead of numbers: `p70` of the collection, `r70` of a language model's reference text.

`p70` is the smallest score such that the segments with this score or a lower one hold at least 70 % of the collection's words.
So `perplexity@p70`, which keeps low scores, keeps the 70 % of the words that look best, and `words@p30`, which keeps high
scores, drops the 30 % that are lowest, but nothing at the percentile itself. Segments are weighed by their words because
the many short ones of a site would decide otherwise. Infinite scores come last.

`r70` is a percentile, by sentences, of the perplexities that a model's card has of its reference text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.errors import ConfigError
from thresher.language_models import BUILDERS, model_files
from thresher.scorers.base import Scorer
from thresher.scorers.perplexity import Perplexity

COLLECTION, REFERENCE = "p", "r"

_PERCENTILE = re.compile(r"(?P<kind>[pr])(?P<value>[\d.].*)")


@dataclass(frozen=True)
class Percentile:
    """A cutoff that is a percentile of scores: `kind` is `COLLECTION` or `REFERENCE`, `value` within (0, 100)."""

    kind: str
    value: float

    @property
    def name(self) -> str:
        """What canonical names write: `p70`, `r99.5`."""
        return f"{self.kind}{self.value!r}".removesuffix(".0")


Cutoff = float | Percentile


def parse_cutoff(text: str, example: str, where: str) -> Cutoff:
    """Return the cutoff that a text means.

    Args:
        text: `8000`, `p70` or `r70`.
        example: the scorer's name, for the fix.
        where: the place of the text.

    Raises:
        ConfigError: if it is neither a number nor a percentile. Ranges are not looked at.
    """
    match = _PERCENTILE.fullmatch(text.strip())
    try:
        return Percentile(match["kind"], float(match["value"])) if match else float(text)
    except ValueError as error:
        raise ConfigError(
            f"the cutoff {text!r} is no number",
            f"write it like {example}@10, or {example}@p70 for a percentile",
            where,
        ) from error


def same_kind(cutoffs: Sequence[Cutoff]) -> bool:
    """Return whether cutoffs fit on one axis: all numbers, or all percentiles of one kind."""
    return len({cutoff.kind if isinstance(cutoff, Percentile) else "" for cutoff in cutoffs}) <= 1


def check_percentile(percentile: Percentile, scorer: Scorer, where: str) -> Percentile:
    """Return the percentile if it may be a cutoff of the scorer.

    Raises:
        ConfigError: if it is out of range, or one of a reference text that the scorer has not got.
    """
    if not 0 < percentile.value < 100:
        raise ConfigError(
            f"the percentile of {scorer.name!r} is out of range: {percentile.value:g}",
            "choose one above 0 and below 100",
            where,
        )
    if percentile.kind == REFERENCE and not isinstance(scorer, Perplexity):
        instead = Percentile(COLLECTION, percentile.value).name
        raise ConfigError(
            f"the scorer {scorer.name!r} has no reference text, so {percentile.name} means nothing",
            f"write {instead}, a percentile of the collection",
            where,
        )
    return percentile


def reference_percentiles(scorer: Scorer) -> Mapping[float, float]:
    """Return the perplexities of sentences of the model's reference text by percentile, rising; empty if there are none.

    Raises:
        ConfigError: if there is no such model.
        ThresherError: if the card is damaged.
    """
    model = scorer.values.get("lm")
    # Models that are built, or learnt from the collection itself, have none: there is no need to make them to know.
    if not isinstance(scorer, Perplexity) or scorer.learns or model in BUILDERS:
        return {}
    # The card tells of sentences by themselves.
    if scorer.values["context"] or scorer.values["prior"]:
        return {}
    card = model_files(str(model)).card
    if card is None or card.training is None:
        return {}
    return dict(sorted((float(at), value) for at, value in card.training.perplexities.items()))


def reference_cutoff(scorer: Scorer, percentile: Percentile, where: str) -> float:
    """Return the score at a percentile of the reference text, linear between the percentiles of the model's card.

    Raises:
        ConfigError: as `check_percentile`, and if there is no such model, or its card has no percentiles or none around this.
        ThresherError: if the card is damaged.
    """
    check_percentile(percentile, scorer, where)
    table = reference_percentiles(scorer)
    if not table:
        raise ConfigError(
            f"the language model {str(scorer.values['lm'])!r} has no percentiles of a reference text",
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
