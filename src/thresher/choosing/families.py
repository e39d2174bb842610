"""The sweeps that an index is recommended from, and the path of sizes through each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from thresher.defaults import ALPHA, COLLECTION, DEFAULT_FAMILIES, DOCUMENT, MARGIN, MOST_EMPTIED, REFERENCE
from thresher.errors import ConfigError
from thresher.evaluation.non_inferiority import Margin, parse_margin
from thresher.pruning_methods.treatments import BAR, Pruning, parse_pruning, split_treatment
from thresher.scorers.base import Scorer
from thresher.scorers.cleaners import BASELINE, Cleaner, Cut, parse_cleaner, parse_scorer
from thresher.variants.table import VariantTable

TARGETS = (*range(95, 0, -5), 2)
"""Sizes, in per cent of the baseline's postings, of the steps of a path."""
_STEP = 5
_SWEPT = re.compile(rf"(?P<scorer>[^@+]+?)\s*(?P<kind>@(?:{COLLECTION}|{REFERENCE}|{DOCUMENT}))?")


@dataclass(frozen=True)
class DeclaredFamily:
    """A sweep that is declared to be chosen from.

    Args:
        name: as `Variant.sweep` has it.
        cleaner: what cleans before pruning; None where a scorer is swept.
        cut: the scorer that is swept, without a cutoff; None where none is.
        pruning: the pruning method that is swept, without a cutoff; None where none is.
    """

    name: str
    cleaner: Cleaner | None
    cut: Cut | None
    pruning: Pruning | None

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorers that it needs."""
        return tuple(self.cleaner.scorers) if self.cleaner else (self.cut.scorer,) if self.cut else ()


def parse_family(text: str) -> DeclaredFamily:
    """Parse a sweep's name: `words`, `none|dcp`, `words@5|dcp`, `words|dcp`."""
    cleaner, method = split_treatment(text)
    pruning = None if method is None else parse_pruning(method, text)
    if pruning is not None and (pruning.cutoff is not None or pruning.method.control):
        what = "has a cutoff" if pruning.cutoff is not None else "is there to be compared with"
        raise ConfigError(f"the pruning method of {text!r} {what}", "name a sweep, such as none|dcp", text)
    behind = "" if pruning is None else f"{BAR}{pruning.name}"
    match = _SWEPT.fullmatch(cleaner.strip())
    if match and match["scorer"] != BASELINE:
        cut = parse_scorer(match["scorer"], text)
        if not cut.scorer.decides:
            return DeclaredFamily(f"{cut.name}{match['kind'] or ''}{behind}", None, cut.checked(), pruning)
    fixed = parse_cleaner(cleaner, text).checked()
    if pruning is None:
        raise ConfigError(f"{text!r} is no sweep", "name one without its cutoff, such as words or none|dcp", text)
    return DeclaredFamily(f"{fixed.name}{behind}", fixed, None, pruning)


def path_of_sizes(table: VariantTable, family: str) -> tuple[int, ...]:
    """Return the variants of a family that are tested, the largest first: at each of `TARGETS` the one nearest below it.

    The path depends on sizes alone, never on topics; of equals the first by name counts. Steps of 5 points lead over dips
    between neighbouring cutoffs. At each size a family with two cutoffs has the pair whose cleaner alone keeps nearest to the
    square root of it.
    """
    members = [index for index in table.candidates if table.rows[index].variant.sweep == family]
    whole = int(table.sizes[0])
    path: list[int] = []
    for target in TARGETS:
        inside = [
            index for index in members if (target - _STEP) * whole < 100 * int(table.sizes[index]) <= target * whole
        ]
        chosen = _nearest(table, inside, target)
        path += [index for index in chosen if index not in path]
    return tuple(path)


def _nearest(table: VariantTable, inside: Iterable[int], target: int) -> list[int]:
    def key(index: int) -> tuple[float, int, str]:
        row = table.rows[index]
        apart = 0.0
        if row.variant.cleaner_cutoff is not None:
            apart = abs(float(table.word_shares[index]) - math.sqrt(target / 100))
        return apart, -row.index.postings, row.name

    return sorted(inside, key=key)[:1]


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
